"""Offsets that open transactions have committed: known, and not visible before a marker decides about them.

Kafka decides by log offsets: at the commit marker a pending offset replaces the stored one only if its record
came later. Here each pending offset learns at once that a later one was stored (reference 5.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tidemark_protocol.records.offset_commit import OffsetCommitValue

TopicPartition = tuple[str, int]
Producer = tuple[
    int, int
]  # partition of `__consumer_offsets`, producer id: each partition has its own marker


@dataclass(slots=True)
class PendingOffset:
    """position: in the order in which they came; overtaken: a later one is stored, so it never will be."""

    value: OffsetCommitValue
    position: int
    overtaken: bool = False


class Pending:
    """groups: group id -> (topic, partition) -> producer -> what it has committed."""

    __slots__ = ("_count", "_producers", "groups")

    def __init__(self) -> None:
        self.groups: dict[str, dict[TopicPartition, dict[Producer, PendingOffset]]] = {}
        self._producers: dict[Producer, dict[tuple[str, TopicPartition], None]] = {}
        self._count = 0

    def of(self, group_id: str) -> Mapping[TopicPartition, OffsetCommitValue]:
        """The newest of each partition."""
        return {
            where: max(offsets.values(), key=lambda offset: offset.position).value
            for where, offsets in self.groups.get(group_id, {}).items()
        }

    def put(self, producer: Producer, group_id: str, where: TopicPartition, value: OffsetCommitValue) -> None:
        self._count += 1
        offsets = self.groups.setdefault(group_id, {}).setdefault(where, {})
        offsets[producer] = PendingOffset(value, self._count)
        self._producers.setdefault(producer, {})[group_id, where] = None

    def overtake(self, group_id: str, where: TopicPartition, position: int | None = None) -> None:
        """An offset was stored: later than all, or than those up to a position."""
        for offset in self.groups.get(group_id, {}).get(where, {}).values():
            if position is None or offset.position < position:
                offset.overtaken = True

    def forget(self, group_id: str, where: TopicPartition) -> None:
        """A tombstone takes what every producer has committed for the partition."""
        for producer in [*self.groups.get(group_id, {}).get(where, {})]:
            self._take(producer, group_id, where)

    def end(self, producer: Producer) -> Iterator[tuple[str, TopicPartition, PendingOffset]]:
        """Takes everything that the producer has committed, in the order in which partitions came first."""
        for group_id, where in [*self._producers.get(producer, ())]:
            yield group_id, where, self._take(producer, group_id, where)

    def _take(self, producer: Producer, group_id: str, where: TopicPartition) -> PendingOffset:
        partitions = self.groups[group_id]
        offset = partitions[where].pop(producer)
        if not partitions[where]:
            del partitions[where]
        if not partitions:
            del self.groups[group_id]
        places = self._producers[producer]
        del places[group_id, where]
        if not places:
            del self._producers[producer]
        return offset
