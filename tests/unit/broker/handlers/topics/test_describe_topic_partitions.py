"""The expected responses are those of Apache Kafka 4.3.1, of KIP-1327 for version 1."""

from __future__ import annotations

import pytest

from tests.unit.broker.cluster_story import ClusterStory
from tests.unit.broker.story import START_MS
from tidemark.core.context import ResourceType
from tidemark.handlers.topics.describe_topic_partitions import describe_topic_partitions
from tidemark_protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsRequestCursor,
    DescribeTopicPartitionsResponse,
    TopicRequest,
)

Told = list[tuple[str | None, int, list[int]]]


@pytest.fixture
def story() -> ClusterStory:
    story = ClusterStory()
    story.create("foo", 3)
    story.create("cd")
    story.create("x.y")
    return story


def ask(
    story: ClusterStory,
    names: list[str],
    limit: int = 2000,
    cursor: tuple[str, int] | None = None,
    version: int = 0,
) -> DescribeTopicPartitionsResponse:
    start = None if cursor is None else DescribeTopicPartitionsRequestCursor(*cursor)
    request = DescribeTopicPartitionsRequest([TopicRequest(name) for name in names], limit, start)
    response: DescribeTopicPartitionsResponse = story.ask(describe_topic_partitions, request, version)
    return response


def page(response: DescribeTopicPartitionsResponse) -> tuple[Told, tuple[str, int] | None]:
    topics = [(t.name, t.error_code, [p.partition_index for p in t.partitions]) for t in response.topics]
    cursor = response.next_cursor
    return topics, None if cursor is None else (cursor.topic_name, cursor.partition_index)


def test_no_names_mean_all_topics_sorted(story: ClusterStory) -> None:
    assert page(ask(story, [])) == ([("cd", 0, [0]), ("foo", 0, [0, 1, 2]), ("x.y", 0, [0])], None)


def test_unknown_and_invalid_names_are_in_order_and_duplicates_appear_once(story: ClusterStory) -> None:
    assert page(ask(story, ["x.y", "foo", "nosuch", "foo", "bad/n"])) == (
        [("bad/n", 17, []), ("foo", 0, [0, 1, 2]), ("nosuch", 3, []), ("x.y", 0, [0])],
        None,
    )


@pytest.mark.parametrize(
    ("names", "limit", "cursor", "topics", "next_cursor"),
    [
        (["foo", "cd"], 1, None, [("cd", 0, [0])], ("foo", 0)),
        (["foo", "cd"], 0, None, [("cd", 0, [0])], ("foo", 0)),
        (["foo", "cd"], -5, None, [("cd", 0, [0])], ("foo", 0)),
        (["foo", "cd"], 2, None, [("cd", 0, [0]), ("foo", 0, [0])], ("foo", 1)),
        (["foo", "cd"], 3, None, [("cd", 0, [0]), ("foo", 0, [0, 1])], ("foo", 2)),
        (["foo", "cd"], 4, None, [("cd", 0, [0]), ("foo", 0, [0, 1, 2])], None),
        (["foo", "cd"], 2000, ("foo", 1), [("foo", 0, [1, 2])], None),
        (["foo", "cd"], 2000, ("foo", 7), [("foo", 0, [])], None),
        ([], 2000, ("dd", 0), [("foo", 0, [0, 1, 2]), ("x.y", 0, [0])], None),
        ([], 1, ("foo", 2), [("foo", 0, [2])], ("x.y", 0)),
        (["nosuch", "foo", "zzz"], 1, None, [("foo", 0, [0])], ("foo", 1)),
        (["foo", "zzz"], 3, None, [("foo", 0, [0, 1, 2])], ("zzz", 0)),
        (["cd", "nosuch", "foo"], 1, ("nosuch", 0), [("nosuch", 3, [])], None),
        (["foo"], 3, None, [("foo", 0, [0, 1, 2])], None),
        ([], 2000, ("zzz", 0), [], None),
        (["a", "b"], 1, None, [("a", 3, []), ("b", 3, [])], None),
    ],
)
def test_pages(
    story: ClusterStory,
    names: list[str],
    limit: int,
    cursor: tuple[str, int] | None,
    topics: Told,
    next_cursor: tuple[str, int] | None,
) -> None:
    assert page(ask(story, names, limit, cursor)) == (topics, next_cursor)


@pytest.mark.parametrize("cursor", [("foo", -1), ("dd", 0)])
def test_a_wrong_cursor_refuses_every_topic(story: ClusterStory, cursor: tuple[str, int]) -> None:
    response = ask(story, ["foo", "cd"], cursor=cursor)
    assert page(response) == ([("foo", 42, []), ("cd", 42, [])], None)
    assert response.topics[0].topic_authorized_operations == -(2**31)


def test_eligible_leaders_are_empty_and_operations_always_returned(story: ClusterStory) -> None:
    topic = ask(story, ["cd"]).topics[0]
    assert topic.topic_authorized_operations == 3576
    assert (topic.partitions[0].eligible_leader_replicas, topic.partitions[0].last_known_elr) == ([], [])


def test_version_1_has_the_creation_time_of_partitions(story: ClusterStory) -> None:
    assert ask(story, ["cd"], version=1).topics[0].partitions[0].creation_time_ms == START_MS
    assert ask(story, ["cd"], version=0).topics[0].partitions[0].creation_time_ms == -1


def test_hidden_topics_are_last_or_not_listed(story: ClusterStory) -> None:
    story.allowed = lambda operation, kind, name: kind != ResourceType.TOPIC or name != "cd"
    response = ask(story, ["foo", "cd"])
    assert page(response) == ([("foo", 0, [0, 1, 2]), ("cd", 29, [])], None)
    assert response.topics[1].topic_authorized_operations == -(2**31)
    assert [topic.name for topic in ask(story, []).topics] == ["foo", "x.y"]
