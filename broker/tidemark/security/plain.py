"""SASL/PLAIN: user name and password in one token. Kafka: `PlainSaslServer`."""

from __future__ import annotations

from collections.abc import Mapping
from hmac import compare_digest
from typing import Final

from tidemark.security.sasl import AuthenticationRefused

TOKENS: Final = 3
SPLITS_MAX: Final = 3  # Kafka counts at most four tokens
OTHER_USER: Final = (
    "Authentication failed: Client requested an authorization id that is different from username"
)


class Plain:
    """One exchange. passwords: by user name."""

    __slots__ = ("_passwords", "expires_ms", "user")
    rejected: Final = None
    by_token: Final = False

    def __init__(self, passwords: Mapping[str, str]) -> None:
        self._passwords = passwords
        self.user: str | None = None
        self.expires_ms: int | None = None

    def evaluate(self, token: bytes, wall_ms: int) -> bytes:
        parts = token.decode("utf-8", "replace").split("\0", SPLITS_MAX)
        if len(parts) != TOKENS:
            raise AuthenticationRefused(
                f"Invalid SASL/PLAIN response: expected {TOKENS} tokens, got {len(parts)}"
            )
        authorization_id, user, password = parts
        if not user:
            raise AuthenticationRefused("Authentication failed: username not specified")
        if not password:
            raise AuthenticationRefused("Authentication failed: password not specified")
        known = self._passwords.get(user)
        # An unknown user takes the time of a known one.
        matches = compare_digest((known or "").encode(), password.encode())
        if known is None or not matches:
            raise AuthenticationRefused("Authentication failed: Invalid username or password")
        if authorization_id not in ("", user):
            raise AuthenticationRefused(OTHER_USER)
        self.user = user
        return b""
