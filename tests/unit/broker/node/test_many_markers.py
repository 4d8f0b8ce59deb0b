"""The end of a transaction with many partitions delays no other client. Its syncs are held by the test."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.unit.broker.node.coordinated import begin, markers, prepare, settled
from tests.unit.broker.whole import Whole, WorkingClock, running
from tidemark.log.errors import OutOfDescriptors
from tidemark.log.manager import RETRY_MS, SYNCS_AT_ONCE
from tidemark.log.partition import PartitionLog
from tidemark.transactions.model import COMPLETE_COMMIT, PREPARE_COMMIT
from tidemark.turns import TURN_MS
from tidemark.workers import R, SystemWorkers
from tidemark_testing.storage import MemoryStorage

PARTITIONS: Final = 3 * SYNCS_AT_ONCE + 1


class HeldSyncs(SystemWorkers):
    """Runs no sync of a log before `release`. error: their result."""

    def __init__(self) -> None:
        self.held: list[Callable[[], None]] = []
        self.error: OSError | None = None

    def run(self, work: Callable[..., R], *arguments: Any) -> asyncio.Future[R]:
        if not any(isinstance(each, PartitionLog) for each in arguments):
            return super().run(work, *arguments)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.held.append(lambda: future.set_result(self.error or work(*arguments)))
        return future

    def release(self) -> None:
        held, self.held = self.held, []
        for each in held:
            each()


def hold_syncs(whole: Whole) -> HeldSyncs:
    workers = whole.state.logs.workers = HeldSyncs()
    return workers


async def ending(whole: Whole) -> None:
    """End a transaction in all partitions of a topic."""
    client = await whole.client()
    await client.make_topic("orders", PARTITIONS)
    await begin(whole, *(("orders", index) for index in range(PARTITIONS)))
    prepare(whole)


def written(whole: Whole) -> int:
    return sum(markers(whole, "orders", index) == [1] for index in range(PARTITIONS))


async def until(reached: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not reached():
            await asyncio.sleep(0)


async def test_markers_are_synced_a_few_at_a_time_and_responses_do_not_wait_for_them(whole: Whole) -> None:
    workers = hold_syncs(whole)
    await ending(whole)
    other = await whole.client()
    await other.find()
    state = whole.engine.runtime.state("Transactions")
    for slices in range(1, PARTITIONS // SYNCS_AT_ONCE + 1):
        await until(lambda: workers.held)
        assert await other.commit("g", slices) == 0  # its response waits for a flush
        assert len(workers.held) == SYNCS_AT_ONCE
        assert written(whole) == slices * SYNCS_AT_ONCE
        assert state.by_id["tx"].status is PREPARE_COMMIT
        workers.release()
    await until(lambda: workers.held)
    workers.release()
    await settled(whole)
    assert state.by_id["tx"].status is COMPLETE_COMMIT
    assert written(whole) == PARTITIONS


async def test_writing_markers_pauses_when_a_turn_is_used_up() -> None:
    async with running(MemoryStorage(), WorkingClock(look_ms=TURN_MS), tidemark_sync="never") as whole:
        await ending(whole)
        await until(lambda: written(whole))
        most, before = 0, written(whole)
        while before < PARTITIONS:
            await asyncio.sleep(0)
            most, before = max(most, written(whole) - before), written(whole)
        assert most <= 2
        await settled(whole)


@pytest.mark.parametrize("sync", ["interval", "never"])
async def test_only_sync_always_waits_for_the_markers(sync: str) -> None:
    async with running(MemoryStorage(), tidemark_sync=sync) as whole:
        workers = hold_syncs(whole)
        await ending(whole)
        await settled(whole)
        assert not workers.held
        scheduled = [log for log in whole.state.logs.to_sync(0) if log.topic == "orders"]
        assert len(scheduled) == (PARTITIONS if sync == "interval" else 0)


async def test_a_marker_that_cannot_be_synced_stops_the_broker(whole: Whole) -> None:
    workers = hold_syncs(whole)
    workers.error = OSError(errno.EIO, "the disk failed")
    await ending(whole)
    await until(lambda: workers.held)
    workers.release()
    assert "the disk failed" in await asyncio.wait_for(whole.node.failed, 10)
    assert whole.engine.runtime.state("Transactions").by_id["tx"].status is PREPARE_COMMIT


async def test_markers_whose_log_finds_no_descriptor_are_written_later(whole: Whole) -> None:
    workers = hold_syncs(whole)
    workers.error = OutOfDescriptors(OSError(errno.EMFILE, "too many open files"))
    await ending(whole)
    await until(lambda: workers.held)
    workers.release()
    workers.error = None
    state = whole.engine.runtime.state("Transactions")

    def is_complete() -> bool:
        whole.clock.advance(RETRY_MS)
        workers.release()
        return state.by_id["tx"].status is COMPLETE_COMMIT

    await until(is_complete)
    assert written(whole) == PARTITIONS


async def test_waiting_for_markers_does_not_spin_while_they_are_synced(
    whole: Whole, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = hold_syncs(whole)
    await ending(whole)
    await until(lambda: workers.held)
    assert whole.engine.transactions is not None
    drains = 0
    drain = whole.engine.group_commit.drain

    async def counted() -> None:
        nonlocal drains
        drains += 1
        await drain()

    monkeypatch.setattr(whole.engine.group_commit, "drain", counted)
    finishing = asyncio.ensure_future(whole.engine.settled())
    for _ in range(100):
        await asyncio.sleep(0)
    assert drains <= 1
    assert not finishing.done()
    while not finishing.done():
        workers.release()
        await asyncio.sleep(0)
    await finishing
    assert written(whole) == PARTITIONS
