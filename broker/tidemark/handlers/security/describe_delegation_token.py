"""DescribeDelegationToken: the tokens that a client may know, with their secrets (KIP-48).

v3  who has created them (KIP-373)
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Steps
from tidemark.handlers.routes import query
from tidemark.metadata.delegation_tokens import TokenKeys, principal_of, requests_allowed, token_keys
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.describe_delegation_token import (
    DescribedDelegationToken,
    DescribedDelegationTokenRenewer,
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)
from tidemark_protocol.records.delegation_token_record import DelegationTokenRecord


@query(DescribeDelegationTokenRequest, state=Cluster, versions=range(1, 4))
def describe_delegation_token(
    cluster: Cluster, ctx: Context, request: DescribeDelegationTokenRequest
) -> Steps[DescribeDelegationTokenResponse]:
    if not requests_allowed(ctx):
        return DescribeDelegationTokenResponse(ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, [])
    keys = token_keys(cluster)
    if keys is None:
        return DescribeDelegationTokenResponse(ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED, [])
    owners: set[str] | None = None
    if request.owners is not None:
        owners = set()
        for owner in request.owners:
            owners.add(f"{owner.principal_type}:{owner.principal_name}")
            yield 0
    found: list[DescribedDelegationToken] = []
    if owners is None or owners:
        for token in [*cluster.delegation_tokens.values()]:
            if _eligible(ctx, token, owners):
                found.append(_described(keys, token))
            yield 0
    return DescribeDelegationTokenResponse(ErrorCode.NONE, found)


def _eligible(ctx: Context, token: DelegationTokenRecord, owners: set[str] | None) -> bool:
    """Return whether a token is requested, and the caller may know it.

    Kafka: DelegationTokenManager.filterToken.
    """
    concerned = {token.owner, token.requester, *token.renewers}
    if owners is not None and not owners & concerned:
        return False
    return (
        ctx.caller.principal in concerned
        or ctx.allowed(Operation.DESCRIBE, ResourceType.DELEGATION_TOKEN, token.token_id)
        or ctx.allowed(Operation.DESCRIBE_TOKENS, ResourceType.USER, token.owner)
    )


def _described(keys: TokenKeys, token: DelegationTokenRecord) -> DescribedDelegationToken:
    return DescribedDelegationToken(
        *principal_of(token.owner),
        *principal_of(token.requester),
        token.issue_timestamp,
        token.expiration_timestamp,
        token.max_timestamp,
        token.token_id,
        keys.hmac(token.token_id),
        [DescribedDelegationTokenRenewer(*principal_of(renewer)) for renewer in token.renewers],
    )
