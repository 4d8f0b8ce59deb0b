"""Syncs that a request or the end of a transaction waits for, apart from those of group commit."""

from __future__ import annotations

import asyncio
from typing import Final

from tidemark.clock import Clock
from tidemark.log.errors import OutOfDescriptors
from tidemark.log.manager import Checkpoint, LogManager
from tidemark.log.partition import PartitionLog
from tidemark.workers import Workers

RETRY_MS: Final = 100  # after a write or sync that found no descriptor
SYNCS_AT_ONCE: Final = 4  # of one request: asyncio's pool has at least five threads


async def sync_logs(logs: list[PartitionLog], workers: Workers, clock: Clock) -> None:
    """Sync logs, each in a thread and a few at a time: the threads do other work, too.

    If no descriptor is left, wait until there is one: the records are appended, so nothing can be refused.
    Raises OSError if the disk fails.
    """
    for first in range(0, len(logs), SYNCS_AT_ONCE):
        some = logs[first : first + SYNCS_AT_ONCE]
        while some:
            syncs = [workers.run(_synced, log, log.log_end_offset) for log in some]
            again = []
            for log, sync in zip(some, syncs, strict=True):
                synced = await sync
                if isinstance(synced, OutOfDescriptors):
                    again.append(log)
                elif isinstance(synced, OSError):
                    raise synced
                else:
                    log.mark_synced(synced)
            some = again
            if some:
                await clock.sleep_until(clock.host_ms() + RETRY_MS)


def _synced(log: PartitionLog, end: int) -> int | OSError:
    """Sync a log and return its end, or the error: raised while the broker stops, that would be printed."""
    try:
        return log.sync(end)
    except OSError as error:
        return error


async def save_log_starts(logs: LogManager) -> None:
    """Make all log starts durable that were raised so far. Raises OSError.

    Requests that wait at the same time share one write.
    """
    needed = logs.checkpoint_number + 1  # earlier ones lack the last starts
    while not logs.log_starts_are_written(needed):
        saving = logs.saving_starts
        if saving is None or saving.done():
            saving = logs.saving_starts = logs.workers.run(_saved, logs, logs.prepare_log_starts())
        # Not awaited itself: a client that hangs up must not cancel the write of the others.
        await asyncio.wait([saving])
        error = saving.result()
        if error is not None:
            try:
                raise error
            finally:
                del error, saving  # its traceback refers to this frame


def _saved(logs: LogManager, checkpoint: Checkpoint) -> OSError | None:
    """Write a checkpoint, and return the error: raised while the broker stops, that would be printed."""
    try:
        logs.write_checkpoint(checkpoint)
    except OSError as error:
        return error
    return None
