"""Syncs of logs that a request has to wait for."""

from __future__ import annotations

from tidemark.log.partition import PartitionLog
from tidemark.workers import Workers


async def sync_logs(logs: list[PartitionLog], workers: Workers) -> None:
    """Sync all logs at the same time, each in a thread."""
    syncs = [workers.run(_synced, log, log.log_end_offset) for log in logs]
    for log, sync in zip(logs, syncs, strict=True):
        synced = await sync
        if isinstance(synced, OSError):
            raise synced
        log.mark_synced(synced)


def _synced(log: PartitionLog, end: int) -> int | OSError:
    """Sync a log and return its end, or the error: raised while the broker stops, that would be printed."""
    try:
        return log.sync(end)
    except OSError as error:
        return error
