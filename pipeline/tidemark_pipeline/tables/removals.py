"""removals: the committed offsets that were removed, with the time and, if the log shows it, the cause.

A tombstone does not say what removed the offset. Kafka writes one if a cleanup pass found the offset expired,
if its topic was deleted, if its group was deleted (DeleteGroups), or if it was deleted itself (OffsetDelete).
The records around the tombstone distinguish them, see `causes` and `retention`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col

from tidemark_expiry.rules import STATE_TIME, Rule
from tidemark_pipeline.retention import MINUTE_MS, Retention, concluded
from tidemark_pipeline.story.removal import CLOCKS_DIFFER_MS, KAFKA_4_VALUE, NEAR_MS, OFFSETS_TOPIC
from tidemark_pipeline.tables.causes import with_cause
from tidemark_pipeline.tables.columns import REMOVALS, ddl, names
from tidemark_pipeline.tables.due import aged, with_expiry, with_stayed
from tidemark_pipeline.tables.expiry_sql import age_sql
from tidemark_pipeline.tables.forecast import with_rule
from tidemark_pipeline.tables.group_moments import PLACE, with_group_before
from tidemark_pipeline.tables.likely import with_likely
from tidemark_pipeline.tables.longs import minus, plus, timestamp
from tidemark_pipeline.tables.small import kept, table_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from tidemark_pipeline.logs.metadata_log import TopicEvent

ASSUMED_RETENTION: Final = Retention.assumed()
_ADDED: Final = ("removed_at", "history_complete_from", "history_complete_from_ms")
COMPLETE_FROM: Final = "log_partition int, complete_from bigint, complete_from_ms bigint"
_COMMIT: Final = (
    "committed_offset",
    "leader_epoch",
    "metadata",
    "topic_id",
    "commit_timestamp_ms",
    "expire_timestamp_ms",
    "value_version",
)
_KEY: Final = ("log_partition", "group", "topic", "partition")


@dataclass(frozen=True)
class Removals:
    """The removals that were found, and the retention: the known one, else one that was inferred, else the
    assumed one.

    found          the rows of `with_stayed`
    complete_from  as `removals` accepts it
    """

    retention: Retention
    found: DataFrame
    complete_from: DataFrame

    @cached_property
    def table(self) -> DataFrame:
        """Return the rows with their causes. On demand, and by a job: a forecast needs only the retention."""
        concluded = with_cause(with_expiry(self.found, self.retention))
        return _with_history(with_likely(concluded, self.retention), self.complete_from)


@dataclass(frozen=True)
class JudgedRemovals:
    """As Removals, of a log that `story.removal` has judged. rows: those of its tombstones."""

    retention: Retention
    rows: Sequence[Mapping[str, Any]]
    complete_from: DataFrame

    @cached_property
    def table(self) -> DataFrame:
        columns = tuple(column for column in REMOVALS if column.name not in _ADDED)
        rows = [tuple(row[column.name] for column in columns) for row in self.rows]
        return _with_history(
            table_of(self.complete_from.sparkSession, rows, ddl(columns)), self.complete_from
        )


def _with_history(removed: DataFrame, complete_from: DataFrame) -> DataFrame:
    """Return the columns of the table."""
    known_from = {"complete_from": "history_complete_from", "complete_from_ms": "history_complete_from_ms"}
    return (
        removed.join(F.broadcast(complete_from), "log_partition", "left")
        .withColumnsRenamed(known_from)
        .withColumn("removed_at", timestamp(col("removed_at_ms")))
        .select(*names(REMOVALS))
    )


def removals(
    history: DataFrame,
    groups: DataFrame,
    *,
    topic_events: Sequence[TopicEvent],
    complete_from: DataFrame,
    retention: Retention = ASSUMED_RETENTION,
    kafka_4_from_ms: int | None = None,
    transactional: DataFrame | None = None,
) -> Removals:
    """Return the removals: one row for each tombstone of an offset that is still in the log.

    history           `offset_history` without aborted and open transactions
    groups            `group_history`
    topic_events      those of the metadata log; empty without such a log
    complete_from     columns COMPLETE_FROM, one row for each log partition, or none
    retention         the one of the broker; unless it is known, a job infers one
    kafka_4_from_ms   from this time the coordinator is Kafka 4.0 or later, or tidemark; None: not known
    transactional     log_partition and group with transactions, also aborted and open ones; None: those in
                      history
    """
    # The ages of the offsets that the log leaves limit the retention, unless that is known.
    ends = kept(_ends(history, with_left=not retention.is_known))
    found = _with_topic_removed(with_group_before(ends, groups), topic_events)
    shortest_ms = min(retention.ms) if retention.is_known else MINUTE_MS
    found = _with_group_removed(_with_age(found, shortest_ms, _log_made_ms(topic_events)), groups)
    found = found.withColumn("older_coordinator", _older_coordinator(kafka_4_from_ms))
    held = history.where("transactional") if transactional is None else transactional
    found = kept(with_stayed(_with_clock(found, held)))
    ages = aged(found, retention if retention.is_known else None)
    ends.unpersist()
    return Removals(concluded(retention, ages), found, complete_from)


def _with_clock(offsets: DataFrame, transactional: DataFrame) -> DataFrame:
    """Return offsets with two columns.

    in_transactions  its group has transactions, and an open one may have held it
    clock_from_ms    since when it aged while nothing could hold it; null: not known, or a member may have
    """
    held = F.broadcast(transactional.select(*PLACE).distinct().withColumn("held", F.lit(True)))
    alone = col("group_type").isNull() | (col("base") == STATE_TIME)
    by_age = col("base_ms").isNotNull() & (col("rule") != Rule.EXPLICIT_RETENTION)
    known = alone & by_age & col("commit_record_ms").isNotNull() & ~col("in_transactions")
    clock = F.when(known, F.greatest("base_ms", "commit_record_ms"))
    joined = offsets.join(held, [*PLACE], "left")
    found = joined.withColumn("in_transactions", F.coalesce(col("held"), F.lit(False))).drop("held")
    return found.withColumn("clock_from_ms", clock)


def _ends(history: DataFrame, *, with_left: bool) -> DataFrame:
    """Return each tombstone with the commit that it removed.

    with_left: also return each commit that is the last record of its key. log_offset and removed_at_ms are
    null there.

    The removed commit is the previous record of its key, if it is still in the log: the cleaner removes the
    oldest records of a key first. If the previous record is a tombstone too, nothing was stored
    (nothing_stored), except perhaps in an open transaction.
    """
    of_key = Window.partitionBy(*_KEY).orderBy("log_offset")
    is_tombstone = col("committed_offset").isNull()
    # Most records are commits before other commits. Without them, the rest is quick.
    changes = (
        history.select(*_KEY, "log_offset", "record_timestamp_ms", *_COMMIT)
        .withColumns({"is_tombstone": is_tombstone, "before_tombstone": F.lead(is_tombstone).over(of_key)})
        .where("is_tombstone OR coalesce(before_tombstone, true)")
    )
    # In the order of the other window: Spark computes all windows of one order together.
    whole = of_key.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    record = F.struct(*_COMMIT, "log_offset", "record_timestamp_ms")
    last_commit = F.max(F.when(~col("is_tombstone"), col("log_offset"))).over(whole)
    again = F.coalesce(last_commit > col("log_offset"), F.lit(False))
    before = F.lag(record).over(of_key)
    commit = F.when(col("is_tombstone"), before).otherwise(record) if with_left else before
    stored = col("commit.committed_offset").isNotNull()
    return (
        changes.withColumns({"committed_again": again, "commit": commit})
        .where("is_tombstone OR before_tombstone IS NULL" if with_left else "is_tombstone")
        .select(
            *_KEY,
            F.when(col("is_tombstone"), col("log_offset")).alias("log_offset"),
            F.when(col("is_tombstone"), col("record_timestamp_ms")).alias("removed_at_ms"),
            "committed_again",
            (col("commit").isNotNull() & col("commit.committed_offset").isNull()).alias("nothing_stored"),
            *(col(f"commit.{name}").alias(name) for name in _COMMIT),
            F.when(stored, col("commit.log_offset")).alias("commit_log_offset"),
            F.when(stored, col("commit.record_timestamp_ms")).alias("commit_record_ms"),
        )
    )


def _older_coordinator(kafka_4_from_ms: int | None) -> Column:
    """Return whether the coordinator may be Kafka up to 3.9, which does not write value version 4."""
    known = F.lit(False) if kafka_4_from_ms is None else col("removed_at_ms") >= kafka_4_from_ms
    return ~(known | (F.coalesce(col("value_version"), F.lit(0)) >= KAFKA_4_VALUE))


def _with_age(ends: DataFrame, shortest_ms: int, log_made_ms: int | None) -> DataFrame:
    """Return rule, since_ms and age_ms just before the tombstone.

    rule and since_ms are null if the commit or the group is not known. age_ms: the longest retention under
    which it was due then; null: not known, but shortest_ms or more. The clock of an Empty group counts for
    all its offsets, even if the commit is not in the log any more; no age counts from before the log was
    created. Both do not hold for a commit that set its own retention.
    """
    rule_known = (col("base").isNull() | col("base_ms").isNotNull()) & ~col("nothing_stored")
    of_log = F.lit(None) if log_made_ms is None else minus(col("as_of_ms"), log_made_ms)
    return _with_rule(ends.withColumn("as_of_ms", col("removed_at_ms"))).withColumns(
        {
            "age_ms": F.when(col("nothing_stored"), 0)
            .when(rule_known, F.expr(age_sql()))
            .when(of_log < shortest_ms, of_log),
            "rule": F.when(rule_known, col("rule")),
            "since_ms": F.when(rule_known, col("base_ms")),
        }
    )


def _with_rule(offsets: DataFrame) -> DataFrame:
    """Return offsets, which have the state of their groups, with rule, base and base_ms."""
    return with_rule(offsets.withColumn("pending", F.lit(False)))


def _with_group_removed(ends: DataFrame, groups: DataFrame) -> DataFrame:
    """Return group_removed: the tombstone of its group is in the same batch, which begins at group_batch.

    A group that changes its type has a tombstone too, but is not removed.
    """
    of_group = groups.where(col("record_type").isin("GroupMetadata", "ConsumerGroupMetadata"))
    batches = (
        of_group.groupBy("log_partition", "group", "batch_base_offset", "batch_last_offset")
        .agg(F.bool_and("tombstone").alias("group_removed"))
        .where("group_removed")
        .select(
            col("log_partition").alias("of_partition"),
            col("group").alias("of_group"),
            col("batch_base_offset").alias("group_batch"),
            "batch_last_offset",
            "group_removed",
        )
    )
    same_batch = (
        (col("log_partition") == col("of_partition"))
        & (col("group") == col("of_group"))
        & col("log_offset").between(col("group_batch"), col("batch_last_offset"))
    )
    return ends.join(batches, same_batch, "left").withColumn(
        "group_removed", F.coalesce(col("group_removed"), F.lit(False))
    )


def _with_topic_removed(ends: DataFrame, topic_events: Sequence[TopicEvent]) -> DataFrame:
    """Return the columns about the removal of the topic.

    topic_removed_ms     when the topic was removed. If the commit has a topic id: of that id, possibly long
                         before. Else of that name, close to the removal and after the commit
    topic_removed_near   within NEAR_MS
    topic_events_known   the metadata log covers that time
    """
    latest = plus(col("removed_at_ms"), CLOCKS_DIFFER_MS)
    earliest = F.greatest(
        minus(col("removed_at_ms"), NEAR_MS), minus(col("commit_record_ms"), CLOCKS_DIFFER_MS)
    )
    near = F.filter("name_removed_ms", lambda ms: ms.between(earliest, latest))
    before = F.array_max(F.filter(near, lambda ms: ms <= col("removed_at_ms")))
    named = F.coalesce(before, F.array_min(near))
    found = F.when(col("topic_id").isNull(), named).otherwise(
        F.when(col("id_removed_ms") <= latest, col("id_removed_ms"))
    )
    by_id, by_name = _times_of_removals(topic_events)
    spark = ends.sparkSession
    of_id = F.broadcast(table_of(spark, by_id, "topic_id string, id_removed_ms bigint"))
    of_name = F.broadcast(table_of(spark, by_name, "topic string, name_removed_ms array<bigint>"))
    joined = ends.join(of_id, "topic_id", "left").join(of_name, "topic", "left")
    times = [each.timestamp_ms for each in topic_events if each.timestamp_ms is not None]
    is_near = col("topic_removed_ms") >= minus(col("removed_at_ms"), NEAR_MS)
    return joined.withColumn("topic_removed_ms", found).withColumns(
        {
            "topic_removed_by_id": col("topic_id").isNotNull(),
            "topic_removed_near": F.coalesce(is_near, F.lit(False)),
            "topic_events_known": F.lit(min(times, default=None)).cast("bigint") <= latest,
        }
    )


def _times_of_removals(
    topic_events: Sequence[TopicEvent],
) -> tuple[list[tuple[str, int]], list[tuple[str, list[int]]]]:
    """Return when topics were removed: the last time for each id, and all times for each name."""
    ids: dict[str, int] = {}
    names: dict[str, list[int]] = {}
    for each in topic_events:
        if each.event == "removed" and each.timestamp_ms is not None:
            ids[each.topic_id] = max(ids.get(each.topic_id, each.timestamp_ms), each.timestamp_ms)
            if each.topic is not None:
                names.setdefault(each.topic, []).append(each.timestamp_ms)
    return [*ids.items()], [*names.items()]


def _log_made_ms(topic_events: Sequence[TopicEvent]) -> int | None:
    """Return when `__consumer_offsets` was created; None: not known."""
    own = (each for each in topic_events if each.topic == OFFSETS_TOPIC and each.event == "created")
    return min((each.timestamp_ms for each in own if each.timestamp_ms is not None), default=None)
