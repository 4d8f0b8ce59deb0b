"""Durations as users write them. One parser reads them for all commands and for the HTTP API."""

from __future__ import annotations

import pytest

from tidemark_expiry.durations import A_DURATION, read_duration


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("0s", 0),
        ("250ms", 250),
        ("90s", 90_000),
        ("30m", 1_800_000),
        ("90min", 5_400_000),
        ("12h", 43_200_000),
        ("7d", 604_800_000),
        ("2w", 1_209_600_000),
        ("1d12h", 129_600_000),
        ("1h5m2s7ms", 3_902_007),
        ("9007199254740992ms", 9_007_199_254_740_992),
    ],
)
def test_a_number_with_a_unit_or_several_is_a_duration(text: str, ms: int) -> None:
    assert read_duration(text) == ms


@pytest.mark.parametrize(
    "text",
    [
        "", "7", "d", "7x", "1y", "-7d", "7 d", "7d ", "7d\n", "1.5h", "1d12", "P7D", "7D", "\u0667d",
        "9007199254740993ms", "99999999999999999d", "9999999999999999w",
    ],
)  # fmt: skip
def test_other_texts_are_not(text: str) -> None:
    assert read_duration(text) is None


def test_the_text_for_messages_has_durations_and_all_units() -> None:
    assert A_DURATION == "a duration such as 90s, 30min, 7d or 1d12h (units: ms, s, min or m, h, d, w)"
    assert [read_duration(each) for each in ("90s", "30min", "7d", "1d12h")].count(None) == 0
