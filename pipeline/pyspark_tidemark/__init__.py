"""By this package Spark finds `format("tidemark")` without being told: it looks for `pyspark_*`."""

from __future__ import annotations

from tidemark_pipeline.source.data_source import TidemarkDataSource as DefaultSource

__all__ = ["DefaultSource"]
