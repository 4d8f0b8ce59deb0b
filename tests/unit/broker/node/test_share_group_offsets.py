"""Offsets of share groups on a running node: what the recorded cases do not cover.

Expected values follow from GroupMetadataManager, ModernGroup and AlterShareGroupOffsetsResponse
of Kafka 4.3.1.
"""

from __future__ import annotations

from typing import Any

from tests.unit.broker.node.test_share_groups import FIRST, a_node, beat, deleted, described
from tests.unit.broker.whole import Client, Whole
from tidemark.core.decision import Decision
from tidemark.groups.share.group import ShareGroup
from tidemark.share_coordinator.state import SharePartition
from tidemark_protocol.errors import ErrorCode
from tidemark_testing.storage import MemoryStorage

NONE, UNKNOWN_TOPIC = ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
UNKNOWN_STATE = (-1, 0, -1)


async def alter(client: Client, *topics: tuple[str, dict[int, int]], group: str = "s") -> dict[str, Any]:
    asked = [
        {
            "TopicName": name,
            "Partitions": [{"PartitionIndex": index, "StartOffset": to} for index, to in offsets.items()],
        }
        for name, offsets in topics
    ]
    response: dict[str, Any] = await client.ask(
        "AlterShareGroupOffsets", 0, {"GroupId": group, "Topics": asked}
    )
    return response


async def codes(
    client: Client, *topics: tuple[str, dict[int, int]]
) -> list[tuple[str, list[tuple[int, int]]]]:
    """Alter offsets, and return the topics of the response."""
    response = await alter(client, *topics)
    assert response["ErrorCode"] == NONE, response
    return [
        (topic["TopicName"], [(one["PartitionIndex"], one["ErrorCode"]) for one in topic["Partitions"]])
        for topic in response["Responses"]
    ]


async def delete(client: Client, *topics: str) -> list[tuple[str, int]]:
    request = {"GroupId": "s", "Topics": [{"TopicName": name} for name in topics]}
    response = await client.ask("DeleteShareGroupOffsets", 0, request)
    assert response["ErrorCode"] == NONE, response
    return [(topic["TopicName"], topic["ErrorCode"]) for topic in response["Responses"]]


async def offsets(
    client: Client, *topics: tuple[str, list[int]]
) -> list[tuple[str, dict[int, tuple[int, int, int]]]]:
    """Return the start offset, leader epoch and lag of these partitions. None are given: of all."""
    asked = [{"TopicName": name, "Partitions": partitions} for name, partitions in topics] or None
    response = await client.ask(
        "DescribeShareGroupOffsets", 1, {"Groups": [{"GroupId": "s", "Topics": asked}]}
    )
    (group,) = response["Groups"]
    assert group["ErrorCode"] == NONE, group
    return [
        (
            topic["TopicName"],
            {
                one["PartitionIndex"]: (one["StartOffset"], one["LeaderEpoch"], one["Lag"])
                for one in topic["Partitions"]
            },
        )
        for topic in group["Topics"]
    ]


def the_group(whole: Whole) -> ShareGroup:
    group = whole.state.groups.groups["s"]
    assert isinstance(group, ShareGroup)
    return group


def start_offsets(whole: Whole) -> dict[int, int]:
    """Return what the share coordinator stores of topic a."""
    states = whole.engine.share_coordinator().states
    topic_id = whole.state.cluster.topics["a"].topic_id
    keys = {index: SharePartition("s", topic_id, index) for index in range(3)}
    found = {index: states.get(key) for index, key in keys.items()}
    return {index: state.start_offset for index, state in found.items() if state is not None}


# Order and repetitions.


async def test_topics_that_are_not_altered_are_first_and_a_topic_is_listed_once() -> None:
    async with a_node(MemoryStorage()) as (_, client):
        assert await codes(
            client, ("a", {0: 5, 7: 1}), ("x", {0: 1}), ("y", {}), ("a", {1: 6}), ("x", {2: 1})
        ) == [
            ("x", [(0, UNKNOWN_TOPIC), (2, UNKNOWN_TOPIC)]),
            ("a", [(0, NONE), (7, UNKNOWN_TOPIC), (1, NONE)]),
        ]
        assert await offsets(client) == [("a", {0: (5, 0, -5), 1: (6, 0, -6)})]


async def test_last_offset_of_a_partition_that_is_named_twice_counts() -> None:
    async with a_node(MemoryStorage()) as (_, client):
        assert await codes(client, ("a", {0: 5}), ("a", {0: 8})) == [("a", [(0, NONE), (0, NONE)])]
        assert await offsets(client) == [("a", {0: (8, 0, -8)})]


async def test_topics_whose_offsets_are_deleted_are_before_others() -> None:
    async with a_node(MemoryStorage()) as (_, client):
        assert await client.make_topic("b", 1) == 0
        await alter(client, ("a", {0: 5, 1: 6}))
        assert await delete(client, "x", "b", "a", "x") == [
            ("a", NONE),
            ("x", UNKNOWN_TOPIC),
            ("b", UNKNOWN_TOPIC),
            ("x", UNKNOWN_TOPIC),
        ]
        assert await offsets(client) == []


async def test_unknown_topics_are_described_after_others_and_a_topic_once() -> None:
    async with a_node(MemoryStorage()) as (_, client):
        await alter(client, ("a", {1: 5}))
        assert await offsets(client, ("x", [3]), ("a", [1, 0]), ("a", [9, 1])) == [
            ("a", {0: UNKNOWN_STATE, 1: (5, 0, -5), 9: UNKNOWN_STATE}),
            ("x", {3: UNKNOWN_STATE}),
        ]


async def test_group_that_is_named_twice_is_described_twice() -> None:
    async with a_node(MemoryStorage()) as (_, client):
        await alter(client, ("a", {0: 5}))
        asked = [{"GroupId": "s", "Topics": None}] * 3
        response = await client.ask("DescribeShareGroupOffsets", 1, {"Groups": asked})
        first, *others = response["Groups"]
        assert [topic["TopicName"] for topic in first["Topics"]] == ["a"]
        assert others == [first, first]


async def test_no_offsets_are_described_before_a_share_group_exists() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        assert await offsets(client, ("a", [0])) == [("a", {0: UNKNOWN_STATE})]
        assert "__share_group_state" not in whole.state.cluster.topics


async def test_lag_has_the_range_of_a_long() -> None:
    async with a_node(MemoryStorage()) as (_, client):
        await alter(client, ("a", {0: -(2**63)}))
        assert await offsets(client) == [("a", {0: (-(2**63), 0, -(2**63))})]


# Requests that create a group, and the state of the group afterwards.


async def test_topic_of_which_no_partition_is_altered_creates_the_group() -> None:
    async with a_node(MemoryStorage()) as (_, client):
        assert await codes(client, ("x", {0: 1})) == [("x", [(0, UNKNOWN_TOPIC)])]
        assert (await described(client))["ErrorCode"] == ErrorCode.GROUP_ID_NOT_FOUND
        assert await codes(client, ("a", {7: 1})) == [("a", [(7, UNKNOWN_TOPIC)])]
        group = await described(client)
        assert (group["GroupState"], group["GroupEpoch"]) == ("Empty", 1)
        assert await offsets(client) == []


async def test_no_topic_is_looked_up_for_a_group_that_never_had_state() -> None:
    async with a_node(MemoryStorage()) as (_, client):
        await beat(client, FIRST, 0, ["x"])
        await beat(client, FIRST, -1)
        assert await delete(client, "a", "x") == []


async def test_group_reads_from_the_altered_offset_on() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        await alter(client, ("a", {0: 5}))
        await beat(client, FIRST, 0, ["a"])
        await whole.engine.settled()
        assert start_offsets(whole) == {0: 5, 1: -1, 2: -1}


async def test_group_with_altered_offsets_is_deleted_with_its_state() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        await alter(client, ("a", {0: 5}), ("a", {7: 1}))
        assert await deleted(client) == NONE
        assert start_offsets(whole) == {}


async def test_partition_whose_state_cannot_be_initialized_is_not_kept() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        await alter(client, ("a", {0: 5}))
        whole.engine.share_coordinator().states.failed(0)
        ((name, [(index, code)]),) = await codes(client, ("a", {1: 5}))
        assert (name, index) == ("a", 1)
        assert code != NONE
        assert the_group(whole).initializing == {}
        assert await offsets(client, ("a", [0])) == [("a", {0: UNKNOWN_STATE})]


# The broker stops between the record and the work of the share coordinator.


async def test_stored_offsets_stay_if_the_broker_stops_before_they_are_altered() -> None:
    storage = MemoryStorage()
    async with a_node(storage) as (whole, client):
        await alter(client, ("a", {0: 5}))
        topic_id = whole.state.cluster.topics["a"].topic_id
        record = the_group(whole).initializing_record({topic_id: ("a", [0, 1])})
        whole.engine.accept_groups(Decision(records=(record,)))  # without its effect
        await whole.engine.group_commit.drain()
    async with a_node(storage) as (whole, client):
        await whole.engine.settled()
        assert start_offsets(whole) == {0: 5, 1: -1}
        assert await offsets(client) == [("a", {0: (5, 0, -5), 1: UNKNOWN_STATE})]
        await beat(client, FIRST, 0, ["a"])
        await whole.engine.settled()
        assert start_offsets(whole) == {0: 5, 1: -1, 2: -1}


async def test_deletion_of_offsets_is_repeated_after_the_broker_has_stopped() -> None:
    storage = MemoryStorage()
    async with a_node(storage) as (whole, client):
        await alter(client, ("a", {0: 5, 2: 6}))
        record, found = the_group(whole).offsets_deletion([whole.state.cluster.topics["a"].topic_id])
        assert [*found.values()] == [("a", [0, 2])]
        whole.engine.accept_groups(Decision(records=(record,)))  # without its effect
        await whole.engine.group_commit.drain()
    async with a_node(storage) as (whole, client):
        assert await offsets(client) == []
        assert start_offsets(whole) == {0: 5, 2: 6}
        assert await delete(client, "a") == [("a", NONE)]
        assert start_offsets(whole) == {}
        assert the_group(whole).deleting == {}


async def test_altered_offsets_survive_a_restart() -> None:
    storage = MemoryStorage()
    async with a_node(storage) as (_, client):
        await alter(client, ("a", {0: 5}))
    async with a_node(storage) as (whole, client):
        assert await offsets(client) == [("a", {0: (5, 0, -5)})]
        assert the_group(whole).initializing == {}
        assert await delete(client, "a", "a") == [("a", NONE)]
