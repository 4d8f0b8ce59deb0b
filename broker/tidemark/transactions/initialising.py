"""A producer begins to use a transactional id: it gets a producer id and a new epoch, which fences others.

Kafka: TransactionCoordinator.handleInitProducerId.
"""

from __future__ import annotations

from dataclasses import dataclass

from tidemark.core.context import Now
from tidemark.core.result import Result
from tidemark.transactions.ending import NewProducerId, Producer, fence
from tidemark.transactions.model import (
    EMPTY,
    EPOCH_EXHAUSTED,
    NO_EPOCH,
    NO_START,
    ONGOING,
    Transaction,
)
from tidemark.transactions.records import changed, last_epoch
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import ErrorCode, KafkaError


@dataclass(slots=True, frozen=True)
class Initialising:
    """expected: the producer id and epoch of a producer that continues after an error (KIP-360), or None."""

    transactional_id: str
    timeout_ms: int
    expected: tuple[int, int] | None = None


def initialise(
    transactions: Transactions, now: Now, request: Initialising, new_producer_id: NewProducerId
) -> Result[Producer]:
    """Return the producer id and epoch with which the producer begins.

    An open transaction is aborted first: the response is CONCURRENT_TRANSACTIONS, and the client retries.
    """
    try:
        return _initialised(transactions, now, request, new_producer_id)
    except KafkaError as error:
        return Result(Producer(ErrorCode(error.code)))


def _initialised(
    transactions: Transactions, now: Now, request: Initialising, new_producer_id: NewProducerId
) -> Result[Producer]:
    transactional_id = request.transactional_id
    if not transactional_id:
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    if not 0 < request.timeout_ms <= transactions.limits.max_timeout_ms:
        raise KafkaError(ErrorCode.INVALID_TRANSACTION_TIMEOUT)
    transaction = transactions.serving(transactional_id)
    if transaction is None:
        partition = transactions.partition_for(transactional_id)
        transaction = Transaction(transactional_id, partition, producer_id=new_producer_id())
    if transaction.is_prepared:
        raise KafkaError(ErrorCode.CONCURRENT_TRANSACTIONS)
    _check_producer_id(transaction, request)
    if transaction.status is ONGOING:
        aborted = fence(transactions, transaction, now, new_producer_id)
        return Result(Producer(ErrorCode.CONCURRENT_TRANSACTIONS), aborted.records, aborted.events)
    return _begun(transaction, now, request, _following(transaction, request, new_producer_id))


def _check_producer_id(transaction: Transaction, request: Initialising) -> None:
    """Raise PRODUCER_FENCED if the producer continues with an id that is neither current nor exhausted."""
    if request.expected is None or transaction.producer_epoch == NO_EPOCH:
        return
    producer_id, epoch = request.expected
    if producer_id == transaction.producer_id:
        return
    if producer_id != transaction.previous_producer_id or epoch < EPOCH_EXHAUSTED:
        raise KafkaError(ErrorCode.PRODUCER_FENCED)


def _following(
    transaction: Transaction, request: Initialising, new_producer_id: NewProducerId
) -> tuple[int, int, int]:
    """Return the next producer id, its epoch, and the epoch that a retry of this request names.

    Kafka: prepareProducerIdRotation and prepareIncrementProducerEpoch.
    """
    current, last = transaction.producer_epoch, transaction.last_producer_epoch
    expected = None if request.expected is None else request.expected[1]
    if transaction.is_exhausted and expected in (None, current):
        return new_producer_id(), 0, NO_EPOCH if expected is None else current
    if transaction.is_exhausted:  # Kafka: an IllegalStateException
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    if expected is None:
        return transaction.producer_id, current + 1, NO_EPOCH
    if current in (NO_EPOCH, expected):
        return transaction.producer_id, current + 1, current
    if expected == last:
        return transaction.producer_id, current, last
    raise KafkaError(ErrorCode.PRODUCER_FENCED)


def _begun(
    transaction: Transaction, now: Now, request: Initialising, following: tuple[int, int, int]
) -> Result[Producer]:
    producer_id, epoch, last = following
    record = changed(
        transaction,
        producer_id=producer_id,
        producer_epoch=epoch,
        transaction_timeout_ms=request.timeout_ms,
        transaction_status=EMPTY,
        transaction_start_timestamp_ms=NO_START,
        transaction_last_update_timestamp_ms=now.wall_ms,
    )
    return Result(Producer(ErrorCode.NONE, producer_id, epoch), (record,), last_epoch(transaction, last))
