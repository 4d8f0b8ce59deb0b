"""What became of committed offsets, read out of the segments of `__consumer_offsets` with Spark."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """`format("tidemark")` for this session, and filters on what it loads are pushed down to it. Spark finds
    the format by itself where the package is installed, but not where it came by `--py-files`.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from tidemark_pipeline.source.data_source import TidemarkDataSource
    from tidemark_pipeline.source.loading import REGISTERED, SETTING, prune_by_filters

    if spark.conf.get(REGISTERED, None) is None:
        spark.dataSource.register(TidemarkDataSource)
        spark.conf.set(REGISTERED, "true")
    spark.conf.set(SETTING, "true")
    prune_by_filters(type(spark.read))
