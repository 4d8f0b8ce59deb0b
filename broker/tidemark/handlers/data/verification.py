"""The transaction's coordinator confirms that it contains a partition, or adds it, before data is appended.

Otherwise a transaction that has ended or was fenced could leave an open one in the log forever (KIP-890). A
log asks only until the transaction is open in it. Kafka: ReplicaManager.handleProduceAppend,
AddPartitionsToTxnManager.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tidemark.clock import Clock
from tidemark.core.context import Context
from tidemark.log.partition import PartitionLog
from tidemark.log.producers import NO_GUARD
from tidemark.metadata.model import TRANSACTIONS_TOPIC
from tidemark.transactions.state import NAME, Transactions
from tidemark_protocol.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from tidemark.transactions.model import TopicPartition

FIRST_VERSION_WITH_ABORTABLE: Final = 11
FIRST_VERSION_THAT_ADDS: Final = 12
TRANSACTIONS_V2: Final = 2
# While the markers of the last transaction are written, the next one cannot begin. Kafka asks again every
# add.partitions.to.txn.retry.backoff.ms (20), up to add.partitions.to.txn.retry.backoff.max.ms. In one node
# the markers take a few milliseconds.
RETRY_MS: Final = 2
RETRIES_END_MS: Final = 100
UNAVAILABLE: Final = (
    ErrorCode.NETWORK_EXCEPTION,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
)

Errors = dict["TopicPartition", ErrorCode]


@dataclass(slots=True)
class FirstBatch:
    """A transactional batch that may be the first one of its transaction in this log."""

    log: PartitionLog
    sequence: int


@dataclass(slots=True)
class Verified:
    """guards: for the appends of verified partitions. refused: the other ones, with error and message."""

    guards: dict[TopicPartition, int] = field(default_factory=dict)
    refused: dict[TopicPartition, KafkaError] = field(default_factory=dict)


@dataclass(slots=True)
class Verifying:
    """The transaction of one Produce request."""

    ctx: Context
    clock: Clock
    transactional_id: str
    producer_id: int
    epoch: int

    async def verified(self, batches: dict[TopicPartition, FirstBatch]) -> Verified:
        """Verify or add the partitions whose logs have no open transaction of this producer."""
        until_ms = self.clock.host_ms() + RETRIES_END_MS
        while True:
            done = Verified()
            errors = self._start(batches, done)
            if done.guards:
                errors |= await self._ask(done.guards)
            is_concurrent = ErrorCode.CONCURRENT_TRANSACTIONS in errors.values()
            if not (is_concurrent and self._adds and self.clock.host_ms() < until_ms):
                break
            await self.clock.sleep_until(self.clock.host_ms() + RETRY_MS)
        done.refused = {partition: self._translated(code) for partition, code in errors.items()}
        return done

    @property
    def _adds(self) -> bool:
        return self.ctx.version >= FIRST_VERSION_THAT_ADDS

    def _start(self, batches: dict[TopicPartition, FirstBatch], done: Verified) -> Errors:
        errors: Errors = {}
        for partition, batch in batches.items():
            if not (self._adds or batch.log.settings.verifies_transactions):
                continue
            try:
                guard = batch.log.start_verification(
                    self.producer_id,
                    self.epoch,
                    batch.sequence,
                    bumps_epoch=self._adds,
                    now_ms=self.ctx.wall_ms,
                )
            except KafkaError as old:
                errors[partition] = old.code
                continue
            if guard != NO_GUARD:
                done.guards[partition] = guard
        return errors

    async def _ask(self, partitions: Iterable[TopicPartition]) -> Errors:
        """Ask the coordinator. Return the partitions that it refuses; the others are durable in its log."""
        wanted = tuple(partitions)
        if TRANSACTIONS_TOPIC not in self.ctx.cluster.topics:
            return dict.fromkeys(wanted, ErrorCode.COORDINATOR_NOT_AVAILABLE)
        producer = self.transactional_id, self.producer_id, self.epoch
        decisions = self.ctx.decisions
        transactions: Transactions = decisions.state(NAME)
        began_ms = self.clock.host_ms()
        try:
            if self._adds:
                added = transactions.add_partitions(decisions.now(), *producer, wanted, TRANSACTIONS_V2)
                found: Errors = dict.fromkeys(wanted, decisions.apply(NAME, added))
            else:
                found = transactions.verify(*producer, wanted)
            await decisions.durable()
        except KafkaError as failed:
            found = dict.fromkeys(wanted, failed.code)
        errors: Errors = {partition: code for partition, code in found.items() if code != ErrorCode.NONE}
        decisions.verified(len(errors), self.clock.host_ms() - began_ms)
        return errors

    def _translated(self, code: ErrorCode) -> KafkaError:
        """Return the error of the Produce response for an error of the coordinator."""
        if code is ErrorCode.PRODUCER_FENCED:
            code = ErrorCode.INVALID_PRODUCER_EPOCH
        elif code is ErrorCode.TRANSACTION_ABORTABLE and self.ctx.version < FIRST_VERSION_WITH_ABORTABLE:
            code = ErrorCode.INVALID_TXN_STATE
        if code is ErrorCode.INVALID_TXN_STATE:
            return KafkaError(code, "Partition was not added to the transaction")
        if code in UNAVAILABLE or (code is ErrorCode.CONCURRENT_TRANSACTIONS and not self._adds):
            return KafkaError(
                ErrorCode.NOT_ENOUGH_REPLICAS,
                "Unable to verify the partition has been added to the transaction. Underlying error: "
                f"{code.name}",
            )
        return KafkaError(code)
