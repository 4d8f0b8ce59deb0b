"""DeleteShareGroupOffsets. Expected: GroupCoordinatorShard and GroupCoordinatorService of Kafka 4.3.1."""

from __future__ import annotations

from tests.unit.broker.node.test_share_groups import FIRST, a_node, beat
from tests.unit.broker.share_offsets_story import (
    NONE,
    UNKNOWN_TOPIC,
    alter,
    delete,
    offsets,
    start_offsets,
    the_group,
)
from tidemark.core.decision import Decision
from tidemark_testing.storage import MemoryStorage


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


async def test_no_topic_is_looked_up_for_a_group_that_never_had_state() -> None:
    async with a_node(MemoryStorage()) as (_, client):
        await beat(client, FIRST, 0, ["x"])
        await beat(client, FIRST, -1)
        assert await delete(client, "a", "x") == []


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
