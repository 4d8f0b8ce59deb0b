"""The SASL settings of one listener.

Kafka reads a setting under `listener.name.<listener>.<mechanism>.`, then under `listener.name.<listener>.`,
then without a prefix. Only a listener with SASL imports this module.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from tidemark.settings.broker import BrokerSettings
from tidemark.settings.jaas import read_jaas
from tidemark.settings.oauthbearer import OAUTHBEARER, Tokens, UnsecuredTokens, read_oauthbearer
from tidemark.settings.release import Release
from tidemark.settings.setting import ConfigError, Setting, under_name

PLAIN: Final = "PLAIN"
SCRAM: Final = ("SCRAM-SHA-256", "SCRAM-SHA-512")
MECHANISMS: Final = (PLAIN, *SCRAM, OAUTHBEARER)
JAAS: Final = "sasl.jaas.config"
USER_PREFIX: Final = "user_"


@dataclass(slots=True, frozen=True)
class SaslSettings:
    """The settings of a listener whose clients must authenticate.

    plain_users        passwords by user name, for PLAIN
    tokens             which tokens are accepted, for OAUTHBEARER
    max_reauth_ms      by mechanism: connections.max.reauth.ms. 0: a session does not expire
    failure_delay_ms   time before the response to a failed authentication
    receive_bytes_max  of a request before authentication
    """

    mechanisms: tuple[str, ...]
    plain_users: Mapping[str, str] = field(default_factory=dict, repr=False)
    max_reauth_ms: Mapping[str, int] = field(default_factory=dict)
    failure_delay_ms: int = BrokerSettings.connection_failed_authentication_delay_ms.default
    receive_bytes_max: int = BrokerSettings.sasl_server_max_receive_size.default
    tokens: Tokens = field(default_factory=UnsecuredTokens)

    @property
    def accepts_any_token(self) -> bool:
        """True if clients may make their tokens themselves."""
        return OAUTHBEARER in self.mechanisms and isinstance(self.tokens, UnsecuredTokens)


def read_sasl(listener: str, given: Mapping[str, str], release: Release) -> SaslSettings:
    """Return the settings of the listener of this name. given: texts by dotted name. Raises ConfigError."""
    own = f"listener.name.{listener.lower()}."

    def read(setting: Setting[Any], prefixes: Sequence[str] = (own, "")) -> Any:
        for prefix in prefixes:
            text = given.get(prefix + setting.name)
            if text is not None:
                return under_name(prefix + setting.name, setting).read(text)
        return setting.default

    mechanisms: tuple[str, ...] = read(BrokerSettings.sasl_enabled_mechanisms)
    for mechanism in mechanisms:
        if mechanism not in MECHANISMS:
            raise ConfigError(
                f"Listener {listener} uses the SASL mechanism {mechanism}, which is not supported. "
                f"Set sasl.enabled.mechanisms to some of {', '.join(MECHANISMS)}."
            )
    reauth = BrokerSettings.connections_max_reauth_ms
    tokens: Tokens = UnsecuredTokens()
    if OAUTHBEARER in mechanisms:
        own_of_tokens = (f"{own}{OAUTHBEARER.lower()}.", own, "")
        tokens = read_oauthbearer(listener, own, given, partial(read, prefixes=own_of_tokens), release)
    return SaslSettings(
        mechanisms=mechanisms,
        plain_users=_plain_users(listener, own, given) if PLAIN in mechanisms else {},
        max_reauth_ms={
            mechanism: max(0, read(reauth, (f"{own}{mechanism.lower()}.", own, "")))
            for mechanism in mechanisms
        },
        failure_delay_ms=read(BrokerSettings.connection_failed_authentication_delay_ms),
        receive_bytes_max=read(BrokerSettings.sasl_server_max_receive_size),
        tokens=tokens,
    )


def _plain_users(listener: str, own: str, given: Mapping[str, str]) -> dict[str, str]:
    name = f"{own}{PLAIN.lower()}.{JAAS}"
    if name not in given:
        raise ConfigError(
            f"Listener {listener} enables PLAIN, but {name} is not set. Set it to: "
            'org.apache.kafka.common.security.plain.PlainLoginModule required user_NAME="PASSWORD";'
        )
    module, options = read_jaas(name, given[name])
    if module.rpartition(".")[2] != "PlainLoginModule":
        raise ConfigError(f"{name} must name the module PlainLoginModule, got {module}")
    return {
        key.removeprefix(USER_PREFIX): password
        for key, password in options.items()
        if key.startswith(USER_PREFIX)
    }


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
