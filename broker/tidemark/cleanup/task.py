"""The scheduled tasks: offset expiry, retention of user logs, compaction, and the syncs of `flush.*`.

Each task is a loop that sleeps on the clock. It works on one log at a time and yields to the event loop in
between. Blocking work runs in a worker thread, compaction in a child process. A task that fails on one log
logs the error and continues with the next.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final

from tidemark import descriptors
from tidemark.cleanup.cleaning import CompactionFailed
from tidemark.cleanup.compaction import Compaction, Plan, dirtiest
from tidemark.cleanup.log_retention import retention_pass
from tidemark.clock import Clock, turn
from tidemark.core.context import Now
from tidemark.core.decision import Decision, TopicsDeleted
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.metadata.state import Cluster
from tidemark.settings.broker import BrokerSettings
from tidemark.turns import Pace

if TYPE_CHECKING:
    from tidemark.engine.recovery import MetadataSnapshot

DELETED_PER_TURN: Final = 16  # closing and renaming a log takes 50 us
FLUSH_CHECK_MS_MAX: Final = 1000  # how often flush.ms of each topic is checked
RETRY_MS: Final = 1000  # after a deletion that found no descriptor
PRODUCER_EXPIRY_INTERVAL_MS: Final = 600_000  # Kafka's producer.id.expiration.check.interval.ms


class Housekeeping:
    """Call start on a running loop, and stop before the logs are closed.

    expire_offsets()  runs one pass over committed offsets
    expire_ids()      runs one pass over transactional ids
    expire_tokens()   runs one pass over delegation tokens
    snapshot()        returns the snapshot to write after a checkpoint, if any
    failed(error)     a write or sync failed
    """

    def __init__(
        self,
        logs: LogManager,
        clock: Clock,
        settings: BrokerSettings,
        logger: Any,
        *,
        expire_offsets: Callable[[], Coroutine[Any, Any, Any]],
        expire_ids: Callable[[], Coroutine[Any, Any, Any]],
        expire_tokens: Callable[[], Coroutine[Any, Any, Any]],
        snapshot: Callable[[], MetadataSnapshot | None],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._expire_offsets = expire_offsets
        self._expire_ids = expire_ids
        self._expire_tokens = expire_tokens
        self._snapshot = snapshot
        self._failed = failed
        self._logs = logs
        self._clock = clock
        self._settings = settings
        self._logger = logger
        self._compaction = Compaction(logs, self._uncleanable)
        self.compacting = asyncio.Lock()  # held while segments are replaced
        self._to_delete: deque[tuple[str, bytes, int]] = deque()  # topic, its id, partitions left
        self._deletion = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._added: list[tuple[int, Callable[[], Coroutine[Any, Any, None]]]] = []
        self.passes = 0  # over user logs, which may change them
        # Host's steady time of the next pass over committed offsets; None while it is not scheduled.
        self.next_expiry_at_ms: int | None = None

    def start(self) -> None:
        settings = self._settings
        self._schedule_next_expiry()
        scheduled = (
            (settings.offsets_retention_check_interval_ms, self.expire),
            (settings.transaction_remove_expired_transaction_cleanup_interval_ms, self._expire_ids),
            (settings.delegation_token_expiry_check_interval_ms, self._expire_tokens),
            (settings.log_retention_check_interval_ms, self.retain),
            (settings.log_cleaner_backoff_ms, self.compact),
            (min(settings.log_flush_scheduler_interval_ms, FLUSH_CHECK_MS_MAX), self.flush),
            (settings.log_flush_offset_checkpoint_interval_ms, self._write_checkpoints),
            (PRODUCER_EXPIRY_INTERVAL_MS, self._expire_producers),
            *self._added,
        )
        self._tasks = [
            *(asyncio.ensure_future(self._every(interval_ms, work)) for interval_ms, work in scheduled),
            asyncio.ensure_future(self._delete_requested()),
        ]

    def add(self, interval_ms: int, job: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run one more task from now on, or from the start on."""
        self._added.append((interval_ms, job))
        if self._tasks:
            self._tasks.append(asyncio.ensure_future(self._every(interval_ms, job)))

    async def stop(self) -> None:
        """Kill a running compaction, and wait for worker threads: they use logs that are closed next."""
        self._compaction.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _every(self, interval_ms: int, job: Callable[[], Coroutine[Any, Any, None]]) -> None:
        while True:
            await self._clock.sleep_until(self._clock.host_ms() + interval_ms)
            try:
                await job()
            except Exception as error:
                if isinstance(error, OSError) and not descriptors.is_exhausted(error):
                    self._failed(error)
                    return
                self._logger.error("a scheduled task failed", task=job.__name__, exc_info=error)

    async def expire(self) -> None:
        """Run one pass over all committed offsets; the next begins an interval after its end."""
        self.next_expiry_at_ms = None
        try:
            await self._expire_offsets()
        finally:
            self._schedule_next_expiry()

    def _schedule_next_expiry(self) -> None:
        self.next_expiry_at_ms = self._clock.host_ms() + self._settings.offsets_retention_check_interval_ms

    async def retain(self) -> None:
        """Run one retention pass over all user logs."""
        self.passes += 1
        for deleted in retention_pass(self._logs, self._clock.log_ms()):
            if deleted is not None:
                self._logger.info(
                    "segments deleted", topic=deleted.topic, partition=deleted.partition,
                    segments=deleted.segments, bytes=deleted.bytes, log_start_offset=deleted.log_start_offset,
                )  # fmt: skip
            await turn()
        await self._in_a_thread(self._logs.remove, self._logs.take_deleted(self._clock.log_ms()))

    def delete(self, effect: TopicsDeleted) -> None:
        """Delete the logs of topics whose deletion is durable, a few at a time."""
        self._to_delete.extend(zip(effect.names, effect.topic_ids, effect.partitions, strict=True))
        self._deletion.set()

    @property
    def is_deleting(self) -> bool:
        """True while logs of deleted topics still exist."""
        return bool(self._to_delete)

    async def _delete_requested(self) -> None:
        while True:
            await self._deletion.wait()
            self._deletion.clear()
            try:
                while self._to_delete:
                    self._delete_some(DELETED_PER_TURN)
                    await turn()
            except OSError as error:
                if not descriptors.is_exhausted(error):
                    self._failed(error)
                    return
                await self._clock.sleep_until(self._clock.host_ms() + RETRY_MS)
                self._deletion.set()

    def _delete_some(self, count: int) -> None:
        while count and self._to_delete:
            topic, topic_id, left = self._to_delete[0]
            if not left:
                self._to_delete.popleft()
                continue
            self._logs.delete_log_of(topic, left - 1, topic_id)
            self._to_delete[0] = topic, topic_id, left - 1
            count -= 1

    def finish_deletions(self) -> None:
        """Delete the remaining logs at once, for a stop."""
        while self._to_delete:
            self._delete_some(DELETED_PER_TURN)

    async def compact(self) -> None:
        """Compact, dirtiest log first, until no log needs it."""
        self.passes += 1
        compaction = self._compaction
        while True:
            chosen: Plan | None = None
            for plan in compaction.plans(self._clock.log_ms()):
                chosen = dirtiest((chosen, plan))
                await turn()
            if chosen is None:
                return
            async with self.compacting:
                try:
                    outcome = await self._in_a_thread(compaction.work, chosen)
                except CompactionFailed as error:
                    compaction.failed(chosen, error)
                    continue
                if await compaction.finish(chosen, outcome):
                    await self._in_a_thread(compaction.settle, chosen)

    def _uncleanable(self, log: PartitionLog, reason: str) -> None:
        self._logger.error("log cannot be compacted", topic=log.topic, partition=log.partition, reason=reason)

    async def flush(self) -> None:
        """Sync the logs for which flush.messages, flush.ms or a closed segment requires it."""
        for log in self._logs.to_sync(self._clock.log_ms()):
            log.mark_synced(await self._in_a_thread(PartitionLog.sync, log))

    async def _write_checkpoints(self) -> None:
        await self._in_a_thread(self._logs.write_checkpoint, self._logs.prepare_checkpoint())
        snapshot = self._snapshot()
        if snapshot is not None:
            await self._in_a_thread(snapshot.write)
            snapshot.finish()

    async def _expire_producers(self) -> None:
        self.passes += 1
        for _ in self._logs.expire_producers(self._clock.log_ms()):
            await turn()

    async def _in_a_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run work in a thread. Wait for it even if the task is cancelled, and raise an error of the disk.

        A lack of descriptors must not replace the cancellation: the task would try again, and never end.
        """
        running = self._logs.workers.run(work, *arguments)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait([running])
            error = running.exception()
            if isinstance(error, OSError) and not descriptors.is_exhausted(error):
                raise error from None
            raise


async def remove_expired_tokens(
    cluster: Cluster, clock: Clock, accept: Callable[[Decision[Any]], None], wall_ms: int | None = None
) -> None:
    """Run one pass for this wall time. None: now. accept(result) writes a decision of the cluster."""
    if not cluster.delegation_tokens:
        return
    from tidemark.metadata.delegation_tokens import expired_tokens  # most brokers have no tokens

    pace = Pace(clock)
    now = Now(clock.wall_ms() if wall_ms is None else wall_ms, clock.steady_ms())
    for result in expired_tokens(cluster, now):
        if result is not None:
            accept(result)
        if pace.spend():
            await pace.rest()
