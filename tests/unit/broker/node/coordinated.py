"""A transaction of producer 0 with the transactional id tx, in a whole node."""

from __future__ import annotations

from typing import Final

from tests.unit.broker.whole import Whole
from tidemark.core.decision import Decision
from tidemark.transactions.model import Transaction, changed
from tidemark.transactions.state import Producer, Transactions
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
    whole.engine.runtime.accept("Transactions", Decision(records=(new,)))
    decisions = whole.engine.runtime
    added = state.add_partitions(decisions.now(), "tx", producer_id, 0, partitions)
    assert decisions.apply("Transactions", added) == 0
    await decisions.durable()
    return state


def prepare(whole: Whole, *, committed: bool = True) -> None:
    """Decide that the transaction ends."""
    state = whole.engine.runtime.state("Transactions")
    decided = state.end_transaction(
        whole.engine.runtime.now(), "tx", 0, 0,
        committed=committed, client_version=0, new_producer_id=whole.engine.new_producer_id,
    )  # fmt: skip
    assert decided.response == Producer(producer_id=0, producer_epoch=0)
    whole.engine.runtime.accept("Transactions", decided)


async def settled(whole: Whole) -> None:
    assert whole.engine.transactions is not None
    await whole.engine.transactions.settled()


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
