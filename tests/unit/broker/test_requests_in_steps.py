"""Requests that are processed in steps, when the client disconnects, the broker stops or time is restored."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

import pytest

from tests.unit.broker.whole import (
    DEADLINE_S,
    Client,
    Whole,
    WorkingClock,
    a_commit,
    running,
    stable_member,
    start,
)
from tidemark.turns import TURN_MS
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_testing.clock import START_WALL_MS
from tidemark_testing.storage import MemoryStorage

TOPICS: Final = 400
PARTITIONS: Final = 2
WIDE: Final = 1500  # partitions of one topic, which are created in parts


def many_topics() -> dict[str, Any]:
    topics = [{"Name": f"t{n}", "NumPartitions": PARTITIONS, "ReplicationFactor": 1} for n in range(TOPICS)]
    return {"Topics": topics}


def a_wide_topic() -> dict[str, Any]:
    return {"Topics": [{"Name": "wide", "NumPartitions": WIDE, "ReplicationFactor": 1}]}


def partitions(whole: Whole) -> dict[str, int]:
    """Return the number of partitions of each topic."""
    topics = whole.state.cluster.topics.values()
    return {topic.name: len(topic.partitions) for topic in topics if not topic.name.startswith("__")}


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not condition():
            await asyncio.sleep(0)


def in_steps() -> WorkingClock:
    """Return a clock by which every step needs a turn of the loop."""
    return WorkingClock(TURN_MS)


async def test_a_stop_finishes_a_creation_that_has_begun() -> None:
    storage = MemoryStorage()
    whole = await start(storage, in_steps())
    client = await whole.client()
    await client.make_topic("acknowledged")
    client.send("CreateTopics", 7, many_topics())
    await until(lambda: len(partitions(whole)) > 1)
    assert len(partitions(whole)) < TOPICS
    await whole.node.stop()
    answered = await client.answer("CreateTopics", 7)
    assert {topic["ErrorCode"] for topic in answered["Topics"]} == {0}
    client.writer.close()
    async with running(storage) as again:
        assert partitions(again) == {"acknowledged": 1} | {f"t{n}": PARTITIONS for n in range(TOPICS)}


async def test_a_stop_finishes_a_topic_whose_first_partitions_exist() -> None:
    storage = MemoryStorage()
    async with running(storage, in_steps()) as whole:
        (await whole.client()).send("CreateTopics", 7, a_wide_topic())
        await until(lambda: partitions(whole))
        assert partitions(whole)["wide"] < WIDE
    async with running(storage) as again:
        assert partitions(again) == {"wide": WIDE}


async def test_a_stop_drops_a_request_that_has_not_changed_anything() -> None:
    storage = MemoryStorage()
    async with running(storage, in_steps()) as whole:
        client = await whole.client()
        client.send("CreateTopics", 7, many_topics())
        await until(lambda: whole.engine.turns._jobs)
        assert not partitions(whole)
    assert await client.reader.read() == b""
    async with running(storage) as again:
        assert not partitions(again)


async def test_a_client_that_hangs_up_leaves_no_topic_half_created() -> None:
    async with running(MemoryStorage(), in_steps()) as whole:
        client = await whole.client()
        client.send("CreateTopics", 7, a_wide_topic())
        await until(lambda: partitions(whole))
        assert partitions(whole)["wide"] < WIDE
        (connection,) = whole.server._connections
        connection.abort()
        await until(lambda: partitions(whole)["wide"] == WIDE)


async def half_created(whole: Whole, client: Client) -> None:
    client.send("CreateTopics", 7, a_wide_topic())
    await until(lambda: "wide" in partitions(whole))
    assert partitions(whole)["wide"] < WIDE


async def test_a_snapshot_contains_no_half_created_topic() -> None:
    async with running(MemoryStorage(), in_steps(), tidemark_test_api="true") as whole:
        client = await whole.client()
        for _ in range(5):  # each of them makes the other requests wait for a turn longer
            (await whole.client()).send("CreateTopics", 7, many_topics() | {"validateOnly": True})
        await half_created(whole, client)
        snapshot_id = await whole.node.snapshots.create()
        await whole.node.snapshots.restore(snapshot_id)
        assert partitions(whole) == {"wide": WIDE}


async def half_deleted(whole: Whole, client: Client) -> None:
    names = [f"t{n}" for n in range(TOPICS)] + [f"unknown{n}" for n in range(2_000)]
    client.send("DeleteTopics", 5, {"TopicNames": names, "TimeoutMs": 1_000})
    await until(lambda: len(partitions(whole)) <= TOPICS)


async def about_to_leave(whole: Whole, client: Client) -> None:
    """The member is found, and is still in its group."""
    (member_id,) = whole.state.groups.groups["g"].members
    names = [member_id, *(f"stranger {n}" for n in range(400))]
    members = [{"MemberId": name, "GroupInstanceId": None} for name in names]
    client.send("LeaveGroup", 3, {"GroupId": "g", "Members": members})
    await until(lambda: whole.engine.turns._jobs)


async def half_decoded(whole: Whole, client: Client) -> None:
    """The new offset is in a request that a worker decodes."""
    commit = a_commit("readers", 7, "orders")
    commit["Topics"] += a_commit("readers", 7, "unknown" * 30)["Topics"] * 1000
    client.send("OffsetCommit", 8, commit)
    await until(lambda: whole.engine.turns._working)


async def half_appended(whole: Whole, client: Client) -> None:
    """Some of the records are in their logs."""
    batch = build_batch([LogRecord(0, START_WALL_MS, None, b"new")]).hex()
    data = [{"Name": f"t{n}", "PartitionData": [{"Index": 0, "Records": batch}]} for n in range(TOPICS)]
    client.send("Produce", 8, {"Acks": -1, "TimeoutMs": 1_000, "TopicData": data})
    await until(lambda: whole.state.logs.get("t0", 0).log_end_offset)


def state(whole: Whole) -> Any:
    """Return everything that a client can ask for."""
    broker = whole.state
    return (
        partitions(whole),
        {name: list(group.members) for name, group in broker.groups.groups.items()},
        {place: value.offset for place, value in broker.groups.offsets.of("readers").items()},
        {
            (log.topic, log.partition): log.log_end_offset
            for log in broker.logs.logs()
            if log.topic in partitions(whole)
        },
    )


class Inline(ThreadPoolExecutor):
    """Runs its work in the calling thread, so that a request gets no turns meanwhile."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


@pytest.mark.parametrize("begin", [half_created, half_deleted, about_to_leave, half_decoded, half_appended])
async def test_a_restore_ends_a_request_that_is_worked_on(
    begin: Callable[[Whole, Client], Awaitable[None]],
) -> None:
    clock, storage = WorkingClock(), MemoryStorage()
    async with running(storage, clock, tidemark_test_api="true") as whole:
        client = await whole.client()
        await client.ask("CreateTopics", 7, many_topics())
        await client.make_topic("orders")
        await stable_member(client)
        await client.commit("readers", 3)
        before = state(whole)
        snapshot_id = await whole.node.snapshots.create()
        clock.look_ms = TURN_MS
        await begin(whole, client)
        asyncio.get_running_loop().set_default_executor(Inline())
        await whole.node.snapshots.restore(snapshot_id)
        answered = await client.reader.read()
        assert not answered or begin in (half_created, half_deleted)  # what is half done may end before that
        for _ in range(2_000):
            await asyncio.sleep(0)
        assert state(whole) == before
    async with running(storage, tidemark_test_api="true") as again:
        assert state(again) == before
