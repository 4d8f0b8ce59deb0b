"""Find the directories of partitions on the disks of brokers, and choose between copies of a log."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from tidemark_pipeline.logs.files import (
    Directory,
    Entry,
    NotThere,
    SegmentGone,
    directory_key,
    open_directory,
)
from tidemark_pipeline.logs.hopping import ending
from tidemark_pipeline.model import PipelineError, Segment
from tidemark_protocol.checkpoints import (
    CheckpointCorrupt,
    Offsets,
    decode_epochs,
    decode_offsets,
    decode_partition_metadata,
)
from tidemark_protocol.log_files import (
    CLEANER_OFFSETS,
    HIGH_WATERMARKS,
    INDEX,
    INDEX_ENTRY,
    LEADER_EPOCHS,
    LOG,
    LOG_STARTS,
    PARTITION_METADATA,
    RESTORE_INTERRUPTED,
    SWAP,
    TIDEMARK_PROPERTIES,
    TopicPartition,
    file_name,
    last_indexed_position,
    offset_of,
    parse_directory_name,
)

INDEX_READ_WHOLE_BYTES: Final = 256 * 1024
_NO_ENTRY: Final = (0, 0)


@dataclass(frozen=True)
class LogDir:
    """A broker's log directory. only: the name of the one partition directory to read."""

    directory: Directory
    only: str | None = None

    @cached_property
    def partitions(self) -> dict[TopicPartition, str]:
        """The partitions and the names of their directories, without those being deleted or moved."""
        names = [self.only] if self.only else [each.name for each in self.directory.list() if each.is_dir]
        found = ((parse_directory_name(name), name) for name in names)
        return {key: name for key, name in found if key is not None}

    @cached_property
    def high_watermarks(self) -> Offsets:
        return self._checkpoint(HIGH_WATERMARKS)

    @cached_property
    def is_of_tidemark(self) -> bool:
        """Return whether tidemark wrote it, which makes a partition's directory with its first record."""
        return any(each.name == TIDEMARK_PROPERTIES for each in self.directory.list())

    @cached_property
    def cleaned_below(self) -> Offsets | None:
        """The offset up to which the cleaner has cleaned each partition.

        None: not known. tidemark cleans too, and does not write this checkpoint.
        """
        if self.is_of_tidemark:
            return None
        try:
            return decode_offsets(self.directory.read(CLEANER_OFFSETS))
        except (NotThere, CheckpointCorrupt, ValueError):
            return None

    @cached_property
    def log_starts(self) -> Offsets:
        return self._checkpoint(LOG_STARTS)

    def _checkpoint(self, name: str) -> Offsets:
        """Return the offsets of a checkpoint file. Kafka also ignores a missing or broken one."""
        try:
            return decode_offsets(self.directory.read(name))
        except (NotThere, CheckpointCorrupt, ValueError):
            return {}


@dataclass(frozen=True)
class Replica:
    """One directory of a partition."""

    log_dir: LogDir
    name: str
    topic: str
    partition: int
    directory: Directory = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "directory", self.log_dir.directory.at(self.name))

    @cached_property
    def entries(self) -> Sequence[Entry]:
        """The files. Raises SegmentGone if the broker has deleted or moved the partition."""
        try:
            return self.directory.list()
        except NotThere:
            raise SegmentGone(f"{self.directory.path}: the partition was listed and is gone") from None

    @cached_property
    def segments(self) -> Sequence[Segment]:
        return _segments(self.directory, self.partition, self.entries)

    @cached_property
    def topic_id(self) -> bytes | None:
        try:
            return decode_partition_metadata(self.directory.read(PARTITION_METADATA))
        except (NotThere, CheckpointCorrupt):
            return None

    @cached_property
    def epochs(self) -> Sequence[tuple[int, int]]:
        """Leader epochs and the offsets at which they began; empty if not known."""
        try:
            return decode_epochs(self.directory.read(LEADER_EPOCHS))
        except (NotThere, CheckpointCorrupt, ValueError):
            return ()

    @property
    def leader_epoch(self) -> int:
        """The newest epoch, even if nothing was written in it. -1: not known."""
        return max(self.epochs[-1][0] if self.epochs else -1, self._ending[1])

    @property
    def end_offset(self) -> int:
        """The offset after the last whole batch."""
        return self._ending[0]

    @property
    def start_offset(self) -> int:
        first = self.segments[0].base_offset if self.segments else 0
        return max(first, self.deleted_below)

    @property
    def high_watermark(self) -> int | None:
        """The high watermark in the last checkpoint."""
        return self.log_dir.high_watermarks.get((self.topic, self.partition))

    @property
    def deleted_below(self) -> int:
        """The offset below which records were deleted on request, according to the last checkpoint."""
        return self.log_dir.log_starts.get((self.topic, self.partition), 0)

    @property
    def cleaned_below(self) -> int | None:
        """The offset up to which the cleaner has cleaned it. None: not known."""
        known = self.log_dir.cleaned_below
        return None if known is None else known.get((self.topic, self.partition), 0)

    @property
    def without_log(self) -> Sequence[int]:
        """The base offsets of segments whose index is there, but whose `.log` is not.

        A file that is being deleted or swapped in has a suffix after `.log`.
        """
        logs = {each.name.partition(LOG)[0] for each in self.entries if LOG in each.name}
        indexes = (offset_of(each.name, INDEX) for each in self.entries)
        return [base for base in indexes if base is not None and f"{base:020d}" not in logs]

    @cached_property
    def _ending(self) -> tuple[int, int]:
        """The end offset, and the leader epoch of the last batch."""
        for segment in reversed(self.segments):
            end, epoch = ending(segment, self._indexed_byte(segment))
            if epoch is not None:
                return max(end, self.segments[-1].base_offset), epoch
        return (self.segments[-1].base_offset if self.segments else 0), -1

    def _indexed_byte(self, segment: Segment) -> int:
        """Return where a batch near the segment's end begins, according to its index."""
        name = file_name(segment.base_offset, INDEX)
        try:
            return _last_position(self.directory, name, self._bytes_of(name))
        except NotThere:
            return 0

    def _bytes_of(self, name: str) -> int:
        return next((each.bytes for each in self.entries if each.name == name), 0)

    def agrees_until(self, leader: Replica) -> int:
        """Return the offset up to which it agrees with the leader.

        A leader may have truncated the end of an earlier epoch.
        """
        epoch = self._ending[1]
        ended = next((start for known, start in leader.epochs if known > epoch), leader.end_offset)
        return min(self.end_offset, ended)


def log_dirs(paths: Iterable[str]) -> list[LogDir]:
    """Return the log directories of paths, each once.

    A path may be a log directory, or the directory of one partition in it. Raises PipelineError if one does
    not exist, is not readable, empty, or incomplete.
    """
    found: dict[str, LogDir] = {}
    for path in paths:
        directory = open_directory(path)
        entries = directory.list()
        if not entries:
            raise PipelineError(f"{directory.path} is empty")
        if any(each.name in RESTORE_INTERRUPTED for each in entries):
            raise PipelineError(
                f"{directory.path} is incomplete: tidemark is restoring a snapshot there, or was killed "
                "then. Start tidemark on that directory once to finish it"
            )
        is_partition = any(offset_of(each.name, LOG) is not None for each in entries)
        if is_partition and parse_directory_name(directory.name) is None:
            raise PipelineError(f"{directory.path} holds segments, but its name is no `<topic>-<partition>`")
        log_dir = LogDir(directory.parent, directory.name) if is_partition else LogDir(directory)
        found[directory_key(directory.path)] = log_dir
    return list(found.values())


def replicas(dirs: Iterable[LogDir]) -> dict[TopicPartition, list[Replica]]:
    """Return the directories of every partition."""
    found: dict[TopicPartition, list[Replica]] = {}
    for log_dir in dirs:
        for (topic, partition), name in log_dir.partitions.items():
            replica = Replica(log_dir, name, topic, partition)
            copies = found.setdefault((topic, partition), [])
            if all(
                directory_key(each.directory.path) != directory_key(replica.directory.path) for each in copies
            ):
                copies.append(replica)
    return found


def furthest(copies: Sequence[Replica]) -> Replica:
    """Return the replica with the newest leader epoch; of several, the longest."""
    if len(copies) == 1:
        return copies[0]
    return max(copies, key=lambda each: (each.leader_epoch, each.end_offset))


def segments(directory: Directory, partition: int) -> list[Segment]:
    """Return the segments of a partition in order. Raises SegmentGone if the cleaner replaced one: list
    again.
    """
    return _segments(directory, partition, directory.list())


def _segments(directory: Directory, partition: int, entries: Iterable[Entry]) -> list[Segment]:
    """Return the segments. A `.swap` file counts in place of the segments whose offsets it covers.

    The cleaner removes the old segments before it renames the new one, which is called `.swap` until then.
    That file is complete.
    """
    listed = [each for each in entries if not each.is_dir]
    files = _by_base(listed, LOG)
    for base, each in sorted(_by_base(listed, LOG + SWAP).items()):
        end, _ = ending(Segment(directory.join(each.name), partition, base, each.bytes, is_last=False), 0)
        files = {other: file for other, file in files.items() if not base <= other < end}
        files[base] = each
    return [
        Segment(directory.join(each.name), partition, base, each.bytes, is_last=base == max(files))
        for base, each in sorted(files.items())
    ]


def _by_base(entries: Iterable[Entry], suffix: str) -> dict[int, Entry]:
    found = ((offset_of(each.name, suffix), each) for each in entries)
    return {base: each for base, each in found if base is not None}


def _last_position(directory: Directory, name: str, size: int) -> int:
    """Return the last indexed position, as `last_indexed_position` does.

    The index of an active segment is preallocated with ten megabytes of zeros, and still is after a kill.
    Only some entries of such an index are read.
    """
    if size <= INDEX_READ_WHOLE_BYTES:
        return last_indexed_position(directory.read(name)) if size else 0

    def entry(at: int) -> tuple[int, ...]:
        part = directory.read_range(name, at * INDEX_ENTRY.size, INDEX_ENTRY.size)
        return INDEX_ENTRY.unpack(part) if len(part) == INDEX_ENTRY.size else _NO_ENTRY

    used = bisect_left(range(size // INDEX_ENTRY.size), True, key=lambda at: entry(at) == _NO_ENTRY)
    return entry(used - 1)[1] if used else 0
