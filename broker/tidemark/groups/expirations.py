"""When the offsets of a group expire, and the decisions of a cleanup pass about it, in small steps.

`tidemark_expiry.rules` decides when an offset expires. The cleanup pass, the explanations, the forecast and
the metrics all call `expiry_of`. Kafka: GroupMetadataManager.cleanupExpiredGroupMetadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from tidemark.core.decision import Cause, Decision, Record, Removal
from tidemark.groups.forgetting import tombstone
from tidemark.groups.group import DUE_UNKNOWN, NEVER, Group
from tidemark.groups.offsets import TopicPartition
from tidemark.groups.state import Groups, group_of
from tidemark_expiry import rules
from tidemark_expiry.rules import SUBSCRIBING, Expiry, Rule, situation
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.offset_commit import OffsetCommitValue


def expiry(
    group: Group,
    topic: str,
    value: OffsetCommitValue,
    *,
    wall_ms: int,
    retention_ms: int,
    pending: bool = False,
) -> Expiry:
    """Return when a committed offset expires if nothing changes after wall_ms.

    pending: an open transaction has an offset for the same partition.
    """
    found = situation(group.type_name, group.protocol_type, group.state_name)
    return rules.expiry(
        found,
        subscribed=found in SUBSCRIBING and group.is_subscribed(topic),
        pending=pending,
        state_ms=group.state_since_ms,
        commit_ms=value.commit_timestamp,
        expire_ms=value.expire_timestamp,
        retention_ms=retention_ms,
        wall_ms=wall_ms,
    )


def expiry_of(groups: Groups, group: Group, place: TopicPartition, value: OffsetCommitValue, wall_ms: int,
              retention_ms: int | None = None) -> Expiry:  # fmt: skip
    """Return when a stored offset expires. retention_ms: None for the broker's own retention."""
    return expiry(
        group,
        place[0],
        value,
        wall_ms=wall_ms,
        retention_ms=groups.settings.offsets_retention_ms if retention_ms is None else retention_ms,
        pending=groups.offsets.is_pending(group.group_id, place),
    )


class Foresight:
    """When a group expires, computed from the expiry of each of its offsets.

    offsets    how many offsets were added
    next_ms    when the first of them expires; None: none does
    last_rule  the rule by which the last of them expires
    """

    __slots__ = ("_expires", "_last_ms", "_since_ms", "last_rule", "next_ms", "offsets")

    def __init__(self, groups: Groups, group: Group) -> None:
        self.offsets = 0
        self.next_ms: int | None = None
        self.last_rule: Rule | None = None
        self._last_ms: int | None = None
        self._since_ms = group.state_since_ms or 0
        self._expires = may_go(groups, group)

    def add(self, found: Expiry) -> None:
        self.offsets += 1
        due_ms = found.due_ms
        if due_ms is None:
            self._expires = False
            return
        self.next_ms = due_ms if self.next_ms is None else min(self.next_ms, due_ms)
        if self._last_ms is None or due_ms > self._last_ms:
            self._last_ms, self.last_rule = due_ms, found.rule

    @property
    def group_due_ms(self) -> int | None:
        """When the group expires, after all offsets were added. None: it does not.

        It expires with its last offset, or at the next pass if it is Empty and has none.
        """
        if not self._expires:
            return None
        return self._since_ms if self._last_ms is None else max(self._since_ms, self._last_ms)


def may_go(groups: Groups, group: Group) -> bool:
    """Return whether the group itself would expire if it had no stored offsets."""
    return group.is_empty and group.offsets_expire and not groups.offsets.has_pending(group.group_id)


# The size of a step: offsets that are looked at (1 us each), and groups that are skipped by their bound.
STEP: Final = 200
GROUPS_PER_STEP: Final = 1_000
TOMBSTONES_MAX: Final = 16  # in one Decision: with the longest names half a megabyte


class Due(NamedTuple):
    """These offsets of a group are due; if there are none, the group itself is."""

    group_id: str
    partitions: Sequence[TopicPartition]


def due_groups(groups: Groups, wall_ms: int) -> Iterator[Due | None]:
    """Yield every group of which something is due. None ends a step. Requests may be served after each item.

    A group of which nothing can be due costs one comparison, because of its bound: this pass raises the
    bound, and replay lowers it.
    """
    group_ids = [*groups.groups]
    offsets = groups.offsets
    for begin in range(0, len(group_ids), GROUPS_PER_STEP):
        for group_id in group_ids[begin : begin + GROUPS_PER_STEP]:
            group = groups.groups.get(group_id)  # it may have been deleted meanwhile
            if group is None or (
                group.due_bound_ms > wall_ms and (group_id in offsets or not may_go(groups, group))
            ):
                continue
            if groups.service_error(group_id) is ErrorCode.NONE:
                yield from _examined(groups, group, wall_ms)
        yield None


def _examined(groups: Groups, group: Group, wall_ms: int) -> Iterator[Due | None]:
    """Examine the offsets of one group. A request in between may lower the bound, which is then kept."""
    group_id = group.group_id
    earliest = DUE_UNKNOWN if groups.offsets.has_pending(group_id) else NEVER
    due: list[TopicPartition] = []
    group.due_bound_ms = NEVER
    partitions = [*groups.offsets.of(group_id)]
    for begin in range(0, len(partitions), STEP):
        current, stored = groups.groups.get(group_id), groups.offsets.of(group_id)
        for key in partitions[begin : begin + STEP] if current is not None else ():
            value = stored.get(key)
            if current is not None and value is not None:
                due_ms = expiry_of(groups, current, key, value, wall_ms).due_ms
                if due_ms is not None:
                    earliest = min(earliest, due_ms)
                    if due_ms <= wall_ms:
                        due.append(key)
        yield None
    current = groups.groups.get(group_id)
    if current is not None:
        current.due_bound_ms = min(earliest, current.due_bound_ms)
        if due or (group_id not in groups.offsets and may_go(groups, current)):
            yield Due(group_id, due)


def expirations(groups: Groups, due: Iterable[Due], wall_ms: int) -> Iterator[Decision[None] | None]:
    """Yield the tombstones of offsets that are still due, and of groups that have no offset left.

    Each must be accepted before the next is requested, because each depends on the current state. None ends a
    step. The decisions are small: a batch is at most a megabyte, and names may be long.
    """
    for group_id, partitions in due:
        for begin in range(0, max(len(partitions), 1), TOMBSTONES_MAX):
            yield _expired_result(groups, group_id, partitions[begin : begin + TOMBSTONES_MAX], wall_ms)


def _expired_result(
    groups: Groups, group_id: str, partitions: Sequence[TopicPartition], wall_ms: int
) -> Decision[None] | None:
    """Return the tombstones of offsets that are due, and with the last one that of the group. None: none.

    Both are in one Decision, so that no request sees the group without its offsets.
    """
    group = groups.groups.get(group_id)
    if group is None:
        return None
    stored = groups.offsets.of(group_id)
    removed: list[Removal] = []
    for key in partitions:
        value = stored.get(key)
        if value is None:
            continue
        found = expiry_of(groups, group, key, value, wall_ms)
        if found.expired(wall_ms):
            removed.append(
                Removal.of(group_id, key, value, Cause.EXPIRED, wall_ms,
                           rule=found.rule, since_ms=found.since_ms, due_ms=found.due_ms)
            )  # fmt: skip
    records = [tombstone(group_id, (each.topic, each.partition)) for each in removed]
    if len(removed) == len(groups.offsets.of(group_id)) and may_go(groups, group):
        records += group.tombstones()
    return Decision(records=tuple(records), removed=tuple(removed)) if records else None


# The record whose tombstone deletes a group, by type: the name of its key's class.
_LAST_KEYS: Final = frozenset(
    ("GroupMetadataKey", "ConsumerGroupMetadataKey", "StreamsGroupMetadataKey", "ShareGroupMetadataKey")
)


def deleted_group(record: Record) -> str | None:
    """Return the group that this tombstone deletes; None for any other record."""
    key: Any = record.key
    if record.value is not None or type(key).__name__ not in _LAST_KEYS:
        return None
    return group_of(key)
