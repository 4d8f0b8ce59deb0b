"""DescribeShareGroupOffsets. Responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from tests.unit.broker.node.test_share_groups import FIRST, a_node, beat
from tests.unit.broker.whole import Client, Whole
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_testing.storage import MemoryStorage

UNEXPECTED = "The server experienced an unexpected error when processing the request."
NO_ID = uuid.UUID(int=0)


async def described(client: Client, group: str, topics: dict[str, list[int]] | None, version: int = 1) -> Any:
    named = None if topics is None else [{"TopicName": t, "Partitions": p} for t, p in topics.items()]
    request = {"Groups": [{"GroupId": group, "Topics": named}]}
    (found,) = (await client.ask("DescribeShareGroupOffsets", version, request))["Groups"]
    return found


def offsets(group: dict[str, Any]) -> dict[str, list[tuple[int, int, int]]]:
    """Return start offset and lag of each partition, by topic."""
    assert (group["ErrorCode"], group["ErrorMessage"]) == (0, None)
    found: dict[str, list[tuple[int, int, int]]] = {}
    for topic in group["Topics"]:
        for each in topic["Partitions"]:
            assert (each["ErrorCode"], each["ErrorMessage"], each["LeaderEpoch"]) == (0, None, 0)
            found.setdefault(topic["TopicName"], []).append(
                (each["PartitionIndex"], each["StartOffset"], each["Lag"])
            )
    return found


async def a_group(whole: Whole, client: Client) -> None:
    await beat(client, FIRST, 0, ["a"])
    await whole.engine.settled()


async def test_offsets_are_unknown_before_the_first_fetch() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        await a_group(whole, client)
        unknown = [(index, -1, -1) for index in range(3)]
        assert offsets(await described(client, "s", None)) == {"a": unknown}
        assert offsets(await described(client, "s", {"a": [1]})) == {"a": [(1, -1, -1)]}
        assert offsets(await described(client, "s", {})) == {}


async def test_lag_counts_records_that_are_not_done() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        await a_group(whole, client)
        share = whole.engine.share_coordinator()
        topic_id = whole.state.cluster.topics["a"].topic_id
        await share.write("s", topic_id, 0, 2, 0, 2, 1, [])
        log = whole.state.logs.find("a", 0)
        assert log is not None
        records = [LogRecord(number, 1, None, b"x") for number in range(10)]
        log.append(build_batch(records), leader_epoch=0, now_ms=0)
        assert offsets(await described(client, "s", {"a": [0, 0]})) == {"a": [(0, 2, 7)]}


async def test_unknown_groups_and_topics_have_no_offsets() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        await a_group(whole, client)
        assert offsets(await described(client, "none", None)) == {}
        assert offsets(await described(client, "none", {"a": [0]})) == {"a": [(0, -1, -1)]}
        found = await described(client, "s", {"nothing": [0]})
        assert offsets(found) == {"nothing": [(0, -1, -1)]}
        assert str(found["Topics"][0]["TopicId"]) == str(NO_ID)


@pytest.mark.parametrize(("group", "topics"), [("s", {"a": [7, -1]}), ("s", {"a": []}), ("", {"a": [0]})])
async def test_odd_requests_fail_as_in_kafka(group: str, topics: dict[str, list[int]]) -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        await a_group(whole, client)
        found = await described(client, group, topics)
        assert (found["ErrorCode"], found["ErrorMessage"], found["Topics"]) == (-1, UNEXPECTED, [])
