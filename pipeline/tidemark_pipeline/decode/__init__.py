"""The bytes of a `__consumer_offsets` segment as Arrow record batches, column by column. No Spark."""

from __future__ import annotations

from tidemark_pipeline.decode.elsewhere import read_records
from tidemark_pipeline.decode.segment import read_segment

__all__ = ["read_records", "read_segment"]
