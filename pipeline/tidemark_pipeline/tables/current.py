"""The offsets that a coordinator would answer with: what the log leaves standing."""

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
    """The last record of each group, topic and partition, unless it is a tombstone.

    history: `offset_history` without what aborted and open transactions wrote. The largest log offset is
    the last one for Kafka too: a transaction's offset counts at its own place in the log, not at that of
    its marker, and so replaces only what stands before it; a tombstone takes what stands before it, a
    transaction's offset too (reference 5.3). Log offsets of two log partitions do not compare: each has its
    own rows.

    max_by over columns of fixed width plans a hash aggregate. Over metadata, a string, it plans a sort: who
    does not select it does not pay for it, as Spark leaves the column out then.
    """
    last = [F.max_by(name, "log_offset").alias(name) for name in _VALUE]
    found = history.groupBy(*KEY).agg(*last, F.max("log_offset").alias("log_offset"))
    return found.where(F.col("committed_offset").isNotNull()).select(*names(CURRENT_OFFSETS))


def pending_offsets(open_rows: DataFrame, history: DataFrame) -> DataFrame:
    """Where open transactions have offsets: group, topic and partition, each once.

    open_rows: what open transactions wrote (the source's transactions=open). history: as above, with its
    tombstones, of which any that stands behind such an offset has taken it.
    """
    written = open_rows.where(F.col("committed_offset").isNotNull())
    pending = written.groupBy(*KEY).agg(F.max("log_offset").alias("written_at"))
    tombstones = history.where(F.col("committed_offset").isNull())
    taken = tombstones.groupBy(*KEY).agg(F.max("log_offset").alias("taken_at"))
    stands = F.col("taken_at").isNull() | (F.col("taken_at") < F.col("written_at"))
    return pending.join(taken, [*KEY], "left").where(stands).select(*KEY)
