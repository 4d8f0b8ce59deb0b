"""Transactions are prepared to commit or abort: by the client, or because a new producer fences the old one.

Kafka: TransactionCoordinator.endTransaction and endTransactionWithTV1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tidemark.core.context import Now
from tidemark.core.result import Result
from tidemark.transactions.model import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    COMPLETED,
    EPOCH_BUMP_FROM,
    EPOCH_EXHAUSTED,
    EPOCH_MAX,
    EXPIRE,
    NO_EPOCH,
    NO_ID,
    ONGOING,
    PREPARE_ABORT,
    PREPARE_COMMIT,
    Transaction,
    TransactionStatus,
)
from tidemark.transactions.records import by_topic, changed, in_order, last_epoch
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import ErrorCode, KafkaError

NewProducerId = Callable[[], int]


@dataclass(slots=True, frozen=True)
class Ending:
    """A request to end a transaction. client_version: 2 from EndTxn v5 on, else 0."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    committed: bool
    client_version: int = 0


@dataclass(slots=True, frozen=True)
class Producer:
    """The response to EndTxn and InitProducerId: an error, or the id and epoch with which to continue."""

    error: ErrorCode = ErrorCode.NONE
    producer_id: int = NO_ID
    producer_epoch: int = NO_EPOCH


def end_transaction(
    transactions: Transactions, now: Now, ending: Ending, new_producer_id: NewProducerId
) -> Result[Producer]:
    """Decide that a transaction commits or aborts. The markers follow (`Transactions.settle`)."""
    try:
        transaction = _found(transactions, ending)
        if ending.client_version < EPOCH_BUMP_FROM:
            return _end_without_bump(transaction, now, ending)
        return _end_with_bump(transaction, now, ending, new_producer_id)
    except KafkaError as error:
        return Result(Producer(ErrorCode(error.code)))


def fence(
    transactions: Transactions, transaction: Transaction, now: Now, new_producer_id: NewProducerId
) -> Result[Producer]:
    """Abort an open transaction with a higher epoch, which fences its producer.

    Kafka: TransactionMetadata.prepareFenceProducerEpoch, followed by endTransaction.
    """
    epoch = min(transaction.producer_epoch + 1, EPOCH_MAX)
    if transactions.version < EPOCH_BUMP_FROM:
        return _prepared(transaction, now, PREPARE_ABORT, _Bump(epoch, NO_EPOCH))
    return _prepared(transaction, now, PREPARE_ABORT, _bump(transaction, PREPARE_ABORT, new_producer_id))


def _found(transactions: Transactions, ending: Ending) -> Transaction:
    if not ending.transactional_id:
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    transaction = transactions.serving(ending.transactional_id)
    if transaction is None:
        raise KafkaError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    return transaction


@dataclass(slots=True, frozen=True)
class _Bump:
    """The changes of the producer in a Prepare record."""

    epoch: int
    last_epoch: int
    next_producer_id: int = NO_ID
    client_version: int = 0


def _end_without_bump(transaction: Transaction, now: Now, ending: Ending) -> Result[Producer]:
    """Decide EndTxn v0-4. The producer keeps its epoch."""
    if transaction.producer_id != ending.producer_id:
        raise KafkaError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if transaction.producer_epoch != ending.producer_epoch:
        raise KafkaError(ErrorCode.PRODUCER_FENCED)
    if transaction.is_prepared:
        raise KafkaError(ErrorCode.CONCURRENT_TRANSACTIONS)
    if transaction.status is ONGOING:
        same = _Bump(transaction.producer_epoch, transaction.last_producer_epoch)
        return _prepared(transaction, now, _status(ending), same)
    if transaction.status is not (COMPLETE_COMMIT if ending.committed else COMPLETE_ABORT):
        raise KafkaError(ErrorCode.INVALID_TXN_STATE)
    return Result(Producer())


def _end_with_bump(
    transaction: Transaction, now: Now, ending: Ending, new_producer_id: NewProducerId
) -> Result[Producer]:
    """Decide EndTxn v5 (KIP-890): each end raises the epoch, so that a retry can be told from a new request.

    A client may abort even if it has added no partition, because the broker may have added one without the
    client's knowledge.
    """
    if transaction.is_prepared:
        raise KafkaError(ErrorCode.CONCURRENT_TRANSACTIONS)
    was_exhausted = (
        transaction.previous_producer_id == ending.producer_id
        and ending.producer_epoch == EPOCH_EXHAUSTED
        and transaction.producer_epoch == 0
    )
    is_retry = was_exhausted or transaction.producer_epoch == ending.producer_epoch + 1
    if transaction.producer_id != ending.producer_id and not was_exhausted:
        raise KafkaError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    is_current = transaction.producer_epoch == ending.producer_epoch
    if not (is_current or (is_retry and transaction.status in COMPLETED)):
        raise KafkaError(ErrorCode.PRODUCER_FENCED)
    if transaction.status is ONGOING:
        status = _status(ending)
        return _prepared(transaction, now, status, _bump(transaction, status, new_producer_id))
    if is_retry and transaction.status is (COMPLETE_COMMIT if ending.committed else COMPLETE_ABORT):
        return Result(Producer(ErrorCode.NONE, transaction.producer_id, transaction.producer_epoch))
    if ending.committed or is_retry:
        raise KafkaError(ErrorCode.INVALID_TXN_STATE)
    if transaction.status not in EXPIRE:  # no Kafka writes such a record
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    bump = _bump(transaction, PREPARE_ABORT, new_producer_id)
    return _prepared(transaction, now, PREPARE_ABORT, bump, start_ms=now.wall_ms)


def _status(ending: Ending) -> TransactionStatus:
    return PREPARE_COMMIT if ending.committed else PREPARE_ABORT


def _bump(transaction: Transaction, status: TransactionStatus, new_producer_id: NewProducerId) -> _Bump:
    """Return the next epoch. The producer id with the highest epoch is followed by a new one."""
    epoch = transaction.producer_epoch
    if epoch == EPOCH_MAX and status is PREPARE_COMMIT:  # no client ever gets this epoch
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    next_id = new_producer_id() if transaction.is_exhausted else NO_ID
    return _Bump(min(epoch + 1, EPOCH_MAX), epoch, next_id, EPOCH_BUMP_FROM)


def _prepared(
    transaction: Transaction, now: Now, status: TransactionStatus, bump: _Bump, start_ms: int | None = None
) -> Result[Producer]:
    """Return the Prepare record. The response has the id and epoch that follow it."""
    record = changed(
        transaction,
        producer_epoch=bump.epoch,
        next_producer_id=bump.next_producer_id,
        transaction_status=status,
        transaction_partitions=by_topic(in_order(transaction.partitions)),
        transaction_start_timestamp_ms=transaction.start_ms if start_ms is None else start_ms,
        transaction_last_update_timestamp_ms=now.wall_ms,
        client_transaction_version=bump.client_version,
    )
    if bump.next_producer_id == NO_ID:
        producer = Producer(ErrorCode.NONE, transaction.producer_id, bump.epoch)
    else:
        producer = Producer(ErrorCode.NONE, bump.next_producer_id, 0)
    return Result(producer, (record,), last_epoch(transaction, bump.last_epoch))
