"""Open the files of a log: finish or drop what a crash left, recover the tail, rebuild epochs, producers and
the indexes of aborted transactions.

After a clean stop only the end of the last segment is read. After a kill every batch from the recovery point
on is checked, and the log ends before the first bad one: no acknowledged record can follow it. A bad batch
before the recovery point was durable once, so it prevents the start.
"""

from __future__ import annotations

from dataclasses import field
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


MARKER_BYTES: Final = 6


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


@dataclass(slots=True)
class Loaded:
    segments: list[Segment]
    log_start_offset: int
    log_end_offset: int
    epochs: LeaderEpochs
    producers: Producers = field(default_factory=Producers)
    recovered: Recovered | None = None
    recovery_point: int = 0
    unsynced: list[Segment] = field(default_factory=list)  # pinned; the last one is active
    fresh: bool = False


def load(location: LogLocation, settings: LogSettings, start: Start) -> Loaded:
    """Open the files of a log. A log without files is fresh: none are created yet.

    Raises CorruptLog if the log cannot be opened.
    """
    try:
        return _load(location, settings, start)
    except BadBatch as bad:
        raise CorruptLog(location.directory, bad.position, bad.reason) from None


def _load(location: LogLocation, settings: LogSettings, start: Start) -> Loaded:
    names = _tidy(location)
    segments = _find_segments(location, start, names)
    epochs = _read_epochs(location)
    loaded = Loaded(segments, start.log_start_offset, 0, epochs)
    if not segments:
        segments.append(
            Segment(
                location.storage, location.cache, location.directory, start.log_start_offset, 0, start.now_ms
            )
        )
        segments[0].begin()
        loaded.log_end_offset = start.log_start_offset
        loaded.fresh = True
    elif start.clean:
        loaded.log_end_offset = _take_up(segments[-1], settings, start)
        _load_producers(location, loaded, start)
        _check_aborted(loaded, names)
    else:
        _Recovery(location, settings, start, loaded).run(names)
    if loaded.log_end_offset < start.log_start_offset:
        _start_anew(location, start, loaded)
    if start.clean or loaded.fresh:
        loaded.recovery_point = loaded.log_end_offset
        loaded.unsynced = segments[-1:]
    loaded.log_start_offset = min(max(start.log_start_offset, segments[0].base_offset), loaded.log_end_offset)
    if epochs.truncate_end(loaded.log_end_offset + 1) | epochs.truncate_start(loaded.log_start_offset):
        write_epochs(location, epochs)
    if loaded.log_end_offset <= loaded.log_start_offset:
        loaded.producers.clear()  # Kafka ignores snapshots that are not past the log start
    loaded.producers.replicated(loaded.log_end_offset)
    loaded.producers.expire(start.now_ms, start.producer_id_expiration_ms)
    return loaded


def _start_anew(location: LogLocation, start: Start, loaded: Loaded) -> None:
    """Empty a log that ends below its start, because a power cut removed its end.

    The remaining records were deleted before. The offsets up to the start must not be assigned again. Kafka:
    LogLoader.recoverLog.
    """
    offset = start.log_start_offset
    active = Segment(location.storage, location.cache, location.directory, offset, 0, start.now_ms)
    active.create()
    location.storage.sync_directory(location.directory)  # from here on a crash leaves a log that begins there
    for segment in loaded.segments:
        segment.close()
        for suffix in SEGMENT_SUFFIXES:
            location.storage.remove(segment.path(suffix))
    loaded.segments[:] = loaded.unsynced = [active]
    loaded.log_end_offset = loaded.recovery_point = offset


def write_epochs(location: LogLocation, epochs: LeaderEpochs, *, sync: bool = True) -> None:
    location.storage.write(f"{location.directory}/{LEADER_EPOCHS}", encode_epochs(epochs.entries), sync=sync)


def _find_segments(location: LogLocation, start: Start, names: dict[str, int]) -> list[Segment]:
    bases = sorted(base for name in names if (base := offset_of(name, LOG)) is not None)
    segments = []
    for base in bases:
        size = names[file_name(base, LOG)]
        segment = Segment(location.storage, location.cache, location.directory, base, size, start.now_ms)
        segment.has_aborted = file_name(base, ABORTED_INDEX) in names
        segments.append(segment)
    return segments


def _tidy(location: LogLocation) -> dict[str, int]:
    """Finish a swap and drop incomplete files. Return the valid files with their sizes."""
    storage = location.storage
    names = dict(storage.list(location.directory))
    if SWAP_LIST in names or any(name.endswith(SWAP) for name in names):
        finish_swap(storage, location.directory)
        names = dict(storage.list(location.directory))
    for name in list(names):
        if name.endswith((DELETED, CLEANED, ".tmp")):
            storage.remove(f"{location.directory}/{name}")
            del names[name]
    for name in list(names):
        if name.endswith(SEGMENT_SUFFIXES[1:]) and name[:20] + LOG not in names:
            storage.remove(f"{location.directory}/{name}")
            del names[name]
    return names


def _read_epochs(location: LogLocation) -> LeaderEpochs:
    try:
        return LeaderEpochs(decode_epochs(location.storage.read(f"{location.directory}/{LEADER_EPOCHS}")))
    except (FileNotFoundError, CheckpointCorrupt, ValueError):
        return LeaderEpochs()  # they are rebuilt from the batches


def _take_up(segment: Segment, settings: LogSettings, start: Start) -> int:
    try:
        end = segment.load_tail(settings.index_interval_bytes)
    except BadBatch as bad:
        if not start.accept_corruption:
            raise CorruptLog(segment.path(LOG), bad.position, bad.reason) from None
        segment.cut(bad.position)
        end = segment.scan(settings.index_interval_bytes)
    _check_reaches(segment, end, start)
    return end


def _check_reaches(segment: Segment, end: int, start: Start) -> None:
    needed = start.recovery_point if start.recovery_point > start.log_start_offset else 0
    if end < needed and not start.accept_corruption:
        reason = f"the log ends at offset {end}, but {start.recovery_point} was on the disk"
        raise CorruptLog(segment.path(LOG), segment.size, reason)


class _Recovery:
    """Reads everything past the recovery point."""

    __slots__ = ("_end", "_loaded", "_location", "_log_start", "_settings", "_start")

    def __init__(self, location: LogLocation, settings: LogSettings, start: Start, loaded: Loaded) -> None:
        self._location = location
        self._settings = settings
        self._start = start
        self._loaded = loaded
        self._log_start = 0
        self._end = 0

    def run(self, names: dict[str, int]) -> None:
        segments = self._loaded.segments
        first = next(
            (i for i, later in enumerate(segments[1:]) if later.base_offset > self._start.recovery_point),
            len(segments) - 1,
        )
        self._log_start = max(self._start.log_start_offset, segments[0].base_offset)
        self._end = segments[first].base_offset
        restore_producers(self._location, self._loaded.producers, segments, self._log_start, self._end)
        _check_aborted(self._loaded, names, first)
        for at in range(first, len(segments)):
            bad = self._recover(segments[at])
            if bad is not None:
                self._cut(at, bad)
                break
        _check_reaches(segments[-1], self._end, self._start)
        loaded = self._loaded
        loaded.log_end_offset = self._end
        loaded.recovery_point = min(self._start.recovery_point, self._end)
        loaded.unsynced = segments[first:]
        waits = self._settings.waits_for_sync and self._end > self._start.recovery_point
        if waits or loaded.recovered is not None:
            self._sync(loaded.unsynced)
            loaded.recovery_point = self._end
            loaded.unsynced = segments[-1:]

    def _recover(self, segment: Segment) -> BadBatch | None:
        segment.pin_for_scan()
        self._end = segment.base_offset
        try:
            self._scan(segment)
        except BadBatch as bad:
            if self._end < self._start.recovery_point and not self._start.accept_corruption:
                raise CorruptLog(segment.path(LOG), bad.position, bad.reason) from None
            return bad
        finally:
            segment.write_aborted(segment.aborted)
            if segment is not self._loaded.segments[-1]:
                self._write_snapshot()
        return None

    def _write_snapshot(self) -> None:
        """Write the producers at the end of a closed segment. Kafka: LogLoader.recoverSegment."""
        path = f"{self._location.directory}/{file_name(self._end, SNAPSHOT)}"
        self._location.storage.write(path, self._loaded.producers.encode(), sync=False)

    def _scan(self, segment: Segment) -> None:
        file = segment.files.log
        known = 0
        for position, header in walk_headers(file, 0, segment.size):
            if header.next_offset > self._start.recovery_point:
                break
            self._take(segment, position, header)
            known = position + header.size
        for position, header, _, _ in read_batches(file, known, segment.size, check=True):
            self._take(segment, position, header)

    def _take(self, segment: Segment, position: int, header: BatchHeader) -> None:
        if header.base_offset < self._end:
            raise BadBatch(position, f"offset {header.base_offset}, expected {self._end} or a later one")
        marker = stored_marker(segment, position, header)
        segment.index_batch(position, header, self._settings.index_interval_bytes)
        if header.producer_id >= 0:
            aborted = note_producer(self._loaded.producers, header, marker)
            if aborted is not None:
                segment.aborted.add(aborted)
        self._loaded.epochs.assign(header.leader_epoch, header.base_offset)
        self._end = header.next_offset

    def _sync(self, segments: list[Segment]) -> None:
        """Sync the log: readers will see the found records, and the cut ones must not reappear."""
        for segment in segments:
            segment.sync()
        for closed in segments[:-1]:
            closed.write_indexes(sync=True)
            closed.unpin()
        self._location.storage.sync_directory(self._location.directory)

    def _cut(self, at: int, bad: BadBatch) -> None:
        """End the log before the bad batch, and remove later segments."""
        segments = self._loaded.segments
        segment = segments[at]
        dropped = segment.size - bad.position
        segment.cut(bad.position)
        for later in segments[at + 1 :]:
            dropped += later.size
            later.close()
            for suffix in SEGMENT_SUFFIXES:
                self._location.storage.remove(later.path(suffix))
        del segments[at + 1 :]
        self._loaded.recovered = Recovered(
            self._location.topic,
            self._location.partition,
            segment.path(LOG),
            bad.position,
            dropped,
            self._end,
            bad.reason,
        )


def _load_producers(location: LogLocation, loaded: Loaded, start: Start) -> None:
    log_start = max(start.log_start_offset, loaded.segments[0].base_offset)
    restore_producers(location, loaded.producers, loaded.segments, log_start, loaded.log_end_offset)


def restore_producers(
    location: LogLocation, producers: Producers, segments: list[Segment], log_start: int, end: int
) -> None:
    """Load the newest valid snapshot up to end, and the batches that follow it. Remove later snapshots."""
    covered = _load_snapshot(location, producers, log_start, end)
    replay_producers(producers, segments, max(covered, log_start), end)


def _load_snapshot(location: LogLocation, producers: Producers, log_start: int, end: int) -> int:
    found = (offset_of(name, SNAPSHOT) for name, _ in location.storage.list(location.directory))
    for offset in sorted((each for each in found if each is not None), reverse=True):
        path = f"{location.directory}/{file_name(offset, SNAPSHOT)}"
        if not log_start < offset <= end:
            location.storage.remove(path)
            continue
        try:
            producers.load(location.storage.read(path))
        except SnapshotCorrupt:
            location.storage.remove(path)
            continue
        return offset
    return log_start


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


def _check_aborted(loaded: Loaded, names: dict[str, int], count: int | None = None) -> None:
    """Check the indexes of aborted transactions of the first segments. Rebuild corrupt ones.

    Kafka: TransactionIndex.sanityCheck. A missing file has no entries, so it cannot be told from a lost one:
    the recovery point only passes synced files.
    """
    segments = loaded.segments
    for at, segment in enumerate(segments[:count]):
        size = names.get(file_name(segment.base_offset, ABORTED_INDEX))
        if size is None:
            continue
        try:
            if size % ENTRY_BYTES:
                raise IndexCorrupt(f"{size} bytes are not a whole number of entries")
            segment.read_aborted().check(segment.base_offset)
        except IndexCorrupt:
            segment.write_aborted(_rebuilt_aborted(segments[: at + 1]))


def _rebuilt_aborted(segments: list[Segment]) -> TransactionIndex:
    """Return the aborted transactions of the last of these segments, from the batches of all of them."""
    segment = segments[-1]
    producers, index = Producers(), TransactionIndex()
    replay_producers(producers, segments, segments[0].base_offset, segment.base_offset)
    for position, header in walk_headers(segment.files.log, 0, segment.size):
        if header.producer_id >= 0:
            aborted = note_producer(producers, header, stored_marker(segment, position, header))
            if aborted is not None:
                index.add(aborted)
    return index


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
    """Finish an interrupted swap, at a start."""
    names = {name for name, _ in storage.list(directory)}
    if SWAP_LIST in names:
        for group in _read_list(storage, directory):
            rename_swapped(storage, directory, group)
        end_swap(storage, directory)
        return
    for name in sorted(names):
        if name.endswith(LOG + SWAP):
            base_offset = offset_of(name, LOG + SWAP)
            if base_offset is not None:
                covered = _covered(storage, directory, base_offset, names)
                rename_swapped(storage, directory, [base_offset, *covered])
    for name in names:
        if name.endswith(SWAP):
            storage.remove(f"{directory}/{name}")
    storage.sync_directory(directory)


def _read_list(storage: Storage, directory: str) -> list[list[int]]:
    """Return the groups of the list. Raises CorruptLog if it is damaged: the swap cannot be finished."""
    path = f"{directory}/{SWAP_LIST}"
    try:
        version, *lines = storage.read(path).decode().splitlines()
        if version == _VERSION:
            return [[int(base) for base in line.split()] for line in lines]
    except ValueError:
        version = "none"
    raise CorruptLog(path, 0, f"version {version}")


def _covered(storage: Storage, directory: str, base_offset: int, names: set[str]) -> list[int]:
    path = f"{directory}/{file_name(base_offset, LOG + SWAP)}"
    file = storage.open(path)
    end = base_offset
    try:
        for _, header in walk_headers(file, 0, file.size):
            end = header.next_offset
    except BadBatch as bad:
        raise CorruptLog(path, bad.position, bad.reason) from None
    finally:
        file.close()
    bases = (offset_of(name, LOG) for name in names)
    return [base for base in bases if base is not None and base_offset < base < end]
