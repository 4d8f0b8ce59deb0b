"""Decide whether a removed offset was due, and under which retentions.

A log does not contain the offsets.retention.minutes of its broker. Either the retention is known, or every
retention that explains the log is considered:

- It is a whole number of minutes, at least 1. An offset that expired was at least that old.
- A cleanup pass removes every offset of its log partition that is due. So if an older offset was kept, or one
  that was due under the known retention, no pass removed this one.
- Ages that repeat are probably just above the retention, see `tidemark_pipeline.retention.infer`.
- Until a pass removes an offset that is due, a request can. Passes come soon, so an offset that was removed
  soon after it was due has expired. If it was due for a larger part of its life, a request is as likely.

`with_expiry` returns "yes" or "no" only if that holds for every retention that fits, otherwise "open".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col

from tidemark_expiry.rules import LONG_MAX, Rule
from tidemark_pipeline.retention import (
    MINUTE_MS,
    PASS_MS,
    SPREAD,
    Aged,
    Ages,
    Evidence,
    Retention,
    minutes_text,
)
from tidemark_pipeline.story.removal import (
    COMMIT_GONE,
    KEPT_DUE,
    NO,
    ONE_WRITE,
    OPEN,
    OTHERS_WERE_DUE,
    STAYED_MS,
    YES,
)
from tidemark_pipeline.tables.longs import minus

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


# Tombstones with age_ms, the longest retention under which the offset was due (null: not known).


def with_expiry(found: DataFrame, retention: Retention) -> DataFrame:
    """Return found with expiry, because (a clause that explains it) and due_under_ms.

    found: tombstones with what `removals` gathers, `with_stayed` included.
    """
    if retention.is_known:
        return _with_passes(_under_known(found, retention))
    return _with_passes(_under_what_fits(found, retention.evidence))


def _with_passes(found: DataFrame) -> DataFrame:
    """Decide about the offsets that only a pass can have removed.

    One write with tombstones of groups and of offsets whose group is kept is a pass: a request has one kind.
    """
    write = Window.partitionBy("log_partition", "removed_at_ms")
    kind = _kind()
    both = F.bool_or(kind).over(write) & ~F.bool_and(kind).over(write)
    by_pass = (col("expiry") == OPEN) & kind.isNotNull() & both & ~F.bool_or(col("expiry") == NO).over(write)
    by_pass = F.coalesce(by_pass, F.lit(False))
    return found.withColumn("by_pass", by_pass).withColumns(
        {
            "expiry": F.when(col("by_pass"), YES).otherwise(col("expiry")),
            "because": F.when(col("by_pass"), F.lit(ONE_WRITE)).otherwise(col("because")),
        }
    )


def _kind() -> Column:
    """Return whether the group was removed, too. Null: other causes write the same tombstones."""
    by_topic = ~F.coalesce(col("topic_events_known"), F.lit(False)) | col("topic_removed_ms").isNotNull()
    return F.when(~col("older_coordinator") & (col("group_removed") | ~by_topic), col("group_removed"))


def _under_known(found: DataFrame, known: Retention) -> DataFrame:
    """Decide between known retentions: the removal was in time under the one that was in effect."""
    every = known.ms
    own_retention = col("rule") == Rule.EXPLICIT_RETENTION
    due_at = F.when(own_retention, col("expire_timestamp_ms")).otherwise(
        F.try_add(col("since_ms"), F.array_max("due"))
    )
    in_time = _soon(F.array_max("due")) & (_late_ms(F.array_max("due")) <= known.late_ms)
    came_late = ~own_retention & ~col("in_transactions") & (_late_ms(F.array_max("due")) > known.late_ms)
    all_due = F.size("due") == len(every)
    doubted = _within(known.doubt)
    cases = [
        ((F.size("due") == 0) & doubted, OPEN),
        (F.size("due") == 0, NO),
        (col("together_ms").isNull(), OPEN),
        (in_time | (all_due & (_soon(F.array_max("due")) | came_late)), YES),
    ]
    expiry = F.coalesce(*(F.when(when, then) for when, then in cases), F.lit(OPEN))
    under = F.concat(F.lit(" under a retention of "), _minutes(col("due"), every), F.lit(" min"))
    due = F.concat(_due(due_at), F.when(own_retention, "").otherwise(under))
    texts = ", ".join(map(minutes_text, every))
    not_due = _not_due(f"under a retention of {texts} min", F.size("due_under_ms") != 0)
    because = (
        F.when((F.size("due") == 0) & doubted, F.concat(not_due, F.lit("; removals repeat at this age")))
        .when((F.size("due") == 0) & F.coalesce(col("together_ms") >= min(every), F.lit(True)), KEPT_DUE)
        .when(F.size("due") == 0, not_due)
        .when(col("together_ms").isNull(), COMMIT_GONE)
        .when(col("expiry") == YES, due)
        .when(all_due, F.concat(due, F.lit(", long enough for a request")))
        .otherwise(F.concat(due, F.lit(", long after its pass; not due under another given retention")))
    )
    found = found.withColumns(
        {
            "due": _that_pass(every, col("together_ms")),
            "due_under_ms": _of_those(every, col("age_ms")),
        }
    )
    return found.withColumn("expiry", expiry).withColumn("because", because)


def _that_pass(retention_ms: Sequence[int], together: Column) -> Column:
    """Return the retentions under which a pass can have removed an offset of this age; null: any age."""
    every = F.array(*(F.lit(ms).cast("bigint") for ms in retention_ms))
    kept_ms = F.coalesce(minus(col("stayed_ms"), PASS_MS), F.lit(-LONG_MAX))
    return F.filter(every, lambda ms: (together.isNull() | (ms <= together)) & (ms > kept_ms))


def _late_ms(retention_ms: Column) -> Column:
    """Return for how long the offsets removed together had been due."""
    own = minus(col("removed_at_ms"), col("expire_timestamp_ms"))
    return F.when(_own_retentions(), own).otherwise(minus(col("together_ms"), retention_ms))


def _soon(retention_ms: Column) -> Column:
    """Return whether the offset was removed within a tenth of its age after it was due."""
    own = minus(col("removed_at_ms"), col("since_ms"))
    life = F.when(_own_retentions(), own).otherwise(col("together_ms"))
    return F.coalesce(_late_ms(retention_ms) <= life / F.lit(SPREAD), F.lit(False))


def _own_retentions() -> Column:
    """Return whether all offsets that were removed together had a retention of their own, which was over."""
    return col("together_ms") == LONG_MAX


def _within(evidence: Evidence | None) -> Column:
    if evidence is None:
        return F.lit(False)
    ages = col("together_ms").between(evidence.youngest_ms, evidence.oldest_ms)
    return F.coalesce(ages, F.lit(False))


def _under_what_fits(found: DataFrame, evidence: Evidence | None) -> DataFrame:
    together = col("together_ms")
    longest_ms = together - F.pmod(together, F.lit(MINUTE_MS))
    too_young = longest_ms < MINUTE_MS
    older_stayed = F.coalesce(longest_ms <= minus(col("stayed_ms"), PASS_MS), F.lit(False))
    repeats, repeated, under = _within(evidence), OPEN, ""
    if evidence is not None:
        under = f", due under a retention of {evidence.minutes} min (inferred)"
        if evidence.decisive:
            repeated = YES
        else:
            under += "; but requests at this age, again and again, would look the same"
    own = _due(col("expire_timestamp_ms"))
    cases = [
        (together.isNull(), OPEN, F.lit(COMMIT_GONE)),
        (_own_retentions() & _soon(F.lit(0).cast("bigint")), YES, own),
        (_own_retentions(), OPEN, F.concat(own, F.lit(", long enough for a request"))),
        (too_young, NO, _not_due("under any retention", col("age_ms") >= MINUTE_MS)),
        (older_stayed, NO, F.concat(_old(), F.lit(", and an older offset in this log partition was kept"))),
        (repeats, repeated, F.concat(_old(), F.lit(under))),
        (F.lit(True), OPEN, F.concat(_old(), F.lit(", due only if offsets.retention.minutes was at most "),
                                     _minutes_of(longest_ms))),
    ]  # fmt: skip
    known = [] if evidence is None else [evidence.longest_ms]
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


# Evidence of the log.


def aged(found: DataFrame, known: Retention | None) -> Ages:
    """Return the ages at which offsets may have expired, a few for each second of age. Runs a job."""
    may_be = _under_what_fits(found, None).where(
        (col("expiry") == OPEN) & col("together_ms").isNotNull() & ~_own_retentions()
    )
    explained = F.lit(False) if known is None else F.size(_that_pass(known.ms, col("together_ms"))) > 0
    rows = (
        may_be.groupBy(
            F.floor(col("together_ms") / 1000),
            _kind().alias("with_group"),
            explained.alias("explained"),
            col("clock_from_ms").isNull().alias("held"),
        )
        .agg(
            F.min("together_ms").alias("youngest"),
            F.max("together_ms").alias("oldest"),
            F.min("removed_at_ms").alias("first"),
            F.max("removed_at_ms").alias("last"),
            F.max("left_ms").alias("left_ms"),
        )
        .collect()
    )
    removed = [row for row in rows if not row.explained]
    ages = [Aged(row.youngest, row.first, row.with_group, row.held) for row in removed]
    ages += [Aged(row.oldest, row.last, row.with_group, row.held) for row in removed]
    moments = {at_ms // PASS_MS for row in rows if row.explained for at_ms in (row.first, row.last)}
    left_ms = max((row.left_ms for row in rows if row.left_ms is not None), default=None)
    return Ages(ages, len(moments), left_ms)


def with_stayed(found: DataFrame) -> DataFrame:
    """Return the tombstones of found with together_ms, stayed_ms and left_ms.

    together_ms  the smallest age of the offsets that were removed with the same group. A group expires with
                 the last of its offsets, so all of them must have been due
    stayed_ms    the age of the oldest offset of its log partition that was kept then
    left_ms      the age of the oldest offset that the log partition leaves, at its end

    found: rows with clock_from_ms, null where something may have held the offset. Those without removed_at_ms
    are offsets that the log leaves; if there are none, left_ms is null. A clock that began after a tombstone
    gives a negative age there.
    """
    batch = Window.partitionBy("log_partition", "group", "group_batch")
    together = F.when(col("group_removed"), F.min("age_ms").over(batch)).otherwise(col("age_ms"))
    of_log = Window.partitionBy("log_partition")
    newest = F.max(F.coalesce("removed_at_ms", "commit_record_ms")).over(of_log)
    left_from = F.min(F.when(col("removed_at_ms").isNull(), col("clock_from_ms"))).over(of_log)
    found = found.withColumns(
        {
            "together_ms": together,
            "stays_until_ms": F.coalesce("removed_at_ms", newest),
            "left_ms": minus(newest, left_from),
        }
    )
    # From the latest on: Spark computes a frame from the first row on in one pass, but one up to the last row
    # anew for each row.
    latest_first = of_log.orderBy(col("stays_until_ms").desc())
    stayed = latest_first.rangeBetween(Window.unboundedPreceding, -STAYED_MS)
    found = found.withColumn("stayed_ms", minus(col("removed_at_ms"), F.min("clock_from_ms").over(stayed)))
    return found.where(col("removed_at_ms").isNotNull()).drop("stays_until_ms")
