"""Make Spark find `format("tidemark")` without registration: it looks for packages named `pyspark_*`."""

from __future__ import annotations

from tidemark_pipeline.source.data_source import TidemarkDataSource as DefaultSource

__all__ = ["DefaultSource"]
