"""DescribeAcls: the ACLs that pass a filter.

v1  prefixed patterns (KIP-290)
"""

from __future__ import annotations

from tidemark.authorization.acls import close_if_filter_unknown, matches
from tidemark.core.context import Context, Operation, everyone_is_allowed
from tidemark.core.decision import Steps
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.describe_acls import (
    AclDescription,
    DescribeAclsRequest,
    DescribeAclsResource,
    DescribeAclsResponse,
)


@query(DescribeAclsRequest, state=Cluster, versions=range(1, 4))
def describe_acls(
    cluster: Cluster, ctx: Context, request: DescribeAclsRequest
) -> Steps[DescribeAclsResponse]:
    close_if_filter_unknown(request)
    if not cluster_allowed(ctx, Operation.DESCRIBE):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    if ctx.caller.authorizers is everyone_is_allowed:
        text = "No Authorizer is configured on the broker"
        return DescribeAclsResponse(error_code=ErrorCode.SECURITY_DISABLED, error_message=text)
    yield len(cluster.acls.by_id)  # they are copied once there is memory for all of them
    found: dict[tuple[int, str, int], DescribeAclsResource] = {}
    for acl in list(cluster.acls.by_id.values()):
        if matches(request, acl):
            pattern = (acl.resource_type, acl.resource_name, acl.pattern_type)
            if pattern not in found:
                found[pattern] = DescribeAclsResource(*pattern)
            found[pattern].acls.append(
                AclDescription(acl.principal, acl.host, acl.operation, acl.permission_type)
            )
        yield 0
    return DescribeAclsResponse(error_message="", resources=list(found.values()))
