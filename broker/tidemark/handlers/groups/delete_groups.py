"""DeleteGroups (KIP-229): delete empty groups with all their offsets. Simple groups are always empty.

Each group has a result of its own. The order is that of Kafka: by partition of `__consumer_offsets`, and
there as in a Java set. A name that is given twice has one result. Groups without permission are last, in the
order of the request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import PART_RECORDS_MAX, Cause, Decision, Steps, counted, in_order
from tidemark.core.java import set_order
from tidemark.groups.forgetting import (
    TOMBSTONE_BYTES,
    all_partitions,
    batch_bytes_max,
    forgotten,
    removals,
    tombstones,
    tombstones_fit,
)
from tidemark.groups.group import Group
from tidemark.groups.share.effects import first_error
from tidemark.groups.state import Groups
from tidemark.handlers.routes import command
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)

PART_GROUPS = 32  # deleted in one step


@command(DeleteGroupsRequest, state=Groups, versions=range(0, 4))
def delete_groups(
    groups: Groups, ctx: Context, request: DeleteGroupsRequest
) -> Steps[Decision[DeleteGroupsResponse]]:
    requested = yield from counted(request.groups_names)
    allowed = dict.fromkeys(
        name for name in requested if ctx.allowed(Operation.DELETE, ResourceType.GROUP, name)
    )
    order = yield from _order(groups, allowed)
    yield from _check_size(groups, ctx, order)
    results: list[DeletableGroupResult] = []
    part: Decision[DeleteGroupsResponse] = Decision()
    undeletable = yield from _delete_share_state(groups, ctx, order)
    if undeletable:
        order = yield from _errors_first(groups, order, undeletable)
    for number, group_id in enumerate(order, 1):
        is_large = _tombstones_at_least(groups, group_id) > PART_RECORDS_MAX
        if is_large:
            yield part
            part = Decision()
        group = groups.get(group_id)  # after the pause: a member may have joined
        error = undeletable.get(group_id) or _refusal(groups, ctx, group_id, group)
        results.append(DeletableGroupResult(group_id, error))
        if error is ErrorCode.NONE and group is not None:
            if is_large:
                part = yield from _deleted_in_parts(groups, ctx, group)
            else:
                part.records += (*tombstones(groups, group_id), *group.tombstones())
                # State that AlterShareGroupOffsets has created meanwhile. Kafka keeps it.
                if (deletion := group.state_deletion(again=True)) is not None:
                    part.effects += (deletion[1],)
                offsets = groups.offsets.of(group_id)
                part.removed += removals(groups, group_id, offsets, Cause.GROUP_DELETE, ctx.wall_ms)
        if number % PART_GROUPS == 0 or len(part.records) >= PART_RECORDS_MAX:
            yield part
            part = Decision()
    results += [
        DeletableGroupResult(name, ErrorCode.GROUP_AUTHORIZATION_FAILED)
        for name in requested
        if name not in allowed
    ]
    part.response = DeleteGroupsResponse(results=results)
    return part


def _delete_share_state(groups: Groups, ctx: Context, order: list[str]) -> Steps[dict[str, ErrorCode]]:
    """Delete what the share coordinator stores for share groups, and return which of them stay, and why.

    Kafka: GroupCoordinatorService.deleteShareGroups.
    """
    deletions: list[Any] = []
    errors: dict[str, ErrorCode] = {}
    for group_id in order if groups.share_groups else ():
        group = groups.get(group_id)
        if group is None or group_id not in groups.share_groups:
            continue
        error = _refusal(groups, ctx, group_id, group)
        if error is not ErrorCode.NONE:
            errors[group_id] = error
        elif (deletion := group.state_deletion()) is not None:
            record, effect = deletion
            yield Decision(records=(record,), effects=(effect,))
            deletions.append(effect)
    for effect in deletions:
        results = yield from effect.results.__await__()
        for of_topic in results.values():
            error = first_error(of_topic)
            if error is not ErrorCode.NONE:
                errors.setdefault(effect.group_id, error)
    return errors


def _errors_first(groups: Groups, order: list[str], errors: Mapping[str, ErrorCode]) -> Steps[list[str]]:
    """Move the share groups that stay before all others of their partition, as Kafka lists them."""
    places: dict[int, int] = {}
    keys: dict[str, tuple[int, bool]] = {}
    for group_id in order:
        place = places.setdefault(groups.partition_for(group_id), len(places))
        keys[group_id] = place, group_id not in errors
        yield 0
    return [*(yield from in_order(order, keys.__getitem__))]


def _deleted_in_parts(groups: Groups, ctx: Context, group: Group) -> Steps[Decision[DeleteGroupsResponse]]:
    """Delete a group with many offsets. A member that joins meanwhile joins after the deletion."""
    partitions = all_partitions(groups, group.group_id)
    last = yield from forgotten(groups, group.group_id, partitions, Cause.GROUP_DELETE, ctx.wall_ms)
    if groups.get(group.group_id) is group and group.is_empty:
        last.records += group.tombstones()
    return last


def _check_size(groups: Groups, ctx: Context, order: list[str]) -> Steps[None]:
    """Raise KafkaError if a group has more offsets than Kafka could delete in one batch."""
    for group_id in order:
        if not _fits(groups, ctx, group_id):
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        yield 0


def _fits(groups: Groups, ctx: Context, group_id: str) -> bool:
    """Return whether the tombstones of all stored and pending offsets of a group fit in one batch."""
    offsets = groups.offsets.of(group_id)
    if not groups.offsets.has_pending(group_id):
        return not offsets or tombstones_fit(ctx.cluster, group_id, offsets)
    if _tombstones_at_least(groups, group_id) * TOMBSTONE_BYTES > batch_bytes_max(ctx.cluster):
        return False  # do not list a million offsets
    return tombstones_fit(ctx.cluster, group_id, all_partitions(groups, group_id))


def _tombstones_at_least(groups: Groups, group_id: str) -> int:
    """Return a number of tombstones that the deletion needs at least. It needs at most twice as many."""
    return max(len(groups.offsets.of(group_id)), len(groups.offsets.pending_keys(group_id)))


def _order(groups: Groups, names: Iterable[str]) -> Steps[list[str]]:
    """Return the groups in the order of Kafka's response. Nothing is decided yet."""
    by_partition = yield from groups.by_partition(names)
    order: list[str] = []
    for together in by_partition:
        order += yield from set_order(together)
    return order


def _refusal(groups: Groups, ctx: Context, group_id: str, group: Group | None) -> ErrorCode:
    """Return why the group cannot be deleted, or NONE. Pending ids and pending offsets do not prevent it."""
    error = groups.service_error(group_id, ctx.caller.node_id)
    if error is not ErrorCode.NONE:
        return error
    if group is None:
        return ErrorCode.GROUP_ID_NOT_FOUND
    return ErrorCode.NONE if group.is_empty else ErrorCode.NON_EMPTY_GROUP
