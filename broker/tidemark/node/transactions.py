"""The transaction coordinator of one incarnation: the state machine with everything that it needs.

A start imports this only if `__transaction_state` exists, else the first request that needs it does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from tidemark.cleanup.transactions import TransactionTimeouts, remove_expired_ids
from tidemark.clock import turn
from tidemark.core.apply import LogUnavailable
from tidemark.core.context import Now
from tidemark.core.decision import NOTHING, Marker, Record, WriteMarkers
from tidemark.engine import cluster_logs
from tidemark.engine.coordinator import DurableMachine, Runtime
from tidemark.engine.effects import Effects
from tidemark.engine.group_commit import GroupCommit
from tidemark.engine.recovery import CannotLoad, Loaded
from tidemark.log.errors import OutOfDescriptors
from tidemark.log.manager import RETRY_MS, SYNCS_AT_ONCE
from tidemark.log.partition import PartitionLog
from tidemark.metadata.model import OFFSETS_TOPIC, TRANSACTIONS_TOPIC, Topic
from tidemark.metrics.registry import Metrics
from tidemark.node.environment import Environment
from tidemark.transactions.state import NAME, TimedOut, Transactions
from tidemark.turns import Turns
from tidemark_protocol.batch import NO_SEQUENCE, BatchError, records
from tidemark_protocol.stored import UnknownRecordType
from tidemark_protocol.stored_transactions import decode_transaction, encode_transaction
from tidemark_protocol.wire import WireError

if TYPE_CHECKING:
    from tidemark.node.incarnation import State

HELD_MS: Final = 2**62  # steady time; a timeout that begins then does not end before `resume`


class TransactionCoordinator:
    """Decides about transactions, and writes their markers.

    Markers are work in other logs that a restart repeats until it is recorded as done (decisions/0021). The
    Prepare record of a transaction says that they are due. `Transaction.settle` returns them as an effect,
    once, because a restart forgets that they were begun. Four steps follow in order: the Prepare record is
    durable (`_owe`), the markers are written (`_end`), they are durable, and the Complete record is decided
    (`_complete`).

    A restart may write a marker twice. Kafka's brokers and consumers ignore the second one, since it ends no
    transaction (ProducerAppendInfo.appendEndTxnMarker, CompletedFetch.containsAbortMarker). No producer may
    begin a transaction before the Complete record is decided.

    timeouts   aborts transactions that have timed out
    owing      how many transactions have no Complete record yet
    error      of a write or sync of markers that has failed
    """

    def __init__(
        self,
        env: Environment,
        state: State,
        runtime: Runtime,
        group_commit: GroupCommit,
        turns: Turns,
        metrics: Metrics,
        *,
        effects: Effects,
        new_producer_id: Callable[[], int],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._marked_at_load: set[str] = set()  # transactional ids that owe markers from `resume` on
        self._state = state
        self._runtime = runtime
        self._group_commit = group_commit
        self._turns = turns
        self._metrics = metrics
        self._logger = env.logger
        self._sync_mode = env.config.tidemark_sync
        self._failed = failed
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: list[asyncio.Future[None]] = []  # for `_progress`
        self.owing = 0
        self.error: OSError | None = None
        self.transactions = Transactions(env.config)
        self.transactions.cluster = state.cluster
        open_log = partial(
            cluster_logs.internal_log, state.cluster, state.logs, TRANSACTIONS_TOPIC, NO_SEQUENCE
        )
        self.machine = DurableMachine(
            self.transactions,
            runtime,
            lambda key, value: encode_transaction(key, value, 1 if state.cluster.transaction_version else 0),
            open_log,
        )
        self.timeouts = TransactionTimeouts(
            self.transactions,
            state.clock,
            turns,
            env.config.transaction_abort_timed_out_transaction_cleanup_interval_ms,
            metrics,
            env.logger,
            accept=partial(runtime.accept, NAME),
            new_producer_id=new_producer_id,
            held=lambda: runtime.held,
        )
        self.transactions.timed = self.timeouts.arm
        effects.register(WriteMarkers, self._owe)

    # Markers.

    def _owe(self, owed: WriteMarkers) -> None:
        self._metrics.transactions_ended["commit" if owed.committed else "abort"] += 1
        self.owing += 1
        self._group_commit.call_when_durable(partial(self._begin, owed))

    def _begin(self, owed: WriteMarkers) -> None:
        task = asyncio.ensure_future(self._end(owed))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _end(self, owed: WriteMarkers) -> None:
        try:
            await self._write_markers(owed)
        except OSError as error:
            self.error = error
            self._failed(error)
        else:
            self._group_commit.call_when_durable(partial(self._complete, owed))
        finally:
            self._progress()

    def _complete(self, owed: WriteMarkers) -> None:
        runtime = self._runtime
        try:
            runtime.accept(NAME, self.transactions.completed(owed.transactional_id, runtime.now()))
            self.owing -= 1
        finally:
            self._progress()

    def _progress(self) -> None:
        """Wake what waits for the markers of a transaction, or for its Complete record."""
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            if not each.done():  # else its client has disconnected
                each.set_result(None)

    async def _write_markers(self, owed: WriteMarkers) -> None:
        """Write the markers, a few at a time. Those in `__consumer_offsets` pass the group commit.

        User logs are synced here and not by the group commit, for which every response waits: a transaction
        may have thousands of partitions. The partitions that were deleted need no marker.
        """
        state, groups, turns = self._state, self._state.groups, self._turns
        unsynced: list[PartitionLog] = []
        epoch = self.transactions.coordinator_epoch(owed.coordinator)
        for topic, partition in owed.partitions:
            marker = Marker(partition, owed.producer_id, owed.producer_epoch, owed.committed, epoch)
            while True:
                try:
                    if topic != OFFSETS_TOPIC:
                        now_ms = state.clock.wall_ms()
                        log = cluster_logs.append_marker(state.cluster, state.logs, topic, marker, now_ms)
                        if log is not None:
                            unsynced.append(log)
                    elif partition < len(groups.status) and groups.is_active(partition):
                        self._runtime.accept("Groups", groups.end_transaction(marker))
                    break
                except (LogUnavailable, OutOfDescriptors):
                    await state.clock.sleep_until(state.clock.host_ms() + RETRY_MS)
            if len(unsynced) == SYNCS_AT_ONCE:
                await self._sync(unsynced)
                unsynced.clear()
            if turns.spend():
                await turns.rest()
        await self._sync(unsynced)

    async def _sync(self, logs: list[PartitionLog]) -> None:
        if self._sync_mode == "interval":
            for log in logs:
                log.sync_soon()
        elif self._sync_mode == "always":
            await self._state.logs.sync(logs)

    # Start and stop.

    def serve(self, partitions: int) -> None:
        """Serve transactional ids from a new `__transaction_state`, which is empty."""
        self.transactions.serve(partitions)
        self.transactions.loaded(range(partitions), self._runtime.now())

    def load(self, topic: Topic) -> None:
        """Load all transactional ids. Those that owe markers write them, unless the broker is held."""
        transactions = self.transactions
        transactions.serve(len(topic.partitions))
        read = {partition.index for partition in topic.partitions if self._is_read(partition.index)}
        now = self._runtime.now()
        transactions.loaded(read, replace(now, steady_ms=HELD_MS) if self._runtime.held else now)
        self._skip_producer_ids()
        if self._runtime.held:
            self._marked_at_load, transactions.marked = transactions.marked, set()
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
        self._runtime.accept("Cluster", cluster.skip_producer_ids(max(ids, default=-1)))

    @contextmanager
    def timed_out(self) -> Iterator[list[TimedOut]]:
        """Yield a list to which transactions that time out are added during the block."""
        seen: list[TimedOut] = []
        self.timeouts.seen = seen
        try:
            yield seen
        finally:
            self.timeouts.seen = None

    async def settled(self) -> None:
        """Return once every transaction that has ended has its markers, and all of it is durable."""
        while self.timeouts.is_due or self.timeouts.is_working or self.owing:
            if self.timeouts.is_due or self.timeouts.is_working:
                await turn()
            else:
                await self._wait_for_progress()

    async def finish(self) -> None:
        """Return once every client that has ended a transaction has its response.

        Raises the error of a failed write or sync.
        """
        ending = [each for each in self.transactions.by_id.values() if each.ended]
        while self.owing and any(each.ended for each in ending):
            await self._wait_for_progress()

    async def _wait_for_progress(self) -> None:
        """Wait until the markers of a transaction are written, or its Complete record is.

        Raises the error of a failed write or sync.
        """
        if self.error is not None:
            raise self.error
        progress: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(progress)
        await self._group_commit.drain()
        await progress

    async def stop(self) -> None:
        """Stop timers, and writing markers. A restart repeats these."""
        self.timeouts.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _settle(self) -> None:
        self._runtime.accept(NAME, NOTHING)

    def resume(self, now: Now) -> None:
        """Start what was held: timeouts, and the markers that are owed."""
        self.transactions.start_deadlines(now)
        self.transactions.marked |= self._marked_at_load
        self._settle()

    async def expire_ids(self, wall_ms: int | None = None) -> None:
        """Run one pass over transactional ids for this wall time. None: now."""
        accept = partial(self._runtime.accept, NAME)
        await remove_expired_ids(
            self.transactions, self._state.clock, accept, self._metrics, self._logger, wall_ms
        )


def load_transactions(log: PartitionLog, replay: Callable[[Record], None]) -> Loaded:
    """Replay the newest record of each transactional id in a partition of `__transaction_state`.

    Raises CannotLoad, before anything is replayed, if one of them cannot be read. Kafka would serve the
    partition without the records from that one on, and would leave open transactions open for ever.
    """
    newest: dict[bytes, tuple[int, bytes | None]] = {}
    for stored in log.batches(log.log_start_offset):
        if stored.header.is_control:
            continue
        try:
            for entry in records(stored.buf, stored.start, stored.header):
                if entry.key is None:
                    raise CannotLoad(f"the record at offset {entry.offset} has no key")
                newest[entry.key] = entry.offset, entry.value
        except BatchError as error:
            reason = f"the records from offset {stored.base_offset} on cannot be read: {error}"
            raise CannotLoad(reason) from None
    loaded = Loaded()
    found: list[Record] = []
    for key, (offset, value) in newest.items():
        try:
            record = Record(*decode_transaction(key, value))
        except UnknownRecordType as unknown:
            loaded.skip(unknown)
        except WireError as error:
            raise CannotLoad(f"the record at offset {offset} cannot be read: {error}") from None
        else:
            if record.value is not None:
                found.append(record)
    for record in found:
        replay(record)
    loaded.records = len(found)
    return loaded
