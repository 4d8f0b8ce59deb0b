"""The new assignment of one member, in the order in which Kafka's maps and sets hold it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tidemark.core.java import SMALLEST_TABLE, HashOrder, IntOrder, table_for, table_for_copy, uuid_hash
from tidemark.core.result import Steps
from tidemark.groups.consumer.assignors.spec import Assignment

Partition = tuple[bytes, int]
"""A topic id and the number of a partition."""

STEP: Final = 100  # members between two pauses
_CHANGES_STEP: Final = 1000

_REMOVED: Final = -1
_TOPIC_REMOVED: Final = -2


class Target:
    """The assignment of a member: the current one and a list of changes.

    Kafka: AssignorHelpers.deepCopyAssignment, and the changes by the builders of UniformAssignor.
    """

    __slots__ = ("_changes", "_current")

    def __init__(self, current: Mapping[bytes, Sequence[int]]) -> None:
        self._current = current
        self._changes: list[tuple[bytes, int, int]] | None = None  # topic id, partition, table or a marker

    def add(self, topic_id: bytes, partition: int, table: int = SMALLEST_TABLE) -> None:
        """Add a partition. table: the buckets of the topic's set, if there is none yet."""
        self._change(topic_id, partition, table)

    def remove(self, topic_id: bytes, partition: int) -> None:
        self._change(topic_id, partition, _REMOVED)

    def remove_topic(self, topic_id: bytes) -> None:
        self._change(topic_id, 0, _TOPIC_REMOVED)

    def partitions(self) -> Steps[dict[bytes, list[int]]]:
        current = self._current
        if self._changes is None:
            return {topic_id: partition_order(current[topic_id]) for topic_id in topic_order(current)}
        topics = HashOrder(uuid_hash, table_for(len(current)), topic_order(current))
        sets: dict[bytes, IntOrder] = {}
        for topic_id, owned in current.items():
            sets[topic_id] = IntOrder(table_for_copy(len(owned)), partition_order(owned))
        for number, change in enumerate(self._changes):
            if number % _CHANGES_STEP == _CHANGES_STEP - 1:
                yield 0
            _apply(change, topics, sets)
        return {topic_id: sets[topic_id].in_order() for topic_id in topics.in_order()}

    def _change(self, topic_id: bytes, partition: int, kind: int) -> None:
        if self._changes is None:
            self._changes = []
        self._changes.append((topic_id, partition, kind))


def _apply(change: tuple[bytes, int, int], topics: HashOrder[bytes], sets: dict[bytes, IntOrder]) -> None:
    topic_id, partition, kind = change
    if kind == _TOPIC_REMOVED:
        del sets[topic_id]
    elif kind == _REMOVED:
        sets[topic_id].remove(partition)
        if not sets[topic_id]:
            del sets[topic_id]
    else:
        topics.put_first(topic_id)
        if topic_id not in sets:
            sets[topic_id] = IntOrder(kind)
        sets[topic_id].put(partition)
    if topic_id not in sets:
        topics.remove(topic_id)


def partitions_of(targets: Mapping[str, Target]) -> Steps[Assignment]:
    """Return the new assignments of all members."""
    assignment: Assignment = {}
    for number, (member_id, target) in enumerate(targets.items()):
        if number % STEP == 0:
            yield 0
        assignment[member_id] = yield from target.partitions()
    return assignment


def topic_order(assigned: Mapping[bytes, Sequence[int]]) -> list[bytes]:
    """Return the order of the topics in an assignment that was read from its record."""
    if len(assigned) < 2:
        return [*assigned]
    return HashOrder(uuid_hash, keys=assigned).in_order()


def partition_order(partitions: Sequence[int]) -> list[int]:
    """Return the order of the partitions of a topic that were read from a record."""
    if len(partitions) < 2:
        return [*partitions]
    return IntOrder(table_for_copy(len(partitions)), partitions).in_order()


__all__ = ["Partition", "Target", "partition_order", "partitions_of", "topic_order"]
