"""CreateAcls: adds ACLs. One that exists already is created without an effect.

v1  prefixed patterns (KIP-290)
v2  the resource type USER (KIP-373)

Kafka: `AclApis`, then `AclControlManager`.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from functools import partial

from tidemark.authorization.acls import (
    OPERATIONS,
    PERMISSION_TYPES,
    RESOURCE_TYPES,
    PatternType,
    close_if_unknown,
)
from tidemark.core.context import CLUSTER_NAME, Context, Operation, ResourceType, everyone_is_allowed
from tidemark.core.decision import Decision, Record, Steps, in_parts
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import RECORDS_MAX
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.create_acls import (
    AclCreation,
    AclCreationResult,
    CreateAclsRequest,
    CreateAclsResponse,
)
from tidemark_protocol.records.access_control_entry_record import AccessControlEntryRecord

_ANY = 1  # the code in every kind of filter
_MATCH = PatternType.MATCH


@command(CreateAclsRequest, state=Cluster, versions=range(1, 4))
def create_acls(
    cluster: Cluster, ctx: Context, request: CreateAclsRequest
) -> Steps[Decision[CreateAclsResponse]]:
    for each in request.creations:
        close_if_unknown(each.resource_type, each.resource_pattern_type, each.operation, each.permission_type)
        yield 0
    if not cluster_allowed(ctx, Operation.ALTER):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    if ctx.caller.authorizers is everyone_is_allowed:
        return Decision(_all_refused(request, ErrorCode.SECURITY_DISABLED, "No Authorizer is configured."))
    if any(_is_for_filters(each) for each in request.creations):
        return Decision(_all_refused(request, ErrorCode.UNKNOWN_SERVER_ERROR, None))
    results: list[AclCreationResult] = []
    for each in request.creations:
        refused = _error(each)
        code = ErrorCode.NONE if refused is None else ErrorCode.INVALID_REQUEST
        results.append(AclCreationResult(code, refused or ""))
        yield 0
    valid = [
        each
        for each, result in zip(request.creations, results, strict=True)
        if result.error_code == ErrorCode.NONE
    ]
    if len(valid) > RECORDS_MAX:
        new: set[tuple[object, ...]] = set()
        for each in valid:
            if not cluster.acls.has(_acl(each)):
                new.add(_key(each))
            yield 0
        if len(new) > RECORDS_MAX:
            _refuse_valid(results)
            return Decision(CreateAclsResponse(results=results))
    part = yield from in_parts(valid, partial(_records, cluster, ctx))
    return Decision(CreateAclsResponse(results=results), part)


def _all_refused(request: CreateAclsRequest, code: int, text: str | None) -> CreateAclsResponse:
    return CreateAclsResponse(results=[AclCreationResult(code, text) for _ in request.creations])


def _refuse_valid(results: list[AclCreationResult]) -> None:
    for each in results:
        if each.error_code == ErrorCode.NONE:
            each.error_code = ErrorCode.POLICY_VIOLATION
            each.error_message = "Unable to perform excessively large batch operation."


def _is_for_filters(new: AclCreation) -> bool:
    codes = (new.resource_type, new.resource_pattern_type, new.operation, new.permission_type)
    return _ANY in codes or new.resource_pattern_type == _MATCH


def _error(new: AclCreation) -> str | None:
    """Return Kafka's message if an ACL is invalid, in Kafka's order: broker, then controller."""
    if new.resource_type == ResourceType.CLUSTER and new.resource_name != CLUSTER_NAME:
        return f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}"
    if not new.resource_name:
        return "Invalid empty resource name"
    if new.resource_type not in RESOURCE_TYPES:
        return "Invalid resourceType UNKNOWN"
    if new.resource_pattern_type not in (PatternType.LITERAL, PatternType.PREFIXED):
        return "Invalid patternType UNKNOWN"
    if new.operation not in OPERATIONS:
        return "Invalid operation UNKNOWN"
    if new.permission_type not in PERMISSION_TYPES:
        return "Invalid permissionType UNKNOWN"
    if ":" not in new.principal:
        return (
            f"Could not parse principal from `{new.principal}` (no colon is present separating the principal "
            "type from the principal name)"
        )
    return None


def _acl(new: AclCreation, acl_id: bytes = bytes(16)) -> AccessControlEntryRecord:
    return AccessControlEntryRecord(
        id=acl_id,
        resource_type=new.resource_type,
        resource_name=new.resource_name,
        pattern_type=new.resource_pattern_type,
        principal=new.principal,
        host=new.host,
        operation=new.operation,
        permission_type=new.permission_type,
    )


def _records(cluster: Cluster, ctx: Context, creations: Sequence[AclCreation]) -> tuple[Record, ...]:
    """Return the records of those that do not exist yet, each once."""
    new = {_key(each): each for each in creations if not cluster.acls.has(_acl(each))}
    return tuple(Record(None, _acl(each, uuid.UUID(ctx.new_id()).bytes)) for each in new.values())


def _key(new: AclCreation) -> tuple[object, ...]:
    """Return what two equal ACLs have in common."""
    pattern = (new.resource_type, new.resource_name, new.resource_pattern_type)
    return *pattern, new.principal, new.host, new.operation, new.permission_type
