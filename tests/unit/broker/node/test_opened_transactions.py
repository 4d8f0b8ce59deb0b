"""Transactions in a directory that Apache Kafka 4.3.1 wrote: held as found, aborted after `resume`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from tests.kafkas_directory import unpacked
from tests.unit.broker.node.coordinated import A_FIND, begin, markers, settled
from tests.unit.broker.whole import Lines, Whole, start
from tidemark.config import Config
from tidemark.core.decision import Decision
from tidemark.ids import RandomIds
from tidemark.log.storage import FileStorage
from tidemark.log.takeover import Opening, read_origins
from tidemark.node.environment import Environment, Host
from tidemark.node.node import Node
from tidemark.transactions.model import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    ONGOING,
    PREPARE_COMMIT,
    Transaction,
    TransactionStatus,
    changed,
)
from tidemark.transactions.state import Transactions
from tidemark_testing.clock import LoopClock

DAY_MS: Final = 86_400_000  # the timeout of the open transactions
OPEN: Final = {"tx-pending", "tx-doomed", "tx-done"}
PARTITION: Final = ("__consumer_offsets", 1)


@asynccontextmanager
async def opened(tmp_path: Path, found: Path | None = None) -> AsyncIterator[Whole]:
    """Open this directory as found, or else that of Kafka."""
    found = found or unpacked(tmp_path)
    settings = {
        "listeners": "PLAINTEXT://127.0.0.1:0",
        "tidemark.http.listener": "",
        "tidemark.test.api": "true",
    }
    clock, lines = LoopClock(), Lines()
    host = Host(clock, RandomIds(), FileStorage(tmp_path / "ours"))
    opening = Opening(read_origins([found]))
    node = Node(Environment(Config(settings), lines, host, opening))
    await node.start()
    whole = Whole(node, clock, lines)
    try:
        yield whole
    finally:
        for client in whole._clients:
            client.writer.close()
        await node.stop()


def transactions(whole: Whole) -> Transactions:
    assert whole.engine.transactions is not None
    return whole.engine.transactions.transactions


def with_status(whole: Whole, status: TransactionStatus) -> set[str]:
    return {name for name, each in transactions(whole).by_id.items() if each.status is status}


async def test_open_transactions_are_held_until_resume_and_then_time_out(tmp_path: Path) -> None:
    async with opened(tmp_path) as whole:
        assert with_status(whole, ONGOING) == OPEN
        assert len(transactions(whole).by_id) == 12
        assert all(PARTITION in transactions(whole).by_id[name].partitions for name in OPEN)
        pending = [name for name in whole.state.groups.groups if whole.state.groups.offsets.pending(name)]
        assert pending
        ends = whole.state.logs.ends(*PARTITION)
        await whole.time.advance(3 * DAY_MS, cleanup=False, sessions=True, logs=False)
        assert with_status(whole, ONGOING) == OPEN
        assert whole.state.logs.ends(*PARTITION) == ends

        await whole.time.resume()
        await whole.time.advance(10_001, cleanup=False, sessions=True, logs=False)
        assert not with_status(whole, ONGOING)
        assert with_status(whole, COMPLETE_ABORT) >= OPEN
        assert not any(whole.state.groups.offsets.pending(name) for name in pending)


async def test_transactions_time_out_in_a_move_although_work_waits_for_a_turn(tmp_path: Path) -> None:
    async with opened(tmp_path) as whole:
        turns, working = whole.engine.turns, [True]

        async def long_work() -> None:
            while working:
                await turns.rest()

        await whole.time.resume()
        tasks = [asyncio.create_task(long_work()) for _ in range(20)]
        await whole.time.advance(3 * DAY_MS, cleanup=False, sessions=True, logs=False)
        aborted = with_status(whole, COMPLETE_ABORT)
        working.clear()
        await asyncio.gather(*tasks)
        assert aborted >= OPEN


async def test_a_transaction_that_is_resumed_in_time_keeps_the_rest_of_its_timeout(tmp_path: Path) -> None:
    async with opened(tmp_path) as whole:
        newest = max(transactions(whole).by_id[name].start_ms for name in OPEN)
        left_ms = newest + DAY_MS - whole.state.clock.wall_ms()
        assert 0 < left_ms < DAY_MS
        await whole.time.resume()
        await whole.time.advance(left_ms - 1_000, cleanup=False, sessions=True, logs=False)
        assert with_status(whole, ONGOING)
        await whole.time.advance(20_000, cleanup=False, sessions=True, logs=False)
        assert not with_status(whole, ONGOING)


async def test_a_restore_brings_back_held_transactions(tmp_path: Path) -> None:
    async with opened(tmp_path) as whole:
        as_found = await whole.node.snapshots.create()
        async with whole.node.lock:
            whole.node.current.resume()
        await whole.time.advance(3 * DAY_MS, cleanup=True, sessions=True, logs=False)
        assert not with_status(whole, ONGOING)
        aborted = await whole.node.snapshots.create()

        await whole.node.snapshots.restore(as_found)
        assert whole.node.current.held
        assert with_status(whole, ONGOING) == OPEN
        await whole.time.advance(3 * DAY_MS, cleanup=False, sessions=True, logs=False)
        assert with_status(whole, ONGOING) == OPEN

        await whole.node.snapshots.restore(aborted)
        assert not with_status(whole, ONGOING)


async def test_a_directory_of_kafka_keeps_its_level_of_transaction_version(tmp_path: Path) -> None:
    async with opened(tmp_path) as whole:
        assert whole.state.cluster.transaction_version == 2
        assert whole.engine.new_producer_id() > max(
            each.producer_id for each in transactions(whole).by_id.values()
        )


async def test_markers_that_are_owed_wait_for_resume(tmp_path: Path) -> None:
    found = tmp_path / "found"
    first = await start(FileStorage(found))
    await (await first.client()).make_topic("orders")
    state = await begin(first, ("orders", 0))
    decided = state.end_transaction(
        first.engine.runtime.now(),
        "tx",
        0,
        0,
        committed=True,
        client_version=0,
        new_producer_id=first.engine.new_producer_id,
    )
    # The decision reaches the log, and the node dies before its consequences do.
    first.engine.runtime.machine("Transactions").write(decided.records, first.state.clock.wall_ms())
    await first.engine.group_commit.drain()
    for client in first._clients:
        client.writer.close()
    await first.node.stop()

    async with opened(tmp_path, found) as whole:
        assert with_status(whole, PREPARE_COMMIT) == {"tx"}
        assert await (await whole.client()).ask("FindCoordinator", 4, A_FIND)
        unused = changed(Transaction("other", 0, 9, producer_epoch=0))
        whole.engine.runtime.accept("Transactions", Decision(records=(unused,)))
        await whole.engine.group_commit.drain()
        assert with_status(whole, PREPARE_COMMIT) == {"tx"}
        assert markers(whole, "orders") == []

        await whole.time.resume()
        await settled(whole)
        assert with_status(whole, COMPLETE_COMMIT) == {"tx"}
        assert markers(whole, "orders") == [1]
