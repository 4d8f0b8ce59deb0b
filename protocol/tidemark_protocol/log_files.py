"""Names of the directories and files in a log directory, as in Kafka."""

from __future__ import annotations

from struct import Struct
from typing import Final

LOG: Final = ".log"
INDEX: Final = ".index"
TIME_INDEX: Final = ".timeindex"
ABORTED_INDEX: Final = ".txnindex"
SEGMENT_SUFFIXES: Final = (LOG, INDEX, TIME_INDEX, ABORTED_INDEX)
SNAPSHOT: Final = ".snapshot"  # a snapshot of a log's producers
CHECKPOINT: Final = ".checkpoint"  # a snapshot of the metadata log
DELETED: Final = ".deleted"
CLEANED: Final = ".cleaned"
SWAP: Final = ".swap"

LEADER_EPOCHS: Final = "leader-epoch-checkpoint"
PARTITION_METADATA: Final = "partition.metadata"
DELETE_SUFFIX: Final = "-delete"
STRAY_SUFFIX: Final = (
    "-stray"  # suffix of a directory that the cluster does not know, and that Kafka keeps under this name
)

RECOVERY_POINTS: Final = "recovery-point-offset-checkpoint"
LOG_STARTS: Final = "log-start-offset-checkpoint"
HIGH_WATERMARKS: Final = "replication-offset-checkpoint"
CLEANER_OFFSETS: Final = "cleaner-offset-checkpoint"

# tidemark's own: which version of tidemark wrote a log directory. Kafka's have no such file.
TIDEMARK_PROPERTIES: Final = "tidemark.properties"
# tidemark's own: files of a restore in progress. A directory that has one is incomplete.
RESTORE_CLEARING: Final = "tidemark.restore.clearing"
RESTORE_MOVING: Final = "tidemark.restore.moving"
RESTORE_INTERRUPTED: Final = (RESTORE_CLEARING, RESTORE_MOVING)

_FILES: Final = frozenset(
    (LEADER_EPOCHS, PARTITION_METADATA, RECOVERY_POINTS, LOG_STARTS, HIGH_WATERMARKS, CLEANER_OFFSETS)
)

NO_TOPIC_ID: Final = bytes(16)

INDEX_ENTRY: Final = Struct(
    ">ii"
)  # an entry of `.index`: offset relative to the segment's, and position of a batch

PARTITION_MAX: Final = 2**31 - 1

TopicPartition = tuple[str, int]


def directory_name(topic: str, partition: int) -> str:
    return f"{topic}-{partition}"


def parse_directory_name(name: str) -> TopicPartition | None:
    """Return topic and partition. None: it is not a partition's directory, or one that is being deleted."""
    topic, dash, digits = name.rpartition("-")
    if not dash or not topic or not (digits.isascii() and digits.isdecimal()):
        return None
    partition = int(digits)
    return (topic, partition) if partition <= PARTITION_MAX else None


def file_name(offset: int, suffix: str) -> str:
    return f"{offset:020d}{suffix}"


def offset_of(name: str, suffix: str) -> int | None:
    """Return the offset in a file name. None: it is not a name of this kind."""
    digits = name.removesuffix(suffix)
    if digits == name or not (len(digits) == 20 and digits.isascii() and digits.isdecimal()):
        return None
    offset = int(digits)
    return offset if offset < 1 << 63 else None


def last_indexed_position(index: bytes) -> int:
    """Return the position in the last entry of an `.index` file, or 0 if it has none.

    Preallocated zeros may follow the entries.
    """
    size = INDEX_ENTRY.size
    used = -(-len(index.rstrip(b"\0")) // size) * size
    position: int = INDEX_ENTRY.unpack_from(index.ljust(used, b"\0"), used - size)[1] if used else 0
    return position


def is_file_name(name: str) -> bool:
    """Return whether this is the name of a file of a log, or of a checkpoint of all logs."""
    suffixes = (*SEGMENT_SUFFIXES, SNAPSHOT, CHECKPOINT)
    return name in _FILES or any(offset_of(name, suffix) is not None for suffix in suffixes)
