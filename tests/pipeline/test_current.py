"""current_offsets and pending_offsets on a small log: each rule in its own case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.pipeline.rows import Row, commit, offsets_frame, told, tombstone

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

HISTORY: Final[list[Row]] = [
    commit(1, "plain", "t", 0, 10),
    commit(2, "plain", "t", 0, 9),
    commit(3, "removed", "t", 0, 1),
    tombstone(4, "removed", "t", 0),
    commit(5, "again", "t", 0, 1, leader_epoch=3, metadata="kept?", expire_timestamp_ms=50),
    tombstone(6, "again", "t", 0),
    commit(7, "again", "t", 0, -5),
    # Committed after the plain one by its marker, written before it.
    commit(8, "raced", "t", 0, 1, transactional=True, producer_id=7),
    commit(9, "raced", "t", 0, 2),
    commit(10, "", "t", 0, 0),
    # Another log partition counts its own offsets.
    commit(2, "plain", "t", 1, 4, log_partition=1),
    commit(20, "pending", "t", 0, 1),
    tombstone(23, "pending", "t", 1),
    commit(25, "pending", "t", 1, 5),
    tombstone(26, "pending", "t", 2),
]


def test_the_last_record_counts_unless_it_is_a_tombstone(spark: SparkSession) -> None:
    from tidemark_pipeline.tables.current import current_offsets

    found = current_offsets(offsets_frame(spark, HISTORY))
    columns = ("group", "partition", "committed_offset", "leader_epoch", "metadata", "expire_timestamp_ms")
    assert told(found, *columns, "log_offset") == [
        ("", 0, 0, None, "", None, 10),
        ("again", 0, -5, None, "", None, 7),
        ("pending", 0, 1, None, "", None, 20),
        ("pending", 1, 5, None, "", None, 25),
        ("plain", 0, 9, None, "", None, 2),
        ("plain", 1, 4, None, "", None, 2),
        ("raced", 0, 2, None, "", None, 9),
    ]


def test_a_tombstone_takes_the_offset_of_an_open_transaction_too(spark: SparkSession) -> None:
    from tidemark_pipeline.tables.current import pending_offsets

    by_transaction = {"transactional": True, "producer_id": 9}
    written = [
        commit(21, "pending", "t", 0, 2, **by_transaction),
        commit(22, "pending", "t", 1, 2, **by_transaction),
        commit(24, "pending", "t", 2, 2, **by_transaction),
        commit(27, "pending", "t", 2, 3, **by_transaction),
    ]
    found = pending_offsets(offsets_frame(spark, written), offsets_frame(spark, HISTORY))
    assert told(found, "group", "partition") == [("pending", 0), ("pending", 2)]
