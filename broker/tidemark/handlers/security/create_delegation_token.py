"""CreateDelegationToken: a token with which another client may log in for a while (KIP-48).

v3  for another owner (KIP-373)
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision, Record, Steps
from tidemark.handlers.routes import command
from tidemark.metadata.delegation_tokens import (
    ERROR_TIME_MS,
    USER,
    new_token,
    principal_of,
    requests_allowed,
    token_keys,
)
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)


@command(CreateDelegationTokenRequest, state=Cluster, versions=range(1, 4))
def create_delegation_token(
    cluster: Cluster, ctx: Context, request: CreateDelegationTokenRequest
) -> Steps[Decision[CreateDelegationTokenResponse]]:
    owner = requester = ctx.caller.principal
    if request.owner_principal_name:
        if request.owner_principal_type is None:
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)  # Kafka: a NullPointerException
        owner = f"{request.owner_principal_type}:{request.owner_principal_name}"
    if not requests_allowed(ctx):
        return Decision(_refused(ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, owner, requester))
    if owner != requester and not ctx.allowed(Operation.CREATE_TOKENS, ResourceType.USER, owner):
        return Decision(_refused(ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED, owner, requester))
    renewers: list[str] = []
    for renewer in request.renewers:
        if renewer.principal_type != USER:
            return Decision(_refused(ErrorCode.INVALID_PRINCIPAL_TYPE, owner, requester))
        renewers.append(f"{USER}:{renewer.principal_name}")
        yield 0
    keys = token_keys(cluster)
    if keys is None:
        return Decision(_refused(ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED, owner, requester, at_ms=0))
    token = new_token(ctx, cluster.settings, owner, request.max_lifetime_ms, ctx.new_uuid())
    token.renewers = renewers
    response = CreateDelegationTokenResponse(
        ErrorCode.NONE,
        *principal_of(owner),
        *principal_of(requester),
        token.issue_timestamp,
        token.expiration_timestamp,
        token.max_timestamp,
        token.token_id,
        keys.hmac(token.token_id),
    )
    return Decision(response, (Record(None, token),))


def _refused(
    code: ErrorCode, owner: str, requester: str, at_ms: int = ERROR_TIME_MS
) -> CreateDelegationTokenResponse:
    return CreateDelegationTokenResponse(
        code, *principal_of(owner), *principal_of(requester), at_ms, at_ms, at_ms
    )
