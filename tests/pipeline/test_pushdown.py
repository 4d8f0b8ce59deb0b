"""Filters of Spark as a part of the logs, which is never smaller than what they select."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyspark")

from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringStartsWith,
)

from tidemark_pipeline.source.pruning import EVERYTHING, Pruning
from tidemark_pipeline.source.pushdown import pruning

GROUPS = ("", "a", "b")
NUMBERS = range(4)
ROWS = list(product(GROUPS, NUMBERS, NUMBERS))
COLUMNS = ("group", "log_partition", "log_offset")

# The meaning of each filter in the documentation of pyspark.sql.datasource.
MEANINGS: dict[type, Callable[[Any, Any], bool]] = {
    EqualTo: lambda value, wanted: value == wanted,
    EqualNullSafe: lambda value, wanted: value == wanted,
    GreaterThan: lambda value, wanted: value > wanted,
    GreaterThanOrEqual: lambda value, wanted: value >= wanted,
    LessThan: lambda value, wanted: value < wanted,
    LessThanOrEqual: lambda value, wanted: value <= wanted,
    In: lambda value, wanted: value in wanted,
    StringStartsWith: lambda value, wanted: value.startswith(wanted),
}


def lets_through(one: Any, row: tuple[str, int, int]) -> bool:
    if isinstance(one, Not):
        return not lets_through(one.child, row)
    if isinstance(one, IsNotNull):
        return True
    return MEANINGS[type(one)](row[COLUMNS.index(one.attribute[0])], one.value)


def is_read(part: Pruning, row: tuple[str, int, int]) -> bool:
    group, log_partition, log_offset = row
    return (
        (part.groups is None or group in part.groups)
        and part.reads(log_partition)
        and part.first_offset <= log_offset < part.end_offset
    )


def filters_of(column: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Filter]:
    compared = (EqualTo, EqualNullSafe, GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual)
    return st.one_of(
        *(st.builds(kind, st.just((column,)), values) for kind in compared),
        st.builds(In, st.just((column,)), st.lists(values).map(tuple)),
        st.just(IsNotNull((column,))),
    )


FILTERS = st.one_of(
    filters_of("group", st.sampled_from(GROUPS)),
    st.builds(StringStartsWith, st.just(("group",)), st.sampled_from(GROUPS)),
    filters_of("log_partition", st.sampled_from(NUMBERS)),
    filters_of("log_offset", st.sampled_from(NUMBERS)),
)
FILTERS = st.one_of(FILTERS, FILTERS.map(Not))


@given(st.lists(FILTERS), st.lists(FILTERS))
def test_a_scan_reads_each_row_that_passes_its_filters_even_when_widened(
    filters: list[Any], others: list[Any]
) -> None:
    for row in ROWS:
        if all(lets_through(one, row) for one in filters):
            assert is_read(pruning(filters), row)
            assert is_read(pruning(filters).widened(pruning(others)), row)
            assert is_read(pruning(others).widened(pruning(filters)), row)


@pytest.mark.parametrize(
    ("filters", "part"),
    [
        ([EqualTo(("group",), "a")], Pruning(groups=frozenset({"a"}))),
        ([In(("group",), ("a", None))], Pruning(groups=frozenset({"a"}))),  # null is equal to nothing
        ([EqualTo(("log_partition",), 3)], Pruning(log_partitions=frozenset({3}))),
        (
            [In(("log_partition",), (1, 2)), EqualTo(("log_partition",), 3)],
            Pruning(log_partitions=frozenset()),
        ),
        ([GreaterThan(("log_offset",), 4), LessThanOrEqual(("log_offset",), 9)], Pruning(None, None, 5, 10)),
        ([EqualTo(("log_offset",), 4)], Pruning(None, None, 4, 5)),
        ([EqualTo(("topic",), "a")], EVERYTHING),
        ([Not(EqualTo(("group",), "a"))], EVERYTHING),
    ],
)
def test_filters_prune(filters: list[Filter], part: Pruning) -> None:
    assert pruning(filters) == part
