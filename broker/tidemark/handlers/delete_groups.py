"""DeleteGroups (KIP-229): empty groups go, with all their offsets. Simple groups are always empty.

Each group is answered by itself, partition by partition and there in the order of a Java set; a name that is
given twice is answered once; refused for lack of rights come last, as they were asked for.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidemark.coordinator.groups.foreign import group_tombstones
from tidemark.coordinator.groups.java import set_order
from tidemark.coordinator.groups.model import Group, GroupState
from tidemark.coordinator.groups.offsets import removals, tombstones
from tidemark.coordinator.groups.state import Groups
from tidemark.coordinator.result import (
    Cause,
    Context,
    ErrorCode,
    Operation,
    Record,
    Removal,
    ResourceType,
    Result,
    Steps,
)
from tidemark.handlers.routes import command
from tidemark_protocol.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)


@command(DeleteGroupsRequest, state=Groups, versions=range(0, 3))
def delete_groups(
    groups: Groups, ctx: Context, request: DeleteGroupsRequest
) -> Steps[Result[DeleteGroupsResponse]]:
    asked = dict.fromkeys(request.groups_names)
    allowed = dict.fromkeys(name for name in asked if ctx.allowed(Operation.DELETE, ResourceType.GROUP, name))
    order = yield from _order(groups, allowed)
    results: list[DeletableGroupResult] = []
    records: list[Record] = []
    removed: list[Removal] = []
    for group_id in order:
        group = groups.get(group_id)
        error = _refusal(groups, group_id, group)
        results.append(DeletableGroupResult(group_id, error))
        if error is ErrorCode.NONE and group is not None:
            records += tombstones(groups, group_id)
            records += group_tombstones(group)
            removed += removals(
                groups, group_id, groups.offsets.of(group_id), Cause.GROUP_DELETE, ctx.wall_ms
            )
    results += [
        DeletableGroupResult(name, ErrorCode.GROUP_AUTHORIZATION_FAILED)
        for name in asked
        if name not in allowed
    ]
    return Result(DeleteGroupsResponse(results=results), tuple(records), removed=tuple(removed))


def _order(groups: Groups, names: Iterable[str]) -> Steps[list[str]]:
    """The order in which Kafka answers. Nothing is decided yet: what follows is decided in one go."""
    by_partition = yield from groups.by_partition(names)
    order: list[str] = []
    for together in by_partition:
        order += yield from set_order(together)
    return order


def error_response(request: DeleteGroupsRequest, code: int) -> DeleteGroupsResponse:
    """There is no error of the whole: it stands on every group."""
    return DeleteGroupsResponse(
        results=[DeletableGroupResult(name, code) for name in dict.fromkeys(request.groups_names)]
    )


def _refusal(groups: Groups, group_id: str, group: Group | None) -> ErrorCode:
    """Members that only hold a pending id do not keep a group, nor do pending offsets of a transaction."""
    error = groups.service_error(group_id)
    if error is not ErrorCode.NONE:
        return error
    if group is None:
        return ErrorCode.GROUP_ID_NOT_FOUND
    return ErrorCode.NONE if group.state is GroupState.EMPTY else ErrorCode.NON_EMPTY_GROUP
