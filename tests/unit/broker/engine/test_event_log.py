"""Log lines of a running broker about groups and topics."""

from __future__ import annotations

from typing import Any

from tests.unit.broker.whole import Client, Whole, running, start
from tidemark.core.log_text import NAME_CHARS_MAX, NAMES_MAX, listed
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_testing.storage import MemoryStorage

SESSION_MS = 10_000
REBALANCE_MS = 6_000
OF_GROUPS = {
    "member joined", "members removed", "static member replaced", "rebalance started", "group rebalanced",
    "group emptied",
}  # fmt: skip
OF_TOPICS = {"topic created", "partitions created", "topic deleted"}


def events(whole: Whole, wanted: set[str]) -> list[tuple[str, dict[str, Any]]]:
    """Return the lines since the last call, without random names."""
    found = [(event, fields) for event, fields in whole.lines.lines if event in wanted]
    whole.lines.lines.clear()
    return found


def told(whole: Whole) -> list[str]:
    """Return each event about groups, with its generation and reason."""
    return [
        " ".join(
            str(part) for part in (event, fields.get("generation"), fields.get("reason")) if part is not None
        )
        for event, fields in events(whole, OF_GROUPS)
    ]


def joining(member_id: str = "", instance_id: str | None = None, metadata: str = "") -> dict[str, Any]:
    return {
        "GroupId": "billing", "MemberId": member_id, "GroupInstanceId": instance_id,
        "ProtocolType": "consumer",
        "Protocols": [{"Name": "range", "Metadata": metadata}],
        "SessionTimeoutMs": SESSION_MS, "RebalanceTimeoutMs": REBALANCE_MS,
    }  # fmt: skip


async def join(client: Client, member_id: str = "", *, metadata: str = "") -> dict[str, Any]:
    return await client.ask("JoinGroup", 3, joining(member_id, metadata=metadata))


async def synced(client: Client, joined: dict[str, Any]) -> None:
    """Send the SyncGroup of the only member, which is the leader."""
    member = {"MemberId": joined["MemberId"], "GenerationId": joined["GenerationId"]}
    assignments = [{"MemberId": joined["MemberId"], "Assignment": ""}]
    answered = await client.ask("SyncGroup", 2, {"GroupId": "billing", "Assignments": assignments, **member})
    assert answered["ErrorCode"] == 0


async def member(whole: Whole) -> tuple[Client, dict[str, Any]]:
    client = await whole.client()
    await client.find("billing")
    joined = await join(client)
    await synced(client, joined)
    return client, joined


async def test_a_join_and_its_rebalance_are_logged_with_member_and_reason(whole: Whole) -> None:
    _, joined = await member(whole)
    assert events(whole, OF_GROUPS) == [
        (
            "member joined",
            {
                "group": "billing", "member": joined["MemberId"], "instance": None, "client_id": "raw",
                "host": "/127.0.0.1",
            },
        ),
        ("rebalance started", {"group": "billing", "generation": 0, "reason": "member joined"}),
        (
            "group rebalanced",
            {"group": "billing", "generation": 1, "members": 1, "reason": "member joined"},
        ),
    ]  # fmt: skip


async def test_a_member_that_leaves_and_the_group_that_becomes_empty(whole: Whole) -> None:
    client, joined = await member(whole)
    told(whole)
    await client.ask("LeaveGroup", 1, {"GroupId": "billing", "MemberId": joined["MemberId"]})
    assert told(whole) == [
        "members removed member left", "rebalance started 1 member left", "group emptied 2 member left",
    ]  # fmt: skip


async def test_a_session_that_expires(whole: Whole) -> None:
    await member(whole)
    told(whole)
    await whole.passes(SESSION_MS)
    assert told(whole) == [
        "members removed session expired", "rebalance started 1 session expired",
        "group emptied 2 session expired",
    ]  # fmt: skip


async def test_members_that_miss_a_rebalance_are_logged(whole: Whole) -> None:
    await member(whole)
    second = await whole.client()
    told(whole)
    second.send("JoinGroup", 3, joining())
    assert await second.is_silent()
    assert told(whole) == ["member joined", "rebalance started 1 member joined"]
    await whole.passes(REBALANCE_MS)
    assert told(whole) == [
        "members removed no JoinGroup within the rebalance timeout", "group rebalanced 2 member joined",
    ]  # fmt: skip
    await whole.passes(REBALANCE_MS)
    assert told(whole)[0] == "members removed no SyncGroup within the rebalance timeout"


async def test_a_member_that_joins_again(whole: Whole) -> None:
    client, joined = await member(whole)
    told(whole)
    await synced(client, await join(client, joined["MemberId"]))
    await join(client, joined["MemberId"], metadata="00")
    assert told(whole) == [
        "rebalance started 1 leader rejoined", "group rebalanced 2 leader rejoined",
        "rebalance started 2 member changed its subscription",
        "group rebalanced 3 member changed its subscription",
    ]  # fmt: skip


async def test_a_static_member_that_restarts(whole: Whole, client: Client) -> None:
    await client.find("billing")
    joined = await client.ask("JoinGroup", 5, joining(instance_id="till-1"))
    await synced(client, joined)
    events(whole, OF_GROUPS)
    again = await client.ask("JoinGroup", 5, joining(instance_id="till-1"))
    assert events(whole, OF_GROUPS) == [
        (
            "static member replaced",
            {
                "group": "billing", "instance": "till-1", "member": again["MemberId"],
                "old_member": joined["MemberId"],
            },
        )
    ]  # fmt: skip


async def test_topics_that_are_created_grown_and_deleted(whole: Whole, client: Client) -> None:
    await client.make_topic("orders", 3)
    await client.ask(
        "CreatePartitions",
        1,
        {"Topics": [{"Name": "orders", "Count": 5, "Assignments": None}], "TimeoutMs": 1000},
    )
    await client.ask("Metadata", 4, {"Topics": [{"Name": "made"}], "AllowAutoTopicCreation": True})
    await client.ask("DeleteTopics", 4, {"TopicNames": ["orders"], "TimeoutMs": 1000})
    await client.find()
    assert events(whole, OF_TOPICS) == [
        ("topic created", {"topic": "orders", "partitions": 3}),
        ("partitions created", {"topic": "orders", "count": 2, "partitions": 5}),
        ("topic created", {"topic": "made", "partitions": 1}),
        ("topic deleted", {"topic": "orders"}),
        ("topic created", {"topic": "__consumer_offsets", "partitions": 1}),
    ]


async def test_a_restart_logs_no_event_again() -> None:
    storage = MemoryStorage()
    async with running(storage) as whole:
        await member(whole)
    again = await start(storage)
    assert events(again, OF_GROUPS | OF_TOPICS) == []
    await again.node.stop()


def test_long_names_and_long_lists_are_cut() -> None:
    assert listed(["a", "b"]) == "a, b"
    assert listed(["m"] * (NAMES_MAX + 2)) == ", ".join(["m"] * NAMES_MAX) + " and 2 more"
    assert listed(["x" * 1000]) == "x" * NAME_CHARS_MAX + "..."


async def test_records_of_unknown_types_are_summarised_in_one_warning() -> None:
    early, later = b"\x00\x12\x02g", b"\x00\x63"

    storage = MemoryStorage()
    async with running(storage, offsets_topic_num_partitions="2") as whole:
        await (await whole.client()).find()
        for partition, keys in enumerate(([early, later], [early])):
            log = whole.state.logs.get("__consumer_offsets", partition)
            assert log is not None
            unknown = [LogRecord(number, 1, key, b"x") for number, key in enumerate(keys)]
            log.append(build_batch(unknown), leader_epoch=0, now_ms=0)
    again = await start(storage, offsets_topic_num_partitions="2")
    assert again.lines.of("records skipped") == [
        {"count": 3, "kinds": "StreamsGroupPartitionMetadata: 2, record type 99: 1"}
    ]
    assert [tuple(fields.values()) for fields in again.lines.of("record type skipped")] == [
        ("__consumer_offsets", 0, "StreamsGroupPartitionMetadata", 1),
        ("__consumer_offsets", 0, "record type 99", 1),
        ("__consumer_offsets", 1, "StreamsGroupPartitionMetadata", 1),
    ]  # fmt: skip
    await again.node.stop()


async def test_members_of_the_consumer_protocol_that_leave_are_logged_with_the_reason(whole: Whole) -> None:
    client, _ = await member(whole)
    consumer = {"GroupId": "readers", "MemberId": "m1", "RebalanceTimeoutMs": REBALANCE_MS}
    joined = {**consumer, "SubscribedTopicNames": ["orders"], "TopicPartitions": []}
    assert (await client.ask("ConsumerGroupHeartbeat", 1, joined))["ErrorCode"] == 0
    started = {"group": "readers", "epoch": 2, "reason": "member joined"}
    assert ("rebalance started", started) in events(whole, OF_GROUPS)
    await client.ask("ConsumerGroupHeartbeat", 1, {**consumer, "MemberEpoch": -1})
    assert events(whole, OF_GROUPS) == [
        (
            "members removed",
            {"group": "readers", "count": 1, "members": "m1", "reason": "member left"},
        )
    ]
