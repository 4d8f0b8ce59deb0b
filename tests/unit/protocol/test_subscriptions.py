"""Subscriptions and assignments of consumer group members are read as in the broker."""

from __future__ import annotations

from tests.unit.broker.group_story import subscription
from tidemark_protocol import encode
from tidemark_protocol.records.consumer_protocol_assignment import ConsumerProtocolAssignment, TopicPartition
from tidemark_protocol.subscriptions import assigned_to, subscribed_topics


def test_the_topics_are_those_of_all_members() -> None:
    assert subscribed_topics("consumer", [subscription(["a"]), subscription(["b"])]) == frozenset({"a", "b"})


def test_the_version_is_ignored_and_so_is_what_follows_version_0() -> None:
    metadata = b"\x00\x03" + subscription(["a"])[2:] + b"\x00\x00\x00\x00trailing"
    assert subscribed_topics("consumer", [metadata]) == frozenset({"a"})


def test_invalid_metadata_of_one_member_makes_the_topics_unknown() -> None:
    assert subscribed_topics("consumer", [subscription(["a"]), b"\x00"]) is None


def test_no_members_subscribe_to_nothing() -> None:
    assert subscribed_topics("consumer", []) == frozenset()


def test_only_consumer_groups_subscribe() -> None:
    assert subscribed_topics("connect", [subscription(["a"])]) is None
    assert subscribed_topics(None, []) is None


def test_an_assignment_names_partitions_of_topics() -> None:
    owned = [TopicPartition("a", [0, 2]), TopicPartition("b", [])]
    body = encode("ConsumerProtocolAssignment", 0, ConsumerProtocolAssignment(owned, None))
    assert assigned_to(b"\x00\x00" + body) == owned
    assert assigned_to(b"\x00\x03" + body + b"trailing") == owned
    assert assigned_to(b"ASSIGN") is None
    assert assigned_to(b"") is None
