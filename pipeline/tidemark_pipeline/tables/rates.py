"""commit_rates: how often each group commits, by minute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql.functions import col, count_if, lit, pmod
from pyspark.sql.functions import sum as total

from tidemark_pipeline.tables.columns import COMMIT_RATES, names
from tidemark_pipeline.tables.longs import minus, timestamp

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MINUTE_MS: Final = 60_000


def commit_rates(history: DataFrame) -> DataFrame:
    """Return one row for each group and minute with commits or removed offsets.

    By the time of the records, since a client chooses the time of its commit in OffsetCommit v1. Minutes
    whose records the cleaner removed are missing, or have smaller counts.
    """
    written = col("record_timestamp_ms")
    per_partition = (
        history.withColumn("minute_ms", minus(written, pmod(written, lit(MINUTE_MS))))
        .groupBy("group", "minute_ms", "topic", "partition")
        .agg(
            count_if(col("committed_offset").isNotNull()).alias("commits"),
            count_if(col("committed_offset").isNotNull() & col("transactional")).alias("by_transactions"),
            count_if(col("committed_offset").isNull()).alias("removed"),
        )
    )
    return (
        per_partition.groupBy("group", "minute_ms")
        .agg(
            total("commits").alias("commits"),
            count_if(col("commits") > 0).alias("partitions"),
            total("by_transactions").alias("transactional_commits"),
            total("removed").alias("tombstones"),
        )
        .withColumn("minute", timestamp(col("minute_ms")))
        .select(*names(COMMIT_RATES))
    )
