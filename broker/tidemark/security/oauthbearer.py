"""SASL/OAUTHBEARER: a token names the user (RFC 7628, KIP-255). Kafka: `OAuthBearerSaslServer`.

A client whose token is refused is told so in JSON. It responds with the byte 1, and gets the error then.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tidemark.core.decision import CloseConnection
from tidemark.security.sasl import AuthenticationRefused, InvalidCredentials

ACKNOWLEDGED: Final = b"\x01"
# Possessive quantifiers keep the time of a long message short, which anyone may send.
_NAME: Final = r"(?:[\x01-\x2b\x2d-\x3c\x3e-\x7f]++|=2C|=3D)++"
_FIRST: Final = re.compile(
    rf"n,(?:a=(?P<authzid>{_NAME}))?,\x01(?P<pairs>(?:[A-Za-z]++=[\x21-\x7e \t\r\n]++\x01)*+)\x01"
)
_AUTHORIZATION: Final = re.compile(r"(?P<scheme>[A-Za-z0-9_]++) ++(?P<token>[-_~+/.a-zA-Z0-9]++=*+)")


@dataclass(slots=True, frozen=True)
class Accepted:
    """A valid token. expires_ms: wall time."""

    user: str
    expires_ms: int


class InvalidToken(Exception):
    """A token that is refused. The text is logged, and shows no part of the token.

    required_scope   the token has too few scopes; these are required
    """

    def __init__(self, reason: str, required_scope: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.required_scope = required_scope


Validate = Callable[
    [str, int], Accepted
]  # (token, wall_ms) -> the token. Raises InvalidToken, CloseConnection


class OAuthBearer:
    """One exchange. validate(token, wall_ms) checks a token."""

    __slots__ = ("_error", "_validate", "expires_ms", "rejected", "user")

    by_token: Final = False

    def __init__(self, validate: Validate) -> None:
        self._validate = validate
        self._error = ""
        self.rejected: str | None = None
        self.user: str | None = None
        self.expires_ms: int | None = None

    def evaluate(self, token: bytes, wall_ms: int) -> bytes:
        self.rejected = None
        if token == ACKNOWLEDGED and self._error:
            raise AuthenticationRefused(self._error, counted=True)
        self._error = ""
        authorization_id, text = _first_message(token)
        try:
            accepted = self._validate(text, wall_ms)
        except InvalidToken as reason:
            self.rejected = str(reason)
            self._error = _error(reason.required_scope)
            return self._error.encode()
        if authorization_id not in ("", accepted.user):
            raise AuthenticationRefused(
                f"Authentication failed: Client requested an authorization id ({authorization_id}) that is "
                f"different from the token's principal name ({accepted.user})"
            )
        self.user = accepted.user
        self.expires_ms = accepted.expires_ms
        return b""


def _first_message(message: bytes) -> tuple[str, str]:
    """Return the authorization identity and the token. Raises AuthenticationRefused."""
    found = _FIRST.fullmatch(message.decode("utf-8", "replace"))
    if found is None:
        raise InvalidCredentials
    pairs = dict(pair.split("=", 1) for pair in found["pairs"].split("\x01")[:-1])
    authorization = _AUTHORIZATION.fullmatch(pairs.get("auth", ""))
    if authorization is None:
        raise InvalidCredentials
    if authorization["scheme"].lower() != "bearer":
        raise CloseConnection("OAUTHBEARER with another scheme than bearer")  # Kafka: an exception
    return found["authzid"] or "", authorization["token"]


def _error(required_scope: tuple[str, ...]) -> str:
    if not required_scope:
        return '{"status":"invalid_token"}'
    return f'{{"status":"insufficient_scope", "scope":"[{", ".join(required_scope)}]"}}'
