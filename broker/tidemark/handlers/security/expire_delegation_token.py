"""ExpireDelegationToken: a token expires at another time, or is removed at once (KIP-48)."""

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
    removal,
    token_of,
)
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.expire_delegation_token import (
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
)


@command(ExpireDelegationTokenRequest, state=Cluster, versions=range(1, 3))
def expire_delegation_token(
    cluster: Cluster, ctx: Context, request: ExpireDelegationTokenRequest
) -> Steps[Decision[ExpireDelegationTokenResponse]]:
    code, token = yield from token_of(cluster, ctx, request.hmac)
    if code == ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED:
        return Decision(ExpireDelegationTokenResponse(code, ERROR_TIME_MS))
    if token is None:
        return Decision(ExpireDelegationTokenResponse(code))
    if not may_renew(ctx, token):
        return Decision(ExpireDelegationTokenResponse(ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH))
    if request.expiry_time_period_ms < 0:
        return Decision(ExpireDelegationTokenResponse(code, ctx.wall_ms), (removal(token.token_id),))
    if has_expired(token, ctx.wall_ms):
        return Decision(ExpireDelegationTokenResponse(ErrorCode.DELEGATION_TOKEN_EXPIRED))
    expires_ms = min(token.max_timestamp, later(ctx.wall_ms, request.expiry_time_period_ms))
    return Decision(ExpireDelegationTokenResponse(code, expires_ms), (expiring(token, expires_ms),))
