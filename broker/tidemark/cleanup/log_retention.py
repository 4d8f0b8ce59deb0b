"""Retention of user logs: delete segments that are too old, exceed the size limit, or precede the log start.

Whole segments are deleted, from the first one on. The active segment is deleted only if every record of the
log has expired; an empty segment replaces it. Kafka: UnifiedLog.deleteOldSegments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.segment import Segment
from tidemark.log.settings import LogSettings
from tidemark.log.storage import Storage
from tidemark_protocol.log_files import LOG

NO_TIMESTAMP: Final = -1


@dataclass(slots=True)
class SegmentFacts:
    """A segment, as retention sees it. end_offset: the next segment's base offset, or the log end offset."""

    end_offset: int
    size: int
    largest_timestamp_ms: int
    active: bool = False


@dataclass(slots=True)
class Deleted:
    """The segments that a pass deleted from one log."""

    topic: str
    partition: int
    segments: int
    bytes: int
    log_start_offset: int


def expired(
    segments: Sequence[SegmentFacts],
    settings: LogSettings,
    log_start_offset: int,
    high_watermark: int,
    now_ms: int,
) -> int:
    """Return how many segments to delete, from the first one on. None reaches past the high watermark."""
    deletable = _deletable(segments, high_watermark)
    count = _below_log_start(deletable, log_start_offset)
    if settings.deletes:
        count = _too_large(
            deletable, count, sum(segment.size for segment in segments), settings.retention_bytes
        )
        count = _too_old(deletable, count, settings.retention_ms, now_ms)
    return count


def _deletable(segments: Sequence[SegmentFacts], high_watermark: int) -> list[SegmentFacts]:
    found = []
    for segment in segments:
        if segment.end_offset > high_watermark or (segment.active and not segment.size):
            break
        found.append(segment)
    return found


def _below_log_start(segments: Sequence[SegmentFacts], log_start_offset: int) -> int:
    count = 0
    for segment in segments:
        if segment.active or segment.end_offset > log_start_offset:
            break
        count += 1
    return count


def _too_large(segments: Sequence[SegmentFacts], count: int, total: int, retention_bytes: int) -> int:
    if retention_bytes < 0:
        return count
    excess = total - sum(segment.size for segment in segments[:count]) - retention_bytes
    for segment in segments[count:]:
        excess -= segment.size
        if excess < 0:
            break
        count += 1
    return count


def _too_old(segments: Sequence[SegmentFacts], count: int, retention_ms: int, now_ms: int) -> int:
    if retention_ms < 0:
        return count
    for segment in segments[count:]:
        if now_ms - segment.largest_timestamp_ms <= retention_ms:
            break
        count += 1
    return count


def apply_retention(log: PartitionLog, storage: Storage, now_ms: int) -> Deleted | None:
    """Delete the expired segments of one log. Return None if there are none."""
    count = expired(_facts(log, storage), log.settings, log.log_start_offset, log.high_watermark, now_ms)
    if not count:
        return None
    size = sum(segment.size for segment in log.segments[:count])
    log.delete_segments(count, now_ms)
    return Deleted(log.topic, log.partition, count, size, log.log_start_offset)


def retention_pass(logs: LogManager, now_ms: int) -> Iterator[Deleted | None]:
    """Apply retention to every log. Yield after each, so that the caller can yield to the event loop.

    now_ms is wall time. A log without records is not even opened.
    """
    for topic, partition in logs.begun():
        log = logs.find(topic, partition) if logs.size_bytes(topic, partition) else None
        yield None if log is None else apply_retention(log, logs.storage, now_ms)


def _facts(log: PartitionLog, storage: Storage) -> list[SegmentFacts]:
    segments = log.segments
    ends = [segment.base_offset for segment in segments[1:]] + [log.log_end_offset]
    return [
        SegmentFacts(
            end, segment.size, _largest_timestamp_ms(segment, storage), active=segment is segments[-1]
        )
        for segment, end in zip(segments, ends, strict=True)
    ]


def _largest_timestamp_ms(segment: Segment, storage: Storage) -> int:
    """Return the largest timestamp, or the age of the file if its records have none."""
    largest = segment.max_timestamp_ms
    return storage.modified_ms(segment.path(LOG)) if largest == NO_TIMESTAMP else largest
