"""Laws of every assignment: it is complete and balanced, and `uniform` keeps what it may."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.broker.story import finished
from tidemark.groups.consumer.assignors.spec import Assignment, MemberSpec
from tidemark.groups.consumer.target import ASSIGNORS

TOPICS = [bytes([number]) * 16 for number in range(6)]
PARTITIONS = st.dictionaries(st.sampled_from(TOPICS), st.integers(1, 9), min_size=1)


@st.composite
def groups(draw: st.DrawFn, *, equal: bool) -> tuple[dict[str, MemberSpec], dict[bytes, int]]:
    """Return members with their subscriptions, and the partitions of each topic."""
    partitions = draw(PARTITIONS)
    subsets = st.lists(st.sampled_from([*partitions]), unique=True, min_size=1)
    shared = draw(subsets)
    members: dict[str, MemberSpec] = {}
    for number in range(draw(st.integers(1, 8))):
        static = draw(st.booleans())
        topics = shared if equal else draw(subsets)
        ids = dict.fromkeys(topics).keys()
        members[f"member-{number}"] = MemberSpec(f"instance-{number}" if static else None, None, ids, {})
    return members, partitions


def assigned(name: str, members: dict[str, MemberSpec], partitions: dict[bytes, int]) -> Assignment:
    homogeneous = len({frozenset(member.topic_ids) for member in members.values()}) == 1
    assignment: Assignment = finished(ASSIGNORS[name](members, partitions, homogeneous))
    return assignment


def after(members: dict[str, MemberSpec], assignment: Assignment) -> dict[str, MemberSpec]:
    """Return the members with this assignment as their current one."""
    return {
        name: MemberSpec(member.instance_id, None, member.topic_ids, assignment.get(name, {}))
        for name, member in members.items()
    }


def pairs(assignment: Assignment) -> list[tuple[bytes, int]]:
    return [(topic, each) for own in assignment.values() for topic, all_ in own.items() for each in all_]


def sizes(assignment: Assignment) -> list[int]:
    return [sum(map(len, own.values())) for own in assignment.values()]


@given(groups(equal=False), st.sampled_from(["uniform", "range"]))
def test_each_partition_has_one_owner_who_subscribes(
    group: tuple[dict[str, MemberSpec], dict[bytes, int]], name: str
) -> None:
    members, partitions = group
    assignment = assigned(name, members, partitions)
    subscribed = {topic for member in members.values() for topic in member.topic_ids}
    expected = [(topic, number) for topic in subscribed for number in range(partitions[topic])]
    assert sorted(pairs(assignment)) == sorted(expected)
    assert all(assignment[each].keys() <= member.topic_ids for each, member in members.items())


@given(groups(equal=True))
def test_uniform_differs_by_one_partition_at_most(
    group: tuple[dict[str, MemberSpec], dict[bytes, int]],
) -> None:
    counts = sizes(assigned("uniform", *group))
    assert max(counts) - min(counts) <= 1


@given(groups(equal=False))
def test_range_differs_by_one_partition_for_each_topic(
    group: tuple[dict[str, MemberSpec], dict[bytes, int]],
) -> None:
    members, partitions = group
    assignment = assigned("range", members, partitions)
    for topic in partitions:
        own = [assignment[each].get(topic, []) for each, m in members.items() if topic in m.topic_ids]
        assert not own or max(map(len, own)) - min(map(len, own)) <= 1
        assert all(part == [*range(part[0], part[-1] + 1)] for part in own if part)


@given(groups(equal=False))
def test_uniform_changes_nothing_without_a_reason(
    group: tuple[dict[str, MemberSpec], dict[bytes, int]],
) -> None:
    members, partitions = group
    first = assigned("uniform", members, partitions)
    second = assigned("uniform", after(members, first), partitions)
    assert {each: sorted(pairs({each: own})) for each, own in first.items()} == {
        each: sorted(pairs({each: own})) for each, own in second.items()
    }


@given(groups(equal=True), st.data())
def test_uniform_leaves_partitions_with_the_members_that_stay(
    group: tuple[dict[str, MemberSpec], dict[bytes, int]], data: st.DataObject
) -> None:
    members, partitions = group
    first = assigned("uniform", members, partitions)
    gone = data.draw(st.sampled_from([*members]))
    rest = {each: spec for each, spec in after(members, first).items() if each != gone}
    if rest:
        second = assigned("uniform", rest, partitions)
        assert all(set(pairs({each: first[each]})) <= set(pairs({each: second[each]})) for each in rest)
