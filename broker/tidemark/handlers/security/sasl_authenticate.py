"""SaslAuthenticate: the tokens of the mechanism that SaslHandshake has chosen.

v1  the lifetime of the session (KIP-368)
"""

from __future__ import annotations

from typing import Any

from tidemark.core.context import ConnectionControl, Context
from tidemark.core.result import Result
from tidemark.handlers.routes import connection_api
from tidemark.security.outcomes import refused, succeeded
from tidemark.security.sasl import Authentication, AuthenticationRefused, InvalidCredentials
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse


@connection_api(SaslAuthenticateRequest, versions=range(0, 3))
def sasl_authenticate(
    connection: ConnectionControl, ctx: Context, request: SaslAuthenticateRequest
) -> SaslAuthenticateResponse | Result[Any]:
    authentication = connection.authentication
    if authentication is None or authentication.mechanism is None:
        return SaslAuthenticateResponse(
            ErrorCode.ILLEGAL_SASL_STATE, "SaslAuthenticate request received after successful authentication"
        )
    try:
        answer = authentication.mechanism.evaluate(request.auth_bytes)
        lifetime_ms = _finish(connection, ctx, authentication)
    except AuthenticationRefused as reason:
        text = _text(authentication, reason)
        failed = SaslAuthenticateResponse(ErrorCode.SASL_AUTHENTICATION_FAILED, text)
        return refused(connection, ctx, text, failed)
    response = SaslAuthenticateResponse(ErrorCode.NONE, "", answer, lifetime_ms)
    return succeeded(connection, response) if authentication.mechanism is None else response


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
    lifetime_ms = authentication.end(credentials_ms, connection.steady_ms())
    connection.authenticated(principal)
    return lifetime_ms


def _text(authentication: Authentication, reason: AuthenticationRefused) -> str:
    if not isinstance(reason, InvalidCredentials):
        return str(reason)
    return (
        f"Authentication failed during {authentication.text} due to invalid credentials with SASL mechanism "
        f"{authentication.name}"
    )
