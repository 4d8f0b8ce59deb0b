"""Group commit: gathers the records of all state machines, writes them, syncs them, and wakes the waiters.

Records that are added between two flushes become one batch per log. So a flush costs one CRC, one write and
one sync, regardless of the number of requests. While a sync runs in the worker thread, further requests are
decided, and the next flush writes their records. Consecutive records of one producer's transaction get a
batch of their own, and so does each marker. The order in a log is the order in which records were added.

A position is a running count of additions over all logs. A response waits until the position at its decision
is durable. A flush covers everything that was added before it began.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Final, Literal

from tidemark.clock import Clock
from tidemark.core.apply import RecordsTooLarge
from tidemark.core.decision import Marker
from tidemark.late_dataclass import dataclass
from tidemark.log.errors import OutOfDescriptors
from tidemark.log.manager import RETRY_MS, Traffic
from tidemark.log.partition import PartitionLog, marker_batch
from tidemark_protocol.batch import (
    HEADER_BYTES,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    RECORD_OVERHEAD_BYTES,
    TRANSACTIONAL,
    BatchBuilder,
    BatchHeader,
)

Encoded = tuple[bytes | None, bytes | None]
Producer = tuple[int, int]  # producer id and epoch
NO_PRODUCER: Final = (NO_PRODUCER_ID, NO_PRODUCER_EPOCH)


class InternalLog:
    """An internal log, and the batches that are gathered for it.

    traffic counts the batches that are written to it.

    The settings of the log bound a batch, and may change at any time. A batch that was begun before is
    written all the same: its records have been replayed.
    """

    __slots__ = (
        "base_sequence",
        "builder",
        "full",
        "leader_epoch",
        "log",
        "producer",
        "traffic",
    )

    def __init__(
        self,
        log: PartitionLog,
        *,
        leader_epoch: int,
        base_sequence: int,
        traffic: Traffic | None = None,
    ) -> None:
        self.log = log
        self.leader_epoch = leader_epoch
        self.base_sequence = base_sequence
        self.traffic = traffic
        self.builder: BatchBuilder | None = None  # the open batch
        self.producer: Producer | None = None  # whose transaction the open batch belongs to
        self.full: list[tuple[bytes | bytearray, BatchHeader | None]] = []  # batches that are complete

    def room_for(self, size: int, now_ms: int, producer: Producer | None = None) -> BatchBuilder:
        """Return a batch that has room for all records of this size.

        Raises RecordsTooLarge if they are larger than a batch may be.
        """
        builder, batch_bytes_max = self.builder, self.log.settings.batch_bytes_max
        if builder is not None and self.producer == producer and len(builder.out) + size <= batch_bytes_max:
            return builder
        if size + HEADER_BYTES > batch_bytes_max:
            raise RecordsTooLarge
        if builder is not None:
            self.complete()
        self.builder = builder = BatchBuilder(now_ms)
        self.producer = producer
        return builder

    def complete(self) -> None:
        """End the open batch, if there is one."""
        if self.builder is not None:
            producer_id, epoch = self.producer or NO_PRODUCER
            self.full.append(
                self.builder.finish(
                    base_sequence=self.base_sequence,
                    leader_epoch=self.leader_epoch,
                    producer_id=producer_id,
                    producer_epoch=epoch,
                    attributes=0 if self.producer is None else TRANSACTIONAL,
                )
            )
            self.builder = None

    def write(self, now_ms: int) -> None:
        """Append the gathered batches to the log. After OutOfDescriptors, the rest can be written later."""
        self.complete()
        written = 0
        try:
            for batch, header in self.full:
                self.log.append(
                    batch, leader_epoch=self.leader_epoch, now_ms=now_ms, from_client=False, header=header
                )
                written += 1
                if self.traffic is not None:
                    self.traffic.produce_requests += 1
                    self.traffic.messages_in += 1 if header is None else header.count
                    self.traffic.bytes_in += len(batch)
        except OutOfDescriptors:
            del self.full[:written]
            raise
        self.full.clear()


@dataclass(slots=True, frozen=True)
class SyncPolicy:
    """When records count as durable.

    always     once they are synced
    interval   once they are written. A sync follows every interval_ms
    never      once they are written. The operating system decides when they reach the disk
    """

    mode: Literal["always", "interval", "never"] = "always"
    interval_ms: int = 0


class Abandoned(Exception):
    """Group commit was abandoned: it writes no more."""


class GroupCommit:
    """Adds records to internal logs, and makes them durable.

    appended  the position of the newest addition
    durable   the position up to which all additions are durable

    on_durable()                   is called when `durable` has risen
    failed(error)                  is called when a write or sync has failed. Nothing is written after that
    on_synced(seconds, additions)  is called after a sync, with the number of additions that it covered
    on_waited(seconds)             is called with the time that the first record of the next flush has waited
                                   for a sync that is over
    worker                         the thread that syncs
    """

    def __init__(
        self,
        clock: Clock,
        policy: SyncPolicy,
        worker: Executor,
        *,
        on_durable: Callable[[], None],
        failed: Callable[[BaseException], None],
        on_synced: Callable[[float, int], None] = lambda seconds, additions: None,
        on_waited: Callable[[float], None] = lambda seconds: None,
    ) -> None:
        self.appended = 0
        self.durable = 0
        self._dirty: dict[InternalLog, None] = {}
        self._waiting: deque[tuple[int, Callable[[], None]]] = deque()
        self._clock = clock
        self._mode = policy.mode
        self._interval_ms = policy.interval_ms
        self._on_durable = on_durable
        self._failed = failed
        self._on_synced = on_synced
        self._on_waited = on_waited
        self._loop = asyncio.get_running_loop()
        self._worker = worker
        self._scheduled = False
        self._syncing = False
        self._in_background = False
        self._writes_again = False  # a timer runs because a write found no descriptor
        self._syncs_again = False  # the same for a sync
        self._broken: BaseException | None = None
        self._unsynced: dict[PartitionLog, None] = {}
        self._timer_armed = False
        self._began_ms = 0
        self._waits_since_ms = 0

    # additions

    def add(self, log: InternalLog, key: bytes | None, value: bytes | None, now_ms: int) -> None:
        """Add one record without a producer. Raises RecordsTooLarge."""
        size = RECORD_OVERHEAD_BYTES
        if key is not None:
            size += len(key)
        if value is not None:
            size += len(value)
        builder = log.builder
        if (
            builder is None
            or log.producer is not None
            or len(builder.out) + size > log.log.settings.batch_bytes_max
        ):
            builder = log.room_for(size, now_ms)
        builder.add(key, value)
        self._dirty[log] = None
        self.appended += 1
        if not self._scheduled:
            self.wake()

    def add_all(
        self, by_log: dict[InternalLog, list[Encoded]], now_ms: int, producer: Producer | None = None
    ) -> None:
        """Add the records of one decision, those of each log in one batch.

        Raises RecordsTooLarge before anything is added.
        """
        sizes: dict[InternalLog, int] = {}
        for log, encoded in by_log.items():
            size = 0
            for key, value in encoded:
                size += len(key or b"") + len(value or b"") + RECORD_OVERHEAD_BYTES
            if size + HEADER_BYTES > log.log.settings.batch_bytes_max:
                raise RecordsTooLarge
            sizes[log] = size
        for log, encoded in by_log.items():
            builder = log.room_for(sizes[log], now_ms, producer)
            for key, value in encoded:
                builder.add(key, value)
            self._dirty[log] = None
        self.appended += 1
        self.wake()

    def end_transaction(self, log: InternalLog, marker: Marker, now_ms: int) -> None:
        """Add a marker: a control batch behind all that was added before."""
        log.complete()
        log.full.append((marker_batch(marker, now_ms, append_time=log.log.settings.append_time), None))
        self._dirty[log] = None
        self.appended += 1
        self.wake()

    # waiting

    def call_when_durable(self, function: Callable[[], None]) -> None:
        """Call function once everything that was added so far is durable, never within this call."""
        self._waiting.append((self.appended, function))
        if self.durable >= self.appended:
            self._loop.call_soon(self._call_waiting)

    def wait_until_durable(self) -> asyncio.Future[None]:
        """Return a future that is done once everything that was added so far is durable."""
        reached: asyncio.Future[None] = self._loop.create_future()
        if self.durable >= self.appended:
            reached.set_result(None)
        else:
            self._waiting.append((self.appended, partial(_reach, reached)))
        return reached

    def _call_waiting(self) -> None:
        waiting = self._waiting
        while waiting and waiting[0][0] <= self.durable:
            waiting.popleft()[1]()

    # flushes

    @property
    def pending(self) -> bool:
        """True if something was added that is not written yet."""
        return bool(self._dirty)

    def wake(self) -> None:
        """Schedule a flush, unless one is scheduled."""
        if not self._scheduled:
            self._scheduled = True
            if not self._syncing:
                self._loop.call_soon(self._flush)
            else:
                self._waits_since_ms = self._clock.steady_ms()

    def _flush(self) -> None:
        """Write the gathered records, and sync them."""
        self._scheduled = False
        if self._broken is not None or not self._dirty:
            return
        position = self.appended
        logs: list[PartitionLog] = []
        try:
            now_ms = self._clock.wall_ms()
            for each in self._dirty:  # in the order of their first records
                each.write(now_ms)
                logs.append(each.log)
        except OutOfDescriptors:
            if not self._writes_again:
                self._writes_again = True
                self._clock.call_at(self._clock.steady_ms() + RETRY_MS, self._write_again)
            return
        except Exception as error:  # noqa: BLE001 any error stops all responses
            self._fail(error)
            return
        self._dirty.clear()
        if self._mode == "always":
            self._start_sync(logs, position)
            return
        for log in logs:
            # Its high watermark is at its end already (settings.waits_for_sync is off). Its recovery point
            # does not move: a start after a power cut would treat missing records below it as corruption.
            self._unsynced[log] = None
        self._advance(position)
        self._arm_timer()

    def _write_again(self) -> None:
        self._writes_again = False
        self.wake()

    def _start_sync(self, logs: list[PartitionLog], position: int) -> None:
        self._syncing = True
        self._began_ms = self._clock.steady_ms()
        future = self._worker.submit(_sync_all, logs)
        future.add_done_callback(
            lambda done: self._loop.call_soon_threadsafe(self._synced, done, logs, position)
        )

    def _sync_again(self, logs: list[PartitionLog], position: int) -> None:
        self._syncs_again = False
        if self._broken is None:
            self._start_sync(logs, position)

    def _synced(self, done: Future[list[int]], logs: list[PartitionLog], position: int) -> None:
        self._syncing = False
        error = done.exception()
        if isinstance(error, OutOfDescriptors):
            self._syncing = self._syncs_again = True  # until it has been repeated
            self._clock.call_at(self._clock.steady_ms() + RETRY_MS, partial(self._sync_again, logs, position))
            return
        if error is not None:
            self._fail(error)
            return
        now_ms = self._clock.steady_ms()
        self._on_synced((now_ms - self._began_ms) / 1000, position - self.durable)
        if self._scheduled:
            self._on_waited((now_ms - self._waits_since_ms) / 1000)
        for log, offset in zip(logs, done.result(), strict=True):
            log.mark_synced(offset)
        self._advance(position)
        if self._scheduled:
            self._flush()

    def _advance(self, position: int) -> None:
        if position > self.durable:
            self.durable = position
            if self._waiting:
                try:
                    self._call_waiting()  # before the responses: a client may send its next request at once
                except OSError as error:
                    self._fail(error)
            self._on_durable()

    # syncs in the background

    def _arm_timer(self) -> None:
        if self._mode == "interval" and not self._timer_armed:
            self._timer_armed = True
            self._clock.call_at(self._clock.steady_ms() + self._interval_ms, self._interval_over)

    def _interval_over(self) -> None:
        """Sync in the background: responses do not wait for it, and flushes continue."""
        self._timer_armed = False
        if self._broken is not None or not self._unsynced:
            return
        if self._in_background:
            self._arm_timer()
            return
        self._in_background = True
        logs = list(self._unsynced)
        self._unsynced.clear()
        began_ms = self._clock.steady_ms()
        future = self._worker.submit(_sync_all, logs)
        future.add_done_callback(
            lambda done: self._loop.call_soon_threadsafe(self._synced_in_background, done, logs, began_ms)
        )

    def _synced_in_background(self, done: Future[list[int]], logs: list[PartitionLog], began_ms: int) -> None:
        self._in_background = False
        error = done.exception()
        if isinstance(error, OutOfDescriptors):
            self._unsynced.update(dict.fromkeys(logs))
            self._arm_timer()
        elif error is not None:
            self._fail(error)
        else:
            self._on_synced((self._clock.steady_ms() - began_ms) / 1000, 0)
            for log, offset in zip(logs, done.result(), strict=True):
                log.mark_synced(offset)

    def _fail(self, error: BaseException) -> None:
        if self._broken is None:
            self._broken = error
            self._failed(error)

    # the end

    async def drain(self) -> None:
        """Wait until everything that was added is durable. Raises the error of a failed write or sync."""
        while self._broken is None and (self._syncing or self._dirty):
            if not self._syncing:
                self._flush()
            if self._writes_again or self._syncs_again:
                await self._rest()
            else:
                await asyncio.wrap_future(self._worker.submit(_nothing))
        if self._broken is not None:
            raise self._broken

    async def abandon(self) -> None:
        """Write nothing more, not even records that were added. Wait for a running sync."""
        self._broken = self._broken or Abandoned()
        if self._syncing or self._in_background:  # else this would start the thread
            await asyncio.wrap_future(self._worker.submit(_nothing))
        self._worker.shutdown()

    async def close(self) -> None:
        """Write and sync everything that was added, unless a write or sync has failed."""
        try:
            await self.drain()
            while not await self._sync_rest():
                await self._rest()
        except Exception as error:  # noqa: BLE001 reported once, to `failed`
            self._fail(error)
        finally:
            self._broken = self._broken or Abandoned()  # timers that are still due do nothing
            self._worker.shutdown()

    async def _sync_rest(self) -> bool:
        """Sync what no response has waited for. Return False if there is no descriptor for it."""
        # A sync in the background may still run in that thread. If it is refused, it leaves its logs to this.
        await asyncio.wrap_future(self._worker.submit(_nothing))
        try:
            await asyncio.wrap_future(self._worker.submit(_sync_all, list(self._unsynced)))
        except OutOfDescriptors:
            return False
        return True

    async def _rest(self) -> None:
        await self._clock.sleep_until(self._clock.host_ms() + RETRY_MS)


def _reach(reached: asyncio.Future[None]) -> None:
    if not reached.done():  # else the connection was closed
        reached.set_result(None)


def _sync_all(logs: list[PartitionLog]) -> list[int]:
    return [log.sync() for log in logs]


def _nothing() -> None:
    return None
