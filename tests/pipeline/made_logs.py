"""Log directories made batch by batch, for cases that no fixture has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from tidemark_pipeline.logs.directories import find_logs
from tidemark_pipeline.model import OffsetsLog
from tidemark_protocol.batch import (
    NO_PRODUCER_ID,
    TRANSACTIONAL,
    BatchBuilder,
    ControlType,
    LogRecord,
    build_batch,
    build_control_batch,
)
from tidemark_protocol.checkpoints import encode_epochs, encode_offsets
from tidemark_protocol.log_files import LEADER_EPOCHS, LOG, directory_name, file_name
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.topic_record import TopicRecord
from tidemark_protocol.stored import encode_metadata

OFFSETS: Final = "__consumer_offsets"
T0: Final = 1_790_000_000_000


def batch(
    offset: int, records: int = 1, *, at_ms: int = T0, producer: int | None = None, epoch: int = 0
) -> bytes:
    """Return a batch of so many offset commits; with a producer, in its transaction."""
    builder = BatchBuilder(at_ms)
    for number in range(records):
        builder.add(f"key {offset + number}".encode(), b"value")
    if producer is None:
        return builder.build(offset, epoch)
    return builder.build(offset, epoch, producer_id=producer, producer_epoch=0, attributes=TRANSACTIONAL)


def emptied(offset: int, producer: int) -> bytes:
    """Return what the cleaner leaves of a producer's last batch."""
    return build_batch(
        [],
        base_offset=offset,
        next_offset=offset + 1,
        producer_id=producer,
        producer_epoch=0,
        attributes=TRANSACTIONAL,
        max_timestamp=T0,
    )


def marker(offset: int, producer: int, *, commits: bool, at_ms: int = T0) -> bytes:
    return build_control_batch(
        ControlType.COMMIT if commits else ControlType.ABORT,
        bytes(6),
        at_ms,
        base_offset=offset,
        producer_id=producer,
        producer_epoch=0,
    )


def gapped(offset: int, left: Sequence[int], *, reaches: int, at_ms: int = T0) -> bytes:
    """Return a batch with the offsets that the cleaner left."""
    records = [LogRecord(each, at_ms, b"key", b"value") for each in left]
    return build_batch(records, base_offset=offset, next_offset=reaches, producer_id=NO_PRODUCER_ID)


def segment(directory: Path, base: int, *content: bytes) -> Path:
    """Write a segment file of batches, or of any bytes."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / file_name(base, LOG)
    path.write_bytes(b"".join(content))
    return path


def log(directory: Path, segments: Mapping[int, Iterable[bytes]], partition: int = 0) -> OffsetsLog:
    """Return a log of `__consumer_offsets` in a log directory."""
    for base, content in segments.items():
        segment(directory / directory_name(OFFSETS, partition), base, *content)
    return find_logs([str(directory)]).logs[partition]


def epochs(directory: Path, *entries: tuple[int, int]) -> None:
    (directory / LEADER_EPOCHS).write_bytes(encode_epochs(list(entries)))


def checkpoint(directory: Path, name: str, offsets: Mapping[tuple[str, int], int]) -> None:
    (directory / name).write_bytes(encode_offsets(offsets))


def metadata(records: Sequence[object], *, at_ms: int = T0, offset: int = 0) -> bytes:
    """Return a batch of `__cluster_metadata`."""
    builder = BatchBuilder(at_ms)
    for record in records:
        builder.add(None, encode_metadata(record))
    return builder.build(offset, base_sequence=-1)


def topic(name: str, topic_id: bytes, partitions: int = 1, replicas: int = 1) -> list[object]:
    """Return the records of the creation of a topic."""
    brokers = list(range(1, replicas + 1))
    return [
        TopicRecord(name=name, topic_id=topic_id),
        *(
            PartitionRecord(partition_id=number, topic_id=topic_id, replicas=brokers, isr=brokers, leader=1)
            for number in range(partitions)
        ),
    ]
