"""Requests about offsets of the share group s on a running node."""

from __future__ import annotations

from typing import Any

from tests.unit.broker.whole import Client, Whole
from tidemark.groups.share.group import ShareGroup
from tidemark.share_coordinator.state import SharePartition
from tidemark_protocol.errors import ErrorCode

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
