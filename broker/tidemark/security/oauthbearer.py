"""SASL/OAUTHBEARER: a token names the user (RFC 7628, KIP-255). Kafka: `OAuthBearerSaslServer`.

A client whose token is refused is told so in JSON. It responds with the byte 1, and gets the error then.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tidemark.core.decision import CloseConnection
from tidemark.security.sasl import AuthenticationRefused, InvalidCredentials
from tidemark.settings.oauthbearer import JAVA_BLANKS, UnsecuredTokens

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


LONG_MAX: Final = 2**63 - 1
PARTS: Final = 3
_BASE64URL: Final = re.compile(r"[A-Za-z0-9_-]*")
_BLANK_JSON: Final = " \t\r\n"


def validate_unsecured(accepts: UnsecuredTokens, token: str, wall_ms: int) -> Accepted:
    """Return what a token says. Raises InvalidToken, and CloseConnection where Kafka has no response."""
    if ".." in token:
        raise InvalidToken("the token has an empty part")
    parts = token.rstrip(".").split(".") + [""] * token.endswith(".")
    if len(parts) != PARTS:
        raise InvalidToken(f"the token has {len(parts)} parts, not {PARTS}")
    header, claims = _decoded(parts[0]), _decoded(parts[1])
    if "alg" not in header:
        raise CloseConnection("OAUTHBEARER with a token that names no algorithm")
    if _claim(header, "alg") != "none":
        raise InvalidToken("the algorithm of an unsecured token must be none")
    if parts[2]:
        raise InvalidToken("an unsecured token must have no signature")
    scopes = _scopes(_claim(claims, accepts.scope_claim))
    expires_s = _number(claims, "exp")
    if expires_s is None:
        raise InvalidToken("the claim exp is missing")
    user = _claim(claims, accepts.principal_claim)
    if not isinstance(user, str) or not user.strip(JAVA_BLANKS):
        raise InvalidToken(f"the claim {accepts.principal_claim} must be a name")
    issued_s = _number(claims, "iat")
    skew_ms = accepts.clock_skew_ms
    if issued_s is not None and issued_s * 1000 > wall_ms + skew_ms:
        raise InvalidToken("the token was issued in the future")
    if wall_ms - skew_ms >= expires_s * 1000:
        raise InvalidToken("the token has expired")
    if issued_s is not None and expires_s <= issued_s:
        raise InvalidToken("the token expires before it was issued")
    if not scopes.issuperset(accepts.required_scope):
        raise InvalidToken("the token has not all required scopes", accepts.required_scope)
    return Accepted(user, int(min(expires_s * 1000 + 0.5, LONG_MAX)))


def _decoded(part: str) -> Mapping[str, Any]:
    """Return the fields of a JSON object."""
    if not _BASE64URL.fullmatch(part) or len(part) % 4 == 1:
        raise InvalidToken("a part of the token is not base64")
    try:
        text = urlsafe_b64decode(part + "=" * (-len(part) % 4)).decode().lstrip(_BLANK_JSON)
        # Jackson ignores what follows the first value, and reads an empty text.
        value = _DECODER.raw_decode(text)[0] if text else {}
    except (ValueError, RecursionError):
        raise InvalidToken("a part of the token is not JSON") from None
    return value if isinstance(value, dict) else {}


def _no_number(name: str) -> None:
    raise ValueError(name)


_DECODER: Final = json.JSONDecoder(parse_constant=_no_number)


def _claim(fields: Mapping[str, Any], name: str) -> Any:
    """Return a value as Kafka converts it, or None if it is missing."""
    if name not in fields:
        return None
    value = fields[name]
    if isinstance(value, list):
        return [_text(item) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return _text(value)


_WORDS: Final = {None: "null", True: "true", False: "false"}


def _text(value: Any) -> str:
    """Return a value as Jackson's asText does: that of an object is empty."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return ""
    return _WORDS[value] if value is None or isinstance(value, bool) else str(value)


def _number(claims: Mapping[str, Any], name: str) -> float | None:
    """Return a time in seconds, or None if the claim is missing."""
    value = _claim(claims, name)
    if value is None:
        return None
    if not isinstance(value, int | float):
        raise InvalidToken(f"the claim {name} is not a number")
    try:
        return float(value)
    except OverflowError:
        raise InvalidToken(f"the claim {name} is too large") from None


def _scopes(value: Any) -> set[str]:
    if value is None:
        return set()
    if not isinstance(value, str | list):
        raise InvalidToken("the claim of the scope is neither text nor a list")
    each = [value] if isinstance(value, str) else value
    return {scope for scope in (item.strip(JAVA_BLANKS) for item in each) if scope}
