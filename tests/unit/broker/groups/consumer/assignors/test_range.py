"""The assignor `range`. Expected values follow from its definition in Kafka's RangeAssignor."""

from __future__ import annotations

from tests.unit.broker.story import finished
from tidemark.groups.consumer.assignors.spec import MemberSpec
from tidemark.groups.consumer.target import ASSIGNORS

TOPIC = b"\1" * 16


def member(instance_id: str | None = None) -> MemberSpec:
    return MemberSpec(instance_id, None, {TOPIC: None}.keys(), {})


def test_static_members_come_first() -> None:
    members = {"a": member(), "c": member("z"), "b": member()}
    ranges = finished(ASSIGNORS["range"](members, {TOPIC: 4}, True))
    assert ranges == {"a": {TOPIC: [2]}, "c": {TOPIC: [0, 1]}, "b": {TOPIC: [3]}}


def test_members_without_a_range_have_no_topic() -> None:
    assert finished(ASSIGNORS["range"]({"a": member(), "b": member()}, {TOPIC: 1}, True))["b"] == {}
