"""The end of an authentication, and the responses to clients that fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tidemark.core.context import ConnectionControl, Context
from tidemark.core.decision import AuthenticationEnded, CloseConnection, Decision, RespondLater
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.wire import WireError

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
    api: str, error_response: Callable[[Any, int], Any]
) -> Callable[[ConnectionControl, Context, Any], Decision[Any]]:
    """Return the handler of an API that a client may not use while it authenticates.

    Kafka: SaslServerAuthenticator.handleSaslToken.
    """
    reason = f"Unexpected Kafka request of type {api} during SASL authentication."

    def refuse(connection: ConnectionControl, ctx: Context, request: Any) -> Decision[Any]:
        try:
            response = error_response(request, ErrorCode.ILLEGAL_SASL_STATE)
        except WireError:
            raise CloseConnection(reason) from None
        return refused(connection, ctx, reason, response)

    return refuse
