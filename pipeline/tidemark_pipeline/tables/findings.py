"""findings: the rows of other tables that a condition of `check` matches, by group.

Each function returns one row: totals, and at most `most` groups, as JSON. So the result is small for any log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F
from pyspark.sql.functions import col, lit

from tidemark_pipeline.story.removal import (
    EXPIRED,
    GROUP_DELETE,
    LIKELY,
    OFFSET_DELETE,
    TOPIC_DELETE,
    UNKNOWN,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame

FINDINGS_MAX: Final = 100_000  # min_by returns no more
CAUSES: Final = (EXPIRED, TOPIC_DELETE, GROUP_DELETE, OFFSET_DELETE, UNKNOWN)
_PLACE: Final = ("topic", "partition")
_WITH_NULLS: Final = {"ignoreNullFields": "false"}


def expiring(forecast: DataFrame, until_ms: int, most: int) -> DataFrame:
    """Find the offsets that expire up to this time, also those that are overdue. The first ones come first.

    forecast: `expiry_forecast` under one retention.
    """
    matches = F.coalesce(col("expires_at_ms") <= until_ms, lit(False))
    first = F.min_by(F.struct(*_PLACE, "rule", "sentence"), F.when(matches, _then("expires_at_ms")))
    by_group = forecast.groupBy("group").agg(
        F.count("*").alias("checked"),
        F.count_if(matches).alias("count"),
        F.min("expires_at_ms").alias("first_expires_at_ms"),
        F.count_if(matches & col("due")).alias("overdue"),
        F.array_sort(F.collect_set(F.when(matches, col("rule")))).alias("rules"),
        first.alias("first"),
    )
    found = by_group.select("*", *_fields("first", (*_PLACE, "rule", "sentence")))
    return _totals(
        found,
        details=("first_expires_at_ms", "overdue", "rules", *_PLACE, "rule", "sentence"),
        order=col("first_expires_at_ms"),
        most=most,
        also={
            "checked": F.coalesce(F.sum("checked"), lit(0)),
            "overdue": F.coalesce(F.sum("overdue"), lit(0)),
            "earliest_expiry_ms": F.min("first_expires_at_ms"),
        },
    )


def lagging(lag: DataFrame, over: int, most: int) -> DataFrame:
    """Find the groups whose partitions have more unread records than `over` in total, the largest lag first.

    count is the number of their partitions with unread records. lag: the table `lag`.
    """
    by_group = lag.groupBy("group").agg(
        F.count("*").alias("checked"),
        F.count_if(col("lag").isNull()).alias("unknown"),
        F.count_if(col("lag") > 0).alias("behind"),
        F.sum("lag").alias("lag"),
        F.max_by(F.struct(*_PLACE, "lag"), F.struct("lag", *_PLACE)).alias("most"),
    )
    found = by_group.select(
        "*",
        F.when(col("lag") > over, col("behind")).otherwise(0).alias("count"),
        *_fields("most", _PLACE),
        col("most.lag").alias("partition_lag"),
    )
    return _totals(
        found,
        details=("lag", *_PLACE, "partition_lag", "unknown"),
        order=_descending("lag"),
        most=most,
        also={
            "checked": F.coalesce(F.sum("checked"), lit(0)),
            "unknown": F.coalesce(F.sum("unknown"), lit(0)),
            "lag": F.coalesce(F.sum(F.when(col("count") > 0, col("lag"))), lit(0)),
        },
    )


def rewound(rewinds: DataFrame, since_ms: int | None, most: int) -> DataFrame:
    """Find the commits of a lower offset since this time, the last ones first. since_ms: None for all.

    rewinds: the table `rewinds`.
    """
    matches = lit(True) if since_ms is None else col("at_ms") >= since_ms
    shown = (*_PLACE, "from_offset", "to_offset", "by")
    by_group = (
        rewinds.where(matches)
        .groupBy("group")
        .agg(
            F.count("*").alias("count"),
            F.max("at_ms").alias("last_at_ms"),
            F.max_by(F.struct(*shown), _then("at_ms")).alias("last"),
        )
    )
    found = by_group.select("*", *_fields("last", shown))
    return _totals(
        found,
        details=("last_at_ms", *shown),
        order=_descending("last_at_ms"),
        most=most,
        also={"last_at_ms": F.max("last_at_ms")},
    )


def removed(removals: DataFrame, since_ms: int, most: int) -> DataFrame:
    """Find the offsets that were removed since this time, the last ones first.

    removals: the table `removals`. An offset that was removed for an unknown cause counts too;
    possible_causes has the candidates of all of these, and likely counts those that have likely expired.
    """
    possible = F.when(col("inferred_cause") == UNKNOWN, col("possible_causes"))
    by_group = (
        removals.where(col("removed_at_ms") >= since_ms)
        .groupBy("group")
        .agg(
            F.count("*").alias("count"),
            F.min("removed_at_ms").alias("first_at_ms"),
            F.max("removed_at_ms").alias("last_at_ms"),
            *(F.count_if(col("inferred_cause") == cause).alias(cause) for cause in CAUSES),
            F.array_sort(F.array_distinct(F.flatten(F.collect_set(possible)))).alias("possible_causes"),
            F.count_if(col("certainty") == LIKELY).alias("likely"),
            F.count_if("committed_again").alias("committed_again"),
        )
    )
    found = by_group.withColumn("causes", F.struct(*CAUSES))
    return _totals(
        found,
        details=("first_at_ms", "last_at_ms", "causes", "possible_causes", "likely", "committed_again"),
        order=_descending("last_at_ms"),
        most=most,
        also={
            "causes": F.struct(*(F.coalesce(F.sum(cause), lit(0)).alias(cause) for cause in CAUSES)),
            "likely": F.coalesce(F.sum("likely"), lit(0)),
        },
    )


def _totals(
    by_group: DataFrame, *, details: tuple[str, ...], order: Column, most: int, also: Mapping[str, Column]
) -> DataFrame:
    """Return one row of a table with a row for each group, in which count is the number of its matches.

    count: all matches; groups: those with one; also: further totals, as JSON; findings: the first groups in
    this order, as JSON.
    """
    matches = col("count") > 0
    finding = F.to_json(F.struct("group", "count", *details), _WITH_NULLS)
    return by_group.agg(
        F.coalesce(F.sum("count"), lit(0)).alias("count"),
        F.count_if(matches).alias("groups"),
        F.to_json(F.struct(*(total.alias(name) for name, total in also.items())), _WITH_NULLS).alias("also"),
        F.min_by(finding, F.when(matches, F.struct(order, "group")), most).alias("findings"),
    )


def _then(time: str) -> Column:
    """Return an order by this time that is the same in every run."""
    return F.struct(time, *_PLACE, "log_offset")


def _fields(of: str, names: tuple[str, ...]) -> list[Column]:
    return [col(f"{of}.{name}").alias(name) for name in names]


def _descending(name: str) -> Column:
    """Return the column in the opposite order. A minus sign would fail for the smallest long."""
    return F.bitwise_not(name)
