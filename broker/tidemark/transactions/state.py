"""Transactions: the state machine of all transactional ids. Its log is `__transaction_state`.

A transactional id lives in one partition of the log, chosen as that of a group.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import Now
from tidemark.core.deadlines import Deadlines
from tidemark.core.partition_status import SERVICE_ERRORS, PartitionStatus
from tidemark.core.result import NOTHING, Event, Marker, Record, Result, WriteMarkers
from tidemark.metadata.model import FIRST_LEADER_EPOCH, TRANSACTIONS_TOPIC
from tidemark.transactions.completing import completed
from tidemark.transactions.events import EndParked, EpochReplaced, MarkersBegun, TimeoutArmed
from tidemark.transactions.limits import TransactionLimits
from tidemark.transactions.model import ONGOING, PREPARE_COMMIT, Transaction
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import partition_of_group

if TYPE_CHECKING:
    from tidemark.metadata.state import Cluster

NAME: Final = "Transactions"
BATCH_BYTES_MAX: Final = 1_048_588  # Kafka's default of max.message.bytes


class Transactions:
    """All transactional ids. A new object is empty and serves no partition.

    by_id      every transactional id. Only replay adds one
    producers  the transactional id of each producer id
    status     of each partition of `__transaction_state`
    timeouts   when each open transaction times out (steady ms). `expiring` aborts it at the next pass
    deadlines  always empty: nothing is due between the passes
    marked     transactions that have changed since they were last settled
    cluster    the Cluster state, read-only; None: none is attached
    """

    def __init__(self, limits: TransactionLimits | None = None) -> None:
        self.limits = limits or TransactionLimits()
        self.by_id: dict[str, Transaction] = {}
        self.producers: dict[int, str] = {}
        self.status: list[PartitionStatus] = []
        self.timeouts = Deadlines()
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

    def loaded(self, partition: int, now: Now) -> None:
        """Serve a partition that was read to its end. The caller must settle the ids that this marks."""
        self.all_loaded([partition], now)

    def all_loaded(self, partitions: Collection[int], now: Now) -> None:
        """Like `loaded`, for several partitions in one pass over all ids."""
        for partition in partitions:
            self.status[partition] = PartitionStatus.ACTIVE
        for transaction in self.by_id.values():
            if transaction.partition in partitions:
                if transaction.is_prepared:
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
        error = self.service_error(transactional_id)
        if error is not ErrorCode.NONE:
            raise KafkaError(error)
        return self.by_id.get(transactional_id)

    # The state machine.

    def settle(self, key: str, now: Now) -> Result[None]:
        """Return the obligation to write the markers of a prepared transaction, once."""
        transaction = self.by_id.get(key)
        if transaction is None or not transaction.is_prepared or transaction.markers_begun:
            return NOTHING
        markers = WriteMarkers(
            NAME,
            key,
            transaction.producer_id,
            transaction.producer_epoch,
            transaction.status is PREPARE_COMMIT,
            self.coordinator_epoch(transaction.partition),
            tuple(transaction.partitions),
        )
        return Result(events=(MarkersBegun(key),), effects=(markers,))

    def fulfilled(self, key: str, now: Now) -> Result[None]:
        """Return the end of a transaction whose markers are durable."""
        return completed(self.by_id[key], now)

    def replay(self, change: Record | Event | Marker) -> None:
        """Apply a change. Accepts every change of deciders and settle, and every record that Kafka writes."""
        if isinstance(change, Record):
            self._replay_record(change.key.transactional_id, change.value)
        elif isinstance(change, EpochReplaced):
            self.by_id[change.transactional_id].last_producer_epoch = change.last_producer_epoch
        elif isinstance(change, TimeoutArmed):
            self.timeouts.set(change.transactional_id, change.at_ms)
        elif isinstance(change, MarkersBegun):
            self.by_id[change.transactional_id].markers_begun = True
        elif isinstance(change, EndParked):
            self.by_id[change.transactional_id].ended += (change.released,)
        else:
            raise AssertionError(f"{change} is no change of a transaction")

    def _replay_record(self, key: str, value: Any) -> None:
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
        if transaction.is_prepared and self.status[transaction.partition] is PartitionStatus.ACTIVE:
            self.marked.add(key)

    def partition_of(self, record: Record) -> int:
        return self.partition_for(record.key.transactional_id)

    def refused(self, key: str, code: ErrorCode, now: Now) -> Result[Any]:
        """Return nothing: no request is parked here."""
        return NOTHING
