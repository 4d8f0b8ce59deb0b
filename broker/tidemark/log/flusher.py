"""Flusher: one loop that writes and syncs every dirty internal log, then tells who waits.

While a sync runs in the worker thread, requests go on being decided; their records ride the next flush. That
is the whole of group commit.

policy  always    what is written is synced before anyone is told
        interval  everyone is told once it is written; a sync follows every so many milliseconds
        never     everyone is told once it is written; the operating system decides when it reaches the disk
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Literal, Protocol

from tidemark.clock import Clock
from tidemark.log.partition import PartitionLog

Policy = Literal["always", "interval", "never"]


class Abandoned(Exception):
    """What was to be written is not wanted any more."""


class Source(Protocol):
    """What the flusher needs of the journal."""

    appended: int
    durable: int

    @property
    def pending(self) -> bool: ...

    def write(self, now_ms: int) -> list[PartitionLog]: ...


class Flusher:
    """durable() is called on the loop whenever the source's durable count has risen; failed(error) when a
    write or sync failed, after which nothing is written any more; synced(seconds, requests) after each sync,
    with what it covered. worker: the thread that syncs.
    """

    def __init__(
        self,
        source: Source,
        clock: Clock,
        *,
        policy: Policy,
        interval_ms: int,
        durable: Callable[[], None],
        failed: Callable[[BaseException], None],
        synced: Callable[[float, int], None] = lambda seconds, requests: None,
        worker: Executor | None = None,
    ) -> None:
        self._source = source
        self._clock = clock
        self._policy = policy
        self._interval_ms = interval_ms
        self._durable = durable
        self._failed = failed
        self._report = synced
        self._loop = asyncio.get_running_loop()
        self._worker = worker or ThreadPoolExecutor(1, "tidemark-sync")
        self._scheduled = False
        self._syncing = False
        self._broken: BaseException | None = None
        self._unsynced: dict[PartitionLog, None] = {}
        self._timer_armed = False
        self._began_ms = 0

    def wake(self) -> None:
        """Something was added. Cheap to call once per request."""
        if not self._scheduled:
            self._scheduled = True
            if not self._syncing:
                self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._scheduled = False
        if self._broken is not None or not self._source.pending:
            return
        position = self._source.appended
        try:
            logs = self._source.write(self._clock.wall_ms())
        except Exception as error:  # noqa: BLE001 whatever kept it from being written: nobody may be told it was
            self._fail(error)
            return
        if self._policy == "always":
            self._start_sync(logs, position)
            return
        for log in logs:
            # Its high watermark is at its end already (settings.waits_for_sync is off). Its recovery point
            # stays: a start after a power cut would take what is missing below it for corruption.
            self._unsynced[log] = None
        self._tell(position)
        if self._policy == "interval" and not self._timer_armed:
            self._timer_armed = True
            self._clock.call_at(self._clock.steady_ms() + self._interval_ms, self._interval_over)

    def _interval_over(self) -> None:
        self._timer_armed = False
        if self._broken is None and not self._syncing and self._unsynced:
            logs = list(self._unsynced)
            self._unsynced.clear()
            self._start_sync(logs, self._source.durable)

    def _start_sync(self, logs: list[PartitionLog], position: int) -> None:
        self._syncing = True
        self._began_ms = self._clock.steady_ms()
        future = self._worker.submit(_sync_all, logs)
        future.add_done_callback(
            lambda done: self._loop.call_soon_threadsafe(self._synced, done, logs, position)
        )

    def _synced(self, done: Future[list[int]], logs: list[PartitionLog], position: int) -> None:
        self._syncing = False
        error = done.exception()
        if error is not None:
            self._fail(error)
            return
        self._report((self._clock.steady_ms() - self._began_ms) / 1000, position - self._source.durable)
        for log, offset in zip(logs, done.result(), strict=True):
            log.mark_synced(offset)
        self._tell(position)
        if self._source.pending:
            self._flush()

    def _tell(self, position: int) -> None:
        if position > self._source.durable:
            self._source.durable = position
            self._durable()

    def _fail(self, error: BaseException) -> None:
        if self._broken is None:
            self._broken = error
            self._failed(error)

    async def drain(self) -> None:
        """Everything that was added is written, and synced where the policy says so, when this returns.

        Raises what kept it from being so.
        """
        while self._broken is None and (self._syncing or self._source.pending):
            if not self._syncing:
                self._flush()
            await asyncio.wrap_future(self._worker.submit(_nothing))
        if self._broken is not None:
            raise self._broken

    async def abandon(self) -> None:
        """Nothing is written any more, not even what was added. A sync that runs is waited for."""
        self._broken = self._broken or Abandoned()
        await asyncio.wrap_future(self._worker.submit(_nothing))
        self._worker.shutdown()

    async def close(self) -> None:
        """Everything that was added is on the disk when this returns, unless a write or sync has failed."""
        try:
            await self.drain()
            if self._unsynced:
                await asyncio.wrap_future(self._worker.submit(_sync_all, list(self._unsynced)))
        except Exception as error:  # noqa: BLE001 told once, to whoever asked to be
            self._fail(error)
        finally:
            self._worker.shutdown()


def _sync_all(logs: list[PartitionLog]) -> list[int]:
    return [log.sync() for log in logs]


def _nothing() -> None:
    return None
