"""Obligations: work in other logs that is repeated after a restart until it is recorded as done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Protocol

from tidemark.clock import Clock
from tidemark.core.apply import LogUnavailable
from tidemark.core.context import Now
from tidemark.core.result import Marker, Obligation, Result, WriteMarkers
from tidemark.engine.group_commit import GroupCommit
from tidemark.log.errors import OutOfDescriptors
from tidemark.log.partition import PartitionLog
from tidemark.log.syncs import RETRY_MS, SYNCS_AT_ONCE, sync_logs
from tidemark.turns import Turns
from tidemark.workers import Workers

Work = Callable[[Any], Coroutine[Any, Any, None]]


class Owner(Protocol):
    """A state machine that has obligations."""

    def fulfilled(self, key: str, now: Now) -> Result[None]: ...


class Obligations:
    """Carries out obligations of the given state machines, which are found by name.

    accept(owner, result) applies a decision of the machine. failed(error): a write or sync has failed. An
    obligation has three steps: its own record becomes durable; the work is done, in short steps and in worker
    threads, and becomes durable; the owner records that it is done.

    open: how many are not recorded as done yet
    error: of the work that has failed
    """

    def __init__(
        self,
        owners: dict[str, Owner],
        group_commit: GroupCommit,
        *,
        accept: Callable[[str, Result[Any]], None],
        now: Callable[[], Now],
        failed: Callable[[BaseException], None],
    ) -> None:
        self.open = 0
        self.error: OSError | None = None
        self._owners = owners
        self._group_commit = group_commit
        self._accept = accept
        self._now = now
        self._failed = failed
        self._tasks: set[asyncio.Task[None]] = set()

    def carry_out(self, work: Work, obligation: Obligation) -> None:
        """Begin to work once the obligation's own record is durable.

        What the work has added to internal logs need not be durable when it returns. Everything else must be.
        """
        self.open += 1
        self._group_commit.call_when_durable(partial(self._begin, work, obligation))

    def _begin(self, work: Work, obligation: Obligation) -> None:
        task = asyncio.ensure_future(work(obligation))
        self._tasks.add(task)
        task.add_done_callback(partial(self._end, obligation))

    def _end(self, obligation: Obligation, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        try:
            task.result()
        except OSError as error:
            self.error = error
            self._failed(error)
        else:
            self._group_commit.call_when_durable(partial(self._done, obligation))

    def _done(self, obligation: Obligation) -> None:
        result = self._owners[obligation.owner].fulfilled(obligation.key, self._now())
        self._accept(obligation.owner, result)
        self.open -= 1

    async def stop(self) -> None:
        """Stop the work. A restart repeats it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class TransactionMarkers:
    """Ends transactions in user logs, and in logs whose state machine has to replay the marker.

    append(topic, marker) appends to a user log and returns it, or None if the partition was deleted: it needs
    no marker. accept_marker has, by topic, what ends a transaction in an internal log.

    User logs are synced here and not by group commit, for which every response waits: a transaction may have
    thousands of partitions. sync: the setting `tidemark.sync`.

    A restart may write a marker twice. Kafka's brokers and consumers ignore the second one, since it ends no
    transaction (ProducerAppendInfo.appendEndTxnMarker, CompletedFetch.containsAbortMarker). The coordinator
    must not let the producer begin a transaction before it has recorded that all markers are written.
    """

    def __init__(
        self,
        clock: Clock,
        turns: Turns,
        workers: Workers,
        *,
        append: Callable[[str, Marker], PartitionLog | None],
        accept_marker: dict[str, Callable[[Marker], None]],
        sync: str,
    ) -> None:
        self._clock = clock
        self._turns = turns
        self._workers = workers
        self._append = append
        self._accept_marker = accept_marker
        self._sync_mode = sync

    async def write(self, obligation: WriteMarkers) -> None:
        """Write the markers, a few at a time, and sync the user logs."""
        unsynced: list[PartitionLog] = []
        for topic, partition in obligation.partitions:
            marker = Marker(
                partition,
                obligation.producer_id,
                obligation.producer_epoch,
                obligation.committed,
                obligation.coordinator_epoch,
            )
            log = await self._written(topic, marker)
            if log is not None:
                unsynced.append(log)
            if len(unsynced) == SYNCS_AT_ONCE:
                await self._sync(unsynced)
                unsynced.clear()
            await self._turns.pause()
        await self._sync(unsynced)

    async def _written(self, topic: str, marker: Marker) -> PartitionLog | None:
        """Write one marker. Return its log if that must be synced."""
        while True:
            try:
                accept = self._accept_marker.get(topic)
                if accept is None:
                    return self._append(topic, marker)
                accept(marker)
            except (LogUnavailable, OutOfDescriptors):
                await self._clock.sleep_until(self._clock.host_ms() + RETRY_MS)
            else:
                return None

    async def _sync(self, logs: list[PartitionLog]) -> None:
        if self._sync_mode == "interval":
            for log in logs:
                log.sync_soon()
        elif self._sync_mode == "always":
            await sync_logs(logs, self._workers, self._clock)
