"""Decide whether a removed offset can have expired, and under which retentions.

A log does not contain the offsets.retention.minutes of its broker. Either the retention is configured, or
every retention that explains the log is considered:

- It is a whole number of minutes, at least 1. An offset that expired was at least that old.
- A cleanup pass removes every offset of its log partition that is old enough. So if an older offset was kept,
  no pass removed the younger one.
- Ages that repeat are probably just above the retention, see `infer`.

`with_expiry` returns "yes" or "no" only if that holds for every retention that fits, otherwise "open".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col

from tidemark_expiry.rules import LONG_MAX, Rule
from tidemark_pipeline.tables.longs import minus

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MINUTE_MS: Final = 60_000
PASS_MS: Final = 5_000  # at most, from the time of a pass to the timestamps of its records
STAYED_MS: Final = 60_000  # a pass over a large log partition ends within this time
MOMENTS_MIN: Final = 3  # removals at fewer moments may have the same age by chance
SPREAD: Final = 10  # ages repeat if they differ by less than a tenth

COMMIT_GONE: Final = "the commit is not in the log any more, so its age is not known"
OTHERS_WERE_DUE: Final = "the group was removed in the same batch, with offsets that were due"

YES: Final = "yes"
NO: Final = "no"
OPEN: Final = "open"


@dataclass(slots=True, frozen=True)
class Aged:
    """An offset that was removed at this age, at this moment. Units: milliseconds."""

    age_ms: int
    removed_at_ms: int


@dataclass(slots=True, frozen=True)
class Inferred:
    """A retention between shortest_ms and longest_ms explains removals at several moments.

    youngest_ms, oldest_ms: the ages of these removals. moments: how many there were.
    """

    shortest_ms: int
    longest_ms: int
    youngest_ms: int
    oldest_ms: int
    moments: int

    @property
    def text(self) -> str:
        shortest, longest = minutes_text(self.shortest_ms), minutes_text(self.longest_ms)
        return longest if shortest == longest else f"{shortest} to {longest}"


@dataclass(slots=True, frozen=True)
class Configured:
    """The retentions of the broker. More than one: at different times."""

    retention_ms: Sequence[int]
    check_interval_ms: int

    @property
    def late_ms(self) -> int:
        """The longest time from due to removed. Fits in a long."""
        return min(self.check_interval_ms, LONG_MAX - PASS_MS) + PASS_MS


Retention = Configured | Inferred | None  # None: neither is known


def infer(removed: Iterable[Aged], check_interval_ms: int) -> Inferred | None:
    """Return the retention that explains removals at the most moments; None if these are under MOMENTS_MIN.

    An offset that expires is removed within a check interval, so its age is just above the retention. The
    ages of offsets that clients delete are arbitrary.
    """
    aged = sorted(removed, key=lambda each: each.age_ms)
    moment_of = _moments(each.removed_at_ms for each in aged)
    counted: Counter[int] = Counter()
    found: Inferred | None = None
    end = 0
    for start, youngest in enumerate(aged):
        end = max(end, start)
        while end < len(aged) and aged[end].age_ms <= _reach_ms(youngest.age_ms, check_interval_ms):
            counted[moment_of[aged[end].removed_at_ms]] += 1
            end += 1
        if len(counted) >= (found.moments + 1 if found else MOMENTS_MIN):
            ages = (youngest.age_ms, aged[end - 1].age_ms)
            found = _inferred(*ages, len(counted), check_interval_ms) or found
        if end > start:
            _uncount(counted, moment_of[youngest.removed_at_ms])
    return found


def _reach_ms(age_ms: int, check_interval_ms: int) -> int:
    """Return the age up to which an offset is removed under the longest retention that explains age_ms."""
    retention_ms = _whole_minutes_ms(age_ms)
    return retention_ms + min(check_interval_ms + PASS_MS, retention_ms // SPREAD)


def _inferred(youngest_ms: int, oldest_ms: int, moments: int, check_interval_ms: int) -> Inferred | None:
    longest_ms = _whole_minutes_ms(youngest_ms)
    late_ms = check_interval_ms + PASS_MS
    shortest_ms = max(MINUTE_MS, -_whole_minutes_ms(late_ms - oldest_ms))
    if shortest_ms > longest_ms:
        return None
    return Inferred(shortest_ms, longest_ms, youngest_ms, oldest_ms, moments)


def _whole_minutes_ms(ms: int) -> int:
    return ms // MINUTE_MS * MINUTE_MS


def _moments(times_ms: Iterable[int]) -> dict[int, int]:
    """Return for each time the first time of the same pass."""
    moments: dict[int, int] = {}
    before_ms = None
    for ms in sorted(set(times_ms)):
        same_pass = before_ms is not None and ms - before_ms <= PASS_MS
        moments[ms] = moments[before_ms] if same_pass and before_ms is not None else ms
        before_ms = ms
    return moments


def _uncount(counted: Counter[int], moment: int) -> None:
    counted[moment] -= 1
    if not counted[moment]:
        del counted[moment]


# In Spark: tombstones with age_ms, the longest retention under which the offset was due (null: not known).


def with_expiry(found: DataFrame, retention: Retention) -> DataFrame:
    """Return found with expiry, because (a clause that explains it) and due_under_ms.

    found: tombstones with what `removals` gathers. Unless the retention is configured, stayed_ms too, see
    `with_stayed`.
    """
    found = found.withColumn("together_ms", _together_ms())
    if isinstance(retention, Configured):
        return _under_configured(found, retention)
    return _under_what_fits(found, retention)


def _together_ms() -> Column:
    """Return the smallest age of the offsets that were removed with the same group.

    A group expires with the last of its offsets, so all of them must have been due.
    """
    batch = Window.partitionBy("log_partition", "group", "group_batch")
    return F.when(col("group_removed"), F.min("age_ms").over(batch)).otherwise(col("age_ms"))


def _under_configured(found: DataFrame, configured: Configured) -> DataFrame:
    """Decide between configured retentions: the removal was in time under the one that was in effect."""
    every = configured.retention_ms
    own_retention = col("rule") == Rule.EXPLICIT_RETENTION
    due_at = F.when(own_retention, col("expire_timestamp_ms")).otherwise(
        F.try_add(col("since_ms"), F.array_max("due"))
    )
    in_time = F.coalesce(due_at >= minus(col("removed_at_ms"), configured.late_ms), F.lit(False))
    expiry = (
        F.when(col("together_ms").isNull(), OPEN)
        .when(F.size("due") == 0, NO)
        .when((F.size("due") == len(every)) | in_time, YES)
        .otherwise(OPEN)
    )
    under = F.concat(F.lit(" under a retention of "), _minutes(col("due"), every), F.lit(" min"))
    due = F.concat(_due(due_at), F.when(own_retention, "").otherwise(under))
    not_due = _not_due(
        f"under a retention of {', '.join(map(minutes_text, every))} min", F.size("due_under_ms") != 0
    )
    because = (
        F.when(col("together_ms").isNull(), COMMIT_GONE)
        .when(col("expiry") == NO, not_due)
        .when(col("expiry") == YES, due)
        .otherwise(
            F.concat(
                due,
                F.lit(", long after its pass; not due under another given retention"),
            )
        )
    )
    found = found.withColumns(
        {"due": _of_those(every, col("together_ms")), "due_under_ms": _of_those(every, col("age_ms"))}
    )
    return found.withColumn("expiry", expiry).withColumn("because", because)


def _under_what_fits(found: DataFrame, inferred: Inferred | None) -> DataFrame:
    together = col("together_ms")
    longest_ms = together - F.pmod(together, F.lit(MINUTE_MS))
    own_retention = together == LONG_MAX
    too_young = longest_ms < MINUTE_MS
    older_stayed = F.coalesce(longest_ms <= minus(col("stayed_ms"), PASS_MS), F.lit(False))
    repeats, under, known = F.lit(False), "", []
    if inferred is not None:
        repeats = together.between(inferred.youngest_ms, inferred.oldest_ms)
        under = f", due under a retention of {inferred.text} min (inferred)"
        known = [inferred.longest_ms]
    cases = [
        (together.isNull(), OPEN, F.lit(COMMIT_GONE)),
        (own_retention, YES, _due(col("expire_timestamp_ms"))),
        (too_young, NO, _not_due("under any retention", col("age_ms") >= MINUTE_MS)),
        (older_stayed, NO, F.concat(_old(), F.lit(", and an older offset in this log partition was kept"))),
        (repeats, YES, F.concat(_old(), F.lit(under))),
        (F.lit(True), OPEN, F.concat(_old(), F.lit(", due only if offsets.retention.minutes was at most "),
                                     _minutes_of(longest_ms))),
    ]  # fmt: skip
    return found.withColumns(
        {
            "expiry": F.coalesce(*(F.when(when, expiry) for when, expiry, _ in cases)),
            "because": F.coalesce(*(F.when(when, because) for when, _, because in cases)),
            "due_under_ms": _of_those(known, col("age_ms")) if known else F.lit(None).cast("array<bigint>"),
        }
    )


def _of_those(retention_ms: Sequence[int], age: Column) -> Column:
    """Return the retentions under which an offset of this age is due; null for null."""
    every = F.array(*(F.lit(ms).cast("bigint") for ms in retention_ms))
    return F.when(age.isNotNull(), F.filter(every, lambda ms: ms <= age))


def _due(at: Column) -> Column:
    own = F.concat(F.lit("rule "), col("rule"), F.lit(": due "), time_before(at), F.lit(" before"))
    return F.coalesce(own, F.lit(OTHERS_WERE_DUE))


def _not_due(under: str, itself_due: Column) -> Column:
    return (
        F.when(col("nothing_stored"), "no offset was stored, except perhaps in an open transaction")
        .when(itself_due, f"another offset in its batch was not due {under}")
        .when(col("rule").isNull(), f"the log itself was not old enough for the offset to be due {under}")
        .otherwise(F.concat(F.lit(f"it was not due {under} (rule "), col("rule"), F.lit(")")))
    )


def _old() -> Column:
    own = F.concat(F.lit("rule "), col("rule"), F.lit(": "), span(col("age_ms")), F.lit(" old"))
    youngest = F.concat(
        F.lit("the youngest offset removed with it was "), span(col("together_ms")), F.lit(" old")
    )
    return F.when(col("rule").isNotNull() & (col("age_ms") == col("together_ms")), own).otherwise(youngest)


def time_before(at: Column) -> Column:
    """Return the time from this one to the tombstone, as text; null for null."""
    return span(minus(col("removed_at_ms"), at))


def span(ms: Column) -> Column:
    """Return a time span as text; null for null."""
    return F.when(ms.isNotNull(), F.format_string("%.1f s", ms / F.lit(1000.0)))


def _minutes(retentions: Column, known: Sequence[int]) -> Column:
    texts = F.create_map(*(F.lit(part) for ms in known for part in (ms, minutes_text(ms))))
    return F.array_join(F.transform(retentions, lambda ms: F.element_at(texts, ms)), ", ")


def _minutes_of(whole_ms: Column) -> Column:
    return F.floor(whole_ms / MINUTE_MS).cast("string")


def minutes_text(ms: int) -> str:
    return f"{ms / MINUTE_MS:.15g}"


# Evidence of the log, for retentions that are not configured.


def aged(found: DataFrame) -> list[Aged]:
    """Return the ages at which offsets may have expired, at most two for each second of age. Runs a job."""
    may_be = _under_what_fits(found.withColumn("together_ms", _together_ms()), None).where(
        (col("expiry") == OPEN) & col("together_ms").isNotNull()
    )
    rows = (
        may_be.groupBy(F.floor(col("together_ms") / 1000))
        .agg(
            F.min("together_ms").alias("youngest"),
            F.max("together_ms").alias("oldest"),
            F.min("removed_at_ms").alias("first"),
            F.max("removed_at_ms").alias("last"),
        )
        .collect()
    )
    return [Aged(row.youngest, row.first) for row in rows] + [Aged(row.oldest, row.last) for row in rows]


def with_stayed(found: DataFrame, alive: DataFrame) -> DataFrame:
    """Return found with stayed_ms: the age of the oldest offset of its log partition that was kept then.

    Both have log_partition, commit_record_ms and clock_from_ms, null where something may have held the
    offset. alive: the offsets that the log leaves. A clock that began after a tombstone gives a negative age
    there.
    """
    kept = alive.select("log_partition", "commit_record_ms", "clock_from_ms")
    both = found.unionByName(kept, allowMissingColumns=True)
    of_log = Window.partitionBy("log_partition")
    newest = F.max(F.coalesce("removed_at_ms", "commit_record_ms")).over(of_log)
    both = both.withColumn("stays_until_ms", F.coalesce("removed_at_ms", newest))
    stayed = of_log.orderBy("stays_until_ms").rangeBetween(STAYED_MS, Window.unboundedFollowing)
    both = both.withColumn("stayed_ms", minus(col("removed_at_ms"), F.min("clock_from_ms").over(stayed)))
    return both.where(col("removed_at_ms").isNotNull()).drop("stays_until_ms")
