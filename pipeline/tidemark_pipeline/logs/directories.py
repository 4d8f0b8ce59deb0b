"""Find the logs of `__consumer_offsets` in the given directories, one for each log partition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from tidemark_pipeline.logs.files import open_directory
from tidemark_pipeline.logs.metadata_log import METADATA, of_living_topics, replica_counts
from tidemark_pipeline.logs.replicas import LogDir, Replica, furthest, log_dirs, replicas, segments
from tidemark_pipeline.model import OffsetsLog, PipelineError, Task
from tidemark_protocol.checkpoints import uuid_text
from tidemark_protocol.log_files import NO_TOPIC_ID

OFFSETS_TOPIC: Final = "__consumer_offsets"
THREADS: Final = 16
_TOPICS_NAMED_MAX: Final = 8


@dataclass(slots=True, frozen=True)
class Found:
    """The logs to read.

    passed_over            sentences that say which directories of a log partition are not read, and why
    group_partition_count  of `__consumer_offsets`, from the metadata log; None: not known
    topic_id               of `__consumer_offsets`, as Kafka prints it; None: not known
    chosen                 the directories of the logs
    """

    logs: Mapping[int, OffsetsLog]
    passed_over: tuple[str, ...] = ()
    group_partition_count: int | None = None
    topic_id: str | None = None
    chosen: Mapping[int, Replica] = field(default_factory=dict)


def find_logs(paths: Sequence[str], topic: str = OFFSETS_TOPIC) -> Found:
    """Return the logs of `__consumer_offsets`, or of another internal topic.

    Raises PipelineError if a path does not exist, is empty or not readable, or has nothing of the topic.
    """
    dirs = log_dirs(paths)
    named = {key: copies for key, copies in replicas(dirs).items() if key[0] == topic}
    with ThreadPoolExecutor(THREADS) as pool:
        written = pool.map(_written, (named[key] for key in sorted(named)))
        found = [copies for copies in written if copies]
        if not found:
            raise PipelineError(_nothing(paths, dirs, topic))
        placed = _placed(tuple(dirs), topic)
        found = of_living_topics(found, dirs, pool)
        chosen = list(pool.map(lambda copies: _log(copies, placed), found))
    return Found(
        {log.log_partition: log for log, _ in chosen},
        tuple(sentence for _, passed_over in chosen for sentence in passed_over),
        None if placed is None else len(placed),
        _topic_id(found[0]),
        {copies[0].partition: furthest(copies) for copies in found},
    )


def _topic_id(copies: Sequence[Replica]) -> str | None:
    """Return the topic id. It is read from one log partition, because it is the same in all."""
    topic_id = furthest(copies).topic_id
    return None if topic_id in (None, NO_TOPIC_ID) else uuid_text(topic_id)


def _written(copies: Iterable[Replica]) -> list[Replica]:
    """Return the copies that have a segment. A log of tidemark has none before its first record."""
    return [copy for copy in copies if copy.segments]


def _placed(dirs: tuple[LogDir, ...], topic: str) -> Mapping[int, int] | None:
    """Return the number of replicas of each partition of the topic. None: not known.

    A stream asks often, so the metadata log is read again only after it has rolled to a new file.
    """
    files = tuple(each.name for copy in replicas(dirs).get(METADATA, ()) for each in copy.entries)
    return _placed_in(dirs, topic, files) or _placed_in.__wrapped__(dirs, topic, files)


@lru_cache(maxsize=16)
def _placed_in(dirs: tuple[LogDir, ...], topic: str, _files: tuple[str, ...]) -> Mapping[int, int] | None:
    return replica_counts(dirs).get(topic)


def listed_again(task: Task) -> list[Task]:
    """Return tasks for a task's offsets after its segment was replaced."""
    directory = open_directory(task.segment.path).parent
    found = segments(directory, task.segment.log_partition)
    ends = [*(segment.base_offset for segment in found[1:]), task.end_offset]
    return [
        replace(
            task,
            segment=segment,
            first_offset=max(task.first_offset, segment.base_offset),
            end_offset=min(task.end_offset, max(behind, segment.base_offset)),
            skipped=(),
        )
        for segment, behind in zip(found, ends, strict=True)
        if segment.base_offset < task.end_offset and (segment.is_last or behind > task.first_offset)
    ]


def _nothing(paths: Sequence[str], dirs: Iterable[LogDir], topic: str) -> str:
    topics = sorted({each for log_dir in dirs for each, _ in log_dir.partitions})
    where = ", ".join(paths)
    if not topics:
        return f"{where}: no log directory, there is no `{topic}-<partition>` in it"
    named = ", ".join(topics[:_TOPICS_NAMED_MAX]) + (", ..." if len(topics) > _TOPICS_NAMED_MAX else "")
    return f"{where}: nothing of {topic} is there, only {named}"


def _log(copies: Sequence[Replica], placed: Mapping[int, int] | None) -> tuple[OffsetsLog, list[str]]:
    best = furthest(copies)
    log = OffsetsLog(
        best.partition,
        best.directory.path,
        best.segments,
        best.leader_epoch,
        best.end_offset,
        best.start_offset,
        _read_below(best, copies, None if placed is None else placed.get(best.partition)),
    )
    return log, [_passed_over(each, best) for each in copies if each is not best]


def _passed_over(other: Replica, best: Replica) -> str:
    reason = (
        f"leader epoch {other.leader_epoch} against {best.leader_epoch}"
        if other.leader_epoch != best.leader_epoch
        else f"it ends at offset {other.end_offset}, not at {best.end_offset}"
        if other.end_offset != best.end_offset
        else f"it ends at offset {best.end_offset} as well"
    )
    return f"{other.directory.path} is not read: {best.directory.path} counts ({reason})"


def _read_below(best: Replica, copies: Sequence[Replica], placed: int | None) -> int | None:
    """Return the high watermark of a replicated log, or None if it is not below the end of the log.

    The checkpoint may be five seconds old after a kill. A log without replicas is committed to its end,
    regardless of the checkpoint. With replicas, the high watermark is at least the largest one that any
    replica wrote, and every record that all replicas have is committed.
    """
    replica_count = len(copies) if placed is None else max(len(copies), placed)
    if replica_count == 1:
        return None
    known = [each.high_watermark for each in copies if each.high_watermark is not None]
    if len(copies) == replica_count and len(copies) > 1:
        known.append(min(each.agrees_until(best) for each in copies))
    below = max(known, default=best.end_offset)
    return below if below < best.end_offset else None
