"""Settings of a group reach its coordinator at once. The stories were run against Apache Kafka 4.3.1."""

from __future__ import annotations

from tests.unit.broker.groups.consumer_story import ConsumerStory
from tidemark.core.decision import Record
from tidemark.handlers.groups.consumer_group_describe import consumer_group_describe
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from tidemark_protocol.records.config_record import ConfigRecord

GROUP = 32
SESSION, HEARTBEAT, INTERVAL = (
    "consumer.session.timeout.ms",
    "consumer.heartbeat.interval.ms",
    "consumer.assignment.interval.ms",
)
EVERYTHING = {"c": range(6)}


def alter(story: ConsumerStory, name: str, value: str | None) -> None:
    story.cluster.replay(Record(None, ConfigRecord(GROUP, "g", name, value)))


def test_the_next_response_has_the_new_heartbeat_interval() -> None:
    story = ConsumerStory()
    assert story.join("m1").heartbeat_interval_ms == 5_000
    alter(story, HEARTBEAT, "9000")
    assert story.beat("m1", 2).heartbeat_interval_ms == 9_000
    alter(story, HEARTBEAT, None)
    assert story.beat("m1", 2).heartbeat_interval_ms == 5_000


def test_the_next_heartbeat_begins_a_session_of_the_new_length() -> None:
    story = ConsumerStory()
    story.join("m1")
    alter(story, SESSION, "60000")
    story.beat("m1", 2)
    story.passes(59_999)
    story.settle()
    assert "m1" in story.group.members
    story.passes(1)
    story.settle()
    assert "m1" not in story.group.members


def test_a_shorter_session_ends_earlier() -> None:
    story = ConsumerStory()
    alter(story, SESSION, "60000")
    story.join("m1")
    alter(story, SESSION, None)
    story.beat("m1", 2)
    story.passes(45_000)
    story.settle()
    assert "m1" not in story.group.members


def test_a_session_that_has_begun_keeps_its_length() -> None:
    story = ConsumerStory()
    story.join("m1")
    alter(story, SESSION, "60000")
    story.passes(45_000)
    story.settle()
    assert "m1" not in story.group.members


def test_the_next_target_waits_for_the_new_assignment_interval() -> None:
    story = ConsumerStory(assignment_interval_ms=1_000)
    story.join("m1")
    alter(story, INTERVAL, "0")
    assert story.shown(story.join("m2")) == (3, {})
    assert story.shown(story.beat("m1", 2, owns=EVERYTHING)) == (2, {"c": [0, 1, 2]})


def test_the_first_assignor_of_the_broker_is_used_and_described() -> None:
    story = ConsumerStory(assignors=("range", "uniform"))
    for number in range(1, 5):
        story.join(f"m{number}")
    described = story.ask(consumer_group_describe, ConsumerGroupDescribeRequest(["g"]), 1).groups[0]
    assert described.assignor_name == "range"
    targets = [[*each.target_assignment.topic_partitions[0].partitions] for each in described.members]
    assert targets == [[0, 1], [2, 3], [4], [5]]
    story.groups.settings = BrokerSettings()
    described = story.ask(consumer_group_describe, ConsumerGroupDescribeRequest(["g"]), 1).groups[0]
    assert described.assignor_name == "uniform"
