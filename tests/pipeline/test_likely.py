"""Spark and `story.passes` agree about what has likely expired, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.pipeline.rows import (
    Row,
    assert_same_removals,
    commit,
    groups_frame,
    judged,
    offsets_frame,
    tombstone,
)
from tidemark_pipeline.cli.conditions import CONDITIONS
from tidemark_pipeline.retention import WEEK_MS, Retention

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T0: Final = 1_767_225_600_000  # 2026-01-01T00:00:00Z
MINUTE_MS: Final = 60_000


def at(ms: int, row: Row) -> Row:
    return {**row, "record_timestamp_ms": T0 + ms}


def story() -> list[Row]:
    """Return removals of five groups at a time, three times; one of a single group; one after a week."""
    rows = [
        at(ms, tombstone(100 * number + place, f"group-{number}-{place}", "orders", 0, log_partition=place))
        for number, ms in enumerate((60 * MINUTE_MS, 70 * MINUTE_MS, 90 * MINUTE_MS))
        for place in range(5)
    ]
    rows.append(at(75 * MINUTE_MS, tombstone(500, "alone", "orders", 0)))
    rows.append(at(1, commit(600, "week", "orders", 0, 7, commit_timestamp_ms=T0 + 1)))
    rows.append(at(WEEK_MS + MINUTE_MS, tombstone(601, "week", "orders", 0)))
    return rows


@pytest.mark.slow
@pytest.mark.java
def test_spark_finds_the_same_reasons(spark: SparkSession) -> None:
    from tidemark_pipeline.tables.removals import COMPLETE_FROM, removals

    given: dict[str, Any] = {
        "topic_events": [], "retention": Retention.assumed(), "kafka_4_from_ms": 0,
    }  # fmt: skip
    found = removals(
        offsets_frame(spark, story()),
        groups_frame(spark, []),
        complete_from=spark.createDataFrame([], COMPLETE_FROM),
        **given,
    )
    rows = judged(story(), [], **given)
    assert {(row["group"].partition("-")[0], row["certainty"]) for row in rows} == {
        ("group", "likely"), ("alone", "unknown"), ("week", "likely"),
    }  # fmt: skip
    assert_same_removals(found.table.collect(), rows)


def test_check_counts_likely_ones_beside_the_possible_causes() -> None:
    found = {
        "count": 3, "first_at_ms": T0, "last_at_ms": T0, "causes": {"expired": 1, "unknown": 2},
        "possible_causes": ["expired", "group_delete"], "likely": 1, "committed_again": 0,
    }  # fmt: skip
    line = CONDITIONS["removed-since"].line(found)
    assert line.endswith("1 expired, 2 unknown (expired or group_delete; 1 of them likely expired)")
