"""Transactions: the state machine of all transactional ids. Its log is `__transaction_state`.

A transactional id lives in one partition of the log, chosen as that of a group.

A producer begins to use an id, partitions join its transaction or are verified to be in it (KIP-890), and
the transaction ends. `Transaction.settle` and `completed` decide what follows: the markers and the record
that completes the transaction. Kafka: TransactionCoordinator.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tidemark.core.apply import SERVICE_ERRORS, PartitionStatus
from tidemark.core.context import EVERY_NODE, Now
from tidemark.core.deadlines import Deadlines
from tidemark.core.decision import NOTHING, Decision, Marker, Record
from tidemark.metadata.model import FIRST_LEADER_EPOCH, TRANSACTIONS_TOPIC
from tidemark.settings.broker import BrokerSettings
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
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import partition_of_group

if TYPE_CHECKING:
    from tidemark.metadata.state import Cluster

NAME: Final = "Transactions"
BATCH_BYTES_MAX: Final = 1_048_588  # Kafka's default of max.message.bytes
STEP: Final = 1_000  # ids that are looked at in one step
TOMBSTONES_MAX: Final = 16  # in one Decision: with the longest ids half a megabyte

NewProducerId = Callable[[], int]


class Producer(NamedTuple):
    """The response to EndTxn and InitProducerId: an error, or the id and epoch with which to continue."""

    error: ErrorCode = ErrorCode.NONE
    producer_id: int = NO_ID
    producer_epoch: int = NO_EPOCH


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


class Transactions:
    """All transactional ids. A new object is empty and serves no partition.

    by_id      every transactional id. Only replay adds one
    by_key     the same
    producers  the transactional id of each producer id
    status     of each partition of `__transaction_state`
    timeouts   when each open transaction times out (steady ms). The next pass of `timed_out` aborts it
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
        self._is_spread = self.settings.tidemark_brokers > 1

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

    def check_coordinates(self, transactional_id: str, node_id: int) -> None:
        """Raise NOT_COORDINATOR unless this node leads the id's partition."""
        if self._is_spread and self.status:
            partition = self.partition_for(transactional_id)
            if not self.coordinates(partition, node_id):
                raise KafkaError(ErrorCode.NOT_COORDINATOR)

    def coordinates(self, partition: int, node_id: int) -> bool:
        """Return whether this node coordinates the transactional ids of a partition."""
        if not self._is_spread or node_id == EVERY_NODE:
            return True
        assert self.cluster is not None
        return self.cluster.topics[TRANSACTIONS_TOPIC].partitions[partition].leader == node_id

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

    # Requests of producers.

    def _known(self, transactional_id: str | None) -> Transaction:
        if not transactional_id:
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        transaction = self.serving(transactional_id)
        if transaction is None:
            raise KafkaError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
        return transaction

    def initialise(
        self,
        now: Now,
        transactional_id: str,
        timeout_ms: int,
        expected: tuple[int, int] | None,
        new_producer_id: NewProducerId,
    ) -> Decision[Producer]:
        """Return the producer id and epoch with which a producer begins. The new epoch fences other ones.

        An open transaction is aborted first: the response is CONCURRENT_TRANSACTIONS, and the client retries.
        Raises KafkaError. Kafka: handleInitProducerId, prepareIncrementProducerEpoch,
        prepareProducerIdRotation.

        expected: the producer id and epoch of a producer that continues after an error (KIP-360), or None
        """
        if not transactional_id:
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        if not 0 < timeout_ms <= self.settings.transaction_max_timeout_ms:
            raise KafkaError(ErrorCode.INVALID_TRANSACTION_TIMEOUT)
        transaction = self.serving(transactional_id)
        if transaction is None:
            partition = self.partition_for(transactional_id)
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
            aborted = self.fence(transaction, now, new_producer_id)
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
        self,
        now: Now,
        transactional_id: str | None,
        producer_id: int,
        producer_epoch: int,
        partitions: Collection[TopicPartition],
        client_version: int = 0,
    ) -> Decision[ErrorCode]:
        """Add partitions to the producer's transaction, which begins with the first.

        The response is the error code. Kafka: handleAddPartitionsToTransaction.

        client_version: 2 if the client's requests add partitions implicitly (Produce v12+, TxnOffsetCommit
        v5+)
        """
        try:
            transaction = self._known(transactional_id)
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
        if not fits(self.record_bytes_max, transaction.transactional_id, added):
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
        times_out = partial(self.time_out, transaction, now.steady_ms + transaction.timeout_ms)
        return Decision(ErrorCode.NONE, (record,), after=(times_out,))

    def verify(
        self,
        transactional_id: str | None,
        producer_id: int,
        producer_epoch: int,
        partitions: Collection[TopicPartition],
    ) -> dict[TopicPartition, ErrorCode]:
        """Return for each partition NONE if it is in the producer's transaction, or else the error.

        Kafka: handleVerifyPartitionsInTransaction.
        """
        try:
            transaction = self._known(transactional_id)
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
        self,
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
        told from a new request. Such a client may abort even if it has added no partition, because the broker
        may have added one without the client's knowledge (KIP-890)
        """
        transaction = self._known(transactional_id)
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
            transaction.previous_producer_id == producer_id
            and producer_epoch == EPOCH_EXHAUSTED
            and epoch == 0
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

    def fence(self, transaction: Transaction, now: Now, new_producer_id: NewProducerId) -> Decision[Producer]:
        """Abort an open transaction with a higher epoch, which fences its producer.

        Kafka: TransactionMetadata.prepareFenceProducerEpoch, followed by endTransaction.
        """
        if self.version >= EPOCH_BUMP_FROM:
            return _bumped(transaction, now, PREPARE_ABORT, new_producer_id)
        return _prepared(
            transaction, now, PREPARE_ABORT, min(transaction.producer_epoch + 1, EPOCH_MAX), NO_EPOCH
        )

    # What follows: the record after the markers, timeouts, and ids that are no longer used.

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

    def timed_out(self, now: Now, new_producer_id: NewProducerId) -> Iterator[Decision[Producer]]:
        """Yield the aborts of transactions that are open for longer than their timeout.

        Each Decision must be accepted before the next is requested. The caller may serve requests in between.
        """
        while True:
            passed = self.timeouts.peek_due(now.steady_ms - 1, 1)  # Kafka: not at the very millisecond
            if not passed:
                return
            transaction = self.by_id[passed[0]]
            assert transaction.status is ONGOING, f"{transaction} has a timeout"
            yield self.fence(transaction, now, new_producer_id)

    def expired_ids(self, wall_ms: int) -> Iterator[Decision[None] | None]:
        """Yield tombstones of the ids that were not used for transactional.id.expiration.ms.

        Each must be accepted before the next is requested. None ends a step of the search. The caller may
        serve requests in between: each id is checked again before its tombstone is made.
        """
        found: dict[int, list[str]] = {}
        ids = iter([*self.by_id])
        while some := [*islice(ids, STEP)]:
            for transactional_id in some:
                transaction = self._expired(transactional_id, wall_ms)
                if transaction is not None:
                    found.setdefault(transaction.partition, []).append(transactional_id)
            yield None
        for partition in sorted(found):  # tombstones of a partition share batches
            yield from self._tombstones(found[partition], wall_ms)

    def _tombstones(self, ids: list[str], wall_ms: int) -> Iterator[Decision[None]]:
        for start in range(0, len(ids), TOMBSTONES_MAX):
            records = self._still_expired(ids[start : start + TOMBSTONES_MAX], wall_ms)
            if records:
                yield Decision(records=records)

    def _still_expired(self, ids: Iterable[str], wall_ms: int) -> tuple[Record, ...]:
        return tuple(tombstone(each) for each in ids if self._expired(each, wall_ms) is not None)

    def _expired(self, transactional_id: str, wall_ms: int) -> Transaction | None:
        """Return the transaction if its id may be removed."""
        transaction = self.by_id.get(transactional_id)
        if transaction is None or transaction.status not in EXPIRE:
            return None
        if transaction.last_update_ms > wall_ms - self.settings.transactional_id_expiration_ms:
            return None
        if self.status[transaction.partition] is not PartitionStatus.ACTIVE:
            return None
        return transaction

    # The state machine.

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
