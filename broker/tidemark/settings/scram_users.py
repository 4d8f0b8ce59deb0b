"""The first SCRAM users of a new cluster, in the form of `kafka-storage format --add-scram`.

    SCRAM-SHA-256=[name=alice,password=alice-secret],SCRAM-SHA-512=[name=bob,iterations=8192,password=bob-secret]

Kafka: `ScramParser`. Error messages never quote a password.
"""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import dataclass, field
from typing import Final

from tidemark.settings.sasl import SCRAM
from tidemark.settings.setting import ConfigError

ITERATIONS_DEFAULT: Final = 4096
ITERATIONS: Final = range(4096, 16384 + 1)
_ENTRY: Final = re.compile(r"\s*(?P<mechanism>[^=,\[\]]+)=\[(?P<fields>[^\]]*)\]\s*(?:,|$)")
_KNOWN: Final = ("name", "password", "iterations", "salt", "saltedpassword")


@dataclass(slots=True, frozen=True)
class ScramUser:
    """salt: None: draw one. Either password or salted_password is not None."""

    mechanism: str
    name: str
    iterations: int
    salt: bytes | None = None
    password: str | None = field(default=None, repr=False)
    salted_password: bytes | None = field(default=None, repr=False)


def read_scram_users(setting: str, text: str) -> tuple[ScramUser, ...]:
    """Return the users that the setting names. Raises ConfigError."""
    users: dict[tuple[str, str], ScramUser] = {}
    pos = 0
    while pos < len(text.rstrip()):
        entry = _ENTRY.match(text, pos)
        if entry is None:
            raise ConfigError(
                f"{setting} must have the form MECHANISM=[name=NAME,password=PASSWORD],..., which entry "
                f"{len(users) + 1} has not"
            )
        user = _user(f"{setting}, entry {len(users) + 1}", entry["mechanism"].strip(), entry["fields"])
        if user.mechanism not in SCRAM:
            raise ConfigError(f"{setting} names {user.mechanism}. Use {' or '.join(SCRAM)}.")
        if (user.name, user.mechanism) in users:
            raise ConfigError(f"{setting} names the user {user.name} twice for {user.mechanism}")
        users[user.name, user.mechanism] = user
        pos = entry.end()
    return tuple(users.values())


def _user(where: str, mechanism: str, text: str) -> ScramUser:
    fields: dict[str, str] = {}
    for part in text.split(","):
        key, equals, value = part.strip().partition("=")
        if not equals or key not in _KNOWN:
            raise ConfigError(f"{where}: each field must be {', '.join(_KNOWN)}, with = and a value")
        fields[key] = value.strip().removeprefix('"').removesuffix('"')
    if not fields.get("name"):
        raise ConfigError(f"{where}: name is missing")
    if ("password" in fields) == ("saltedpassword" in fields):
        raise ConfigError(f"{where}: either password or saltedpassword must be set")
    if "saltedpassword" in fields and "salt" not in fields:
        raise ConfigError(f"{where}: saltedpassword needs its salt")
    iterations = fields.get("iterations", str(ITERATIONS_DEFAULT))
    if not iterations.isdecimal() or int(iterations) not in ITERATIONS:
        raise ConfigError(
            f"{where}: iterations must be a number from {ITERATIONS[0]} to {ITERATIONS[-1]}, got {iterations}"
        )
    return ScramUser(
        mechanism,
        fields["name"],
        int(iterations),
        _base64(where, "salt", fields.get("salt")),
        fields.get("password"),
        _base64(where, "saltedpassword", fields.get("saltedpassword")),
    )


def _base64(where: str, key: str, text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        decoded = b64decode(text, validate=True)
    except ValueError:
        decoded = b""
    if not decoded:
        raise ConfigError(f"{where}: {key} must be base64")
    return decoded
