"""SaslAuthenticate: the tokens of the mechanism that SaslHandshake has chosen.

v1  the lifetime of the session (KIP-368)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tidemark.core.context import ConnectionControl, Context
from tidemark.core.decision import CloseConnection, Decision, Steps
from tidemark.handlers.routes import connection_api
from tidemark.security.outcomes import refused, rejected, succeeded
from tidemark.security.sasl import (
    Authentication,
    AuthenticationRefused,
    InvalidCredentials,
    KeysNeeded,
    NoAnswer,
)
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse

TEXT_LENGTH_MAX: Final = 1000  # it may quote the client, and is logged
LIFETIME_MS_MAX: Final = (2**63 - 1) // 10**6  # Kafka: Utils.msToNs


@connection_api(SaslAuthenticateRequest, versions=range(0, 3))
def sasl_authenticate(
    connection: ConnectionControl, ctx: Context, request: SaslAuthenticateRequest
) -> SaslAuthenticateResponse | Decision[Any] | Steps[Any]:
    authentication = connection.authentication
    if authentication is None or authentication.mechanism is None:
        return SaslAuthenticateResponse(
            ErrorCode.ILLEGAL_SASL_STATE, "SaslAuthenticate request received after successful authentication"
        )
    try:
        answer = authentication.mechanism.evaluate(request.auth_bytes, ctx.wall_ms)
        lifetime_ms = _finish(connection, ctx, authentication)
    except AuthenticationRefused as reason:
        text = _text(authentication, reason)
        failed = SaslAuthenticateResponse(ErrorCode.SASL_AUTHENTICATION_FAILED, text)
        return refused(connection, ctx, None if reason.counted else text, failed)
    except KeysNeeded as needed:
        return _with_keys(connection, ctx, request, needed.derive, needed.keep)
    except NoAnswer as reason:
        raise CloseConnection(str(reason)) from None
    response = SaslAuthenticateResponse(ErrorCode.NONE, "", answer, lifetime_ms)
    if authentication.mechanism is None:
        return succeeded(connection, response)
    why = authentication.mechanism.rejected
    return response if why is None else rejected(connection, why, response)


def _with_keys(
    connection: ConnectionControl,
    ctx: Context,
    request: SaslAuthenticateRequest,
    derive: Callable[[], Any],
    keep: Callable[[Any], None],
) -> Steps[Any]:
    """Evaluate the token once a worker has derived the keys that it needs."""
    keep((yield from ctx.derive(derive).__await__()))
    return sasl_authenticate(connection, ctx, request)


def _finish(connection: ConnectionControl, ctx: Context, authentication: Authentication) -> int:
    """Serve the client if its exchange is complete. Return the lifetime of its session, 0 if it has none."""
    mechanism = authentication.mechanism
    assert mechanism is not None, "no exchange is in progress"
    if mechanism.user is None:
        return 0
    principal = f"User:{mechanism.user}"
    before = connection.caller.principal
    if authentication.used is not None and principal != before:
        raise AuthenticationRefused(
            "Cannot change principals during re-authentication from "
            f"{before.replace(':', '.', 1)}: {principal.replace(':', '.', 1)}"
        )
    credentials_ms = None if mechanism.expires_ms is None else mechanism.expires_ms - ctx.wall_ms
    if credentials_ms is not None and credentials_ms > LIFETIME_MS_MAX:
        raise CloseConnection(f"credentials that are valid for {credentials_ms} ms")
    lifetime_ms = authentication.end(credentials_ms, connection.steady_ms())
    connection.authenticated(principal, by_token=mechanism.by_token)
    return lifetime_ms


def _text(authentication: Authentication, reason: AuthenticationRefused) -> str:
    if not isinstance(reason, InvalidCredentials):
        return str(reason)[:TEXT_LENGTH_MAX]
    return (
        f"Authentication failed during {authentication.text} due to invalid credentials with SASL mechanism "
        f"{authentication.name}"
    )
