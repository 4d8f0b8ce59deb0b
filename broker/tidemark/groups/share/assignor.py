"""The only assignor of share groups: several members may have the same partition.

Each partition has as many members as all others of its topics, and each member as many partitions as others
that read the same topics. Assignments change as little as possible.
Kafka: SimpleAssignor, SimpleHomogeneousAssignmentBuilder and SimpleHeterogeneousAssignmentBuilder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Final

from tidemark.core.decision import Steps
from tidemark.core.java import HashOrder, IntOrder, uuid_hash
from tidemark.groups.consumer.assignors.spec import (
    Assignment,
    MemberSpec,
    Partition,
    Target,
    partition_order,
    partitions_of,
    topic_order,
)
from tidemark_protocol.java import hash_map_table

NAME: Final = "simple"
STEP: Final = 250  # partitions between two pauses

Assignable = Mapping[bytes, Sequence[int]]
"""The partitions that may be assigned, by topic id, in ascending order."""


def assign_simply(
    members: Mapping[str, MemberSpec], assignable: Assignable, *, homogeneous: bool
) -> Steps[Assignment]:
    """Assign the partitions to the members. Returns an empty assignment if no topic of a member exists.

    members: by id, in the order of `member_order`
    homogeneous: all members read the same topics
    A generator: it yields where the work may pause.
    """
    specs = [*members.values()]
    targets = [Target(spec.assigned, keeps_topics=True) for spec in specs]
    if homogeneous:
        topic_ids = [*specs[0].topic_ids] if specs else []
        if topic_ids:
            wanted = [(topic_id, each) for topic_id in topic_ids for each in assignable.get(topic_id, ())]
            yield from _Spread(specs, targets, [*range(len(specs))], wanted, _partition_hash).of_topics(
                topic_ids
            )
    else:
        readers: dict[bytes, list[int]] = {}
        for number, spec in enumerate(specs):
            for topic_id in spec.topic_ids:
                readers.setdefault(topic_id, []).append(number)
            yield 0
        topic_ids = HashOrder(uuid_hash, keys=readers).in_order()
        for topic_id in topic_ids:
            wanted = [(topic_id, each) for each in assignable.get(topic_id, ())]
            yield from _Spread(specs, targets, readers[topic_id], wanted, _number).of_topic(topic_id)
    if not topic_ids:
        return {member_id: {} for member_id in members}
    return (yield from partitions_of(dict(zip(members, targets, strict=True))))


class _Spread:
    """Spreads some partitions over the members that read them.

    wanted       the partitions, in the order in which Kafka lists them
    sharing      how many members each of them should have
    desired      how many of them each member should have; others should have none
    by_partition  which members have a partition, also one that is not wanted
    by_member    which partitions a member has. Both in the order of Kafka's sets
    """

    def __init__(
        self,
        specs: Sequence[MemberSpec],
        targets: Sequence[Target],
        readers: Sequence[int],
        wanted: Sequence[Partition],
        hash_of: Callable[[Partition], int],
    ) -> None:
        self._specs = specs
        self._targets = targets
        self._wanted = wanted
        self._hash_of = hash_of
        self._sharing = -(-len(readers) // len(wanted)) if wanted else 0
        each = self._sharing * len(wanted) / len(readers)
        self._desired = [0] * len(specs)
        for place, member in enumerate(readers):
            self._desired[member] = ceil(each * (place + 1)) - ceil(each * place)
        self._partitions = HashOrder(hash_of, _table_for(len(wanted)))
        self._by_partition: dict[Partition, IntOrder] = {}
        self._by_member: dict[int, HashOrder[Partition]] = {}

    def of_topics(self, topic_ids: Sequence[bytes]) -> Steps[None]:
        """Spread the partitions of all topics, and take those of other topics from the members."""
        read = frozenset(topic_ids)
        for member, spec in enumerate(self._specs):
            held = 0
            for topic_id in topic_order(spec.assigned):
                if topic_id not in read:
                    self._targets[member].remove_topic(topic_id)
                    continue
                for partition in partition_order(spec.assigned[topic_id]):
                    self._hold(member, (topic_id, partition))
                    held += 1
                    if held >= self._desired[member]:
                        self._targets[member].copy()
            yield 0
        yield from self._even_out()

    def of_topic(self, topic_id: bytes) -> Steps[None]:
        """Spread the partitions of one topic."""
        for member, spec in enumerate(self._specs):
            for partition in partition_order(spec.assigned.get(topic_id, ())):
                self._hold(member, (topic_id, partition))
        yield 0
        yield from self._even_out()

    def _hold(self, member: int, partition: Partition) -> None:
        self._partitions.put_first(partition)
        self._by_partition.setdefault(partition, IntOrder()).put(member)
        self._by_member.setdefault(member, HashOrder(self._hash_of)).put(partition)

    def _even_out(self) -> Steps[None]:
        """Take partitions from members that have too many, and members from partitions. Assign the rest."""
        for member, held in self._by_member.items():
            extra = len(held) - self._desired[member]
            if extra > 0:
                for partition in held.in_order()[:extra]:
                    self._by_partition[partition].remove(member)
                    self._revoke(member, partition)
        yield 0
        for number, (partition, members) in enumerate(self._by_partition.items()):
            extra = len(members) - self._sharing
            if extra > 0:
                for member in members.in_order()[:extra]:
                    members.remove(member)
                    self._revoke(member, partition)
            if number % STEP == STEP - 1:
                yield 0
        for partition in self._wanted:
            self._partitions.put_first(partition)
        yield from self._assign_rest()

    def _revoke(self, member: int, partition: Partition) -> None:
        self._by_member[member].remove(partition)
        self._targets[member].remove(*partition)

    def _assign_rest(self) -> Steps[None]:
        """Assign partitions with too few members, round by round, to the members with too few partitions."""
        counts = [len(self._by_member.get(member, ())) for member in range(len(self._specs))]
        unfilled = [member for member, count in enumerate(counts) if count < self._desired[member]]
        if not unfilled:
            return
        assigned: set[tuple[int, Partition]] = set()
        place, has_assigned = 0, False  # in unfilled, which a member leaves when it is filled
        for number, partition in enumerate(self._partitions.in_order()):
            members = self._by_partition.get(partition, ())
            left = self._sharing - len(members)
            while left > 0:
                if place == len(unfilled):
                    if not has_assigned or not unfilled:
                        break
                    place, has_assigned = 0, False
                member = unfilled[place]
                place += 1
                if member in members:
                    continue
                if (member, partition) not in assigned:
                    assigned.add((member, partition))
                    self._targets[member].add(*partition)
                    counts[member] += 1
                left -= 1
                has_assigned = True
                if counts[member] >= self._desired[member]:
                    place -= 1
                    del unfilled[place]
            if not unfilled:
                return
            if number % STEP == STEP - 1:
                yield 0


def _table_for(size: int) -> int:
    """Return the number of buckets of a map that Kafka's AssignorHelpers.newHashMap makes."""
    return hash_map_table(0, int((size + 1) / 0.75 + 1))


def _partition_hash(partition: Partition) -> int:
    """TopicIdPartition.hashCode."""
    topic_id, number = partition
    return (31 * uuid_hash(topic_id) + number) & 0xFFFFFFFF


def _number(partition: Partition) -> int:
    return partition[1]
