"""Segment: a file `<base offset>.log` with its indexes. Only the last segment of a log is active and grows.

The active segment keeps its files open. Closed segments are opened on demand, through a cache that all logs
share.
"""

from __future__ import annotations

import errno
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from tidemark.late_dataclass import dataclass
from tidemark.log.errors import BadBatch, OutOfDescriptors
from tidemark.log.index import (
    OFFSET_ENTRY_BYTES,
    TIME_ENTRY_BYTES,
    AbortedTransaction,
    IndexCorrupt,
    OffsetIndex,
    TimeIndex,
    TransactionIndex,
)
from tidemark.log.scan import find_batch, read_batches, walk_headers
from tidemark.log.settings import INDEX_INTERVAL_BYTES_DEFAULT, LogSettings
from tidemark.log.storage import Buffer, Storage, StoredFile
from tidemark_protocol.batch import LOG_OVERHEAD_BYTES, BatchHeader
from tidemark_protocol.log_files import ABORTED_INDEX, INDEX, LOG, TIME_INDEX, file_name

RELATIVE_OFFSET_MAX: Final = 2**31 - 1
NO_TIMESTAMP: Final = -1
HEADERS_PER_STEP: Final = 256


@dataclass(slots=True)
class TimestampOffset:
    """The result of a search by time."""

    timestamp_ms: int
    offset: int
    leader_epoch: int


class StoredBatch:
    """A batch in a log: its header, and its bytes in buf[start:end]."""

    __slots__ = ("buf", "end", "header", "start")

    def __init__(self, header: BatchHeader, buf: memoryview, start: int) -> None:
        self.header = header
        self.buf = buf
        self.start = start
        self.end = start + header.size

    @property
    def base_offset(self) -> int:
        return self.header.base_offset

    @property
    def last_offset(self) -> int:
        return self.header.last_offset


class _NoFile:
    """Replaces the file of an empty segment, so that new partitions need no files."""

    __slots__ = ()

    size = 0

    def append(self, data: Buffer) -> None:
        raise AssertionError("append to a segment whose file does not exist yet")

    def pread(self, size: int, position: int) -> bytes:
        return b""

    def sync(self) -> None:
        pass

    def truncate(self, size: int) -> None:
        assert not size

    def close(self) -> None:
        pass


_NO_FILE: Final = _NoFile()


class SegmentFiles:
    """The open file and indexes of a segment. aborted: None until it is read."""

    __slots__ = ("aborted", "index", "log", "times")

    def __init__(
        self,
        log: StoredFile,
        index: OffsetIndex,
        times: TimeIndex,
        aborted: TransactionIndex | None = None,
    ) -> None:
        self.log = log
        self.index = index
        self.times = times
        self.aborted = aborted


class SegmentCache:
    """The open files of closed segments. The least recently used are closed first."""

    __slots__ = ("_files", "_limit")

    def __init__(self, limit: int) -> None:
        self._files: OrderedDict[str, SegmentFiles] = OrderedDict()
        self._limit = limit

    def __len__(self) -> int:
        return len(self._files)

    def get(self, path: str) -> SegmentFiles | None:
        files = self._files.get(path)
        if files is not None:
            self._files.move_to_end(path)
        return files

    def put(self, path: str, files: SegmentFiles) -> None:
        self._files[path] = files
        while len(self._files) > self._limit:
            self._files.popitem(last=False)[1].log.close()

    def take(self, path: str) -> SegmentFiles | None:
        """Remove files from the cache without closing them."""
        return self._files.pop(path, None)

    def close(self) -> None:
        while self._files:
            self._files.popitem()[1].log.close()


class Segment:
    """One segment. size: bytes of its file, 0 for a new one."""

    __slots__ = (
        "_aborted_file",
        "_aborted_unsynced",
        "_bytes_since_entry",
        "_cache",
        "_first_timestamp_ms",
        "_is_rebuilding",
        "_max_timestamp_ms",
        "_max_timestamp_offset",
        "_pinned",
        "_storage",
        "base_offset",
        "created_ms",
        "directory",
        "has_aborted",
        "has_indexes",
        "is_durable",
        "size",
    )

    def __init__(
        self,
        storage: Storage,
        cache: SegmentCache,
        directory: str,
        base_offset: int,
        size: int,
        created_ms: int,
    ) -> None:
        self._storage = storage
        self._cache = cache
        self.directory = directory
        self.base_offset = base_offset
        self.size = size
        self.created_ms = created_ms
        self.has_aborted = False  # whether it has aborted transactions, known without opening files
        self.has_indexes = False  # whether `write_indexes` has written them since the last start
        self.is_durable = False  # whether `make_durable` has synced it
        self._pinned: SegmentFiles | None = None
        self._is_rebuilding = False  # a reader writes the indexes, so a sync in a thread must not
        self._first_timestamp_ms: int | None = None
        self._max_timestamp_ms: int | None = None  # None: not read from the time index yet
        self._max_timestamp_offset = base_offset
        self._bytes_since_entry = 0
        self._aborted_file: StoredFile | None = None  # open while the segment is active and has an entry
        self._aborted_unsynced = False

    def __repr__(self) -> str:
        return f"Segment({self.path(LOG)}, {self.size} bytes)"

    def path(self, suffix: str) -> str:
        return f"{self.directory}/{file_name(self.base_offset, suffix)}"

    # Its files

    @property
    def files(self) -> SegmentFiles:
        if self._pinned is not None:
            return self._pinned
        path = self.path(LOG)
        files = self._cache.get(path)
        if files is None:
            files = self._open()
            self._cache.put(path, files)
        return files

    def begin(self) -> None:
        """Begin a segment without a file. Call `create` before appending."""
        self._pinned = SegmentFiles(_NO_FILE, OffsetIndex(), TimeIndex(), TransactionIndex())
        self._max_timestamp_ms = NO_TIMESTAMP

    def create(self) -> None:
        """Create an empty file and keep it open."""
        self._pinned = SegmentFiles(
            self._storage.open(self.path(LOG), create=True), OffsetIndex(), TimeIndex(), TransactionIndex()
        )
        self._max_timestamp_ms = NO_TIMESTAMP

    def pin(self) -> None:
        """Keep the files open: the segment is active or not synced yet."""
        if self._pinned is None:
            self._pinned = self._cache.take(self.path(LOG)) or self._open()

    def pin_for_scan(self) -> None:
        """Keep the file open with empty indexes, for a scan from its beginning."""
        self._pinned = SegmentFiles(
            self._storage.open(self.path(LOG)), OffsetIndex(), TimeIndex(), TransactionIndex()
        )
        self.forget_indexes()

    def unpin(self) -> None:
        """Let the cache close the files."""
        self._close_aborted()
        if self._pinned is not None:
            self._cache.put(self.path(LOG), self._pinned)
            self._pinned = None

    def close(self) -> None:
        files = self._pinned or self._cache.take(self.path(LOG))
        self._pinned = None
        self._close_aborted()
        if files is not None:
            files.log.close()

    def write_indexes(self, *, sync: bool = False) -> None:
        """Write the indexes of a pinned segment, with the last entry of a closed time index.

        May run in a worker thread once the segment does not grow any more.
        """
        files = self._pinned
        if files is None:
            return
        if self.max_timestamp_ms != NO_TIMESTAMP:
            files.times.add(self.max_timestamp_ms, self._max_timestamp_offset - self.base_offset)
        self._storage.write(self.path(INDEX), files.index.encode(), sync=sync)
        self._storage.write(self.path(TIME_INDEX), files.times.encode(), sync=sync)
        self.has_indexes = True

    def remove_index_files(self) -> None:
        """Remove the index files of an earlier stop.

        The segment has grown, and a missing index is rebuilt.
        """
        self.has_indexes = self.is_durable = False
        for suffix in (INDEX, TIME_INDEX):
            self._storage.remove(self.path(suffix))

    def make_durable(self) -> None:
        """Sync a closed segment and its indexes, once, in a worker thread."""
        if not self.is_durable:
            self.sync()
            if not self._is_rebuilding:
                self.write_indexes(sync=True)
            self.is_durable = True

    def sync(self) -> None:
        """Sync a pinned segment, in a worker thread."""
        files = self._pinned
        if files is not None:
            files.log.sync()
        aborted = self._aborted_file
        if aborted is not None and self._aborted_unsynced:
            self._aborted_unsynced = False  # before the sync: the loop may add an entry meanwhile
            try:
                aborted.sync()
            except OutOfDescriptors:
                self._aborted_unsynced = True
                raise

    def _open(self) -> SegmentFiles:
        log = self._storage.open(self.path(LOG))
        try:
            return self._with_indexes(log)
        except OutOfDescriptors:
            log.close()
            raise

    def _with_indexes(self, log: StoredFile) -> SegmentFiles:
        try:
            index = OffsetIndex.decode(self._storage.read(self.path(INDEX)), self.size)
            times = TimeIndex.decode(self._storage.read(self.path(TIME_INDEX)))
            if self.size and not len(times):
                raise IndexCorrupt("a closed segment must have at least one entry")
        except (FileNotFoundError, IndexCorrupt):
            return self._rebuild(log)
        return SegmentFiles(log, index, times)

    def _rebuild(self, log: StoredFile) -> SegmentFiles:
        """Rebuild the indexes of a closed segment, up to the first batch that cannot be read."""
        self.forget_indexes()
        self._is_rebuilding = True
        files = self._pinned = SegmentFiles(log, OffsetIndex(), TimeIndex())
        try:
            with suppress(BadBatch):
                for position, header in walk_headers(log, 0, self.size):
                    self.index_batch(position, header, INDEX_INTERVAL_BYTES_DEFAULT)
            self.write_indexes(sync=True)
        finally:
            self._pinned = None
            self._is_rebuilding = False
        return files

    # Growing

    def forget_indexes(self) -> None:
        """Clear the indexes, before a scan from the beginning."""
        if self._pinned is not None:
            self._pinned = SegmentFiles(self._pinned.log, OffsetIndex(), TimeIndex(), self._pinned.aborted)
        self._max_timestamp_ms = NO_TIMESTAMP
        self._max_timestamp_offset = self.base_offset
        self._first_timestamp_ms = None
        self._bytes_since_entry = 0

    def index_batch(self, position: int, header: BatchHeader, index_interval_bytes: int) -> None:
        """Add the batch at position to the indexes and the largest timestamp. Kafka: LogSegment.append.

        Raises BadBatch if its offset does not fit into an index. The CRC cannot detect this, because it does
        not cover the base offset.
        """
        last_offset = header.base_offset + header.last_offset_delta
        if last_offset - self.base_offset > RELATIVE_OFFSET_MAX:
            raise BadBatch(position, f"offset {last_offset} in a segment that begins at {self.base_offset}")
        files = self._pinned
        assert files is not None, "only an open segment grows"
        assert self._max_timestamp_ms is not None
        if header.max_timestamp > self._max_timestamp_ms:
            self._max_timestamp_ms = header.max_timestamp
            self._max_timestamp_offset = last_offset
        if self._first_timestamp_ms is None:
            self._first_timestamp_ms = header.max_timestamp if position == 0 else None
        if self._bytes_since_entry > index_interval_bytes:
            files.index.add(last_offset - self.base_offset, position)
            files.times.add(self._max_timestamp_ms, self._max_timestamp_offset - self.base_offset)
            self._bytes_since_entry = 0
        self._bytes_since_entry += header.length + LOG_OVERHEAD_BYTES

    def append(self, buf: Buffer, headers: Sequence[BatchHeader], index_interval_bytes: int) -> None:
        """Append complete batches. headers have their final offsets. After an OSError nothing is appended."""
        files = self._pinned
        assert files is not None, "only the active segment grows"
        try:
            files.log.append(buf)
        except OSError:
            files.log.truncate(self.size)
            raise
        for header in headers:
            self.index_batch(self.size, header, index_interval_bytes)
            self.size += header.length + LOG_OVERHEAD_BYTES

    def load_tail(self, index_interval_bytes: int) -> int:
        """Continue the active segment after a clean stop. Return the next offset.

        Reads only the part that the index does not cover. Raises BadBatch if the last batch is not complete.
        """
        self.pin()
        files = self.files
        times = files.times
        self._max_timestamp_ms = times.timestamps[-1] if len(times) else NO_TIMESTAMP
        self._max_timestamp_offset = self.base_offset + (times.offsets[-1] if len(times) else 0)
        next_offset = self.base_offset
        for position, header in walk_headers(
            files.log, files.index.positions[-1] if files.index.positions else 0, self.size
        ):
            self.index_batch(position, header, index_interval_bytes)
            next_offset = header.next_offset
        return next_offset

    def scan(self, index_interval_bytes: int) -> int:
        """Rebuild the indexes of a pinned segment. Return the next offset."""
        self.forget_indexes()
        next_offset = self.base_offset
        for position, header in walk_headers(self.files.log, 0, self.size):
            self.index_batch(position, header, index_interval_bytes)
            next_offset = header.next_offset
        return next_offset

    def cut(self, size: int) -> None:
        """Truncate the file. The caller must scan it again."""
        self.files.log.truncate(size)
        self.size = size

    def should_roll(
        self,
        settings: LogSettings,
        size: int,
        max_timestamp_ms: int,
        last_offset: int,
        now_ms: int,
        jitter_ms: int,
    ) -> bool:
        """Return whether the next append requires a new segment. Kafka: LogSegment.shouldRoll."""
        files = self._pinned
        assert files is not None, "only the active segment grows"
        waited_ms = 0
        if self.size > 0:
            first_ms = self._first_timestamp_ms
            if first_ms is None:
                first_ms = self.first_timestamp_ms
            waited_ms = max_timestamp_ms - first_ms if first_ms >= 0 else now_ms - self.created_ms
        return (
            self.size > settings.segment_bytes - size
            or (self.size > 0 and waited_ms > settings.roll_ms - jitter_ms)
            or len(files.index.offsets) >= settings.segment_index_bytes // OFFSET_ENTRY_BYTES
            or len(files.times.offsets) >= settings.segment_index_bytes // TIME_ENTRY_BYTES - 1
            or last_offset - self.base_offset > RELATIVE_OFFSET_MAX
        )

    # Searching

    @property
    def first_timestamp_ms(self) -> int:
        """The largest timestamp of the first batch, from which segment.ms counts; -1 if there is none."""
        if self._first_timestamp_ms is None and self.size:
            _, header = next(walk_headers(self.files.log, 0, self.size))
            self._first_timestamp_ms = header.max_timestamp
        return NO_TIMESTAMP if self._first_timestamp_ms is None else self._first_timestamp_ms

    @property
    def max_timestamp_ms(self) -> int:
        """The largest timestamp of the records; -1 if there are none."""
        if self._max_timestamp_ms is None:
            self._read_max_timestamp()
        assert self._max_timestamp_ms is not None
        return self._max_timestamp_ms

    def _read_max_timestamp(self) -> None:
        times = self.files.times
        self._max_timestamp_ms = times.timestamps[-1] if len(times) else NO_TIMESTAMP
        self._max_timestamp_offset = self.base_offset + (times.offsets[-1] if len(times) else 0)

    def locate(self, offset: int) -> tuple[int, int, int] | None:
        """Find the first batch that contains this offset or a later one.

        Returns its position, base offset and size.
        """
        files = self._pinned or self.files
        start = files.index.lookup(offset - self.base_offset)
        return find_batch(files.log, start, self.size, offset)

    def position_from(self, offset: int) -> int:
        """Return the position of the first batch with this base offset or a later one, or the size."""
        files = self.files
        start = files.index.lookup(offset - self.base_offset)
        for position, header in walk_headers(files.log, start, self.size):
            if header.base_offset >= offset:
                return position
        return self.size

    def batch_since(self, timestamp_ms: int, offset: int) -> tuple[StoredBatch | None, int | None]:
        """Find the first batch that may have a record from offset on that is not earlier than timestamp_ms.

        Returns the batch, or None and the offset from which to continue. Both are None if there is no such
        batch in this segment.
        """
        files = self.files
        after = max(self.base_offset + files.times.lookup(timestamp_ms), offset)
        start = files.index.lookup(after - self.base_offset)
        looked_at = 0
        for position, header in walk_headers(files.log, start, self.size):
            if header.last_offset < offset:
                continue
            if header.max_timestamp >= timestamp_ms:
                return self._batch_at(position, header.size), None
            looked_at += 1
            if looked_at == HEADERS_PER_STEP:
                return None, header.next_offset
        return None, None

    def batch_of_max_timestamp(self) -> StoredBatch | None:
        """Return the first batch with the segment's largest timestamp. None: the segment is empty."""
        if self._max_timestamp_ms is None:
            self._read_max_timestamp()
        place = self.locate(self._max_timestamp_offset) if self.size else None
        return None if place is None else self._batch_at(place[0], place[2])

    def _batch_at(self, position: int, size: int) -> StoredBatch:
        _, header, buf, start = next(read_batches(self.files.log, position, position + size, check=False))
        return StoredBatch(header, buf, start)

    # Aborted transactions

    @property
    def aborted(self) -> TransactionIndex:
        """The transactions whose abort markers are in this segment."""
        files = self.files
        if files.aborted is None:
            files.aborted = self.read_aborted()
        return files.aborted

    def read_aborted(self) -> TransactionIndex:
        try:
            return TransactionIndex(self._storage.read(self.path(ABORTED_INDEX)))
        except FileNotFoundError:
            return TransactionIndex()

    def add_aborted(self, aborted: AbortedTransaction) -> bool:
        """Add an aborted transaction to the index, and append it to the file.

        Returns whether the file is new.
        """
        index = self.aborted
        is_new = not len(index)
        file = self.open_aborted()
        self._aborted_unsynced = True
        try:
            file.append(aborted.encode())
        except OutOfDescriptors as error:  # not another try: the marker is in the log already
            raise OSError(
                errno.EIO, f"{error.strerror} after the marker was written", error.filename
            ) from None
        index.add(aborted)
        self.has_aborted = True
        return is_new

    def open_aborted(self) -> StoredFile:
        """Read the index of aborted transactions and return its file, with a descriptor, for appending."""
        index = self.aborted
        if self._aborted_file is None:
            self._aborted_file = self._storage.open(self.path(ABORTED_INDEX), create=True)
        self._aborted_file.truncate(index.size)
        return self._aborted_file

    def write_aborted(self, index: TransactionIndex, *, sync: bool = True) -> None:
        """Replace the index and its file, which exists only if there are entries."""
        self._close_aborted()
        if len(index):
            self._storage.write(self.path(ABORTED_INDEX), index.encode(), sync=sync)
        else:
            self._storage.remove(self.path(ABORTED_INDEX))
        self.has_aborted = bool(len(index))
        if self._pinned is not None:
            self._pinned.aborted = index

    def truncate_aborted(self, offset: int) -> None:
        """Remove transactions whose markers are at or after offset."""
        index = self.aborted
        if index.truncate(offset):
            self.write_aborted(index)

    def _close_aborted(self) -> None:
        if self._aborted_file is not None:
            self._aborted_file.close()
            self._aborted_file = None
