"""The assignor `range`: each topic is cut into ranges, one for each subscriber. Kafka: RangeAssignor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from tidemark.core.decision import Steps, in_order
from tidemark.core.java import HashOrder, uuid_hash
from tidemark.groups.consumer.assignors.spec import Assignment, MemberSpec
from tidemark_protocol.java import hash_map_table

STEP: Final = 200  # members and ranges between two pauses


def assign_ranges(
    members: Mapping[str, MemberSpec],
    partitions: Mapping[bytes, int],
    homogeneous: bool,  # noqa: FBT001
) -> Steps[Assignment]:
    """Give each subscriber of a topic a range of its partitions. See `Assignor`.

    Static members are first, by instance id, then the others, by member id. The current assignment and racks
    have no influence.
    """
    if not members:
        return {}
    in_turn = yield from in_order([*members], key=lambda member_id: _rank(member_id, members[member_id]))
    assignment: Assignment = {member_id: {} for member_id in members}
    if homogeneous:
        yield from _assign_equals(members, partitions, in_turn, assignment)
    else:
        yield from _assign_mixed(members, partitions, in_turn, assignment)
    return assignment


def _assign_equals(
    members: Mapping[str, MemberSpec],
    partitions: Mapping[bytes, int],
    in_turn: Iterable[str],
    assignment: Assignment,
) -> Steps[None]:
    """Assign in a group whose members subscribe to the topics of the first one."""
    left: dict[bytes, _Cut] | None = None
    table = handed_out = 0
    for member_id in in_turn:
        if left is None:
            topic_ids = members[member_id].topic_ids
            left = {topic_id: _Cut(partitions[topic_id], len(members)) for topic_id in topic_ids}
            table = _table(len(left))
        ranges = {topic_id: cut.next() for topic_id, cut in left.items()}
        assignment[member_id] = _ordered(ranges, table)
        handed_out += 1 + len(ranges)
        if handed_out >= STEP:
            handed_out = 0
            yield 0
        if not all(ranges.values()):
            left = {topic_id: cut for topic_id, cut in left.items() if ranges[topic_id]}


def _assign_mixed(
    members: Mapping[str, MemberSpec],
    partitions: Mapping[bytes, int],
    in_turn: Iterable[str],
    assignment: Assignment,
) -> Steps[None]:
    subscribers: dict[bytes, int] = {}
    seen = 0
    for member in members.values():
        seen += 1 + len(member.topic_ids)
        if seen >= STEP:
            seen = 0
            yield 0
        for topic_id in member.topic_ids:
            subscribers[topic_id] = subscribers.get(topic_id, 0) + 1
    cuts = {topic_id: _Cut(partitions[topic_id], count) for topic_id, count in subscribers.items()}
    handed_out = 0
    for member_id in in_turn:
        member = members[member_id]
        ranges = {topic_id: cuts[topic_id].next() for topic_id in member.topic_ids}
        assignment[member_id] = _ordered(ranges, _table(max(len(ranges), member.names)))
        handed_out += 1 + len(ranges)
        if handed_out >= STEP:
            handed_out = 0
            yield 0


def _ordered(ranges: Mapping[bytes, range], table: int) -> dict[bytes, list[int]]:
    """Return the ranges that are not empty, in the order of a HashMap that is made with this table."""
    given = [topic_id for topic_id, own in ranges.items() if own]
    order = given if len(given) < 2 else HashOrder(uuid_hash, table, given).in_order()
    return {topic_id: [*ranges[topic_id]] for topic_id in order}


def _table(topics: int) -> int:
    return hash_map_table(0, topics * 4 // 3 + 1)


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


def _rank(member_id: str, member: MemberSpec) -> tuple[bool, bytes]:
    """Return the key by which members are sorted. Java compares texts by UTF-16 unit."""
    text = member_id if member.instance_id is None else member.instance_id
    return member.instance_id is None, text.encode("utf-16-be", "surrogatepass")


__all__ = ["assign_ranges"]
