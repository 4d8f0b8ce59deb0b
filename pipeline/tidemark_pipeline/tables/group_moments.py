"""The rows that `current_groups` would have returned at earlier moments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col

from tidemark_pipeline.tables.groups import current_groups
from tidemark_pipeline.tables.small import together

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

PLACE: Final = ("log_partition", "group")
STATE: Final = ("group_type", "protocol_type", "state", "state_timestamp_ms", "subscribed_topics")
FOR_EVER: Final = 2**63 - 1


def with_group_before(events: DataFrame, groups: DataFrame) -> DataFrame:
    """Return events with the columns of STATE, from the records before the log_offset of the event.

    They are null without such records. events: rows with log_partition, group and log_offset; log_offset
    null: the end of the log. groups: as `group_history`. The cleaner may have removed earlier records of a
    key, so a missing record may have existed.
    """
    named = _with_told_at(events, groups)
    moments = named.where("told_at IS NOT NULL").select(*PLACE, "told_at").distinct()
    then = current_groups(_records_then(moments, groups)).select(
        "log_partition", col("group").alias("moment"), *STATE
    )
    return (
        named.withColumn("moment", _moment())
        .join(then, ["log_partition", "moment"], "left")
        .drop("moment", "told_at")
    )


def _with_told_at(events: DataFrame, groups: DataFrame) -> DataFrame:
    """Return events with told_at, the offset of the group's last record before the event. Events with the
    same one see the same state.
    """
    told = groups.select(*PLACE, "log_offset", col("log_offset").alias("told"))
    in_order = Window.partitionBy(*PLACE).orderBy(F.coalesce("log_offset", F.lit(FOR_EVER)))
    before = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    return (
        together(events, told)
        .withColumn("told_at", F.last("told", ignorenulls=True).over(before))
        .where("told IS NULL")
        .drop("told")
    )


def _records_then(moments: DataFrame, groups: DataFrame) -> DataFrame:
    """Return the last record and the last tombstone of every key at each moment. The group's name includes
    the moment.
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
    """Return a name that is unique to a moment, for any names of groups."""
    return F.concat_ws(":", col("told_at").cast("string"), col("group"))
