"""Offsets of deleted topics are deleted in short steps, by a running node."""

from __future__ import annotations

from typing import Final

import pytest

from tests.broker.whole import Client, WorkingClock, running
from tidemark.clock import turn
from tidemark.core.result import PART_RECORDS_MAX
from tidemark.testing.storage import MemoryStorage
from tidemark.turns import TURN_MS
from tidemark_protocol.errors import ErrorCode

OFFSETS: Final = 2_000
STEPS_PER_TURN: Final = 3  # with a clock by which each step uses up a turn


async def commit_all(client: Client, group: str) -> None:
    partitions = [
        {"PartitionIndex": index, "CommittedOffset": 1, "CommittedMetadata": ""} for index in range(OFFSETS)
    ]
    topic = {"Name": "orders", "Partitions": partitions}
    answered = await client.ask("OffsetCommit", 8, {"GroupId": group, "Topics": [topic]})
    assert {each["ErrorCode"] for each in answered["Topics"][0]["Partitions"]} == {ErrorCode.NONE}


@pytest.mark.asyncio
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
