"""The states of KIP-848 groups over time: the part of `group_timeline` that counts members.

Each record changes three running numbers: members, members whose current assignment is known, and members
that have reached the target assignment. The state follows from these and the epochs. If the cleaner removed
records that a number needs, members and state are null: not known.

Kafka: ConsumerGroup.maybeUpdateGroupState.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

GROUP, MEMBER, TARGET_EPOCH, TARGET, CURRENT, EXPRESSION = 3, 5, 6, 7, 8, 16  # key versions
MEMBER_STABLE: Final = 0
FOR_EVER: Final = 2**63 - 1
PLACE: Final = ("log_partition", "group")


def consumer_timeline(known: DataFrame) -> DataFrame:
    """Return one row for each batch that changed a group's state, members or epochs.

    known: rows of group_history, with the columns that `timeline` adds for their batch.
    """
    records = known.where(col("group_type") == "consumer")
    members = _members(records)
    steps = _batches(members, _reconciled(members))
    return _described(_running(steps))


def _members(records: DataFrame) -> DataFrame:
    """Return each record with its changes: joins, leaves, learned and lost.

    learned: the first known current assignment of a member. lost: the last record of a member is removed. A
    member exists from its first record that the cleaner has left to the tombstone of its metadata.
    """
    key, gone = col("key_version"), col("tombstone")
    of_member = Window.partitionBy(*PLACE, "member_id").orderBy("log_offset")
    before = of_member.rowsBetween(Window.unboundedPreceding, -1)
    is_end = gone & (key == MEMBER)
    here = F.when(is_end, False).when(~gone & key.isin(MEMBER, TARGET, CURRENT), True)
    current = F.when(gone & key.isin(MEMBER, CURRENT), False).when(~gone & (key == CURRENT), True)
    was_here = F.coalesce(F.last(here, ignorenulls=True).over(before), F.lit(False))
    was_known = F.coalesce(F.last(current, ignorenulls=True).over(before), F.lit(False))
    named = col("member_id").isNotNull()
    return records.select(
        "*",
        (named & here & ~was_here).alias("joins"),
        (named & is_end & was_here).alias("leaves"),
        (named & is_end & ~was_here).alias("lost"),
        F.when(named & current & ~was_known, 1).when(named & ~current & was_known, -1).alias("learned"),
    )


def _reconciled(members: DataFrame) -> DataFrame:
    """Return how the number of reconciled members changes at each group and log_offset.

    A member is reconciled while it is stable and at the epoch of its target assignment.
    """
    gone = col("tombstone")
    is_place = col("key_version").isin(MEMBER, CURRENT) & (gone | (col("key_version") == CURRENT))
    places = _spans(members.where(is_place), *PLACE, "member_id").where(
        ~gone & (col("state") == MEMBER_STABLE)
    )
    targets = _spans(members.where(col("key_version") == TARGET_EPOCH), *PLACE).where(~gone)
    both = places.alias("place").join(targets.alias("target"), [*PLACE, "epoch"])
    begin = F.greatest("place.begin", "target.begin")
    end = F.least("place.end", "target.end")
    spans = both.select(*PLACE, begin.alias("begin"), end.alias("end")).where("begin < end")
    return (
        spans.select(*PLACE, col("begin").alias("log_offset"), F.lit(1).alias("change"))
        .unionAll(spans.select(*PLACE, col("end").alias("log_offset"), F.lit(-1).alias("change")))
        .where(col("log_offset") < FOR_EVER)
        .groupBy(*PLACE, "log_offset")
        .agg(F.sum("change").alias("reconciled"))
    )


def _spans(records: DataFrame, *key: str) -> DataFrame:
    """Return begin and end: the offsets between which a record is the last one of its key."""
    following = F.lead("log_offset").over(Window.partitionBy(*key).orderBy("log_offset"))
    return records.select(
        *PLACE,
        "tombstone",
        "epoch",
        "state",
        col("log_offset").alias("begin"),
        F.coalesce(following, F.lit(FOR_EVER)).alias("end"),
    )


def _batches(members: DataFrame, reconciled: DataFrame) -> DataFrame:
    """Return one row for each batch and group: the sums of its changes, and its last epochs."""
    key, gone = col("key_version"), col("tombstone")

    def latest(key_version: int, value: Column) -> Column:
        return F.max_by(value, F.when(key == key_version, col("log_offset")))

    def count(condition: Column) -> Column:
        return F.count_if(condition).cast("int")

    def who(condition: Column) -> Column:
        return F.collect_set(F.when(condition, col("member_id")))

    # A join writes both. A member without them may have joined before the log begins.
    seen_to_join = F.array_intersect(who(~gone & (key == MEMBER)), who(~gone & (key == CURRENT)))
    seen_late = F.size(F.array_except(who(col("joins")), seen_to_join)) > 0

    return (
        members.join(reconciled, [*PLACE, "log_offset"], "left")
        .groupBy(*PLACE, "batch_base_offset")
        .agg(
            F.max("record_timestamp_ms").alias("at_ms"),
            F.max("log_offset").alias("log_offset"),
            count(col("joins")).alias("joins"),
            count(col("leaves")).alias("leaves"),
            F.coalesce(F.sum("learned"), F.lit(0)).alias("learned"),
            F.coalesce(F.sum("reconciled"), F.lit(0)).alias("reconciled"),
            F.bool_or("lost").alias("lost"),
            seen_late.alias("seen_late"),
            F.bool_or((key == TARGET_EPOCH) & ~gone).alias("assigns"),
            F.bool_or(key.isin(MEMBER, EXPRESSION) & ~gone).alias("subscribes"),
            F.coalesce(latest(GROUP, gone), F.lit(False)).alias("deleted"),
            latest(GROUP, col("epoch")).alias("epoch"),
            latest(TARGET_EPOCH, F.when(gone, 0).otherwise(col("epoch"))).alias("assignment_epoch"),
            F.bool_or("classic_written").alias("classic_written"),
            F.bool_or("classic_gone").alias("classic_gone"),
        )
    )


def _running(steps: DataFrame) -> DataFrame:
    """Return the numbers and the epochs after each batch, and whether they are known."""
    so_far = Window.partitionBy(*PLACE).orderBy("log_offset").rowsBetween(Window.unboundedPreceding, 0)
    counted = steps.select(
        "*",
        F.sum(col("joins") - col("leaves")).over(so_far).cast("int").alias("count"),
        F.sum("learned").over(so_far).alias("with_assignment"),
        F.sum("reconciled").over(so_far).alias("arrived"),
        F.last(F.when(col("deleted"), 0).otherwise(col("epoch")), ignorenulls=True)
        .over(so_far)
        .alias("group_epoch"),
        F.last(F.when(col("deleted"), 0).otherwise(col("assignment_epoch")), ignorenulls=True)
        .over(so_far)
        .alias("target_epoch"),
    )
    has_no_members = col("assigns") & (col("count") == 0) & ~col("deleted")
    shows_it = F.when(col("lost") | col("seen_late") | has_no_members, col("log_offset"))
    were_there = F.max(shows_it).over(Window.partitionBy(*PLACE)) > col("log_offset")
    return counted.select(
        "*",
        (~has_no_members & ~F.coalesce(were_there, F.lit(False))).alias("members_known"),
    )


def _described(steps: DataFrame) -> DataFrame:
    """Return the rows of the timeline, without batches that change no column."""
    state = _state()
    in_order = Window.partitionBy(*PLACE).orderBy("log_offset")
    shown = F.struct("state", "members", "epoch", "assignment_epoch")
    return (
        steps.select(
            "*",
            state.alias("state"),
            F.when(col("members_known"), col("count")).alias("members"),
        )
        .drop("epoch", "assignment_epoch")
        .withColumnsRenamed({"group_epoch": "epoch", "target_epoch": "assignment_epoch"})
        .withColumn("before", F.lag(shown).over(in_order))
        .where(col("before").isNull() | ~shown.eqNullSafe(col("before")))
        .where(~(col("deleted") & col("classic_written")))
        .select(
            "group",
            "at_ms",
            F.lit("consumer").alias("group_type"),
            _what().alias("what"),
            "state",
            F.when(~col("deleted"), col("epoch")).alias("epoch"),
            F.when(~col("deleted"), col("assignment_epoch")).alias("assignment_epoch"),
            "members",
            F.when(~col("deleted"), F.lit("consumer")).alias("protocol_type"),
            "log_partition",
            "log_offset",
        )
    )


def _state() -> Column:
    """Return the state as ConsumerGroup.maybeUpdateGroupState computes it; null: not known."""
    target = F.coalesce(col("target_epoch"), F.lit(0))
    return (
        F.when(col("deleted"), "Dead")
        .when(~col("members_known"), None)
        .when(col("count") == 0, "Empty")
        .when(col("group_epoch").isNull() | (col("with_assignment") != col("count")), None)
        .when(col("group_epoch") > target, "Assigning")
        .when(col("arrived") == col("count"), "Stable")
        .otherwise("Reconciling")
    )


def _what() -> Column:
    """Return the most important event of the batch, for the column `what`."""
    new_life = col("before").isNull() | (col("before.state") == "Dead")
    left = (col("leaves") > 0) | col("lost")
    return (
        F.when(col("deleted"), "deleted")
        .when(col("classic_gone"), "upgraded")
        .when(new_life & (col("joins") > 0), "created")
        .when(new_life, "first_seen")
        .when((col("joins") > 0) & left, "static_member_replaced")
        .when(col("joins") > 0, "member_joined")
        .when(left & (col("members") == 0), "emptied")
        .when(left, "member_left")
        .when(
            col("state").eqNullSafe(F.lit("Stable")) & ~col("before.state").eqNullSafe(F.lit("Stable")),
            "rebalanced",
        )
        .when(~col("epoch").eqNullSafe(col("before.epoch")) & col("subscribes"), "subscription_changed")
        .when(~col("epoch").eqNullSafe(col("before.epoch")), "topics_changed")
        .when(~col("assignment_epoch").eqNullSafe(col("before.assignment_epoch")), "assigned")
        .otherwise("reconciling")
    )
