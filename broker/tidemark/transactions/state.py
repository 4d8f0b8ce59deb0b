"""Transactions: the state machine of all transactional ids. Its log is `__transaction_state`.

A transactional id lives in one partition of the log, chosen as that of a group.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.apply import SERVICE_ERRORS, PartitionStatus
from tidemark.core.context import Now
from tidemark.core.deadlines import Deadlines
from tidemark.core.decision import NOTHING, Decision, Marker, Record
from tidemark.metadata.model import FIRST_LEADER_EPOCH, TRANSACTIONS_TOPIC
from tidemark.settings.broker import BrokerSettings
from tidemark.transactions.model import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    EPOCH_BUMP_FROM,
    NO_ID,
    ONGOING,
    PREPARE_COMMIT,
    PREPARED,
    Transaction,
    changed,
)
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import partition_of_group

if TYPE_CHECKING:
    from tidemark.metadata.state import Cluster

NAME: Final = "Transactions"
BATCH_BYTES_MAX: Final = 1_048_588  # Kafka's default of max.message.bytes


class Transactions:
    """All transactional ids. A new object is empty and serves no partition.

    by_id      every transactional id. Only replay adds one
    by_key     the same
    producers  the transactional id of each producer id
    status     of each partition of `__transaction_state`
    timeouts   when each open transaction times out (steady ms). `expiring` aborts it at the next pass
    timed      is called when a transaction gets a timeout, if it is set
    deadlines  always empty: nothing is due between the passes
    marked     transactions that have changed since they were last settled
    cluster    the Cluster state, read-only; None: none is attached
    """

    def __init__(self, settings: BrokerSettings | None = None) -> None:
        self.settings = settings or BrokerSettings()
        self.by_id: dict[str, Transaction] = {}
        self.by_key = self.by_id
        self.producers: dict[int, str] = {}
        self.status: list[PartitionStatus] = []
        self.timeouts = Deadlines()
        self.timed: Callable[[], None] | None = None
        self.deadlines = Deadlines()
        self.marked: set[str] = set()
        self.cluster: Cluster | None = None

    # Partitions.

    def serve(self, partitions: int) -> None:
        """Start with this many partitions of `__transaction_state`. Each must be loaded first."""
        assert not self.by_id, "the number of partitions never changes"
        self.status = [PartitionStatus.LOADING] * partitions

    def failed(self, partition: int) -> None:
        """Stop serving the transactional ids of a partition: one of its records cannot be read."""
        self.status[partition] = PartitionStatus.FAILED

    def is_loading(self, partition: int) -> bool:
        return self.status[partition] is PartitionStatus.LOADING

    def loaded(self, partitions: Collection[int], now: Now) -> None:
        """Serve partitions that were read to their ends. The caller must settle the ids that this marks."""
        for partition in partitions:
            self.status[partition] = PartitionStatus.ACTIVE
        for transaction in self.by_id.values():
            if transaction.partition in partitions:
                if transaction.status in PREPARED:
                    self.marked.add(transaction.transactional_id)
                self._start_deadline(transaction, now)

    def start_deadlines(self, now: Now) -> None:
        """Give every open transaction the time that is left of its timeout, from its stored start."""
        for transaction in self.by_id.values():
            self._start_deadline(transaction, now)

    def _start_deadline(self, transaction: Transaction, now: Now) -> None:
        if transaction.status is ONGOING:
            # If the wall clock was set back, the transaction gets its whole timeout, and not more.
            left_ms = min(transaction.start_ms + transaction.timeout_ms - now.wall_ms, transaction.timeout_ms)
            self.timeouts.set(transaction.transactional_id, now.steady_ms + left_ms)

    def time_out(self, transaction: Transaction, at_ms: int) -> None:
        """Let an open transaction time out after this moment (steady ms)."""
        self.timeouts.set(transaction.transactional_id, at_ms)
        if self.timed is not None:
            self.timed()

    def partition_for(self, transactional_id: str) -> int:
        transaction = self.by_id.get(transactional_id)
        if transaction is not None:
            return transaction.partition
        return 0 if len(self.status) == 1 else partition_of_group(transactional_id, len(self.status))

    def coordinator_epoch(self, partition: int) -> int:
        """Return the leader epoch of a partition of `__transaction_state`, which markers contain."""
        topic = None if self.cluster is None else self.cluster.topic(TRANSACTIONS_TOPIC)
        return FIRST_LEADER_EPOCH if topic is None else topic.partitions[partition].leader_epoch

    @property
    def version(self) -> int:
        """The finalized level of the feature transaction.version."""
        return 0 if self.cluster is None else self.cluster.transaction_version

    @property
    def record_bytes_max(self) -> int:
        """The maximum size of a batch of `__transaction_state`."""
        if self.cluster is None:
            return BATCH_BYTES_MAX
        config = self.cluster.topic_config(TRANSACTIONS_TOPIC)
        return min(config.max_message_bytes, config.segment_bytes)

    # Transactional ids.

    def get(self, transactional_id: str) -> Transaction | None:
        return self.by_id.get(transactional_id)

    def service_error(self, transactional_id: str) -> ErrorCode:
        """Return NONE if the id's partition is served, or else the error."""
        if not self.status:
            return ErrorCode.NOT_COORDINATOR
        return SERVICE_ERRORS[self.status[self.partition_for(transactional_id)]]

    def serving(self, transactional_id: str) -> Transaction | None:
        """Return the transaction, or None if the id is unknown.

        Raises NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS unless the id's partition is served.
        """
        transaction = self.by_id.get(transactional_id)
        if transaction is None or self.status[transaction.partition] is not PartitionStatus.ACTIVE:
            error = self.service_error(transactional_id)
            if error is not ErrorCode.NONE:
                raise KafkaError(error)
        return transaction

    # The state machine.

    def completed(self, key: str, now: Now) -> Decision[None]:
        """Return the record that completes a transaction whose markers are durable, and responses that wait.

        If the epoch of the producer is exhausted, its client continues with the next producer id. Kafka:
        TransactionMetadata.prepareComplete.
        """
        transaction = self.by_id[key]
        assert transaction.status in PREPARED, f"{transaction} owes no markers"
        producer_id, epoch = transaction.producer_id, transaction.producer_epoch
        if transaction.client_version >= EPOCH_BUMP_FROM and transaction.next_producer_id != NO_ID:
            producer_id, epoch = transaction.next_producer_id, 0
        record = changed(
            transaction,
            producer_id=producer_id,
            producer_epoch=epoch,
            next_producer_id=NO_ID,
            transaction_status=COMPLETE_COMMIT if transaction.status is PREPARE_COMMIT else COMPLETE_ABORT,
            transaction_partitions=[],
            transaction_last_update_timestamp_ms=now.wall_ms,
        )
        return Decision(records=(record,), released=transaction.ended)

    def replay(self, change: Record | Marker) -> None:
        """Apply a record: one that was decided here, or any that Kafka writes."""
        assert isinstance(change, Record), f"{change} is no change of a transaction"
        key, value = change.key.transactional_id, change.value
        if value is None:
            removed = self.by_id.pop(key, None)
            if removed is not None:
                self.producers.pop(removed.producer_id, None)
            self.timeouts.set(key, None)
            return
        transaction = self.by_id.get(key)
        if transaction is None:
            transaction = self.by_id[key] = Transaction(key, self.partition_for(key))
        if transaction.producer_id != value.producer_id:
            self.producers.pop(transaction.producer_id, None)
            self.producers[value.producer_id] = key
        transaction.put(value)
        if transaction.status is not ONGOING:
            self.timeouts.set(key, None)
        if transaction.status in PREPARED and self.status[transaction.partition] is PartitionStatus.ACTIVE:
            self.marked.add(key)

    def partition_of(self, record: Record) -> int:
        return self.partition_for(record.key.transactional_id)

    def refused(self, key: str, code: ErrorCode, now: Now) -> Decision[Any]:
        """Return nothing: no request is parked here."""
        return NOTHING
