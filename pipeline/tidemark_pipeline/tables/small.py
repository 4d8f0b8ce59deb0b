"""Tables of a small log, and of a few rows.

For a small log, Spark runs only for seconds, in a JVM that has just started. Planning and compiling then take
most of the time. The tables that the command decoded itself are one partition each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SMALL: Final = "spark.tidemark.small"  # "true" in a session for a small log


def table_of(spark: SparkSession, rows: Sequence[tuple[object, ...]], columns: str) -> DataFrame:
    """Return these rows as a table. columns: their names and types, in Spark's DDL.

    They become an Arrow table. Spark would convert a list with a Python worker, which takes a second to
    start.
    """
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    schema = to_arrow_schema(StructType.fromDDL(columns))
    values = zip(*rows, strict=True) if rows else [()] * len(schema)
    arrays = [pa.array(column, field.type) for column, field in zip(values, schema, strict=True)]
    return spark.createDataFrame(pa.Table.from_arrays(arrays, schema=schema)).coalesce(1)


def together(one: DataFrame, other: DataFrame) -> DataFrame:
    """Return the rows of both. A column that one of them lacks is null there.

    Tables of one partition each need no exchange, but their union would.
    """
    both = one.unionByName(other, allowMissingColumns=True)
    return both.coalesce(1) if is_small(one.sparkSession) else both


def kept(table: DataFrame) -> DataFrame:
    """Return the table as one whose rows are computed once. The caller may `unpersist` it.

    Spark's cache generates and compiles a class for each reader of it, so a small table becomes an Arrow
    table.
    """
    if not is_small(table.sparkSession):
        return table.persist()
    return table.sparkSession.createDataFrame(table.toArrow()).coalesce(1)


def is_small(spark: SparkSession) -> bool:
    """Return whether the session was started for a small log."""
    return bool(spark.conf.get(SMALL, None) == "true")
