"""The cleanup pass as it is decided, in slices of a loop turn: which groups have something due, and what is
written then (reference 7.3). What is due, and why, is `retention`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from tidemark.core.removal import Cause, Removal
from tidemark.core.result import Record, Result
from tidemark.groups.events import DueBound
from tidemark.groups.forgetting import tombstone
from tidemark.groups.group import LOOK, NEVER, Group
from tidemark.groups.pending import TopicPartition
from tidemark.groups.retention import expiry_of, may_go
from tidemark.groups.store import GroupStore, group_of
from tidemark_protocol.errors import ErrorCode

# Work that nobody interrupts: offsets looked at (1 us each), groups passed over by their bound.
STEP: Final = 200
GROUPS_PER_STEP: Final = 1_000
TOGETHER: Final = 16  # tombstones in one Result: with the longest names half a megabyte


class Due(NamedTuple):
    """A group of which something is due: these offsets, or, where there are none, the group itself."""

    group_id: str
    places: Sequence[TopicPartition]


def due_groups(groups: GroupStore, wall_ms: int) -> Iterator[Due | DueBound | None]:
    """Every group of which something is due. In between events to be replayed at once, from when on a group
    has to be looked at again; and None now and then. Others may have their turn at each of them.

    Each group has an earliest bound, so that a group of which nothing can be due costs a comparison. Replay
    lowers it.
    """
    group_ids = [*groups.groups]
    offsets = groups.offsets
    for begin in range(0, len(group_ids), GROUPS_PER_STEP):
        for group_id in group_ids[begin : begin + GROUPS_PER_STEP]:
            group = groups.groups.get(group_id)  # others had their turn
            if group is None or (group.due_bound_ms > wall_ms and group_id in offsets):
                continue
            if _has_to_be_looked_at(groups, group, wall_ms):
                yield from _look(groups, group_id, wall_ms)
        yield None


def _has_to_be_looked_at(groups: GroupStore, group: Group, wall_ms: int) -> bool:
    if group.due_bound_ms > wall_ms and not _is_unused(groups, group):
        return False
    return groups.service_error(group.group_id) is ErrorCode.NONE


def _look(groups: GroupStore, group_id: str, wall_ms: int) -> Iterator[Due | DueBound | None]:
    """What lowers the bound while others have their turn holds: a commit, say, or another state."""
    earliest = LOOK if groups.offsets.pending(group_id) else NEVER
    due: list[TopicPartition] = []
    yield DueBound(group_id, NEVER)
    places = [*groups.offsets.of(group_id)]
    for begin in range(0, len(places), STEP):
        some = places[begin : begin + STEP]
        earliest = min(earliest, _look_at(groups, group_id, some, wall_ms, due))
        yield None
    group = groups.groups.get(group_id)
    if group is not None:
        yield DueBound(group_id, min(earliest, group.due_bound_ms))
        if due or _is_unused(groups, group):
            yield Due(group_id, due)


def _look_at(
    groups: GroupStore,
    group_id: str,
    places: Sequence[TopicPartition],
    wall_ms: int,
    due: list[TopicPartition],
) -> int:
    """When the first of these goes. Those that are due by now are added to `due`."""
    group = groups.groups.get(group_id)
    if group is None:
        return NEVER
    stored = groups.offsets.of(group_id)
    earliest = NEVER
    for where in places:
        value = stored.get(where)
        if value is not None:
            due_ms = expiry_of(groups, group, where, value, wall_ms).due_ms
            if due_ms is not None and due_ms < earliest:
                earliest = due_ms
            if due_ms is not None and due_ms <= wall_ms:
                due.append(where)
    return earliest


def _is_unused(groups: GroupStore, group: Group) -> bool:
    return group.group_id not in groups.offsets and may_go(groups, group)


def expirations(groups: GroupStore, due: Iterable[Due], wall_ms: int) -> Iterator[Result[None] | None]:
    """What a pass writes: of each group the offsets that are due still, then the group itself where nothing
    is left of it (reference 7.3 c to e). None now and then, as `due_groups`.

    Each Result is to be accepted before the next is asked for: what has changed since the groups were found
    due is seen. They are small: a batch may take no more than a megabyte, and names may be long.
    """
    for group_id, places in due:
        for begin in range(0, max(len(places), 1), TOGETHER):
            yield _gone(groups, group_id, places[begin : begin + TOGETHER], wall_ms)


def _gone(
    groups: GroupStore, group_id: str, places: Sequence[TopicPartition], wall_ms: int
) -> Result[None] | None:
    """What is due of these, and with the last offset its group: nobody sees the one without the other. None:
    all stays.
    """
    group = groups.groups.get(group_id)
    if group is None:
        return None
    removed = _expired(groups, group, places, wall_ms)
    records = [tombstone(group_id, (each.topic, each.partition)) for each in removed]
    if len(removed) == len(groups.offsets.of(group_id)) and may_go(groups, group):
        records += group.tombstones()
    return Result(records=tuple(records), removed=tuple(removed)) if records else None


def _expired(
    groups: GroupStore, group: Group, places: Sequence[TopicPartition], wall_ms: int
) -> list[Removal]:
    stored = groups.offsets.of(group.group_id)
    removed: list[Removal] = []
    for where in places:
        value = stored.get(where)
        if value is None:
            continue
        found = expiry_of(groups, group, where, value, wall_ms)
        if found.expired(wall_ms):
            removed.append(
                Removal.of(group.group_id, where, value, Cause.EXPIRED, wall_ms,
                           rule=found.rule, since_ms=found.since_ms, due_ms=found.due_ms)
            )  # fmt: skip
    return removed


# The last record of a group of each type that can be deleted: the name of its key's class.
_LAST_KEYS: Final = frozenset(("GroupMetadataKey", "ConsumerGroupMetadataKey"))


def deleted_group(record: Record) -> str | None:
    """Return the group that this tombstone deletes; None for any other record."""
    key: Any = record.key
    if record.value is not None or type(key).__name__ not in _LAST_KEYS:
        return None
    return group_of(key)
