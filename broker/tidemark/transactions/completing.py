"""The end of a transaction whose markers are written. Kafka: TransactionMetadata.prepareComplete."""

from __future__ import annotations

from tidemark.core.context import Now
from tidemark.core.result import Result
from tidemark.transactions.model import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    EPOCH_BUMP_FROM,
    NO_ID,
    PREPARE_COMMIT,
    Transaction,
)
from tidemark.transactions.records import changed, last_epoch


def completed(transaction: Transaction, now: Now) -> Result[None]:
    """Return the record that ends a prepared transaction.

    If the epoch of the producer is exhausted, its client continues with the next producer id.
    """
    assert transaction.is_prepared, f"{transaction} owes no markers"
    producer_id, epoch = transaction.producer_id, transaction.producer_epoch
    if transaction.client_version >= EPOCH_BUMP_FROM and transaction.next_producer_id != NO_ID:
        producer_id, epoch = transaction.next_producer_id, 0
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
    return Result(
        records=(record,),
        events=last_epoch(transaction, transaction.last_producer_epoch),
        released=transaction.ended,
    )
