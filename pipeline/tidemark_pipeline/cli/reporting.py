"""Collect the data of the report: one bounded aggregate of each table, so that page and driver stay small."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col

from tidemark_pipeline.cli import reset_csv, summary
from tidemark_pipeline.cli.beside import started
from tidemark_pipeline.cli.commands import COMMANDS
from tidemark_pipeline.cli.reading import exact_name
from tidemark_pipeline.report.data import (
    LOST_MAX,
    PARTITIONS_MAX,
    ROWS_MAX,
    Behind,
    Cause,
    Coming,
    Count,
    Expiring,
    Lag,
    Lagging,
    Losing,
    LostGroup,
    LostOffset,
    Rebalanced,
    Removed,
    ReportData,
    Rewind,
    Rewound,
    Subject,
    Told,
    Totals,
)
from tidemark_pipeline.report.verdict import CAUSES, LIKELY_EXPIRED, retention_name
from tidemark_pipeline.report.words import DAY_MS
from tidemark_pipeline.story.removal import LIKELY
from tidemark_pipeline.tables.longs import minus
from tidemark_pipeline.tables.small import kept

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from tidemark_pipeline.cli.reading import Reading, Scan

FORECAST_DAYS: Final = 30
BINS_MAX: Final = 72
FINE_BINS_MAX: Final = 10 * BINS_MAX
BINS_MS: Final = (60_000, 300_000, 900_000, 3_600_000, 6 * 3_600_000, DAY_MS, 7 * DAY_MS)
REBALANCES: Final = ("rebalanced",)


class _Doing(NamedTuple):
    """The part of the report that does not depend on a retention: lag, activity, rewinds."""

    lag: Lag
    lagging: Sequence[Lagging]
    activity: Sequence[Count]
    rewinds: Sequence[Rewound]
    rebalanced: Sequence[Rebalanced]
    totals: Totals


def collect(scan: Scan) -> ReportData:
    """Collect the data. Reads a small log once, and a large one once for each table.

    In a JVM that has just started, a query of a small log keeps one core busy, so two are made at a time.
    """
    doing = started(lambda: _doing(scan)) if scan.reading.is_small else None
    removals = kept(_table(scan, "removals"))  # may infer the retention that the others use
    forecast = kept(_table(scan, "forecast"))
    subject = _subject(scan)
    try:
        removed, removals_by_time = _removed(removals, scan.reading)
        lost = _lost(removals)
        coming, losing = _coming(
            forecast.where(col("retention_ms") == subject.retention.forecast_ms[0]), subject
        )
        coming_days = _coming_days(forecast, subject)
    finally:
        for table in (forecast, removals):
            table.unpersist()
    done = _doing(scan) if doing is None else doing.result()
    removals_bins, removals_bin_ms = coarse(removals_by_time)
    activity_bins, activity_bin_ms = coarse(done.activity)
    return ReportData(
        subject=subject,
        removed=removed,
        coming=coming,
        lag=done.lag,
        totals=done.totals,
        lost=lost_groups(lost[:LOST_MAX]),
        lost_is_cut=len(lost) > LOST_MAX,
        forecast=coming_days,
        losing=losing,
        removals=removals_bins,
        removals_bin_ms=removals_bin_ms,
        lagging=done.lagging,
        activity=activity_bins,
        activity_bin_ms=activity_bin_ms,
        rewinds=done.rewinds,
        rebalanced=done.rebalanced,
    )


def _doing(scan: Scan) -> _Doing:
    timeline = kept(_table(scan, "timeline").where(col("what").isin(*REBALANCES)))
    try:
        lag, lagging = _lagging(_table(scan, "lag"))
        activity = _by_time(
            _activity(_table(scan, "rates"), timeline), "at_ms", scan.reading, ("series",), F.sum("count")
        )
        rewinds, rewound, rewound_groups = _rewinds(_table(scan, "rewinds"))
        rebalanced, groups, rebalances = _rebalanced(timeline)
    finally:
        timeline.unpersist()
    totals = Totals(rewound, rewound_groups, groups, rebalances)
    counts = [Count(row.bin, row.series, row.number) for row in activity]
    return _Doing(lag, lagging, counts, rewinds, rebalanced, totals)


def _table(scan: Scan, command: str) -> DataFrame:
    table = COMMANDS[command].table(scan)
    scan.progress.step(command)
    return table


def _subject(scan: Scan) -> Subject:
    reading = scan.reading
    counts = summary.counted(scan.segments)
    return Subject(
        directories=reading.options.log_dirs
        if reading.options.cluster is None
        else [reading.options.cluster.bootstrap],
        as_of_ms=reading.as_of_ms,
        as_of={"log": "the newest record", "now": "now"}.get(str(reading.options.as_of), "as requested"),
        retention=scan.retention,
        group=reading.options.group,
        log_partitions=len(reading.surveys),
        records=counts.records,
        first_ms=_first_ms(reading),
        coverage=reading.asked_coverage,
        remarks=[*summary.skipped(counts), *summary.remarks(reading)],
        told=_told(scan),
    )


def _told(scan: Scan) -> Told | None:
    """Return what happened to the group, if the report is about one."""
    group = exact_name(scan.reading.options.group)
    if group is None or scan.told is None:
        return None
    it = scan.told.of_group(group)
    return Told(it.headline, [(event.at_ms, event.sentence) for event in it.events], it.now, it.limits)


def _first_ms(reading: Reading) -> int | None:
    begun = [each.first_timestamp_ms for each in reading.surveys.values() if each.first_offset is not None]
    return min(begun, default=None)


# Removals.


def _removed(removals: DataFrame, reading: Reading) -> tuple[Removed, list[Count]]:
    """Return the counts by cause, and by time."""
    by = ("cause", "rule", "possible_causes")
    cause = F.when(col("certainty") == LIKELY, F.lit(LIKELY_EXPIRED)).otherwise(col("inferred_cause"))
    removals = removals.withColumn("cause", cause)
    counted = (F.count("*"), F.min("removed_at_ms").alias("first"), F.max("removed_at_ms").alias("last"))
    rows = _by_time(removals, "removed_at_ms", reading, by, *counted)
    causes: dict[tuple[Any, ...], int] = {}
    for row in rows:
        key = (row.cause, row.rule, tuple(row.possible_causes))
        causes[key] = causes.get(key, 0) + row.number
    removed = Removed(
        [Cause(cause, rule, possible, offsets) for (cause, rule, possible), offsets in causes.items()],
        min((row.first for row in rows), default=0),
        max((row.last for row in rows), default=0),
    )
    return removed, [Count(row.bin, CAUSES[row.cause], row.number) for row in rows]


def _lost(removals: DataFrame) -> list[Any]:
    """Return the last removal of each partition of a group, at most LOST_MAX + 1."""
    wanted = F.struct(
        "removed_at_ms", "committed_offset", "committed_again", "topic_removed_ms", "inferred_cause",
        "possible_causes", "rule", "evidence", "likely",
    )  # fmt: skip
    rows: list[Any] = (
        removals.groupBy("log_partition", "group", "topic", "partition")
        .agg(F.max_by(wanted, "log_offset").alias("last"), F.count("*").alias("times"))
        .orderBy("last.committed_again", col("last.removed_at_ms").desc(), "group", "topic", "partition")
        .limit(LOST_MAX + 1)
        .collect()
    )
    return rows


def lost_groups(rows: Iterable[Any]) -> list[LostGroup]:
    """Return the groups with their removed offsets, the one with the latest removal first."""
    by_key = sorted(rows, key=lambda row: (row.group, row.topic, row.partition))
    groups = [_lost_group(group, list(own)) for group, own in groupby(by_key, key=lambda row: row.group)]

    def order(found: LostGroup) -> tuple[bool, int]:
        missing = [each.removed_at_ms for each in found.offsets if not each.committed_again]
        return not missing, -max(missing, default=max(each.removed_at_ms for each in found.offsets))

    return sorted(groups, key=order)


def _lost_group(group: str, rows: Sequence[Any]) -> LostGroup:
    every = [_reset(row) for row in rows]
    offsets = [_lost_offset(row, reset) for row, reset in zip(rows, every, strict=True)]
    return LostGroup(group, offsets, reset_csv.text(every))


def _reset(row: Any) -> reset_csv.Lost:
    return reset_csv.Lost(
        row.group,
        row.topic,
        row.partition,
        row.last.committed_offset,
        topic_removed=row.last.topic_removed_ms is not None,
        committed_again=bool(row.last.committed_again),
    )


def _lost_offset(row: Any, reset: reset_csv.Lost) -> LostOffset:
    last = row.last
    return LostOffset(
        row.topic,
        row.partition,
        last.committed_offset,
        last.removed_at_ms,
        last.inferred_cause,
        tuple(last.possible_causes),
        last.rule,
        last.evidence,
        row.times,
        reset.committed_again,
        reset_csv.why_not(reset),
        last.likely,
    )


# What expires.


def _coming(first: DataFrame, subject: Subject) -> tuple[Coming, list[Losing]]:
    """Return counts, and the groups that lose offsets. first: the forecast under the first retention."""
    tomorrow = F.lit(subject.as_of_ms + DAY_MS)
    going = col("expires_at_ms").isNotNull()
    told = F.struct("expires_at_ms", "topic", "partition", "due", "rule")
    by_group = first.groupBy("log_partition", "group").agg(
        F.count("*").alias("offsets"),
        F.count_if(going).alias("going"),
        F.count_if("due").alias("due"),
        F.count_if(going & ~col("due") & (col("expires_at_ms") <= tomorrow)).alias("next_day"),
        F.first("group_state").alias("state"),
        F.min_by("sentence", F.when(going, told)).alias("sentence"),
        F.slice(F.sort_array(F.collect_list(F.when(going, told))), 1, PARTITIONS_MAX).alias("first"),
    )
    rows = _with_totals(
        by_group,
        groups=_count(F.lit(True)),
        losing=_count(col("going") > 0),
        offsets=_sum("offsets"),
        due=_sum("due"),
        due_groups=_count(col("due") > 0),
        next_day=_sum("next_day"),
        next_day_groups=_count(col("next_day") > 0),
        never=_sum(col("offsets") - col("going")),
    )
    ordered = rows.orderBy(F.get("first", F.lit(0))["expires_at_ms"].asc_nulls_last(), "group")
    found = ordered.limit(ROWS_MAX).collect()
    losing = [_losing(row) for row in found if row.going]
    return (Coming(**found[0].totals.asDict()) if found else Coming()), losing


def _with_totals(table: DataFrame, **totals: Column) -> DataFrame:
    """Return table with the struct `totals`, aggregates of all its rows: one job finds both."""
    return table.withColumn("totals", F.struct(*(total.alias(name) for name, total in totals.items())))


def _sum(column: Column | str) -> Column:
    return F.sum(column).over(Window.partitionBy())


def _count(condition: Column) -> Column:
    return F.count_if(condition).over(Window.partitionBy())


def _losing(row: Any) -> Losing:
    first = [Expiring(at.topic, at.partition, at.expires_at_ms, at.due, at.rule) for at in row.first]
    return Losing(row.group, row.state, row.offsets, row.going, row.due, row.next_day, first, row.sentence)


def _coming_days(forecast: DataFrame, subject: Subject) -> list[Count]:
    """Count by day. An overdue offset counts today."""
    as_of_ms = subject.as_of_ms
    end = F.lit(as_of_ms + FORECAST_DAYS * DAY_MS)
    goes = F.greatest("expires_at_ms", F.lit(as_of_ms))
    found = (
        forecast.where(col("expires_at_ms") <= end)
        .groupBy(_bin(goes, DAY_MS).alias("bin"), "retention_ms")
        .agg(F.count("*").alias("number"))
        .collect()
    )
    return [Count(row.bin, retention_name(row.retention_ms, subject.retention), row.number) for row in found]


# Lag, activity, rewinds.


def _lagging(lag: DataFrame) -> tuple[Lag, list[Lagging]]:
    told = F.struct(F.negative("lag").alias("order"), "topic", "partition", "position")
    behind = F.coalesce(col("lag"), F.lit(0)) > 0
    by_group = lag.groupBy("log_partition", "group").agg(
        F.coalesce(F.sum("lag"), F.lit(0)).alias("lag"),
        F.count("lag").alias("known"),
        F.count_if(behind).alias("partitions"),
        F.slice(F.sort_array(F.collect_list(F.when(behind, told))), 1, PARTITIONS_MAX).alias("worst"),
    )
    totals = {"groups": _count(col("lag") > 0), "records": _sum("lag"), "known": _sum("known")}
    found = _with_totals(by_group, **totals).orderBy(col("lag").desc(), "group").limit(ROWS_MAX).collect()
    rows = [
        Lagging(
            row.group,
            row.lag,
            row.partitions,
            [Behind(at.topic, at.partition, -at.order, at.position) for at in row.worst],
        )
        for row in found
        if row.partitions
    ]
    return (Lag(**found[0].totals.asDict()) if found else Lag()), rows


def _activity(rates: DataFrame, rebalances: DataFrame) -> DataFrame:
    """Return at_ms, series and count."""
    commits = rates.where("commits > 0").select(
        col("minute_ms").alias("at_ms"), F.lit("commits").alias("series"), col("commits").alias("count")
    )
    rebalanced = rebalances.select(
        "at_ms", F.lit("rebalances").alias("series"), F.lit(1).cast("bigint").alias("count")
    )
    return commits.unionByName(rebalanced)


def _rewinds(rewinds: DataFrame) -> tuple[list[Rewound], int, int]:
    """Return rewinds by group and time, the number of rewound offsets, and of their groups."""
    told = F.struct("topic", "partition", "from_offset", "to_offset")
    by_time = rewinds.groupBy("log_partition", "group", "at_ms").agg(
        F.count("*").alias("offsets"),
        F.sum(col("by").cast("decimal(38,0)")).alias("records"),  # two longs may have a larger sum
        F.slice(F.sort_array(F.collect_list(told)), 1, PARTITIONS_MAX).alias("first"),
    )
    groups = F.size(F.collect_set("group").over(Window.partitionBy()))
    every = _with_totals(by_time, offsets=_sum("offsets"), groups=groups)
    found = every.orderBy(col("at_ms").desc(), "group").limit(ROWS_MAX).collect()
    rows = [
        Rewound(
            row.at_ms,
            row.group,
            row.offsets,
            int(row.records),
            [Rewind(at.topic, at.partition, at.from_offset, at.to_offset) for at in row.first],
        )
        for row in found
    ]
    return rows, *((found[0].totals.offsets, found[0].totals.groups) if found else (0, 0))


def _rebalanced(rebalances: DataFrame) -> tuple[list[Rebalanced], int, int]:
    """Return groups by the number of rebalances, the number of these groups, and of all rebalances."""
    by_group = rebalances.groupBy("log_partition", "group").agg(
        F.count("*").alias("rebalances"), F.max("at_ms").alias("last_ms")
    )
    every = _with_totals(by_group, groups=_count(F.lit(True)), rebalances=_sum("rebalances"))
    found = every.orderBy(col("rebalances").desc(), "group").limit(ROWS_MAX).collect()
    rows = [Rebalanced(row.group, row.rebalances, row.last_ms) for row in found]
    return rows, *((found[0].totals.groups, found[0].totals.rebalances) if found else (0, 0))


# Counts over time.


def _by_time(
    table: DataFrame, time: str, reading: Reading, by: Sequence[str], number: Column, *more: Column
) -> list[Any]:
    """Count in bins that are finer than those of a plot, so that no job must find first and last before."""
    first_ms, as_of_ms = _first_ms(reading), reading.as_of_ms
    earliest_ms = as_of_ms if first_ms is None else min(first_ms, as_of_ms)
    within = F.least(F.greatest(time, F.lit(earliest_ms)), F.lit(as_of_ms))
    width_ms = bin_ms(earliest_ms, as_of_ms, FINE_BINS_MAX)
    made: list[Any] = (
        table.groupBy(_bin(within, width_ms).alias("bin"), *by).agg(number.alias("number"), *more).collect()
    )
    return made


def _bin(ms: Column, width_ms: int) -> Column:
    return minus(ms, F.pmod(ms, F.lit(width_ms)))


def bin_ms(first_ms: int, last_ms: int, bins_max: int = BINS_MAX) -> int:
    """Return the width of at most so many bins. Each width is a multiple of the shorter ones."""
    week_ms = BINS_MS[-1]
    wide_enough = (width for width in BINS_MS if (last_ms - first_ms) // width < bins_max)
    return next(wide_enough, ((last_ms - first_ms) // week_ms // bins_max + 1) * week_ms)


def coarse(counts: Sequence[Count]) -> tuple[list[Count], int]:
    """Return the counts in bins that a reader can tell apart, and their width."""
    if not counts:
        return [], BINS_MS[0]
    starts = [each.start_ms for each in counts]
    width_ms = bin_ms(min(starts), max(starts))
    sums: dict[tuple[int, str], int] = {}
    for each in counts:
        key = (each.start_ms - each.start_ms % width_ms, each.series)
        sums[key] = sums.get(key, 0) + each.count
    return [Count(*key, number) for key, number in sorted(sums.items())], width_ms
