"""The new assignment of one member, in the order in which Kafka's maps and sets hold it."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Final

from tidemark.groups.consumer.assignors.spec import Assignment
from tidemark.groups.java import SMALLEST_TABLE, HashOrder, IntOrder, table_for, table_for_copy, uuid_hash

Partition = tuple[bytes, int]
"""A topic id and the number of a partition."""

STEP: Final = 100  # members between two pauses


class Target:
    """The assignment of a member: the current one, until the first change copies it.

    Kafka: AssignorHelpers.deepCopyAssignment, and the changes by the builders of UniformAssignor.
    """

    __slots__ = ("_current", "_partitions", "_topics")

    def __init__(self, current: Mapping[bytes, Sequence[int]]) -> None:
        self._current = current
        self._topics: HashOrder[bytes] | None = None
        self._partitions: dict[bytes, IntOrder] = {}

    def add(self, topic_id: bytes, partition: int, table: int = SMALLEST_TABLE) -> None:
        """Add a partition. table: the buckets of the topic's set, if there is none yet."""
        self._copied().put_first(topic_id)
        owned = self._partitions.get(topic_id)
        if owned is None:
            owned = self._partitions[topic_id] = IntOrder(table)
        owned.put(partition)

    def remove(self, topic_id: bytes, partition: int) -> None:
        topics = self._copied()
        owned = self._partitions[topic_id]
        owned.remove(partition)
        if not owned:
            topics.remove(topic_id)
            del self._partitions[topic_id]

    def remove_topic(self, topic_id: bytes) -> None:
        self._copied().remove(topic_id)
        del self._partitions[topic_id]

    def partitions(self) -> dict[bytes, list[int]]:
        if self._topics is None:
            current = self._current
            return {topic_id: partition_order(current[topic_id]) for topic_id in topic_order(current)}
        return {topic_id: self._partitions[topic_id].in_order() for topic_id in self._topics.in_order()}

    def _copied(self) -> HashOrder[bytes]:
        if self._topics is None:
            table = table_for(len(self._current))
            self._topics = HashOrder(uuid_hash, table, topic_order(self._current))
            for topic_id, owned in self._current.items():
                self._partitions[topic_id] = IntOrder(table_for_copy(len(owned)), partition_order(owned))
        return self._topics


def partitions_of(targets: Mapping[str, Target]) -> Generator[int, None, Assignment]:
    """Return the new assignments of all members."""
    assignment: Assignment = {}
    for number, (member_id, target) in enumerate(targets.items()):
        if number % STEP == 0:
            yield 0
        assignment[member_id] = target.partitions()
    return assignment


def topic_order(assigned: Mapping[bytes, Sequence[int]]) -> list[bytes]:
    """Return the order of the topics in an assignment that was read from its record."""
    return HashOrder(uuid_hash, keys=assigned).in_order()


def partition_order(partitions: Sequence[int]) -> list[int]:
    """Return the order of the partitions of a topic that were read from a record."""
    return IntOrder(table_for_copy(len(partitions)), partitions).in_order()


__all__ = ["Partition", "Target", "partition_order", "partitions_of", "topic_order"]
