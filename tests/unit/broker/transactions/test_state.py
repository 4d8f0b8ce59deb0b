"""The state of transactional ids: what Kafka's TransactionLog.read and completeTransitionTo restore."""

from __future__ import annotations

from tidemark.core.context import Now
from tidemark.core.decision import Decision, Record
from tidemark.transactions.model import COMPLETE_COMMIT, EMPTY, ONGOING, PREPARE_COMMIT
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.transaction_log import (
    PartitionsSchema,
    TransactionLogKey,
    TransactionLogValue,
)

WALL_MS = 1_795_000_000_000


def value(status: int, *partitions: int, **more: int) -> TransactionLogValue:
    return TransactionLogValue(
        producer_id=7,
        producer_epoch=3,
        transaction_timeout_ms=60_000,
        transaction_status=status,
        transaction_partitions=[PartitionsSchema("t", [*partitions])] if partitions else [],
        transaction_last_update_timestamp_ms=WALL_MS,
        transaction_start_timestamp_ms=WALL_MS,
        **more,
    )


def loaded(*values: TransactionLogValue | None) -> Transactions:
    transactions = Transactions()
    transactions.serve(1)
    for each in values:
        transactions.replay(Record(TransactionLogKey("tx"), each))
    transactions.loaded([0], Now(WALL_MS + 10_000, 500))
    return transactions


def applied(transactions: Transactions, result: Decision[object]) -> None:
    for record in result.records:
        transactions.replay(record)
    for change in result.after:
        change()


def test_open_transaction_has_the_rest_of_its_timeout_after_a_restart() -> None:
    assert loaded(value(ONGOING, 0)).timeouts.next() == 500 + 50_000


def test_timeout_after_a_restart_is_bounded_if_the_clock_was_set_back() -> None:
    transactions = loaded(value(ONGOING, 0))
    transactions.start_deadlines(Now(WALL_MS - 3_600_000, 500))
    assert transactions.timeouts.next() == 500 + 60_000


def test_prepared_transaction_owes_its_markers_once() -> None:
    transactions = loaded(value(PREPARE_COMMIT, 0, 4))
    assert transactions.marked == {"tx"}
    result = transactions.by_id["tx"].settle(Now(WALL_MS, 0))
    (markers,) = result.effects
    assert markers.partitions == (("t", 0), ("t", 4))
    assert (markers.producer_id, markers.producer_epoch, markers.committed) == (7, 3, True)
    applied(transactions, result)
    assert transactions.by_id["tx"].settle(Now(WALL_MS, 0)) is None


def test_transaction_is_complete_once_its_markers_are_written() -> None:
    transactions = loaded(value(PREPARE_COMMIT, 0))
    applied(transactions, transactions.completed("tx", Now(WALL_MS + 1, 0)))
    transaction = transactions.by_id["tx"]
    assert (transaction.status, transaction.partitions) == (COMPLETE_COMMIT, {})
    assert (transaction.start_ms, transaction.last_update_ms) == (WALL_MS, WALL_MS + 1)
    assert transactions.by_id["tx"].settle(Now(WALL_MS, 0)) is None


def test_exhausted_producer_continues_with_its_next_id() -> None:
    transactions = loaded(value(PREPARE_COMMIT, 0, next_producer_id=8, client_transaction_version=2))
    applied(transactions, transactions.completed("tx", Now(WALL_MS + 1, 0)))
    transaction = transactions.by_id["tx"]
    assert (transaction.producer_id, transaction.producer_epoch) == (8, 0)
    assert (transaction.previous_producer_id, transaction.next_producer_id) == (7, -1)


def test_tombstone_removes_the_id() -> None:
    transactions = loaded(value(ONGOING, 0), None)
    assert (transactions.by_id, transactions.timeouts.next()) == ({}, None)


def test_first_partition_begins_the_transaction_and_its_timeout() -> None:
    transactions = loaded(value(EMPTY))
    result = transactions.add_partitions(Now(WALL_MS + 5, 900), "tx", 7, 3, (("t", 1),))
    assert result.response == ErrorCode.NONE
    applied(transactions, result)
    transaction = transactions.by_id["tx"]
    assert (transaction.status, transaction.partitions) == (ONGOING, {("t", 1): None})
    assert (transaction.start_ms, transactions.timeouts.next()) == (WALL_MS + 5, 60_900)
