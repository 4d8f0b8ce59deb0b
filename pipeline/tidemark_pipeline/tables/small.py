"""What is done differently for a small log, which the settings of the session make one partition.

There, Spark runs for seconds in a JVM that has just started: planning and compiling take most of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SHUFFLES: Final = "spark.sql.shuffle.partitions"


def together(one: DataFrame, other: DataFrame) -> DataFrame:
    """Return the rows of both. A column that one of them lacks is null there.

    Tables of one partition each need no exchange, but their union would.
    """
    both = one.unionByName(other, allowMissingColumns=True)
    return both.coalesce(1) if _is_small(one) else both


def kept(table: DataFrame) -> DataFrame:
    """Return the table as one whose rows are computed once. The caller may `unpersist` it.

    Spark's cache generates and compiles a class for each reader of it, so a small table becomes an Arrow
    table.
    """
    if not _is_small(table):
        return table.persist()
    return table.sparkSession.createDataFrame(table.toArrow()).coalesce(1)


def _is_small(table: DataFrame) -> bool:
    return bool(table.sparkSession.conf.get(SHUFFLES) == "1")
