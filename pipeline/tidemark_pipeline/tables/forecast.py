"""expiry_forecast: when each committed offset expires, by which rule and why, under several retentions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from tidemark_pipeline.retention import Retention
from tidemark_pipeline.tables import expiry_sql
from tidemark_pipeline.tables.columns import EXPIRY_FORECAST, names
from tidemark_pipeline.tables.longs import timestamp
from tidemark_pipeline.tables.sentences import sentence

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_GROUP: Final = ("group_type", "protocol_type", "state", "state_timestamp_ms", "subscribed_topics")
_DATES: Final = {"base_at": "base_ms", "expires_at": "expires_at_ms", "removed_by": "removed_by_ms"}
_PLACE: Final = ("log_partition", "group")
_KEY: Final = (*_PLACE, "topic", "partition")

# A classic group with members, or one whose first members have not synced yet, may be rebalancing: Kafka
# writes neither PreparingRebalance nor CompletingRebalance. A rebalance only delays expiry. (A join of an
# Empty group restarts its clock, which the sentence for such a group states.)
_NOT_BEFORE: Final = """
    coalesce(expires_at_ms IS NOT NULL AND group_type = 'classic'
             AND (state <> 'Empty' OR protocol_type IS NULL), false)"""

_COMMITTED_AFTER_EMPTY: Final = """
    coalesce(group_type = 'classic' AND protocol_type IS NOT NULL AND state = 'Empty'
             AND commit_timestamp_ms > state_timestamp_ms, false)"""


def expiry_forecast(
    current: DataFrame,
    groups_now: DataFrame,
    pending: DataFrame,
    *,
    retention: Retention,
    as_of_ms: int,
) -> DataFrame:
    """Return a row for each committed offset and each of `retention.forecast_ms`.

    current       `current_offsets`
    groups_now    `current_groups`; a group without a row is a simple group
    pending       log_partition, group, topic and partition of `pending_offsets`
    as_of_ms      the time of the clock
    """
    return forecast_of(offset_facts(current, groups_now, pending, as_of_ms=as_of_ms), retention)


def offset_facts(
    current: DataFrame, groups_now: DataFrame, pending: DataFrame, *, as_of_ms: int
) -> DataFrame:
    """Return what the expiry of each committed offset depends on, except for the retention. See
    `expiry_forecast`.
    """
    open_now = pending.select(*_KEY).distinct().withColumn("pending", F.lit(True))
    return (
        current.join(groups_now.select(*_PLACE, *_GROUP), [*_PLACE], "left")
        .join(open_now, [*_KEY], "left")
        .withColumn("state", F.coalesce("state", F.lit("Empty")))
        .withColumn("as_of_ms", F.lit(as_of_ms).cast("bigint"))
    )


def forecast_of(facts: DataFrame, retention: Retention) -> DataFrame:
    """Return the rows of `expiry_forecast`. facts: `offset_facts`."""
    decided = with_outcome(facts, retention.forecast_ms)
    explained = decided.withColumn("not_before", F.expr(_NOT_BEFORE)).withColumns(
        {
            "retention": _named(retention),
            "retention_origin": F.lit(retention.origin),
            "group_state": F.col("state"),
            "committed_after_empty": F.expr(_COMMITTED_AFTER_EMPTY),
            "removed_by_ms": _removed_by(retention.check_interval_ms),
        }
    )
    dates = {name: timestamp(F.col(ms)) for name, ms in _DATES.items()}
    return explained.withColumns({**dates, "sentence": sentence()}).select(*names(EXPIRY_FORECAST))


def with_rule(offsets: DataFrame) -> DataFrame:
    """Return offsets with situation, subscribed, rule, base and base_ms. offsets: see `expiry_sql`."""
    return offsets.select(
        "*",
        F.expr(expiry_sql.situation_sql()).alias("situation"),
        F.expr(expiry_sql.subscribed_sql()).alias("subscribed"),
        F.expr(expiry_sql.rule_sql()).alias("rule"),
        F.expr(expiry_sql.base_sql()).alias("base"),
        F.expr(expiry_sql.base_ms_sql()).alias("base_ms"),
    )


def with_outcome(facts: DataFrame, retention_ms: Sequence[int]) -> DataFrame:
    """Return facts with rule, expires_at_ms and due, one row for each retention. facts: see `expiry_sql`."""
    assert all(each >= 0 for each in retention_ms), retention_ms
    retentions = F.array(*(F.lit(each).cast("bigint") for each in retention_ms))
    return (
        with_rule(facts)
        .withColumn("retention_ms", F.explode(retentions))
        .withColumn("expires_at_ms", F.expr(expiry_sql.expires_at_sql()))
        .withColumn("due", F.expr(expiry_sql.due_sql()))
    )


def _removed_by(check_interval_ms: int) -> Column:
    """Return the latest time of the pass that removes the offset. Null also if it is not a long."""
    from_then = F.greatest("expires_at_ms", "as_of_ms")
    known = F.col("expires_at_ms").isNotNull() & ~F.col("not_before")
    return F.when(known, F.try_add(from_then, F.lit(check_interval_ms).cast("bigint")))


def _named(retention: Retention) -> Column:
    text = F.lit("")
    for each in retention.forecast_ms:
        text = F.when(F.col("retention_ms") == each, retention.sentence_text(each)).otherwise(text)
    return text
