"""Find out which removed offsets have likely expired, by the rule of `story.passes`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col

from tidemark_pipeline.retention import WEEK_MS
from tidemark_pipeline.story.passes import BURST_MS, DEFAULT_FITS, Burst, default_late_ms, passes
from tidemark_pipeline.story.removal import CERTAIN, EXPIRED, LIKELY, UNKNOWN
from tidemark_pipeline.tables.longs import minus
from tidemark_pipeline.tables.small import kept, table_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidemark_pipeline.retention import Retention


def with_likely(removed: DataFrame, retention: Retention) -> DataFrame:
    """Return removed with certainty and likely. Runs a job. removed: as `causes.with_cause` returns it."""
    in_order = Window.orderBy("removed_at_ms")
    begins = F.coalesce(
        minus(col("removed_at_ms"), F.lag("removed_at_ms").over(in_order)) > BURST_MS, F.lit(True)
    )
    times = removed.select("removed_at_ms").distinct().withColumn("begins", begins)
    burst = F.last(F.when(col("begins"), col("removed_at_ms")), ignorenulls=True).over(in_order)
    placed = kept(removed.join(times.withColumn("burst_ms", burst).drop("begins"), "removed_at_ms"))
    found = (
        placed.groupBy("burst_ms")
        .agg(
            F.max("removed_at_ms").alias("last_ms"),
            F.count("*").alias("offsets"),
            F.count_distinct("log_partition", "group").alias("groups"),
            F.count_distinct("log_partition").alias("log_partitions"),
            F.bool_or(~F.array_contains("possible_causes", EXPIRED)).alias("refuted"),
        )
        .where("groups > 1 AND NOT refuted")
        .orderBy("burst_ms")
        .collect()
    )
    regular = passes([Burst(*row) for row in found], retention.check_interval_ms)
    reasons = table_of(
        removed.sparkSession, [(each.at_ms, each.reason) for each in regular], "burst_ms bigint, burst string"
    )
    age_ms = minus(col("together_ms"), WEEK_MS)
    fits = F.lit(not retention.is_known) & age_ms.between(0, default_late_ms(retention))
    reason = F.concat_ws(" and ", "burst", F.when(fits, DEFAULT_FITS))
    perhaps = (col("inferred_cause") == UNKNOWN) & F.array_contains("possible_causes", EXPIRED)
    certainty = (
        F.when(col("inferred_cause") != UNKNOWN, CERTAIN)
        .when(col("likely").isNotNull(), LIKELY)
        .otherwise(UNKNOWN)
    )
    return (
        placed.join(F.broadcast(reasons), "burst_ms", "left")
        .withColumn("likely", F.when(perhaps & (reason != ""), reason))
        .withColumn("certainty", certainty)
    )
