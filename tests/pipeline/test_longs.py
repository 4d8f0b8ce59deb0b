"""Sums and dates in Spark, compared with arithmetic modulo 2^64 and with Python's dates."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

MAX: Final = 2**63 - 1
EDGES: Final = [
    -MAX - 1,
    -MAX,
    -(2**32) - 1,
    -(2**32),
    -1,
    0,
    1,
    2**31,
    2**32 - 1,
    2**32,
    2**62,
    MAX - 1,
    MAX,
]


def wrapped(value: int) -> int:
    return (value + MAX + 1) % 2**64 - MAX - 1


def test_sums_and_differences_wrap_as_longs_do(spark: SparkSession) -> None:
    from pyspark.sql import functions as F

    from tidemark_pipeline.tables.longs import minus, plus

    pairs = [*itertools.product(EDGES, EDGES)]
    frame = spark.createDataFrame(pairs, "a bigint, b bigint")
    rows = frame.select("a", "b", plus(F.col("a"), F.col("b")), minus(F.col("a"), F.col("b"))).collect()
    assert sorted(map(tuple, rows)) == sorted((a, b, wrapped(a + b), wrapped(a - b)) for a, b in pairs)


def test_a_plain_number_may_be_added_and_null_stays_null(spark: SparkSession) -> None:
    from pyspark.sql import functions as F

    from tidemark_pipeline.tables.longs import minus, plus

    frame = spark.createDataFrame([(MAX,), (None,)], "a bigint")
    rows = frame.select(plus(F.col("a"), 600_000), minus(-2, F.col("a"))).collect()
    assert [*map(tuple, rows)] == [(wrapped(MAX + 600_000), MAX), (None, None)]


def test_a_timestamp_has_a_date_in_the_years_1_to_9999(spark: SparkSession) -> None:
    from pyspark.sql import functions as F

    from tidemark_pipeline.tables.longs import timestamp

    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    first = (datetime(1, 1, 1, tzinfo=UTC) - epoch) // timedelta(milliseconds=1)
    behind = (datetime(9999, 12, 31, tzinfo=UTC) + timedelta(hours=23, minutes=59) - epoch) // timedelta(
        milliseconds=1
    ) + 60_000
    times = [first - 1, first, -1, 0, 1_700_000_000_123, behind - 1, behind, MAX, -MAX - 1, None]
    frame = spark.createDataFrame([(each,) for each in times], "ms bigint")
    rows = frame.select("ms", F.unix_millis(timestamp(F.col("ms")))).collect()
    within = {each for each in times if each is not None and first <= each < behind}
    assert {row[0]: row[1] for row in rows} == {each: each if each in within else None for each in times}
