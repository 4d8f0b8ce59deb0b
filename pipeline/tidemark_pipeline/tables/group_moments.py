"""The groups as they were at earlier moments: what `current_groups` would have said then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col

from tidemark_pipeline.tables.groups import current_groups

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

PLACE: Final = ("log_partition", "group")
STATE: Final = ("group_type", "protocol_type", "state", "state_timestamp_ms", "subscribed_topics")
FOR_EVER: Final = 2**63 - 1


def with_group_before(events: DataFrame, groups: DataFrame) -> DataFrame:
    """events with the columns of STATE: the group as the records before the event's log_offset tell it; null
    where there is none.

    events: rows with log_partition, group and log_offset, in which no other row has the same. groups: as
    `group_history`. A record that the cleaner has left is the last one of its key that was written before the
    next one that is left; if none is left, there may have been one.
    """
    named = events.join(_told_at(events, groups), [*PLACE, "log_offset"], "left")
    moments = named.where("told_at IS NOT NULL").select(*PLACE, "told_at").distinct()
    then = current_groups(_records_then(moments, groups)).select(
        "log_partition", col("group").alias("moment"), *STATE
    )
    return (
        named.withColumn("moment", _moment())
        .join(then, ["log_partition", "moment"], "left")
        .drop("moment", "told_at")
    )


def _told_at(events: DataFrame, groups: DataFrame) -> DataFrame:
    """For each event the offset of the group's last record before it: events of the same one saw the same."""
    before = Window.partitionBy(*PLACE).orderBy("log_offset").rowsBetween(Window.unboundedPreceding, -1)
    told = groups.select(*PLACE, "log_offset", col("log_offset").alias("told"))
    both = events.select(*PLACE, "log_offset", F.lit(None).cast("bigint").alias("told")).unionAll(told)
    return (
        both.withColumn("told_at", F.last("told", ignorenulls=True).over(before))
        .where("told IS NULL")
        .drop("told")
    )


def _records_then(moments: DataFrame, groups: DataFrame) -> DataFrame:
    """The records that counted at each moment, under a group's name that tells the moment as well: the last
    one of every key, and its last tombstone.
    """
    of_key = Window.partitionBy("log_partition", "key").orderBy("log_offset")
    of_kind = Window.partitionBy("log_partition", "key", "tombstone").orderBy("log_offset")
    following = F.when(col("tombstone"), F.lead("log_offset").over(of_kind)).otherwise(
        F.lead("log_offset").over(of_key)
    )
    records = groups.withColumn("until", F.coalesce(following, F.lit(FOR_EVER)))
    then = (col("log_offset") <= col("told_at")) & (col("told_at") < col("until"))
    return (
        records.join(moments, [*PLACE], "inner")
        .where(then)
        .withColumn("group", _moment())
        .select(*groups.columns)
    )


def _moment() -> Column:
    """No two moments have the same, whatever groups are called."""
    return F.concat_ws(":", col("told_at").cast("string"), col("group"))
