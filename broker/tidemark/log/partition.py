"""PartitionLog: the log of one partition, a sequence of segments of which the last one grows.

The event loop owns it. Only `sync` may run in another thread. Callers append complete, valid batches, which
get their offsets and are written at once. Readers see records below the high watermark.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import pairwise
from threading import Lock
from typing import Final

from tidemark.core.decision import Marker
from tidemark.late_dataclass import dataclass
from tidemark.log.errors import BadBatch, CorruptLog, OutOfDescriptors
from tidemark.log.index import AbortedTransaction
from tidemark.log.load import (
    Load,
    LogLocation,
    Start,
    read_marker,
    restore_producers,
    write_epochs,
)
from tidemark.log.producers import NO_GUARD, ProducerState, encode_snapshot
from tidemark.log.scan import read_batches
from tidemark.log.segment import Segment, StoredBatch, TimestampOffset
from tidemark.log.settings import LogSettings
from tidemark.log.storage import Buffer
from tidemark_protocol.batch import (
    CONTROL,
    LOG_OVERHEAD_BYTES,
    NO_TIMESTAMP,
    BatchError,
    BatchHeader,
    ControlType,
    build_control_batch,
    read_header,
    set_offset_and_epoch,
)
from tidemark_protocol.checkpoints import encode_partition_metadata
from tidemark_protocol.contents import RECORD_BYTES_MAX, RecordTooLarge, Steps, find_time
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.log_files import (
    ABORTED_INDEX,
    DELETED,
    LOG,
    PARTITION_METADATA,
    SEGMENT_SUFFIXES,
    SNAPSHOT,
    file_name,
    offset_of,
)

Listener = Callable[[], None]

PRODUCERS_AT_ONCE_MAX: Final = 1000  # encoded when a segment rolls: 1.5 ms


@dataclass(slots=True)
class Appended:
    """The offsets of an appended batch. A duplicate is not appended, and has the offsets of the first one.

    timestamp_ms is the largest timestamp of the batch. Responses contain it for a LogAppendTime topic, and
    for a duplicate.
    """

    base_offset: int
    last_offset: int
    timestamp_ms: int
    duplicate: bool = False


class PartitionLog:
    """The log of one partition. `settings` may be replaced at any time.

    topic_id             16 bytes
    log_start_offset     first offset that may be read
    log_end_offset       the next record's offset
    high_watermark       readers see records below it: the end, or with settings.waits_for_sync the synced end
    last_stable_offset   the end for read_committed readers: no transaction before it is open
    leader_epoch         the latest epoch that the log knows; -1 in a new log
    size_bytes           bytes of all segments
    recovery_point       everything below it is known to be on the disk
    producers            idempotent producers and open transactions
    recovered            the tail that opening the log has cut off, or None

    The directory and files of a new log are created with its first record.
    """

    __slots__ = (
        "_accept_corruption",
        "_bases",
        "_broken",
        "_discard",
        "_epochs",
        "_first_unsynced_ms",
        "_fresh",
        "_has_new_epochs",
        "_kept_producers",
        "_listeners",
        "_location",
        "_segments",
        "_synced_end",
        "_untouched",
        "closed",
        "high_watermark",
        "log_end_offset",
        "log_start_offset",
        "partition",
        "producers",
        "recovered",
        "recovery_point",
        "settings",
        "sync_soon_end",
        "syncing",
        "to_sync",
        "topic",
        "topic_id",
        "unsynced_names",
    )

    def __init__(
        self,
        location: LogLocation,
        topic_id: bytes,
        settings: LogSettings,
        start: Start,
        discard: Callable[[list[str]], None] | None = None,
    ) -> None:
        """Open the log, or begin a new one. discard(paths) removes files that were renamed to `.deleted`."""
        loaded = Load(location, settings, start)
        loaded.run()
        self._location = location
        self._discard: Callable[[list[str]], None] = discard or self._remove_now
        self._accept_corruption = start.accept_corruption
        self.topic = location.topic
        self.partition = location.partition
        self.topic_id = topic_id
        self.settings = settings
        self._segments = loaded.segments
        self._bases: list[int] = [segment.base_offset for segment in loaded.segments]
        self._epochs = loaded.epochs
        self.producers = loaded.producers
        self.recovered = loaded.recovered
        self.log_start_offset = loaded.log_start_offset
        self.log_end_offset = loaded.log_end_offset
        self.high_watermark = loaded.log_end_offset
        self.recovery_point = loaded.recovery_point
        self.to_sync = list(loaded.unsynced)
        # At the last roll, by its offset. The next sync writes them in its thread, and takes them out.
        self._kept_producers: dict[int, dict[int, ProducerState]] = {}
        self._fresh = loaded.is_fresh
        self._has_new_epochs = False  # in memory, because the log start was raised
        self._untouched = start.clean or loaded.is_fresh
        # Directories with unsynced names. The thread that syncs uses this too: each call on it is atomic.
        self.unsynced_names: dict[str, None] = {}
        if not self._untouched:
            self._new_names()
        self.syncing = Lock()
        self._synced_end = 0
        self.sync_soon_end = 0
        self._broken: OSError | None = None
        self._first_unsynced_ms = start.now_ms
        self._listeners: dict[Listener, None] = {}  # in the order of their registration
        self.closed = False

    def __repr__(self) -> str:
        return f"PartitionLog({self.topic}-{self.partition}, {self.log_start_offset}..{self.log_end_offset})"

    @property
    def directory(self) -> str:
        return self._location.directory

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments in order; the last one is active."""
        return tuple(self._segments)

    @property
    def base_offset(self) -> int:
        """The base offset of the first segment."""
        return self._bases[0]

    @property
    def last_stable_offset(self) -> int:
        """Kafka: UnifiedLog.lastStableOffset."""
        unstable = self.producers.first_unstable
        if unstable is None:
            return self.high_watermark
        return min(max(unstable, self.log_start_offset), self.high_watermark)

    @property
    def leader_epoch(self) -> int:
        return self._epochs.latest

    @property
    def size_bytes(self) -> int:
        return sum(segment.size for segment in self._segments)

    # Appending

    def append(
        self,
        batches: Buffer,
        *,
        leader_epoch: int,
        now_ms: int,
        from_client: bool = True,
        guard: int = NO_GUARD,
        header: BatchHeader | None = None,
    ) -> Appended:
        """Append complete, valid v2 batches with one write. The caller has checked format and CRC.

        Writes base offset and leader epoch into the batches: in place if they are a bytearray, else into a
        copy. header: the header of the only batch, if the caller has it already. Both are written into it,
        too. Returns the offsets of the first batch, but with the last offset of the last batch.

        Raises KafkaError if idempotence refuses a batch or it is larger than a segment, or if a transaction
        was not verified (guard, from `start_verification`). Nothing has happened then. Batches of a
        coordinator (from_client is false) are never refused: a batch that is larger than a segment gets a
        segment of its own.
        """
        buf = batches if type(batches) is bytearray else bytearray(batches)
        settings, size = self.settings, len(buf)
        headers: list[BatchHeader] = []
        position = 0
        first = next_offset = self.log_end_offset
        latest_ms = NO_TIMESTAMP
        while position < size:
            if header is None or position:
                header = read_header(buf, position)
            header.base_offset = next_offset
            header.leader_epoch = leader_epoch
            set_offset_and_epoch(buf, position, next_offset, leader_epoch)
            headers.append(header)
            position += header.length + LOG_OVERHEAD_BYTES
            next_offset += header.last_offset_delta + 1
            if header.max_timestamp > latest_ms:
                latest_ms = header.max_timestamp
        if from_client:
            if size > settings.segment_bytes:
                raise KafkaError(ErrorCode.RECORD_LIST_TOO_LARGE)
            for header in headers:
                if header.producer_id >= 0 and not header.attributes & CONTROL:
                    repeated = self.producers.check(header, guard, verifies=settings.verifies_transactions)
                    if repeated is not None:
                        return Appended(
                            repeated.base_offset, repeated.last_offset, repeated.timestamp_ms, duplicate=True
                        )

        if self._fresh:
            self._make()
        active = self._segments[-1]
        jitter_ms = self._jitter_ms(active.base_offset) if settings.segment_jitter_ms else 0
        if active.should_roll(settings, size, latest_ms, next_offset - 1, now_ms, jitter_ms):
            self.roll(now_ms)
            active = self._segments[-1]
        epochs = self._epochs.entries
        if not epochs or leader_epoch > epochs[-1][0]:
            self.begin_epoch(leader_epoch)
        self._untouched = False
        if headers[0].attributes & CONTROL:
            self._prepare_abort(buf, headers[0])
        active.append(buf, headers, settings.index_interval_bytes)
        if first == self.recovery_point:
            self._first_unsynced_ms = now_ms
        self.log_end_offset = next_offset
        position = 0
        for header in headers:
            if header.producer_id >= 0:
                if header.attributes & CONTROL:
                    self._end_transaction(buf, position, header)
                else:
                    self.producers.append(header)
            position += header.length + LOG_OVERHEAD_BYTES
        if not settings.waits_for_sync:
            self._raise_high_watermark(next_offset)
        return Appended(first, next_offset - 1, headers[0].max_timestamp)

    def _end_transaction(self, buf: bytearray, position: int, header: BatchHeader) -> None:
        """End the transaction of a marker that was appended."""
        aborted = self.producers.end_transaction(header, read_marker(buf, position, header))
        if aborted is not None and self._segments[-1].add_aborted(aborted):
            self._names_changed()

    def _prepare_abort(self, buf: bytearray, header: BatchHeader) -> None:
        """Open the index of aborted transactions before a marker that needs an entry in it is written.

        Raises OutOfDescriptors: afterwards it would be too late.
        """
        if self.producers.has_open(header.producer_id):
            marker = read_marker(buf, 0, header)
            if marker is not None and not marker.committed:
                self._segments[-1].open_aborted()

    def _raise_high_watermark(self, offset: int) -> None:
        self.high_watermark = offset
        if self.producers.unreplicated:
            self.producers.replicated(offset)
        for listener in tuple(self._listeners):  # as `wake`, without its frame
            listener()

    def _make(self) -> None:
        """Create the directory and files. A power cut may remove them together with the first record."""
        location = self._location
        location.storage.make_directory(location.directory, sync=False)
        self.write_topic_id()
        write_epochs(location, self._epochs, sync=False)
        self._segments[-1].create()
        self._fresh = False
        self._new_names()

    def write_topic_id(self) -> None:
        path = f"{self.directory}/{PARTITION_METADATA}"
        self._location.storage.write(path, encode_partition_metadata(self.topic_id), sync=False)

    def wake(self) -> None:
        """Let those who wait for this log look again."""
        for listener in tuple(self._listeners):
            listener()

    def begin_epoch(self, epoch: int) -> None:
        """Begin a leader epoch at the log's end."""
        if self._epochs.assign(epoch, self.log_end_offset) and not self._fresh:
            # Recovery rebuilds it from the batches. Before the first batch it is not needed.
            try:
                write_epochs(self._location, self._epochs, sync=False)
            except OutOfDescriptors:
                self._epochs.truncate_end(self.log_end_offset)
                raise

    def _jitter_ms(self, base_offset: int) -> int:
        """Return how much earlier this segment rolls: differs between logs, and is stable for a segment."""
        spread = min(self.settings.segment_jitter_ms, self.settings.roll_ms)
        return zlib.crc32(f"{self.directory}/{base_offset}".encode()) % spread if spread else 0

    def roll(self, now_ms: int) -> None:
        """Begin a new segment if the active one has records.

        The next sync writes the indexes of the old one.
        """
        if self.log_end_offset == self._segments[-1].base_offset:
            return
        location = self._location
        self._untouched = False
        self._segments[-1].remove_index_files()
        keeps_producers = len(self.producers.states) > PRODUCERS_AT_ONCE_MAX
        if not keeps_producers:
            self._write_snapshot()
        segment = Segment(
            location.storage, location.cache, location.directory, self.log_end_offset, 0, now_ms
        )
        # The last step that can raise OutOfDescriptors. Records that the log gets after that, without a roll,
        # would be in a file before this one, which starts at a lower offset than they have.
        segment.create()
        if keeps_producers:
            self._kept_producers.clear()
            self._kept_producers[segment.base_offset] = self.producers.keep()
        self._segments.append(segment)
        self._bases.append(segment.base_offset)
        self.to_sync.append(segment)
        self._names_changed()

    def _write_snapshot(self) -> None:
        self._location.storage.write(
            self._snapshot_path(self.log_end_offset), self.producers.encode(), sync=False
        )

    def _snapshot_path(self, offset: int) -> str:
        return f"{self.directory}/{file_name(offset, SNAPSHOT)}"

    def _write_kept_snapshot(self) -> None:
        """Write the snapshot that the last roll has left to the next sync, unless it is removed meanwhile."""
        for offset, states in tuple(self._kept_producers.items()):
            path = self._snapshot_path(offset)
            self._location.storage.write(path, encode_snapshot(states), sync=False)
            if self._kept_producers.pop(offset, None) is None:
                self._location.storage.remove(path)

    # Reading

    def read(self, offset: int, max_bytes: int, *, up_to: int, at_least_one_batch: bool) -> bytes:
        """Return bytes from the batch that contains offset on, without batches that begin at or past up_to.

        They are cut at exactly max_bytes, but the first batch is complete if at_least_one_batch. Raises
        KafkaError OFFSET_OUT_OF_RANGE if offset is outside log_start_offset..log_end_offset.
        """
        if not self.log_start_offset <= offset <= self.log_end_offset:
            raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE)
        if offset >= up_to or (max_bytes <= 0 and not at_least_one_batch):
            return b""
        bases, segments = self._bases, self._segments
        try:
            for at in range(max(0, bisect_right(bases, offset) - 1), len(segments)):
                segment = segments[at]
                located = segment.locate(offset)
                if located is not None:
                    break
            else:
                return b""
            position, base_offset, batch_bytes = located
            if base_offset >= up_to:
                return b""
            following = bases[at + 1] if at + 1 < len(bases) else self.log_end_offset
            end = segment.size if following <= up_to else segment.position_from(up_to)
        except BadBatch:
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE) from None
        size = min(max_bytes, end - position)
        if at_least_one_batch and size < batch_bytes:
            size = batch_bytes
        return segment.files.log.pread(size, position)

    def segment_base(self, offset: int) -> int:
        """Return the base offset of the segment that contains an offset."""
        return self._bases[self._segment_at(offset)]

    def available_bytes(self, offset: int, *, up_to: int) -> int:
        """Return the bytes from the batch that contains offset up to the first one at or past up_to."""
        if not self.log_start_offset <= offset <= self.log_end_offset:
            raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE)
        if offset >= up_to:
            return 0
        bases, segments = self._bases, self._segments
        first = self._segment_at(offset)
        located = segments[first].locate(offset)
        total = -(located[0] if located is not None else segments[first].size)
        for at in range(first, len(segments)):
            if bases[at] < up_to:
                following = bases[at + 1] if at + 1 < len(bases) else self.log_end_offset
                total += segments[at].size if following <= up_to else segments[at].position_from(up_to)
        return max(0, total)

    def _check_open(self) -> None:
        if self.closed:
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

    def _segment_at(self, offset: int) -> int:
        return max(0, bisect_right(self._bases, offset) - 1)

    def batches(self, offset: int = 0, *, check: bool = True) -> Iterator[StoredBatch]:
        """Yield every batch from the one that contains offset. Reads large parts of a segment at a time.

        With check, CRCs are checked. A bad batch raises CorruptLog, or ends its segment if the manager
        accepts corruption.
        """
        for segment in self._segments[self._segment_at(offset) :]:
            try:
                located = segment.locate(offset) if offset > segment.base_offset else (0, None)
                if located is None:
                    continue
                for _, header, buf, start in read_batches(
                    segment.files.log, located[0], segment.size, check=check
                ):
                    yield StoredBatch(header, buf, start)
            except BadBatch as bad:
                if not self._accept_corruption:
                    raise CorruptLog(segment.path(LOG), bad.position, bad.reason) from None

    def offset_for_timestamp(
        self, timestamp_ms: int, *, up_to: int, record_bytes_max: int = RECORD_BYTES_MAX
    ) -> Steps[TimestampOffset | None]:
        """Return the first record below up_to with this timestamp or a later one.

        record_bytes_max: of a decompressed record. The log may change between the steps. Raises KafkaError:
        CORRUPT_MESSAGE, INVALID_RECORD if the search reads a larger record, UNKNOWN_TOPIC_OR_PARTITION if the
        log is deleted meanwhile.
        """
        offset: int | None = self.log_start_offset
        while offset is not None and offset < up_to:
            yield None
            batch, offset = self._batch_since(timestamp_ms, max(offset, self.log_start_offset))
            if batch is not None:
                found = yield from self._find_time(
                    batch, timestamp_ms, self.log_start_offset, record_bytes_max
                )
                if found is not None:
                    return found if found.offset < up_to else None
                offset = batch.header.next_offset
        return None

    def _batch_since(self, timestamp_ms: int, offset: int) -> tuple[StoredBatch | None, int | None]:
        """`Segment.batch_since` in the segment that contains offset. Continues with the next segment."""
        self._check_open()
        at = self._segment_at(offset)
        segment = self._segments[at]
        if segment.max_timestamp_ms >= timestamp_ms:
            try:
                batch, further = segment.batch_since(timestamp_ms, offset)
            except BadBatch:
                raise KafkaError(ErrorCode.CORRUPT_MESSAGE) from None
            if batch is not None or further is not None:
                return batch, further
        return None, self._bases[at + 1] if at + 1 < len(self._bases) else None

    def _find_time(
        self, batch: StoredBatch, timestamp_ms: int, offset: int, record_bytes_max: int
    ) -> Steps[TimestampOffset | None]:
        header = batch.header
        try:
            found = yield from find_time(
                batch.buf, batch.start, header, timestamp_ms, offset, record_bytes_max
            )
        except RecordTooLarge:
            raise KafkaError(ErrorCode.INVALID_RECORD) from None
        except BatchError:
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE) from None
        return None if found is None else TimestampOffset(*found, header.leader_epoch)

    def max_timestamp(self, record_bytes_max: int = RECORD_BYTES_MAX) -> Steps[TimestampOffset | None]:
        """Return the largest timestamp in the log and the first record that has it. None: the log is empty.

        A record below the log start counts until its segment is deleted [4.3.1]. The log may change between
        the steps. Raises KafkaError as `offset_for_timestamp`.
        """
        base: int | None = self._bases[0]
        while base is not None:  # read the time indexes of closed segments, one in each step
            yield None
            self._check_open()
            at = self._segment_at(base)
            self._segments[at].max_timestamp_ms  # noqa: B018 the segment keeps it
            base = self._bases[at + 1] if at + 1 < len(self._bases) else None
        latest = max(self._segments, key=lambda segment: segment.max_timestamp_ms)
        try:
            batch = latest.batch_of_max_timestamp()
        except BadBatch:
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE) from None
        if batch is None:
            return None
        return (yield from self._find_time(batch, latest.max_timestamp_ms, 0, record_bytes_max))

    def offset_for_leader_epoch(self, epoch: int) -> tuple[int, int]:
        """Return (epoch, end offset) of the largest known epoch up to this one; (-1, -1) if there is none."""
        return self._epochs.end_offset(epoch, self.log_end_offset)

    def leader_epoch_at(self, offset: int) -> int:
        """Return the leader epoch in which a record was written, or -1 if it is unknown."""
        return self._epochs.epoch_at(offset)

    def aborted_from(self, base: int, offset: int, up_to: int) -> tuple[list[AbortedTransaction], int | None]:
        """Return aborted transactions that have records from offset up to up_to, in the order of markers.

        They are those of one segment: the first one with any, from the one that contains base. The caller
        continues with the base that is returned, unless it is None. Raises KafkaError as
        `offset_for_timestamp`.
        """
        self._check_open()
        for at in range(self._segment_at(base), len(self._segments)):
            segment = self._segments[at]
            if segment.has_aborted:
                found, is_complete = segment.aborted.overlapping(offset, up_to)
                is_last = is_complete or at + 1 == len(self._segments)
                return found, None if is_last else self._bases[at + 1]
        return [], None

    def aborted_bound(self, offset: int, size: int) -> int | None:
        """Return the offset up to which a reader of so many bytes must know the aborted transactions.

        As in Kafka, the range ends at the next entry of the offset index, so there may be more than needed.
        None: there is no batch from offset on. Kafka: LocalLog.addAbortedTransactions.
        """
        for at in range(self._segment_at(offset), len(self._segments)):
            segment = self._segments[at]
            try:
                located = segment.locate(offset)
            except BadBatch:
                raise KafkaError(ErrorCode.CORRUPT_MESSAGE) from None
            if located is not None:
                end = segment.files.index.offset_from(located[0] + size)
                if end is not None:
                    return segment.base_offset + end
                return self._bases[at + 1] if at + 1 < len(self._bases) else self.log_end_offset
        return None

    # Listeners

    def add_listener(self, listener: Listener) -> None:
        """Call listener on the loop when the high watermark rises and when the log is closed or deleted."""
        self._listeners[listener] = None

    def remove_listener(self, listener: Listener) -> None:
        self._listeners.pop(listener, None)

    # Durability

    def sync(self, up_to: int | None = None) -> int:
        """Sync the log, in a worker thread. Return the end of the durable offsets, for `mark_synced`.

        up_to: this offset must be durable. If an earlier sync has covered it, nothing is synced.

        Raises OSError if the disk fails, and at each later call: another sync would succeed although pages
        and names are lost. Raises OutOfDescriptors, and then the caller may try again.
        """
        # Group commit, a Produce request and a scheduled sync may call this, each in its thread.
        with self.syncing:
            if self._broken is not None:
                raise self._broken
            if up_to is not None and self._synced_end >= up_to:
                return self._synced_end
            end = self.log_end_offset
            try:
                self._sync_files(tuple(self.to_sync))
            except OutOfDescriptors:
                raise
            except OSError as error:
                # A log that is deleted meanwhile has nothing to keep.
                if not (self.closed and isinstance(error, FileNotFoundError)):
                    self._broken = error
                    raise
            self._synced_end = end
            return end

    def _sync_files(self, segments: tuple[Segment, ...]) -> None:
        for closed in segments[:-1]:
            closed.make_durable()
        if segments:
            segments[-1].sync()
        self._write_kept_snapshot()
        # The loop may add a name at any moment (a roll). A name is taken out before it is synced: one that is
        # added afterwards stays for the next sync.
        for directory in tuple(self.unsynced_names):
            self.unsynced_names.pop(directory, None)
            try:
                self._location.storage.sync_directory(directory)
            except OutOfDescriptors:
                self.unsynced_names[directory] = None
                raise

    def _new_names(self) -> None:
        """Note that the names of new files, and of the directory itself, are not synced yet."""
        self.unsynced_names.update({self.directory: None, "": None})

    def _names_changed(self) -> None:
        self.unsynced_names[self.directory] = None

    @property
    def has_durable_names(self) -> bool:
        """Whether no power cut could undo the creation or removal of a segment."""
        # In this order: a sync takes the names out first, and holds the lock until they are on the disk.
        return not self.unsynced_names and not self.syncing.locked() and self._broken is None

    def mark_synced(self, offset: int) -> None:
        """Raise the recovery point, and the high watermark if it waits. Call it on the loop, after `sync`."""
        if offset > self.recovery_point:
            self.recovery_point = offset
        # A segment that was closed during the sync gets its indexes from the next one.
        synced = 0
        for segment, following in pairwise(self.to_sync):
            if following.base_offset > offset or not segment.has_indexes:
                break
            segment.unpin()
            synced += 1
        del self.to_sync[:synced]
        if offset > self.high_watermark:
            self._raise_high_watermark(offset)

    def flush_due(self, now_ms: int) -> bool:
        """Return whether flush.messages or flush.ms requires a sync now."""
        unsynced = self.log_end_offset - self.recovery_point
        return unsynced > 0 and (
            unsynced >= self.settings.flush_messages
            or now_ms - self._first_unsynced_ms >= self.settings.flush_ms
        )

    @property
    def needs_sync(self) -> bool:
        """Whether a power cut could lose anything."""
        return (
            self.recovery_point < self.log_end_offset
            or len(self.to_sync) > 1
            or bool(self.unsynced_names)
            or self._broken is not None
        )

    def sync_soon(self) -> None:
        """Let the next scheduled sync include everything that was appended so far."""
        self.sync_soon_end = self.log_end_offset

    # Truncation and retention

    def truncate_to(self, offset: int) -> None:
        """Remove everything from offset on. LogManager.truncate writes the checkpoints first."""
        if offset >= self.log_end_offset:
            return
        self._untouched = False
        while len(self._segments) > 1 and self._bases[-1] >= offset:
            self._remove_now(self._retire(len(self._segments) - 1))
        active = self._segments[-1]
        active.pin()
        located = active.locate(offset)
        active.cut(located[0] if located is not None else active.size)
        self.log_end_offset = active.scan(self.settings.index_interval_bytes)
        active.truncate_aborted(self.log_end_offset)
        self.to_sync = [active]
        self._synced_end = min(self._synced_end, self.log_end_offset)
        self.log_start_offset = min(self.log_start_offset, self.log_end_offset)
        self.high_watermark = min(self.high_watermark, self.log_end_offset)
        self.recovery_point = min(self.recovery_point, self.log_end_offset)
        if self._epochs.truncate_end(self.log_end_offset):
            write_epochs(self._location, self._epochs)
        self._kept_producers.clear()
        self.producers.clear()
        restore_producers(
            self._location, self.producers, self._segments, self.log_start_offset, self.log_end_offset
        )
        if self.producers.unreplicated:
            self.producers.replicated(self.high_watermark)

    # Transactions

    def start_verification(
        self, producer_id: int, epoch: int, sequence: int, *, bumps_epoch: bool, now_ms: int
    ) -> int:
        """Return the guard for `append`, after the coordinator has confirmed that the partition belongs to
        the transaction; NO_GUARD if that is known. Raises KafkaError.
        """
        return self.producers.start_verification(
            producer_id, epoch, sequence, bumps_epoch=bumps_epoch, now_ms=now_ms
        )

    def check_marker(
        self, producer_id: int, epoch: int, coordinator_epoch: int, transaction_version: int
    ) -> None:
        """Raise KafkaError if the log must not accept this transaction marker of a coordinator."""
        self.producers.check_marker(producer_id, epoch, coordinator_epoch, transaction_version)

    def advance_log_start(self, offset: int) -> None:
        """Raise the log start offset, for DeleteRecords and retention.

        The next retention pass deletes segments below it, as in Kafka.
        """
        assert offset <= self.high_watermark, f"{self}: log start {offset} past the high watermark"
        if offset > self.log_start_offset:
            self.log_start_offset = offset
            if self._epochs.truncate_start(offset):
                # A clean stop writes them, and a start after a crash does this again.
                self._has_new_epochs = True
                self._untouched = False

    def delete_segments(self, count: int, now_ms: int) -> None:
        """Delete the first segments, for retention. If these are all, begin a new one."""
        if count == len(self._segments):
            self.roll(now_ms)
            count = min(count, len(self._segments) - 1)
        if not count:
            return
        gone: list[str] = []
        for _ in range(count):
            base = self._bases[0]
            gone += self._retire(0)
            self._remove_snapshot(base)
        self.advance_log_start(max(self.log_start_offset, self._bases[0]))
        self._discard(gone)

    def close_segments(self, first: int, last: int) -> None:
        """Close the segments from base offset first to last: compaction will replace their files."""
        for segment in self._segments[self._bases.index(first) : self._bases.index(last) + 1]:
            segment.close()

    def replace_segments(self, first: int, last: int) -> None:
        """Note that compaction has replaced the segments from base offset first to last by one file.

        Needs no descriptor: without one it would fail after the old files are gone.
        """
        start, end = self._bases.index(first), self._bases.index(last) + 1
        location = self._location
        created_ms = self._segments[start].created_ms
        segment = Segment(location.storage, location.cache, location.directory, first, 0, created_ms)
        segment.size = location.storage.size(segment.path(LOG))
        segment.has_aborted = location.storage.exists(segment.path(ABORTED_INDEX))
        for base in self._bases[start + 1 : end]:
            self._remove_snapshot(base)
        self._segments[start:end] = [segment]
        self._bases[start:end] = [first]

    def _retire(self, at: int) -> list[str]:
        """Remove a segment from the log. Return its files, renamed to `.deleted`."""
        segment = self._segments.pop(at)
        del self._bases[at]
        self._names_changed()
        if segment in self.to_sync:
            self.to_sync.remove(segment)
        segment.close()
        renamed = []
        for suffix in SEGMENT_SUFFIXES:
            path = segment.path(suffix)
            if self._location.storage.exists(path):
                self._location.storage.rename(path, path + DELETED, sync=False)
                renamed.append(path + DELETED)
        return renamed

    def _remove_now(self, paths: list[str]) -> None:
        for path in paths:
            self._location.storage.remove(path)

    def _remove_snapshot(self, offset: int) -> None:
        """Remove the snapshot at the base of a segment. Without a list of files, which may be long."""
        self._kept_producers.pop(offset, None)
        self._location.storage.remove(self._snapshot_path(offset))

    def _remove_snapshots(self, unwanted: Callable[[int], bool]) -> None:
        for kept in tuple(self._kept_producers):
            if unwanted(kept):
                self._kept_producers.pop(kept, None)
        for name, _ in self._location.storage.list(self.directory):
            offset = offset_of(name, SNAPSHOT)
            if offset is not None and unwanted(offset):
                self._location.storage.remove(f"{self.directory}/{name}")

    # The end

    @property
    def is_touched(self) -> bool:
        """Whether a clean stop has anything to write: since the start, or since the last `write_end`."""
        return not (self._untouched or self.closed)

    def close(self) -> None:
        """Stop cleanly: sync the log, and write its indexes and producer snapshot."""
        if self.closed:
            return
        if self.needs_sync:
            self.mark_synced(self.sync())
        if self.is_touched:
            self.write_end()
        self.abandon()

    def write_end(self) -> None:
        """Write indexes, epochs and producer snapshot, so that the next start can skip recovery.

        May run in any thread, when nothing is appended any more.
        """
        # Not synced: if a power cut damages indexes or snapshot, they are rebuilt.
        self._segments[-1].write_indexes()
        if self._has_new_epochs:
            write_epochs(self._location, self._epochs)
            self._has_new_epochs = False
        if self.log_end_offset:
            self._write_snapshot()
            wanted = {*self._bases, self.log_end_offset}
            self._remove_snapshots(lambda snapshot: snapshot not in wanted)
        self._untouched = True

    def abandon(self) -> None:
        """Close the files as they are, for a deleted log or without a clean stop."""
        self.closed = True
        for segment in self._segments:
            segment.close()
        self.wake()


END_TXN_MARKER_VERSION: Final = b"\0\0"  # Kafka: EndTransactionMarker, which writes version 0


def marker_batch(marker: Marker, now_ms: int, *, append_time: bool = False) -> bytes:
    """Return the control batch of a marker. Kafka: MemoryRecords.withEndTransactionMarker."""
    return build_control_batch(
        ControlType.COMMIT if marker.committed else ControlType.ABORT,
        END_TXN_MARKER_VERSION + marker.coordinator_epoch.to_bytes(4, "big", signed=True),
        now_ms,
        producer_id=marker.producer_id,
        producer_epoch=marker.producer_epoch,
        append_time=append_time,
    )
