"""The end of an authentication, and the responses to clients that fail."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from tidemark.core.context import ConnectionControl, Context
from tidemark.core.decision import AuthenticationEnded, CloseConnection, Decision, RespondLater
from tidemark_protocol.errors import ErrorCode

ACKS_NONE: Final = 0  # a Produce that gets no response
NO_MECHANISM: Final = "none"  # the client chose one that the listener does not have


def refused(connection: ConnectionControl, ctx: Context, reason: str | None, response: Any) -> Decision[Any]:
    """Return a decision that responds after the delay for failures, and then closes the connection.

    reason   is logged. None: the failure is counted and logged already

    Kafka: KafkaChannel.delayCloseOnAuthenticationFailure, with connection.failed.authentication.delay.ms.
    """
    assert ctx.pending is not None, "no request is served"
    connection.close_after_response()
    delay_ms = connection.authentication.listener.failure_delay_ms
    later = RespondLater(ctx.pending, response, delay_ms)
    return Decision(effects=(later,) if reason is None else (_failed(connection, reason), later))


def rejected(connection: ConnectionControl, reason: str, response: Any) -> Decision[Any]:
    """Return a decision that responds to a client that failed, but may try again."""
    return Decision(response, effects=(_failed(connection, reason),))


def _failed(connection: ConnectionControl, reason: str) -> AuthenticationEnded:
    caller = connection.caller
    mechanism = connection.authentication.name or NO_MECHANISM
    return AuthenticationEnded(caller.listener, mechanism, caller.client_host, reason)


def succeeded(connection: ConnectionControl, response: Any) -> Decision[Any]:
    """Return a decision that responds to a client that is authenticated now, and counts it."""
    caller, authentication = connection.caller, connection.authentication
    ended = AuthenticationEnded(caller.listener, authentication.name, caller.client_host, None)
    return Decision(response, effects=(ended,))


def refuse_request(
    api: str, error_response: Callable[..., Any]
) -> Callable[[ConnectionControl, Context, Any], Decision[Any]]:
    """Return the handler of an API that a client may not use while it authenticates.

    Kafka: SaslServerAuthenticator.handleSaslToken.
    """
    kafka_name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", api).upper()
    reason = f"Unexpected Kafka request of type {kafka_name} during SASL authentication."

    def refuse(connection: ConnectionControl, ctx: Context, request: Any) -> Decision[Any]:
        if getattr(request, "acks", None) == ACKS_NONE:
            raise CloseConnection(reason)
        return refused(connection, ctx, reason, error_response(request, ErrorCode.ILLEGAL_SASL_STATE, reason))

    return refuse
