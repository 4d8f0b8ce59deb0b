"""Copy a directory that Apache Kafka wrote into a new data directory.

The original is only read, under its lock. Files that this broker may change are copied. Closed segments never
change, so they are linked if both directories are on one file system. Several directories, of one or more
nodes, become one: of several replicas of a partition the one with the longest history is copied.
"""

from __future__ import annotations

import mmap
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tidemark.log.directory import (
    FORMAT,
    META,
    DataDirectory,
    encode_format,
    encode_meta,
    read_origin,
    read_properties,
)
from tidemark.log.errors import DirectoryRefused
from tidemark.log.load import SWAP_LIST
from tidemark.log.manager import CLEAN_MARK, CLEAN_SHUTDOWN
from tidemark.log.restore import BUILDING
from tidemark.log.storage import LOCK, is_locked_here
from tidemark.platform import lock_like_java
from tidemark_protocol.batch import BatchError, BatchHeader, headers, records
from tidemark_protocol.checkpoints import (
    CheckpointCorrupt,
    Offsets,
    decode_epochs,
    decode_offsets,
    decode_partition_metadata,
    encode_offsets,
)
from tidemark_protocol.log_files import (
    CHECKPOINT,
    CLEANER_OFFSETS,
    INDEX,
    LEADER_EPOCHS,
    LOG,
    LOG_STARTS,
    NO_TOPIC_ID,
    PARTITION_METADATA,
    RECOVERY_POINTS,
    RESTORE_INTERRUPTED,
    SEGMENT_SUFFIXES,
    SNAPSHOT,
    SWAP,
    TIME_INDEX,
    TopicPartition,
    directory_name,
    file_name,
    last_indexed_position,
    offset_of,
    parse_directory_name,
)
from tidemark_protocol.stored import decode_metadata
from tidemark_protocol.wire import WireError

METADATA: Final[TopicPartition] = ("__cluster_metadata", 0)
# A broker stamps records of these topics by its own clock. Clients may use any time.
STAMPED_BY_BROKERS: Final = frozenset(
    {METADATA[0], "__consumer_offsets", "__transaction_state", "__share_group_state"}
)


@dataclass(slots=True, frozen=True)
class Origin:
    """A directory to copy. node_id and cluster_id are those of its meta.properties.

    clean: its broker had a clean stop. ours: tidemark wrote it, which makes no directory for an empty log.
    """

    path: Path
    node_id: int
    cluster_id: str
    directory_id: bytes | None
    clean: bool
    ours: bool = False


@dataclass(slots=True)
class PartitionDirectory:
    """The directory of a partition. segments: (base offset, size), in order."""

    origin: Origin
    path: Path
    segments: list[tuple[int, int]] = field(default_factory=list)

    @property
    def topic_id(self) -> bytes:
        """The topic id, or zeros if the directory has none."""
        try:
            return decode_partition_metadata((self.path / PARTITION_METADATA).read_bytes())
        except (FileNotFoundError, CheckpointCorrupt):
            return NO_TOPIC_ID

    @property
    def leader_epoch(self) -> int:
        """The latest leader epoch, even if no record was written in it."""
        try:
            entries = decode_epochs((self.path / LEADER_EPOCHS).read_bytes())
        except (FileNotFoundError, CheckpointCorrupt, ValueError):
            entries = []
        last = self.last_batch
        return max([entries[-1][0] if entries else -1, -1 if last is None else last.leader_epoch])

    @property
    def last_batch(self) -> BatchHeader | None:
        """The last complete batch."""
        for base, size in reversed(self.segments):
            last = _last_batch(self.path, base) if size else None
            if last is not None:
                return last
        return None

    @property
    def end_offset(self) -> int:
        last = self.last_batch
        if last is not None:
            return last.next_offset
        return self.segments[-1][0] if self.segments else 0


def read_origins(paths: Sequence[Path]) -> list[Origin]:
    """Return the identities of these directories. Raises DirectoryRefused for one that cannot be opened."""
    origins = [_origin(path) for path in paths]
    for origin in origins[1:]:
        if origin.cluster_id != origins[0].cluster_id:
            raise DirectoryRefused(
                f"{origins[0].path} belongs to cluster {origins[0].cluster_id}, {origin.path} to cluster "
                f"{origin.cluster_id}: only directories of one cluster can be opened together."
            )
    return origins


def _origin(path: Path) -> Origin:
    if not path.is_dir():
        raise DirectoryRefused(f"{path} is not a directory.")
    if any((path / mark).exists() for mark in RESTORE_INTERRUPTED):
        raise DirectoryRefused(
            f"A kill interrupted the restore of a snapshot in {path}, so its content is incomplete. Start "
            f"tidemark on that directory once to finish it: tidemark serve --data-dir {path}"
        )
    try:
        properties = read_properties((path / META).read_bytes())
    except FileNotFoundError:
        raise DirectoryRefused(f"{path} has no {META}: it is not a log directory of Apache Kafka.") from None
    except OSError as error:
        raise DirectoryRefused(f"{path}/{META}: {error.strerror}") from None
    node_id, cluster_id, directory_id = read_origin(str(path), properties)
    clean, ours = (path / CLEAN_SHUTDOWN).exists(), (path / FORMAT).exists()
    return Origin(path, node_id, cluster_id, directory_id, clean, ours)


def partitions_of(origins: Iterable[Origin]) -> dict[TopicPartition, list[PartitionDirectory]]:
    """Return the directories of each partition, without those that are being deleted or moved."""
    partitions: dict[TopicPartition, list[PartitionDirectory]] = {}
    for origin in origins:
        for path in sorted(origin.path.iterdir()):
            place = parse_directory_name(path.name)
            if place is not None and path.is_dir():
                partitions.setdefault(place, []).append(PartitionDirectory(origin, path, _segments(path)))
    return partitions


def _segments(path: Path) -> list[tuple[int, int]]:
    found = ((offset_of(each.name, LOG), each) for each in path.iterdir())
    return sorted((base, each.stat().st_size) for base, each in found if base is not None)


def choose(
    partitions: dict[TopicPartition, list[PartitionDirectory]],
) -> dict[TopicPartition, PartitionDirectory]:
    """Return one directory for each partition, the metadata log included."""
    metadata = _furthest(partitions[METADATA])
    conflicts = any(len({each.topic_id for each in found}) > 1 for found in partitions.values())
    living = _living_topic_ids(metadata) if conflicts else frozenset()
    return {place: _furthest(_of_living_topics(found, living)) for place, found in partitions.items()}


def _of_living_topics(found: list[PartitionDirectory], living: Collection[bytes]) -> list[PartitionDirectory]:
    """Drop directories of an earlier topic of the same name, if there are others."""
    return [each for each in found if each.topic_id in living] or found


def _furthest(found: list[PartitionDirectory]) -> PartitionDirectory:
    """Return the replica with the latest leader epoch; the longest of several."""
    return found[0] if len(found) == 1 else max(found, key=lambda each: (each.leader_epoch, each.end_offset))


def _living_topic_ids(metadata: PartitionDirectory) -> frozenset[bytes]:
    """Return the ids of the topics that exist after the newest snapshot and the log."""
    living: set[bytes] = set()
    logs = [metadata.path / file_name(base, LOG) for base, size in metadata.segments if size]
    for path in (*sorted(metadata.path.glob(f"*{CHECKPOINT}"))[-1:], *logs):
        for record in _metadata_records(path):
            match type(record).__name__:
                case "TopicRecord":
                    living.add(record.topic_id)
                case "RemoveTopicRecord":
                    living.discard(record.topic_id)
    return frozenset(living)


def _metadata_records(path: Path) -> Iterator[Any]:
    """Yield readable records. The broker reports unreadable ones when it reads the copy."""
    with _mapped(path) as view, suppress(BatchError):
        for position, header in headers(view):
            for entry in () if header.is_control else records(view, position, header):
                with suppress(WireError):
                    yield decode_metadata(entry.value or b"")


def newest_ms(chosen: dict[TopicPartition, PartitionDirectory]) -> int | None:
    last = [found.last_batch for (topic, _), found in chosen.items() if topic in STAMPED_BY_BROKERS]
    return max((batch.max_timestamp for batch in last if batch is not None), default=None)


@contextmanager
def _mapped(path: Path) -> Iterator[memoryview]:
    """Map a file that is not empty."""
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        memoryview(data) as view,
    ):
        yield view


def _last_batch(directory: Path, base: int) -> BatchHeader | None:
    """Return the last complete batch of a segment that is not empty."""
    with _mapped(directory / file_name(base, LOG)) as view:
        return _walk(view, _indexed_position(directory, base, len(view))) or _walk(view, 0)


def _walk(view: memoryview, position: int) -> BatchHeader | None:
    last = None
    with suppress(BatchError):  # a torn tail
        for _, header in headers(view, position):
            last = header
    return last


def _indexed_position(directory: Path, base: int, size: int) -> int:
    """Return the position of a batch near the end, from the index."""
    try:
        position = last_indexed_position((directory / file_name(base, INDEX)).read_bytes())
    except FileNotFoundError:
        return 0
    return position if 0 < position < size else 0


@dataclass(slots=True, frozen=True)
class Opening:
    """How a broker starts with directories that it did not write.

    held    time does not move and no timer runs until the broker is resumed
    at_ms   wall time at the start. None: the time of the newest record if held, else the host's time
    """

    origins: Sequence[Origin]
    held: bool = True
    at_ms: int | None = None


def take_over(origins: Sequence[Origin], target: Path, new_directory_id: bytes, now_ms: int) -> int | None:
    """Copy the originals into the target, which must be new or empty.

    Returns the time of the newest record that a broker has stamped, or None if there is none. Raises
    DirectoryRefused, also if a broker uses an original, and then leaves nothing in the target.
    """
    check_target(origins, target)
    made = not target.exists()
    with ExitStack() as locks:
        for origin in origins:
            locks.enter_context(_locked(origin.path))
        try:
            chosen = _fill(target, origins, new_directory_id, now_ms)
        except BaseException:
            _empty(target, remove=made)
            raise
        return newest_ms(chosen)


def check_target(origins: Sequence[Origin], target: Path) -> None:
    """Raise DirectoryRefused for a target that holds more than the unfinished copy of an earlier start."""
    for origin in origins:
        if target.resolve().is_relative_to(origin.path.resolve()):
            raise DirectoryRefused(f"{target} is inside {origin.path}, which is only read: choose another.")
    if target.exists() and any(each.name not in (BUILDING, LOCK) for each in target.iterdir()):
        raise DirectoryRefused(
            f"{target} is not empty: --from needs a new or empty directory. If it was created with --from, "
            f"start without --from."
        )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold Kafka's lock, shared, so that no broker starts on the directory.

    A copied disk may have no lock.
    """
    in_use = DirectoryRefused(
        f"{path} is in use: a broker holds its {LOCK}. Stop it, or open a copy of the directory."
    )
    if is_locked_here(path):
        raise in_use
    try:
        descriptor = os.open(path / LOCK, os.O_RDONLY)
    except FileNotFoundError:
        yield
        return
    try:
        try:
            lock_like_java(descriptor, shared=True)
        except OSError:
            raise in_use from None
        yield
    finally:
        os.close(descriptor)


def _empty(target: Path, *, remove: bool) -> None:
    if remove:
        shutil.rmtree(target, ignore_errors=True)
        return
    for path in target.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _fill(
    target: Path, origins: Sequence[Origin], new_directory_id: bytes, now_ms: int
) -> dict[TopicPartition, PartitionDirectory]:
    partitions = partitions_of(origins)
    if METADATA not in partitions:
        raise DirectoryRefused(
            f"There is no {directory_name(*METADATA)} in {', '.join(str(each.path) for each in origins)}: it "
            "lists the topics. Pass the directory of metadata.log.dir with another --from."
        )
    chosen = choose(partitions)
    target.mkdir(parents=True, exist_ok=True)
    clean = all(origin.clean for origin in origins)
    checkpoints = {name: _merged(name, chosen) for name in (RECOVERY_POINTS, LOG_STARTS, CLEANER_OFFSETS)}
    points = checkpoints[RECOVERY_POINTS]
    for place, found in chosen.items():
        if not clean:
            points[place] = _recovery_point(found, points.get(place, 0))
        # No checkpoint names the metadata log: if it is unclean, every segment is recovered.
        sound_below = found.segments[-1][0] if clean and found.segments else points.get(place, 0)
        _take_partition(found, target / directory_name(*place), sound_below=sound_below)
    for name, offsets in checkpoints.items():
        (target / name).write_bytes(encode_offsets(offsets))
    if clean:
        (target / CLEAN_SHUTDOWN).write_bytes(CLEAN_MARK)
    first = origins[0]
    meta = DataDirectory(first.node_id, first.cluster_id, first.directory_id or new_directory_id, fresh=False)
    (target / META).write_bytes(encode_meta(meta, now_ms))
    (target / FORMAT).write_bytes(encode_format())  # last: half a copy is not a data directory
    return chosen


def _merged(name: str, chosen: dict[TopicPartition, PartitionDirectory]) -> Offsets:
    """Return the checkpointed offsets of the partitions, each from its own directory."""
    read: dict[Path, Offsets] = {}
    for found in chosen.values():
        root = found.origin.path
        if root not in read:
            try:
                read[root] = decode_offsets((root / name).read_bytes())
            except (FileNotFoundError, CheckpointCorrupt, ValueError):
                read[root] = {}
    return {
        place: read[found.origin.path][place]
        for place, found in chosen.items()
        if place in read[found.origin.path]
    }


def _recovery_point(found: PartitionDirectory, point: int) -> int:
    """Return the recovery point to start with. The last segment is always recovered, as in Kafka.

    If the directory was copied while its broker ran, the checkpoint may be newer than the logs.
    """
    return min(point, found.segments[-1][0]) if found.segments else 0


def _take_partition(found: PartitionDirectory, target: Path, *, sound_below: int) -> None:
    """Copy or link the segments. sound_below: segments up to this offset are known to be complete."""
    target.mkdir()
    names = sorted(each.name for each in found.path.iterdir() if each.is_file())
    swapping = any(name.endswith(SWAP) for name in names)
    following = [base for base, _ in found.segments[1:]]
    closed = {
        base
        for (base, _), end in zip(found.segments, following, strict=False)
        if end <= sound_below and not swapping
    }
    for name in names:
        if not _is_kept(name):
            continue
        segment = offset_of(name, LOG)
        if segment is not None and segment in closed:
            _link(found.path / name, target / name)
        elif not _is_built_anew(name, closed, clean=found.origin.clean):
            shutil.copyfile(found.path / name, target / name)


def _is_kept(name: str) -> bool:
    if name in (LEADER_EPOCHS, PARTITION_METADATA, SWAP_LIST):
        return True
    return name.removesuffix(SWAP).endswith((*SEGMENT_SUFFIXES, SNAPSHOT, CHECKPOINT))


def _is_built_anew(name: str, closed: set[int], *, clean: bool) -> bool:
    """Return whether this is an index that must be rebuilt.

    Kafka pads the indexes of a growing segment with zeros until a clean stop.
    """
    bases = (offset_of(name, INDEX), offset_of(name, TIME_INDEX))
    return not clean and any(base is not None and base not in closed for base in bases)


def _link(original: Path, target: Path) -> None:
    """Link a file, or copy it if we may not write to it: files are opened for reading and writing."""
    if os.access(original, os.W_OK):
        try:
            target.hardlink_to(original)
        except OSError:  # another file system, or one without links
            pass
        else:
            return
    shutil.copyfile(original, target)
