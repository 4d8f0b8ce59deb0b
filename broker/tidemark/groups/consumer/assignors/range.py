"""The assignor `range`: each topic is cut into ranges, one for each subscriber. Kafka: RangeAssignor."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from typing import Final

from tidemark.groups.consumer.assignors.spec import Assignment, MemberSpec
from tidemark.groups.java import HashOrder, table_for, uuid_hash

STEP: Final = 100  # ranges that are handed out without a pause


def assign_ranges(
    members: Mapping[str, MemberSpec],
    partitions: Mapping[bytes, int],
    homogeneous: bool,  # noqa: FBT001
) -> Generator[int, None, Assignment]:
    """Give each subscriber of a topic a range of its partitions. See `Assignor`.

    Static members are first, by instance id, then the others, by member id. The current assignment and racks
    have no influence.
    """
    if not members:
        return {}
    in_turn = sorted(members, key=lambda member_id: _rank(member_id, members[member_id]))
    yield 0
    first = members[in_turn[0]]
    topics = [first.topic_ids if homogeneous else members[each].topic_ids for each in in_turn]
    cuts = yield from _cuts(topics, partitions)
    assignment: Assignment = {member_id: {} for member_id in members}
    handed_out = 0
    for member_id, topic_ids in zip(in_turn, topics, strict=True):
        capacity = len(topic_ids) if homogeneous else max(len(topic_ids), members[member_id].names)
        ranges: dict[bytes, list[int]] = {}
        for topic_id in topic_ids:
            handed_out += 1
            if handed_out % STEP == 0:
                yield 0
            own = cuts[topic_id].next()
            if own:
                ranges[topic_id] = [*own]
        order = HashOrder(uuid_hash, table_for(capacity * 4 // 3 + 1), ranges)
        assignment[member_id] = {topic_id: ranges[topic_id] for topic_id in order.in_order()}
    return assignment


class _Cut:
    """A topic, of which ranges are handed out. They differ by one partition at most."""

    __slots__ = ("_longer", "_next", "_quota")

    def __init__(self, partitions: int, subscribers: int) -> None:
        self._quota, self._longer = divmod(partitions, subscribers)
        self._next = 0

    def next(self) -> range:
        start = self._next
        self._next += self._quota
        if self._longer:
            self._longer -= 1
            self._next += 1
        return range(start, self._next)


def _cuts(
    topics: Collection[Collection[bytes]], partitions: Mapping[bytes, int]
) -> Generator[int, None, dict[bytes, _Cut]]:
    subscribers: dict[bytes, int] = {}
    for number, topic_ids in enumerate(topics):
        if number % STEP == 0:
            yield 0
        for topic_id in topic_ids:
            subscribers[topic_id] = subscribers.get(topic_id, 0) + 1
    return {topic_id: _Cut(partitions[topic_id], count) for topic_id, count in subscribers.items()}


def _rank(member_id: str, member: MemberSpec) -> tuple[bool, bytes]:
    """Return the key by which members are sorted. Java compares texts by UTF-16 unit."""
    text = member_id if member.instance_id is None else member.instance_id
    return member.instance_id is None, text.encode("utf-16-be", "surrogatepass")


__all__ = ["assign_ranges"]
