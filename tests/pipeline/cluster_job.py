"""The job for `spark-submit`. Its Python has no tidemark except from --py-files.

cluster_job.py LOG_DIR OUT.json

Writes the tables to OUT, and where the driver and the workers import tidemark from.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import tidemark_pipeline
from tidemark_pipeline.source.session import read_table
from tidemark_pipeline.tables.current import current_offsets

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def tables(spark: SparkSession, log_dir: str) -> dict[str, list[str]]:
    """Return the rows as sorted text."""
    history = read_table(spark, log_dir, "offsets")
    return {
        "history": _rows(history),
        "groups": _rows(read_table(spark, log_dir, "groups")),
        "current": _rows(current_offsets(history)),
    }


def _rows(table: DataFrame) -> list[str]:
    return sorted(json.dumps(row.asDict(recursive=True), default=_text) for row in table.collect())


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode()


def where_from(_: object) -> str:
    import tidemark_pipeline

    return str(tidemark_pipeline.__file__)


def main(log_dir: str, out: str) -> None:
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.getOrCreate()
    workers = spark.sparkContext.parallelize(range(8), 8).map(where_from).distinct().collect()
    made = {"driver": tidemark_pipeline.__file__, "workers": workers, "tables": tables(spark, log_dir)}
    Path(out).write_text(json.dumps(made))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
