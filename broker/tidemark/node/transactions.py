"""The transaction coordinator of one incarnation: the state machine with everything that it needs.

A start imports this only if `__transaction_state` exists, else the first request that needs it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from tidemark.cleanup.transactions import Calls, TransactionalIdExpiry, TransactionTimeouts
from tidemark.clock import turn
from tidemark.core.context import Now
from tidemark.core.result import NOTHING, Marker, WriteMarkers
from tidemark.engine import cluster_logs
from tidemark.engine.coordinator import DurableMachine, Runtime
from tidemark.engine.effects import Effects
from tidemark.engine.event_log import TransactionEvents
from tidemark.engine.group_commit import GroupCommit
from tidemark.engine.obligations import Obligations, TransactionMarkers
from tidemark.engine.recovery import CannotLoad
from tidemark.engine.transaction_log import load_transactions
from tidemark.groups.transactions import end_transaction
from tidemark.log.partition import PartitionLog
from tidemark.metadata.model import OFFSETS_TOPIC, TRANSACTIONS_TOPIC, Topic
from tidemark.metadata.producer_ids import skip_producer_ids
from tidemark.metrics.registry import Metrics
from tidemark.node import limits
from tidemark.node.environment import Environment
from tidemark.node.state import State
from tidemark.transactions.expiring import TimedOut
from tidemark.transactions.state import NAME, Transactions
from tidemark.turns import Turns
from tidemark_protocol.batch import NO_SEQUENCE
from tidemark_protocol.stored_transactions import encode_transaction

HELD_MS: Final = 2**62  # steady time; a timeout that begins then does not end before `resume`


@dataclass(slots=True, frozen=True)
class Surroundings:
    """The parts of the incarnation that the coordinator works with."""

    env: Environment
    state: State
    runtime: Runtime
    group_commit: GroupCommit
    turns: Turns
    effects: Effects
    metrics: Metrics
    new_producer_id: Callable[[], int]
    failed: Callable[[BaseException], None]


class TransactionCoordinator:
    """Decides about transactions, and writes their markers.

    markers      writes single markers, for WriteTxnMarkers
    obligations  of transactions that owe markers
    timeouts     aborts transactions that have timed out
    id_expiry    removes transactional ids that are not used
    """

    def __init__(self, surroundings: Surroundings) -> None:
        env, state, runtime = surroundings.env, surroundings.state, surroundings.runtime
        self._held: set[str] = set()  # transactional ids that owe markers until `resume`
        self._state = state
        self._runtime = runtime
        self._logger = env.logger
        self._drain = surroundings.group_commit.drain
        self.transactions = Transactions(limits.transaction_limits(env.config))
        self.transactions.cluster = state.cluster
        open_log = partial(
            cluster_logs.internal_log, state.cluster, state.logs, TRANSACTIONS_TOPIC, NO_SEQUENCE
        )
        self.machine = DurableMachine(
            self.transactions,
            lambda key, value: encode_transaction(key, value, 1 if state.cluster.transaction_version else 0),
            open_log,
        )
        self._events = events = TransactionEvents(self.transactions, surroundings.metrics, env.logger)
        calls = Calls(
            accept=partial(runtime.accept, NAME),
            new_producer_id=surroundings.new_producer_id,
            held=lambda: runtime.held,
            ended=events.timed_out,
            expired=events.expired,
        )
        self.timeouts = TransactionTimeouts(
            self.transactions,
            state.clock,
            surroundings.turns,
            env.config.transaction_abort_timed_out_transaction_cleanup_interval_ms,
            calls,
        )
        self.transactions.timed = self.timeouts.arm
        self.id_expiry = TransactionalIdExpiry(self.transactions, state.clock, calls)
        self.markers = TransactionMarkers(
            state.clock,
            surroundings.turns,
            state.logs.workers,
            append=self._append_marker,
            accept_marker={OFFSETS_TOPIC: self._end_offsets},
            sync=env.config.tidemark_sync,
        )
        self.obligations = Obligations(
            {NAME: self.transactions},
            surroundings.group_commit,
            accept=runtime.accept,
            now=runtime.now,
            failed=surroundings.failed,
        )
        self._metrics = surroundings.metrics
        surroundings.effects.register(WriteMarkers, self._end)

    def _end(self, owed: WriteMarkers) -> None:
        self._metrics.transactions_ended["commit" if owed.committed else "abort"] += 1
        self.obligations.carry_out(self.markers.write, owed)

    def serve(self, partitions: int) -> None:
        """Serve transactional ids from a new `__transaction_state`, which is empty."""
        self.transactions.serve(partitions)
        self.transactions.all_loaded(range(partitions), self._runtime.now())

    def load(self, topic: Topic) -> None:
        """Load all transactional ids. Those that owe markers write them, unless the broker is held."""
        transactions = self.transactions
        transactions.serve(len(topic.partitions))
        read = {partition.index for partition in topic.partitions if self._is_read(partition.index)}
        now = self._runtime.now()
        transactions.all_loaded(read, replace(now, steady_ms=HELD_MS) if self._runtime.held else now)
        self._skip_producer_ids()
        if self._runtime.held:
            self._held, transactions.marked = transactions.marked, set()
        self._settle()
        self.timeouts.arm()

    def _is_read(self, partition: int) -> bool:
        """Read a partition. Return False if it cannot be served."""
        transactions = self.transactions
        log = self._state.logs.get(TRANSACTIONS_TOPIC, partition)
        if log is None:
            transactions.failed(partition)  # lost or damaged, which has been logged
            return False
        try:
            loaded = load_transactions(log, transactions.replay)
        except CannotLoad as error:
            transactions.failed(partition)
            self._logger.error(
                "transactions not served", topic=TRANSACTIONS_TOPIC, partition=partition, reason=str(error)
            )
            return False
        self._state.skipped.add(TRANSACTIONS_TOPIC, partition, loaded.skipped)
        return True

    def _skip_producer_ids(self) -> None:
        """Assign no producer id again that a transactional id has.

        A power cut may have taken the record of its block, which is in another log.
        """
        cluster = self._state.cluster
        ids = (max(each.producer_id, each.next_producer_id) for each in self.transactions.by_id.values())
        self._runtime.accept("Cluster", skip_producer_ids(cluster, max(ids, default=-1)))

    @contextmanager
    def timed_out(self) -> Iterator[list[TimedOut]]:
        """Yield a list to which transactions that time out are added during the block."""
        seen: list[TimedOut] = []
        self._events.seen = lambda transaction: seen.append(TimedOut.of(transaction))
        try:
            yield seen
        finally:
            self._events.seen = None

    async def settled(self) -> None:
        """Return once every transaction that has ended has its markers, and all of it is durable."""
        while self.obligations.open or self.timeouts.is_due or self.timeouts.is_working:
            await self._wait_a_turn()

    async def finish(self) -> None:
        """Return once every client that has ended a transaction has its response.

        Raises the error of a failed write or sync.
        """
        ending = [each for each in self.transactions.by_id.values() if each.ended]
        while self.obligations.open and any(each.ended for each in ending):
            await self._wait_a_turn()

    async def _wait_a_turn(self) -> None:
        if self.obligations.error is not None:
            raise self.obligations.error
        await self._drain()
        await turn()

    async def stop(self) -> None:
        """Stop timers, and writing markers."""
        self.timeouts.stop()
        await self.obligations.stop()

    def _settle(self) -> None:
        self._runtime.accept(NAME, NOTHING)

    def resume(self, now: Now) -> None:
        """Start what was held: timeouts, and the markers that are owed."""
        self.transactions.start_deadlines(now)
        self.transactions.marked |= self._held
        self._settle()

    def _append_marker(self, topic: str, marker: Marker) -> PartitionLog | None:
        state = self._state
        return cluster_logs.append_marker(state.cluster, state.logs, topic, marker, state.clock.wall_ms())

    def _end_offsets(self, marker: Marker) -> None:
        groups = self._state.groups
        is_served = marker.partition < len(groups.status) and groups.is_active(marker.partition)
        if is_served:  # else the partition does not exist, or is lost with everything in it
            self._runtime.accept("Groups", end_transaction(groups, marker))


__all__ = ["Surroundings", "TransactionCoordinator"]
