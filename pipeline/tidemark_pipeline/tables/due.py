"""Decide whether a removed offset can have expired, and under which retentions.

A log does not contain the offsets.retention.minutes of its broker. Either the retention is known, or
every retention that explains the log is considered:

- It is a whole number of minutes, at least 1. An offset that expired was at least that old.
- A cleanup pass removes every offset of its log partition that is old enough. So if an older offset was kept,
  no pass removed the younger one.
- Ages that repeat are probably just above the retention, see `infer`.

`with_expiry` returns "yes" or "no" only if that holds for every retention that fits, otherwise "open".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col

from tidemark_expiry.rules import LONG_MAX, Rule
from tidemark_pipeline.retention import MINUTE_MS, PASS_MS, Aged, Evidence, Retention, minutes_text
from tidemark_pipeline.tables.longs import minus

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

STAYED_MS: Final = 60_000  # a pass over a large log partition ends within this time

COMMIT_GONE: Final = "the commit is not in the log any more, so its age is not known"
OTHERS_WERE_DUE: Final = "the group was removed in the same batch, with offsets that were due"

YES: Final = "yes"
NO: Final = "no"
OPEN: Final = "open"


# In Spark: tombstones with age_ms, the longest retention under which the offset was due (null: not known).


def with_expiry(found: DataFrame, retention: Retention) -> DataFrame:
    """Return found with expiry, because (a clause that explains it) and due_under_ms.

    found: tombstones with what `removals` gathers. Unless the retention is known, stayed_ms too, see
    `with_stayed`.
    """
    found = found.withColumn("together_ms", _together_ms())
    if retention.is_known:
        return _under_known(found, retention)
    return _under_what_fits(found, retention.evidence)


def _together_ms() -> Column:
    """Return the smallest age of the offsets that were removed with the same group.

    A group expires with the last of its offsets, so all of them must have been due.
    """
    batch = Window.partitionBy("log_partition", "group", "group_batch")
    return F.when(col("group_removed"), F.min("age_ms").over(batch)).otherwise(col("age_ms"))


def _under_known(found: DataFrame, known: Retention) -> DataFrame:
    """Decide between known retentions: the removal was in time under the one that was in effect."""
    every = known.ms
    own_retention = col("rule") == Rule.EXPLICIT_RETENTION
    due_at = F.when(own_retention, col("expire_timestamp_ms")).otherwise(
        F.try_add(col("since_ms"), F.array_max("due"))
    )
    in_time = F.coalesce(due_at >= minus(col("removed_at_ms"), known.late_ms), F.lit(False))
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


def _under_what_fits(found: DataFrame, inferred: Evidence | None) -> DataFrame:
    together = col("together_ms")
    longest_ms = together - F.pmod(together, F.lit(MINUTE_MS))
    own_retention = together == LONG_MAX
    too_young = longest_ms < MINUTE_MS
    older_stayed = F.coalesce(longest_ms <= minus(col("stayed_ms"), PASS_MS), F.lit(False))
    repeats, under, known = F.lit(False), "", []
    if inferred is not None:
        repeats = together.between(inferred.youngest_ms, inferred.oldest_ms)
        under = f", due under a retention of {inferred.minutes} min (inferred)"
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


# Evidence of the log, for retentions that are not known.


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
