"""Subscriptions and assignments of group members, and the range assignor."""

from __future__ import annotations

from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemark_protocol.wire import WireError
from tidemark_tools.client.client import TopicPartition
from tidemark_tools.client.membership import (
    Subscriber,
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
    range_assignment,
    subscriber,
)


def partitions(*names: str) -> list[TopicPartition]:
    return [TopicPartition(name[:-1], int(name[-1])) for name in names]


def test_the_example_of_kafkas_range_assignor() -> None:
    members = {subscriber("C0", None): ["t", "u"], subscriber("C1", None): ["t", "u"]}
    assert range_assignment(members, {"t": 3, "u": 3}) == {
        "C0": partitions("t0", "t1", "u0", "u1"),
        "C1": partitions("t2", "u2"),
    }


def test_only_subscribers_of_a_topic_are_assigned_its_partitions() -> None:
    members = {subscriber("a", None): ["t"], subscriber("b", None): ["u"], subscriber("c", None): []}
    assert range_assignment(members, {"t": 2, "u": 1}) == {
        "a": partitions("t0", "t1"),
        "b": partitions("u0"),
        "c": [],
    }


def test_static_members_come_first_in_the_order_of_their_instances() -> None:
    members = {subscriber("a", None): ["t"], subscriber("z", "i2"): ["t"], subscriber("y", "i1"): ["t"]}
    assert range_assignment(members, {"t": 3}) == {
        "y": partitions("t0"),
        "z": partitions("t1"),
        "a": partitions("t2"),
    }


names = st.text("tuv", min_size=1, max_size=1)


@given(
    st.dictionaries(st.builds(subscriber, st.text("abc", min_size=1), st.none()), st.lists(names)),
    st.dictionaries(names, st.integers(0, 7)),
)
def test_each_partition_has_one_subscriber_and_shares_differ_by_at_most_one(
    members: dict[Subscriber, list[str]], partitions: dict[str, int]
) -> None:
    assigned = range_assignment(members, partitions)
    for topic, count in partitions.items():
        readers = [each.member_id for each, topics in members.items() if topic in topics]
        held = {name: [s.partition for s in of if s.topic == topic] for name, of in assigned.items()}
        assert sorted(p for of in held.values() for p in of) == (list(range(count)) if readers else [])
        shares = [len(held[name]) for name in readers]
        assert not shares or max(shares) - min(shares) <= 1
        assert not any(of for name, of in held.items() if name not in readers)


# The subscription that Kafka 4.3.1's consumer sent, and the assignment that it received.
SUBSCRIPTION = b64decode("AAMAAAABAAZvcmRlcnMAAAAAAAAAAP////8AAA==")
ASSIGNMENT = b64decode("AAAAAAABAAZvcmRlcnMAAAADAAAAAAAAAAEAAAACAAAAAA==")


def test_subscription_and_assignment_are_written_as_kafka_writes_them() -> None:
    assert encode_subscription(["orders"]) == SUBSCRIPTION
    assert (
        encode_assignment(
            [TopicPartition("orders", 0), TopicPartition("orders", 1), TopicPartition("orders", 2)]
        )
        == ASSIGNMENT
    )


def test_kafkas_subscription_and_assignment_are_decoded() -> None:
    assert decode_subscription(SUBSCRIPTION) == ["orders"]
    assert decode_assignment(ASSIGNMENT) == [
        TopicPartition("orders", 0),
        TopicPartition("orders", 1),
        TopicPartition("orders", 2),
    ]
    assert decode_assignment(b"") == []


def test_an_undecodable_subscription_is_empty_and_such_an_assignment_is_an_error() -> None:
    assert decode_subscription(b"\xff") == []
    with pytest.raises(WireError):
        decode_assignment(b"\0\0\0\0\0\xff")
