"""AlterShareGroupOffsets. Responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.handlers.data.test_describe_share_group_offsets import described, offsets
from tests.unit.broker.node.test_share_groups import FIRST, a_node, beat
from tests.unit.broker.whole import Client, WorkingClock
from tidemark.clock import turn
from tidemark.core.decision import Decision, Record, TopicsDeleted
from tidemark.groups.share.group import ShareGroup
from tidemark.turns import TURN_MS
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord
from tidemark_testing.storage import MemoryStorage

NO_TOPIC = "This server does not host this topic-partition."


async def altered(client: Client, wanted: dict[str, dict[int, int]], group: str = "s") -> dict[str, Any]:
    topics = [
        {
            "TopicName": name,
            "Partitions": [{"PartitionIndex": index, "StartOffset": to} for index, to in some.items()],
        }
        for name, some in wanted.items()
    ]
    return await client.ask("AlterShareGroupOffsets", 0, {"GroupId": group, "Topics": topics})


def errors(response: dict[str, Any]) -> list[tuple[str, int, int, str | None]]:
    assert (response["ErrorCode"], response["ErrorMessage"]) == (0, None)
    return [
        (topic["TopicName"], each["PartitionIndex"], each["ErrorCode"], each["ErrorMessage"])
        for topic in response["Responses"]
        for each in topic["Partitions"]
    ]


async def test_offsets_of_an_unknown_group_make_the_group() -> None:
    storage = MemoryStorage()
    async with a_node(storage) as (whole, client):
        assert errors(await altered(client, {"a": {0: 2, 1: 5}})) == [("a", 0, 0, None), ("a", 1, 0, None)]
        assert offsets(await described(client, "s", None)) == {"a": [(0, 2, -2), (1, 5, -5)]}
    async with a_node(storage) as (whole, client):
        group = whole.state.groups.of_type(ShareGroup, "s")
        assert group is not None
        assert (group.state_name, group.epoch, group.initializing) == ("Empty", 1, {})
        assert offsets(await described(client, "s", None)) == {"a": [(0, 2, -2), (1, 5, -5)]}


async def test_unknown_partitions_are_refused_one_by_one() -> None:
    async with a_node(MemoryStorage()) as (_, client):
        assert errors(await altered(client, {"a": {0: 1, 3: 1}, "nothing": {0: 1}})) == [
            ("nothing", 0, 3, NO_TOPIC),
            ("a", 0, 0, None),
            ("a", 3, 3, NO_TOPIC),
        ]
        assert offsets(await described(client, "s", None)) == {"a": [(0, 1, -1)]}


async def test_groups_that_cannot_be_altered() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        await client.commit("classic", 1, "a")
        await beat(client, FIRST, 0, ["a"])
        await whole.engine.settled()
        for group, code, text in (
            ("s", 68, "The group is not empty."),
            ("", 24, "The group id is invalid."),
            ("classic", 69, "Group classic is not a share group."),
        ):
            found = await altered(client, {"a": {0: 1}}, group)
            assert (found["ErrorCode"], found["ErrorMessage"], found["Responses"]) == (code, text, [])


async def test_negative_partition_fails_the_request() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        found = await altered(client, {"a": {-1: 1}})
        assert found["ErrorCode"] == -1
        assert found["ErrorMessage"].startswith(
            "Initialize share group parameters has invalid partitionId - s "
        )
        assert "s" not in whole.state.groups.groups


async def test_nothing_to_alter_makes_no_group() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        assert errors(await altered(client, {})) == []
        assert "s" not in whole.state.groups.groups


@pytest.mark.parametrize("turns", range(16))
async def test_topic_that_is_deleted_during_the_request_keeps_no_state(turns: int) -> None:
    """Kafka's share coordinator, too, refuses the state of a topic that does not exist.

    The clock makes each partition need a turn of the loop.
    """
    async with a_node(MemoryStorage(), WorkingClock(TURN_MS)) as (whole, client):
        assert await client.make_topic("kept") == 0
        topic_id = whole.state.cluster.topics["a"].topic_id
        topics = [
            {"TopicName": name, "Partitions": [{"PartitionIndex": each, "StartOffset": 1} for each in some]}
            for name, some in (("a", (0, 1, 2)), ("kept", (0, 1, 2, 3)))
        ]
        client.send("AlterShareGroupOffsets", 0, {"GroupId": "s", "Topics": topics})
        for _ in range(turns):
            await turn()
        deleted = Decision[None](
            records=(Record(None, RemoveTopicRecord(topic_id)),),
            effects=(TopicsDeleted(("a",), (topic_id,), (3,)),),
        )
        whole.engine.runtime.accept("Cluster", deleted)
        found = errors(await client.answer("AlterShareGroupOffsets", 0))
        assert {each[1]: each[2] for each in found if each[0] == "kept"} == {0: 0, 1: 3, 2: 3, 3: 3}
        assert {each[2] for each in found if each[0] == "a"} <= {0, 3}
        await whole.engine.settled()
        group = whole.state.groups.of_type(ShareGroup, "s")
        assert group is not None
        assert topic_id not in {**group.initializing, **group.initialized}
        assert all(key.topic_id != topic_id for key in whole.engine.share_coordinator().states.entries)


async def test_member_reads_from_the_altered_offsets() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        await beat(client, FIRST, 0, ["a"])
        await whole.engine.settled()
        await beat(client, FIRST, -1)
        await altered(client, {"a": {0: 7}})
        assert await beat(client, FIRST, 0, ["a"]) == (4, [0, 1, 2])
        share = whole.engine.share_coordinator()
        state = await share.summary("s", whole.state.cluster.topics["a"].topic_id, 0)
        assert (state.start_offset, state.state_epoch) == (7, 3)
