"""The cleanup pass on a running broker: when it runs, and what it writes, counts and logs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from tests.unit.broker.whole import Client, Whole, running
from tidemark.cleanup.offset_expiry import Expired, OffsetExpiry
from tidemark.clock import Clock, turn
from tidemark.core.decision import Decision, Record
from tidemark.turns import Pace
from tidemark_protocol.batch import headers, records
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_testing.storage import MemoryStorage

RETENTION_MS = 7 * 86_400_000
INTERVAL_MS = 600_000
PASS_NOTHING_MAX = 50  # turns of the loop that a pass over a few groups needs


@asynccontextmanager
async def a_node(**settings: str) -> AsyncIterator[tuple[Whole, Client]]:
    """Run a node that has the topic orders, and yield it with a client."""
    async with running(MemoryStorage(), **settings) as whole:
        client = await whole.client()
        assert await client.make_topic() == 0
        await client.find()
        yield whole, client


async def let_it_run() -> None:
    for _ in range(PASS_NOTHING_MAX):
        await asyncio.sleep(0)


async def test_the_first_pass_runs_an_interval_after_the_start_and_each_after_the_last() -> None:
    async with a_node() as (whole, _):
        passes = whole.metrics
        for runs in range(3):
            whole.clock.advance(INTERVAL_MS - 1)
            await let_it_run()
            assert passes.cleanup_runs == runs
            whole.clock.advance(1)
            await let_it_run()
            assert passes.cleanup_runs == runs + 1


async def test_the_interval_and_the_retention_are_settings() -> None:
    async with a_node(offsets_retention_minutes="1", offsets_retention_check_interval_ms="1000") as (
        whole,
        client,
    ):
        assert await client.commit("g", 5) == 0
        whole.clock.advance(60_000 - 1_000)
        await let_it_run()
        assert await client.committed("g") == 5
        whole.clock.advance(1_000)
        await let_it_run()
        assert await client.committed("g") == -1


async def test_an_offset_is_served_until_the_pass_after_it_is_due() -> None:
    async with a_node(offsets_retention_check_interval_ms="1000") as (whole, client):
        assert await client.commit("g", 5) == 0
        whole.clock.advance_wall(RETENTION_MS)
        assert await client.committed("g") == 5
        whole.clock.advance(1_000)
        await let_it_run()
        assert await client.committed("g") == -1


async def test_removals_of_a_pass_are_counted_kept_and_logged() -> None:
    async with a_node() as (whole, client):
        assert await client.commit("g", 5) == 0
        committed_ms = whole.clock.wall_ms()
        whole.clock.advance_wall(RETENTION_MS + 7)
        expired = await whole.engine.offset_expiry.run()
        (removal,) = expired.offsets
        assert (removal.group, removal.topic, removal.partition, removal.offset) == ("g", "orders", 0, 5)
        assert (removal.rule, removal.since_ms) == ("standalone", committed_ms)
        assert (removal.due_ms, removal.at_ms) == (
            committed_ms + RETENTION_MS,
            committed_ms + RETENTION_MS + 7,
        )
        assert expired.groups == ["g"]
        assert list(whole.engine.removals) == [removal]
        metrics = whole.metrics
        assert metrics.offsets_expired.count == 1
        assert metrics.offset_expirations == {"standalone": 1}
        assert metrics.offsets_removed == {"expired": 1}
        (line,) = whole.lines.of("offset removed")
        assert (line["group"], line["rule"], line["cause"]) == ("g", "standalone", "expired")


async def test_a_pass_uses_the_time_that_it_is_given() -> None:
    async with a_node() as (whole, client):
        assert await client.commit("g", 5) == 0
        due_ms = whole.clock.wall_ms() + RETENTION_MS
        whole.clock.advance_wall(2 * RETENTION_MS)
        assert (await whole.engine.offset_expiry.run(due_ms - 1)).offsets == []
        assert len((await whole.engine.offset_expiry.run(due_ms)).offsets) == 1


async def appended(whole: Whole, passes: Callable[[], Awaitable[Any]]) -> list[list[Any]]:
    """Return the record keys of each batch of `__consumer_offsets` that passes() writes."""
    assert whole.engine.group_commit is not None
    await whole.engine.group_commit.drain()
    log = whole.state.logs.get("__consumer_offsets", 0)
    assert log is not None
    before = log.log_end_offset
    await passes()
    await whole.engine.group_commit.drain()
    data = log.read(before, 1 << 20, up_to=log.log_end_offset, at_least_one_batch=False)
    return [
        [(record.key, record.value) for record in records(data, position, header)]
        for position, header in headers(data)
    ]


async def test_a_pass_that_finds_nothing_writes_nothing() -> None:
    async with a_node() as (whole, client):
        assert await client.commit("g", 5) == 0
        assert await appended(whole, whole.engine.offset_expiry.run) == []


async def test_a_short_pass_writes_one_batch_of_offsets_and_then_their_group() -> None:
    async with a_node() as (whole, client):
        assert await client.make_topic("payments") == 0
        for group in ("a", "b"):
            for topic in ("orders", "payments"):
                assert await client.commit(group, 5, topic) == 0
        whole.clock.advance_wall(RETENTION_MS)
        (batch,) = await appended(whole, whole.engine.offset_expiry.run)
        codec = [(key[1], value) for key, value in batch]
        offset, group_record = 1, 2  # the keys' versions: record types
        assert [kind for kind, _ in codec] == [offset, offset, group_record] * 2
        assert all(value is None for _, value in codec)


async def test_offsets_with_names_that_fill_a_batch_expire() -> None:
    """Fifty tombstones of a group whose name has 30,000 letters do not fit in a batch."""

    async with a_node() as (whole, client):
        assert await client.make_topic("wide", 50) == 0
        name = "g" * 30_000
        topic_id = whole.state.cluster.topics["wide"].topic_id
        for partition in range(50):
            value = OffsetCommitValue(1, commit_timestamp=whole.clock.wall_ms(), topic_id=topic_id)
            record = Record(OffsetCommitKey(name, "wide", partition), value)
            whole.engine.runtime.accept("Groups", Decision(records=(record,)))
        whole.clock.advance_wall(RETENTION_MS)
        expired = await whole.engine.offset_expiry.run()
        assert (len(expired.offsets), expired.groups) == (50, [name])


async def test_a_pass_that_cannot_write_is_logged_and_the_next_one_runs() -> None:
    """No tombstone fits into a batch of 61 bytes, which is the header's size."""

    storage = MemoryStorage()
    async with running(storage) as whole:
        client = await whole.client()
        assert await client.make_topic() == 0
        await client.find()
        assert await client.commit("g", 5) == 0
        setting = {"Name": "max.message.bytes", "ConfigOperation": 0, "Value": "61"}
        topic = {"ResourceType": 2, "ResourceName": "__consumer_offsets", "Configs": [setting]}
        answered = await client.ask("IncrementalAlterConfigs", 1, {"Resources": [topic]})
        assert answered["Responses"][0]["ErrorCode"] == 0
    async with running(storage, offsets_retention_minutes="1") as whole:
        await let_it_run()
        for times in (1, 2):
            whole.clock.advance(INTERVAL_MS)
            await let_it_run()
            assert len(whole.lines.of("a scheduled task failed")) == times
            assert whole.engine.housekeeping.next_expiry_at_ms is not None
        assert whole.state.groups.offsets.count == 1


class EveryTurn(Pace):
    def spend(self, cost: int = 1) -> bool:
        return True

    async def rest(self) -> None:
        await turn()


async def test_one_pass_runs_at_a_time() -> None:
    async with a_node() as (whole, client):
        for group in ("a", "b", "c"):
            assert await client.commit(group, 5) == 0
        whole.clock.advance_wall(RETENTION_MS)
        state, engine = whole.state, whole.engine
        passes = OffsetExpiry(state.groups, state.clock, engine.metrics, engine.accept_groups, EveryTurn)
        both: tuple[Expired, Expired] = await asyncio.gather(passes.run(), passes.run())
        assert [len(each.offsets) for each in both] == [3, 0]


async def test_an_offset_that_is_committed_during_a_pass_is_kept() -> None:
    async with a_node() as (whole, client):
        for group in ("a", "b", "c"):
            assert await client.commit(group, 5) == 0
        whole.clock.advance_wall(RETENTION_MS)
        state, engine = whole.state, whole.engine

        class CommittedInBetween(EveryTurn):
            """Client b commits as soon as the pass first lets requests run."""

            done = False

            async def rest(self) -> None:
                if not self.done:
                    self.done = True
                    assert await client.commit("b", 6) == 0

        def pace(clock: Clock) -> Pace:
            return CommittedInBetween(clock)

        passes = OffsetExpiry(state.groups, state.clock, engine.metrics, engine.accept_groups, pace)
        expired = await passes.run()
        assert sorted(each.group for each in expired.offsets) == ["a", "c"]
        assert sorted(expired.groups) == ["a", "c"]
        assert await client.committed("b") == 6
