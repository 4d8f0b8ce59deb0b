"""The end of a transaction whose markers are written. Kafka: TransactionMetadata.prepareComplete."""

from __future__ import annotations

from tidemark.core.context import Now
from tidemark.core.result import Event, Result
from tidemark.transactions.events import EpochReplaced
from tidemark.transactions.model import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    EPOCH_BUMP_FROM,
    NO_EPOCH,
    NO_ID,
    PREPARE_COMMIT,
    Transaction,
)
from tidemark.transactions.records import changed


def producer_after(transaction: Transaction) -> tuple[int, int]:
    """Return the producer id and epoch with which the client of a prepared transaction continues."""
    if transaction.client_version >= EPOCH_BUMP_FROM and transaction.next_producer_id != NO_ID:
        return transaction.next_producer_id, 0
    return transaction.producer_id, transaction.producer_epoch


def completed(transaction: Transaction, now: Now) -> Result[None]:
    """Return the record that ends a prepared transaction."""
    assert transaction.is_prepared, f"{transaction} owes no markers"
    producer_id, epoch = producer_after(transaction)
    committed = transaction.status is PREPARE_COMMIT
    record = changed(
        transaction,
        producer_id=producer_id,
        producer_epoch=epoch,
        next_producer_id=NO_ID,
        transaction_status=COMPLETE_COMMIT if committed else COMPLETE_ABORT,
        transaction_partitions=[],
        transaction_last_update_timestamp_ms=now.wall_ms,
    )
    return Result(records=(record,), events=last_epoch(transaction, transaction.last_producer_epoch))


def last_epoch(transaction: Transaction, epoch: int) -> tuple[Event, ...]:
    """Return the event that follows a record to keep or set the epoch before the newest bump."""
    return () if epoch == NO_EPOCH else (EpochReplaced(transaction.transactional_id, epoch),)
