"""rewinds: commits of a lower offset than the previous one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql.functions import coalesce, col, lag, last, lit, struct, when

from tidemark_pipeline.tables.columns import REWINDS, names
from tidemark_pipeline.tables.longs import minus, timestamp

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def rewinds(history: DataFrame) -> DataFrame:
    """Return one row for each commit of an offset lower than the previous one in the log.

    Also if the offset was removed in between. In the order of the log: a transaction's offset counts at its
    own log offset, not at that of its marker.
    """
    in_order = Window.partitionBy("log_partition", "group", "topic", "partition").orderBy("log_offset")
    before = in_order.rowsBetween(Window.unboundedPreceding, -1)
    commit = struct("committed_offset", "record_timestamp_ms", "log_offset", "topic_id")
    with_previous = history.select(
        "*",
        last(when(col("committed_offset").isNotNull(), commit), ignorenulls=True)
        .over(before)
        .alias("previous"),
        coalesce(lag(col("committed_offset").isNull()).over(in_order), lit(False)).alias("across_tombstone"),
    )
    higher = col("previous.committed_offset")
    return (
        with_previous.where(col("committed_offset") < higher)
        .select(
            "*",
            higher.alias("from_offset"),
            col("committed_offset").alias("to_offset"),
            minus(higher, col("committed_offset")).alias("by"),
            (col("previous.topic_id") != col("topic_id")).alias("topic_recreated"),
            col("record_timestamp_ms").alias("at_ms"),
            timestamp(col("record_timestamp_ms")).alias("at"),
            col("previous.record_timestamp_ms").alias("previous_at_ms"),
            col("previous.log_offset").alias("previous_log_offset"),
        )
        .select(*names(REWINDS))
    )
