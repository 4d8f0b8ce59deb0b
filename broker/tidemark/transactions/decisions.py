"""Decisions about transactions. Kafka: TransactionCoordinator.

A producer begins to use a transactional id, partitions join its transaction or are verified to be in it
(KIP-890), and the transaction ends. `Transaction.settle` and `completed` decide what follows: the markers
and the record that completes the transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final, NamedTuple

from tidemark.core.apply import PartitionStatus
from tidemark.core.context import Now
from tidemark.core.decision import Decision, Record
from tidemark.transactions.model import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    COMPLETED,
    EMPTY,
    EPOCH_BUMP_FROM,
    EPOCH_EXHAUSTED,
    EPOCH_MAX,
    EXPIRE,
    NO_EPOCH,
    NO_ID,
    NO_START,
    ONGOING,
    PREPARE_ABORT,
    PREPARE_COMMIT,
    PREPARED,
    TopicPartition,
    Transaction,
    TransactionStatus,
    by_topic,
    changed,
    fits,
    in_order,
    tombstone,
    united,
)
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import ErrorCode, KafkaError

NewProducerId = Callable[[], int]


class Producer(NamedTuple):
    """The response to EndTxn and InitProducerId: an error, or the id and epoch with which to continue."""

    error: ErrorCode = ErrorCode.NONE
    producer_id: int = NO_ID
    producer_epoch: int = NO_EPOCH


def initialise(
    transactions: Transactions,
    now: Now,
    transactional_id: str,
    timeout_ms: int,
    expected: tuple[int, int] | None,
    new_producer_id: NewProducerId,
) -> Decision[Producer]:
    """Return the producer id and epoch with which a producer begins. The new epoch fences other producers.

    An open transaction is aborted first: the response is CONCURRENT_TRANSACTIONS, and the client retries.
    Raises KafkaError. Kafka: handleInitProducerId, prepareIncrementProducerEpoch, prepareProducerIdRotation.

    expected: the producer id and epoch of a producer that continues after an error (KIP-360), or None
    """
    if not transactional_id:
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    if not 0 < timeout_ms <= transactions.settings.transaction_max_timeout_ms:
        raise KafkaError(ErrorCode.INVALID_TRANSACTION_TIMEOUT)
    transaction = transactions.serving(transactional_id)
    if transaction is None:
        partition = transactions.partition_for(transactional_id)
        transaction = Transaction(transactional_id, partition, producer_id=new_producer_id())
    if transaction.status in PREPARED:
        raise KafkaError(ErrorCode.CONCURRENT_TRANSACTIONS)

    current, last = transaction.producer_epoch, transaction.last_producer_epoch
    epoch = None
    if expected is not None:
        expected_id, epoch = expected
        if (
            current != NO_EPOCH
            and expected_id != transaction.producer_id
            and (expected_id != transaction.previous_producer_id or epoch < EPOCH_EXHAUSTED)
        ):
            raise KafkaError(ErrorCode.PRODUCER_FENCED)
    if transaction.status is ONGOING:
        aborted = fence(transactions, transaction, now, new_producer_id)
        return Decision(Producer(ErrorCode.CONCURRENT_TRANSACTIONS), aborted.records, after=aborted.after)

    producer_id = transaction.producer_id
    if current >= EPOCH_EXHAUSTED:
        if epoch not in (None, current):  # Kafka: an IllegalStateException
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        producer_id, following, last = new_producer_id(), 0, NO_EPOCH if epoch is None else current
    elif epoch is None:
        following, last = current + 1, NO_EPOCH
    elif current in (NO_EPOCH, epoch):
        following, last = current + 1, current
    elif epoch == last:  # a retry
        following = current
    else:
        raise KafkaError(ErrorCode.PRODUCER_FENCED)
    record = changed(
        transaction,
        producer_id=producer_id,
        producer_epoch=following,
        transaction_timeout_ms=timeout_ms,
        transaction_status=EMPTY,
        transaction_start_timestamp_ms=NO_START,
        transaction_last_update_timestamp_ms=now.wall_ms,
    )
    producer = Producer(ErrorCode.NONE, producer_id, following)
    return Decision(producer, (record,), after=_bumped_from(transaction, last))


def add_partitions(
    transactions: Transactions,
    now: Now,
    transactional_id: str | None,
    producer_id: int,
    producer_epoch: int,
    partitions: Collection[TopicPartition],
    client_version: int = 0,
) -> Decision[ErrorCode]:
    """Add partitions to the producer's transaction, which begins with the first.

    The response is the error code. Kafka: handleAddPartitionsToTransaction.

    client_version: 2 if the client's requests add partitions implicitly (Produce v12+, TxnOffsetCommit v5+)
    """
    try:
        transaction = _known(transactions, transactional_id)
    except KafkaError as error:
        return Decision(error.code)
    status = transaction.status
    if status in PREPARED:
        return Decision(ErrorCode.CONCURRENT_TRANSACTIONS)
    if transaction.producer_id != producer_id:
        return Decision(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if transaction.producer_epoch != producer_epoch:
        return Decision(ErrorCode.PRODUCER_FENCED)
    known = transaction.partitions
    if status is ONGOING and known.keys() >= {*partitions}:
        return Decision(ErrorCode.NONE)
    added = united(known, partitions)
    if not fits(transactions.record_bytes_max, transaction.transactional_id, added):
        return Decision(ErrorCode.UNKNOWN_SERVER_ERROR)
    record = changed(
        transaction,
        transaction_status=ONGOING,
        transaction_partitions=by_topic(added),
        transaction_start_timestamp_ms=transaction.start_ms if status is ONGOING else now.wall_ms,
        transaction_last_update_timestamp_ms=now.wall_ms,
        client_transaction_version=client_version,
    )
    if status is ONGOING:
        return Decision(ErrorCode.NONE, (record,))
    times_out = partial(transactions.time_out, transaction, now.steady_ms + transaction.timeout_ms)
    return Decision(ErrorCode.NONE, (record,), after=(times_out,))


def verify(
    transactions: Transactions,
    transactional_id: str | None,
    producer_id: int,
    producer_epoch: int,
    partitions: Collection[TopicPartition],
) -> dict[TopicPartition, ErrorCode]:
    """Return for each partition NONE if it is in the producer's transaction, or else the error.

    Kafka: handleVerifyPartitionsInTransaction.
    """
    try:
        transaction = _known(transactions, transactional_id)
    except KafkaError as error:
        return dict.fromkeys(partitions, error.code)
    if transaction.producer_id != producer_id:
        return dict.fromkeys(partitions, ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if transaction.producer_epoch != producer_epoch:
        return dict.fromkeys(partitions, ErrorCode.PRODUCER_FENCED)
    if transaction.status in PREPARED:
        return dict.fromkeys(partitions, ErrorCode.CONCURRENT_TRANSACTIONS)
    known = transaction.partitions
    return {
        partition: ErrorCode.NONE if partition in known else ErrorCode.TRANSACTION_ABORTABLE
        for partition in partitions
    }


def end_transaction(
    transactions: Transactions,
    now: Now,
    transactional_id: str,
    producer_id: int,
    producer_epoch: int,
    *,
    committed: bool,
    client_version: int,
    new_producer_id: NewProducerId,
) -> Decision[Producer]:
    """Decide that a transaction commits or aborts. The markers follow (`Transaction.settle`).

    Raises KafkaError. Kafka: endTransaction, endTransactionWithTV1.

    client_version: 2 from EndTxn v5 on, else 0. With 2, each end raises the epoch, so that a retry can be
    told from a new request. Such a client may abort even if it has added no partition, because the broker may
    have added one without the client's knowledge (KIP-890)
    """
    transaction = _known(transactions, transactional_id)
    status, epoch = transaction.status, transaction.producer_epoch
    prepared = PREPARE_COMMIT if committed else PREPARE_ABORT
    complete = COMPLETE_COMMIT if committed else COMPLETE_ABORT
    if client_version < EPOCH_BUMP_FROM:
        if transaction.producer_id != producer_id:
            raise KafkaError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
        if epoch != producer_epoch:
            raise KafkaError(ErrorCode.PRODUCER_FENCED)
        if status in PREPARED:
            raise KafkaError(ErrorCode.CONCURRENT_TRANSACTIONS)
        if status is ONGOING:
            return _prepared(transaction, now, prepared, epoch, transaction.last_producer_epoch)
        if status is not complete:
            raise KafkaError(ErrorCode.INVALID_TXN_STATE)
        return Decision(Producer())

    if status in PREPARED:
        raise KafkaError(ErrorCode.CONCURRENT_TRANSACTIONS)
    was_exhausted = (
        transaction.previous_producer_id == producer_id and producer_epoch == EPOCH_EXHAUSTED and epoch == 0
    )
    is_retry = was_exhausted or epoch == producer_epoch + 1
    if transaction.producer_id != producer_id and not was_exhausted:
        raise KafkaError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if not (epoch == producer_epoch or (is_retry and status in COMPLETED)):
        raise KafkaError(ErrorCode.PRODUCER_FENCED)
    if status is ONGOING:
        return _bumped(transaction, now, prepared, new_producer_id)
    if is_retry and status is complete:
        return Decision(Producer(ErrorCode.NONE, transaction.producer_id, epoch))
    if committed or is_retry:
        raise KafkaError(ErrorCode.INVALID_TXN_STATE)
    if status not in EXPIRE:  # no Kafka writes such a record
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    return _bumped(transaction, now, PREPARE_ABORT, new_producer_id, start_ms=now.wall_ms)


def fence(
    transactions: Transactions, transaction: Transaction, now: Now, new_producer_id: NewProducerId
) -> Decision[Producer]:
    """Abort an open transaction with a higher epoch, which fences its producer.

    Kafka: TransactionMetadata.prepareFenceProducerEpoch, followed by endTransaction.
    """
    if transactions.version >= EPOCH_BUMP_FROM:
        return _bumped(transaction, now, PREPARE_ABORT, new_producer_id)
    return _prepared(
        transaction, now, PREPARE_ABORT, min(transaction.producer_epoch + 1, EPOCH_MAX), NO_EPOCH
    )


def _known(transactions: Transactions, transactional_id: str | None) -> Transaction:
    if not transactional_id:
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    transaction = transactions.serving(transactional_id)
    if transaction is None:
        raise KafkaError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    return transaction


def _bumped(
    transaction: Transaction,
    now: Now,
    status: TransactionStatus,
    new_producer_id: NewProducerId,
    start_ms: int | None = None,
) -> Decision[Producer]:
    """Prepare the end with the next epoch. A new producer id follows one with the highest epoch."""
    epoch = transaction.producer_epoch
    if epoch == EPOCH_MAX and status is PREPARE_COMMIT:  # no client ever gets this epoch
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    return _prepared(
        transaction,
        now,
        status,
        min(epoch + 1, EPOCH_MAX),
        epoch,
        next_producer_id=new_producer_id() if epoch >= EPOCH_EXHAUSTED else NO_ID,
        client_version=EPOCH_BUMP_FROM,
        start_ms=start_ms,
    )


def _prepared(
    transaction: Transaction,
    now: Now,
    status: TransactionStatus,
    epoch: int,
    last_epoch: int,
    *,
    next_producer_id: int = NO_ID,
    client_version: int = 0,
    start_ms: int | None = None,
) -> Decision[Producer]:
    """Return the Prepare record. The response has the id and epoch that follow it."""
    record = changed(
        transaction,
        producer_epoch=epoch,
        next_producer_id=next_producer_id,
        transaction_status=status,
        transaction_partitions=by_topic(in_order(transaction.partitions)),
        transaction_start_timestamp_ms=transaction.start_ms if start_ms is None else start_ms,
        transaction_last_update_timestamp_ms=now.wall_ms,
        client_transaction_version=client_version,
    )
    if next_producer_id == NO_ID:
        producer = Producer(ErrorCode.NONE, transaction.producer_id, epoch)
    else:
        producer = Producer(ErrorCode.NONE, next_producer_id, 0)
    return Decision(producer, (record,), after=_bumped_from(transaction, last_epoch))


def _bumped_from(transaction: Transaction, epoch: int) -> tuple[Callable[[], None], ...]:
    """Return the change that notes the last epoch, if it is another one."""
    return () if epoch == transaction.last_producer_epoch else (partial(transaction.bumped_from, epoch),)


STEP: Final = 1_000  # ids that are looked at in one step
TOMBSTONES_MAX: Final = 16  # in one Decision: with the longest ids half a megabyte


@dataclass(slots=True, frozen=True)
class TimedOut:
    """A transaction that was aborted because its timeout has passed. producer_epoch: after the abort."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    timeout_ms: int
    started_ms: int
    partitions: tuple[TopicPartition, ...]

    @classmethod
    def of(cls, aborted: Transaction) -> TimedOut:
        return cls(
            aborted.transactional_id,
            aborted.producer_id,
            aborted.producer_epoch,
            aborted.timeout_ms,
            aborted.start_ms,
            tuple(sorted(aborted.partitions)),
        )


def timed_out(
    transactions: Transactions, now: Now, new_producer_id: NewProducerId
) -> Iterator[Decision[Producer]]:
    """Yield the aborts of transactions that are open for longer than their timeout.

    Each Decision must be accepted before the next is requested. The caller may serve requests in between.
    """
    while True:
        passed = transactions.timeouts.peek_due(now.steady_ms - 1, 1)  # Kafka: not at the very millisecond
        if not passed:
            return
        transaction = transactions.by_id[passed[0]]
        assert transaction.status is ONGOING, f"{transaction} has a timeout"
        yield fence(transactions, transaction, now, new_producer_id)


def expired_ids(transactions: Transactions, wall_ms: int) -> Iterator[Decision[None] | None]:
    """Yield tombstones of the ids that were not used for transactional.id.expiration.ms.

    Each must be accepted before the next is requested. None ends a step of the search. The caller may serve
    requests in between: each id is checked again before its tombstone is made.
    """
    found: dict[int, list[str]] = {}
    ids = iter([*transactions.by_id])
    while some := [*islice(ids, STEP)]:
        for transactional_id in some:
            transaction = _expired(transactions, transactional_id, wall_ms)
            if transaction is not None:
                found.setdefault(transaction.partition, []).append(transactional_id)
        yield None
    for partition in sorted(found):  # tombstones of a partition share batches
        yield from _tombstones(transactions, found[partition], wall_ms)


def _tombstones(transactions: Transactions, ids: list[str], wall_ms: int) -> Iterator[Decision[None]]:
    for start in range(0, len(ids), TOMBSTONES_MAX):
        records = _still_expired(transactions, ids[start : start + TOMBSTONES_MAX], wall_ms)
        if records:
            yield Decision(records=records)


def _still_expired(transactions: Transactions, ids: Iterable[str], wall_ms: int) -> tuple[Record, ...]:
    return tuple(tombstone(each) for each in ids if _expired(transactions, each, wall_ms) is not None)


def _expired(transactions: Transactions, transactional_id: str, wall_ms: int) -> Transaction | None:
    """Return the transaction if its id may be removed."""
    transaction = transactions.by_id.get(transactional_id)
    if transaction is None or transaction.status not in EXPIRE:
        return None
    if transaction.last_update_ms > wall_ms - transactions.settings.transactional_id_expiration_ms:
        return None
    if transactions.status[transaction.partition] is not PartitionStatus.ACTIVE:
        return None
    return transaction
