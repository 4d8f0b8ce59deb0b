"""Offsets of deleted topics are deleted in short steps and few passes, by a running node."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Final

from tests.unit.broker.whole import DEADLINE_S, Client, Whole, WorkingClock, running
from tidemark.clock import turn
from tidemark.core.decision import PART_RECORDS_MAX, TopicsDeleted
from tidemark.log.settings import LogSettings
from tidemark.turns import TURN_MS
from tidemark_protocol.errors import ErrorCode
from tidemark_testing.storage import MemoryStorage

OFFSETS: Final = 2_000
TOPICS: Final = 60
STEPS_PER_TURN: Final = 3  # with a clock by which each step uses up a turn


async def commit_all(client: Client, group: str) -> None:
    partitions = [
        {"PartitionIndex": index, "CommittedOffset": 1, "CommittedMetadata": ""} for index in range(OFFSETS)
    ]
    topic = {"Name": "orders", "Partitions": partitions}
    answered = await client.ask("OffsetCommit", 8, {"GroupId": group, "Topics": [topic]})
    assert {each["ErrorCode"] for each in answered["Topics"][0]["Partitions"]} == {ErrorCode.NONE}


async def test_many_offsets_of_one_group_are_deleted_in_short_steps() -> None:
    async with running(MemoryStorage(), WorkingClock(TURN_MS)) as whole:
        client = await whole.client()
        await client.find()
        assert await client.make_topic(partitions=OFFSETS) == ErrorCode.NONE
        await commit_all(client, "g")
        offsets = whole.state.groups.offsets
        client.send("DeleteTopics", 5, {"TopicNames": ["orders"], "TimeoutMs": 1})
        most, left = 0, offsets.count
        assert left == OFFSETS
        while left:
            await turn()
            most, left = max(most, left - offsets.count), offsets.count
        assert most <= STEPS_PER_TURN * PART_RECORDS_MAX
        assert await (await whole.client()).make_topic() == ErrorCode.NONE


class Watched(dict[Any, Any]):
    """Counts its iterations."""

    passes = 0

    def __iter__(self) -> Iterator[Any]:
        self.passes += 1
        return super().__iter__()


async def test_topics_that_are_deleted_together_share_passes_over_all_offsets() -> None:
    async with running(MemoryStorage(), WorkingClock(TURN_MS)) as whole:
        client = await whole.client()
        await client.find()
        await client.make_topic()
        await client.commit("g", 1)
        offsets = whole.state.groups.offsets
        offsets._partitions = watched = Watched(offsets._partitions)
        for number in range(TOPICS):
            effect = TopicsDeleted((f"gone-{number}",), (number.to_bytes(16, "big"),), (1,))
            whole.engine.deletions.carry_out(effect)
        async with asyncio.timeout(DEADLINE_S):
            while not watched.passes or whole.engine.deletions.is_working:
                await turn()
        assert watched.passes <= STEPS_PER_TURN  # of some topics in the first turn, then of all others
        assert offsets.count == 1


async def test_a_tombstone_that_is_too_large_keeps_no_other_offset(whole: Whole, client: Client) -> None:
    await client.find()
    await client.make_topic()
    await client.commit("g" * 400, 1)
    await client.commit("h", 1)
    whole.state.logs.get("__consumer_offsets", 0).settings = LogSettings(batch_bytes_max=300)
    await client.ask("DeleteTopics", 5, {"TopicNames": ["orders"], "TimeoutMs": 1000})
    async with asyncio.timeout(DEADLINE_S):
        while whole.engine.deletions.is_working:
            await turn()
    assert [group_id for group_id, _ in whole.state.groups.offsets.items()] == ["g" * 400]
    assert await client.make_topic() == ErrorCode.NONE
