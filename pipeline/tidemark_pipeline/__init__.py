"""The history of committed offsets, read from the segments of `__consumer_offsets` with Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidemark_pipeline.opened import open_log

__all__ = ["open_log", "register", "send_code"]


def __getattr__(name: str) -> Any:
    """Import open_log when it is used: it needs numpy and pyarrow, and `--help` does not."""
    if name != "open_log":
        raise AttributeError(f"module {__name__} has no attribute {name}")
    from tidemark_pipeline.opened import open_log

    return open_log


def register(spark: SparkSession) -> None:
    """Register `format("tidemark")` in this session, and push filters on its DataFrames down to it.

    Spark finds the format by itself where the package is installed, but not if `--py-files` shipped it.
    """
    from tidemark_pipeline.source import session

    session.register(spark)


def send_code(spark: SparkSession) -> None:
    """Send this package to the workers of a cluster, or to a Spark Connect server, that do not have it.

    Sending it again changes nothing. They need numpy, pyarrow, crc32c, cramjam and msgspec installed.
    """
    from tidemark_pipeline import package

    package.send(spark)
