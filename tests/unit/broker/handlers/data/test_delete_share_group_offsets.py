"""DeleteShareGroupOffsets. Responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

from tests.unit.broker.handlers.data.test_describe_share_group_offsets import described, offsets
from tests.unit.broker.node.test_share_groups import FIRST, a_node, beat, deleted
from tests.unit.broker.whole import Client, Whole
from tidemark.groups.share.group import ShareGroup
from tidemark_testing.storage import MemoryStorage

NO_TOPIC = "This server does not host this topic-partition."
NOTHING = "There is no offset information to delete."


async def offsets_deleted(
    client: Client, *topics: str, group: str = "s"
) -> tuple[int, str | None, list[tuple[str, int, str | None]]]:
    request = {"GroupId": group, "Topics": [{"TopicName": name} for name in topics]}
    found = await client.ask("DeleteShareGroupOffsets", 0, request)
    responses = [(each["TopicName"], each["ErrorCode"], each["ErrorMessage"]) for each in found["Responses"]]
    return found["ErrorCode"], found["ErrorMessage"], responses


async def an_empty_group(whole: Whole, client: Client) -> None:
    assert await client.make_topic("b", 1) == 0
    await beat(client, FIRST, 0, ["a", "b"])
    await whole.engine.settled()
    await beat(client, FIRST, -1)


async def test_offsets_of_a_topic_are_deleted() -> None:
    storage = MemoryStorage()
    async with a_node(storage) as (whole, client):
        await an_empty_group(whole, client)
        assert await offsets_deleted(client, "a", "a") == (0, None, [("a", 0, None)])
        assert offsets(await described(client, "s", None)) == {"b": [(0, -1, -1)]}
        share = whole.engine.share_coordinator()
        assert {key.topic_id for key in share.states.entries} == {whole.state.cluster.topics["b"].topic_id}
        assert await offsets_deleted(client, "nothing", "a", "b") == (
            0,
            None,
            [("nothing", 3, NO_TOPIC), ("a", 3, NOTHING), ("b", 0, None)],
        )
        assert offsets(await described(client, "s", None)) == {}
    async with a_node(storage) as (whole, client):
        group = whole.state.groups.of_type(ShareGroup, "s")
        assert group is not None
        assert (group.initializing, group.initialized, group.deleting) == ({}, {}, {})
        assert await deleted(client) == 0


async def test_topic_is_initialized_again_when_a_member_reads_it() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        await an_empty_group(whole, client)
        await offsets_deleted(client, "a")
        assert await beat(client, FIRST, 0, ["a"]) == (4, [])
        await whole.engine.settled()
        assert await beat(client, FIRST, 4) == (5, [0, 1, 2])


async def test_groups_whose_offsets_cannot_be_deleted() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        await client.commit("classic", 1, "a")
        await beat(client, FIRST, 0, ["a"])
        await whole.engine.settled()
        assert await offsets_deleted(client, "a") == (68, "The group is not empty.", [])
        assert await offsets_deleted(client, group="s") == (68, "The group is not empty.", [])
        assert await offsets_deleted(client, "a", group="") == (24, "The group id is invalid.", [])
        assert await offsets_deleted(client, "a", group="none") == (69, "Group none not found.", [])
        assert await offsets_deleted(client, "a", group="classic") == (
            69,
            "Group classic is not a share group.",
            [],
        )


async def test_no_topics_is_no_error() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        await an_empty_group(whole, client)
        assert await offsets_deleted(client) == (0, None, [])
