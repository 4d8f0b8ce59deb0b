"""Print rows on a terminal. Names and metadata are text of clients, so control characters are escaped."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from unicodedata import combining, east_asian_width

from tidemark_pipeline.cli.words import printable
from tidemark_pipeline.report.words import rule_words, worded

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

CELL_WIDTH_MAX: Final = 60
NOTHING: Final = "-"
SENTENCES: Final = ("sentence", "evidence")  # never shortened
WORDED: Final[Mapping[str, Callable[[Any], str]]] = {  # only on a terminal: files keep the values
    "rule": rule_words,
    "evidence": worded,
    "since_previous_ms": lambda ms: worded(f"{ms / 1000:.1f} s"),
}
MILLISECONDS: Final = "timestamp_ms"
RETENTION_MS: Final = "retention_ms"
MINUTE_MS: Final = 60_000
ISO: Final = "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'"


def text(table: DataFrame, rows: int) -> str:
    """Return the first rows, aligned, numbers to the right, null as `-`; then the number of rows not
    shown.
    """
    found = table.limit(rows + 1).collect()
    shown = found[:rows]
    columns = [_column(name, [row[place] for row in shown]) for place, name in enumerate(table.columns)]
    lines = [" ".join(line).rstrip() for line in zip(*columns, strict=True)]
    if not shown:
        lines.append("(no rows)")
    elif len(found) > rows:
        lines.append(f"(the first {rows} rows; --show N shows more)")
    return "\n".join(lines)


def json_lines(table: DataFrame, rows: int | None) -> Iterator[str]:
    """Yield the first rows, or all, as --out writes them with --format json. One partition at a time is in
    memory.
    """
    from pyspark.sql.functions import struct, to_json

    from tidemark_pipeline.cli.output import OPTIONS

    chosen = table if rows is None else table.limit(rows)
    for row in chosen.select(to_json(struct("*"), dict(OPTIONS["json"]))).toLocalIterator():
        yield row[0]


def for_people(table: DataFrame, columns: Sequence[str]) -> DataFrame:
    """Return these columns, retentions in minutes, and times as text in UTC: Python would convert timestamps
    to local time, and not of every year.
    """
    kinds = dict(table.dtypes)
    return table.select([_readable(name, kinds[name]) for name in columns])


def _readable(name: str, kind: str) -> Column:
    from pyspark.sql.functions import coalesce, col, date_format

    from tidemark_pipeline.tables.longs import timestamp

    if kind == "timestamp":
        return date_format(name, ISO).alias(name)
    if name.endswith(MILLISECONDS):
        told = date_format(timestamp(col(name)), ISO)
        return coalesce(told, col(name).cast("string")).alias(name.removesuffix("_ms"))
    if name == RETENTION_MS:  # in the unit of --retention-minutes
        return (col(name) / MINUTE_MS).cast("bigint").alias("retention_minutes")
    return col(name)


def _column(name: str, values: Sequence[Any]) -> list[str]:
    if name in WORDED:
        values = [None if value is None else WORDED[name](value) for value in values]
        name = name.removesuffix("_ms")
    cells = [name, *map(_plain if name in SENTENCES else cell, values)]
    widths = list(map(width, cells))
    numbers = all(value is None or _is_number(value) for value in values)
    widest = max(widths)
    spaces = [" " * (widest - each) for each in widths]
    return [space + part if numbers else part + space for space, part in zip(spaces, cells, strict=True)]


def width(text: str) -> int:
    """Return the width in columns of a terminal: Chinese characters and emoji take two, combining accents
    none.
    """
    return sum(0 if combining(char) else 1 + (east_asian_width(char) in "WF") for char in text)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def cell(value: Any) -> str:
    """Return one value as one line of printable characters, shortened if it is long."""
    whole = _plain(value)
    return whole if len(whole) <= CELL_WIDTH_MAX else whole[: CELL_WIDTH_MAX - 1] + "…"


def _plain(value: Any) -> str:
    match value:
        case None:
            return NOTHING
        case str():
            return printable(value)
        case bool():
            return "yes" if value else "no"
        case bytes() | bytearray():
            return value.hex()
        case list() | tuple() | dict():
            return printable(json.dumps(_nested(value), ensure_ascii=False, default=str))
    return str(value)


def _nested(value: Any) -> Any:
    if hasattr(value, "asDict"):
        return {name: _nested(part) for name, part in value.asDict().items()}
    if isinstance(value, list):
        return [_nested(part) for part in value]
    return value
