"""Decode records of `__consumer_offsets` that a consumer or Spark's Kafka source has read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.types import ByteType, IntegerType, LongType, ShortType, TimestampType

from tidemark_pipeline.decode import read_group_records, read_records
from tidemark_pipeline.model import PipelineError
from tidemark_pipeline.schemas import GROUPS, OFFSETS, spark_schema

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

COLUMNS: Final = ("key", "value", "partition", "offset", "timestamp")
OF_OFFSETS: Final = "substring(key, 1, 2) IN (X'0000', X'0001')"  # the key's version
OF_GROUPS: Final = "substring(key, 1, 2) BETWEEN X'0002' AND X'0017'"


def decode_offsets(records: DataFrame) -> DataFrame:
    """Return the rows of `offset_history` for a DataFrame of records, batch or stream.

    records needs at least the columns key, value (binary), partition, offset (integers) and timestamp (a
    timestamp, or milliseconds). All rows count as committed, because the reader of the records has filtered
    by transaction. The columns about producers are null.

    Raises PipelineError if a column is missing or of another type.
    """
    columns = [_as_read(records, name).alias(name) for name in COLUMNS]
    # mapInArrow would be simpler, but requires pandas.
    decode = F.arrow_udf(_decoded, spark_schema(OFFSETS))
    found = records.select(*columns).where(OF_OFFSETS)
    return found.select(decode(*COLUMNS).alias("row")).select("row.*")


def decode_groups(records: DataFrame) -> DataFrame:
    """Return the rows of the source's table `groups` for a DataFrame of records. Not for a stream.

    records: as for `decode_offsets`. A consumer does not see batches. A coordinator writes what belongs
    together with one timestamp at successive offsets, so such a run of records counts as a batch.
    """
    columns = [_as_read(records, name).alias(name) for name in COLUMNS]
    in_order = Window.partitionBy("partition").orderBy("offset")
    before = F.struct(F.lag("offset").over(in_order) + 1, F.lag("timestamp").over(in_order))
    begins = F.coalesce(before != F.struct("offset", "timestamp"), F.lit(True))
    first = F.max(F.when(F.col("begins"), F.col("offset"))).over(in_order)
    runs = (
        records.select(*columns)
        .withColumn("begins", begins)
        .withColumn("first", first)
        .withColumn("last", F.max("offset").over(Window.partitionBy("partition", "first")))
    )
    decode = F.arrow_udf(_decoded_groups, spark_schema(GROUPS))
    found = runs.where(OF_GROUPS)
    return found.select(decode(*COLUMNS, "first", "last").alias("row")).select("row.*")


def _as_read(records: DataFrame, name: str) -> Column:
    if name not in records.columns:
        raise PipelineError(f"a record's {name} is missing: there are {', '.join(records.columns)}")
    column, kind = F.col(name), records.schema[name].dataType
    if name in ("key", "value"):
        return column.cast("binary")
    if name == "timestamp" and isinstance(kind, TimestampType):
        return F.unix_millis(column)
    if isinstance(kind, (ByteType, ShortType, IntegerType, LongType)):
        return column.cast("int" if name == "partition" else "bigint")
    raise PipelineError(f"the column {name} is {kind.simpleString()}, which is no {name} of a record")


def _decoded(
    keys: pa.Array, values: pa.Array, partitions: pa.Array, offsets: pa.Array, timestamps: pa.Array
) -> pa.Array:
    rows = read_records(keys, values, partitions, offsets, timestamps)
    assert len(rows) == len(keys), "only records of offsets were asked for"
    return pa.StructArray.from_arrays(rows.columns, fields=list(rows.schema))


def _decoded_groups(
    keys: pa.Array,
    values: pa.Array,
    partitions: pa.Array,
    offsets: pa.Array,
    timestamps: pa.Array,
    first_offsets: pa.Array,
    last_offsets: pa.Array,
) -> pa.Array:
    rows = read_group_records(keys, values, partitions, offsets, timestamps, first_offsets, last_offsets)
    assert len(rows) == len(keys), "only records of groups were asked for"
    return pa.StructArray.from_arrays(rows.columns, fields=list(rows.schema))
