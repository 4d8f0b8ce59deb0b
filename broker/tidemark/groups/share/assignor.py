"""The only assignor of share groups: several members may have the same partition.

Each partition has as many members as all others of its topics, and each member as many partitions as others
that read the same topics. Assignments change as little as possible.
Kafka: SimpleAssignor, SimpleHomogeneousAssignmentBuilder and SimpleHeterogeneousAssignmentBuilder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from math import ceil
from typing import Final

from tidemark.core.decision import Steps, in_order
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
from tidemark_protocol.java import bucket, hash_map_table

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
    """Spreads some partitions over the members that read them. Its maps are in the order of Kafka's.

    wanted   the partitions, in the order in which Kafka lists them
    sharing  how many members each of them should have
    desired  how many of them each member should have; others should have none
    members  which members have a partition, also one that is not wanted; None: no member has it
    table    the number of buckets of Kafka's map of partitions
    held     which partitions a member has
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
        self._members: dict[Partition, IntOrder | None] = {}
        self._table = hash_map_table(0, int((len(wanted) + 1) / 0.75 + 1))  # AssignorHelpers.newHashMap
        self._held: dict[int, dict[Partition, None]] = {}

    def of_topics(self, topic_ids: Sequence[bytes]) -> Steps[None]:
        """Spread the partitions of all topics, and take those of other topics from the members."""
        read = frozenset(topic_ids)
        for member, spec in enumerate(self._specs):
            for topic_id in topic_order(spec.assigned):
                if topic_id in read:
                    yield from self._hold(member, topic_id)
                else:
                    self._targets[member].remove_topic(topic_id)
            if 0 < len(self._held.get(member, ())) >= self._desired[member]:
                self._targets[member].copy()
        yield from self._even_out()

    def of_topic(self, topic_id: bytes) -> Steps[None]:
        """Spread the partitions of one topic."""
        for member, spec in enumerate(self._specs):
            if topic_id in spec.assigned:
                yield from self._hold(member, topic_id)
        yield from self._even_out()

    def _hold(self, member: int, topic_id: bytes) -> Steps[None]:
        """Note the partitions of a topic that a member has."""
        held = self._held.setdefault(member, {})
        for index in partition_order(self._specs[member].assigned[topic_id]):
            partition = topic_id, index
            members = self._put(partition)
            if members is None:
                members = self._members[partition] = IntOrder()
            members.put(member)
            held[partition] = None
            if len(held) % STEP == 0:
                yield 0

    def _put(self, partition: Partition) -> IntOrder | None:
        """Add a partition as HashMap.computeIfAbsent does, which grows the map first."""
        if len(self._members) * 4 > self._table * 3:
            self._table *= 2
        return self._members.setdefault(partition, None)

    def _even_out(self) -> Steps[None]:
        """Take partitions from members that have too many, and members from partitions. Assign the rest."""
        for member, held in self._held.items():
            extra = len(held) - self._desired[member]
            if extra > 0:
                in_map = yield from self._by_bucket([*held], hash_map_table(len(held)))
                for number, partition in enumerate(islice(in_map, extra), 1):
                    members = self._members[partition]
                    assert members is not None
                    members.remove(member)
                    self._revoke(member, partition)
                    if number % STEP == 0:
                        yield 0
        for number, (partition, members) in enumerate(self._members.items(), 1):
            extra = 0 if members is None else len(members) - self._sharing
            if members is not None and extra > 0:
                for member in members.in_order()[:extra]:
                    members.remove(member)
                    self._revoke(member, partition)
            if number % STEP == 0:
                yield 0
        for number, partition in enumerate(self._wanted, 1):
            self._put(partition)
            if number % STEP == 0:
                yield 0
        yield from self._assign_rest()

    def _revoke(self, member: int, partition: Partition) -> None:
        del self._held[member][partition]
        self._targets[member].remove(*partition)

    def _assign_rest(self) -> Steps[None]:
        """Assign partitions with too few members, round by round, to the members with too few partitions."""
        counts = [len(self._held.get(member, ())) for member in range(len(self._specs))]
        unfilled = [member for member, count in enumerate(counts) if count < self._desired[member]]
        if not unfilled:
            return
        assigned: set[tuple[int, Partition]] = set()
        place, has_assigned = 0, False  # in unfilled, which a member leaves when it is filled
        # The newest partition of a bucket is first.
        in_map = yield from self._by_bucket([*reversed(self._members)], self._table)
        for number, partition in enumerate(in_map, 1):
            members = self._members[partition] or ()
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
                self._targets[member].add(*partition)  # even if it has it: Kafka's map may grow
                if (member, partition) not in assigned:
                    assigned.add((member, partition))
                    counts[member] += 1
                left -= 1
                has_assigned = True
                if counts[member] >= self._desired[member]:
                    place -= 1
                    del unfilled[place]
            if not unfilled:
                return
            if number % STEP == 0:
                yield 0

    def _by_bucket(self, partitions: list[Partition], table: int) -> Steps[Iterator[Partition]]:
        """Sort partitions by their buckets in a table of this size. Those of a bucket keep their order."""
        hash_of = self._hash_of
        return (yield from in_order(partitions, lambda each: bucket(hash_of(each), table)))


def _partition_hash(partition: Partition) -> int:
    """TopicIdPartition.hashCode."""
    topic_id, number = partition
    return (31 * uuid_hash(topic_id) + number) & 0xFFFFFFFF


def _number(partition: Partition) -> int:
    return partition[1]
