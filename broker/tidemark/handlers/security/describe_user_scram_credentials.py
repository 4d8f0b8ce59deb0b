"""DescribeUserScramCredentials: which users have SCRAM credentials, without their keys (KIP-554)."""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Steps, items_of
from tidemark.core.java import put_order_in_steps
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
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
) -> Steps[DescribeUserScramCredentialsResponse]:
    if not cluster_allowed(ctx, Operation.DESCRIBE):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    times: dict[str, int] = {}
    if request.users:
        for user in request.users:
            times[user.name] = times.get(user.name, 0) + 1
            yield 0
    else:
        for name, _ in list(cluster.scram_credentials):
            times[name] = 1
            yield 0
    results: list[DescribeUserScramCredentialsResult] = []
    for name in (yield from put_order_in_steps(times)):
        results.append(_result(cluster, name, times[name]))
        yield items_of(results[-1].error_message)
    return DescribeUserScramCredentialsResponse(results=results)


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
