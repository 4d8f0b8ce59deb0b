"""Retention of logs: which closed segments are too old, too many, or below the log start. Kafka's rules.

What is deleted is always a run of whole segments from the beginning. The active segment goes only when every
record of the log is expired; an empty one takes its place.
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
    """What retention asks of a segment. end_offset: the next segment's base, or the log's end."""

    end_offset: int
    size: int
    largest_timestamp_ms: int
    active: bool = False


@dataclass(slots=True)
class Deleted:
    """What a pass took from a log: worth one log line."""

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
    """How many segments from the first one on go. Nothing at or past the high watermark does."""
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
    """Deletes what is expired in one log; None when nothing is."""
    count = expired(_facts(log, storage), log.settings, log.log_start_offset, log.high_watermark, now_ms)
    if not count:
        return None
    size = sum(segment.size for segment in log.segments[:count])
    log.delete_segments(count, now_ms)
    return Deleted(log.topic, log.partition, count, size, log.log_start_offset)


def retention_pass(logs: LogManager, now_ms: int) -> Iterator[Deleted | None]:
    """Every log in turn; a step for each, so that the caller may let others go first. Wall time.

    A log without records is not even opened.
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
    """Records without a timestamp are as old as their file."""
    largest = segment.max_timestamp_ms
    return storage.modified_ms(segment.path(LOG)) if largest == NO_TIMESTAMP else largest
