"""Retention of user logs: delete segments that are too old, exceed the size limit, or precede the log start.

Whole segments are deleted, from the first one on. The active segment is deleted only if every record of the
log has expired; an empty segment replaces it. Kafka: UnifiedLog.deleteOldSegments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tidemark.late_dataclass import dataclass
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.settings import LogSettings
from tidemark.log.storage import Storage
from tidemark_protocol.log_files import LOG

NO_TIMESTAMP: Final = -1
SEGMENTS_AT_ONCE: Final = 16  # looking into a closed segment, or renaming its files, takes up to 100 us


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
    *,
    further_bytes: int = 0,
) -> int:
    """Return how many segments to delete, from the first one on. None reaches past the high watermark.

    further_bytes: the size of the segments behind these.
    """
    deletable = []
    for segment in segments:
        if segment.end_offset > high_watermark or (segment.active and not segment.size):
            break
        deletable.append(segment)
    count = 0
    for segment in deletable:
        if segment.active or segment.end_offset > log_start_offset:
            break
        count += 1
    if settings.deletes and settings.retention_bytes >= 0:
        excess = sum(each.size for each in segments[count:]) + further_bytes - settings.retention_bytes
        for segment in deletable[count:]:
            excess -= segment.size
            if excess < 0:
                break
            count += 1
    if settings.deletes and settings.retention_ms >= 0:
        for segment in deletable[count:]:
            if now_ms - segment.largest_timestamp_ms <= settings.retention_ms:
                break
            count += 1
    return count


def apply_retention(log: PartitionLog, storage: Storage, now_ms: int) -> Deleted | None:
    """Delete expired segments of one log, at most SEGMENTS_AT_ONCE. Return None if there are none."""
    facts, segments = [], log.segments
    following_ones = (*segments[1 : SEGMENTS_AT_ONCE + 1], None)
    for segment, following in zip(segments[:SEGMENTS_AT_ONCE], following_ones, strict=False):
        end = log.log_end_offset if following is None else following.base_offset
        largest_ms = segment.max_timestamp_ms
        if largest_ms == NO_TIMESTAMP:  # its records have none: the age of the file counts
            largest_ms = storage.modified_ms(segment.path(LOG))
        facts.append(SegmentFacts(end, segment.size, largest_ms, active=following is None))
    further = log.size_bytes - sum(segment.size for segment in facts)
    count = expired(
        facts, log.settings, log.log_start_offset, log.high_watermark, now_ms, further_bytes=further
    )
    if not count:
        return None
    size = sum(segment.size for segment in facts[:count])
    log.delete_segments(count, now_ms)
    return Deleted(log.topic, log.partition, count, size, log.log_start_offset)


def retention_pass(logs: LogManager, now_ms: int) -> Iterator[Deleted | None]:
    """Apply retention to every log, in short steps. Yield after each, so that other work can run in between.

    now_ms is wall time. A log without records is not even opened.
    """
    for topic, partition in logs.begun():
        log = logs.find(topic, partition) if logs.size_bytes(topic, partition) else None
        if log is None:
            yield None
            continue
        deleted = None
        while not log.closed and (step := apply_retention(log, logs.storage, now_ms)) is not None:
            if deleted is not None:
                step.segments += deleted.segments
                step.bytes += deleted.bytes
            deleted = step
            yield None
        yield deleted
