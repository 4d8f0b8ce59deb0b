"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.story import START_MS
from tidemark.handlers.topics.create_partitions import create_partitions
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)


@pytest.fixture
def story() -> ClusterStory:
    story = ClusterStory()
    story.create("foo", 2)
    return story


def ask(
    story: ClusterStory,
    name: str,
    count: int,
    assignments: list[list[int]] | None = None,
    *,
    validate_only: bool = False,
) -> CreatePartitionsTopicResult:
    chosen = None if assignments is None else [CreatePartitionsAssignment(brokers) for brokers in assignments]
    request = CreatePartitionsRequest([CreatePartitionsTopic(name, count, chosen)], 30_000, validate_only)
    result: CreatePartitionsTopicResult = story.ask(create_partitions, request, 3).results[0]
    return result


def test_new_partitions_follow_the_old_ones_and_are_as_old_as_they_are(story: ClusterStory) -> None:
    story.wall_ms += 60_000
    assert ask(story, "foo", 4).error_code == 0
    partitions = story.cluster.topics["foo"].partitions
    assert [(p.index, p.leader_epoch, p.created_ms - START_MS) for p in partitions] == [
        (0, 0, 0),
        (1, 0, 0),
        (2, 0, 60_000),
        (3, 0, 60_000),
    ]


@pytest.mark.parametrize(
    ("name", "count", "assignments", "code", "message"),
    [
        ("foo", 2, None, 37, "Topic already has 2 partition(s)."),
        (
            "foo",
            4,
            [[1]],
            39,
            "Attempted to add 2 additional partition(s), but only 1 assignment(s) were specified.",
        ),
        (
            "foo",
            4,
            [[1], [7]],
            39,
            "The manual partition assignment includes broker 7, but no such broker is registered.",
        ),
        ("foo", 20_000, None, 44, "Excessively large number of additional partitions per request."),
    ],
)
def test_refused_in_kafkas_words(
    story: ClusterStory,
    name: str,
    count: int,
    assignments: list[list[int]] | None,
    code: int,
    message: str | None,
) -> None:
    refused = ask(story, name, count, assignments)
    assert (refused.error_code, refused.error_message) == (code, message)
    assert len(story.cluster.topics["foo"].partitions) == 2


def test_validate_only_writes_nothing(story: ClusterStory) -> None:
    assert ask(story, "foo", 10_001, validate_only=True).error_code == 0
    assert len(story.cluster.topics["foo"].partitions) == 2


def test_a_name_given_twice_is_refused_once(story: ClusterStory) -> None:
    asked = [CreatePartitionsTopic(name, 5) for name in ("foo", "foo", "nosuch")]
    request = CreatePartitionsRequest(asked, 30_000)
    results = story.ask(create_partitions, request, 3).results
    assert [(r.name, r.error_code, r.error_message) for r in results] == [
        ("foo", 42, "Duplicate topic name."),
        ("nosuch", 3, None),
    ]


def test_offsets_topic_cannot_get_partitions(
    story: ClusterStory,
) -> None:
    story.create("__consumer_offsets")
    assert ask(story, "__consumer_offsets", 50).error_code == 42


@pytest.mark.parametrize("timeout_ms", [0, -1])
def test_request_without_time_is_refused(story: ClusterStory, timeout_ms: int) -> None:
    with pytest.raises(KafkaError) as refused:
        story.ask(
            create_partitions, CreatePartitionsRequest([CreatePartitionsTopic("foo", 5)], timeout_ms), 3
        )
    assert refused.value.code == ErrorCode.REQUEST_TIMED_OUT
