"""The output on a terminal is plain text in columns, for any names of groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from tidemark_pipeline.cli.show import CELL_WIDTH_MAX, cell, text


@dataclass
class Rows:
    """The part of a DataFrame's interface that the code under test uses."""

    columns: list[str]
    rows: list[tuple[Any, ...]] = field(default_factory=list)

    def limit(self, count: int) -> Rows:
        return Rows(self.columns, self.rows[:count])

    def collect(self) -> list[tuple[Any, ...]]:
        return self.rows


def shown(rows: Rows, count: int) -> list[str]:
    return text(rows, count).split("\n")  # type: ignore[arg-type]


def test_numbers_are_right_aligned_and_null_is_a_dash() -> None:
    rows = Rows(["group", "offset"], [("a", 7), ("longer", None), ("", -12345)])
    assert shown(rows, 3) == [
        "group  offset",
        "a           7",
        "longer      -",
        '""     -12345',
    ]


def test_wide_characters_count_as_two_columns() -> None:
    rows = Rows(["group", "n"], [("消费者", 1), ("e\u0301té", 2), ("grüppe😀", 3)])
    assert shown(rows, 3) == ["group    n", "消费者   1", "e\u0301té      2", "grüppe😀 3"]


@pytest.mark.parametrize(
    ("column", "value", "lines"),
    [
        ("rule", "group_empty", ["rule", "group empty", "-"]),
        (
            "evidence",
            "rule group_empty: due 605079.1 s before under a retention of 10080 min",
            ["evidence", "group empty: due 7 d 4 min before under a retention of 7 d", "-"],
        ),
        ("since_previous_ms", 90_000, ["since_previous", "1 min 30 s", "-"]),
        ("since_previous_ms", 12, ["since_previous", "0.0 s", "-"]),
    ],
)
def test_rules_and_durations_are_words(column: str, value: object, lines: list[str]) -> None:
    assert shown(Rows([column], [(value,), (None,)]), 2) == lines


def test_many_rows_are_aligned_in_linear_time() -> None:
    """With a pass over all rows for each row, this takes hours."""
    lines = shown(Rows(["n"], [(number,) for number in range(200_000)]), 200_000)
    assert lines[1] == "     0" and lines[-1] == "199999"


def test_omitted_rows_and_empty_tables_are_reported() -> None:
    assert shown(Rows(["n"], [(1,), (2,)]), 1)[-1] == "(the first 1 rows; --show N shows more)"
    assert shown(Rows(["n"]), 5) == ["n", "(no rows)"]


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("\x1b[2Jgone", r"\x1b[2Jgone"),
        ("two\nlines\t", r"two\nlines\t"),
        ("\u202edesrever", r"\u202edesrever"),
        ("消费者", "消费者"),
        (True, "yes"),
        (b"\x00\xff", "00ff"),
        (["a\x07", None], r'["a\u0007", null]'),
        ("x" * 100, "x" * (CELL_WIDTH_MAX - 1) + "…"),
    ],
)
def test_a_cell_is_one_line_that_cannot_steer_the_terminal(value: object, printed: str) -> None:
    assert cell(value) == printed
