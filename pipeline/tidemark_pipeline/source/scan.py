"""From options to rows: choose segments on the driver, and read them in the workers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from tidemark_pipeline.decode import read_segment
from tidemark_pipeline.logs.directories import OFFSETS_TOPIC, Found, find_logs, listed_again
from tidemark_pipeline.logs.files import SegmentGone, looked_again, open_segment
from tidemark_pipeline.logs.survey import survey_all, tasks
from tidemark_pipeline.model import OffsetsLog, ScanOptions, Task
from tidemark_pipeline.schemas import TOPICS
from tidemark_pipeline.source.options import SourceOptions
from tidemark_pipeline.source.pruning import EVERYTHING, Pruning
from tidemark_protocol.java import partition_of_group

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

LOOKS: Final = 3  # for a segment that is replaced repeatedly


def plan(options: SourceOptions, pruning: Pruning = EVERYTHING) -> list[Task]:
    """Return the tasks. Raises PipelineError if there is nothing to read, or it cannot be read."""
    return looked_again(lambda: _planned(options, pruning))


def _planned(options: SourceOptions, pruning: Pruning) -> list[Task]:
    topic = TOPICS.get(options.scan.table, OFFSETS_TOPIC)
    logs = logs_of(find_logs(options.paths, topic), options, pruning)
    surveys = survey_all(logs.values(), as_of_ms=options.scan.as_of_ms, on_error=options.scan.on_error)
    return [
        task
        for number, log in logs.items()
        for task in tasks(log, surveys[number], *bounds_of(number, options, pruning))
    ]


def logs_of(found: Found, options: SourceOptions, pruning: Pruning = EVERYTHING) -> dict[int, OffsetsLog]:
    """Return the logs to read, by number of their log partition."""
    wanted = pruning.narrowed(Pruning(groups=options.scan.groups or None))
    if options.scan.table not in TOPICS:  # a group's share partitions are in any log partition
        holding = _holding(wanted.groups, found.group_partition_count)
        wanted = wanted.narrowed(Pruning(log_partitions=holding))
    return {
        number: found.logs[number]
        for number in sorted(found.logs)
        if options.reads(number) and wanted.reads(number)
    }


def _holding(groups: frozenset[str] | None, count: int | None) -> frozenset[int] | None:
    """Return the log partitions of these groups. None: all of them may have records of the groups."""
    if groups is None or count is None:
        return None
    return frozenset(partition_of_group(group, count) for group in groups)


def bounds_of(log_partition: int, options: SourceOptions, pruning: Pruning = EVERYTHING) -> tuple[int, int]:
    """Return the offsets to read of a log partition: first, and end (exclusive)."""
    first, end = options.offsets.get(log_partition, (0, None))
    asked = pruning.narrowed(
        Pruning(first_offset=first, end_offset=EVERYTHING.end_offset if end is None else end)
    )
    return asked.first_offset, asked.end_offset


def scan_of(options: SourceOptions, pruning: Pruning = EVERYTHING) -> ScanOptions:
    """Return the options for the workers. They filter by group, because groups share log partitions."""
    groups = pruning.narrowed(Pruning(groups=options.scan.groups or None)).groups
    return options.scan if groups is None else replace(options.scan, groups=groups)


def read_task(task: Task, options: ScanOptions, looks: int = LOOKS) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a segment. Raises PipelineError with file, byte and reason.

    If the segment no longer exists, the segments that have its records now are read, which the cleaner may
    replace in turn.
    """
    with ExitStack() as opened:
        try:
            data = opened.enter_context(open_segment(task.segment))
        except SegmentGone:
            if not looks:
                raise
        else:
            yield from read_segment(data, task, options)
            return
    for instead in _instead(task):
        yield from read_task(instead, options, looks - 1)


def as_wanted(batch: pa.RecordBatch, schema: StructType) -> pa.RecordBatch:
    """Return the columns of schema, in the types that Spark checks."""
    from pyspark.sql.pandas.types import to_arrow_schema

    wanted = to_arrow_schema(schema, timezone="UTC")
    chosen = batch.select(wanted.names)
    return chosen if chosen.schema.equals(wanted) else chosen.cast(wanted)


def _instead(task: Task) -> list[Task]:
    """Return tasks for the segments that replace it. Raises SegmentGone if its records no longer exist."""
    found = looked_again(lambda: listed_again(task))
    if not found or found[0].segment.base_offset > task.segment.base_offset:
        raise SegmentGone(f"{task.segment.path} was removed while it was being read")
    return found
