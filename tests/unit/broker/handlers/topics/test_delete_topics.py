"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.story import error_response
from tidemark.core.context import Operation
from tidemark.core.decision import TopicsDeleted
from tidemark.handlers.topics.delete_topics import delete_topics
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.errors import KafkaError
from tidemark_protocol.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicState,
)
from tidemark_protocol.wire import ZERO_UUID

UNKNOWN_ID = bytes(range(16))
Told = list[tuple[str | None, bytes, int, str | None]]


@pytest.fixture
def story() -> ClusterStory:
    story = ClusterStory()
    story.create("foo", configs={"retention.ms": "5"})
    story.create("bar")
    return story


def ask(story: ClusterStory, *asked: tuple[str | None, bytes]) -> Told:
    request = DeleteTopicsRequest([DeleteTopicState(name, topic_id) for name, topic_id in asked], [], 30_000)
    responses = story.response(delete_topics, request, 6).responses
    return [(r.name, r.topic_id, r.error_code, r.error_message) for r in responses]


def test_deleted_topic_leaves_no_records_and_its_offsets_are_deleted(
    story: ClusterStory,
) -> None:
    topic_id = story.cluster.topics["foo"].topic_id
    assert ask(story, ("foo", ZERO_UUID)) == [("foo", topic_id, 0, None)]
    assert story.effects == [TopicsDeleted(("foo",), (topic_id,), (1,))]
    assert list(story.cluster.topics) == ["bar"]
    assert topic_id not in story.cluster.topics_by_id
    assert not story.cluster.overrides(2, "foo")


def test_a_deleted_name_collides_with_nothing(story: ClusterStory) -> None:
    story.create("a.b")
    ask(story, ("a.b", ZERO_UUID))
    assert story.create("a_b").error_code == 0


def test_refused_in_kafkas_words(story: ClusterStory) -> None:
    topic_id = story.cluster.topics["foo"].topic_id
    no_topic = "This server does not host this topic-partition."
    assert ask(story, ("nosuch", ZERO_UUID)) == [("nosuch", ZERO_UUID, 3, no_topic)]
    assert ask(story, ("bad/n", ZERO_UUID)) == [("bad/n", ZERO_UUID, 3, no_topic)]
    assert ask(story, ("__cluster_metadata", ZERO_UUID)) == [("__cluster_metadata", ZERO_UUID, 3, no_topic)]
    assert ask(story, (None, UNKNOWN_ID)) == [
        (None, UNKNOWN_ID, 100, "This server does not host this topic ID.")
    ]
    assert ask(story, (None, ZERO_UUID)) == [
        (None, ZERO_UUID, 42, "Neither topic name nor id were specified.")
    ]
    assert ask(story, ("foo", topic_id)) == [
        ("foo", topic_id, 42, "You may not specify both topic name and topic id.")
    ]
    assert "foo" in story.cluster.topics


def test_topic_requested_twice_is_refused_once(story: ClusterStory) -> None:
    topic_id = story.cluster.topics["foo"].topic_id
    assert ask(story, ("nosuch", ZERO_UUID), ("nosuch", ZERO_UUID)) == [
        ("nosuch", ZERO_UUID, 42, "Duplicate topic name.")
    ]
    assert ask(story, (None, topic_id), (None, topic_id)) == [(None, topic_id, 42, "Duplicate topic id.")]
    assert ask(story, ("foo", ZERO_UUID), (None, topic_id)) == [
        ("foo", topic_id, 42, "The provided topic name maps to an ID that was already supplied.")
    ]
    neither = (None, ZERO_UUID, 42, "Neither topic name nor id were specified.")
    assert ask(story, (None, ZERO_UUID), (None, ZERO_UUID)) == [neither, neither]
    assert "foo" in story.cluster.topics


@pytest.mark.parametrize("timeout_ms", [0, -1])
def test_request_without_time_is_refused(story: ClusterStory, timeout_ms: int) -> None:
    for request in (
        DeleteTopicsRequest([DeleteTopicState("foo")], timeout_ms=timeout_ms),
        DeleteTopicsRequest(topic_names=["foo"], timeout_ms=timeout_ms),
    ):
        with pytest.raises(KafkaError) as refused:
            story.ask(delete_topics, request, 6)
        assert error_response(request, refused.value.code).responses == [
            DeletableTopicResult("foo", error_code=7)
        ]


def test_disabled_deletion_refuses_every_topic(story: ClusterStory) -> None:
    story.cluster.settings = BrokerSettings(delete_topic_enable=False)
    assert ask(story, ("foo", ZERO_UUID), (None, ZERO_UUID)) == [
        ("foo", ZERO_UUID, 73, None),
        (None, ZERO_UUID, 73, None),
    ]
    for version, code in ((1, 42), (2, 42), (3, 73), (5, 73)):
        responses = story.response(
            delete_topics, DeleteTopicsRequest([], ["foo", "nosuch"], 30_000), version
        ).responses
        assert [r.error_code for r in responses] == [code, code]


def test_client_that_may_not_describe_does_not_learn_of_existence(story: ClusterStory) -> None:
    topic_id = story.cluster.topics["foo"].topic_id
    story.allowed = lambda operation, kind, name: False
    assert [told[:3] for told in ask(story, ("foo", ZERO_UUID), ("nosuch", ZERO_UUID))] == [
        ("foo", ZERO_UUID, 29),
        ("nosuch", ZERO_UUID, 29),
    ]
    assert [told[:3] for told in ask(story, (None, topic_id))] == [(None, topic_id, 29)]
    story.allowed = lambda operation, kind, name: operation == Operation.DESCRIBE
    assert [told[:3] for told in ask(story, (None, topic_id))] == [("foo", topic_id, 29)]


def test_the_offsets_topic_stays(story: ClusterStory) -> None:
    story.create("__consumer_offsets")
    assert ask(story, ("__consumer_offsets", ZERO_UUID))[0][2] == 42
    assert "__consumer_offsets" in story.cluster.topics
