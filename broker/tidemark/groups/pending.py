"""Offsets of open transactions: they become visible when a marker commits them.

At the commit marker, Kafka compares log offsets: a pending offset replaces the stored one only if its record
is later. Here a pending offset is marked as overtaken as soon as a later one is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tidemark_protocol.records.offset_commit import OffsetCommitValue

TopicPartition = tuple[str, int]
# Partition of `__consumer_offsets` and producer id: each partition has its own marker.
Producer = tuple[int, int]


@dataclass(slots=True)
class PendingOffset:
    """One pending offset.

    position   among all pending offsets, in the order of their records
    overtaken  a later offset is stored, so that this one never will be
    """

    value: OffsetCommitValue
    position: int
    overtaken: bool = False


class Pending:
    """groups: group id -> (topic, partition) -> producer -> its pending offset."""

    __slots__ = ("_count", "_producers", "groups")

    def __init__(self) -> None:
        self.groups: dict[str, dict[TopicPartition, dict[Producer, PendingOffset]]] = {}
        self._producers: dict[Producer, dict[tuple[str, TopicPartition], None]] = {}
        self._count = 0

    def of(self, group_id: str) -> Mapping[TopicPartition, OffsetCommitValue]:
        """Return the newest pending offset of each partition."""
        return {
            tp: max(offsets.values(), key=lambda offset: offset.position).value
            for tp, offsets in self.groups.get(group_id, {}).items()
        }

    def put(self, producer: Producer, group_id: str, tp: TopicPartition, value: OffsetCommitValue) -> None:
        self._count += 1
        offsets = self.groups.setdefault(group_id, {}).setdefault(tp, {})
        offsets[producer] = PendingOffset(value, self._count)
        self._producers.setdefault(producer, {})[group_id, tp] = None

    def overtake(self, group_id: str, tp: TopicPartition, position: int | None = None) -> None:
        """Mark pending offsets as overtaken. position: only those before it; None: all."""
        for offset in self.groups.get(group_id, {}).get(tp, {}).values():
            if position is None or offset.position < position:
                offset.overtaken = True

    def forget(self, group_id: str, tp: TopicPartition) -> None:
        """Drop the pending offsets of every producer for the partition."""
        for producer in [*self.groups.get(group_id, {}).get(tp, {})]:
            self._take(producer, group_id, tp)

    def end(self, producer: Producer) -> Iterator[tuple[str, TopicPartition, PendingOffset]]:
        """Remove and yield all pending offsets of a producer, in the order of first commits."""
        for group_id, tp in [*self._producers.get(producer, ())]:
            yield group_id, tp, self._take(producer, group_id, tp)

    def _take(self, producer: Producer, group_id: str, tp: TopicPartition) -> PendingOffset:
        partitions = self.groups[group_id]
        offset = partitions[tp].pop(producer)
        if not partitions[tp]:
            del partitions[tp]
        if not partitions:
            del self.groups[group_id]
        keys = self._producers[producer]
        del keys[group_id, tp]
        if not keys:
            del self._producers[producer]
        return offset
