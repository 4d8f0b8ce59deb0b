"""offset_history and group_history: the log, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidemark_pipeline.tables.columns import GROUP_HISTORY, OFFSET_HISTORY, names

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def offset_history(offsets: DataFrame) -> DataFrame:
    """Return every commit and every tombstone of one. offsets: the source's table of that name."""
    return offsets.select(*names(OFFSET_HISTORY))


def group_history(groups: DataFrame) -> DataFrame:
    """Return every record of a group. groups: the source's table of that name."""
    return groups.select(*names(GROUP_HISTORY))
