"""`readStream.format("tidemark")`: stream the rows of the source as the logs grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from tidemark_pipeline.model import PipelineError, ScanOptions, Task
from tidemark_pipeline.source.following import Following
from tidemark_pipeline.source.options import SourceOptions
from tidemark_pipeline.source.positions import StreamPosition, from_json, to_json
from tidemark_pipeline.source.scan import as_wanted, read_task, scan_of

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


class TidemarkStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):  # type: ignore[misc] # Any to mypy
    """Reads one table as a stream.

    Its offsets in Spark's checkpoint are {log partition: next offset} and the topic's id, as text. A new log
    partition is read from its beginning. maxOffsetsPerTrigger counts offsets, even those without a record.
    """

    def __init__(self, options: SourceOptions, schema: StructType) -> None:
        """schema: some of the table's columns. Raises PipelineError for an option that a stream cannot
        have.
        """
        _check(options)
        self._options = options
        self._schema = schema
        self._following = Following(options)
        self._initial: dict[str, Any] | None = None
        self._is_available_now = False
        self._target: Mapping[int, int] | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 # Spark's names, here and below
        """Return the same offset whenever Spark asks."""
        if self._initial is None:
            self._initial = to_json(self._following.beginning())
        return self._initial

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        most = self._options.max_offsets_per_trigger
        return ReadAllAvailable() if most is None else ReadMaxRows(most)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Fix the end at the first look. A look needs the start, which is not known yet."""
        self._is_available_now = True

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        most = limit.max_rows if isinstance(limit, ReadMaxRows) else None
        end = self._following.onward(from_json(start), target=self._target, offsets_max=most)
        if self._is_available_now and self._target is None:
            self._target = self._following.newest
        return to_json(end)

    def reportLatestOffset(self) -> dict[str, Any] | None:  # noqa: N802
        newest = self._following.newest
        return None if newest is None else to_json(StreamPosition(newest))

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        scan = scan_of(self._options)
        pieces = self._following.pieces(from_json(start), from_json(end))
        return [InputPartition((piece, scan)) for piece in pieces]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        planned: tuple[list[Task], ScanOptions] = partition.value
        piece, scan = planned
        for task in piece:
            for batch in read_task(task, scan):
                yield as_wanted(batch, self._schema)

    def commit(self, end: dict[str, Any]) -> None:
        self._following.forget(from_json(end))


def _check(options: SourceOptions) -> None:
    scan = options.scan
    if scan.table == "segments":
        raise PipelineError("option table: segments cannot be streamed: a stream reads parts of segments")
    if scan.transactions == "open":
        raise PipelineError("option transactions: open cannot be streamed: open transactions end")
    if scan.as_of_ms is not None:
        raise PipelineError("option as_of cannot be streamed, because a stream continues with new records")
