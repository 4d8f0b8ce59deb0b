"""The assignor `uniform`: as many partitions for each member, and few changes. Kafka: UniformAssignor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Final

from tidemark.core.java import bucket_order, table_for_copy, uuid_hash
from tidemark.core.result import Steps
from tidemark.groups.consumer.assignors.mixed import assign_mixed
from tidemark.groups.consumer.assignors.spec import Assignment, MemberSpec
from tidemark.groups.consumer.assignors.target import (
    Partition,
    Target,
    partition_order,
    partitions_of,
    topic_order,
)
from tidemark_protocol.errors import ErrorCode, KafkaError

STEP: Final = 100  # members between two pauses
HANDED_OUT_STEP: Final = 1000  # partitions


def assign_uniformly(
    members: Mapping[str, MemberSpec],
    partitions: Mapping[bytes, int],
    homogeneous: bool,  # noqa: FBT001
) -> Steps[Assignment]:
    """Give each member as many partitions as the others, and move few. See `Assignor`."""
    if not members:
        return {}
    if not homogeneous:
        return (yield from assign_mixed(members, partitions))
    return (yield from _assign_equals(members, partitions))


def _assign_equals(members: Mapping[str, MemberSpec], partitions: Mapping[bytes, int]) -> Steps[Assignment]:
    """Assign in a group whose members subscribe to the same topics.

    Kafka: UniformHomogeneousAssignmentBuilder. A member keeps its partitions up to its quota. Members that
    have fewer get the free partitions and those that others lose.
    """
    topics = yield from _topics(next(iter(members.values())))
    if not topics:
        return {member_id: {} for member_id in members}
    free = yield from _free(members, topics, partitions)
    quotas = _Quotas(sum(partitions[topic_id] for topic_id in topics), len(members))
    targets: dict[str, Target] = {}
    needs: list[tuple[Target, int]] = []
    subscribed = frozenset(topics)
    for number, (member_id, member) in enumerate(members.items()):
        if number % STEP == 0:
            yield 0
        target = targets[member_id] = Target(member.assigned)
        left, revoked = _revoke(target, member.assigned, subscribed, quotas.offer())
        free += revoked
        left = quotas.settle(left)
        if left > 0:
            needs.append((target, left))
    yield from _hand_out(free, needs)
    return (yield from partitions_of(targets))


def _topics(first: MemberSpec) -> Steps[list[bytes]]:
    """Return the topics in the order of the HashSet that copies those of the first member."""
    table = table_for_copy(max(first.names, len(first.topic_ids)))
    buckets = yield from bucket_order(first.topic_ids, uuid_hash, table)
    return [*chain.from_iterable(buckets)]


def _free(
    members: Mapping[str, MemberSpec], topics: list[bytes], partitions: Mapping[bytes, int]
) -> Steps[list[Partition]]:
    """Return the partitions that no member has."""
    assigned: dict[bytes, set[int]] = {topic_id: set() for topic_id in topics}
    for number, member in enumerate(members.values()):
        if number % STEP == 0:
            yield 0
        for topic_id, owned in member.assigned.items():
            if topic_id in assigned:
                assigned[topic_id].update(owned)
    free: list[Partition] = []
    for topic_id in topics:
        yield 0
        taken = assigned[topic_id]
        if taken and (min(taken) < 0 or max(taken) >= partitions[topic_id]):  # of a migrated group
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)  # Kafka throws
        free += [(topic_id, number) for number in range(partitions[topic_id]) if number not in taken]
    return free


class _Quotas:
    """The numbers of partitions that members may have: equal, or one more for some of them."""

    __slots__ = ("_extra", "_offered_extra", "_quota", "_undecided")

    def __init__(self, partitions: int, members: int) -> None:
        self._quota, self._extra = divmod(partitions, members)
        self._undecided = members
        self._offered_extra = False

    def offer(self) -> int:
        """Return the most that the next member may keep."""
        self._offered_extra = self._extra > 0
        return self._quota + self._offered_extra

    def settle(self, left: int) -> int:
        """Return how many partitions the member gets. left: the part of the offer that it does not use.

        A member that has too few gets an extra one only if the members after it are too few to take it.
        """
        if left > 0 and self._offered_extra and self._undecided > self._extra:
            left -= 1
        elif self._offered_extra:
            self._extra -= 1
        self._undecided -= 1
        return left


def _revoke(
    target: Target,
    assigned: Mapping[bytes, Sequence[int]],
    subscribed: AbstractSet[bytes],
    quota: int,
) -> tuple[int, list[Partition]]:
    """Take from a member what it may not keep.

    Return how many partitions it has too few, and the partitions that others may get.
    """
    for topic_id in assigned:
        if topic_id not in subscribed:
            target.remove_topic(topic_id)
    kept = sum(len(owned) for topic_id, owned in assigned.items() if topic_id in subscribed)
    if kept <= quota:
        return quota - kept, []
    revoked: list[Partition] = []
    for topic_id in topic_order(assigned):
        if topic_id in subscribed:
            owned = assigned[topic_id]
            if len(owned) > quota:
                revoked += [(topic_id, partition) for partition in partition_order(owned)[quota:]]
            quota = max(0, quota - len(owned))
    for topic_id, partition in revoked:
        target.remove(topic_id, partition)
    return 0, revoked


def _hand_out(free: list[Partition], needs: list[tuple[Target, int]]) -> Steps[None]:
    """Give each member the number of partitions that it needs, in the order of both lists."""
    handed_out = 0
    for target, count in needs:
        part = free[handed_out : handed_out + count]
        for number, (topic_id, partition) in enumerate(part, handed_out):
            if number % HANDED_OUT_STEP == 0:
                yield 0
            target.add(topic_id, partition)
        handed_out += count


__all__ = ["assign_uniformly"]
