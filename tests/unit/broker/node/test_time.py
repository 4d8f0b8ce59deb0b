"""Moves of time on a running node: which are allowed, their effects, and what a restart keeps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.unit.broker.group_story import subscription
from tests.unit.broker.whole import Client, Whole, running, start
from tidemark.clock import MovableClock
from tidemark.node.incarnation import MovesCorrupt
from tidemark.node.time import ClockRefused, MoveResult, MovingTime
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_testing.clock import START_WALL_MS, LoopClock
from tidemark_testing.storage import FaultyStorage, MemoryStorage

YEAR_10000_MS = 253_402_300_800_000  # date -u -d 10000-01-01 +%s
DAY_MS = 86_400_000
RETENTION_MS = 7 * DAY_MS
WITH: dict[str, bool] = {"cleanup": True, "sessions": False, "logs": False}
SILENT: dict[str, bool] = {**WITH, "cleanup": False}
TEST_API = {"tidemark_test_api": "true", "group_initial_rebalance_delay_ms": "0"}


def time_of(whole: Whole) -> MovingTime:
    return whole.time


@asynccontextmanager
async def a_node(storage: MemoryStorage | None = None) -> AsyncIterator[tuple[Whole, Client, MovingTime]]:
    """Run a node that has the topic orders, and yield it with a client and its time."""
    async with running(storage or MemoryStorage(), **TEST_API) as whole:
        client = await whole.client()
        assert await client.make_topic() == 0
        await client.find()
        yield whole, client, time_of(whole)


class SlowDisk(MemoryStorage):
    """A disk on which each write takes a second of the host's time."""

    clock: LoopClock | None = None

    def about_to(self, operation: str) -> None:
        if self.clock is not None:
            self.clock.advance_wall(1_000)


async def test_the_pass_uses_the_requested_moment_even_if_the_clock_runs_on() -> None:
    disk = SlowDisk()

    async with a_node(disk) as (whole, client, time):
        assert await client.commit("g", 5) == 0
        due_ms = whole.state.clock.wall_ms() + RETENTION_MS
        disk.clock = whole.clock
        before = await time.set_to(due_ms - 1, **WITH)
        assert (before.now_ms, before.offsets) == (due_ms - 1, [])
        disk.clock = None
        assert whole.state.clock.wall_ms() > due_ms
        at = await time.set_to(due_ms, **SILENT)
        assert at.now_ms == due_ms


@pytest.mark.parametrize(
    ("how", "first"),
    [({}, 0), ({"logs": True}, 3), ({"logs": True, "cleanup": False}, 0)],
)
async def test_aged_records_are_deleted_by_the_move(how: dict[str, bool], first: int) -> None:
    async with a_node() as (whole, client, time):
        made = [LogRecord(at, START_WALL_MS, b"k", b"v", ()) for at in range(3)]
        data = [{"Name": "orders", "PartitionData": [{"Index": 0, "Records": build_batch(made).hex()}]}]
        await client.ask("Produce", 7, {"Acks": -1, "TimeoutMs": 1000, "TopicData": data})
        await time.advance(RETENTION_MS + 1, **{**WITH, **how})  # log.retention.hours is a week, too
        assert whole.state.logs.ends("orders", 0) == (first, 3)


async def test_a_move_returns_what_it_removed() -> None:
    async with a_node() as (_, client, time):
        assert await client.commit("g", 5) == 0
        moved = await time.advance(RETENTION_MS, **WITH)
        assert (moved.now_ms, moved.moved_ms) == (START_WALL_MS + RETENTION_MS, RETENTION_MS)
        assert [(each.group, each.rule) for each in moved.offsets] == [("g", "standalone")]
        assert moved.groups == ["g"]


async def test_without_a_pass_due_offsets_stay() -> None:
    async with a_node() as (_, client, time):
        assert await client.commit("g", 5) == 0
        moved = await time.advance(RETENTION_MS, **SILENT)
        assert (moved.offsets, moved.groups) == ([], [])
        assert await client.committed("g") == 5
        assert len((await time.cleanup()).offsets) == 1


async def join(client: Client, group: str = "g") -> str:
    protocols = [{"Name": "range", "Metadata": subscription(["orders"]).hex()}]
    asked = {
        "GroupId": group,
        "SessionTimeoutMs": 10_000,
        "RebalanceTimeoutMs": 60_000,
        "MemberId": "",
        "ProtocolType": "consumer",
        "Protocols": protocols,
    }
    answered = await client.ask("JoinGroup", 3, asked)
    assert answered["ErrorCode"] == 0
    member: str = answered["MemberId"]
    return member


async def test_sessions_run_only_on_request_and_then_in_order() -> None:
    async with a_node() as (whole, client, time):
        member = await join(client)
        moved = await time.advance(DAY_MS, **SILENT)
        assert (moved.sessions, whole.state.clock.steady_ms()) == ([], 0)
        moved = await time.advance(DAY_MS, **{**SILENT, "sessions": True})
        assert moved.sessions == [("g", member)]
        group = whole.state.groups.groups["g"]
        assert (group.state.value, group.members) == ("Empty", {})
        # Its leader never synced, so it is removed a rebalance timeout after the join, not after the day.
        assert group.state_since_ms is not None
        assert START_WALL_MS + DAY_MS < group.state_since_ms <= START_WALL_MS + DAY_MS + 60_000


async def test_offsets_of_an_ended_session_expire_in_the_same_move() -> None:
    async with a_node() as (_, client, time):
        await join(client)
        moved = await time.advance(DAY_MS, **{**WITH, "sessions": True})
        assert moved.groups == ["g"]


async def refused(time: MovingTime, ms: int, **how: bool) -> str:
    with pytest.raises(ClockRefused) as error:
        await time.advance(ms, **{**SILENT, **how})
    return str(error.value)


async def test_time_does_not_move_to_before_stored_data() -> None:
    async with a_node() as (_, client, time):
        await time.advance(DAY_MS, **SILENT)
        assert await client.commit("g", 5) == 0
        await time.advance(DAY_MS, **SILENT)
        told = await refused(time, -DAY_MS - 1)
        assert "group 'g'" in told
        assert (await time.advance(-DAY_MS, **SILENT)).now_ms == START_WALL_MS + DAY_MS


async def test_time_does_not_move_to_before_a_group_ended_or_a_topic_was_created() -> None:
    async with a_node() as (_, client, time):
        assert "the creation of topic 'orders'" in await refused(time, -1)
        await time.advance(DAY_MS, **SILENT)
        member = await join(client)
        left = await client.ask("LeaveGroup", 0, {"GroupId": "g", "MemberId": member})
        assert left["ErrorCode"] == 0
        assert "group 'g'" in await refused(time, -1)
        await time.advance(DAY_MS, **SILENT)
        assert await client.make_topic("later") == 0
        assert "the creation of topic 'later'" in await refused(time, -1)


async def test_a_commit_for_the_future_does_not_prevent_a_move_back() -> None:
    async with a_node() as (whole, client, time):
        await time.advance(DAY_MS, **SILENT)
        future_ms = whole.state.clock.wall_ms() + RETENTION_MS
        partition = {"PartitionIndex": 0, "CommittedOffset": 5, "CommitTimestamp": future_ms}
        asked = {"GroupId": "g", "Topics": [{"Name": "orders", "Partitions": [partition]}]}
        answered = await client.ask("OffsetCommit", 1, {**asked, "GenerationIdOrMemberEpoch": -1})
        assert answered["Topics"][0]["Partitions"][0]["ErrorCode"] == 0
        assert (await time.advance(-DAY_MS, **SILENT)).now_ms == START_WALL_MS


async def test_sessions_cannot_run_backwards_and_time_is_bounded() -> None:
    async with a_node() as (_, _, time):
        await time.advance(DAY_MS, **SILENT)
        assert "sessions cannot run backwards" in await refused(time, -1, sessions=True)
        assert "time ends at 9999-12-31T23:59:59.999Z" in await refused(time, 2**62)
        assert "time begins in 1970" in await refused(time, -(2**53))
        assert time.state()["now_ms"] == START_WALL_MS + DAY_MS


async def test_time_ends_with_the_year_9999() -> None:
    async with a_node() as (_, _, time):
        left_ms = YEAR_10000_MS - 1 - START_WALL_MS
        assert "time ends at 9999-12-31T23:59:59.999Z" in await refused(time, left_ms + 1)
        assert time.state()["moved_ms"] == 0
        assert (await time.advance(left_ms, **SILENT)).now_ms == YEAR_10000_MS - 1
        assert "time ends" in await refused(time, 1)


async def test_the_time_by_which_user_data_ages_ends_with_the_year_9999_too() -> None:
    async with a_node() as (_, _, time):
        with_logs = {**SILENT, "logs": True}
        half_ms = (YEAR_10000_MS - START_WALL_MS) // 2
        await time.advance(half_ms, **with_logs)
        await time.set_to(START_WALL_MS, **SILENT)
        await time.advance(half_ms - 1, **with_logs)
        await time.set_to(START_WALL_MS, **SILENT)
        assert "time ends" in await refused(time, DAY_MS, logs=True)
        assert (await time.advance(DAY_MS, **SILENT)).now_ms == START_WALL_MS + DAY_MS


async def test_the_next_pass_is_an_interval_away_however_time_is_moved() -> None:
    async with a_node() as (whole, _, time):
        assert time.state()["next_cleanup_ms"] == START_WALL_MS + 600_000
        await time.advance(DAY_MS, **{**WITH, "sessions": True})
        assert time.state()["next_cleanup_ms"] == START_WALL_MS + DAY_MS + 600_000
        whole.clock.advance(599_999)
        assert time.state()["next_cleanup_ms"] == START_WALL_MS + DAY_MS + 600_000


async def moved_and_restarted(
    move: Callable[[MovingTime], Awaitable[Any]], look: Callable[[Whole], None], **settings: str
) -> None:
    """Kill the node, start it a minute later on the same directory, and call look with it."""
    storage = FaultyStorage(seed=1)
    whole = await start(storage, **TEST_API)
    await move(time_of(whole))
    await whole.abandon()
    storage.crash()
    again = await start(storage, LoopClock(START_WALL_MS + 60_000), **(settings or TEST_API))
    look(again)
    await again.node.stop()


async def test_a_restart_keeps_moved_time() -> None:
    def look(whole: Whole) -> None:
        assert time_of(whole).state()["now_ms"] == START_WALL_MS + DAY_MS + 60_000
        assert time_of(whole).state()["moved_ms"] == DAY_MS

    await moved_and_restarted(lambda time: time.advance(DAY_MS, **SILENT), look)


async def test_a_restart_keeps_frozen_time() -> None:
    async def move(time: MovingTime) -> MoveResult:
        await time.freeze()
        return await time.advance(5, **SILENT)

    def look(whole: Whole) -> None:
        state = time_of(whole).state()
        assert (state["now_ms"], state["frozen"]) == (START_WALL_MS + 5, True)

    await moved_and_restarted(move, look)


async def test_without_the_test_api_moved_time_is_ignored_and_logged() -> None:
    def look(whole: Whole) -> None:
        assert not isinstance(whole.state.clock, MovableClock)
        assert whole.state.clock.wall_ms() == START_WALL_MS + 60_000
        (line,) = whole.lines.of("moved time ignored")
        assert line["moved_ms"] == DAY_MS

    await moved_and_restarted(
        lambda time: time.advance(DAY_MS, **SILENT), look, group_initial_rebalance_delay_ms="0"
    )


async def test_a_move_that_cannot_be_stored_stops_the_broker_and_is_not_kept() -> None:
    storage = FaultyStorage(seed=1)
    whole = await start(storage, **TEST_API)
    storage.fail_next = {"write": 0}
    with pytest.raises(OSError, match="the disk failed"):
        await time_of(whole).advance(DAY_MS, **SILENT)
    assert "the disk failed" in await whole.node.failed
    await whole.abandon()
    storage.crash()
    again = await start(storage, LoopClock(START_WALL_MS + 60_000), **TEST_API)
    assert time_of(again).state()["moved_ms"] == 0
    await again.node.stop()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"wall_ms": "1"}', b'{"days": 1}', b'{"wall_ms": 1.5}']
)
async def test_a_damaged_file_is_reported(content: bytes) -> None:
    storage = MemoryStorage()
    storage.write("tidemark.clock", content)
    with pytest.raises(MovesCorrupt):
        await start(storage, **TEST_API)
