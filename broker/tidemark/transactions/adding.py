"""Partitions join a transaction, or are verified to be in it (KIP-890)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tidemark.core.context import Now
from tidemark.core.result import Record, Result
from tidemark.transactions.events import TimeoutArmed
from tidemark.transactions.model import ONGOING, TopicPartition, Transaction
from tidemark.transactions.records import by_topic, changed, fits, last_epoch, united
from tidemark.transactions.state import Transactions
from tidemark_protocol.errors import ErrorCode, KafkaError


@dataclass(slots=True, frozen=True)
class Adding:
    """A request to add or verify partitions.

    client_version: 2 if the client's requests add partitions implicitly (Produce v12+, TxnOffsetCommit v5+)
    """

    transactional_id: str | None
    producer_id: int
    producer_epoch: int
    partitions: Collection[TopicPartition]
    client_version: int = 0


def add_partitions(transactions: Transactions, now: Now, adding: Adding) -> Result[ErrorCode]:
    """Add partitions to the producer's transaction, which begins with the first.

    The response is the error code. Kafka: TransactionCoordinator.handleAddPartitionsToTransaction.
    """
    try:
        transaction = _found(transactions, adding)
        if transaction.is_prepared:
            raise KafkaError(ErrorCode.CONCURRENT_TRANSACTIONS)
        _check_producer(transaction, adding)
    except KafkaError as error:
        return Result(ErrorCode(error.code))
    known = transaction.partitions
    if transaction.status is ONGOING and all(partition in known for partition in adding.partitions):
        return Result(ErrorCode.NONE)
    added = united(known, adding.partitions)
    if not fits(transactions.record_bytes_max, transaction.transactional_id, added):
        return Result(ErrorCode.UNKNOWN_SERVER_ERROR)
    events = last_epoch(transaction, transaction.last_producer_epoch)
    if transaction.status is not ONGOING:
        at_ms = now.steady_ms + transaction.timeout_ms
        events = (*events, TimeoutArmed(transaction.transactional_id, at_ms))
    return Result(ErrorCode.NONE, (_ongoing(transaction, now, added, adding.client_version),), events)


def code_of(decided: Result[ErrorCode]) -> ErrorCode:
    """Return the response of `add_partitions`."""
    assert isinstance(decided.response, ErrorCode)
    return decided.response


def verify(transactions: Transactions, adding: Adding) -> dict[TopicPartition, ErrorCode]:
    """Return for each partition NONE if it is in the producer's transaction, or else the error.

    Kafka: TransactionCoordinator.handleVerifyPartitionsInTransaction.
    """
    try:
        transaction = _found(transactions, adding)
        _check_producer(transaction, adding)
        if transaction.is_prepared:
            raise KafkaError(ErrorCode.CONCURRENT_TRANSACTIONS)
    except KafkaError as error:
        return dict.fromkeys(adding.partitions, ErrorCode(error.code))
    return {
        partition: ErrorCode.NONE if partition in transaction.partitions else ErrorCode.TRANSACTION_ABORTABLE
        for partition in adding.partitions
    }


def _found(transactions: Transactions, adding: Adding) -> Transaction:
    if not adding.transactional_id:
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    transaction = transactions.serving(adding.transactional_id)
    if transaction is None:
        raise KafkaError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    return transaction


def _check_producer(transaction: Transaction, adding: Adding) -> None:
    if transaction.producer_id != adding.producer_id:
        raise KafkaError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if transaction.producer_epoch != adding.producer_epoch:
        raise KafkaError(ErrorCode.PRODUCER_FENCED)


def _ongoing(
    transaction: Transaction, now: Now, partitions: dict[TopicPartition, None], client_version: int
) -> Record:
    begins = transaction.status is not ONGOING
    return changed(
        transaction,
        transaction_status=ONGOING,
        transaction_partitions=by_topic(partitions),
        transaction_start_timestamp_ms=now.wall_ms if begins else transaction.start_ms,
        transaction_last_update_timestamp_ms=now.wall_ms,
        client_transaction_version=client_version,
    )
