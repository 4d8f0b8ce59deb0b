"""One transactional id, its transaction and its record.

Kafka: TransactionMetadata, TxnTransitMetadata, and TransactionLog.valueToBytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final

from tidemark.core.context import Now
from tidemark.core.decision import Decision, Record, Released, WriteMarkers
from tidemark.core.java import HashOrder, map_order, table_for_copy
from tidemark_protocol.batch import HEADER_BYTES, RECORD_OVERHEAD_BYTES
from tidemark_protocol.java import java_hash, topic_partition_hash
from tidemark_protocol.records.transaction_log import (
    PartitionsSchema,
    TransactionLogKey,
    TransactionLogValue,
)

NO_ID: Final = -1
NO_EPOCH: Final = -1
NO_START: Final = -1
EPOCH_MAX: Final = 32767
EPOCH_EXHAUSTED: Final = EPOCH_MAX - 1  # the highest epoch of a client; the one above fences it
EPOCH_BUMP_FROM: Final = 2  # the transaction.version from which each EndTxn bumps the epoch (KIP-890)

TopicPartition = tuple[str, int]


class TransactionStatus(IntEnum):
    """Kafka: the ids of TransactionState. DEAD and PREPARE_EPOCH_FENCE are never written."""

    EMPTY = 0
    ONGOING = 1
    PREPARE_COMMIT = 2
    PREPARE_ABORT = 3
    COMPLETE_COMMIT = 4
    COMPLETE_ABORT = 5
    DEAD = 6
    PREPARE_EPOCH_FENCE = 7

    @property
    def title(self) -> str:
        """The name in responses: "PrepareCommit"."""
        return TITLES[self]


TITLES: Final = {
    status: "".join(word.capitalize() for word in status.name.split("_")) for status in TransactionStatus
}
BY_TITLE: Final = {title: status for status, title in TITLES.items()}

EMPTY: Final = TransactionStatus.EMPTY
ONGOING: Final = TransactionStatus.ONGOING
PREPARE_COMMIT: Final = TransactionStatus.PREPARE_COMMIT
PREPARE_ABORT: Final = TransactionStatus.PREPARE_ABORT
COMPLETE_COMMIT: Final = TransactionStatus.COMPLETE_COMMIT
COMPLETE_ABORT: Final = TransactionStatus.COMPLETE_ABORT

PREPARED: Final = frozenset((PREPARE_COMMIT, PREPARE_ABORT))  # markers are owed
COMPLETED: Final = frozenset((COMPLETE_COMMIT, COMPLETE_ABORT))
EXPIRE: Final = frozenset((EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT))


@dataclass(slots=True)
class Transaction:
    """The newest record of a transactional id, which `put` replaces, and soft state beside it.

    partition             of `__transaction_state` that stores it
    previous_producer_id  before the newest record. Unknown (NO_ID) after a restart, if values are v0
    next_producer_id      of the id that follows when the markers are written; NO_ID unless the epoch is
                          exhausted
    client_version        the transaction.version (KIP-890) of the client that began or ended the transaction
    partitions            a set in the order of Kafka's records
    start_ms              when the first partition was added (wall time); NO_START before
    last_update_ms        when the newest record was written (wall time)

    Soft state, which a restart forgets:

    last_producer_epoch   the epoch before the newest bump: a retry of the request that raised it names it
    markers_begun         the markers of a prepared transaction are being written
    ended                 the responses that wait for the markers
    """

    transactional_id: str
    partition: int
    producer_id: int = NO_ID
    previous_producer_id: int = NO_ID
    next_producer_id: int = NO_ID
    producer_epoch: int = NO_EPOCH
    last_producer_epoch: int = NO_EPOCH
    timeout_ms: int = 0
    status: TransactionStatus = EMPTY
    partitions: dict[TopicPartition, None] = field(default_factory=dict)
    start_ms: int = NO_START
    last_update_ms: int = 0
    client_version: int = 0
    markers_begun: bool = False
    ended: tuple[Released, ...] = ()

    def put(self, value: TransactionLogValue) -> None:
        """Replace everything that the record contains. For a new record, no markers and no requests wait."""
        self.producer_id = value.producer_id
        self.previous_producer_id = value.previous_producer_id
        self.next_producer_id = value.next_producer_id
        self.producer_epoch = value.producer_epoch
        self.timeout_ms = value.transaction_timeout_ms
        self.status = TransactionStatus(value.transaction_status)
        self.partitions = {
            (each.topic, index): None
            for each in value.transaction_partitions or ()
            for index in each.partition_ids
        }
        self.start_ms = value.transaction_start_timestamp_ms
        self.last_update_ms = value.transaction_last_update_timestamp_ms
        self.client_version = value.client_transaction_version
        self.markers_begun = False
        self.ended = ()

    def bumped_from(self, epoch: int) -> None:
        """Note the epoch before the one of the newest record."""
        self.last_producer_epoch = epoch

    def settle(self, now: Now) -> Decision[None] | None:
        """Return the markers of a prepared transaction as an effect, once."""
        if self.status not in PREPARED or self.markers_begun:
            return None
        markers = WriteMarkers(
            self.transactional_id,
            self.producer_id,
            self.producer_epoch,
            self.status is PREPARE_COMMIT,
            self.partition,
            tuple(self.partitions),
        )
        return Decision(effects=(markers,), after=(self.begin_markers,))

    def begin_markers(self) -> None:
        self.markers_begun = True

    def respond_once_complete(self, released: Released) -> None:
        """Release this response when the markers are written."""
        self.ended += (released,)


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
    for name, content in fields.items():
        setattr(value, name, content)
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
