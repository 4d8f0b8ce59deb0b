"""AlterShareGroupOffsets. Expected: AlterShareGroupOffsetsResponse, GroupMetadataManager of Kafka 4.3.1."""

from __future__ import annotations

from tests.unit.broker.node.test_share_groups import FIRST, a_node, beat, deleted, described
from tests.unit.broker.share_offsets_story import (
    NONE,
    UNKNOWN_STATE,
    UNKNOWN_TOPIC,
    alter,
    codes,
    delete,
    offsets,
    start_offsets,
    the_group,
)
from tidemark.core.decision import Decision
from tidemark_protocol.errors import ErrorCode
from tidemark_testing.storage import MemoryStorage


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


async def test_topic_of_which_no_partition_is_altered_creates_the_group() -> None:
    async with a_node(MemoryStorage()) as (_, client):
        assert await codes(client, ("x", {0: 1})) == [("x", [(0, UNKNOWN_TOPIC)])]
        assert (await described(client))["ErrorCode"] == ErrorCode.GROUP_ID_NOT_FOUND
        assert await codes(client, ("a", {7: 1})) == [("a", [(7, UNKNOWN_TOPIC)])]
        group = await described(client)
        assert (group["GroupState"], group["GroupEpoch"]) == ("Empty", 1)
        assert await offsets(client) == []


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


async def test_altered_offsets_survive_a_restart() -> None:
    storage = MemoryStorage()
    async with a_node(storage) as (_, client):
        await alter(client, ("a", {0: 5}))
    async with a_node(storage) as (whole, client):
        assert await offsets(client) == [("a", {0: (5, 0, -5)})]
        assert the_group(whole).initializing == {}
        assert await delete(client, "a", "a") == [("a", NONE)]
