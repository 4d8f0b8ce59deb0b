"""group_timeline: the history of each group, as far as the log records it.

Kafka writes a classic group's record when a join creates it, a leader has synced, a static member is
replaced, the last member has left, and the group is removed. It does not record a rebalance in progress, or a
member that leaves while others stay. For KIP-848 groups every step is written, in several records of one
batch (`consumer_timeline`). Share and streams groups are only known to exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col

from tidemark_pipeline.tables.columns import TIMELINE, names
from tidemark_pipeline.tables.consumer_timeline import consumer_timeline
from tidemark_pipeline.tables.longs import minus, timestamp

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

GROUP_METADATA: Final = "GroupMetadata"
OTHERS: Final = ("ShareGroupMetadata", "StreamsGroupMetadata")


def group_timeline(groups: DataFrame) -> DataFrame:
    """Return one row for each recorded change of a group. groups: as `group_history`.

    A change of a group's type, in one batch, is one row.
    """
    known = groups.select("*", *_of_the_batch())
    changes = _classic(known)
    for more in (consumer_timeline(known), _others(known)):
        changes = changes.unionByName(more, allowMissingColumns=True)
    in_order = Window.partitionBy("log_partition", "group").orderBy("log_offset")
    return (
        changes.withColumn("previous_state", F.lag("state").over(in_order))
        .withColumn("since_previous_ms", minus(col("at_ms"), F.lag("at_ms").over(in_order)))
        .withColumn("at", timestamp(col("at_ms")))
        .select(*names(TIMELINE))
    )


def _of_the_batch() -> list[Column]:
    """Return which records of the same group are in the batch of a record, by type."""
    in_batch = Window.partitionBy("log_partition", "group", "batch_base_offset")
    return [
        F.bool_or((col("group_type") == group_type) & (col("tombstone") == gone)).over(in_batch).alias(name)
        for name, group_type, gone in (
            ("classic_written", "classic", False),
            ("classic_gone", "classic", True),
            ("consumer_written", "consumer", False),
            ("consumer_gone", "consumer", True),
        )
    ]


def _classic(known: DataFrame) -> DataFrame:
    in_order = Window.partitionBy("log_partition", "group").orderBy("log_offset")
    before = F.lag(F.struct("tombstone", "generation", "members")).over(in_order)
    records = known.where(col("record_type") == GROUP_METADATA).withColumn("before", before)
    gone = col("tombstone")
    return records.where(~(gone & col("consumer_written"))).select(
        "group",
        col("record_timestamp_ms").alias("at_ms"),
        "group_type",
        _what_of_a_classic_group().alias("what"),
        F.when(gone, "Dead").when(F.size("members") == 0, "Empty").otherwise("Stable").alias("state"),
        col("generation").alias("epoch"),
        F.when(gone, 0).otherwise(F.size("members")).alias("members"),
        F.when(col("protocol_type") != "", col("protocol_type")).alias("protocol_type"),
        "protocol",
        "leader",
        "state_timestamp_ms",
        "log_partition",
        "log_offset",
    )


def _what_of_a_classic_group() -> Column:
    """Return the event. A value with members is a finished rebalance, unless the generation is unchanged."""
    same_life = ~F.coalesce(col("before.tombstone"), F.lit(True))
    return (
        F.when(col("tombstone"), "deleted")
        .when(col("consumer_gone"), "downgraded")
        .when((F.size("members") == 0) & (col("protocol_type") == ""), "created")
        .when(F.size("members") == 0, "emptied")
        .when(col("before").isNull() & (col("generation") > 1), "first_seen")
        .when(~same_life | (col("generation") != col("before.generation")), "rebalanced")
        .when(_is_another_static_member(), "static_member_replaced")
        .otherwise("rewritten")
    )


def _is_another_static_member() -> Column:
    """Return whether a member with an instance id has a member id that the previous record did not have."""
    ids_before = F.transform(col("before.members"), lambda member: member["member_id"])
    return F.exists(
        "members",
        lambda member: (
            member["group_instance_id"].isNotNull() & ~F.array_contains(ids_before, member["member_id"])
        ),
    )


def _others(known: DataFrame) -> DataFrame:
    gone = col("tombstone")
    return known.where(col("record_type").isin(*OTHERS)).select(
        "group",
        col("record_timestamp_ms").alias("at_ms"),
        "group_type",
        F.when(gone, "deleted").otherwise("written").alias("what"),
        F.when(gone, "Dead").alias("state"),
        "log_partition",
        "log_offset",
    )
