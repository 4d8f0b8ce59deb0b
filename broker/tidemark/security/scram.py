"""SASL/SCRAM-SHA-256 and -512 (RFC 5802, RFC 7677). Kafka: `ScramSaslServer`, `ScramFormatter`.

The broker stores no password, only keys that were derived from it. Passwords and names are not normalized
(SASLprep), as in Kafka.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from tidemark.security.sasl import OTHER_USER, AuthenticationRefused, InvalidCredentials, NoAnswer
from tidemark.settings.sasl import ScramUser
from tidemark_protocol.records.user_scram_credential_record import UserScramCredentialRecord

# Kafka's numbers of the mechanisms, in requests and records.
NUMBERS: Final = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
HASHES: Final = {1: "sha256", 2: "sha512"}
ITERATIONS_MIN: Final = 4096
ITERATIONS_MAX: Final = 16384  # a client computes them at each login

# Possessive quantifiers keep the time of a long message short, which anyone may send.
# As in Kafka, all text is ASCII.
_NAME: Final = r"(?:[\x01-\x2b\x2d-\x3c\x3e-\x7f]++|=2C|=3D)++"
_VALUE: Final = r"[\x01-\x2b\x2d-\x7f]++"
_EXTENSIONS: Final = rf"(?:,[a-zA-Z]++={_VALUE})*"
_BASE64: Final = r"(?:[a-zA-Z0-9/+]{4})*+(?:[a-zA-Z0-9/+]{3}=|[a-zA-Z0-9/+]{2}==)?"
_NONCE: Final = r"[\x21-\x2b\x2d-\x7e]++"
_CLIENT_FIRST: Final = re.compile(
    rf"n,(?:a=(?P<authzid>{_NAME}))?,"
    rf"(?:m={_VALUE},)?(?P<bare>n=(?P<name>{_NAME}),r=(?P<nonce>{_NONCE})(?P<extensions>{_EXTENSIONS}))"
)
_CLIENT_FINAL: Final = re.compile(
    rf"c=(?P<channel>{_BASE64}),r=(?P<nonce>{_NONCE}){_EXTENSIONS},p=(?P<proof>{_BASE64})"
)


@dataclass(slots=True, frozen=True)
class Credential:
    """The keys that the broker stores instead of a password."""

    salt: bytes
    stored_key: bytes = field(repr=False)
    server_key: bytes = field(repr=False)
    iterations: int


def credential(hash_name: str, salted_password: bytes, salt: bytes, iterations: int) -> Credential:
    """Return the credential of a salted password."""
    client_key = hmac.digest(salted_password, b"Client Key", hash_name)
    return Credential(
        salt,
        hashlib.new(hash_name, client_key).digest(),
        hmac.digest(salted_password, b"Server Key", hash_name),
        iterations,
    )


def salted(hash_name: str, password: str, salt: bytes, iterations: int) -> bytes:
    """Return Hi(password, salt, iterations) of RFC 5802."""
    return hashlib.pbkdf2_hmac(hash_name, password.encode(), salt, iterations)


@dataclass(slots=True, frozen=True)
class Account:
    """A user who may log in, or a delegation token of a user.

    expires_ms   the wall time at which a token expires. None: it is a user
    """

    user: str
    credential: Credential
    expires_ms: int | None = None


class Scram:
    """One exchange.

    account_of(name, by_token)  returns the user of this name, or the delegation token with this id
    new_nonce()                 returns random printable text without a comma
    """

    __slots__ = ("_account", "_account_of", "_first", "_hash", "_new_nonce", "_nonce", "by_token",
                 "expires_ms", "user")  # fmt: skip
    rejected: Final = None

    def __init__(
        self,
        hash_name: str,
        account_of: Callable[[str, bool], Account | None],
        new_nonce: Callable[[], str],
    ) -> None:
        self._hash = hash_name
        self._account_of = account_of
        self._new_nonce = new_nonce
        self._account: Account | None = None
        self._nonce = ""
        self._first = ""
        self.user: str | None = None
        self.expires_ms: int | None = None
        self.by_token = False

    def evaluate(self, token: bytes, wall_ms: int) -> bytes:
        text = token.decode("utf-8", "replace")
        return self._challenge(text) if self._account is None else self._verify(text, self._account)

    def _challenge(self, text: str) -> bytes:
        message = _CLIENT_FIRST.fullmatch(text)
        if message is None:
            raise InvalidCredentials
        name = _unescaped(message["name"])
        by_token = _names_a_token(message["extensions"])
        account = self._account_of(name, by_token)
        if account is None:
            raise InvalidCredentials
        known = account.credential
        if message["authzid"] is not None and _unescaped(message["authzid"]) != name:
            raise AuthenticationRefused(OTHER_USER)
        if known.iterations < ITERATIONS_MIN:
            raise InvalidCredentials
        self._account = account
        self.by_token = by_token
        self._nonce = message["nonce"] + self._new_nonce()
        salt = b64encode(known.salt).decode()
        server_first = f"r={self._nonce},s={salt},i={known.iterations}"
        self._first = f"{message['bare']},{server_first}"
        return server_first.encode()

    def _verify(self, text: str, account: Account) -> bytes:
        known = account.credential
        message = _CLIENT_FINAL.fullmatch(text)
        if message is None or message["nonce"] != self._nonce:
            raise InvalidCredentials
        # Kafka builds the text that the proof covers anew: in it, the message has no extensions.
        channel = b64encode(b64decode(message["channel"])).decode()
        signed = f"{self._first},c={channel},r={self._nonce}".encode()
        signature = hmac.digest(known.stored_key, signed, self._hash)
        proof = b64decode(message["proof"])
        if len(proof) != len(signature):  # an IllegalArgumentException in Kafka
            raise NoAnswer(f"a SCRAM proof of {len(proof)} bytes instead of {len(signature)}")
        client_key = bytes(a ^ b for a, b in zip(proof, signature, strict=True))
        if not hmac.compare_digest(hashlib.new(self._hash, client_key).digest(), known.stored_key):
            raise InvalidCredentials
        self.user = account.user
        self.expires_ms = account.expires_ms
        return b"v=" + b64encode(hmac.digest(known.server_key, signed, self._hash))


def _names_a_token(extensions: str) -> bool:
    """Return whether Kafka's extension tokenauth=true says that the name is the id of a delegation token."""
    pairs = dict(pair.split("=", 1) for pair in extensions.split(",")[1:])
    return pairs.get("tokenauth", "").lower() == "true"


def _unescaped(name: str) -> str:
    return name.replace("=2C", ",").replace("=3D", "=")


def first_users(
    users: Sequence[ScramUser], new_salt: Callable[[], bytes]
) -> Iterator[UserScramCredentialRecord]:
    """Yield the record of each user. new_salt() returns random bytes."""
    for user in users:
        number = NUMBERS[user.mechanism]
        salt = new_salt() if user.salt is None else user.salt
        key = user.salted_password
        if key is None:
            key = salted(HASHES[number], user.password or "", salt, user.iterations)
        made = credential(HASHES[number], key, salt, user.iterations)
        yield UserScramCredentialRecord(
            user.name, number, salt, made.stored_key, made.server_key, user.iterations
        )
