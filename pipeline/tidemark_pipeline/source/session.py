"""The source in a Spark session: register it, and load its tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tidemark_pipeline.schemas import TABLES, spark_schema
from tidemark_pipeline.source.data_source import TidemarkDataSource
from tidemark_pipeline.source.loading import FORMAT, REGISTERED, SETTING, prune_by_filters
from tidemark_pipeline.source.options import option_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def register(spark: SparkSession) -> None:
    """Register `format("tidemark")`, and let filters on its DataFrames prune what is read."""
    if spark.conf.get(REGISTERED, None) is None:
        spark.dataSource.register(TidemarkDataSource)
        spark.conf.set(REGISTERED, "true")
    spark.conf.set(SETTING, "true")
    prune_by_filters(type(spark.read))


def read_table(
    spark: SparkSession,
    paths: str | Sequence[str],
    table: str,
    *,
    columns: Sequence[str] | None = None,
    **options: object,
) -> DataFrame:
    """Return a table of schemas.TABLES, read from the directories at paths.

    columns    only these. Cheaper than a select: Spark does not tell a Python source which columns it needs
    options    those of `format("tidemark")`, as values: group="g", offsets={3: [0, 9]}; None: not given
    """
    register(spark)
    given = {name: option_text(name, value) for name, value in options.items() if value is not None}
    reader = spark.read.format(FORMAT).options(table=table, **given)
    if columns is not None:
        schema = spark_schema(TABLES[table])
        reader = reader.schema(type(schema)([schema[name] for name in columns]))
    return reader.load([paths] if isinstance(paths, str) else list(paths))
