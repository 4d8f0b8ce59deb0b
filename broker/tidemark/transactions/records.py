"""The record of a transactional id. Kafka: TxnTransitMetadata, and TransactionLog.valueToBytes."""

from __future__ import annotations

from typing import Any

from tidemark.core.result import Record
from tidemark.transactions.model import TopicPartition, Transaction
from tidemark_protocol.records.transaction_log import (
    PartitionsSchema,
    TransactionLogKey,
    TransactionLogValue,
)


def changed(transaction: Transaction, **fields: Any) -> Record:
    """Return the record of the transaction with these fields of TransactionLogValue replaced.

    The producer id that it has now becomes the previous one, also if it stays the same.
    """
    value = TransactionLogValue(
        producer_id=transaction.producer_id,
        previous_producer_id=transaction.producer_id,
        next_producer_id=transaction.next_producer_id,
        producer_epoch=transaction.producer_epoch,
        transaction_timeout_ms=transaction.timeout_ms,
        transaction_status=transaction.status,
        transaction_partitions=None,
        transaction_last_update_timestamp_ms=transaction.last_update_ms,
        transaction_start_timestamp_ms=transaction.start_ms,
        client_transaction_version=transaction.client_version,
    )
    for name, field in fields.items():
        setattr(value, name, field)
    return Record(TransactionLogKey(transaction.transactional_id), value)


def by_topic(partitions: dict[TopicPartition, None]) -> list[PartitionsSchema]:
    """Return the partitions as a record lists them: the topics, each with its partitions."""
    topics: dict[str, list[int]] = {}
    for topic, index in partitions:
        topics.setdefault(topic, []).append(index)
    return [PartitionsSchema(topic, indexes) for topic, indexes in topics.items()]
