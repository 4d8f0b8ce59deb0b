"""The offsets that a coordinator would return now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from tidemark_pipeline.tables.columns import CURRENT_OFFSETS, names

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

KEY: Final = ("log_partition", "group", "topic", "partition")
_VALUE: Final = (
    "committed_offset",
    "leader_epoch",
    "metadata",
    "commit_timestamp_ms",
    "expire_timestamp_ms",
)


def current_offsets(history: DataFrame) -> DataFrame:
    """Return the last record of each group, topic and partition, unless it is a tombstone.

    history: `offset_history` without aborted and open transactions. As in Kafka, the record with the largest
    log offset counts. The offset of a transaction counts at its own log offset, not at that of its marker: it
    replaces only earlier records, and a later tombstone removes it. Log offsets of different log partitions
    cannot be compared, so each log partition has its own rows.

    max_by over columns of fixed width plans a hash aggregate, but over metadata, a string, a sort. Spark
    drops the column if the query does not select it.
    """
    last = [F.max_by(name, "log_offset").alias(name) for name in _VALUE]
    found = history.groupBy(*KEY).agg(*last, F.max("log_offset").alias("log_offset"))
    return found.where(F.col("committed_offset").isNotNull()).select(*names(CURRENT_OFFSETS))


def pending_offsets(open_rows: DataFrame, history: DataFrame) -> DataFrame:
    """Return group, topic and partition of the offsets in open transactions, each once.

    open_rows: the records of open transactions (the source's transactions=open). history: as above; a
    tombstone after such an offset has removed it.
    """
    written = open_rows.where(F.col("committed_offset").isNotNull())
    pending = written.groupBy(*KEY).agg(F.max("log_offset").alias("written_at"))
    tombstones = history.where(F.col("committed_offset").isNull())
    taken = tombstones.groupBy(*KEY).agg(F.max("log_offset").alias("taken_at"))
    stands = F.col("taken_at").isNull() | (F.col("taken_at") < F.col("written_at"))
    return pending.join(taken, [*KEY], "left").where(stands).select(*KEY)
