"""SASL on one connection: which mechanism the client uses, and until when its session lasts.

A mechanism turns the tokens of a client into challenges until it has authenticated the client. Kafka:
`SaslServerAuthenticator`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hmac import compare_digest
from typing import Any, Final, Protocol

REAUTHENTICATION_INTERVAL_MS: Final = 1000  # Kafka: KafkaChannel.MIN_REAUTH_INTERVAL_ONE_SECOND_NANOS


class AuthenticationRefused(Exception):
    """The client has not authenticated. The text is sent to the client and logged: it names no secret.

    counted   the failure is counted and logged already
    """

    def __init__(self, text: str = "", *, counted: bool = False) -> None:
        super().__init__(text)
        self.counted = counted


class InvalidCredentials(AuthenticationRefused):
    """The same, without the reason: it could tell a client which users exist."""


class NoAnswer(Exception):
    """Kafka fails on the token, and closes the connection without a response. The text is logged."""


class KeysNeeded(Exception):
    """Keys must be derived from a password before the token can be evaluated, which takes milliseconds.

    keep(derive()) does it; derive may run in a worker thread.
    """

    def __init__(self, derive: Callable[[], Any], keep: Callable[[Any], None]) -> None:
        super().__init__()
        self.derive = derive
        self.keep = keep


class Mechanism(Protocol):
    """One exchange by one mechanism.

    user            the name of the client. None until the exchange is complete
    expires_ms      the wall time at which the credentials expire. None: never
    """

    user: str | None
    expires_ms: int | None

    @property
    def by_token(self) -> bool:
        """Return whether the client logs in with a delegation token."""

    @property
    def rejected(self) -> str | None:
        """Return why the last token was refused, if its answer says so and the exchange goes on."""

    def evaluate(self, token: bytes, wall_ms: int) -> bytes:
        """Return the answer to the client's token.

        Raises AuthenticationRefused, NoAnswer, CloseConnection, KeysNeeded.
        """


NewMechanism = Callable[[Any], Mechanism]  # from a Context


@dataclass(slots=True, frozen=True)
class SaslListener:
    """SASL as one listener serves it.

    mechanisms        creates the exchange of each mechanism, in the order in which clients learn of them
    max_reauth_ms     by mechanism: the longest session. 0: no limit
    failure_delay_ms  time before the response to a failed authentication
    """

    mechanisms: Mapping[str, NewMechanism]
    max_reauth_ms: Mapping[str, int]
    failure_delay_ms: int
    receive_bytes_max: int


class Authentication:
    """The authentication of one connection. Only the handlers of connection APIs change it.

    mechanism      the exchange that is in progress
    name           the mechanism of this exchange
    used           the mechanism of the last complete exchange. None: the client has not authenticated yet
    expires_ms     the steady time at which the session expires. None: never
    """

    __slots__ = ("expires_ms", "listener", "mechanism", "name", "restarted_ms", "used")

    def __init__(self, listener: SaslListener) -> None:
        self.listener = listener
        self.mechanism: Mechanism | None = None
        self.name = ""
        self.used: str | None = None
        self.expires_ms: int | None = None
        self.restarted_ms: int | None = None

    def may_restart(self, steady_ms: int) -> bool:
        """Return whether a client that has authenticated may do so again now (KIP-368)."""
        return self.expires_ms is not None and (
            self.restarted_ms is None or steady_ms - self.restarted_ms >= REAUTHENTICATION_INTERVAL_MS
        )

    def begin(self, name: str, mechanism: Mechanism, steady_ms: int) -> None:
        """Begin an exchange."""
        self.name = name
        self.mechanism = mechanism
        if self.used is not None:
            self.restarted_ms = steady_ms

    def end(self, credentials_ms: int | None, steady_ms: int) -> int:
        """End the exchange: the client is authenticated. Return the session's lifetime, 0 if it has none.

        credentials_ms  the time for which its credentials are valid. None: without limit
        """
        self.mechanism = None
        self.used = self.name
        limits = [] if credentials_ms is None else [max(0, credentials_ms)]
        if self.listener.max_reauth_ms[self.name] > 0:
            limits.append(self.listener.max_reauth_ms[self.name])
        self.expires_ms = steady_ms + min(limits) if limits else None
        return min(limits, default=0)

    @property
    def text(self) -> str:
        """Name the kind of authentication in messages."""
        return "authentication" if self.used is None else "re-authentication"


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
