"""Decode the bytes of a `__consumer_offsets` segment to Arrow record batches, column by column. Needs no
Spark.
"""

from __future__ import annotations

from tidemark_pipeline.decode.elsewhere import read_group_records, read_records
from tidemark_pipeline.decode.segment import read_segment

__all__ = ["read_group_records", "read_records", "read_segment"]
