"""The assignor `uniform`: as many partitions for each member, and few changes. Kafka: UniformAssignor.

Members with different subscriptions: UniformHeterogeneousAssignmentBuilder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Final

from tidemark.core.decision import Steps, in_order
from tidemark.core.java import bucket_order, table_for_copy, uuid_hash
from tidemark.groups.consumer.assignors.spec import (
    STEP,
    Assignment,
    MemberSpec,
    Partition,
    Target,
    partition_order,
    partitions_of,
    topic_order,
)
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import hash_map_table

HANDED_OUT_STEP: Final = 1000  # partitions
ROUNDS_MAX: Final = 16  # of balancing
SUBSCRIPTIONS_STEP: Final = 2000  # between two pauses
UNASSIGNED: Final = -1


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
        left = quotas.take(left)
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

    def take(self, left: int) -> int:
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


def assign_mixed(members: Mapping[str, MemberSpec], partitions: Mapping[bytes, int]) -> Steps[Assignment]:
    """Assign partitions to the members with the fewest. See `Assignor`.

    Members keep what they have. The partitions of a topic that no member has are given to its subscribers
    with the fewest partitions. Then topics are balanced one by one.
    """
    group = _Group(members)
    yield from group.read(partitions)
    if not group.subscribers:
        return {member_id: {} for member_id in members}
    for topic_id in (yield from group.in_order([*group.owners])):
        yield from group.assign_free(topic_id)
    yield from group.balance()
    return (yield from partitions_of(dict(zip(members, group.targets, strict=True))))


class _Group:
    """The state of an assignment. Members are numbered in Kafka's order.

    sizes         how many partitions each member has
    subscribers   members by topic, ascending
    owners        the member that has each partition, by topic
    """

    __slots__ = ("_members", "owners", "sizes", "subscribers", "targets")

    def __init__(self, members: Mapping[str, MemberSpec]) -> None:
        self._members = [*members.values()]
        self.targets = [Target(member.assigned) for member in self._members]
        self.sizes = [0] * len(self._members)
        self.subscribers: dict[bytes, list[int]] = {}
        self.owners: dict[bytes, list[int]] = {}

    def read(self, partitions: Mapping[bytes, int]) -> Steps[None]:
        """Read subscriptions and current assignments. Members lose topics that they do not subscribe to."""
        seen = 0
        for number, member in enumerate(self._members):
            seen += 1 + len(member.topic_ids)
            if seen >= SUBSCRIPTIONS_STEP:
                seen = 0
                yield 0
            for topic_id in member.topic_ids:
                self.subscribers.setdefault(topic_id, []).append(number)
        for topic_id in self.subscribers:
            self.owners[topic_id] = [UNASSIGNED] * partitions[topic_id]
        for number, member in enumerate(self._members):
            if number % STEP == 0:
                yield 0
            for topic_id, owned in member.assigned.items():
                if topic_id in member.topic_ids:
                    self.sizes[number] += len(owned)
                    owners = self.owners[topic_id]
                    for partition in owned:
                        if not 0 <= partition < len(owners):  # of a migrated group; Kafka throws
                            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
                        owners[partition] = number
                else:
                    self.targets[number].remove_topic(topic_id)

    def in_order(self, topic_ids: Sequence[bytes]) -> Steps[Iterator[bytes]]:
        """Sort topics: those with the most partitions for each subscriber are first."""

        def rank(topic_id: bytes) -> tuple[float, int, int, int]:
            partitions, subscribers = len(self.owners[topic_id]), len(self.subscribers[topic_id])
            high = int.from_bytes(topic_id[:8], "big", signed=True)
            low = int.from_bytes(topic_id[8:], "big", signed=True)
            return -partitions / subscribers, subscribers, high, low

        return (yield from in_order(topic_ids, key=rank))

    def assign_free(self, topic_id: bytes) -> Steps[None]:
        """Give the partitions that no member has to the subscribers with the fewest partitions."""
        free = [number for number, owner in enumerate(self.owners[topic_id]) if owner == UNASSIGNED]
        yield 0
        if not free:
            return
        loads = _Loads(self.sizes, self.subscribers[topic_id])
        for number, partition in enumerate(free):
            if number % STEP == 0:
                yield 0
            self._assign((topic_id, partition), loads.next_least())

    def balance(self) -> Steps[None]:
        """Balance topic by topic, until none has changed since the same topic was balanced before."""
        shared = [each for each, members in self.subscribers.items() if len(members) > 1]
        topics = [*(yield from self.in_order(shared))]
        last_changed: bytes | None = None
        for _ in range(ROUNDS_MAX):
            for topic_id in topics:
                if topic_id == last_changed:
                    return
                changes = yield from self._balance_topic(topic_id)
                if changes or last_changed is None:
                    last_changed = topic_id

    def _balance_topic(self, topic_id: bytes) -> Steps[int]:
        """Move partitions from the subscribers with the most to those with the fewest.

        Return the number of moves.
        """
        yield 0
        loads = _Loads(self.sizes, self.subscribers[topic_id])
        if loads.spread() <= 1:
            return 0
        owned: dict[int, list[int]] = {}
        for partition, owner in enumerate(self.owners[topic_id]):
            owned.setdefault(owner, []).append(partition)
        moves = 0
        while not loads.is_balanced():
            giver = loads.next_most(owned)
            if giver is None:
                break
            partition = owned[giver].pop()
            taker = loads.next_least()
            if loads.is_balanced():
                break
            self._move((topic_id, partition), giver, taker)
            moves += 1
            if moves % STEP == 0:
                yield 0
        return moves

    def _move(self, partition: Partition, giver: int, taker: int) -> None:
        self.targets[giver].remove(*partition)
        self.sizes[giver] -= 1
        self._assign(partition, taker)

    def _assign(self, partition: Partition, taker: int) -> None:
        topic_id, number = partition
        self.targets[taker].add(topic_id, number, self._table(topic_id))
        self.owners[topic_id][number] = taker
        self.sizes[taker] += 1

    def _table(self, topic_id: bytes) -> int:
        """Return the number of buckets of a new set of the topic's partitions."""
        expected = -(-len(self.owners[topic_id]) // len(self.subscribers[topic_id]))
        return hash_map_table(0, expected * 4 // 3 + 1)


class _Loads:
    """The subscribers of one topic, by how many partitions they have.

    The members with the fewest take a partition in turn. Once each has taken one, the members that have as
    many as they have now join them. The members with the most give in turn in the same way. The caller
    changes `sizes` accordingly.
    """

    __slots__ = (
        "_least",
        "_least_end",
        "_most",
        "_most_end",
        "_most_start",
        "_next_giver",
        "_next_taker",
        "_order",
        "_sizes",
    )

    def __init__(self, sizes: list[int], subscribers: Sequence[int]) -> None:
        """subscribers: ascending. Subscribers with equally many partitions keep this order."""
        self._sizes = sizes
        self._order = sorted(subscribers, key=sizes.__getitem__)
        self._least = sizes[self._order[0]] - 1
        self._least_end = self._next_taker = 0
        self._most = sizes[self._order[-1]] + 1
        self._most_start = self._most_end = len(self._order)
        self._next_giver = len(self._order) - 1

    def spread(self) -> int:
        """Return the difference between the most and the fewest partitions, before any change."""
        return self._sizes[self._order[-1]] - self._sizes[self._order[0]]

    def is_balanced(self) -> bool:
        return self._most - self._least <= 1

    def next_least(self) -> int:
        """Return the next member that takes a partition."""
        if self._next_taker >= self._least_end:
            self._least += 1
            while self._least_end < len(self._order) and self._size(self._least_end) == self._least:
                self._least_end += 1
            self._next_taker = 0
        self._next_taker += 1
        return self._order[self._next_taker - 1]

    def next_most(self, owned: Mapping[int, Sequence[int]]) -> int | None:
        """Return the next member that gives a partition, None if there is none.

        owned: the partitions of the topic by member. A member without any is left out from now on.
        """
        while (at := self._next_most()) >= 0:
            giver = self._order[at]
            if owned.get(giver):
                return giver
            self._most_end -= 1
            self._order[at] = self._order[self._most_end]
            self._order[self._most_end] = giver
        return None

    def _next_most(self) -> int:
        """Return the place of the next member that gives, negative if there is none."""
        if self._next_giver < self._most_start:
            if self._most_end <= self._most_start and self._most_start > 0:
                self._most = self._size(self._most_start - 1)  # all with more were left out
            else:
                self._most -= 1
            while self._most_start > 0 and self._size(self._most_start - 1) == self._most:
                self._most_start -= 1
            self._next_giver = self._most_end - 1
        at = self._next_giver
        if at >= 0:
            self._next_giver -= 1
        return at

    def _size(self, at: int) -> int:
        return self._sizes[self._order[at]]
