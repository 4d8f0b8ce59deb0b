"""The decisions of a cleanup pass, in small steps: find the groups with something due, and write tombstones.

`retention` decides what is due. Kafka: GroupMetadataManager.cleanupExpiredGroupMetadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from tidemark.core.removal import Cause, Removal
from tidemark.core.result import Record, Result
from tidemark.groups.forgetting import tombstone
from tidemark.groups.group import LOOK, NEVER, Group
from tidemark.groups.pending import TopicPartition
from tidemark.groups.retention import expiry_of, may_go
from tidemark.groups.store import GroupStore, group_of
from tidemark_protocol.errors import ErrorCode

# The size of a step: offsets that are looked at (1 us each), and groups that are skipped by their bound.
STEP: Final = 200
GROUPS_PER_STEP: Final = 1_000
TOMBSTONES_MAX: Final = 16  # in one Result: with the longest names half a megabyte


class Due(NamedTuple):
    """These offsets of a group are due; if there are none, the group itself is."""

    group_id: str
    partitions: Sequence[TopicPartition]


def due_groups(groups: GroupStore, wall_ms: int) -> Iterator[Due | None]:
    """Yield every group of which something is due. None ends a step. Requests may be served after each item.

    A group of which nothing can be due costs one comparison, because of its bound: this pass raises the
    bound, and replay lowers it.
    """
    group_ids = [*groups.groups]
    offsets = groups.offsets
    for begin in range(0, len(group_ids), GROUPS_PER_STEP):
        for group_id in group_ids[begin : begin + GROUPS_PER_STEP]:
            group = groups.groups.get(group_id)  # it may have been deleted meanwhile
            if group is None or (group.due_bound_ms > wall_ms and group_id in offsets):
                continue
            if _must_be_looked_at(groups, group, wall_ms):
                yield from _look(groups, group, wall_ms)
        yield None


def _must_be_looked_at(groups: GroupStore, group: Group, wall_ms: int) -> bool:
    if group.due_bound_ms > wall_ms and not _is_unused(groups, group):
        return False
    return groups.service_error(group.group_id) is ErrorCode.NONE


def _look(groups: GroupStore, group: Group, wall_ms: int) -> Iterator[Due | None]:
    """Look at the offsets of one group. A request in between may lower the bound, which is then kept."""
    group_id = group.group_id
    earliest = LOOK if groups.offsets.has_pending(group_id) else NEVER
    due: list[TopicPartition] = []
    group.due_bound_ms = NEVER
    partitions = [*groups.offsets.of(group_id)]
    for begin in range(0, len(partitions), STEP):
        some = partitions[begin : begin + STEP]
        earliest = min(earliest, _look_at(groups, group_id, some, wall_ms, due))
        yield None
    current = groups.groups.get(group_id)
    if current is not None:
        current.due_bound_ms = min(earliest, current.due_bound_ms)
        if due or _is_unused(groups, current):
            yield Due(group_id, due)


def _look_at(
    groups: GroupStore,
    group_id: str,
    partitions: Sequence[TopicPartition],
    wall_ms: int,
    due: list[TopicPartition],
) -> int:
    """Return when the first of these offsets expires, and add those that are due by now to `due`."""
    group = groups.groups.get(group_id)
    if group is None:
        return NEVER
    stored = groups.offsets.of(group_id)
    earliest = NEVER
    for key in partitions:
        value = stored.get(key)
        if value is not None:
            due_ms = expiry_of(groups, group, key, value, wall_ms).due_ms
            if due_ms is not None and due_ms < earliest:
                earliest = due_ms
            if due_ms is not None and due_ms <= wall_ms:
                due.append(key)
    return earliest


def _is_unused(groups: GroupStore, group: Group) -> bool:
    return group.group_id not in groups.offsets and may_go(groups, group)


def expirations(groups: GroupStore, due: Iterable[Due], wall_ms: int) -> Iterator[Result[None] | None]:
    """Yield the tombstones of offsets that are still due, and of groups that have no offset left.

    Each Result must be accepted before the next is requested, because each depends on the current state. None
    ends a step. The Results are small: a batch is at most a megabyte, and names may be long.
    """
    for group_id, partitions in due:
        for begin in range(0, max(len(partitions), 1), TOMBSTONES_MAX):
            yield _expired_result(groups, group_id, partitions[begin : begin + TOMBSTONES_MAX], wall_ms)


def _expired_result(
    groups: GroupStore, group_id: str, partitions: Sequence[TopicPartition], wall_ms: int
) -> Result[None] | None:
    """Return the tombstones of offsets that are due, and with the last one that of the group. None: none.

    Both are in one Result, so that no request sees the group without its offsets.
    """
    group = groups.groups.get(group_id)
    if group is None:
        return None
    removed = _expired(groups, group, partitions, wall_ms)
    records = [tombstone(group_id, (each.topic, each.partition)) for each in removed]
    if len(removed) == len(groups.offsets.of(group_id)) and may_go(groups, group):
        records += group.tombstones()
    return Result(records=tuple(records), removed=tuple(removed)) if records else None


def _expired(
    groups: GroupStore, group: Group, partitions: Sequence[TopicPartition], wall_ms: int
) -> list[Removal]:
    stored = groups.offsets.of(group.group_id)
    removed: list[Removal] = []
    for key in partitions:
        value = stored.get(key)
        if value is None:
            continue
        found = expiry_of(groups, group, key, value, wall_ms)
        if found.expired(wall_ms):
            removed.append(
                Removal.of(group.group_id, key, value, Cause.EXPIRED, wall_ms,
                           rule=found.rule, since_ms=found.since_ms, due_ms=found.due_ms)
            )  # fmt: skip
    return removed


# The record whose tombstone deletes a group, by type: the name of its key's class.
_LAST_KEYS: Final = frozenset(("GroupMetadataKey", "ConsumerGroupMetadataKey", "StreamsGroupMetadataKey"))


def deleted_group(record: Record) -> str | None:
    """Return the group that this tombstone deletes; None for any other record."""
    key: Any = record.key
    if record.value is not None or type(key).__name__ not in _LAST_KEYS:
        return None
    return group_of(key)
