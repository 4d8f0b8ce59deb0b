"""A minimal transaction coordinator for tests of the write path, and a node that runs it without a broker.

A transaction is prepared, its markers are written, and it is complete. Its records are Kafka's.
"""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from tidemark.core.context import Now
from tidemark.core.deadlines import Deadlines
from tidemark.core.result import NOTHING, Event, Marker, Record, Result, WriteMarkers
from tidemark.groups.state import Groups
from tidemark.log.flusher import Flusher, Reports, SyncPolicy
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.settings import LogSettings, ManagerSettings
from tidemark.metadata.model import OFFSETS_TOPIC, Identity
from tidemark.metadata.state import Cluster
from tidemark.metrics.registry import Metrics
from tidemark.runtime.after_durable import AfterDurable
from tidemark.runtime.effects import Effects
from tidemark.runtime.journal import Encoded, Journal, JournaledLog
from tidemark.runtime.obligations import Obligations, TransactionMarkers
from tidemark.runtime.record_writers import OffsetsWriter
from tidemark.runtime.recovery import GroupsReplay, load_offsets
from tidemark.runtime.runtime import Callbacks, DurableMachine, LongRequests, Runtime, States
from tidemark.testing.clock import VirtualClock
from tidemark.testing.storage import MemoryStorage
from tidemark.turns import Turns
from tidemark.workers import SystemWorkers
from tidemark_protocol.batch import TRANSACTIONAL, LogRecord, build_batch, records
from tidemark_protocol.records.transaction_log import (
    PartitionsSchema,
    TransactionLogKey,
    TransactionLogValue,
)
from tidemark_protocol.stored import CoordinatorCodec

START_MS: Final = 1_795_000_000_000
TRANSACTIONS_TOPIC: Final = "__transaction_state"
INTERNAL: Final = (TRANSACTIONS_TOPIC, OFFSETS_TOPIC)
COORDINATOR_EPOCH: Final = 4
LEADER_EPOCH: Final = 3
PREPARE_COMMIT, PREPARE_ABORT, COMPLETE_COMMIT, COMPLETE_ABORT = 2, 3, 4, 5


@dataclass(slots=True)
class MarkersBegun(Event):
    """The markers of this transaction are being written."""

    transactional_id: str


class Transactions:
    """prepared: transactions whose markers are owed. complete: transactions that have ended, by status."""

    def __init__(self) -> None:
        self.deadlines = Deadlines()
        self.marked: set[str] = set()
        self.prepared: dict[str, TransactionLogValue] = {}
        self.complete: dict[str, int] = {}
        self._begun: set[str] = set()

    def settle(self, key: str, now: Now) -> Result[None]:
        value = self.prepared.get(key)
        if value is None or key in self._begun:
            return NOTHING
        markers = WriteMarkers(
            "Transactions",
            key,
            value.producer_id,
            value.producer_epoch,
            value.transaction_status == PREPARE_COMMIT,
            COORDINATOR_EPOCH,
            tuple(
                (each.topic, partition)
                for each in value.transaction_partitions or ()
                for partition in each.partition_ids
            ),
        )
        return Result(events=(MarkersBegun(key),), effects=(markers,))

    def fulfilled(self, key: str, now: Now) -> Result[None]:
        value = self.prepared[key]
        committed = value.transaction_status == PREPARE_COMMIT
        ended = TransactionLogValue(
            value.producer_id,
            producer_epoch=value.producer_epoch,
            transaction_status=COMPLETE_COMMIT if committed else COMPLETE_ABORT,
            transaction_partitions=[],
        )
        return Result(records=(Record(TransactionLogKey(key), ended),))

    def replay(self, change: Record | Event | Marker) -> None:
        if isinstance(change, MarkersBegun):
            self._begun.add(change.transactional_id)
            return
        assert isinstance(change, Record)
        key, value = change.key.transactional_id, change.value
        if value.transaction_status in (PREPARE_COMMIT, PREPARE_ABORT):
            self.prepared[key] = value
            self.marked.add(key)
        else:
            self.prepared.pop(key, None)
            self._begun.discard(key)
            self.complete[key] = value.transaction_status

    def partition_of(self, record: Record) -> int:
        return 0

    def refused(self, key: str, code: int, now: Now) -> Result[Any]:
        return NOTHING


class TransactionsWriter:
    """Writes transactions to the only partition of `__transaction_state`."""

    def __init__(self, log: JournaledLog) -> None:
        self._log = log

    def encode(self, record: Record) -> Encoded:
        key, value = bytearray(b"\0\0"), bytearray(b"\0\1")
        TransactionLogKey.ENCODERS[0](key, record.key)
        TransactionLogValue.ENCODERS[1](value, record.value)
        return bytes(key), bytes(value)

    def log(self, partition: int) -> JournaledLog:
        return self._log


def decoded(entry: LogRecord) -> Record:
    assert entry.key is not None and entry.value is not None
    key, _ = TransactionLogKey.DECODERS[0](entry.key, 2, len(entry.key))
    value, _ = TransactionLogValue.DECODERS[1](entry.value, 2, len(entry.value))
    return Record(key, value)


def prepared(status: int, producer_id: int, epoch: int, partitions: dict[str, list[int]]) -> Result[None]:
    """Return the decision of EndTxn: a transaction commits or aborts."""
    value = TransactionLogValue(
        producer_id,
        producer_epoch=epoch,
        transaction_status=status,
        transaction_partitions=[PartitionsSchema(topic, ids) for topic, ids in partitions.items()],
    )
    return Result(records=(Record(TransactionLogKey("tx"), value),))


class Node:
    """A node that is started on this storage: it loads the logs and writes the missing markers."""

    def __init__(self, storage: MemoryStorage, *topics: str) -> None:
        self.clock = VirtualClock(START_MS)
        self.failed: BaseException | None = None
        self.logs = LogManager(storage, ManagerSettings(), self.clock, self._settings)
        self.logs.open()
        self._topics = topics
        self.state = Transactions()
        self.groups = Groups()
        self.journal = Journal()
        self.after_durable = AfterDurable(self.journal)
        self.flusher = Flusher(
            self.journal,
            self.clock,
            policy=SyncPolicy("always"),
            reports=Reports(self._durable, self._fail),
            worker=SystemWorkers().thread("sync"),
        )
        effects = Effects()
        offsets_log = partial(self._journaled, OFFSETS_TOPIC)
        self.runtime = Runtime(
            self.clock,
            self.journal,
            States(
                {
                    "Transactions": DurableMachine(
                        self.state, TransactionsWriter(self._journaled(TRANSACTIONS_TOPIC, 0))
                    ),
                    "Groups": DurableMachine(
                        self.groups,
                        OffsetsWriter(CoordinatorCodec(), offsets_log),
                    ),
                },
                self.logs,
            ),
            Metrics(self.clock.steady_ms, 2, 1000),
            LongRequests(Turns(self.clock.host_ms), 1 << 20),
            Callbacks(self.flusher.wake, effects.carry_out, lambda removed: None, self._unexpected),
        )
        obligations = Obligations(
            {"Transactions": self.state},
            self.after_durable,
            Turns(self.clock.host_ms),
            accept=self.runtime.accept,
            now=self.runtime.now,
            wake=self.flusher.wake,
        )
        markers = TransactionMarkers(
            self.journal,
            user_log=self._user_log,
            accept_marker={OFFSETS_TOPIC: self._end_offsets},
            wall_ms=self.clock.wall_ms,
        )
        effects.register(WriteMarkers, partial(obligations.carry_out, markers.write))
        self._load()

    def _settings(self, topic: str) -> LogSettings:
        return LogSettings(waits_for_sync=topic in INTERNAL)

    def log(self, topic: str, partition: int = 0) -> PartitionLog:
        return self.logs.create(topic, partition, uuid.uuid5(uuid.NAMESPACE_DNS, topic).bytes)

    def _journaled(self, topic: str, partition: int) -> JournaledLog:
        return JournaledLog(self.log(topic, partition), leader_epoch=LEADER_EPOCH, base_sequence=0)

    def _user_log(self, topic: str, partition: int) -> JournaledLog | None:
        if topic not in self._topics:
            return None
        log = self.log(topic, partition)
        return JournaledLog(log, leader_epoch=LEADER_EPOCH, base_sequence=0, deletable=True)

    def _end_offsets(self, marker: Marker) -> None:
        self.runtime.accept("Groups", Result(markers=(marker,)))

    def _load(self) -> None:
        for stored in self.log(TRANSACTIONS_TOPIC).batches():
            for entry in records(stored.buf, stored.start, stored.header):
                self.state.replay(decoded(entry))
        self.groups.serve(1)
        cluster = Cluster(Identity("cluster", node_id=1))
        load_offsets(self.log(OFFSETS_TOPIC), GroupsReplay(self.groups, cluster, 0))
        self.groups.loaded(0, self.runtime.now())
        self.runtime.accept("Transactions", NOTHING)

    def _durable(self) -> None:
        self.runtime.release()
        self.after_durable.run()

    def _fail(self, error: BaseException) -> None:
        self.failed = self.failed or error

    def _unexpected(self, pending: Any, error: BaseException) -> None:
        raise AssertionError from error

    def produce(self, topic: str, producer_id: int, epoch: int, *values: bytes) -> None:
        """Produce in a transaction, synced."""
        log = self.log(topic)
        batch = build_batch(
            [LogRecord(index, START_MS, None, value) for index, value in enumerate(values)],
            producer_id=producer_id,
            producer_epoch=epoch,
            base_sequence=0,
            attributes=TRANSACTIONAL,
        )
        log.append(batch, leader_epoch=LEADER_EPOCH, now_ms=START_MS)
        log.mark_synced(log.sync())

    async def settled(self) -> None:
        """Wait until all decisions and their consequences are durable."""
        while self.failed is None and (self.state.prepared or self.journal.durable < self.journal.appended):
            await asyncio.sleep(0)

    async def abandon(self) -> None:
        """End as a killed process does."""
        self.runtime.close()
        self.after_durable.stop()
        await self.flusher.abandon()
        self.logs.abandon()
