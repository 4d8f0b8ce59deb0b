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
    OffsetFetchResponseTopics,
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


def test_an_offset_has_leader_epoch_and_metadata() -> None:
    story = GroupStory()
    story.commit("readers", offset=7)
    value = story.groups.offsets.get("readers", "orders", 0)
    assert value is not None
    value.leader_epoch, value.metadata = 3, "md"
    (response,) = fetch_group(story, OffsetFetchRequestGroup("readers", topics=[topic("orders", 0)])).topics
    assert response == OffsetFetchResponseTopics(
        "orders", ZERO, [OffsetFetchResponsePartitions(0, 7, 3, "md", 0)]
    )


def test_topics_and_partitions_are_returned_in_order_as_often_as_requested() -> None:
    response = fetch(a_story(), topic("orders", 2, 0, 0), topic("payments"), topic("orders", 2))
    assert response == [
        ("orders", [(2, 30, 0), (0, 10, 0), (0, 10, 0)]),
        ("payments", []),
        ("orders", [(2, 30, 0)]),
    ]


def test_a_partition_without_a_commit_has_no_offset_and_no_error() -> None:
    story = a_story()
    request = OffsetFetchRequestGroup("readers", topics=[topic("orders", 1, -1, 99), topic("nope", 0)])
    for response in fetch_group(story, request).topics:
        for each in response.partitions:
            assert (each.committed_offset, each.committed_leader_epoch, each.metadata, each.error_code) == (
                -1,
                -1,
                "",
                0,
            )


def test_an_unknown_group_is_no_error() -> None:
    assert fetch(GroupStory(), topic("orders", 0), group="nobody") == [("orders", [(0, -1, 0)])]
    everything = fetch_group(GroupStory(), OffsetFetchRequestGroup("nobody", topics=None))
    assert everything == OffsetFetchResponseGroup("nobody", [], 0)


def test_null_topics_are_all_of_the_group() -> None:
    everything = fetch_group(a_story(), OffsetFetchRequestGroup("readers", topics=None))
    assert in_short(everything) == [("orders", [(0, 10, 0), (2, 30, 0)]), ("payments", [(1, 20, 0)])]


def test_member_id_and_epoch_do_not_matter_to_a_classic_group() -> None:
    story = a_story()
    for member_id, epoch in ((None, 4), ("", -1), ("nobody", 4)):
        requested = OffsetFetchRequestGroup("readers", member_id, epoch, [topic("orders", 0)])
        assert in_short(fetch_group(story, requested, version=9)) == [("orders", [(0, 10, 0)])]


def test_several_groups_are_returned_in_the_order_of_the_request() -> None:
    groups = [
        OffsetFetchRequestGroup(name, topics=[topic("orders", 0)])
        for name in ("readers", "nobody", "readers")
    ]
    response = a_story().ask(offset_fetch, OffsetFetchRequest(groups=groups), 8)
    assert [(each.group_id, each.topics[0].partitions[0].committed_offset) for each in response.groups] == [
        ("readers", 10),
        ("nobody", -1),
        ("readers", 10),
    ]


def test_a_request_without_groups_gets_an_empty_response() -> None:
    assert GroupStory().ask(offset_fetch, OffsetFetchRequest(groups=[]), 8) == OffsetFetchResponse()


@pytest.mark.parametrize("require_stable", [False, True])
def test_require_stable_changes_nothing_where_no_transaction_is_pending(require_stable: bool) -> None:
    groups = [OffsetFetchRequestGroup("readers", topics=[topic("orders", 0)])]
    response = a_story().ask(
        offset_fetch, OffsetFetchRequest(groups=groups, require_stable=require_stable), 8
    )
    assert in_short(response.groups[0]) == [("orders", [(0, 10, 0)])]


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


def test_v10_responds_with_ids() -> None:
    story = a_story()
    orders, payments = story.topic_id("orders"), story.topic_id("payments")
    response = fetch_group(
        story, OffsetFetchRequestGroup("readers", topics=[topic_by_id(orders, 0)]), version=10
    )
    assert [each.topic_id for each in response.topics] == [orders]
    everything = fetch_group(story, OffsetFetchRequestGroup("readers", topics=None), version=10)
    assert [each.topic_id for each in everything.topics] == [orders, payments]


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


@pytest.mark.parametrize("version", range(1, 8))
def test_before_v8_there_is_one_group(version: int) -> None:
    response = old(
        a_story(),
        version,
        [OffsetFetchRequestTopic("orders", [2, 1]), OffsetFetchRequestTopic("payments", [])],
    )
    assert response == OffsetFetchResponse(
        topics=[
            OffsetFetchResponseTopic(
                "orders",
                [
                    OffsetFetchResponsePartition(2, 30, -1, "", 0),
                    OffsetFetchResponsePartition(1, -1, -1, "", 0),
                ],
            ),
            OffsetFetchResponseTopic("payments", []),
        ]
    )


@pytest.mark.parametrize("version", range(2, 8))
def test_from_v2_null_topics_are_all_of_the_group(version: int) -> None:
    assert [topic.name for topic in old(a_story(), version, None).topics] == ["orders", "payments"]


@pytest.mark.parametrize("version", [1, 2, 7])
def test_an_empty_list_of_topics_gets_an_empty_response(version: int) -> None:
    assert old(a_story(), version, []) == OffsetFetchResponse()


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
