"""Targets of large groups, which are computed in steps while other heartbeats are decided."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.groups.consumer_story import ConsumerStory
from tests.unit.broker.story import finished
from tidemark.core.decision import Decision, Record
from tidemark.groups.consumer.target import AT_ONCE_MAX
from tidemark.handlers.groups.consumer_group_heartbeat import (
    consumer_group_heartbeat,
    consumer_group_heartbeat_in_steps,
)
from tidemark_protocol.errors import KafkaError
from tidemark_protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
)
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord

PARTITIONS = AT_ONCE_MAX + 100
UNKNOWN_MEMBER_ID, INVALID_REQUEST = 25, 42


class LargeStory(ConsumerStory):
    """Topic c has so many partitions that targets are computed in steps."""

    def __init__(self) -> None:
        super().__init__({"c": PARTITIONS}, assignment_interval_ms=0)

    def begin(self, member_id: str, epoch: int, **fields: Any) -> Any:
        """Return the steps of a heartbeat. Its first part is applied, and the target is being computed."""
        request = ConsumerGroupHeartbeatRequest("g", member_id, epoch, **fields)
        steps = consumer_group_heartbeat(self.groups, self.context(1), request)
        assert not isinstance(steps, Decision)
        part = next(steps)
        assert isinstance(part, Decision)
        self.accept(part)
        self.settle()
        assert next(steps) == 0
        return steps

    def end(self, steps: Any) -> Any:
        decided = finished(steps, self.accept)
        self.accept(decided)
        self.settle()
        return decided.response

    def owned(self, member_id: str) -> int:
        target = self.group.targets.get(member_id, {})
        return sum(map(len, target.values()))


JOIN: dict[str, Any] = {
    "rebalance_timeout_ms": 60_000,
    "subscribed_topic_names": ["c"],
    "topic_partitions": [],
}


def test_a_member_that_joins_meanwhile_belongs_to_the_next_target() -> None:
    story = LargeStory()
    steps = story.begin("m1", 0, **JOIN)
    assert story.shown(story.join("m2")) == (1, {})
    assert story.group.state_name == "Assigning"
    assert story.end(steps).member_epoch == 2
    assert (story.group.group_epoch, story.group.assignment_epoch) == (3, 2)
    assert (story.owned("m1"), story.owned("m2")) == (PARTITIONS, 0)
    story.beat("m2", 1)
    assert (story.owned("m1"), story.owned("m2")) == (PARTITIONS // 2, PARTITIONS // 2)


def test_a_member_that_leaves_meanwhile_has_no_target() -> None:
    story = LargeStory()
    story.join("m1")
    steps = story.begin("m2", 0, **JOIN)
    story.beat("m1", -1)
    assert story.end(steps).member_epoch == 3
    assert story.group.targets.keys() == {"m2"}
    assert story.group.group_epoch == 4
    assert story.shown(story.beat("m2", 3))[0] == 4
    assert story.owned("m2") == PARTITIONS


def test_the_member_itself_may_be_gone_when_its_target_is_known() -> None:
    story = LargeStory()
    story.join("m1")
    steps = story.begin("m2", 0, **JOIN)
    story.beat("m2", -1)
    with pytest.raises(KafkaError) as refused:
        story.end(steps)
    assert refused.value.code == UNKNOWN_MEMBER_ID
    assert story.group.assignment_epoch == 3
    assert story.group.assigning_ms is None
    assert story.group.targets.keys() == {"m1"}


def test_a_static_member_that_is_replaced_meanwhile_has_the_target_of_its_instance() -> None:
    story = LargeStory()
    story.join("m1", instance_id="i1")
    steps = story.begin("m2", 0, **JOIN)
    story.beat("m1", -2, instance_id="i1")
    story.join("m3", instance_id="i1")
    story.end(steps)
    assert story.group.targets.keys() == {"m2", "m3"}
    assert (story.owned("m2"), story.owned("m3")) == (PARTITIONS // 2, PARTITIONS // 2)


@pytest.mark.parametrize("steps_before", range(12))
def test_a_topic_may_be_deleted_meanwhile(steps_before: int) -> None:
    story = LargeStory()
    story.join("m1", ["c", "no such topic"])
    steps = story.begin("m2", 0, **JOIN)
    for _ in range(steps_before):
        next(steps)
    story.cluster.replay(Record(None, RemoveTopicRecord(topic_id=story.topic_id("c"))))
    assert story.end(steps).error_code == 0


def test_a_computation_that_was_dropped_is_repeated() -> None:
    story = LargeStory()
    story.begin("m1", 0, **JOIN).close()
    assert story.shown(story.join("m1")) == (1, {})
    story.passes(30_000)
    assert story.shown(story.beat("m1", 1, owns={}))[0] == 2
    assert story.owned("m1") == PARTITIONS


def test_a_computation_that_stalled_does_not_replace_a_later_target() -> None:
    """In Kafka, too, the epoch of an assignment never falls: it computes one at a time."""
    story = LargeStory()
    stalled = story.begin("m1", 0, **JOIN)
    story.passes(30_000)
    later = story.begin("m2", 0, **JOIN)
    assert story.end(later).member_epoch == 3
    targets = {**story.group.targets}
    assert story.shown(story.end(stalled))[0] == 3
    assert story.group.assignment_epoch == 3
    assert story.group.targets == targets
    assert (story.owned("m1"), story.owned("m2")) == (PARTITIONS // 2, PARTITIONS // 2)


def test_a_computation_that_stalled_ends_before_a_later_one() -> None:
    story = LargeStory()
    stalled = story.begin("m1", 0, **JOIN)
    story.passes(30_000)
    later = story.begin("m2", 0, **JOIN)
    assert story.shown(story.end(stalled))[0] == 2
    assert story.group.assigning_ms == 30_000
    assert story.end(later).member_epoch == 3
    assert story.group.assigning_ms is None


def test_a_long_report_of_owned_partitions_counts_as_a_short_one() -> None:
    story = ConsumerStory()
    story.join("m1")
    story.join("m2")
    topic_id = story.topic_id("c")
    long = [ConsumerGroupHeartbeatRequestTopicPartitions(topic_id, [0, 1, 2] * 2_000)] * 3

    def acknowledge(owned: list[ConsumerGroupHeartbeatRequestTopicPartitions]) -> Any:
        request = ConsumerGroupHeartbeatRequest("g", "m1", 2, topic_partitions=owned)
        return story.ask(consumer_group_heartbeat_in_steps, request, 1)

    everything = [ConsumerGroupHeartbeatRequestTopicPartitions(topic_id, [*range(6)] * 1_000)]
    assert story.shown(acknowledge(everything)) == (2, {"c": [0, 1, 2]})
    assert story.shown(acknowledge(everything)) == (2, None)
    assert story.shown(acknowledge(long)) == (3, None)


def test_partitions_that_do_not_exist_make_a_report_that_is_no_subset() -> None:
    story = ConsumerStory()
    story.join("m1")
    story.beat("m1", 2, subscribed_topic_names=["c", "d"])
    topic_id = story.topic_id("c")
    for owned, code in (
        ([(topic_id, [0, 5])], 0),
        ([(topic_id, [0, 6])], 110),
        ([(topic_id, [0, -7])], 110),
        ([(bytes(15) + b"\x09", [])], 110),
    ):
        reported = [ConsumerGroupHeartbeatRequestTopicPartitions(*each) for each in owned]
        request = ConsumerGroupHeartbeatRequest("g", "m1", 2, topic_partitions=reported)
        assert story.ask(consumer_group_heartbeat_in_steps, request, 1).error_code == code, owned


def test_the_members_of_a_group_may_name_twenty_thousand_topics() -> None:
    story = ConsumerStory()
    names = [f"t{number}" for number in range(20_000)]
    assert story.join("m1", names).error_code == 0
    assert story.join("m2", names[:10]).error_code == 0
    refused = story.join("m3", ["another"])
    assert refused.error_code == INVALID_REQUEST
    assert refused.error_message == "The members of group g name more than 20000 topics."
