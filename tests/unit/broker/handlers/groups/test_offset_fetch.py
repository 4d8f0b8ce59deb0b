"""OffsetFetch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.broker.group_story import GroupStory
from tests.unit.broker.story import finished
from tidemark.core.context import Operation, ResourceType
from tidemark.core.decision import Marker, Record
from tidemark.groups.offsets import STEP_OFFSETS
from tidemark.handlers.groups.offset_fetch import offset_fetch
from tidemark_protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
)
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue

NOT_COORDINATOR, TOPIC_AUTHORIZATION_FAILED, GROUP_AUTHORIZATION_FAILED, UNKNOWN_TOPIC_ID = 16, 29, 30, 100
NOBODY = bytes(15) + b"\x07"
ZERO = bytes(16)

Answer = tuple[str, list[tuple[int, int, int]]]


def a_story() -> GroupStory:
    story = GroupStory({"orders": 3, "payments": 2})
    story.commit("readers", "orders", 0, 10)
    story.commit("readers", "payments", 1, 20)
    story.commit("readers", "orders", 2, 30)
    return story


def fetch_group(
    story: GroupStory, group: OffsetFetchRequestGroup, version: int = 8, **how: Any
) -> OffsetFetchResponseGroup:
    response: OffsetFetchResponse = story.ask(
        offset_fetch, OffsetFetchRequest(groups=[group]), version, **how
    )
    (only,) = response.groups
    return only


def fetch(
    story: GroupStory, *topics: OffsetFetchRequestTopics, group: str = "readers", version: int = 8, **how: Any
) -> list[Answer]:
    """Return (partition, offset, error) for each topic."""
    response = fetch_group(story, OffsetFetchRequestGroup(group, topics=list(topics)), version, **how)
    assert response.error_code == 0
    return in_short(response)


def in_short(response: OffsetFetchResponseGroup) -> list[Answer]:
    return [
        (
            topic.name,
            [(each.partition_index, each.committed_offset, each.error_code) for each in topic.partitions],
        )
        for topic in response.topics
    ]


def topic(name: str, *partitions: int) -> OffsetFetchRequestTopics:
    return OffsetFetchRequestTopics(name, partition_indexes=list(partitions))


def topic_by_id(topic_id: bytes, *partitions: int) -> OffsetFetchRequestTopics:
    return OffsetFetchRequestTopics("", topic_id, list(partitions))


def denying(operation: int, resource: int, name: str) -> Callable[[int, int, str], bool]:
    return lambda *requested: requested != (operation, resource, name)


def pend(story: GroupStory, name: str, partition: int, offset: int, producer_id: int = 1) -> None:
    """Write an offset as TxnOffsetCommit does: it is pending until the transaction ends."""
    value = OffsetCommitValue(offset, commit_timestamp=story.wall_ms)
    story.groups.replay(Record(OffsetCommitKey("readers", name, partition), value, producer=(producer_id, 0)))


@pytest.mark.parametrize(("require_stable", "response"), [(False, (0, 10, 0)), (True, (0, -1, 88))])
def test_a_pending_offset_is_unstable_if_stable_ones_are_required(
    require_stable: bool, response: tuple[int, int, int]
) -> None:
    story = a_story()
    pend(story, "orders", 0, 11)
    for topics in ([topic("orders", 0, 2)], None):
        request = OffsetFetchRequest(
            groups=[OffsetFetchRequestGroup("readers", topics=topics)], require_stable=require_stable
        )
        got = dict(in_short(story.ask(offset_fetch, request, 8).groups[0]))
        assert got["orders"] == [response, (2, 30, 0)]
    story.groups.replay(Marker(0, 1, 0, committed=True))
    assert fetch(story, topic("orders", 0)) == [("orders", [(0, 11, 0)])]


def test_an_offset_that_is_only_pending_is_unstable_if_named_and_not_listed() -> None:
    story = a_story()
    pend(story, "payments", 0, 5)
    assert fetch(story, topic("payments", 0)) == [("payments", [(0, -1, 0)])]
    named = OffsetFetchRequest(
        groups=[OffsetFetchRequestGroup("readers", topics=[topic("payments", 0)])], require_stable=True
    )
    assert in_short(story.ask(offset_fetch, named, 8).groups[0]) == [("payments", [(0, -1, 88)])]
    everything = OffsetFetchRequest(
        groups=[OffsetFetchRequestGroup("readers", topics=None)], require_stable=True
    )
    assert dict(in_short(story.ask(offset_fetch, everything, 8).groups[0]))["payments"] == [(1, 20, 0)]


def test_a_fetch_waits_until_all_offsets_of_a_transaction_are_visible() -> None:
    story = GroupStory({"orders": STEP_OFFSETS + 1})
    for partition in range(STEP_OFFSETS + 1):
        pend(story, "orders", partition, 7)
    story.groups.replay(Marker(0, 1, 0, committed=True))
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("readers", topics=[topic("orders", 0)])])
    ctx = story.context(8)
    steps = offset_fetch(story.groups, ctx, request)
    assert [next(steps) for _ in range(3)] == [0, 0, 0]
    story.groups.offsets.end_some()
    response = finished(steps)
    assert in_short(response.groups[0]) == [("orders", [(0, 7, 0)])]


# topics by id


def test_v10_appends_unknown_and_zero_ids_after_the_known_topics() -> None:
    story = a_story()
    requested = [topic_by_id(NOBODY, 0, 1), topic_by_id(story.topic_id("orders"), 0, 1), topic_by_id(ZERO, 7)]
    response = fetch_group(story, OffsetFetchRequestGroup("readers", topics=requested), version=10)
    assert [each.topic_id for each in response.topics] == [story.topic_id("orders"), NOBODY, ZERO]
    assert response.topics[1].partitions == [
        OffsetFetchResponsePartitions(partition, -1, -1, "", UNKNOWN_TOPIC_ID) for partition in (0, 1)
    ]
    assert response.error_code == 0


def test_v10_ignores_an_offset_of_another_topic_id() -> None:
    story = a_story()
    value = story.groups.offsets.get("readers", "orders", 0)
    assert value is not None
    value.topic_id = NOBODY
    requested = topic_by_id(story.topic_id("orders"), 0)
    response = fetch_group(story, OffsetFetchRequestGroup("readers", topics=[requested]), version=10)
    assert response.topics[0].partitions[0].committed_offset == -1
    value.topic_id = ZERO  # a record of an older release: no id is stored, and the name counts
    response = fetch_group(story, OffsetFetchRequestGroup("readers", topics=[requested]), version=10)
    assert response.topics[0].partitions[0].committed_offset == 10


# authorization


def test_each_group_needs_describe_and_has_no_topics_without_it() -> None:
    groups = [OffsetFetchRequestGroup(name, topics=[topic("orders", 0)]) for name in ("theirs", "readers")]
    refuse = denying(Operation.DESCRIBE, ResourceType.GROUP, "theirs")
    response = a_story().ask(offset_fetch, OffsetFetchRequest(groups=groups), 8, allowed=refuse)
    assert response.groups[0] == OffsetFetchResponseGroup("theirs", [], GROUP_AUTHORIZATION_FAILED)
    assert in_short(response.groups[1]) == [("orders", [(0, 10, 0)])]


def test_topics_that_may_not_be_described_are_refused_after_the_others() -> None:
    refuse = denying(Operation.DESCRIBE, ResourceType.TOPIC, "orders")
    response = fetch(a_story(), topic("orders", 0, 1), topic("payments", 1), allowed=refuse)
    assert response == [
        ("payments", [(1, 20, 0)]),
        ("orders", [(0, -1, TOPIC_AUTHORIZATION_FAILED), (1, -1, TOPIC_AUTHORIZATION_FAILED)]),
    ]


def test_all_offsets_do_not_include_topics_that_may_not_be_described() -> None:
    refuse = denying(Operation.DESCRIBE, ResourceType.TOPIC, "orders")
    everything = fetch_group(a_story(), OffsetFetchRequestGroup("readers", topics=None), allowed=refuse)
    assert in_short(everything) == [("payments", [(1, 20, 0)])]


# one group, v1 to v7


def old(
    story: GroupStory, version: int, topics: list[OffsetFetchRequestTopic] | None, **how: Any
) -> OffsetFetchResponse:
    response: OffsetFetchResponse = story.ask(
        offset_fetch, OffsetFetchRequest("readers", topics), version, **how
    )
    return response


@pytest.mark.parametrize("version", range(2, 8))
def test_from_v2_null_topics_are_all_of_the_group(version: int) -> None:
    assert [topic.name for topic in old(a_story(), version, None).topics] == ["orders", "payments"]


@pytest.mark.parametrize("version", range(2, 8))
def test_from_v2_the_response_has_the_error_of_the_group(version: int) -> None:
    refuse = denying(Operation.DESCRIBE, ResourceType.GROUP, "readers")
    response = old(a_story(), version, [OffsetFetchRequestTopic("orders", [0])], allowed=refuse)
    assert response == OffsetFetchResponse(error_code=GROUP_AUTHORIZATION_FAILED)


def test_v1_has_the_error_of_the_group_on_every_partition() -> None:
    refuse = denying(Operation.DESCRIBE, ResourceType.GROUP, "readers")
    response = old(a_story(), 1, [OffsetFetchRequestTopic("orders", [0, 1])], allowed=refuse)
    assert response.topics == [
        OffsetFetchResponseTopic(
            "orders",
            [OffsetFetchResponsePartition(each, -1, -1, "", GROUP_AUTHORIZATION_FAILED) for each in (0, 1)],
        )
    ]


# service


def test_before_the_offsets_topic_exists_there_is_no_coordinator() -> None:
    unserved = GroupStory(partitions=0)
    requested = OffsetFetchRequestGroup("readers", topics=[topic("orders", 0)])
    assert fetch_group(unserved, requested) == OffsetFetchResponseGroup("readers", [], NOT_COORDINATOR)
    assert old(unserved, 1, [OffsetFetchRequestTopic("orders", [0])]).topics == [
        OffsetFetchResponseTopic("orders", [OffsetFetchResponsePartition(0, -1, -1, "", NOT_COORDINATOR)])
    ]
