"""Rewrite closed segments so that only the last record of each key remains. Kafka: Cleaner, LogCleaner.

This runs in a process of its own, `python -m tidemark.cleanup.cleaning`, which compaction.py starts. It reads
a job from stdin and writes the outcome to stdout.

These keep their offset and timestamp:
- the last record of each key; records without a key are deleted
- a tombstone, for delete.retention.ms: the pass that finds it writes the delete horizon into its batch
  (attributes bit 6), and a pass after the horizon deletes it. So a consumer that began before has read it.
- the last batch of a producer, without records if necessary, because its sequence is still needed
- the last batch of the pass, without records if necessary
- a transaction marker while data of its transaction remains; then it gets a horizon as tombstones do
Records of an aborted transaction are deleted at once, and never count as the last record of their key. The
indexes of aborted transactions tell which these are.
"""

from __future__ import annotations

import heapq
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, field
from typing import Any, Final

from tidemark.late_dataclass import dataclass
from tidemark.log.errors import BadBatch
from tidemark.log.index import AbortedTransaction, TransactionIndex
from tidemark.log.scan import read_batches
from tidemark.log.segment import RELATIVE_OFFSET_MAX, Segment, SegmentCache
from tidemark.log.storage import FileStorage, Storage
from tidemark_protocol.batch import (
    APPEND_TIME,
    COMPRESSION_MASK,
    DELETE_HORIZON,
    NO_PRODUCER_ID,
    BatchHeader,
    ControlType,
    LogRecord,
    build_batch,
    control_type,
    headers,
    records,
)
from tidemark_protocol.log_files import ABORTED_INDEX, CLEANED, LOG, SEGMENT_SUFFIXES, file_name

# As many as Kafka's cleaner holds in its 128 MB; further keys wait for the next pass.
KEYS_MAX: Final = 5_000_000
KEY_BYTES_KEPT: Final = 24  # longer keys are represented by their hash
WRITE_BYTES: Final = 1 << 20
CHILD_NICENESS: Final = 10
NO_OFFSET: Final = -1
GROUP_SEGMENTS_MAX: Final = 64

SegmentSize = tuple[int, int]  # base offset, size in bytes


@dataclass(slots=True)
class Job:
    """The work of the child process.

    sources       the closed segments to clean, from the first one on
    ahead         the segments after them: a transaction that began in the sources may be aborted there
    dirty_from    below this offset every key already occurs once
    end           the offset where the sources end
    producers     producer id -> (last offset it wrote records at, or -1; its epoch)
    """

    directory: str
    sources: list[SegmentSize]
    ahead: list[SegmentSize]
    dirty_from: int
    end: int
    now_ms: int
    delete_retention_ms: int
    segment_bytes: int
    index_interval_bytes: int
    producers: dict[int, tuple[int, int]] = field(default_factory=dict)
    keys_max: int = KEYS_MAX


@dataclass(slots=True)
class Outcome:
    """groups      the base offsets that each new segment replaces, its own first
    cleaned_to  below this offset every key now occurs once
    """

    groups: list[list[int]]
    cleaned_to: int
    records_read: int = 0
    records_kept: int = 0
    bytes_read: int = 0
    bytes_kept: int = 0


class CompactionFailed(Exception):
    """The child process failed; the log is unchanged."""


class _CleanedSegment(Segment):
    """A new segment, whose files are named `.cleaned`."""

    __slots__ = ()

    def path(self, suffix: str) -> str:
        return super().path(suffix) + CLEANED


def compact(storage: Storage, job: Job, still_wanted: Callable[[], bool] = lambda: True) -> Outcome:
    """Write and sync the `.cleaned` segments of a job. Segments that would not change are skipped."""
    log = _SourceLog(storage, job, still_wanted)
    keys = _LastOffsets.read(log)
    outcome = Outcome([], keys.end)
    cache = SegmentCache(1)
    cleaner = _Cleaner(log, keys, outcome)
    for group in _groups(job):
        segment = _CleanedSegment(storage, cache, job.directory, group[0][0], 0, job.now_ms)
        for suffix in SEGMENT_SUFFIXES:
            storage.remove(segment.path(suffix))
        segment.create()
        changed = cleaner.write(group, segment) or len(group) > 1
        if changed:
            segment.sync()
            segment.write_indexes(sync=True)
            segment.write_aborted(segment.aborted)
            outcome.groups.append([base for base, _ in group])
        segment.close()
        if not changed:
            storage.remove(segment.path(LOG))
    storage.sync_directory(job.directory)
    return outcome


def _groups(job: Job) -> Iterator[list[SegmentSize]]:
    """Yield the segments of the job, grouped so that each group fits into one segment.

    The event loop replaces a group in one piece, so a group has at most GROUP_SEGMENTS_MAX segments. Kafka
    has no such limit. Later passes group the new segments again.
    """
    group: list[SegmentSize] = []
    size = 0
    for at, source in enumerate(job.sources):
        end = job.sources[at + 1][0] if at + 1 < len(job.sources) else job.end
        if group and (
            size + source[1] > job.segment_bytes
            or end - 1 - group[0][0] > RELATIVE_OFFSET_MAX
            or len(group) == GROUP_SEGMENTS_MAX
        ):
            yield group
            group, size = [], 0
        group.append(source)
        size += source[1]
    if group:
        yield group


class _SourceLog:
    """The segments of a job, read from the disk."""

    __slots__ = ("_still_wanted", "_storage", "aborted", "job")

    def __init__(self, storage: Storage, job: Job, still_wanted: Callable[[], bool]) -> None:
        self._storage = storage
        self._still_wanted = still_wanted
        self.job = job
        self.aborted = _Aborted(storage, job)

    def batches(self, segments: list[SegmentSize]) -> Iterator[tuple[BatchHeader, memoryview, int]]:
        """Yield header, buffer and position of each batch. Raises CompactionFailed for a corrupt one."""
        for base, size in segments:
            path = f"{self.job.directory}/{file_name(base, LOG)}"
            file = self._storage.open(path)
            try:
                for _, header, buf, start in read_batches(file, 0, size, check=True):
                    if not self._still_wanted():
                        raise CompactionFailed("the broker that started this compaction has exited")
                    yield header, buf, start
            except BadBatch as bad:
                raise CompactionFailed(f"{path} is corrupt at byte {bad.position}: {bad.reason}") from None
            finally:
                file.close()


class _Aborted:
    """The entries of the sources' and later indexes of aborted transactions, read once."""

    __slots__ = ("_indexes",)

    def __init__(self, storage: Storage, job: Job) -> None:
        self._indexes: list[tuple[int, TransactionIndex]] = []
        for base, _ in (*job.sources, *job.ahead):
            try:
                data = storage.read(f"{job.directory}/{file_name(base, ABORTED_INDEX)}")
            except FileNotFoundError:
                continue
            self._indexes.append((base, TransactionIndex(data)))

    def of(self, base_offset: int) -> bytes:
        """Return the index file of a segment."""
        return b"".join(index.encode() for base, index in self._indexes if base == base_offset)

    def overlapping(self, base_offset: int, up_to: int) -> Iterator[AbortedTransaction]:
        """Yield the transactions that end in this segment or later, and begin before up_to.

        Kafka: UnifiedLog.collectAbortedTransactions.
        """
        for base, index in self._indexes:
            if base >= base_offset:
                found, is_complete = index.overlapping(0, up_to)
                yield from found
                if is_complete:
                    return


@dataclass(slots=True)
class _OpenAborted:
    """An aborted transaction between its first batch and its marker. has_data: a batch of it was read."""

    aborted: AbortedTransaction
    has_data: bool = False


class _Transactions:
    """Follows the transactions while batches are read in order. Kafka: CleanedTransactionMetadata."""

    __slots__ = ("_committed", "_open", "_waiting")

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, AbortedTransaction]] = []  # a heap by first offset
        self._open: dict[int, _OpenAborted] = {}  # by producer id
        self._committed: set[int] = set()  # producers with data of a transaction that is not aborted

    def expect(self, aborted: Iterator[AbortedTransaction]) -> None:
        """Add aborted transactions. One that was added before is ignored."""
        for each in aborted:
            heapq.heappush(self._waiting, (each.first_offset, each.last_offset, each))

    def _open_up_to(self, offset: int) -> None:
        while self._waiting and self._waiting[0][0] <= offset:
            _, _, aborted = heapq.heappop(self._waiting)
            self._open.setdefault(aborted.producer_id, _OpenAborted(aborted))

    def is_aborted(self, header: BatchHeader) -> bool:
        """Note a batch of records. Return whether its transaction was aborted."""
        self._open_up_to(header.last_offset)
        if not header.is_transactional:
            return False
        transaction = self._open.get(header.producer_id)
        if transaction is None:
            self._committed.add(header.producer_id)
            return False
        transaction.has_data = True
        return True

    def end(self, header: BatchHeader, kind: int | None) -> tuple[bool, AbortedTransaction | None]:
        """Note a marker of this ControlType; None: it has lost its record.

        Returns whether its transaction has left no data, and the aborted transaction if it has some.
        """
        self._open_up_to(header.last_offset)
        if kind == ControlType.ABORT:
            transaction = self._open.pop(header.producer_id, None)
            if transaction is not None and transaction.has_data:
                return False, transaction.aborted
            return True, None
        if kind == ControlType.COMMIT:
            had_data = header.producer_id in self._committed
            self._committed.discard(header.producer_id)
            return not had_data, None
        return kind is None, None


def marker_kind(header: BatchHeader, buf: memoryview, start: int) -> int | None:
    """Return the ControlType of a control batch, or None if an earlier pass left it empty."""
    found = records(buf, start, header)
    return control_type(found[0].key) if found else None


class _LastOffsets:
    """The last offset of each key from dirty_from to end. Keys after end exceeded keys_max."""

    __slots__ = ("_offsets", "end")

    def __init__(self, end: int) -> None:
        self._offsets: dict[bytes, int] = {}
        self.end = end

    @classmethod
    def read(cls, log: _SourceLog) -> _LastOffsets:
        found = cls(log.job.end)
        transactions = _Transactions()
        offsets = found._offsets
        dirty = [
            source
            for at, source in enumerate(log.job.sources)
            if at + 1 == len(log.job.sources) or log.job.sources[at + 1][0] > log.job.dirty_from
        ]
        if dirty:
            transactions.expect(log.aborted.overlapping(dirty[0][0], log.job.end))
        for header, buf, start in log.batches(dirty):
            if header.is_control:
                if header.producer_id != NO_PRODUCER_ID:
                    transactions.end(header, marker_kind(header, buf, start))
                continue
            if transactions.is_aborted(header) or header.last_offset < log.job.dirty_from:
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
    """Return the key, or a hash if it is long. Hashes are one byte longer than any key kept as it is."""
    if len(key) <= KEY_BYTES_KEPT:
        return key
    from hashlib import blake2b  # slow to import, and few logs have long keys

    return blake2b(key, digest_size=KEY_BYTES_KEPT + 1).digest()


class _Cleaner:
    """Copies the batches of one group after the other, without deleted records."""

    __slots__ = ("_index", "_job", "_keys", "_log", "_outcome", "_transactions")

    def __init__(self, log: _SourceLog, keys: _LastOffsets, outcome: Outcome) -> None:
        self._log = log
        self._job = log.job
        self._transactions = _Transactions()
        self._keys = keys
        self._outcome = outcome
        self._index = TransactionIndex()  # of the group's new segment

    def write(self, group: list[SegmentSize], segment: Segment) -> bool:
        """Fill the new segment. Return False if it equals the old one."""
        changed = False
        self._index = segment.aborted
        out = bytearray()
        for source in group:
            self._transactions.expect(self._log.aborted.overlapping(source[0], self._end_of(source)))
            for header, buf, start in self._log.batches([source]):
                kept = self._clean(header, buf, start)
                self._outcome.bytes_read += header.size
                self._outcome.records_read += header.count
                changed |= kept is not _UNCHANGED
                if kept is _UNCHANGED:
                    out += buf[start : start + header.size]
                elif kept is not None:
                    out += kept
                if len(out) >= WRITE_BYTES:
                    self._flush(out, segment)
        self._flush(out, segment)
        return changed or self._index.encode() != self._log.aborted.of(group[0][0])

    def _end_of(self, source: SegmentSize) -> int:
        return min((base for base, _ in self._job.sources if base > source[0]), default=self._job.end)

    def _flush(self, out: bytearray, segment: Segment) -> None:
        found = [header for _, header in headers(out)]
        segment.append(bytes(out), found, self._job.index_interval_bytes)
        self._outcome.bytes_kept += len(out)
        self._outcome.records_kept += sum(header.count for header in found)
        out.clear()

    def _clean(self, header: BatchHeader, buf: memoryview, start: int) -> bytes | None:
        """Return the cleaned batch: _UNCHANGED, a new batch, or None."""
        if header.producer_id < 0 and header.is_control:
            return _UNCHANGED
        has_no_data = False
        if header.is_control:
            has_no_data = self._ends_without_data(header, marker_kind(header, buf, start))
            deleted = has_no_data and self._horizon_passed(header)
        else:
            deleted = self._transactions.is_aborted(header)
        kept = [] if deleted else self._kept_records(header, records(buf, start, header))
        needs_horizon = header.delete_horizon_ms is None and (
            has_no_data or any(record.value is None for record in kept if not header.is_control)
        )
        if not kept:
            return self._emptied(header)
        if len(kept) == header.count and not needs_horizon:
            return _UNCHANGED
        return self._rebuilt(header, kept, needs_horizon=needs_horizon)

    def _ends_without_data(self, header: BatchHeader, kind: int | None) -> bool:
        """Return whether the transaction of this marker has left no data. If it has, keep its index entry."""
        has_no_data, aborted = self._transactions.end(header, kind)
        if aborted is not None:
            self._index.add(aborted)
        return has_no_data

    def _horizon_passed(self, header: BatchHeader) -> bool:
        return header.delete_horizon_ms is not None and header.delete_horizon_ms <= self._job.now_ms

    def _kept_records(self, header: BatchHeader, found: list[LogRecord]) -> list[LogRecord]:
        if header.is_control or header.base_offset >= self._keys.end:
            return found
        tombstones_expired = self._horizon_passed(header)
        return [
            record
            for record in found
            if record.key is not None
            and not self._keys.superseded(record)
            and not (tombstones_expired and record.value is None)
        ]

    def _emptied(self, header: BatchHeader) -> bytes | None:
        """Return the batch without records if it is the last of its producer, or of the pass.

        The sequence of the producer is needed. The offsets up to the end of the pass must stay in the log.
        """
        if not self._is_last_of_producer(header) and header.next_offset != self._job.end:
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
    """Run the child process: read a job from stdin, write the outcome to stdout."""
    message: dict[str, Any] = json.load(sys.stdin)
    parent: int = message["parent"]
    os.nice(CHILD_NICENESS)
    job = Job(**message["job"])
    job.producers = {int(producer_id): last for producer_id, last in job.producers.items()}
    try:
        # A killed broker leaves its child behind, and the next broker's child writes files of the same
        # names. So the child stops when its parent has ended.
        outcome = compact(FileStorage(message["root"]), job, lambda: os.getppid() == parent)
    except CompactionFailed as failed:
        sys.stderr.write(f"{failed}\n")
        return 1
    json.dump(asdict(outcome), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
