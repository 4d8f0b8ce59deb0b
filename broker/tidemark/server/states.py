"""The states of a connection: which APIs each serves, and which state may follow it."""

from __future__ import annotations

from enum import Enum
from typing import Final

from tidemark.late_dataclass import dataclass

SASL_HANDSHAKE: Final = 17
API_VERSIONS: Final = 18
SASL_AUTHENTICATE: Final = 36


class State(Enum):
    """Kafka: SaslServerAuthenticator.SaslState, as far as it decides which requests are accepted."""

    UNAUTHENTICATED = "unauthenticated"
    HANDSHAKING = "about to authenticate"  # it has had a response to ApiVersions
    AUTHENTICATING = "authenticating"
    READY = "ready"
    DRAINING = "draining"  # accepts no further request, and responds to those that were accepted
    CLOSED = "closed"


class IllegalTransitionError(Exception):
    """A bug: the connection cannot enter this state from its current one."""


@dataclass(slots=True, frozen=True)
class Rules:
    """apis: the keys of the APIs that are served. None: all."""

    apis: frozenset[int] | None
    may_become: frozenset[State]


_ENDS: Final = frozenset({State.DRAINING, State.CLOSED})
_NO_API: Final[frozenset[int]] = frozenset()

RULES: Final[dict[State, Rules]] = {
    State.UNAUTHENTICATED: Rules(
        frozenset({API_VERSIONS, SASL_HANDSHAKE}), _ENDS | {State.HANDSHAKING, State.AUTHENTICATING}
    ),
    State.HANDSHAKING: Rules(frozenset({SASL_HANDSHAKE}), _ENDS | {State.AUTHENTICATING}),
    State.AUTHENTICATING: Rules(frozenset({SASL_AUTHENTICATE}), _ENDS | {State.READY}),
    # KIP-368: a client may authenticate again before its session expires.
    State.READY: Rules(None, _ENDS | {State.AUTHENTICATING}),
    State.DRAINING: Rules(_NO_API, frozenset({State.CLOSED})),
    State.CLOSED: Rules(_NO_API, frozenset()),
}


def check_transition(current: State, to: State) -> None:
    """Raises IllegalTransitionError."""
    if to not in RULES[current].may_become:
        raise IllegalTransitionError(f"a connection that is {current.value} cannot become {to.value}")
