"""Open the files of a log: finish or drop what a crash left, recover the tail, rebuild epochs, producers and
the indexes of aborted transactions.

After a clean stop only the end of the last segment is read. After a kill every batch from the recovery point
on is checked, and the log ends before the first bad one: no acknowledged record can follow it. A bad batch
before the recovery point was durable once, so it prevents the start.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from tidemark.late_dataclass import dataclass
from tidemark.log.errors import BadBatch, CorruptLog, Recovered
from tidemark.log.index import ENTRY_BYTES, AbortedTransaction, IndexCorrupt, TransactionIndex
from tidemark.log.producers import EndMarker, Producers, SnapshotCorrupt
from tidemark.log.scan import read_batches, walk_headers
from tidemark.log.segment import Segment, SegmentCache
from tidemark.log.settings import LogSettings
from tidemark.log.storage import Buffer, Storage
from tidemark_protocol.batch import BatchError, BatchHeader, ControlType, control_type, records
from tidemark_protocol.checkpoints import CheckpointCorrupt, decode_epochs, encode_epochs
from tidemark_protocol.log_files import (
    ABORTED_INDEX,
    CLEANED,
    DELETED,
    LEADER_EPOCHS,
    LOG,
    SEGMENT_SUFFIXES,
    SNAPSHOT,
    SWAP,
    file_name,
    offset_of,
)


class LeaderEpochs:
    """The leader epochs of one log: (epoch, first offset), both rising."""

    __slots__ = ("entries",)

    def __init__(self, entries: list[tuple[int, int]] | None = None) -> None:
        self.entries = entries or []

    @property
    def latest(self) -> int:
        return self.entries[-1][0] if self.entries else -1

    def assign(self, epoch: int, start_offset: int) -> bool:
        """Begin an epoch, and drop an earlier one that has no records. Return whether it is new."""
        if epoch <= self.latest:
            return False
        self.entries = [entry for entry in self.entries if entry[1] < start_offset]
        self.entries.append((epoch, start_offset))
        return True

    def end_offset(self, epoch: int, log_end_offset: int) -> tuple[int, int]:
        """Return (epoch, end offset) of the largest epoch up to this one; (-1, -1) if there is none."""
        if epoch == -1 or not self.entries or epoch > self.latest:
            return -1, -1
        if epoch == self.latest:
            return epoch, log_end_offset
        higher_start = next(start for known, start in self.entries if known > epoch)
        floor = max((known for known, _ in self.entries if known <= epoch), default=epoch)
        return floor, higher_start

    def epoch_at(self, offset: int) -> int:
        """Return the epoch in which an offset was written, or -1 if it is unknown."""
        return max((epoch for epoch, start in self.entries if start <= offset), default=-1)

    def truncate_end(self, offset: int) -> bool:
        """Drop the epochs that began at or after offset. Return whether anything changed."""
        kept = [entry for entry in self.entries if entry[1] < offset]
        changed = len(kept) != len(self.entries)
        self.entries = kept
        return changed

    def truncate_start(self, offset: int) -> bool:
        """Drop the epochs that ended before offset. The epoch at offset begins there.

        Returns whether anything changed.
        """
        before = [entry for entry in self.entries if entry[1] <= offset]
        if not before or before == [(before[-1][0], offset)]:
            return False
        kept = [(before[-1][0], offset), *(entry for entry in self.entries if entry[1] > offset)]
        changed = kept != self.entries
        self.entries = kept
        return changed


@dataclass(slots=True)
class LogLocation:
    """The directory of one log, and what it shares with other logs."""

    storage: Storage
    cache: SegmentCache
    directory: str
    topic: str
    partition: int


@dataclass(slots=True)
class Start:
    """The checkpoints of a log. clean: the last stop was clean."""

    recovery_point: int = 0
    log_start_offset: int = 0
    clean: bool = False
    accept_corruption: bool = False
    now_ms: int = 0
    producer_id_expiration_ms: int = 86_400_000


class Load:
    """Opens the files of one log. `run` sets the attributes, from which `PartitionLog` continues.

    segments         in order; the last one is active
    recovered        the tail that was cut off, or None
    unsynced         segments that must be synced, which are pinned; the last one is active
    is_fresh         the log has no files: none are created yet
    """

    __slots__ = (
        "_location", "_settings", "_start", "epochs", "is_fresh", "log_end_offset", "log_start_offset",
        "producers", "recovered", "recovery_point", "segments", "unsynced",
    )  # fmt: skip

    def __init__(self, location: LogLocation, settings: LogSettings, start: Start) -> None:
        self._location = location
        self._settings = settings
        self._start = start
        self.segments: list[Segment] = []
        self.log_start_offset = start.log_start_offset
        self.log_end_offset = 0
        self.epochs = LeaderEpochs()
        self.producers = Producers()
        self.recovered: Recovered | None = None
        self.recovery_point = 0
        self.unsynced: list[Segment] = []
        self.is_fresh = False

    def run(self) -> None:
        """Open the log. Raises CorruptLog if that is impossible."""
        try:
            self._run()
        except BadBatch as bad:
            raise CorruptLog(self._location.directory, bad.position, bad.reason) from None

    def _run(self) -> None:
        location, start, segments = self._location, self._start, self.segments
        storage, directory = location.storage, location.directory
        names = self._tidy()
        for base in sorted(base for name in names if (base := offset_of(name, LOG)) is not None):
            segment = self._segment(base, names[file_name(base, LOG)])
            segment.has_aborted = file_name(base, ABORTED_INDEX) in names
            segments.append(segment)
        with suppress(FileNotFoundError, CheckpointCorrupt, ValueError):  # else rebuilt from the batches
            self.epochs.entries = decode_epochs(storage.read(f"{directory}/{LEADER_EPOCHS}"))
        if not segments:
            segments.append(self._segment(start.log_start_offset))
            segments[0].begin()
            self.log_end_offset = start.log_start_offset
            self.is_fresh = True
        elif start.clean:
            self._take_up(names)
        else:
            self._recover(names)
        if self.log_end_offset < start.log_start_offset:
            self._start_anew()
        if start.clean or self.is_fresh:
            self.recovery_point = self.log_end_offset
            self.unsynced = segments[-1:]
        self.log_start_offset = min(max(start.log_start_offset, segments[0].base_offset), self.log_end_offset)
        epochs, producers = self.epochs, self.producers
        if epochs.truncate_end(self.log_end_offset + 1) | epochs.truncate_start(self.log_start_offset):
            write_epochs(location, epochs)
        if self.log_end_offset <= self.log_start_offset:
            producers.clear()  # Kafka ignores snapshots that are not past the log start
        producers.replicated(self.log_end_offset)
        producers.expire(start.now_ms, start.producer_id_expiration_ms)

    def _segment(self, base_offset: int, size: int = 0) -> Segment:
        location = self._location
        return Segment(
            location.storage, location.cache, location.directory, base_offset, size, self._start.now_ms
        )

    def _tidy(self) -> dict[str, int]:
        """Finish a swap and drop incomplete files. Return the valid files with their sizes."""
        storage, directory = self._location.storage, self._location.directory
        names = dict(storage.list(directory))
        if SWAP_LIST in names or any(name.endswith(SWAP) for name in names):
            finish_swap(storage, directory)
            names = dict(storage.list(directory))
        for name in list(names):
            if name.endswith((DELETED, CLEANED, ".tmp")):
                storage.remove(f"{directory}/{name}")
                del names[name]
        for name in list(names):
            if name.endswith(SEGMENT_SUFFIXES[1:]) and name[:20] + LOG not in names:
                storage.remove(f"{directory}/{name}")
                del names[name]
        return names

    def _take_up(self, names: dict[str, int]) -> None:
        """Continue after a clean stop: read only the end of the last segment."""
        segment, start, interval_bytes = self.segments[-1], self._start, self._settings.index_interval_bytes
        try:
            self.log_end_offset = segment.load_tail(interval_bytes)
        except BadBatch as bad:
            if not start.accept_corruption:
                raise CorruptLog(segment.path(LOG), bad.position, bad.reason) from None
            segment.cut(bad.position)
            self.log_end_offset = segment.scan(interval_bytes)
        self._check_end()
        log_start = max(start.log_start_offset, self.segments[0].base_offset)
        restore_producers(self._location, self.producers, self.segments, log_start, self.log_end_offset)
        self._check_aborted(names, self.segments)

    def _recover(self, names: dict[str, int]) -> None:
        """Read everything past the recovery point, and end the log before the first bad batch."""
        location, start, segments = self._location, self._start, self.segments
        first = next(
            (i for i, later in enumerate(segments[1:]) if later.base_offset > start.recovery_point),
            len(segments) - 1,
        )
        log_start = max(start.log_start_offset, segments[0].base_offset)
        restore_producers(location, self.producers, segments, log_start, segments[first].base_offset)
        self._check_aborted(names, segments[:first])
        for at in range(first, len(segments)):
            segment = segments[at]
            segment.pin_for_scan()
            self.log_end_offset = segment.base_offset
            cut: tuple[int, str] | None = None  # not the error: its traceback refers to this frame
            try:
                self._scan(segment)
            except BadBatch as bad:
                if self.log_end_offset < start.recovery_point and not start.accept_corruption:
                    raise CorruptLog(segment.path(LOG), bad.position, bad.reason) from None
                cut = bad.position, bad.reason
            finally:
                segment.write_aborted(segment.aborted)
                if segment is not segments[-1]:  # Kafka: LogLoader.recoverSegment
                    path = f"{location.directory}/{file_name(self.log_end_offset, SNAPSHOT)}"
                    location.storage.write(path, self.producers.encode(), sync=False)
            if cut is not None:
                self._cut(at, *cut)
                break
        self._check_end()
        self.recovery_point = min(start.recovery_point, self.log_end_offset)
        self.unsynced = segments[first:]
        waits = self._settings.waits_for_sync and self.log_end_offset > start.recovery_point
        if waits or self.recovered is not None:
            # Readers will see the found records, and the cut ones must not reappear.
            for segment in self.unsynced:
                segment.sync()
            for closed in self.unsynced[:-1]:
                closed.write_indexes(sync=True)
                closed.unpin()
            location.storage.sync_directory(location.directory)
            self.recovery_point = self.log_end_offset
            self.unsynced = segments[-1:]

    def _scan(self, segment: Segment) -> None:
        """Read the batches of a segment. CRCs are checked from the recovery point on."""
        file = segment.files.log
        known = 0
        for position, header in walk_headers(file, 0, segment.size):
            if header.next_offset > self._start.recovery_point:
                break
            self._add(segment, position, header)
            known = position + header.size
        for position, header, _, _ in read_batches(file, known, segment.size, check=True):
            self._add(segment, position, header)

    def _add(self, segment: Segment, position: int, header: BatchHeader) -> None:
        end = self.log_end_offset
        if header.base_offset < end:
            raise BadBatch(position, f"offset {header.base_offset}, expected {end} or a later one")
        marker = stored_marker(segment, position, header)
        segment.index_batch(position, header, self._settings.index_interval_bytes)
        if header.producer_id >= 0:
            aborted = note_producer(self.producers, header, marker)
            if aborted is not None:
                segment.aborted.add(aborted)
        self.epochs.assign(header.leader_epoch, header.base_offset)
        self.log_end_offset = header.next_offset

    def _cut(self, at: int, position: int, reason: str) -> None:
        """End the log before the bad batch at this position, and remove later segments."""
        segments, location = self.segments, self._location
        segment = segments[at]
        dropped = segment.size - position
        segment.cut(position)
        for later in segments[at + 1 :]:
            dropped += later.size
            later.close()
            for suffix in SEGMENT_SUFFIXES:
                location.storage.remove(later.path(suffix))
        del segments[at + 1 :]
        self.recovered = Recovered(
            location.topic,
            location.partition,
            segment.path(LOG),
            position,
            dropped,
            self.log_end_offset,
            reason,
        )

    def _check_end(self) -> None:
        """Raise CorruptLog if the log ends before the recovery point."""
        start, segment = self._start, self.segments[-1]
        needed = start.recovery_point if start.recovery_point > start.log_start_offset else 0
        if self.log_end_offset < needed and not start.accept_corruption:
            reason = f"the log ends at offset {self.log_end_offset}, but {needed} was on the disk"
            raise CorruptLog(segment.path(LOG), segment.size, reason)

    def _start_anew(self) -> None:
        """Empty a log that ends below its start, because a power cut removed its end.

        The remaining records were deleted before. The offsets up to the start must not be assigned again.
        Kafka: LogLoader.recoverLog.
        """
        storage, directory = self._location.storage, self._location.directory
        active = self._segment(self._start.log_start_offset)
        active.create()
        storage.sync_directory(directory)  # from here on a crash leaves a log that begins there
        for segment in self.segments:
            segment.close()
            for suffix in SEGMENT_SUFFIXES:
                storage.remove(segment.path(suffix))
        self.segments[:] = self.unsynced = [active]
        self.log_end_offset = self.recovery_point = active.base_offset

    def _check_aborted(self, names: dict[str, int], segments: list[Segment]) -> None:
        """Check the indexes of aborted transactions of the first segments. Rebuild corrupt ones.

        Kafka: TransactionIndex.sanityCheck. A missing file has no entries, so it cannot be told from a lost
        one: the recovery point only passes synced files.
        """
        for at, segment in enumerate(segments):
            size = names.get(file_name(segment.base_offset, ABORTED_INDEX))
            if size is None:
                continue
            try:
                if size % ENTRY_BYTES:
                    raise IndexCorrupt(f"{size} bytes are not a whole number of entries")
                segment.read_aborted().check(segment.base_offset)
            except IndexCorrupt:
                producers, index = Producers(), TransactionIndex()
                replay_producers(producers, segments[: at + 1], segments[0].base_offset, segment.base_offset)
                for position, header in walk_headers(segment.files.log, 0, segment.size):
                    if header.producer_id >= 0:
                        marker = stored_marker(segment, position, header)
                        aborted = note_producer(producers, header, marker)
                        if aborted is not None:
                            index.add(aborted)
                segment.write_aborted(index)


def write_epochs(location: LogLocation, epochs: LeaderEpochs, *, sync: bool = True) -> None:
    location.storage.write(f"{location.directory}/{LEADER_EPOCHS}", encode_epochs(epochs.entries), sync=sync)


def restore_producers(
    location: LogLocation, producers: Producers, segments: list[Segment], log_start: int, end: int
) -> None:
    """Load the newest valid snapshot up to end, and the batches that follow it. Remove later snapshots."""
    covered = log_start
    found = (offset_of(name, SNAPSHOT) for name, _ in location.storage.list(location.directory))
    for offset in sorted((each for each in found if each is not None), reverse=True):
        path = f"{location.directory}/{file_name(offset, SNAPSHOT)}"
        if log_start < offset <= end:
            try:
                producers.load(location.storage.read(path))
            except SnapshotCorrupt:
                pass
            else:
                covered = offset
                break
        location.storage.remove(path)
    replay_producers(producers, segments, covered, end)


def replay_producers(producers: Producers, segments: list[Segment], offset: int, end: int) -> None:
    """Add the batches from offset up to end to the producers' state."""
    for at, segment in enumerate(segments):
        if at + 1 < len(segments) and segments[at + 1].base_offset <= offset:
            continue
        if segment.base_offset >= end:
            return
        found = segment.locate(offset) if segment.size and offset > segment.base_offset else (0, None)
        if found is None:
            continue
        for position, header in walk_headers(segment.files.log, found[0], segment.size):
            if header.base_offset >= end:
                return
            if header.producer_id >= 0 and header.base_offset >= offset:
                note_producer(producers, header, stored_marker(segment, position, header))


def note_producer(
    producers: Producers, header: BatchHeader, marker: EndMarker | None
) -> AbortedTransaction | None:
    """Add one batch to the producers' state. Return the transaction that it aborts, if any."""
    if header.is_control:
        return producers.end_transaction(header, marker)
    producers.append(header)
    return None


def stored_marker(segment: Segment, position: int, header: BatchHeader) -> EndMarker | None:
    """Return the content of a transaction's marker; None if the batch is none, or has lost its record.

    Raises BadBatch if it cannot be read.
    """
    if header.producer_id < 0 or not header.is_control:
        return None
    _, _, buf, inside = next(read_batches(segment.files.log, position, position + header.size, check=False))
    try:
        return read_marker(buf, inside, header)
    except BatchError as error:
        raise BadBatch(position, str(error)) from None


MARKER_BYTES: Final = 6


def read_marker(buf: Buffer, position: int, header: BatchHeader) -> EndMarker | None:
    """Return the content of a marker, or None if compaction has dropped its record.

    EndTxnMarker has an int16 version and an int32 coordinator epoch. Raises BatchError.
    """
    found = records(buf, position, header)
    if not found:
        return None
    value = found[0].value
    epoch = int.from_bytes(value[2:6], "big", signed=True) if value and len(value) >= MARKER_BYTES else -1
    return EndMarker(control_type(found[0].key) == ControlType.COMMIT, epoch)


SWAP_LIST: Final = "tidemark.swap"
_VERSION: Final = "0"


def begin_swap(storage: Storage, directory: str, groups: list[list[int]]) -> None:
    """Write the list. Every later step can be repeated. In each line the new base offset is first."""
    lines = [_VERSION, *(" ".join(str(base) for base in group) for group in groups)]
    storage.write(f"{directory}/{SWAP_LIST}", "".join(f"{line}\n" for line in lines).encode())


def rename_swapped(storage: Storage, directory: str, group: list[int]) -> None:
    """Replace the segments of one line by the new one. Not synced; may be repeated."""
    base_offset = group[0]

    def path(suffix: str, base: int = base_offset) -> str:
        return f"{directory}/{file_name(base, suffix)}"

    for suffix in SEGMENT_SUFFIXES:
        if storage.exists(path(suffix + CLEANED)):
            storage.rename(path(suffix + CLEANED), path(suffix + SWAP), sync=False)
    if storage.exists(path(LOG + SWAP)):
        # Remove the old indexes before the new log gets the name: a missing index is rebuilt, a wrong one is
        # used.
        for suffix in SEGMENT_SUFFIXES[1:]:
            storage.remove(path(suffix))
    for base in group[1:]:
        for suffix in SEGMENT_SUFFIXES:
            storage.remove(path(suffix, base))
    for suffix in SEGMENT_SUFFIXES:
        if storage.exists(path(suffix + SWAP)):
            storage.rename(path(suffix + SWAP), path(suffix), sync=False)


def end_swap(storage: Storage, directory: str) -> None:
    """Make the new names durable, then the removal of the list.

    Otherwise a power cut could restore the list, which would apply to files of an unfinished compaction.
    """
    storage.sync_directory(directory)
    storage.remove(f"{directory}/{SWAP_LIST}")
    storage.sync_directory(directory)


def finish_swap(storage: Storage, directory: str) -> None:
    """Finish an interrupted swap, at a start. Raises CorruptLog if it cannot be finished."""
    names = {name for name, _ in storage.list(directory)}
    if SWAP_LIST in names:
        path = f"{directory}/{SWAP_LIST}"
        try:
            version, *lines = storage.read(path).decode().splitlines()
            groups = [[int(base) for base in line.split()] for line in lines if version == _VERSION]
        except ValueError:
            version = "none"
        if version != _VERSION:
            raise CorruptLog(path, 0, f"version {version}")
        for group in groups:
            rename_swapped(storage, directory, group)
        end_swap(storage, directory)
        return
    for name in sorted(names):
        base_offset = offset_of(name, LOG + SWAP)
        if base_offset is None:
            continue
        # Kafka has no list. The new segment replaces those that begin between its first and its last offset.
        path = f"{directory}/{name}"
        file = storage.open(path)
        end = base_offset
        try:
            for _, header in walk_headers(file, 0, file.size):
                end = header.next_offset
        except BadBatch as bad:
            raise CorruptLog(path, bad.position, bad.reason) from None
        finally:
            file.close()
        bases = (offset_of(each, LOG) for each in names)
        covered = [base for base in bases if base is not None and base_offset < base < end]
        rename_swapped(storage, directory, [base_offset, *covered])
    for name in names:
        if name.endswith(SWAP):
            storage.remove(f"{directory}/{name}")
    storage.sync_directory(directory)
