"""The record of a transactional id. Kafka: TxnTransitMetadata, and TransactionLog.valueToBytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from tidemark.core.java import HashOrder, map_order, table_for_copy, topic_partition_hash
from tidemark.core.result import Record
from tidemark.transactions.model import TopicPartition, Transaction
from tidemark_protocol.batch import HEADER_BYTES, RECORD_OVERHEAD_BYTES
from tidemark_protocol.java import java_hash
from tidemark_protocol.records.transaction_log import (
    PartitionsSchema,
    TransactionLogKey,
    TransactionLogValue,
)

FIXED_BYTES: Final = HEADER_BYTES + RECORD_OVERHEAD_BYTES + 100  # with all numbers and tags of a value
TEXT_BYTES_MAX: Final = 32_767
TOPIC_BYTES: Final = 10  # besides its name
TOPIC_BYTES_MAX: Final = TOPIC_BYTES + 249
ORDERED_MAX: Final = 200  # partitions that are sorted as Kafka's sets iterate, which takes some time


def changed(transaction: Transaction, **fields: Any) -> Record:
    """Return the record of the transaction with these fields of TransactionLogValue replaced.

    The producer id that it has now becomes the previous one, also if it stays the same. Without
    transaction_partitions, the record has none.
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


def tombstone(transactional_id: str) -> Record:
    return Record(TransactionLogKey(transactional_id), None)


def by_topic(partitions: Iterable[TopicPartition]) -> list[PartitionsSchema]:
    """Return the partitions as a record lists them: topics in the order of Java, each with its partitions."""
    topics: dict[str, list[int]] = {}
    for topic, index in partitions:
        topics.setdefault(topic, []).append(index)
    names = map_order(topics, java_hash) if 1 < len(topics) <= ORDERED_MAX else topics
    return [PartitionsSchema(topic, topics[topic]) for topic in names]


def united(
    partitions: dict[TopicPartition, None], added: Iterable[TopicPartition]
) -> dict[TopicPartition, None]:
    """Return the union of two sets of partitions, in the order of Kafka's HashSet."""
    union = partitions | dict.fromkeys(added)
    if not 1 < len(union) <= ORDERED_MAX:
        return union
    order = HashOrder(topic_partition_hash, table_for_copy(len(partitions)), partitions)
    for each in union:
        order.put(each)
    return dict.fromkeys(order.in_order())


def fits(bytes_max: int, transactional_id: str, partitions: Iterable[TopicPartition]) -> bool:
    """Return whether every record of a transaction with these partitions fits into a batch of this size.

    The record that ends the transaction is the largest. It must fit, or else the transaction could not end.
    """
    per_topic: dict[str, int] = {}
    for topic, _ in partitions:
        per_topic[topic] = per_topic.get(topic, 0) + 1
    if (
        FIXED_BYTES + TEXT_BYTES_MAX + sum(per_topic.values()) * 4 + len(per_topic) * TOPIC_BYTES_MAX
        <= bytes_max
    ):
        return True
    names = sum(len(topic.encode()) + TOPIC_BYTES for topic in per_topic)
    return FIXED_BYTES + len(transactional_id.encode()) + names + sum(per_topic.values()) * 4 <= bytes_max


def in_order(partitions: dict[TopicPartition, None]) -> list[TopicPartition]:
    """Return partitions that were read from a record in the order of Kafka's HashSet."""
    if not 1 < len(partitions) <= ORDERED_MAX:
        return [*partitions]
    return HashOrder(topic_partition_hash, keys=partitions).in_order()
