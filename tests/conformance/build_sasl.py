"""Build requests about authentication, like build.py, and SCRAM messages as clients make them (RFC 5802)."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode, b64encode
from collections.abc import Iterable
from typing import Any, Final

from tests.conformance.build import Request

HASHES: Final = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
NUMBERS: Final = {1: "sha256", 2: "sha512"}
SALT: Final = b"a salt of 16 byt"


def handshake(mechanism: str = "PLAIN", version: int = 1) -> Request:
    return "SaslHandshake", version, {"Mechanism": mechanism}


def authenticate(token: bytes, version: int = 2) -> Request:
    return "SaslAuthenticate", version, {"AuthBytes": token.hex()}


def plain(user: str, password: str, authorization_id: str = "") -> bytes:
    return f"{authorization_id}\0{user}\0{password}".encode()


def upsertion(
    user: str, mechanism: int = 1, iterations: int = 4096, password: str = "pencil", salt: bytes = SALT
) -> dict[str, Any]:
    """Return a credential for AlterUserScramCredentials."""
    key = hashlib.pbkdf2_hmac(NUMBERS.get(mechanism, "sha256"), password.encode(), salt, max(iterations, 1))
    return {
        "Name": user,
        "Mechanism": mechanism,
        "Iterations": iterations,
        "Salt": salt.hex(),
        "SaltedPassword": key.hex(),
    }


def alter_users(
    upsertions: Iterable[dict[str, Any]] = (), deletions: Iterable[tuple[str, int]] = ()
) -> Request:
    removed = [{"Name": name, "Mechanism": mechanism} for name, mechanism in deletions]
    return "AlterUserScramCredentials", 0, {"Deletions": removed, "Upsertions": [*upsertions]}


def describe_users(users: Iterable[str] | None) -> Request:
    names = None if users is None else [{"Name": name} for name in users]
    return "DescribeUserScramCredentials", 0, {"Users": names}


class ScramClient:
    """The client's side of one exchange."""

    def __init__(self, mechanism: str, user: str, password: str, extensions: str = "") -> None:
        self._hash = HASHES[mechanism]
        self._password = password
        self.bare = f"n={user},r=clientnonce{extensions}"
        self.server_signature = b""

    def first(self) -> bytes:
        return f"n,,{self.bare}".encode()

    def final(
        self, server_first: bytes, *, channel: str = "biws", signed: str = "", unsigned: str = ""
    ) -> bytes:
        """Return the last message. signed, unsigned: text before the proof, which the proof covers or not."""
        fields = dict(part.split("=", 1) for part in server_first.decode().split(","))
        salted = hashlib.pbkdf2_hmac(
            self._hash, self._password.encode(), b64decode(fields["s"]), int(fields["i"])
        )
        key = hmac.digest(salted, b"Client Key", self._hash)
        unproved = f"c={channel},r={fields['r']}{signed}"
        signed = f"{self.bare},{server_first.decode()},{unproved}".encode()
        signature = hmac.digest(hashlib.new(self._hash, key).digest(), signed, self._hash)
        proof = bytes(a ^ b for a, b in zip(key, signature, strict=True))
        self.server_signature = hmac.digest(
            hmac.digest(salted, b"Server Key", self._hash), signed, self._hash
        )
        return f"{unproved}{unsigned},p={b64encode(proof).decode()}".encode()

    def accepts(self, server_final: bytes) -> bool:
        """Return whether the server has proved that it knows the credential."""
        return server_final == b"v=" + b64encode(self.server_signature)
