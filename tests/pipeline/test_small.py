"""Tables of a small log and of a large one are the same rows, of the same types."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

COLUMNS = """
    name string, at timestamp, bytes binary, long bigint, truth boolean,
    list array<bigint>, members array<struct<id: string, topics: array<string>>>, by_name map<string, int>"""
ROWS: list[tuple[Any, ...]] = [
    (
        "ä",
        datetime(9999, 12, 31, 23, 59, 59, 999_000, UTC),
        bytearray(b"\0"),
        2**63 - 1,
        True,
        [1, None],
        [("m", ["t", None]), (None, None)],
        {"one": 1},
    ),
    ("", datetime(1, 1, 2, tzinfo=UTC), bytearray(), -(2**63), False, [], [], {}),
    (None,) * 8,
]


@pytest.fixture(params=["true", "false"], ids=["small", "large"])
def sized(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    """Yield a session for a small log, and one for a large one."""
    from tidemark_pipeline.tables.small import SMALL

    spark.conf.set(SMALL, request.param)
    yield spark
    spark.conf.unset(SMALL)


def test_a_kept_table_has_the_same_rows_and_types(sized: SparkSession) -> None:
    from tidemark_pipeline.tables.small import kept

    table = sized.createDataFrame(ROWS, COLUMNS)
    once = kept(table)
    assert once.dtypes == table.dtypes
    assert once.collect() == table.collect()
    once.unpersist()


def test_an_empty_table_can_be_kept(sized: SparkSession) -> None:
    from tidemark_pipeline.tables.small import kept

    assert kept(sized.createDataFrame([], COLUMNS)).count() == 0


def test_a_column_that_one_table_lacks_is_null_in_its_rows(sized: SparkSession) -> None:
    from tidemark_pipeline.tables.small import together

    one, other = (
        sized.createDataFrame([("a", 1)], "x string, y int"),
        sized.createDataFrame([("b",)], "x string"),
    )
    assert sorted(map(tuple, together(one, other).collect())) == [("a", 1), ("b", None)]
