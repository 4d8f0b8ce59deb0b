"""lag: how many records of each partition a group has not read yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.functions import coalesce, col, greatest, lit, when

from tidemark_pipeline.tables.columns import LAG, names
from tidemark_pipeline.tables.longs import minus, timestamp

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def lag(current: DataFrame, log_ends: DataFrame) -> DataFrame:
    """Return one row for each committed offset. lag is null if its partition is not found.

    current: as `current_offsets` returns it. log_ends: topic, partition, log_end_offset and log_start_offset
    (null: 0), each partition once.
    """
    ends = log_ends.select("topic", "partition", "log_start_offset", "log_end_offset")
    found = current.join(ends, ["topic", "partition"], "left")
    start = coalesce(col("log_start_offset"), lit(0))
    behind = minus(col("log_end_offset"), greatest(col("committed_offset"), start))
    return found.select(
        "*",
        greatest(when(col("log_end_offset").isNotNull(), lit(0)), behind).alias("lag"),
        _position(start).alias("position"),
        timestamp(col("commit_timestamp_ms")).alias("committed_at"),
    ).select(*names(LAG))


def _position(start: Column) -> Column:
    committed = col("committed_offset")
    return (
        when(col("log_end_offset").isNull(), None)
        .when(committed < start, "below_start")
        .when(committed > col("log_end_offset"), "past_end")
        .otherwise("within")
    )
