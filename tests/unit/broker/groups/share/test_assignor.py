"""The assignor of share groups."""

from __future__ import annotations

from tests.unit.broker.story import finished
from tidemark.groups.consumer.assignors.spec import Assignment, MemberSpec
from tidemark.groups.share.assignor import assign_simply

A, B = b"\1" * 16, b"\2" * 16
# Topic ids and member ids of a run of Kafka 4.3.1.
RECORDED_A = bytes.fromhex("af39ad5911154315a9bad2923dd4a01a")
RECORDED_B = bytes.fromhex("2e34fa2bde0b40b6becba71da373ee25")
FIRST, SECOND = "AAAAAAAAAAAAAAAAAAAAAQ", "AAAAAAAAAAAAAAAAAAAAAg"


def member(*topics: bytes, of_a: list[int] | None = None) -> MemberSpec:
    return MemberSpec(None, None, dict.fromkeys(topics).keys(), {} if of_a is None else {A: of_a})


def assigned(members: dict[str, MemberSpec], partitions: dict[bytes, list[int]]) -> Assignment:
    homogeneous = len({frozenset(each.topic_ids) for each in members.values()}) == 1
    assignment: Assignment = finished(assign_simply(members, partitions, homogeneous=homogeneous))
    return assignment


def test_one_member_gets_all_partitions() -> None:
    assert assigned({"a": member(A, B)}, {A: [0, 1], B: [0]}) == {"a": {A: [0, 1], B: [0]}}


def test_partitions_are_shared_if_there_are_more_members() -> None:
    found = assigned({name: member(A) for name in "abcd"}, {A: [0, 1]})
    assert [len(each.get(A, ())) for each in found.values()] == [1, 1, 1, 1]
    assert sorted(partition for each in found.values() for partition in each[A]) == [0, 0, 1, 1]


def test_only_assignable_partitions_are_assigned() -> None:
    assert assigned({"a": member(A, B)}, {A: [1]}) == {"a": {A: [1]}}


def test_no_topic_means_no_assignment() -> None:
    assert assigned({"a": member(), "b": member()}, {}) == {"a": {}, "b": {}}


def test_a_second_member_takes_over_half() -> None:
    found = assigned({"a": member(A, of_a=[0, 1, 2, 3]), "b": member(A)}, {A: [0, 1, 2, 3]})
    assert {name: len(each[A]) for name, each in found.items()} == {"a": 2, "b": 2}
    assert {*found["a"][A], *found["b"][A]} == {0, 1, 2, 3}


def test_targets_that_kafka_computed() -> None:
    """Epochs 4, 5 and 6 of the recorded group. The second member is first in Kafka's map."""
    partitions = {RECORDED_A: [0, 1, 2], RECORDED_B: [0, 1]}
    first = MemberSpec(None, None, {RECORDED_A: 0}.keys(), {RECORDED_A: [0, 1, 2]})
    second = MemberSpec(None, None, {RECORDED_A: 0, RECORDED_B: 0}.keys(), {})
    found = assigned({SECOND: second, FIRST: first}, partitions)
    assert [*found[SECOND].items()] == [(RECORDED_A, [0, 1]), (RECORDED_B, [0, 1])]
    assert found[FIRST] == {RECORDED_A: [2]}

    first = MemberSpec(None, None, {RECORDED_B: 0}.keys(), found[FIRST])
    second = MemberSpec(None, None, second.topic_ids, found[SECOND])
    found = assigned({SECOND: second, FIRST: first}, partitions)
    assert [*found[SECOND].items()] == [(RECORDED_B, [1]), (RECORDED_A, [0, 1, 2])]
    assert [*found[FIRST].items()] == [(RECORDED_B, [0]), (RECORDED_A, [])]

    first = MemberSpec(None, None, first.topic_ids, found[FIRST])
    assert assigned({FIRST: first}, partitions) == {FIRST: {RECORDED_B: [0, 1]}}
