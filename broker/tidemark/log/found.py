"""Inspect directories that another broker wrote: their owners and their logs. Nothing is written."""

from __future__ import annotations

import mmap
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tidemark.log.directory import FORMAT, META, read_origin, read_properties
from tidemark.log.errors import DirectoryRefused
from tidemark.log.manager import CLEAN_SHUTDOWN
from tidemark_protocol.batch import BatchError, BatchHeader, headers, records
from tidemark_protocol.checkpoints import CheckpointCorrupt, decode_epochs, decode_partition_metadata
from tidemark_protocol.log_files import (
    CHECKPOINT,
    INDEX,
    LEADER_EPOCHS,
    LOG,
    NO_TOPIC_ID,
    PARTITION_METADATA,
    RESTORE_INTERRUPTED,
    TopicPartition,
    file_name,
    last_indexed_position,
    offset_of,
    parse_directory_name,
)
from tidemark_protocol.stored import decode_metadata
from tidemark_protocol.wire import WireError

METADATA: Final[TopicPartition] = ("__cluster_metadata", 0)
# A broker stamps records of these topics by its own clock. Clients may use any time.
STAMPED_BY_BROKERS: Final = frozenset({METADATA[0], "__consumer_offsets", "__transaction_state"})


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
class Found:
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


def partitions_of(origins: Iterable[Origin]) -> dict[TopicPartition, list[Found]]:
    """Return the directories of each partition, without those that are being deleted or moved."""
    partitions: dict[TopicPartition, list[Found]] = {}
    for origin in origins:
        for path in sorted(origin.path.iterdir()):
            place = parse_directory_name(path.name)
            if place is not None and path.is_dir():
                partitions.setdefault(place, []).append(Found(origin, path, _segments(path)))
    return partitions


def _segments(path: Path) -> list[tuple[int, int]]:
    found = ((offset_of(each.name, LOG), each) for each in path.iterdir())
    return sorted((base, each.stat().st_size) for base, each in found if base is not None)


def choose(partitions: dict[TopicPartition, list[Found]]) -> dict[TopicPartition, Found]:
    """Return one directory for each partition, the metadata log included."""
    metadata = _furthest(partitions[METADATA])
    conflicts = any(len({each.topic_id for each in found}) > 1 for found in partitions.values())
    living = _living_topic_ids(metadata) if conflicts else frozenset()
    return {place: _furthest(_of_living_topics(found, living)) for place, found in partitions.items()}


def _of_living_topics(found: list[Found], living: Collection[bytes]) -> list[Found]:
    """Drop directories of an earlier topic of the same name, if there are others."""
    return [each for each in found if each.topic_id in living] or found


def _furthest(found: list[Found]) -> Found:
    """Return the replica with the latest leader epoch; the longest of several."""
    return found[0] if len(found) == 1 else max(found, key=lambda each: (each.leader_epoch, each.end_offset))


def _living_topic_ids(metadata: Found) -> frozenset[bytes]:
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


def newest_ms(chosen: dict[TopicPartition, Found]) -> int | None:
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
