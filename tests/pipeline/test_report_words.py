"""Numbers, times and lists of the report as text."""

from __future__ import annotations

import pytest

from tests.pipeline.report_data import NOW_MS
from tidemark_expiry.rules import Rule
from tidemark_pipeline.report.words import (
    hint,
    in_words,
    listed,
    moment,
    partitions,
    plural,
    retold,
    rule_words,
    seen,
    span,
    worded,
)


@pytest.mark.parametrize(
    ("ms", "said"),
    [(0, "0 s"), (59_000, "59 s"), (90_000, "1 min 30 s"), (604_800_000, "7 d"), (-3_700_000, "1 h 1 min")],
)
def test_a_duration_is_printed_in_its_two_largest_units(ms: int, said: str) -> None:
    assert span(ms) == said


def test_a_moment_beyond_all_dates_is_a_number() -> None:
    assert moment(NOW_MS) == "2026-11-21 12:00:00 UTC"
    assert moment(2**63 - 1) == "9223372036854775807 ms"


def test_a_hint_is_relative_to_the_time_of_the_report() -> None:
    assert hint(NOW_MS - 3 * 3_600_000, NOW_MS) == "3 h earlier"
    assert hint(NOW_MS + 187_200_000, NOW_MS) == "in 2 d 4 h"
    assert hint(NOW_MS, NOW_MS) == hint(2**63 - 1, NOW_MS) == ""


def test_a_long_list_is_shortened() -> None:
    assert listed(["a", "", "c"]) == 'a, "", c'
    assert listed(["a", "b", "c", "d"]) == "a, b, c and 1 more"
    assert listed(["a", "b", "c", "d"], 1044) == "a, b, c and 1,041 more"
    assert [in_words(each) for each in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]


def test_partitions_are_ranges() -> None:
    assert partitions([("b", 1), ("a", 2), ("a", 0), ("a", 1), ("a", 7)]) == "a-0 to 2, a-7, b-1"


def test_times_within_a_sentence_have_the_format_of_the_page() -> None:
    assert retold("due 604800.0 s before 2026-11-21T02:19:39.929Z, 0.8 s late") == (
        "due 7 d before 2026-11-21 02:19:39 UTC, 0.8 s late"
    )
    group = "daily-2026-11-21T02:19:39Z"
    assert retold(f"Group {group} is Empty.", [group]) == f"Group {group} is Empty."


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        (
            "rule group_empty: due 605079.1 s before under a retention of 10080 min",
            "group empty: due 7 d 4 min before under a retention of 7 d",
        ),
        (
            "rule topic_not_subscribed: due 0.8 s before under a retention of 1 min",
            "topic not subscribed: due 0.8 s before under a retention of 1 min",
        ),
        (
            "rule standalone: 608700.0 s old, due under a retention of 10080 to 10143 min (inferred)",
            "never had members: 7 d 1 h old, due under a retention of 7 d to 7 d 1 h 3 min (inferred)",
        ),
        (
            "it was not due under a retention of 1440, 90 min (rule explicit_retention)",
            "it was not due under a retention of 1 d, 1 h 30 min",
        ),
        ("due only if offsets.retention.minutes was at most 1", None),
    ],
)
def test_evidence_has_words_for_rules_that_are_reasons_and_units_up_to_days(
    evidence: str, said: str | None
) -> None:
    assert worded(evidence) == (said or evidence)


def test_every_rule_has_words() -> None:
    words = [rule_words(rule) for rule in Rule]
    assert len(set(words)) == len(Rule) and not any("_" in each for each in words)
    assert rule_words("a_rule_of_later") == "a_rule_of_later"


def test_invisible_characters_are_shown_as_codes() -> None:
    assert seen("a\0b\nc\ud800") == "a\\u0000b\\u000ac\\ud800"


def test_one_has_no_plural() -> None:
    assert [plural(each, "group") for each in (0, 1, 2000)] == ["0 groups", "1 group", "2,000 groups"]
