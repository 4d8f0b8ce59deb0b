"""Compaction: of each key in the closed segments only the last record stays. Kafka's rules, in a process of
its own.

The parent chooses a log and what of it may be cleaned (`plan`); the child reads the closed segments and
writes `.cleaned` files (`compact`, started as `python -m tidemark.cleanup.compaction`, job on stdin, outcome
on stdout); the parent puts them in place (`Compaction.finish`). So the event loop does no more than rename
files.

What is kept, with its offset and timestamp:
- the last record of each key; a record without a key goes
- a tombstone for delete.retention.ms: the pass that finds it writes the delete horizon into its batch
  (attributes bit 6), a pass after the horizon drops it, so that a reader that began before has seen it
- a batch that is the last of its producer, empty if need be: its sequence is still needed
- a marker as long as something of its transaction is there; then it gets a horizon as tombstones do
What an aborted transaction wrote goes at once, and never counts as the last record of its key.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import Any, Final

from tidemark.log.checkpoints import encode_offsets
from tidemark.log.errors import BadBatch
from tidemark.log.manager import CLEANER_OFFSETS, LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.scan import read_batches
from tidemark.log.segment import (
    CLEANED,
    LOG,
    RELATIVE_OFFSET_MAX,
    SEGMENT_SUFFIXES,
    Segment,
    SegmentCache,
    file_name,
)
from tidemark.log.storage import FileStorage, Storage
from tidemark.log.swap import begin_swap, end_swap, rename_swapped
from tidemark_protocol.batch import (
    APPEND_TIME,
    COMPRESSION_MASK,
    DELETE_HORIZON,
    BatchHeader,
    ControlType,
    LogRecord,
    build_batch,
    control_type,
    headers,
    records,
)

# About what Kafka's cleaner remembers in its 128 MB; the rest waits for the next pass.
KEYS_MAX: Final = 5_000_000
KEY_BYTES_KEPT: Final = 24  # longer keys are remembered by their hash
WRITE_BYTES: Final = 1 << 20
CHILD_NICENESS: Final = 10
NO_OFFSET: Final = -1

Place = tuple[int, int]  # a segment's base offset and size


@dataclass(slots=True)
class Job:
    """What the child is told.

    sources       the closed segments that are cleaned, from the first one on: (base offset, size)
    ahead         the segments behind them: their markers may decide a transaction that began in the sources
    dirty_from    below this offset every key occurs once already
    end           the offset where the sources end
    producers     producer id -> (last offset it wrote records at, or -1; its epoch)
    """

    directory: str
    sources: list[Place]
    ahead: list[Place]
    dirty_from: int
    end: int
    now_ms: int
    delete_retention_ms: int
    segment_bytes: int
    index_interval_bytes: int
    producers: dict[int, Place] = field(default_factory=dict)
    keys_max: int = KEYS_MAX


@dataclass(slots=True)
class Outcome:
    """What the child did. groups: the base offsets that each new segment replaces, its own first.

    cleaned_to: below this every key occurs once now.
    """

    groups: list[list[int]]
    cleaned_to: int
    records_read: int = 0
    records_kept: int = 0
    bytes_read: int = 0
    bytes_kept: int = 0


# Choosing


@dataclass(slots=True)
class Plan:
    """One log that is worth cleaning. dirty_ratio: how much of what could be cleaned is new."""

    log: PartitionLog
    job: Job
    dirty_ratio: float


def dirtiest(plans: Iterable[Plan | None]) -> Plan | None:
    """The one whose log has the largest part that is not clean. None: there is nothing to do."""
    found = (each for each in plans if each is not None)
    return max(found, key=lambda each: each.dirty_ratio, default=None)


def plan(log: PartitionLog, cleaned_to: int, now_ms: int) -> Plan | None:
    """What of a log may be cleaned, if that is worth it by min.cleanable.dirty.ratio or
    max.compaction.lag.ms.

    Never the active segment, nothing at or past the last stable offset or what is not synced, nothing younger
    than min.compaction.lag.ms.
    """
    dirty_from = (
        cleaned_to if log.log_start_offset <= cleaned_to <= log.log_end_offset else log.log_start_offset
    )
    segments = log.segments
    count = _cleanable(log, dirty_from, now_ms)
    if not count:
        return None
    end = segments[count].base_offset
    total = sum(segment.size for segment in segments[:count])
    dirty = [segment for segment in segments[:count] if segment.base_offset >= dirty_from]
    dirty_bytes = sum(segment.size for segment in dirty)
    if end <= dirty_from or not dirty_bytes:
        return None
    ratio = dirty_bytes / total
    overdue = any(
        now_ms - segment.first_timestamp_ms > log.settings.max_compaction_lag_ms for segment in dirty
    )
    if not overdue and ratio <= log.settings.min_cleanable_dirty_ratio:
        return None
    return Plan(log, _job(log, count, dirty_from, end, now_ms), ratio)


def _cleanable(log: PartitionLog, dirty_from: int, now_ms: int) -> int:
    """How many segments, from the first one on."""
    segments = log.segments
    bound = min(log.last_stable_offset, log.recovery_point)
    youngest_ms = now_ms - log.settings.min_compaction_lag_ms
    for at, segment in enumerate(segments[:-1]):
        if segments[at + 1].base_offset > bound:
            return at
        if (
            log.settings.min_compaction_lag_ms > 0
            and segment.base_offset >= dirty_from
            and segment.max_timestamp_ms > youngest_ms
        ):
            return at
    return len(segments) - 1


def _job(log: PartitionLog, count: int, dirty_from: int, end: int, now_ms: int) -> Job:
    places = [(segment.base_offset, segment.size) for segment in log.segments]
    return Job(
        directory=log.directory,
        sources=places[:count],
        ahead=places[count:],
        dirty_from=dirty_from,
        end=end,
        now_ms=now_ms,
        delete_retention_ms=log.settings.delete_retention_ms,
        segment_bytes=log.settings.segment_bytes,
        index_interval_bytes=log.settings.index_interval_bytes,
        producers={
            state.producer_id: (state.batches[-1].last_offset if state.batches else NO_OFFSET, state.epoch)
            for state in log.producers.states.values()
        },
    )


class Compaction:
    """Compaction of all logs, one at a time. The caller runs `work` in a worker thread, the rest on the loop.

    while (plan := dirtiest(compaction.plans(now_ms))) is not None:
        outcome = await in_a_thread(compaction.work, plan)
        if compaction.finish(plan, outcome):
            await in_a_thread(compaction.settle, plan)
    """

    def __init__(self, logs: LogManager) -> None:
        self._logs = logs
        self._offsets = b""  # of the cleaner's checkpoint, as they stood when finish was called

    def plans(self, now_ms: int) -> Iterator[Plan | None]:
        """Every log that may be compacted in turn, so that the caller may let others go first. Wall time.

        None: it is not worth it. A log without records is not even opened.
        """
        compacted: dict[str, bool] = {}
        for topic, partition in self._logs.begun():
            if topic not in compacted:
                compacted[topic] = self._logs.settings_of(topic).compacts
            if compacted[topic]:
                log = self._logs.find(topic, partition) if self._logs.size_bytes(topic, partition) else None
                cleaned_to = self._logs.cleaner_offsets.get((topic, partition), 0)
                yield None if log is None else plan(log, cleaned_to, now_ms)

    def work(self, chosen: Plan) -> Outcome:
        """Blocking: runs the child and makes its files ready to be swapped. OSError, CompactionFailed."""
        storage = self._logs.storage
        root = storage.real_path("")
        outcome = compact(storage, chosen.job) if root is None else run_child(root, chosen.job)
        if outcome.groups:
            begin_swap(storage, chosen.log.directory, outcome.groups)
        return outcome

    def finish(self, chosen: Plan, outcome: Outcome) -> bool:
        """On the loop: the new segments take their places. False: the log has changed meanwhile."""
        log, storage = chosen.log, self._logs.storage
        if log.closed:
            return False
        bases = {segment.base_offset for segment in log.segments[:-1]}
        if not all(base in bases for group in outcome.groups for base in group):
            drop_cleaned(storage, log.directory)
            return False
        for group in outcome.groups:
            log.close_segments(group[0], group[-1])
            rename_swapped(storage, log.directory, group)
            log.replace_segments(group[0], group[-1])
        self._logs.cleaner_offsets[log.topic, log.partition] = outcome.cleaned_to
        self._offsets = encode_offsets(self._logs.cleaner_offsets)
        return True

    def settle(self, chosen: Plan) -> None:
        """Blocking: what finish did becomes durable."""
        if not chosen.log.closed:
            end_swap(self._logs.storage, chosen.log.directory)
            self._logs.storage.write(CLEANER_OFFSETS, self._offsets)


class CompactionFailed(Exception):
    """The child ended with an error; the log is as it was."""


def run_child(root: str, job: Job) -> Outcome:
    """Runs `compact` in another process."""
    asked = json.dumps({"root": root, "parent": os.getpid(), "job": asdict(job)})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-m", "tidemark.cleanup.compaction"],
        input=asked,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    if done.returncode:
        raise CompactionFailed(f"{job.directory}: exit {done.returncode}: {done.stderr.strip()[-500:]}")
    return Outcome(**json.loads(done.stdout))


def drop_cleaned(storage: Storage, directory: str) -> None:
    """Removes what a child has left, and the list that would swap it."""
    end_swap(storage, directory)
    for name, _ in storage.list(directory):
        if name.endswith(CLEANED):
            storage.remove(f"{directory}/{name}")


# Cleaning


class _CleanedSegment(Segment):
    """Its files are called `.cleaned`."""

    __slots__ = ()

    def path(self, suffix: str) -> str:
        return super().path(suffix) + CLEANED


def compact(storage: Storage, job: Job, still_wanted: Callable[[], bool] = lambda: True) -> Outcome:
    """Writes the `.cleaned` segments of a job, synced. Segments that would not change are left alone."""
    log = _SourceLog(storage, job, still_wanted)
    transactions = _Transactions.read(log)
    keys = _LastOffsets.read(log, transactions)
    outcome = Outcome([], keys.end)
    cache = SegmentCache(1)
    cleaner = _Cleaner(log, transactions, keys, outcome)
    for group in _groups(job):
        segment = _CleanedSegment(storage, cache, job.directory, group[0][0], 0, job.now_ms)
        for suffix in SEGMENT_SUFFIXES:
            storage.remove(segment.path(suffix))
        segment.create()
        changed = cleaner.write(group, segment) or len(group) > 1
        if changed:
            segment.sync()
            segment.write_indexes(sync=True)
            outcome.groups.append([base for base, _ in group])
        segment.close()
        if not changed:
            storage.remove(segment.path(LOG))
    storage.sync_directory(job.directory)
    return outcome


def _groups(job: Job) -> Iterator[list[Place]]:
    """Neighbours that together are no larger than one segment may be become one."""
    group: list[Place] = []
    size = 0
    for at, place in enumerate(job.sources):
        end = job.sources[at + 1][0] if at + 1 < len(job.sources) else job.end
        if group and (size + place[1] > job.segment_bytes or end - 1 - group[0][0] > RELATIVE_OFFSET_MAX):
            yield group
            group, size = [], 0
        group.append(place)
        size += place[1]
    if group:
        yield group


class _SourceLog:
    """The segments of a job, read from the disk."""

    __slots__ = ("_still_wanted", "_storage", "job")

    def __init__(self, storage: Storage, job: Job, still_wanted: Callable[[], bool]) -> None:
        self._storage = storage
        self._still_wanted = still_wanted
        self.job = job

    def batches(self, places: list[Place]) -> Iterator[tuple[BatchHeader, memoryview, int]]:
        """Header, buffer and position of each. What cannot be read stops the job: nothing is cleaned then."""
        for base, size in places:
            path = f"{self.job.directory}/{file_name(base, LOG)}"
            file = self._storage.open(path)
            try:
                for _, header, buf, start in read_batches(file, 0, size, check=True):
                    if not self._still_wanted():
                        raise CompactionFailed("the broker that asked for this is gone")
                    yield header, buf, start
            except BadBatch as bad:
                raise CompactionFailed(f"{path} is corrupt at byte {bad.position}: {bad.reason}") from None
            finally:
                file.close()


class _Transactions:
    """Which batches an aborted transaction wrote, told by the markers that follow them."""

    __slots__ = ("_markers",)

    def __init__(self) -> None:
        self._markers: dict[int, list[tuple[int, bool]]] = {}  # producer id -> (offset, aborted), ascending

    @classmethod
    def read(cls, log: _SourceLog) -> _Transactions:
        found = cls()
        undecided: set[int] = set()
        for header, buf, start in log.batches(log.job.sources):
            found._note(header, buf, start, undecided)
        if undecided:
            for header, buf, start in log.batches(log.job.ahead):
                if header.is_control:
                    found._note(header, buf, start, undecided)
        return found

    def _note(self, header: BatchHeader, buf: memoryview, start: int, undecided: set[int]) -> None:
        if not header.is_transactional:
            return
        if not header.is_control:
            undecided.add(header.producer_id)
            return
        undecided.discard(header.producer_id)
        kind = marker_kind(header, buf, start)
        if kind is not None:
            aborted = kind == ControlType.ABORT
            self._markers.setdefault(header.producer_id, []).append((header.base_offset, aborted))

    def aborted(self, header: BatchHeader) -> bool:
        """Whether a batch of records belongs to a transaction that was aborted."""
        if not header.is_transactional:
            return False
        for offset, aborted in self._markers.get(header.producer_id, ()):
            if offset > header.base_offset:
                return aborted
        return False


def marker_kind(header: BatchHeader, buf: memoryview, start: int) -> int | None:
    """ControlType of a control batch; None where an earlier pass left it empty."""
    found = records(buf, start, header)
    return control_type(found[0].key) if found else None


class _LastOffsets:
    """The last offset of each key from dirty_from on. end: what lies behind found no room."""

    __slots__ = ("_offsets", "end")

    def __init__(self, end: int) -> None:
        self._offsets: dict[bytes, int] = {}
        self.end = end

    @classmethod
    def read(cls, log: _SourceLog, transactions: _Transactions) -> _LastOffsets:
        found = cls(log.job.end)
        offsets = found._offsets
        dirty = [
            place
            for at, place in enumerate(log.job.sources)
            if at + 1 == len(log.job.sources) or log.job.sources[at + 1][0] > log.job.dirty_from
        ]
        for header, buf, start in log.batches(dirty):
            if header.is_control or header.last_offset < log.job.dirty_from or transactions.aborted(header):
                continue
            if len(offsets) + header.count > log.job.keys_max and offsets:
                found.end = header.base_offset
                break
            for record in records(buf, start, header):
                if record.key is not None:
                    offsets[_short(record.key)] = record.offset
        return found

    def superseded(self, record: LogRecord) -> bool:
        assert record.key is not None
        return self._offsets.get(_short(record.key), NO_OFFSET) > record.offset


def _short(key: bytes) -> bytes:
    """Stands for a key. Hashes are one byte longer than the longest key that is kept as it is."""
    return key if len(key) <= KEY_BYTES_KEPT else blake2b(key, digest_size=KEY_BYTES_KEPT + 1).digest()


class _Cleaner:
    """Copies the batches of one group after the other, without what may go."""

    __slots__ = ("_aborted", "_committed", "_job", "_keys", "_log", "_outcome", "_transactions")

    def __init__(
        self, log: _SourceLog, transactions: _Transactions, keys: _LastOffsets, outcome: Outcome
    ) -> None:
        self._log = log
        self._job = log.job
        self._transactions = transactions
        self._keys = keys
        self._outcome = outcome
        self._committed: set[int] = set()  # producers of whose open transaction something was met
        self._aborted: set[int] = set()

    def write(self, group: list[Place], segment: Segment) -> bool:
        """Fills the new segment. False: it is what it was."""
        changed = False
        out = bytearray()
        for header, buf, start in self._log.batches(group):
            end = start + header.size
            kept = self._clean(header, buf, start)
            self._outcome.bytes_read += header.size
            self._outcome.records_read += header.count
            changed |= kept is not _UNCHANGED
            if kept is _UNCHANGED:
                out += buf[start:end]
            elif kept is not None:
                out += kept
            if len(out) >= WRITE_BYTES:
                self._flush(out, segment)
        self._flush(out, segment)
        return changed

    def _flush(self, out: bytearray, segment: Segment) -> None:
        found = [header for _, header in headers(out)]
        segment.append(bytes(out), found, self._job.index_interval_bytes)
        self._outcome.bytes_kept += len(out)
        self._outcome.records_kept += sum(header.count for header in found)
        out.clear()

    def _clean(self, header: BatchHeader, buf: memoryview, start: int) -> bytes | None:
        """What is left of a batch: _UNCHANGED, a new batch, or None."""
        if header.producer_id < 0 and header.is_control:
            return _UNCHANGED
        settled = self._is_settled(header, buf, start)
        gone = settled and (not header.is_control or self._horizon_passed(header))
        kept = [] if gone else self._kept_records(header, records(buf, start, header))
        needs_horizon = header.delete_horizon_ms is None and (
            (settled and header.is_control)
            or any(record.value is None for record in kept if not header.is_control)
        )
        if not kept:
            return self._emptied(header)
        if len(kept) == header.count and not needs_horizon:
            return _UNCHANGED
        return self._rebuilt(header, kept, needs_horizon=needs_horizon)

    def _is_settled(self, header: BatchHeader, buf: memoryview, start: int) -> bool:
        """Records of an aborted transaction; a marker of whose transaction nothing was met."""
        producer_id = header.producer_id
        if header.is_control:
            kind = marker_kind(header, buf, start)
            met = self._aborted if kind == ControlType.ABORT else self._committed
            if kind is None or producer_id not in met:
                return True
            met.discard(producer_id)
            return False
        if not header.is_transactional:
            return False
        aborted = self._transactions.aborted(header)
        (self._aborted if aborted else self._committed).add(producer_id)
        return aborted

    def _horizon_passed(self, header: BatchHeader) -> bool:
        return header.delete_horizon_ms is not None and header.delete_horizon_ms <= self._job.now_ms

    def _kept_records(self, header: BatchHeader, found: list[LogRecord]) -> list[LogRecord]:
        if header.is_control or header.base_offset >= self._keys.end:
            return found
        tombstones_go = self._horizon_passed(header)
        return [
            record
            for record in found
            if record.key is not None
            and not self._keys.superseded(record)
            and not (tombstones_go and record.value is None)
        ]

    def _emptied(self, header: BatchHeader) -> bytes | None:
        """A batch without records, if it is the last of its producer: its sequence is still needed."""
        if not self._is_last_of_producer(header):
            return None
        if not header.count:
            return _UNCHANGED
        return self._batch(header, [], attributes=header.attributes & ~(COMPRESSION_MASK | DELETE_HORIZON))

    def _is_last_of_producer(self, header: BatchHeader) -> bool:
        last = self._job.producers.get(header.producer_id) if header.producer_id >= 0 else None
        if last is None:
            return False
        last_offset, epoch = last
        if last_offset != NO_OFFSET:
            return header.last_offset == last_offset
        return header.is_control and header.producer_epoch == epoch

    def _rebuilt(self, header: BatchHeader, kept: list[LogRecord], *, needs_horizon: bool) -> bytes:
        attributes = header.attributes & ~COMPRESSION_MASK
        horizon_ms = header.delete_horizon_ms
        if needs_horizon:
            attributes |= DELETE_HORIZON
            horizon_ms = self._job.now_ms + self._job.delete_retention_ms
        return self._batch(
            header, kept, attributes=attributes, base_timestamp=horizon_ms, compression=header.compression
        )

    @staticmethod
    def _batch(
        header: BatchHeader,
        kept: list[LogRecord],
        *,
        attributes: int,
        base_timestamp: int | None = None,
        compression: int = 0,
    ) -> bytes:
        return build_batch(
            kept,
            base_offset=header.base_offset,
            next_offset=header.next_offset,
            leader_epoch=header.leader_epoch,
            compression=compression,
            attributes=attributes,
            producer_id=header.producer_id,
            producer_epoch=header.producer_epoch,
            base_sequence=header.base_sequence,
            base_timestamp=base_timestamp,
            max_timestamp=header.max_timestamp if not kept or header.attributes & APPEND_TIME else None,
        )


_UNCHANGED: Final = b""


def main() -> int:
    """The child: a job on stdin, its outcome on stdout."""
    asked: dict[str, Any] = json.load(sys.stdin)
    parent: int = asked["parent"]
    os.nice(CHILD_NICENESS)
    job = Job(**asked["job"])
    job.producers = {int(producer_id): last for producer_id, last in job.producers.items()}
    try:
        # A broker that was killed leaves its child behind; the next broker's child writes files of the same
        # names.
        outcome = compact(FileStorage(asked["root"]), job, lambda: os.getppid() == parent)
    except CompactionFailed as failed:
        sys.stderr.write(f"{failed}\n")
        return 1
    json.dump(asdict(outcome), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
