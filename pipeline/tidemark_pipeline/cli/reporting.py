"""Collect the data of the report: small aggregates of each table, so that the page stays small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as F
from pyspark.sql.functions import col

from tidemark_pipeline.cli import summary
from tidemark_pipeline.cli.commands import COMMANDS
from tidemark_pipeline.report.data import (
    ROWS_MAX,
    Count,
    Lagging,
    Losing,
    Removed,
    ReportData,
    Rewound,
    Subject,
    Totals,
)
from tidemark_pipeline.report.html import DAY_MS
from tidemark_pipeline.report.page import retention_name
from tidemark_pipeline.tables.groups import current_groups
from tidemark_pipeline.tables.longs import minus

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from tidemark_pipeline.cli.reading import Reading, Scan
    from tidemark_pipeline.retention import Retention

FORECAST_DAYS: Final = 30
TOPICS_MAX: Final = 3  # names in one cell
BINS_MAX: Final = 72
BINS_MS: Final = (60_000, 300_000, 900_000, 3_600_000, 6 * 3_600_000, DAY_MS, 7 * DAY_MS)
REBALANCES: Final = ("rebalanced",)


def collect(scan: Scan) -> ReportData:
    """Collect the data. Reads a small log once, and a large one once for each table."""
    forecast = _table(scan, "forecast").persist()
    removals = _table(scan, "removals").persist()
    lag = _table(scan, "lag").persist()
    activity = _activity(_table(scan, "rates"), _table(scan, "timeline")).persist()
    as_of_ms = scan.reading.as_of_ms
    first = forecast.where(col("retention_ms") == scan.retention.forecast_ms[0])
    removals_bin_ms = bin_ms(*_span(removals, "removed_at_ms"))
    activity_bin_ms = bin_ms(*_span(activity, "at_ms"))
    try:
        return ReportData(
            subject=_subject(scan, _span(activity, "at_ms")[0]),
            totals=_totals(scan, first, removals, lag),
            forecast=_coming_days(forecast, as_of_ms, scan.retention),
            losing=_losing(first),
            removals=_counts(removals, "removed_at_ms", removals_bin_ms, col("inferred_cause")),
            removals_bin_ms=removals_bin_ms,
            removed=_removed(removals),
            lagging=_lagging(lag),
            activity=_counts(activity, "at_ms", activity_bin_ms, col("series"), F.sum("count")),
            activity_bin_ms=activity_bin_ms,
            rewinds=_rewinds(_table(scan, "rewinds")),
        )
    finally:
        for table in (forecast, removals, lag, activity):
            table.unpersist()


def _table(scan: Scan, command: str) -> DataFrame:
    return COMMANDS[command].table(scan)


def _subject(scan: Scan, first_ms: int | None) -> Subject:
    reading = scan.reading
    options = reading.options
    counts = summary.counted(scan.segments)
    return Subject(
        directories=options.log_dirs,
        as_of_ms=reading.as_of_ms,
        as_of={"log": "the newest record", "now": "now"}.get(str(options.as_of), "as requested"),
        retention=scan.retention,
        log_partitions=len(reading.surveys),
        records=counts.records,
        first_ms=first_ms,
        complete_from_ms=_complete_from_ms(reading),
        remarks=[*summary.skipped(counts), *summary.remarks(reading)],
    )


def _complete_from_ms(reading: Reading) -> int | None:
    """Return the time from which every log partition is complete; None if one of these times is not known."""
    known = [each.complete_from_ms for each in reading.surveys.values() if each.first_offset is not None]
    return None if not known or min(known) < 0 else max(known)


def _totals(scan: Scan, first: DataFrame, removals: DataFrame, lag: DataFrame) -> Totals:
    """Count offsets and groups. first: the forecast under the first of the retentions."""
    tomorrow = F.lit(scan.reading.as_of_ms + DAY_MS)
    going = col("expires_at_ms").isNotNull()
    row = first.agg(
        F.count("*").alias("offsets"),
        F.count_if("due").alias("due"),
        F.count_if(going & ~col("due") & (col("expires_at_ms") <= tomorrow)).alias("next_day"),
        F.count_if(~going).alias("never"),
    ).first()
    assert row is not None
    groups = current_groups(scan.kept_groups).select("group").union(first.select("group")).distinct().count()
    return Totals(groups, **row.asDict(), removed=removals.count(), lag=_one(lag.agg(F.sum("lag"))))


def _one(table: DataFrame) -> Any:
    row = table.first()
    assert row is not None
    return row[0]


def _coming_days(forecast: DataFrame, as_of_ms: int, retention: Retention) -> list[Count]:
    """Count by day. An overdue offset counts today."""
    end = F.lit(as_of_ms + FORECAST_DAYS * DAY_MS)
    going = forecast.where(col("expires_at_ms") <= end).withColumn(
        "goes_ms", F.greatest("expires_at_ms", F.lit(as_of_ms))
    )
    found = _binned(going, "goes_ms", DAY_MS, col("retention_ms"), F.count("*"))
    return [Count(row.bin, retention_name(row.series, retention), row.number) for row in found]


def _losing(first: DataFrame) -> list[Losing]:
    going = col("expires_at_ms").isNotNull()
    told = F.struct("expires_at_ms", "topic", "partition", "due", "rule", "sentence", "group_state")
    rows = (
        first.groupBy("log_partition", "group")
        .agg(
            F.count("*").alias("offsets"),
            F.count_if(going).alias("going"),
            F.min(F.when(going, told)).alias("next"),
        )
        .where("going > 0")
        .orderBy("next.expires_at_ms", "group")
        .limit(ROWS_MAX + 1)
    )
    return [
        Losing(
            group=row.group,
            state=row.next.group_state,
            offsets=row.offsets,
            going=row.going,
            expires_at_ms=row.next.expires_at_ms,
            due=row.next.due,
            rule=row.next.rule,
            sentence=row.next.sentence,
        )
        for row in rows.collect()
    ]


def _removed(removals: DataFrame) -> list[Removed]:
    rows = (
        removals.groupBy("log_partition", "group", "removed_at_ms", "inferred_cause")
        .agg(
            F.count("*").alias("offsets"),
            F.array_sort(F.collect_set("topic")).alias("topics"),
            F.min_by("evidence", F.struct("topic", "partition")).alias("evidence"),
        )
        .orderBy(col("removed_at_ms").desc(), "group")
        .limit(ROWS_MAX + 1)
    )
    return [
        Removed(
            row.removed_at_ms, row.group, row.offsets, named(row.topics), row.inferred_cause, row.evidence
        )
        for row in rows.collect()
    ]


def named(topics: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = len(topics) - TOPICS_MAX
    return ", ".join(topics[:TOPICS_MAX]) + (f" and {more} more" if more > 0 else "")


def _lagging(lag: DataFrame) -> list[Lagging]:
    where = F.concat_ws("-", "topic", "partition")
    rows = (
        lag.where("lag > 0")
        .groupBy("group")
        .agg(
            F.sum("lag").alias("lag"),
            F.count("*").alias("partitions"),
            F.max_by(where, F.struct("lag", "topic", "partition")).alias("worst"),
            F.max("lag").alias("worst_lag"),
        )
        .orderBy(col("lag").desc(), "group")
        .limit(ROWS_MAX + 1)
    )
    return [Lagging(row.group, row.lag, row.partitions, row.worst, row.worst_lag) for row in rows.collect()]


def _activity(rates: DataFrame, timeline: DataFrame) -> DataFrame:
    """Return at_ms, series and count."""
    commits = rates.where("commits > 0").select(
        col("minute_ms").alias("at_ms"), F.lit("commits").alias("series"), col("commits").alias("count")
    )
    rebalances = timeline.where(col("what").isin(*REBALANCES)).select(
        "at_ms", F.lit("rebalances").alias("series"), F.lit(1).cast("bigint").alias("count")
    )
    return commits.unionByName(rebalances)


def _rewinds(rewinds: DataFrame) -> list[Rewound]:
    rows = rewinds.orderBy(col("at_ms").desc(), "log_partition", col("log_offset").desc()).limit(ROWS_MAX + 1)
    return [
        Rewound(row.at_ms, row.group, row.topic, row.partition, row.from_offset, row.to_offset)
        for row in rows.collect()
    ]


def _span(table: DataFrame, time: str) -> tuple[int | None, int | None]:
    row = table.agg(F.min(time), F.max(time)).first()
    assert row is not None
    return row[0], row[1]


def bin_ms(first_ms: int | None, last_ms: int | None) -> int:
    """Return a bin width that gives a readable number of columns."""
    if first_ms is None or last_ms is None:
        return BINS_MS[0]
    wide_enough = (width for width in BINS_MS if (last_ms - first_ms) // width < BINS_MAX)
    return next(wide_enough, (last_ms - first_ms) // BINS_MAX + 1)


def _counts(
    table: DataFrame, time: str, width_ms: int, series: Column, count: Column | None = None
) -> list[Count]:
    found = _binned(table, time, width_ms, series, F.count("*") if count is None else count)
    return [Count(row.bin, row.series, row.number) for row in found]


def _binned(table: DataFrame, time: str, width_ms: int, series: Column, count: Column) -> list[Any]:
    start = minus(col(time), F.pmod(col(time), F.lit(width_ms)))
    made: list[Any] = (
        table.groupBy(start.alias("bin"), series.alias("series")).agg(count.alias("number")).collect()
    )
    return made
