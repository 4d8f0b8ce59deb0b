"""The store of committed offsets, and how it stays small.

Offsets are stored separately from groups: the tombstone of a group deletes none of its offsets, and an offset
whose group is unknown creates a simple group. The stored value is the very object that was decoded or
decided, and all groups share one key per partition, so that a million offsets need far less than 300 MB.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from tidemark.groups.pending import Pending, TopicPartition
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue

OffsetsOfGroup = Mapping[TopicPartition, OffsetCommitValue]

NO_OFFSETS: Final[OffsetsOfGroup] = MappingProxyType({})
UNUSED_KEYS_MAX: Final = 1024  # shared keys beyond the number of offsets, before they are collected anew


class Offsets:
    """Group id -> (topic, partition) -> the last committed value.

    count  of the offsets of all groups, without the pending ones
    """

    __slots__ = ("_groups", "_partitions", "_pending", "_topic_ids", "_undecided", "count")

    def __init__(self) -> None:
        self.count = 0
        self._groups: dict[str, dict[TopicPartition, OffsetCommitValue]] = {}
        self._partitions: dict[TopicPartition, TopicPartition] = {}
        self._topic_ids: dict[bytes, bytes] = {}
        self._pending = Pending()
        self._undecided = self._pending.groups  # read at each commit, and usually empty

    def of(self, group_id: str) -> OffsetsOfGroup:
        """Return the offsets of a group, read-only, in the order of first commits."""
        return self._groups.get(group_id, NO_OFFSETS)

    def __contains__(self, group_id: str) -> bool:
        """Return whether the group has offsets."""
        return group_id in self._groups

    def get(self, group_id: str, topic: str, partition: int) -> OffsetCommitValue | None:
        group = self._groups.get(group_id)
        return None if group is None else group.get((topic, partition))

    def pending(self, group_id: str) -> OffsetsOfGroup:
        """Return the offsets of open transactions."""
        return self._pending.of(group_id) if group_id in self._undecided else NO_OFFSETS

    def is_pending(self, group_id: str, tp: TopicPartition) -> bool:
        """Return whether an open transaction has committed an offset for this partition."""
        pending = self._pending.groups
        return group_id in pending and tp in pending[group_id]

    def all_pending(self) -> list[tuple[str, TopicPartition, OffsetCommitValue]]:
        return [
            (group_id, tp, value)
            for group_id in self._undecided
            for tp, value in self._pending.of(group_id).items()
        ]

    def items(self) -> Iterable[tuple[str, OffsetsOfGroup]]:
        """Return every group that has offsets, with its offsets."""
        return self._groups.items()

    def partitions_of(self, topics: Collection[str]) -> list[TopicPartition]:
        """Return every partition of these topics that may have an offset."""
        return [tp for tp in self._partitions if tp[0] in topics]

    def put(self, key: OffsetCommitKey, value: OffsetCommitValue, pending_at: int | None = None) -> None:
        """Store an offset. pending_at: its log position if it was pending; None: it is the newest."""
        tp = (key.topic, key.partition)
        group = self._groups.get(key.group)
        if group is None:
            group = self._groups[key.group] = {}
        before = group.get(tp)
        if before is None:
            tp = self._partitions.setdefault(tp, tp)
            self.count += 1
        if before is None or value.topic_id is not before.topic_id:
            value.topic_id = self._topic_ids.setdefault(value.topic_id, value.topic_id)
        group[tp] = value
        if self._undecided:
            self._pending.overtake(key.group, tp, pending_at)

    def forget(self, key: OffsetCommitKey) -> None:
        """Delete an offset. It may be unknown: a compacted log may begin with a tombstone."""
        if self._undecided:
            self._pending.forget(key.group, (key.topic, key.partition))
        group = self._groups.get(key.group)
        if group is None or group.pop((key.topic, key.partition), None) is None:
            return
        self.count -= 1
        if not group:
            del self._groups[key.group]
        if max(len(self._partitions), len(self._topic_ids)) > 2 * self.count + UNUSED_KEYS_MAX:
            self._drop_unused()

    def put_pending(
        self, partition: int, producer_id: int, key: OffsetCommitKey, value: OffsetCommitValue
    ) -> None:
        """Keep an offset of an open transaction. partition: of `__consumer_offsets`."""
        self._pending.put((partition, producer_id), key.group, (key.topic, key.partition), value)

    def end_transaction(self, partition: int, producer_id: int, *, committed: bool) -> None:
        """Store or drop the pending offsets of a producer in a partition of `__consumer_offsets`."""
        for group_id, tp, offset in self._pending.end((partition, producer_id)):
            if committed and not offset.overtaken:
                self.put(OffsetCommitKey(group_id, *tp), offset.value, offset.position)

    def _drop_unused(self) -> None:
        """Collect the shared keys anew: at least half of them belong to deleted offsets."""
        offsets = [offset for group in self._groups.values() for offset in group.items()]
        self._partitions = {tp: tp for tp, _ in offsets}
        self._topic_ids = {value.topic_id: value.topic_id for _, value in offsets}


def is_longer(text: str, units: int) -> bool:
    """Return whether a text has more UTF-16 units, which Java counts as its length."""
    return 2 * len(text) > units and len(text.encode("utf-16-le", "surrogatepass")) // 2 > units
