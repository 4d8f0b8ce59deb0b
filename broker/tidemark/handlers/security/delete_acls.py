"""DeleteAcls: removes the ACLs that pass filters.

v1  prefixed patterns (KIP-290)
v2  the resource type USER (KIP-373)

Kafka: `AclControlManager.deleteAcls`. An ACL that passes several filters is in the result of each.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from tidemark.authorization.acls import close_if_filter_unknown, filter_error, matches
from tidemark.core.context import Context, Operation, everyone_is_allowed
from tidemark.core.decision import Decision, Record, Steps, in_parts
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import RECORDS_MAX
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.delete_acls import (
    DeleteAclsFilter,
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsRequest,
    DeleteAclsResponse,
)
from tidemark_protocol.records.access_control_entry_record import AccessControlEntryRecord
from tidemark_protocol.records.remove_access_control_entry_record import RemoveAccessControlEntryRecord

COPIED_PER_ITEM: Final = 25  # references need as much memory as one item of a response


@command(DeleteAclsRequest, state=Cluster, versions=range(1, 4))
def delete_acls(
    cluster: Cluster, ctx: Context, request: DeleteAclsRequest
) -> Steps[Decision[DeleteAclsResponse]]:
    for each in request.filters:
        close_if_filter_unknown(each)
        yield 0
    if not cluster_allowed(ctx, Operation.ALTER):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    if ctx.caller.authorizers is everyone_is_allowed:
        return Decision(_all_refused(request, ErrorCode.SECURITY_DISABLED, "No Authorizer is configured."))
    yield len(cluster.acls.by_id) // COPIED_PER_ITEM  # they are copied once there is memory
    known = list(cluster.acls.by_id.values())
    removed: set[bytes] = set()
    results: list[DeleteAclsFilterResult] = []
    for each in request.filters:
        refused = filter_error(each)
        if refused is not None:
            results.append(DeleteAclsFilterResult(ErrorCode.INVALID_REQUEST, refused))
            continue
        found = yield from _matching(each, known)
        removed.update(acl.id for acl in found)
        if len(removed) > RECORDS_MAX:
            text = f"Cannot remove more than {RECORDS_MAX} acls in a single delete operation."
            return Decision(_all_refused(request, ErrorCode.INVALID_REQUEST, text))
        results.append(
            DeleteAclsFilterResult(
                error_message=None,
                matching_acls=[
                    DeleteAclsMatchingAcl(
                        error_message=None,
                        resource_type=acl.resource_type,
                        resource_name=acl.resource_name,
                        pattern_type=acl.pattern_type,
                        principal=acl.principal,
                        host=acl.host,
                        operation=acl.operation,
                        permission_type=acl.permission_type,
                    )
                    for acl in found
                ],
            )
        )
        yield len(found)
    part = yield from in_parts(list(removed), partial(_records, cluster))
    return Decision(DeleteAclsResponse(filter_results=results), part)


def _all_refused(request: DeleteAclsRequest, code: int, text: str) -> DeleteAclsResponse:
    return DeleteAclsResponse(filter_results=[DeleteAclsFilterResult(code, text) for _ in request.filters])


def _matching(
    wanted: DeleteAclsFilter, acls: list[AccessControlEntryRecord]
) -> Steps[list[AccessControlEntryRecord]]:
    found = []
    for acl in acls:
        if matches(wanted, acl):
            found.append(acl)
        yield 0
    return found


def _records(cluster: Cluster, ids: Iterable[bytes]) -> tuple[Record, ...]:
    """Return the records that remove those ACLs that still exist."""
    return tuple(
        Record(None, RemoveAccessControlEntryRecord(each)) for each in ids if each in cluster.acls.by_id
    )
