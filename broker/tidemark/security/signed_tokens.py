"""Signed tokens (RFC 7519), and the keys that check them (RFC 7517). Kafka: `BrokerJwtValidator`, jose4j.

The library PyJWT checks signatures. The claims are checked here, in the broker's time, which a test may move.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from tidemark.core.decision import CloseConnection
from tidemark.security.oauthbearer import Accepted, InvalidToken
from tidemark.settings.oauthbearer import JAVA_BLANKS, SignedTokens

PARTS: Final = 3
KEYS_MAX: Final = 1000
RSA_BITS_MIN: Final = 2048
KEY_ID_LENGTH_MAX: Final = 1000
# Each algorithm with the type of its keys, and the curve or the least bytes of a key.
ALGORITHMS: Final[dict[str, tuple[str, str | int]]] = {
    **{f"{family}{bits}": ("RSA", 0) for family in ("RS", "PS") for bits in (256, 384, 512)},
    **{f"HS{bits}": ("oct", bits // 8) for bits in (256, 384, 512)},
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", ""),
}
_ANY_OF_TYPE: Final = {"RSA": "RS256", "oct": "HS256", "OKP": "EdDSA"}
_CURVES: Final = {"P-256": "ES256", "P-384": "ES384", "P-521": "ES512"}
_SIGNATURES: Final = jwt.PyJWS()


@dataclass(slots=True, frozen=True)
class Key:
    """One key. size: bytes of a symmetric key; curve: of an EC key."""

    key_id: str | None
    kind: str
    algorithm: str | None
    curve: str
    size: int
    secret: Any


def read_keys(text: bytes) -> tuple[Key, ...]:
    """Return the keys of a JWKS that may check signatures. Others are left out. Raises ValueError."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON") from None
    found = told.get("keys") if isinstance(told, dict) else None
    if not isinstance(found, list):
        raise ValueError("it has no list of keys")
    return tuple(key for each in found[:KEYS_MAX] if (key := _key(each)) is not None)


def _key(told: Any) -> Key | None:
    if not isinstance(told, dict) or told.get("use", "sig") != "sig":
        return None
    operations = told.get("key_ops")
    if operations is not None and (not isinstance(operations, list) or "verify" not in operations):
        return None
    kind, curve = told.get("kty"), str(told.get("crv", ""))
    algorithm = _CURVES.get(curve) if kind == "EC" else _ANY_OF_TYPE.get(str(kind))
    if algorithm is None:
        return None
    try:
        secret = jwt.PyJWK(told, algorithm).key
    except (jwt.PyJWTError, ValueError, TypeError):
        return None
    if kind == "RSA" and not (isinstance(secret, RSAPublicKey) and secret.key_size >= RSA_BITS_MIN):
        return None
    key_id, own = told.get("kid"), told.get("alg")
    return Key(
        key_id if isinstance(key_id, str) else None,
        str(kind),
        own if isinstance(own, str) else None,
        curve if kind == "EC" else "",
        len(secret) if kind == "oct" else 0,
        secret,
    )


class SignedTokenValidator:
    """Checks tokens.

    keys()          returns the keys
    missed(key id)  is called for a token whose key is not known
    """

    def __init__(
        self, accepts: SignedTokens, keys: Callable[[], Sequence[Key]], missed: Callable[[str], None]
    ) -> None:
        self._accepts = accepts
        self._keys = keys
        self._missed = missed

    def __call__(self, token: str, wall_ms: int) -> Accepted:
        """Return what a token says. Raises InvalidToken, and CloseConnection where Kafka has no response."""
        parts = token.split(".")
        if len(parts) != PARTS or not all(parts):
            raise InvalidToken("the token has not three parts")
        key, algorithm = self._key_of(_object(parts[0]))
        try:
            body = _SIGNATURES.decode_complete(token, key.secret, [algorithm])["payload"]
        except jwt.PyJWTError:
            raise InvalidToken("the signature is not valid") from None
        claims = _fields(body)
        self._check(claims, wall_ms // 1000)
        _check_scopes(self._accepts.scope_claim, claims.get(self._accepts.scope_claim))
        user = _text(claims, self._accepts.subject_claim)
        user = "" if user is None else user.strip(JAVA_BLANKS)
        if not user:
            raise InvalidToken(f"the claim {self._accepts.subject_claim} is missing or empty")
        expires_s, issued_s = _time(claims, "exp"), _time(claims, "iat")
        assert expires_s is not None, "checked before"
        if issued_s is not None and issued_s < 0:
            raise InvalidToken("the claim iat is negative")
        return Accepted(user, expires_s * 1000)

    def _key_of(self, header: Mapping[str, Any]) -> tuple[Key, str]:
        """Return the key that a token names, and its algorithm. Raises InvalidToken."""
        algorithm, key_id = header.get("alg"), header.get("kid")
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
            raise InvalidToken("the algorithm is not supported")
        if "crit" in header:
            raise InvalidToken("the token has critical headers")
        kind, detail = ALGORITHMS[algorithm]
        found = [key for key in self._keys() if key.kind == kind and key_id in (None, key.key_id)]
        if len(found) > 1:
            found = [key for key in found if key.algorithm in (None, algorithm)]
        if len(found) > 1 and kind == "EC":
            found = [key for key in found if key.curve == detail]
        if not found:
            if isinstance(key_id, str) and len(key_id) <= KEY_ID_LENGTH_MAX:
                self._missed(key_id)
            raise InvalidToken("no key is known that could have signed the token")
        key = found[0]
        if (kind == "EC" and key.curve != detail) or (isinstance(detail, int) and key.size < detail):
            raise InvalidToken("the key does not fit the algorithm")
        return key, algorithm

    def _check(self, claims: Mapping[str, Any], now_s: int) -> None:
        """Check the claims that jose4j checks. Raises InvalidToken."""
        accepts = self._accepts
        if not accepts.any_audience:
            _check_audience(claims, accepts.audiences)
        issuer = _text(claims, "iss")
        if accepts.issuer and issuer != accepts.issuer:
            raise InvalidToken("the token is from another issuer")
        expires_s, issued_s, begins_s = (_time(claims, name) for name in ("exp", "iat", "nbf"))
        if expires_s is None or issued_s is None:
            raise InvalidToken("the claim exp or iat is missing")
        if now_s - accepts.clock_skew_s >= expires_s:
            raise InvalidToken("the token has expired")
        if expires_s < issued_s or (begins_s is not None and expires_s < begins_s):
            raise InvalidToken("the token expires before it becomes valid")
        if begins_s is not None and now_s + accepts.clock_skew_s < begins_s:
            raise InvalidToken("the token is not valid yet")
        _text(claims, "sub")
        _text(claims, "jti")


def _object(part: str) -> dict[str, Any]:
    try:
        text = urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError:
        raise InvalidToken("a part of the token is not base64") from None
    return _fields(text)


def _fields(text: bytes) -> dict[str, Any]:
    """Return a JSON object whose names differ, as jose4j reads it. Raises InvalidToken."""
    try:
        value = json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InvalidToken("a part of the token is not a JSON object")
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a name is repeated")
    return fields


def _text(claims: Mapping[str, Any], name: str) -> str | None:
    value = claims.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidToken(f"the claim {name} is not text")
    return value


def _time(claims: Mapping[str, Any], name: str) -> int | None:
    """Return a time in whole seconds, as jose4j does."""
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidToken(f"the claim {name} is not a number")
    try:
        return int(value)
    except (OverflowError, ValueError):
        raise InvalidToken(f"the claim {name} is not a time") from None


def _check_audience(claims: Mapping[str, Any], expected: Iterable[str]) -> None:
    """Raises InvalidToken. As in Kafka, no token may have an audience if none is expected."""
    if "aud" not in claims:
        if expected:
            raise InvalidToken("the token has no audience")
        return
    told = claims["aud"]
    audiences = [told] if isinstance(told, str) else told
    if not isinstance(audiences, list) or not all(isinstance(each, str) for each in audiences):
        raise InvalidToken("the claim aud is neither text nor a list of texts")
    if not set(audiences) & set(expected):
        raise InvalidToken("the token is for another audience")


def _check_scopes(name: str, told: Any) -> None:
    """Raises InvalidToken. Kafka checks the form of scopes, and requires none."""
    scopes = [told] if isinstance(told, str) else told if isinstance(told, list) else []
    seen: set[str] = set()
    for scope in scopes:
        if scope is not None and not isinstance(scope, str):
            raise CloseConnection("OAUTHBEARER with a scope that is not text")
        trimmed = (scope or "").strip(JAVA_BLANKS)
        if not trimmed or trimmed in seen:
            raise InvalidToken(f"the claim {name} has an empty scope, or one twice")
        seen.add(trimmed)
