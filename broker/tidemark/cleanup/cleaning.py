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
from tidemark.platform import lower_priority
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
from tidemark_protocol.contents import (
    RECORD_BYTES_MAX,
    RecordTooLarge,
    check_record_sizes,
    finish,
    read_content,
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
    record_bytes_max  of a decompressed record: max.decompressed.message.bytes
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
    record_bytes_max: int = RECORD_BYTES_MAX


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


@dataclass(slots=True)
class _OpenAborted:
    """An aborted transaction between its first batch and its marker. has_data: a batch of it was read."""

    aborted: AbortedTransaction
    has_data: bool = False


class SeenTransactions:
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

    def end(self, header: BatchHeader, found: list[LogRecord]) -> tuple[bool, AbortedTransaction | None]:
        """Note a marker. found: its record; an earlier pass may have left the batch empty.

        Returns whether its transaction has left no data, and the aborted transaction if it has some.
        """
        kind = control_type(found[0].key) if found else None
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


_UNCHANGED: Final = b""


class Cleaning:
    """One pass over the segments of a job. still_wanted: the pass fails as soon as this returns False.

    The first half of `run` finds the last offset of each key, from dirty_from to the end of the sources. The
    second half copies the batches, group by group, without the records that a later one supersedes.
    """

    __slots__ = ("_aborted", "_job", "_last_offsets", "_outcome", "_still_wanted", "_storage")

    def __init__(self, storage: Storage, job: Job, still_wanted: Callable[[], bool] = lambda: True) -> None:
        self._storage = storage
        self._job = job
        self._still_wanted = still_wanted
        # The indexes of aborted transactions of the sources and of later segments, by base offset.
        self._aborted: list[tuple[int, TransactionIndex]] = []
        self._last_offsets: dict[bytes, int] = {}  # by key, or its hash
        self._outcome = Outcome([], job.end)

    def run(self) -> Outcome:
        """Write and sync the `.cleaned` segments. Segments that would not change are skipped.

        Raises CompactionFailed.
        """
        storage, job, outcome = self._storage, self._job, self._outcome
        for base, _ in (*job.sources, *job.ahead):
            try:
                data = storage.read(f"{job.directory}/{file_name(base, ABORTED_INDEX)}")
            except FileNotFoundError:
                continue
            self._aborted.append((base, TransactionIndex(data)))
        self._find_last_offsets()
        transactions = SeenTransactions()
        cache = SegmentCache(1)
        for group in self._groups():
            segment = _CleanedSegment(storage, cache, job.directory, group[0][0], 0, job.now_ms)
            for suffix in SEGMENT_SUFFIXES:
                storage.remove(segment.path(suffix))
            segment.create()
            changed = self._copy(group, segment, transactions) or len(group) > 1
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

    def _find_last_offsets(self) -> None:
        """Read the sources from dirty_from on. If there are more than keys_max keys, later ones must wait."""
        job, offsets, transactions = self._job, self._last_offsets, SeenTransactions()
        clean = sum(base <= job.dirty_from for base, _ in job.sources[1:])  # sources that end before it
        dirty = job.sources[clean:]
        if dirty:
            transactions.expect(self._aborted_in(dirty[0][0], job.end))
        for header, buf, start in self._batches(dirty):
            if header.is_control:
                if header.producer_id != NO_PRODUCER_ID:
                    transactions.end(header, records(buf, start, header))
                continue
            if transactions.is_aborted(header) or header.last_offset < job.dirty_from:
                continue
            if len(offsets) + header.count > job.keys_max and offsets:
                self._outcome.cleaned_to = header.base_offset
                break
            for record in self._records(header, buf, start):
                if record.key is not None:
                    offsets[_short(record.key)] = record.offset

    def _records(self, header: BatchHeader, buf: memoryview, start: int) -> list[LogRecord]:
        """Return the records of a batch. Raises CompactionFailed if a decompressed one is too large."""
        limit = self._job.record_bytes_max
        if header.compression and limit < RECORD_BYTES_MAX:
            try:
                content = finish(read_content(buf, start, header))
                finish(check_record_sizes(content, header, limit))
            except RecordTooLarge as error:
                where = f"{self._job.directory}, batch at offset {header.base_offset}"
                raise CompactionFailed(f"{where}: {error} (max.decompressed.message.bytes)") from None
        return records(buf, start, header)

    def _is_superseded(self, record: LogRecord) -> bool:
        assert record.key is not None
        return self._last_offsets.get(_short(record.key), NO_OFFSET) > record.offset

    def _groups(self) -> Iterator[list[SegmentSize]]:
        """Yield the sources, grouped so that each group fits into one segment.

        The event loop replaces a group in one piece, so a group has at most GROUP_SEGMENTS_MAX segments.
        Kafka has no such limit. Later passes group the new segments again.
        """
        job = self._job
        group: list[SegmentSize] = []
        size = 0
        ends = [*(base for base, _ in job.sources[1:]), job.end]
        for source, end in zip(job.sources, ends, strict=True):
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

    def _batches(self, segments: list[SegmentSize]) -> Iterator[tuple[BatchHeader, memoryview, int]]:
        """Yield header, buffer and position of each batch. Raises CompactionFailed for a corrupt one."""
        for base, size in segments:
            path = f"{self._job.directory}/{file_name(base, LOG)}"
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

    def _aborted_in(self, base_offset: int, up_to: int) -> Iterator[AbortedTransaction]:
        """Yield the transactions that end in this segment or later, and begin before up_to.

        Kafka: UnifiedLog.collectAbortedTransactions.
        """
        for base, index in self._aborted:
            if base >= base_offset:
                found, is_complete = index.overlapping(0, up_to)
                yield from found
                if is_complete:
                    return

    def _copy(self, group: list[SegmentSize], segment: Segment, transactions: SeenTransactions) -> bool:
        """Fill the new segment. Return False if it equals the old one."""
        job, outcome = self._job, self._outcome
        changed = False
        out = bytearray()
        for source in group:
            end = min((base for base, _ in job.sources if base > source[0]), default=job.end)
            transactions.expect(self._aborted_in(source[0], end))
            for header, buf, start in self._batches([source]):
                kept = self._clean(header, buf, start, segment, transactions)
                outcome.bytes_read += header.size
                outcome.records_read += header.count
                changed |= kept is not _UNCHANGED
                if kept is _UNCHANGED:
                    out += buf[start : start + header.size]
                elif kept is not None:
                    out += kept
                if len(out) >= WRITE_BYTES:
                    self._write(out, segment)
        self._write(out, segment)
        before = b"".join(index.encode() for base, index in self._aborted if base == group[0][0])
        return changed or segment.aborted.encode() != before

    def _write(self, out: bytearray, segment: Segment) -> None:
        found = [header for _, header in headers(out)]
        segment.append(bytes(out), found, self._job.index_interval_bytes)
        self._outcome.bytes_kept += len(out)
        self._outcome.records_kept += sum(header.count for header in found)
        out.clear()

    def _clean(
        self,
        header: BatchHeader,
        buf: memoryview,
        start: int,
        segment: Segment,
        transactions: SeenTransactions,
    ) -> bytes | None:
        """Return the cleaned batch: _UNCHANGED, a new batch, or None if it is deleted.

        A marker of an aborted transaction that has data keeps its entry in the index of the new segment.
        """
        if header.producer_id < 0 and header.is_control:
            return _UNCHANGED
        job = self._job
        horizon_ms = header.delete_horizon_ms
        has_expired = horizon_ms is not None and horizon_ms <= job.now_ms
        kept: list[LogRecord] = []
        needs_horizon = False
        if header.is_control:
            kept = records(buf, start, header)
            has_no_data, aborted = transactions.end(header, kept)
            if aborted is not None:
                segment.aborted.add(aborted)
            if has_no_data and has_expired:
                kept = []
            needs_horizon = has_no_data
        elif not transactions.is_aborted(header):
            kept = self._records(header, buf, start)
            if header.base_offset < self._outcome.cleaned_to:
                kept = [
                    record
                    for record in kept
                    if record.key is not None
                    and not self._is_superseded(record)
                    and not (has_expired and record.value is None)
                ]
            needs_horizon = any(record.value is None for record in kept)
        needs_horizon = needs_horizon and horizon_ms is None

        if kept:
            if len(kept) == header.count and not needs_horizon:
                return _UNCHANGED
            attributes = header.attributes & ~COMPRESSION_MASK
            compression = header.compression
            if needs_horizon:
                attributes |= DELETE_HORIZON
                horizon_ms = job.now_ms + job.delete_retention_ms
        else:
            # The last sequence of a producer is needed. The offsets up to the end of the pass must stay.
            last = job.producers.get(header.producer_id)
            if last is None:
                is_needed = False
            elif last[0] != NO_OFFSET:
                is_needed = header.last_offset == last[0]
            else:
                is_needed = header.is_control and header.producer_epoch == last[1]
            if not is_needed and header.next_offset != job.end:
                return None
            if not header.count:
                return _UNCHANGED
            attributes = header.attributes & ~(COMPRESSION_MASK | DELETE_HORIZON)
            compression, horizon_ms = 0, None
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
            base_timestamp=horizon_ms,
            max_timestamp=header.max_timestamp if not kept or header.attributes & APPEND_TIME else None,
        )


def _short(key: bytes) -> bytes:
    """Return the key, or a hash if it is long. Hashes are one byte longer than any key kept as it is."""
    if len(key) <= KEY_BYTES_KEPT:
        return key
    from hashlib import blake2b  # slow to import, and few logs have long keys

    return blake2b(key, digest_size=KEY_BYTES_KEPT + 1).digest()


def main() -> int:
    """Run the child process: read a job from stdin, write the outcome to stdout."""
    message: dict[str, Any] = json.load(sys.stdin)
    parent: int = message["parent"]
    lower_priority(CHILD_NICENESS)
    job = Job(**message["job"])
    job.producers = {int(producer_id): last for producer_id, last in job.producers.items()}
    try:
        # A killed broker leaves its child behind, and the next broker's child writes files of the same
        # names. So the child stops when its parent has ended.
        outcome = Cleaning(FileStorage(message["root"]), job, lambda: os.getppid() == parent).run()
    except CompactionFailed as failed:
        sys.stderr.write(f"{failed}\n")
        return 1
    json.dump(asdict(outcome), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
