"""DescribeUserScramCredentials: which users have SCRAM credentials, without their keys (KIP-554)."""

from __future__ import annotations

from collections import Counter

from tidemark.core.context import Context, Operation
from tidemark.core.java import put_order
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.describe_user_scram_credentials import (
    CredentialInfo,
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)

MECHANISMS = (1, 2)


@query(DescribeUserScramCredentialsRequest, state=Cluster, versions=range(0, 1))
def describe_user_scram_credentials(
    cluster: Cluster, ctx: Context, request: DescribeUserScramCredentialsRequest
) -> DescribeUserScramCredentialsResponse:
    if not cluster_allowed(ctx, Operation.DESCRIBE):
        return error_response(request, ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    if request.users:
        times = Counter(user.name for user in request.users)
    else:
        times = Counter({name: 1 for name, _ in cluster.scram_credentials})
    results = [_result(cluster, name, times[name]) for name in put_order(times)]
    return DescribeUserScramCredentialsResponse(results=results)


def error_response(
    request: DescribeUserScramCredentialsRequest, code: int
) -> DescribeUserScramCredentialsResponse:
    """Return Kafka's response, which names no user that exists."""
    refused = DescribeUserScramCredentialsResult("", code, None)
    return DescribeUserScramCredentialsResponse(0, code, None, [refused])


def _result(cluster: Cluster, name: str, times: int) -> DescribeUserScramCredentialsResult:
    if times > 1:
        return DescribeUserScramCredentialsResult(
            name,
            ErrorCode.DUPLICATE_RESOURCE,
            f"Cannot describe SCRAM credentials for the same user twice in a single request: {name}",
        )
    stored = cluster.scram_credentials
    found = [
        CredentialInfo(mechanism, stored[name, mechanism].iterations)
        for mechanism in MECHANISMS
        if (name, mechanism) in stored
    ]
    if not found:
        return DescribeUserScramCredentialsResult(
            name,
            ErrorCode.RESOURCE_NOT_FOUND,
            f"Attempt to describe a user credential that does not exist: {name}",
        )
    return DescribeUserScramCredentialsResult(name, credential_infos=found)
