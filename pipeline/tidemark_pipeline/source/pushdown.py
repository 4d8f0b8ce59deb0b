"""Derive from the filters of a query which part of the logs must be read."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import reduce
from typing import Any, Final

from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    LessThan,
    LessThanOrEqual,
)

from tidemark_pipeline.source.pruning import EVERYTHING, Pruning

ASKING_WORKER: Final = "pyspark.sql.worker.data_source_pushdown_filters"


def pruning(filters: Iterable[Filter]) -> Pruning:
    """Return what all of these filters select, or more. Spark evaluates them again."""
    return reduce(Pruning.narrowed, map(_pruning, filters), EVERYTHING)


def _pruning(one: Filter) -> Pruning:
    match one:
        case EqualTo((column,), value) | EqualNullSafe((column,), value):
            return _among(column, [value])
        case In((column,), values):
            return _among(column, values)
        case GreaterThan(("log_offset",), int() as offset):
            return Pruning(first_offset=offset + 1)
        case GreaterThanOrEqual(("log_offset",), int() as offset):
            return Pruning(first_offset=offset)
        case LessThan(("log_offset",), int() as offset):
            return Pruning(end_offset=offset)
        case LessThanOrEqual(("log_offset",), int() as offset):
            return Pruning(end_offset=offset + 1)
    return EVERYTHING


def _among(column: str, values: Iterable[Any]) -> Pruning:
    present = frozenset(value for value in values if value is not None)
    if column == "group":
        return Pruning(groups=present)
    if column == "log_partition":
        return Pruning(log_partitions=present)
    if column == "log_offset" and present:
        return Pruning(first_offset=min(present), end_offset=max(present) + 1)
    return EVERYTHING


def filters_are_asked_for() -> bool:
    """Return whether this worker receives filters. In any other, Spark may refuse a reader with
    pushFilters.
    """
    main = sys.modules["__main__"].__spec__
    return ASKING_WORKER in sys.modules or (main is not None and main.name == ASKING_WORKER)
