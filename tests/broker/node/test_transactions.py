"""The transaction coordinator in a whole node: its log, its start, and what a restart completes."""

from __future__ import annotations

from typing import Final

import pytest

from tests.broker.whole import Whole, running, start
from tidemark.core.result import Result
from tidemark.testing.storage import MemoryStorage
from tidemark.transactions.adding import Adding, add_partitions
from tidemark.transactions.model import COMPLETE_COMMIT, ONGOING, PREPARE_COMMIT, Transaction
from tidemark.transactions.records import changed
from tidemark.transactions.state import Transactions
from tidemark_protocol.batch import control_type, records

TIMEOUT_MS: Final = 60_000
A_FIND: Final = {"KeyType": 1, "CoordinatorKeys": ["tx"]}


async def begin(whole: Whole, *partitions: tuple[str, int]) -> Transactions:
    """Begin a transaction of producer 0 in these partitions."""
    client = await whole.client()
    answered = await client.ask("FindCoordinator", 4, A_FIND)
    assert answered["Coordinators"][0]["ErrorCode"] == 0
    state: Transactions = whole.engine.runtime.state("Transactions")
    producer_id = whole.engine.new_producer_id()
    new = changed(Transaction("tx", 0, producer_id, producer_epoch=0), transaction_timeout_ms=TIMEOUT_MS)
    whole.engine.runtime.accept("Transactions", Result(records=(new,)))
    adding = Adding("tx", producer_id, 0, partitions)
    code = await whole.engine.decisions.decide(
        "Transactions", lambda transactions, now: add_partitions(transactions, now, adding)
    )
    assert code == 0
    return state


def prepare(whole: Whole) -> None:
    """Decide that the transaction commits."""
    transaction = whole.engine.runtime.state("Transactions").by_id["tx"]
    partitions = transaction.partitions
    from tidemark.transactions.records import by_topic

    record = changed(
        transaction, transaction_status=PREPARE_COMMIT, transaction_partitions=by_topic(partitions)
    )
    whole.engine.runtime.accept("Transactions", Result(records=(record,)))


def markers(whole: Whole, topic: str, partition: int = 0) -> list[int]:
    """Return the types of the markers in a log: 0 is an abort, 1 a commit."""
    log = whole.state.logs.get(topic, partition)
    assert log is not None
    return [
        control_type(entry.key)
        for stored in log.batches()
        if stored.header.is_control
        for entry in records(stored.buf, stored.start, stored.header)
    ]


@pytest.mark.asyncio
async def test_a_broker_without_transactions_has_no_coordinator_until_a_client_needs_it() -> None:
    async with running(MemoryStorage()) as whole:
        client = await whole.client()
        await client.find()
        assert whole.engine.transactions is None
        await client.ask("FindCoordinator", 4, A_FIND)
        assert whole.engine.transactions is not None


@pytest.mark.asyncio
async def test_an_end_writes_markers_to_every_partition_that_exists_and_is_recorded() -> None:
    async with running(MemoryStorage()) as whole:
        await (await whole.client()).make_topic("orders", 2)
        await (await whole.client()).find()
        state = await begin(whole, ("orders", 0), ("orders", 1), ("deleted", 0), ("__consumer_offsets", 0))
        prepare(whole)
        assert whole.engine.transactions is not None
        await whole.engine.transactions.settled()
        assert state.by_id["tx"].status is COMPLETE_COMMIT
        assert markers(whole, "orders", 0) == markers(whole, "orders", 1) == [1]
        assert markers(whole, "__consumer_offsets") == [1]


@pytest.mark.asyncio
async def test_an_open_transaction_and_one_that_owes_markers_survive_a_restart() -> None:
    storage = MemoryStorage()
    async with running(storage) as whole:
        await (await whole.client()).make_topic("orders")
        state = await begin(whole, ("orders", 0))
        before = state.by_id["tx"]
    async with running(storage) as whole:
        state = whole.engine.runtime.state("Transactions")
        assert state.by_id == {"tx": before}
        assert state.by_id["tx"].status is ONGOING
        assert state.timeouts.get("tx") is not None
        prepare(whole)
        await whole.engine.flusher.drain()
    whole = await start(storage)
    assert whole.engine.transactions is not None
    await whole.engine.transactions.settled()
    assert whole.engine.transactions.transactions.by_id["tx"].status is COMPLETE_COMMIT
    assert set(markers(whole, "orders")) == {1}
    await whole.node.stop()


@pytest.mark.asyncio
async def test_no_producer_id_of_a_transactional_id_is_assigned_again_if_its_block_was_lost() -> None:
    storage = MemoryStorage()
    async with running(storage) as whole:
        state = await begin(whole)
        lost = changed(state.by_id["tx"], producer_id=7_777)
        whole.engine.runtime.accept("Transactions", Result(records=(lost,)))
        await whole.engine.flusher.drain()
    async with running(storage) as whole:
        assert whole.engine.new_producer_id() == 7_778
