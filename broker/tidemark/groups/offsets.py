"""The store of committed offsets, and how it stays small.

Offsets are beside groups, not in them: the tombstone of a group deletes none of its offsets, and an offset
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
    """Group id -> (topic, partition) -> the last committed value. `count` is the number of offsets of all
    groups, without the pending ones.
    """

    __slots__ = ("_groups", "_partitions", "_pending", "_topic_ids", "_undecided", "count")

    def __init__(self) -> None:
        self.count = 0
        self._groups: dict[str, dict[TopicPartition, OffsetCommitValue]] = {}
        self._partitions: dict[TopicPartition, TopicPartition] = {}
        self._topic_ids: dict[bytes, bytes] = {}
        self._pending = Pending()
        self._undecided = self._pending.groups  # asked for at each commit, and empty as a rule

    def of(self, group_id: str) -> OffsetsOfGroup:
        """Read-only, in the order of first commits; empty for a group that is unknown."""
        return self._groups.get(group_id, NO_OFFSETS)

    def __contains__(self, group_id: str) -> bool:
        """The group has offsets."""
        return group_id in self._groups

    def get(self, group_id: str, topic: str, partition: int) -> OffsetCommitValue | None:
        group = self._groups.get(group_id)
        return None if group is None else group.get((topic, partition))

    def pending(self, group_id: str) -> OffsetsOfGroup:
        """What transactions that are still open have committed."""
        return self._pending.of(group_id) if group_id in self._undecided else NO_OFFSETS

    def is_pending(self, group_id: str, where: TopicPartition) -> bool:
        """A transaction that is still open has committed one for this partition."""
        pending = self._pending.groups
        return group_id in pending and where in pending[group_id]

    def all_pending(self) -> list[tuple[str, TopicPartition, OffsetCommitValue]]:
        return [
            (group_id, where, value)
            for group_id in self._undecided
            for where, value in self._pending.of(group_id).items()
        ]

    def items(self) -> Iterable[tuple[str, OffsetsOfGroup]]:
        """Every group that has offsets, with them."""
        return self._groups.items()

    def partitions_of(self, topics: Collection[str]) -> list[TopicPartition]:
        """Every partition of these topics that an offset may stand for."""
        return [where for where in self._partitions if where[0] in topics]

    def put(self, key: OffsetCommitKey, value: OffsetCommitValue, pending_at: int | None = None) -> None:
        """pending_at: its place among what was pending, if a transaction wrote it; None: it is newest."""
        where = (key.topic, key.partition)
        group = self._groups.get(key.group)
        if group is None:
            group = self._groups[key.group] = {}
        before = group.get(where)
        if before is None:
            where = self._partitions.setdefault(where, where)
            self.count += 1
        if before is None or value.topic_id is not before.topic_id:
            value.topic_id = self._topic_ids.setdefault(value.topic_id, value.topic_id)
        group[where] = value
        if self._undecided:
            self._pending.overtake(key.group, where, pending_at)

    def forget(self, key: OffsetCommitKey) -> None:
        """Total: a request may name a partition twice, and a compacted log may begin with the tombstone."""
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
        """What an open transaction commits. partition: of `__consumer_offsets`."""
        self._pending.put((partition, producer_id), key.group, (key.topic, key.partition), value)

    def end_transaction(self, partition: int, producer_id: int, *, committed: bool) -> None:
        """What the producer has pending in a partition of `__consumer_offsets` is stored, or dropped."""
        for group_id, where, offset in self._pending.end((partition, producer_id)):
            if committed and not offset.overtaken:
                self.put(OffsetCommitKey(group_id, *where), offset.value, offset.position)

    def _drop_unused(self) -> None:
        """At least half of the shared keys belong to offsets that are gone."""
        offsets = [offset for group in self._groups.values() for offset in group.items()]
        self._partitions = {where: where for where, _ in offsets}
        self._topic_ids = {value.topic_id: value.topic_id for _, value in offsets}
