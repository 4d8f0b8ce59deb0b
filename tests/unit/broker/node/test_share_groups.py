"""Share groups on a running node, over a socket, with its share coordinator."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.unit.broker.whole import Client, Whole, running
from tidemark.clock import turn
from tidemark.core.decision import Decision, Record
from tidemark.groups.share.effects import InitializeShareState
from tidemark.groups.share.group import ShareGroup, ShareMember
from tidemark.groups.share.records import current_record, epoch_record, member_record, state_record
from tidemark.metadata.configs import ResourceConfigType
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark_protocol.records.config_record import ConfigRecord
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord
from tidemark_testing.clock import LoopClock
from tidemark_testing.storage import MemoryStorage

FIRST, SECOND = "AAAAAAAAAAAAAAAAAAAAAQ", "AAAAAAAAAAAAAAAAAAAAAg"
AT_ONCE = {"group_share_assignment_interval_ms": "0"}


@asynccontextmanager
async def a_node(
    storage: MemoryStorage, clock: LoopClock | None = None
) -> AsyncIterator[tuple[Whole, Client]]:
    """Run a node with topic a, which has 3 partitions."""
    async with running(storage, clock, tidemark_as="4.3", **AT_ONCE) as whole:
        whole.state.cluster.replay(Record(None, FeatureLevelRecord("share.version", 1)))
        client = await whole.client()
        await client.find("s")
        if "a" not in whole.state.cluster.topics:
            assert await client.make_topic("a", 3) == 0
        yield whole, client


async def beat(
    client: Client, member_id: str, epoch: int, topics: list[str] | None = None, group: str = "s"
) -> tuple[int, list[int] | None]:
    """Send a heartbeat; return the epoch, and the partitions of topic a that the response assigns."""
    request = {"GroupId": group, "MemberId": member_id, "MemberEpoch": epoch, "SubscribedTopicNames": topics}
    answered = await client.ask("ShareGroupHeartbeat", 1, request)
    assert answered["ErrorCode"] == 0, answered
    assigned = answered["Assignment"]
    if assigned is None:
        return answered["MemberEpoch"], None
    return answered["MemberEpoch"], [
        each for one in assigned["TopicPartitions"] for each in one["Partitions"]
    ]


async def described(client: Client, group: str = "s") -> dict[str, Any]:
    (found,) = (await client.ask("ShareGroupDescribe", 1, {"GroupIds": [group]}))["Groups"]
    known: dict[str, Any] = found
    return known


async def deleted(client: Client, group: str = "s") -> int:
    (found,) = (await client.ask("DeleteGroups", 2, {"GroupsNames": [group]}))["Results"]
    code: int = found["ErrorCode"]
    return code


async def test_member_gets_partitions_once_their_state_exists() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        assert await beat(client, FIRST, 0, ["a"]) == (2, [])
        await whole.engine.settled()
        assert await beat(client, FIRST, 2) == (3, [0, 1, 2])
        _, of_second = await beat(client, SECOND, 0, ["a"])
        _, of_first = await beat(client, FIRST, 3)
        assert sorted([*(of_first or ()), *(of_second or ())]) == [0, 1, 2]
        group = await described(client)
        assert (group["GroupState"], group["GroupEpoch"], group["AssignmentEpoch"]) == ("Stable", 4, 4)
        assert group["AssignorName"] == "simple"
        assert [(each["MemberId"], each["MemberEpoch"]) for each in group["Members"]] == [
            (FIRST, 4),
            (SECOND, 4),
        ]


async def test_restart_keeps_members_and_assignments() -> None:
    storage = MemoryStorage()
    async with a_node(storage) as (whole, client):
        await beat(client, FIRST, 0, ["a"])
        await whole.engine.settled()
        assert await beat(client, FIRST, 2) == (3, [0, 1, 2])
        before = await described(client)
    async with a_node(storage) as (whole, client):
        assert await described(client) == before
        assert await beat(client, FIRST, 3) == (3, None)
        await whole.passes(46_000)
        group = await described(client)
        assert (group["GroupState"], group["GroupEpoch"], group["Members"]) == ("Empty", 4, [])


async def test_start_creates_the_state_whose_creation_was_cut_off() -> None:
    storage = MemoryStorage()
    async with a_node(storage) as (whole, _):  # the log that a crash after the first heartbeat leaves
        member = ShareMember(FIRST, 2, 0, client_id="", topic_names=frozenset("a"))
        topic_id = whole.state.cluster.topics["a"].topic_id
        left = (
            member_record("s", member),
            epoch_record("s", 2, 1),
            current_record("s", member),
            state_record("s", {topic_id: ("a", range(3))}, {}, {}),
        )
        whole.engine.accept_groups(Decision(records=left))
    async with a_node(storage) as (whole, client):
        await whole.engine.settled()
        assert await beat(client, FIRST, 2) == (3, [0, 1, 2])


async def test_deleted_group_leaves_no_state() -> None:
    storage = MemoryStorage()
    async with a_node(storage) as (whole, client):
        await beat(client, FIRST, 0, ["a"])
        await whole.engine.settled()
        assert await deleted(client) == 68
        share = whole.engine.share_coordinator()
        assert len(share.states.entries) == 3
        await beat(client, FIRST, -1)
        assert await deleted(client) == 0
        assert share.states.entries == {}
        group = await described(client)
        assert (group["ErrorCode"], group["ErrorMessage"]) == (69, "Group s not found.")
    async with a_node(storage) as (_, client):
        assert (await described(client))["ErrorCode"] == 69


async def test_group_that_is_deleted_while_its_state_is_created_leaves_none() -> None:
    """A later group of this name could not begin: the epoch of the state may be above that of the group."""
    async with a_node(MemoryStorage()) as (whole, client):
        await beat(client, FIRST, 0, ["a"])
        group = whole.state.groups.groups["s"]
        whole.engine.runtime.accept("Groups", Decision(records=group.tombstones()))
        await whole.engine.settled()
        assert "s" not in whole.state.groups.groups
        assert whole.engine.share_coordinator().states.entries == {}


async def test_state_of_a_group_that_was_created_again_is_kept() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        await beat(client, FIRST, 0, ["a"])
        await whole.engine.settled()
        coordinator = whole.engine.share_coordinator()
        states = {**coordinator.states.entries}
        assert len(states) == 3
        topic_id = whole.state.cluster.topics["a"].topic_id
        coordinator.discard(InitializeShareState("s", {topic_id: ("a", range(3))}, 2))
        await whole.engine.settled()
        assert coordinator.states.entries == states


async def test_group_whose_new_state_cannot_be_recorded_tries_again() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        joining = asyncio.ensure_future(beat(client, FIRST, 0, ["a"]))
        while "s" not in whole.state.groups.groups:
            await turn()
        whole.engine.runtime.accept("Cluster", Decision(records=(limit("50"),)))  # no record fits in a batch
        await joining
        await whole.engine.settled()
        group = whole.state.groups.of_type(ShareGroup, "s")
        assert group is not None
        assert (len(group.initializing), len(group.initialized)) == (1, 0)
        whole.engine.runtime.accept("Cluster", Decision(records=(limit(None),)))
        await beat(client, FIRST, 2)
        await whole.engine.settled()
        assert (len(group.initializing), len(group.initialized)) == (0, 1)
        assert await beat(client, FIRST, 2) == (3, [0, 1, 2])


def limit(bytes_max: str | None) -> Record:
    """Return the record that limits the batches of `__consumer_offsets`."""
    kind = ResourceConfigType.TOPIC
    return Record(None, ConfigRecord(kind, OFFSETS_TOPIC, "max.message.bytes", bytes_max))


async def test_deleted_topic_has_no_partitions_in_the_group() -> None:
    async with a_node(MemoryStorage()) as (whole, client):
        assert await client.make_topic("b", 1) == 0
        await beat(client, FIRST, 0, ["a", "b"])
        await whole.engine.settled()
        epoch, assigned = await beat(client, FIRST, 2)
        assert (epoch, sorted(assigned or ())) == (3, [0, 0, 1, 2])
        answered = await client.ask("DeleteTopics", 6, {"Topics": [{"Name": "b"}], "TimeoutMs": 5000})
        assert answered["Responses"][0]["ErrorCode"] == 0
        await whole.engine.settled()
        assert await beat(client, FIRST, 3) == (4, [0, 1, 2])
        group: Any = whole.state.groups.groups["s"]
        assert [name for name, _ in group.initialized.values()] == ["a"]
