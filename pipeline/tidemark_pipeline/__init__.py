"""The history of committed offsets, read from the segments of `__consumer_offsets` with Spark."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Register `format("tidemark")` in this session, and push filters on its DataFrames down to it.

    Spark finds the format by itself where the package is installed, but not if `--py-files` shipped it.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # Spark reads it when it is imported
    from tidemark_pipeline.source import session

    session.register(spark)
