"""RenewDelegationToken: a token expires later, but not after its last moment (KIP-48)."""

from __future__ import annotations

from tidemark.core.context import Context
from tidemark.core.decision import Decision, Steps
from tidemark.handlers.routes import command
from tidemark.metadata.delegation_tokens import (
    ERROR_TIME_MS,
    expiring,
    has_expired,
    later,
    may_renew,
    token_of,
)
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)


@command(RenewDelegationTokenRequest, state=Cluster, versions=range(1, 3))
def renew_delegation_token(
    cluster: Cluster, ctx: Context, request: RenewDelegationTokenRequest
) -> Steps[Decision[RenewDelegationTokenResponse]]:
    code, token = yield from token_of(cluster, ctx, request.hmac)
    if code == ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED:
        return Decision(RenewDelegationTokenResponse(code, ERROR_TIME_MS))
    if token is not None and has_expired(token, ctx.wall_ms):
        code = ErrorCode.DELEGATION_TOKEN_EXPIRED
    elif token is not None and not may_renew(ctx, token):
        code = ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH
    if token is None or code:
        return Decision(RenewDelegationTokenResponse(code))
    span_ms = cluster.settings.delegation_token_expiry_time_ms
    if request.renew_period_ms > 0:
        span_ms = min(span_ms, request.renew_period_ms)
    expires_ms = min(token.max_timestamp, later(ctx.wall_ms, span_ms))
    return Decision(RenewDelegationTokenResponse(code, expires_ms), (expiring(token, expires_ms),))
