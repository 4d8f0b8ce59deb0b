"""Compaction: choose the log to clean, and replace its segments by the cleaned ones.

The broker chooses a log and the segments to clean (`plan`). A child process reads them and writes `.cleaned`
files (cleaning.py). The broker then renames those (`Compaction.finish`): the event loop does nothing else.
"""

from __future__ import annotations

import json
import os
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from itertools import pairwise
from subprocess import Popen
from typing import Final

from tidemark.cleanup.cleaning import NO_OFFSET, Cleaning, CompactionFailed, Job, Outcome
from tidemark.cleanup.log_retention import SEGMENTS_AT_ONCE
from tidemark.clock import turn
from tidemark.late_dataclass import dataclass
from tidemark.log.errors import BadBatch
from tidemark.log.load import begin_swap, end_swap, rename_swapped
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.workers import Workers
from tidemark_protocol.checkpoints import encode_offsets
from tidemark_protocol.log_files import CLEANED, CLEANER_OFFSETS

LONG_MAX: Final = 2**63 - 1  # of max.compaction.lag.ms: no segment is ever overdue


@dataclass(slots=True)
class Plan:
    """A log to clean. dirty_ratio: the part of the cleanable bytes that was never cleaned."""

    log: PartitionLog
    job: Job
    dirty_ratio: float


def dirtiest(plans: Iterable[Plan | None]) -> Plan | None:
    """Return the plan with the largest dirty ratio, or None if there is none."""
    found = (each for each in plans if each is not None)
    return max(found, key=lambda each: each.dirty_ratio, default=None)


def plan(log: PartitionLog, cleaned_to: int, now_ms: int) -> Plan | None:
    """Return a plan if min.cleanable.dirty.ratio or max.compaction.lag.ms requires cleaning.

    It leaves out the active segment, everything from the last stable offset on, unsynced data, and data
    younger than min.compaction.lag.ms. Kafka: LogCleanerManager.cleanableOffsets.
    """
    settings, segments = log.settings, log.segments
    dirty_from = (
        cleaned_to if log.log_start_offset <= cleaned_to <= log.log_end_offset else log.log_start_offset
    )
    bound = min(log.last_stable_offset, log.recovery_point)
    youngest_ms = now_ms - settings.min_compaction_lag_ms
    count = 0
    for segment, following in pairwise(segments):
        if following.base_offset > bound or (
            settings.min_compaction_lag_ms > 0
            and segment.base_offset >= dirty_from
            and segment.max_timestamp_ms > youngest_ms
        ):
            break
        count += 1
    if not count:
        return None
    end = segments[count].base_offset
    dirty = [segment for segment in segments[:count] if segment.base_offset >= dirty_from]
    dirty_bytes = sum(segment.size for segment in dirty)
    if end <= dirty_from or not dirty_bytes:
        return None
    ratio = dirty_bytes / sum(segment.size for segment in segments[:count])
    lag_ms = settings.max_compaction_lag_ms
    overdue = lag_ms < LONG_MAX and any(now_ms - segment.first_timestamp_ms > lag_ms for segment in dirty)
    if not overdue and ratio <= settings.min_cleanable_dirty_ratio:
        return None
    sizes = [(segment.base_offset, segment.size) for segment in segments]
    job = Job(
        directory=log.directory,
        sources=sizes[:count],
        ahead=sizes[count:],
        dirty_from=dirty_from,
        end=end,
        now_ms=now_ms,
        delete_retention_ms=settings.delete_retention_ms,
        segment_bytes=settings.segment_bytes,
        index_interval_bytes=settings.index_interval_bytes,
        record_bytes_max=settings.max_decompressed_message_bytes,
        producers={
            state.producer_id: (state.batches[-1].last_offset if state.batches else NO_OFFSET, state.epoch)
            for state in log.producers.states.values()
        },
    )
    return Plan(log, job, ratio)


def _read_timestamps(log: PartitionLog) -> Iterator[None]:
    """Let the closed segments read the timestamps that `plan` needs, and yield after every few of them.

    They keep them. Reading one opens the segment, and other work may delete segments after each step.
    """
    if log.settings.max_compaction_lag_ms == LONG_MAX and log.settings.min_compaction_lag_ms <= 0:
        return
    read_to = -1
    while not log.closed:
        closed = log.segments[:-1]
        first = bisect_right(closed, read_to, key=lambda segment: segment.base_offset)
        for segment in closed[first : first + SEGMENTS_AT_ONCE]:
            segment.first_timestamp_ms, segment.max_timestamp_ms  # noqa: B018 the segment keeps them
            read_to = segment.base_offset
        if first + SEGMENTS_AT_ONCE >= len(closed):
            return
        yield


class Compaction:
    """Compaction of all logs, one at a time. Call `work` and `settle` in a thread, the rest on the loop.

    while (plan := dirtiest(compaction.plans(now_ms))) is not None:
        outcome = await in_a_thread(compaction.work, plan)
        if await compaction.finish(plan, outcome):
            await in_a_thread(compaction.settle, plan)

    A log that cannot be cleaned is uncleanable until it is deleted or the broker restarts, as in Kafka
    (LogCleanerManager.markPartitionUncleanable). report_uncleanable is then called once.
    """

    def __init__(
        self,
        logs: LogManager,
        report_uncleanable: Callable[[PartitionLog, str], None] = lambda log, reason: None,
    ) -> None:
        self._logs = logs
        self._report_uncleanable = report_uncleanable
        self._offsets = b""  # the cleaner's checkpoint at the last call of finish
        self._uncleanable: set[PartitionLog] = set()
        self._child: Popen[str] | None = None
        self.stopped = False

    def plans(self, now_ms: int) -> Iterator[Plan | None]:
        """Yield the plan of each compacted log, or None, so that the caller can yield to the event loop.

        now_ms is wall time. A log without records is not even opened.
        """
        self._uncleanable = {log for log in self._uncleanable if not log.closed}
        compacted: dict[str, bool] = {}
        for topic, partition in self._logs.begun():
            if topic not in compacted:
                compacted[topic] = self._logs.settings_of(topic).compacts
            if compacted[topic]:
                log = self._logs.find(topic, partition) if self._logs.size_bytes(topic, partition) else None
                if log is None or log in self._uncleanable:
                    yield None
                    continue
                try:
                    for _ in _read_timestamps(log):
                        yield None
                    if not log.closed:
                        yield plan(log, self._logs.cleaner_offsets.get((topic, partition), 0), now_ms)
                except BadBatch as bad:
                    reason = f"{log.directory} is corrupt at byte {bad.position}: {bad.reason}"
                    self._mark_uncleanable(log, reason)

    def failed(self, chosen: Plan, error: CompactionFailed) -> None:
        """Handle a failure of `work`: the log is uncleanable, unless it lost its segments meanwhile."""
        if not chosen.log.closed and self._has_all(chosen.log, (base for base, _ in chosen.job.sources)):
            self._mark_uncleanable(chosen.log, str(error))

    @staticmethod
    def _has_all(log: PartitionLog, bases: Iterable[int]) -> bool:
        """True if these are closed segments of the log."""
        return {segment.base_offset for segment in log.segments[:-1]}.issuperset(bases)

    def _mark_uncleanable(self, log: PartitionLog, reason: str) -> None:
        self._uncleanable.add(log)
        self._report_uncleanable(log, reason)

    def stop(self) -> None:
        """Kill the running pass, if any. Its log is unchanged."""
        self.stopped = True
        if self._child is not None:
            self._child.kill()

    def _started(self, child: Popen[str]) -> None:
        self._child = child
        if self.stopped:
            child.kill()

    def work(self, chosen: Plan) -> Outcome:
        """Run the child and prepare the swap of its files. Blocks. Raises OSError and CompactionFailed."""
        storage = self._logs.storage
        root = storage.real_path("")
        if root is None:
            outcome = Cleaning(storage, chosen.job, lambda: not self.stopped).run()
        else:
            outcome = run_child(root, chosen.job, self._logs.workers, self._started)
            self._child = None
        if outcome.groups:
            begin_swap(storage, chosen.log.directory, outcome.groups)
        return outcome

    async def finish(self, chosen: Plan, outcome: Outcome) -> bool:
        """Replace the old segments by the new ones, and let other work run after each new one.

        Return False if the log has changed meanwhile.
        """
        log, storage = chosen.log, self._logs.storage
        for group in outcome.groups:
            if log.closed:
                return False
            if not self._has_all(log, group):
                end_swap(storage, log.directory)
                for name, _ in storage.list(log.directory):
                    if name.endswith(CLEANED):
                        storage.remove(f"{log.directory}/{name}")
                return False
            log.close_segments(group[0], group[-1])
            rename_swapped(storage, log.directory, group)
            log.replace_segments(group[0], group[-1])
            await turn()
        if log.closed:
            return False
        self._logs.cleaner_offsets[log.topic, log.partition] = outcome.cleaned_to
        self._offsets = encode_offsets(self._logs.cleaner_offsets)
        return True

    def settle(self, chosen: Plan) -> None:
        """Make the changes of `finish` durable. Blocks."""
        if not chosen.log.closed:
            end_swap(self._logs.storage, chosen.log.directory)
            self._logs.storage.write(CLEANER_OFFSETS, self._offsets)


def run_child(
    root: str,
    job: Job,
    workers: Workers,
    started: Callable[[Popen[str]], None] = lambda child: None,
) -> Outcome:
    """Run a `Cleaning` in another process. Raises CompactionFailed.

    Calls `started` with the process, so that the caller can kill it.
    """
    message = json.dumps({"root": root, "parent": os.getpid(), "job": asdict(job)})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-m", "tidemark.cleanup.cleaning"]
    child = workers.spawn(command, environment)
    started(child)
    out, err = child.communicate(message)
    if child.returncode:
        raise CompactionFailed(f"{job.directory}: exit {child.returncode}: {err.strip()[-500:]}")
    return Outcome(**json.loads(out))
