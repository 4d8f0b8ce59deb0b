"""The input and the output of an assignor. Kafka: GroupSpec, SubscribedTopicDescriber and GroupAssignment.

Topics and partitions of an assignment are in the order in which Kafka's maps and sets hold them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from typing import Final

from tidemark.core.decision import Steps
from tidemark.core.java import (
    STEP as KEYS_STEP,
)
from tidemark.core.java import (
    HashOrder,
    IntOrder,
    bucket_order,
    table_for_copy,
    timeline_slot,
    uuid_hash,
)
from tidemark_protocol.java import SMALLEST_TABLE, hash_map_table, java_hash

Assignment = dict[str, dict[bytes, list[int]]]
"""Partitions by member id and topic id, for every member. Topics and partitions are in Kafka's order."""


@dataclass(slots=True, frozen=True)
class MemberSpec:
    """A member of the group.

    topic_ids: the subscribed topics that exist, 16 bytes each, in the order of `subscribed_ids`
    assigned: its target assignment. The order is that of the record that holds it
    names: how many topics it subscribes to, with those that do not exist
    """

    instance_id: str | None
    rack_id: str | None
    topic_ids: AbstractSet[bytes]
    assigned: Mapping[bytes, Sequence[int]]
    names: int = 0


Assignor = Callable[[Mapping[str, MemberSpec], Mapping[bytes, int], bool], Steps[Assignment]]
"""Assigns the partitions of the topics to the members.

members: by id, in the order of `member_order`
partitions: the number of partitions of every topic that a member subscribes to
homogeneous: whether all members subscribe to the same topics, as Kafka's `subscriptionType` reports it

A generator: it yields where the work may pause, after some hundred steps.
"""


def member_order(
    member_ids: Iterable[str], peak: int, updated: str, replaced: str | None = None
) -> Steps[list[str]]:
    """Return the order of the members in which Kafka hands a group to the assignor. A generator.

    member_ids: the members of the group, oldest first. peak: how many members it had at most
    updated: the member whose heartbeat causes the assignment. It need not be among the members yet
    replaced: the id that this static member had before
    """
    kept = dict.fromkeys(member_ids)
    joins = updated not in kept
    most = len(kept) + joins
    if replaced in kept:
        del kept[replaced]
        if HashOrder(java_hash, keys=[updated, replaced]).in_order()[0] == replaced:
            most -= joins  # it was removed before the other was put
    buckets = yield from bucket_order([*kept, *([updated] if joins else [])], java_hash, peak=most)
    order: list[str] = []
    for bucket in buckets:
        if len(bucket) > 1:
            if joins and bucket[-1] == updated:
                bucket = [*_timeline_order(bucket[:-1], peak), updated]
            else:
                bucket = _timeline_order(bucket, peak)
        order += bucket
    return order


def subscribed_ids(
    names: Collection[str], matched: Collection[str], topic_id: Callable[[str], bytes | None]
) -> Steps[tuple[AbstractSet[bytes], int]]:
    """Return `topic_ids` and `names` of a member. A generator.

    names: the topics that it names, in the order of its request or record
    matched: the topics that its regular expression matches, in the order of the record
    topic_id: returns the id of a topic, None if it does not exist
    """
    sets: list[dict[str, None]] = []
    for copied in (names, matched):
        buckets = yield from bucket_order(copied, java_hash, table_for_copy(len(copied)))
        sets.append(dict.fromkeys(chain.from_iterable(buckets)))
    named, found = sets
    union = named | found if len(named) > len(found) else found | named
    ids: dict[bytes, None] = {}
    for number, name in enumerate(union):
        if number % KEYS_STEP == 0:
            yield 0
        existing = topic_id(name)
        if existing is not None:
            ids[existing] = None
    return ids.keys(), len(union)


def _timeline_order(member_ids: list[str], peak: int) -> list[str]:
    """Return the order in Kafka's map of members. member_ids: oldest first."""
    newest_first = member_ids[::-1]
    return sorted(newest_first, key=lambda member_id: timeline_slot(java_hash(member_id), peak))


Partition = tuple[bytes, int]
"""A topic id and the number of a partition."""

STEP: Final = 100  # members between two pauses
_CHANGES_STEP: Final = 1000

_REMOVED: Final = -1
_TOPIC_REMOVED: Final = -2


class Target:
    """The assignment of a member: the current one and a list of changes.

    keeps_topics: a topic stays when its last partition is removed, as in Kafka's SimpleAssignor
    Kafka: AssignorHelpers.deepCopyAssignment, and the changes by the builders of the assignors.
    """

    __slots__ = ("_changes", "_current", "_keeps_topics")

    def __init__(self, current: Mapping[bytes, Sequence[int]], *, keeps_topics: bool = False) -> None:
        self._current = current
        self._changes: list[tuple[bytes, int, int]] | None = None  # topic id, partition, table or a marker
        self._keeps_topics = keeps_topics

    def copy(self) -> None:
        """Copy the current assignment even if nothing changes, which may change the order of its topics."""
        if self._changes is None:
            self._changes = []

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
        topics = HashOrder(uuid_hash, hash_map_table(0, len(current)), topic_order(current))
        sets: dict[bytes, IntOrder] = {}
        for number, (topic_id, owned) in enumerate(current.items()):
            if number % _CHANGES_STEP == _CHANGES_STEP - 1:
                yield 0
            sets[topic_id] = IntOrder(table_for_copy(len(owned)), partition_order(owned))
        for number, change in enumerate(self._changes):
            if number % _CHANGES_STEP == _CHANGES_STEP - 1:
                yield 0
            _apply(change, topics, sets, keeps_topics=self._keeps_topics)
        if len(self._changes) >= _CHANGES_STEP:
            yield 0
        return {topic_id: sets[topic_id].in_order() for topic_id in topics.in_order()}

    def _change(self, topic_id: bytes, partition: int, kind: int) -> None:
        if self._changes is None:
            self._changes = []
        self._changes.append((topic_id, partition, kind))


def _apply(
    change: tuple[bytes, int, int],
    topics: HashOrder[bytes],
    sets: dict[bytes, IntOrder],
    *,
    keeps_topics: bool,
) -> None:
    topic_id, partition, kind = change
    if kind == _TOPIC_REMOVED:
        del sets[topic_id]
    elif kind == _REMOVED:
        sets[topic_id].remove(partition)
        if not sets[topic_id] and not keeps_topics:
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
    table = table_for_copy(len(partitions))
    if max(partitions) < table:  # each has a bucket of its own
        return sorted({*partitions})
    return IntOrder(table, partitions).in_order()


def is_same(target: Mapping[bytes, Sequence[int]], before: Mapping[bytes, Sequence[int]] | None) -> bool:
    """Return whether two assignments have the same topics and partitions, in any order."""
    if before is None or target.keys() != before.keys():
        return False
    return all(
        len(partitions) == len(before[topic_id]) and set(partitions) == set(before[topic_id])
        for topic_id, partitions in target.items()
    )
