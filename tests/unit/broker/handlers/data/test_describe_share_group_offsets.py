"""DescribeShareGroupOffsets. Expected: GroupCoordinatorService of Kafka 4.3.1."""

from __future__ import annotations

from tests.unit.broker.node.test_share_groups import a_node
from tests.unit.broker.share_offsets_story import UNKNOWN_STATE, alter, offsets
from tidemark_testing.storage import MemoryStorage


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
