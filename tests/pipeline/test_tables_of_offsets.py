"""Histories, lag, commit rates and rewinds of hand-made rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.pipeline.rows import classic, commit, groups_frame, has_columns, offsets_frame, told, tombstone
from tidemark_pipeline.schemas import GROUPS, OFFSETS, spark_schema
from tidemark_pipeline.tables.columns import COMMIT_RATES, LAG, REWINDS, TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

MINUTE: Final = 60_000
ENDS: Final = "topic string, partition int, log_start_offset bigint, log_end_offset bigint"


def test_histories_are_the_sources_rows_with_its_columns(spark: SparkSession) -> None:
    from tidemark_pipeline.tables.history import group_history, offset_history

    offsets = offset_history(offsets_frame(spark, [commit(5, "g", "t", 0, 7), tombstone(6, "g", "t", 0)]))
    groups = group_history(groups_frame(spark, [classic(5, "g", members=("a",))]))
    assert offsets.schema == spark_schema(OFFSETS) and has_columns(offsets, TABLES["offset_history"])
    assert groups.schema == spark_schema(GROUPS) and has_columns(groups, TABLES["group_history"])
    assert told(offsets, "log_offset", "committed_offset") == [(5, 7), (6, None)]
    assert told(groups, "group", "generation") == [("g", 1)]


def test_lag_is_the_number_of_unread_records(spark: SparkSession) -> None:
    from tidemark_pipeline.tables.lag import lag

    current = [
        commit(1, "g", "t", 0, 4),
        commit(2, "g", "t", 1, 4),  # below the start: removed records can no longer be read
        commit(3, "g", "t", 2, 20),  # beyond the end
        commit(4, "g", "t", 3, 10),
        commit(5, "g", "t", 4, -5),
        commit(6, "g", "gone", 0, 4),
        commit(7, "g", "t", 5, 2**63 - 1),
        commit(8, "g", "t", 6, 4),
    ]
    ends = [("t", p, 6 if p == 1 else 0, 10) for p in range(6)] + [("t", 6, None, 9), ("other", 0, 0, 9)]
    found = lag(offsets_frame(spark, current), spark.createDataFrame(ends, ENDS))
    assert has_columns(found, LAG)
    assert told(found, "topic", "partition", "lag", "position") == [
        ("gone", 0, None, None),
        ("t", 0, 6, "within"),
        ("t", 1, 4, "below_start"),
        ("t", 2, 0, "past_end"),
        ("t", 3, 0, "within"),
        ("t", 4, 10, "below_start"),
        ("t", 5, 0, "past_end"),
        ("t", 6, 5, "within"),
    ]


def test_commits_are_counted_in_the_minute_in_which_they_were_written(spark: SparkSession) -> None:
    from tidemark_pipeline.tables.rates import commit_rates

    rows = [
        commit(1 * MINUTE, "g", "t", 0, 1),
        commit(2 * MINUTE - 2, "g", "t", 0, 2, commit_timestamp_ms=9 * MINUTE),  # as the client says
        commit(2 * MINUTE - 1, "g", "t", 1, 2, transactional=True),
        tombstone(2 * MINUTE, "g", "t", 0),
        commit(2 * MINUTE + 1, "h", "t", 0, 0),
        commit(1, "old", "t", 0, 0, record_timestamp_ms=-1),
        commit(2, "far", "t", 0, 0, record_timestamp_ms=2**63 - 1),
    ]
    rates = commit_rates(offsets_frame(spark, rows))
    assert has_columns(rates, COMMIT_RATES)
    counts = ["commits", "partitions", "transactional_commits", "tombstones"]
    assert told(rates, "group", "minute_ms", *counts) == [
        ("far", (2**63 - 1) // MINUTE * MINUTE, 1, 1, 0, 0),
        ("g", 1 * MINUTE, 3, 2, 1, 0),
        ("g", 2 * MINUTE, 0, 0, 0, 1),
        ("h", 2 * MINUTE, 1, 1, 0, 0),
        ("old", -MINUTE, 1, 1, 0, 0),
    ]
    assert told(rates.where("minute is null"), "group") == [("far",)]


def test_a_rewind_is_a_commit_below_the_previous_one(spark: SparkSession) -> None:
    from tidemark_pipeline.tables.rewinds import rewinds

    rows = [
        commit(1, "g", "t", 0, 10),
        commit(2, "g", "t", 0, 10),
        commit(3, "g", "t", 0, 4),
        commit(4, "g", "t", 0, 5),
        commit(5, "g", "t", 1, 1),  # another partition
        commit(6, "h", "t", 0, 0),  # another group
        tombstone(7, "g", "t", 0),
        tombstone(8, "g", "t", 0),
        commit(9, "g", "t", 0, 5),
        tombstone(10, "g", "t", 0),
        commit(11, "g", "t", 0, -1),
        commit(20, "id", "t", 0, 9, topic_id="first"),
        commit(21, "id", "t", 0, 8, topic_id="first"),
        commit(22, "id", "t", 0, 0, topic_id="second"),
    ]
    found = rewinds(offsets_frame(spark, rows))
    assert has_columns(found, REWINDS)
    columns = ["log_offset", "previous_log_offset", "from_offset", "to_offset", "by"]
    assert told(found.where("group = 'g'"), *columns, "across_tombstone", "topic_recreated") == [
        (3, 2, 10, 4, 6, False, None),
        (11, 9, 5, -1, 6, True, None),
    ]
    assert told(found.where("group = 'id'"), "log_offset", "topic_recreated", "previous_at_ms") == [
        (21, False, 20),
        (22, True, 21),
    ]
