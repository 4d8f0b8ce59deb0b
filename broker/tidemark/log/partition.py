"""PartitionLog: one partition's log. SIGNATURES; the body follows within minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tidemark.log.settings import LogSettings
from tidemark.log.storage import Buffer


@dataclass(slots=True)
class Appended:
    """Where a batch stands. A duplicate of an idempotent producer (nothing was appended) has the first one's place.

    timestamp_ms is the largest timestamp of the batch; a LogAppendTime topic answers it (a duplicate: always).
    """

    base_offset: int
    last_offset: int
    timestamp_ms: int
    duplicate: bool = False


@dataclass(slots=True)
class TimestampOffset:
    """The record that a search by time found."""

    timestamp_ms: int
    offset: int
    leader_epoch: int


@dataclass(slots=True)
class StoredBatch:
    """One batch as a reader of the whole log gets it: bytes buf[start:end], not copied."""

    base_offset: int
    last_offset: int
    buf: memoryview
    start: int
    end: int


class PartitionLog:
    """One thread (the event loop) owns it; `sync` alone may run in another.

    topic, partition, topic_id (16 bytes), settings (may be replaced at any time), directory
    log_start_offset     first offset that may be read
    log_end_offset       the next record's offset
    high_watermark       what may be read: the end, or the synced end where settings.waits_for_sync
    last_stable_offset   what read_committed may read
    leader_epoch         epoch of the last append (or of the checkpoint); -1 in a new log
    size_bytes           bytes of all segments
    recovery_point       everything below it is known to be on the disk
    """

    topic: str
    partition: int
    topic_id: bytes
    settings: LogSettings
    directory: str
    log_start_offset: int
    log_end_offset: int
    high_watermark: int
    leader_epoch: int
    recovery_point: int

    @property
    def last_stable_offset(self) -> int: ...

    @property
    def size_bytes(self) -> int: ...

    def append(self, batches: Buffer, *, leader_epoch: int, now_ms: int) -> Appended:
        """Appends whole, valid v2 batches (the caller has checked form and CRC) with one write.

        Assigns offsets: stamps base offset and leader epoch into the batches (a bytearray is stamped in place, bytes are
        copied). Raises KafkaError for what idempotence refuses (coordinator.md 10.2) and for what is larger than a
        segment; nothing has happened then. Appended is about the first batch (last_offset: about the last).
        """
        raise NotImplementedError

    def read(self, offset: int, max_bytes: int, *, up_to: int, at_least_one_batch: bool) -> bytes:
        """Record bytes from the batch that holds offset, never with a batch that begins at or past up_to.

        Cut at exactly max_bytes; the first batch comes whole if at_least_one_batch. Empty when there is nothing.
        KafkaError OFFSET_OUT_OF_RANGE when offset is outside log_start_offset..log_end_offset.
        """
        raise NotImplementedError

    def available_bytes(self, offset: int, *, up_to: int) -> int:
        """About how many bytes a read from offset could give (exact at index entries): for min_bytes of a long poll."""
        raise NotImplementedError

    def offset_for_timestamp(self, timestamp_ms: int, *, up_to: int) -> TimestampOffset | None:
        """The first record with this timestamp or a later one, below up_to."""
        raise NotImplementedError

    def max_timestamp(self) -> TimestampOffset | None:
        """The largest timestamp in the log and the first record that has it. None: the log is empty."""
        raise NotImplementedError

    def offset_for_leader_epoch(self, epoch: int) -> tuple[int, int]:
        """(epoch, end offset) of the largest known epoch that is not above epoch; (-1, -1) when unknown."""
        raise NotImplementedError

    def leader_epoch_at(self, offset: int) -> int:
        """The leader epoch in which a record was written; -1 when unknown."""
        raise NotImplementedError

    def aborted_transactions(self, offset: int, up_to: int) -> list[tuple[int, int]]:
        """(producer id, first offset) of aborted transactions that touch the range (`.txnindex`)."""
        raise NotImplementedError

    def batches(self, offset: int = 0, *, check: bool = True) -> Iterator[StoredBatch]:
        """Every batch from the one that holds offset to the end, fast: whole segments at a time.

        With check the CRCs are proven; a bad batch raises CorruptLog (file, position), or is skipped where the manager
        was told to accept corruption.
        """
        raise NotImplementedError

    def add_listener(self, listener: Callable[[], None]) -> None:
        """Called on the loop whenever the high watermark has risen, and when the log is closed or deleted."""

    def remove_listener(self, listener: Callable[[], None]) -> None: ...

    def sync(self) -> int:
        """Blocking, for a worker thread. Returns the offset up to which all is durable: hand it to mark_synced."""
        raise NotImplementedError

    def mark_synced(self, offset: int) -> None:
        """On the loop, after sync: raises the recovery point and, where the log waits for it, the high watermark."""

    @property
    def unsynced_messages(self) -> int:
        """Records that are not known to be synced."""
        raise NotImplementedError

    def flush_due(self, now_ms: int) -> bool:
        """Whether Kafka's flush.messages or flush.ms asks for a sync now."""
        raise NotImplementedError

    def truncate_to(self, offset: int) -> None: ...

    def advance_log_start(self, offset: int) -> None:
        """DeleteRecords and retention: nothing below offset is read any more; whole segments below it are deleted."""

    def roll(self, now_ms: int) -> None:
        """Begins a new segment (if the active one has records)."""
