"""Patterns of group names mean what they mean in a shell; times are printed as ISO 8601."""

from __future__ import annotations

import fnmatch
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pipeline.known_log import written
from tests.pipeline.made_logs import T0, segment
from tidemark_pipeline.cli import reading
from tidemark_pipeline.cli.options import parse
from tidemark_pipeline.cli.reading import begin, exact_name, java_pattern, newest_ms
from tidemark_pipeline.cli.words import time_text
from tidemark_pipeline.logs.directories import Found
from tidemark_pipeline.model import PipelineError, Survey

NO_SPARK: Final[Any] = None  # decoding a small log needs none
DAY_MS: Final = 86_400_000
PARTS = st.sampled_from(["a", "b", ".", "*", "?", "[ab]", "[!a]", "[a-c]", "(", "\\", "é", "\n", "$", "^"])


@given(glob=st.lists(PARTS, max_size=6).map("".join), name=st.text("abc.(\\é\n$^", max_size=6))
def test_a_pattern_means_what_it_means_in_a_shell(glob: str, name: str) -> None:
    r"""Python's regular expressions match as Java's do, except that Java's \z is \Z in Python."""
    pattern = java_pattern(glob).replace(r"\z", r"\Z")
    assert bool(re.search(pattern, name)) == fnmatch.fnmatchcase(name, glob)


def test_brackets_that_close_nothing_are_themselves() -> None:
    assert re.search(java_pattern("a[b").replace(r"\z", r"\Z"), "a[b")


@pytest.mark.parametrize(
    ("glob", "name"), [("", ""), ("billing", "billing"), ("a*", None), ("[a]", None), (None, None)]
)
def test_a_pattern_without_wildcards_is_a_name(glob: str | None, name: str | None) -> None:
    assert exact_name(glob) == name


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 11, 21, 2, 17, 44, 125_000, UTC), "2026-11-21T02:17:44.125Z"),
        (datetime(9999, 12, 31, 23, 59, 59, 999_000, UTC), "9999-12-31T23:59:59.999Z"),
    ],
)
def test_a_time_is_printed_to_the_millisecond(moment: datetime, text: str) -> None:
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    assert time_text(since.days * 86_400_000 + since.seconds * 1000 + since.microseconds // 1000) == text


def test_a_time_outside_the_calendar_is_printed_as_a_number() -> None:
    assert (time_text(-1), time_text(2**63 - 1)) == ("-1", "9223372036854775807")


def surveyed(*newest: int) -> dict[int, Survey]:
    return {number: Survey(number, {}, 1, 1, time) for number, time in enumerate(newest)}


def test_the_newest_record_of_all_log_partitions_is_the_clock() -> None:
    assert newest_ms(surveyed(5, 9, -1)) == 9


def test_a_log_that_begins_at_its_first_record_was_not_cleaned(tmp_path: Path) -> None:
    options = parse(["check", "--log-dir", str(tmp_path), "--rewind"])

    def cleaned_before_ms(*complete_from: tuple[int, int]) -> int | None:
        surveys = {
            number: Survey(number, {}, 1, 1, 99, complete_from=offset, complete_from_ms=time)
            for number, (offset, time) in enumerate(complete_from)
        }
        return reading.Reading(options, Found({}), surveys, 99).cleaned_before_ms

    assert cleaned_before_ms((0, 7), (0, 9)) is None
    assert cleaned_before_ms((0, 9), (4, 7)) == 7
    assert cleaned_before_ms((4, 7), (5, -1)) is None


def test_a_newest_record_outside_the_calendar_is_not_used_as_the_clock() -> None:
    with pytest.raises(
        PipelineError, match="9223372036854775807, which is beyond the year 9999: set --as-of"
    ):
        newest_ms(surveyed(5, 2**63 - 1))


@pytest.mark.parametrize(("removals", "origin"), [(2, "assumed"), (3, "inferred")])
def test_a_retention_is_inferred_from_three_moments_or_more(
    removals: int, origin: str, tmp_path: Path
) -> None:
    """Without Spark, because this process judges a small log."""
    times = [T0 + at * 100_000 for at in range(removals)]
    commits = [written(at, ms, "billing", "orders", at, 5) for at, ms in enumerate(times)]
    removed = [
        written(removals + at, ms + 9 * DAY_MS + at * 2_000, "billing", "orders", at, None)
        for at, ms in enumerate(times)
    ]
    segment(tmp_path / "__consumer_offsets-0", 0, *commits, *removed)
    read = begin(parse(["forecast", "--log-dir", str(tmp_path)]), 0)
    found = reading.Scan(NO_SPARK, read).retention
    assert found.origin == origin
    assert found.ms[-1] == (9 if origin == "inferred" else 7) * DAY_MS


def test_offsets_are_decoded_once(tmp_path: Path) -> None:
    segment(tmp_path / "__consumer_offsets-0", 0, written(0, T0, "billing", "orders", 0, 5))
    scan = reading.Scan(NO_SPARK, begin(parse(["forecast", "--log-dir", str(tmp_path)]), 0))
    decoded = scan._rows("offsets")
    assert decoded is not None
    assert scan._rows("offsets", latest_only=None) is decoded
