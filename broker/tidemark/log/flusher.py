"""Flusher: writes and syncs the internal logs, and reports what is durable. This is group commit.

While a sync runs in the worker thread, further requests are decided. The next flush writes their records.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, Protocol

from tidemark.clock import Clock
from tidemark.log.errors import OutOfDescriptors
from tidemark.log.partition import PartitionLog

RETRY_MS: Final = 100  # after a write or sync that found no descriptor


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
    """The flusher was abandoned: it writes no more."""


class Source(Protocol):
    """The flusher's view of the journal."""

    appended: int
    durable: int

    @property
    def pending(self) -> bool: ...

    def write(self, now_ms: int) -> list[PartitionLog]: ...


@dataclass(slots=True, frozen=True)
class Reports:
    """Functions that the flusher calls, on the event loop.

    durable()                   the source's durable count has risen
    failed(error)               a write or sync has failed. Nothing is written after that
    synced(seconds, requests)   a sync is over, with the number of requests that it covered
    waited(seconds)             the first record of the next flush has waited this long for that sync
    """

    durable: Callable[[], None]
    failed: Callable[[BaseException], None]
    synced: Callable[[float, int], None] = lambda seconds, requests: None
    waited: Callable[[float], None] = lambda seconds: None


class Flusher:
    """Writes and syncs the records that its source has gathered. worker: the thread that syncs."""

    def __init__(
        self,
        source: Source,
        clock: Clock,
        *,
        policy: SyncPolicy,
        reports: Reports,
        worker: Executor,
    ) -> None:
        self._source = source
        self._clock = clock
        self._mode = policy.mode
        self._interval_ms = policy.interval_ms
        self._durable = reports.durable
        self._failed = reports.failed
        self._report = reports.synced
        self._report_wait = reports.waited
        self._loop = asyncio.get_running_loop()
        self._worker = worker
        self._scheduled = False
        self._syncing = False
        self._in_background = False
        self._broken: BaseException | None = None
        self._unsynced: dict[PartitionLog, None] = {}
        self._timer_armed = False
        self._began_ms = 0
        self._waits_since_ms = 0

    def wake(self) -> None:
        """Schedule a flush: something was added. Cheap enough to be called once per request."""
        if not self._scheduled:
            self._scheduled = True
            if not self._syncing:
                self._loop.call_soon(self._flush)
            else:
                self._waits_since_ms = self._clock.steady_ms()

    def _flush(self) -> None:
        self._scheduled = False
        if self._broken is not None or not self._source.pending:
            return
        position = self._source.appended
        try:
            logs = self._source.write(self._clock.wall_ms())
        except OutOfDescriptors:
            self._clock.call_at(self._clock.steady_ms() + RETRY_MS, self.wake)
            return
        except Exception as error:  # noqa: BLE001 no response may leave, whatever the error is
            self._fail(error)
            return
        if self._mode == "always":
            self._start_sync(logs, position)
            return
        for log in logs:
            # Its high watermark is at its end already (settings.waits_for_sync is off). Its recovery point
            # does not move: a start after a power cut would treat missing records below it as corruption.
            self._unsynced[log] = None
        self._advance(position)
        self._arm_timer()

    def _arm_timer(self) -> None:
        if self._mode == "interval" and not self._timer_armed:
            self._timer_armed = True
            self._clock.call_at(self._clock.steady_ms() + self._interval_ms, self._interval_over)

    def _interval_over(self) -> None:
        """Sync in the background: responses do not wait for it, and flushes go on."""
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
            self._report((self._clock.steady_ms() - began_ms) / 1000, 0)
            for log, offset in zip(logs, done.result(), strict=True):
                log.mark_synced(offset)

    def _start_sync(self, logs: list[PartitionLog], position: int) -> None:
        self._syncing = True
        self._began_ms = self._clock.steady_ms()
        future = self._worker.submit(_sync_all, logs)
        future.add_done_callback(
            lambda done: self._loop.call_soon_threadsafe(self._synced, done, logs, position)
        )

    def _sync_again(self, logs: list[PartitionLog], position: int) -> None:
        if self._broken is None:
            self._start_sync(logs, position)

    def _synced(self, done: Future[list[int]], logs: list[PartitionLog], position: int) -> None:
        self._syncing = False
        error = done.exception()
        if isinstance(error, OutOfDescriptors):
            self._syncing = True  # until it has been repeated
            self._clock.call_at(self._clock.steady_ms() + RETRY_MS, partial(self._sync_again, logs, position))
            return
        if error is not None:
            self._fail(error)
            return
        now_ms = self._clock.steady_ms()
        self._report((now_ms - self._began_ms) / 1000, position - self._source.durable)
        if self._scheduled:
            self._report_wait((now_ms - self._waits_since_ms) / 1000)
        for log, offset in zip(logs, done.result(), strict=True):
            log.mark_synced(offset)
        self._advance(position)
        self._flush()

    def _advance(self, position: int) -> None:
        if position > self._source.durable:
            self._source.durable = position
            self._durable()

    def _fail(self, error: BaseException) -> None:
        if self._broken is None:
            self._broken = error
            self._failed(error)

    async def drain(self) -> None:
        """Wait until everything that was added is durable. Raises the error of a failed write or sync."""
        while self._broken is None and (self._syncing or self._source.pending):
            if not self._syncing:
                self._flush()
            await asyncio.wrap_future(self._worker.submit(_nothing))
        if self._broken is not None:
            raise self._broken

    async def abandon(self) -> None:
        """Write nothing more, not even what was added. Wait for a running sync."""
        self._broken = self._broken or Abandoned()
        await asyncio.wrap_future(self._worker.submit(_nothing))
        self._worker.shutdown()

    async def close(self) -> None:
        """Write and sync everything that was added, unless a write or sync has failed."""
        try:
            await self.drain()
            # Even without a log: a sync in the background may still run in that thread.
            await asyncio.wrap_future(self._worker.submit(_sync_all, list(self._unsynced)))
        except Exception as error:  # noqa: BLE001 reported once, to `failed`
            self._fail(error)
        finally:
            self._worker.shutdown()


def _sync_all(logs: list[PartitionLog]) -> list[int]:
    return [log.sync() for log in logs]


def _nothing() -> None:
    return None
