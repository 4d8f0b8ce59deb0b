"""The retention that the command infers from the ages at which offsets were removed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tidemark_pipeline.retention import Aged, Ages, Evidence, Retention, concluded, infer

SECOND = 1_000
MINUTE = 60 * SECOND
DAY = 1_440 * MINUTE
WEEK = 7 * DAY
PASSES_MS = 600_000  # Kafka's offsets.retention.check.interval.ms


def removed(*ages_ms: int, apart_ms: int = PASSES_MS) -> list[Aged]:
    """One removal at each pass."""
    return [Aged(age, number * apart_ms) for number, age in enumerate(ages_ms)]


def bounds(found: Evidence | None) -> tuple[int, int] | None:
    return found and (found.shortest_ms, found.longest_ms)


def test_ages_just_above_a_minute_at_three_passes_mean_one_minute() -> None:
    found = infer(removed(61_900, 60_300, 60_800), PASSES_MS)
    assert found == Evidence(MINUTE, MINUTE, 60_300, 61_900, 3)
    assert found.minutes == "1"


@pytest.mark.parametrize(
    "ages",
    [
        (),
        (60_300, 61_900),
        (50_000, 51_000, 52_000),  # no broker has a retention below a minute
        (70_000, 80_000, 90_000),  # too far above a whole minute, and from each other
        (61_000, 5 * MINUTE, 3 * DAY),
    ],
)
def test_few_or_arbitrary_ages_mean_nothing(ages: Sequence[int]) -> None:
    assert infer(removed(*ages), PASSES_MS) is None


def test_removals_of_one_pass_count_once() -> None:
    """One DeleteGroups of many groups would look the same, so one pass proves nothing."""
    assert infer(removed(60_300, 60_800, 61_900, apart_ms=SECOND), PASSES_MS) is None


def test_expiries_at_the_same_age_are_found_among_deletions() -> None:
    deleted = [3 * DAY, WEEK - DAY, WEEK + 3_600_000, 2 * WEEK]
    expired = [WEEK + 1, WEEK + 4 * MINUTE, WEEK + 9 * MINUTE + 59_000]
    found = infer(removed(*deleted, *expired), PASSES_MS)
    assert bounds(found) == (WEEK, WEEK)
    assert found is not None and (found.youngest_ms, found.oldest_ms) == (expired[0], expired[2])


def test_a_retention_that_is_only_known_roughly_has_bounds() -> None:
    found = infer(removed(WEEK + MINUTE, WEEK + 2 * MINUTE, WEEK + 3 * MINUTE), PASSES_MS)
    assert bounds(found) == (WEEK - 7 * MINUTE, WEEK + MINUTE)
    assert found is not None and found.minutes == "10073 to 10081"


@pytest.mark.parametrize("retention_ms", [MINUTE, 60 * MINUTE, DAY, WEEK])
def test_the_retention_of_a_broker_is_within_the_bounds(retention_ms: int) -> None:
    """If passes are rarer than ten minutes or a tenth of the retention, the ages differ too much."""
    drawn = random.Random(retention_ms)
    every_ms = min(PASSES_MS, retention_ms // 10)
    expired = [retention_ms + drawn.randrange(every_ms) for _ in range(50)]
    deleted = [drawn.randrange(2 * retention_ms) for _ in range(20)]
    found = infer(removed(*expired, *deleted), PASSES_MS)
    assert found is not None and found.shortest_ms <= retention_ms <= found.longest_ms


def test_time_is_proportional_to_the_number_of_ages() -> None:
    """An algorithm of quadratic time would need hours."""
    every = [Aged(WEEK + 3 * number, number * PASSES_MS) for number in range(200_000)]
    assert bounds(infer(every, PASSES_MS)) == (WEEK, WEEK)


def of_both_kinds(*ages_ms: int) -> list[Aged]:
    """Return removals of groups and of single offsets at each age, one pass each."""
    return [
        Aged(age, number * PASSES_MS, kind) for number, age in enumerate(ages_ms) for kind in (True, False)
    ]


HOURLY = [61 * MINUTE, 62 * MINUTE, 64 * MINUTE]


def test_the_origin_is_known_inferred_or_assumed() -> None:
    assumed = Retention.assumed(PASSES_MS)
    assert (assumed.origin, assumed.minutes, assumed.forecast_ms) == ("assumed", "10080", (WEEK,))
    found = concluded(assumed, Ages(removed(WEEK + MINUTE, WEEK + 2 * MINUTE, WEEK + 3 * MINUTE)))
    assert (found.origin, found.minutes) == ("inferred", "10073 to 10081")
    assert found.forecast_ms == (WEEK + MINUTE,)
    assert "at ages of 10081.0 to 10083.0 min at 3 moments" in found.text
    known = Retention.known([DAY, WEEK], PASSES_MS)
    assert concluded(known, Ages([])) == known
    assert (known.text, known.forecast_ms) == ("offsets.retention.minutes=1440,10080 (given)", (DAY, WEEK))
    assert concluded(assumed, Ages([])) == assumed


def test_a_script_of_one_kind_of_request_does_not_decide_about_causes() -> None:
    """It deletes groups at a fixed age, and never single offsets. Only Kafka's default is above suspicion."""
    groups_only = [Aged(age, age, True) for age in HOURLY]
    assert (found := infer(groups_only, PASSES_MS)) is not None and not found.decisive
    assert (found := infer(of_both_kinds(*HOURLY), PASSES_MS)) is not None and found.decisive
    assert (found := infer(of_both_kinds(*HOURLY)[:3], PASSES_MS)) is None
    week = [Aged(WEEK + age, age, True) for age in HOURLY]
    assert (found := infer(week, PASSES_MS)) is not None and not found.decisive
    week = [Aged(WEEK + number, number * PASSES_MS, True) for number in range(3)]
    assert (found := infer(week, PASSES_MS)) is not None and found.decisive


@pytest.mark.parametrize(
    ("left_ms", "longer"),
    [(2 * DAY, []), (None, removed(2 * DAY, 3 * DAY, 4 * DAY, 5 * DAY, apart_ms=DAY))],
    ids=["left", "removed later"],
)
def test_offsets_that_outlive_the_repeated_ages_refute_them(left_ms: int | None, longer: list[Aged]) -> None:
    ages = of_both_kinds(*HOURLY)
    assert concluded(Retention.assumed(PASSES_MS), Ages(ages, left_ms=65 * MINUTE)).origin == "inferred"
    assert concluded(Retention.assumed(PASSES_MS), Ages(ages + longer, left_ms=left_ms)).origin == "assumed"


def test_offsets_that_outlive_the_repeated_ages_now_and_then_leave_the_causes_open() -> None:
    """A test suite deletes groups and offsets at about the same age, and other groups expire much later."""
    longer = removed(2 * DAY, 3 * DAY, 4 * DAY, apart_ms=DAY)
    for count, decisive in ((2, True), (3, False)):
        ages = Ages(of_both_kinds(*HOURLY) + longer[:count])
        found = concluded(Retention.assumed(PASSES_MS), ages)
        assert found.evidence is not None and found.evidence.decisive == decisive
    held = [replace(each, held=True) for each in longer]
    found = concluded(Retention.assumed(PASSES_MS), Ages(of_both_kinds(*HOURLY) + held))
    assert found.evidence is not None and found.evidence.decisive


def test_a_known_retention_that_does_not_explain_the_log_is_contradicted() -> None:
    """Ages that only a script of one kind of request repeats do not contradict it."""
    known = Retention.known([WEEK], PASSES_MS)
    found = concluded(known, Ages(of_both_kinds(*HOURLY)))
    assert found.contradiction == (
        "a retention of 10080 min (offsets.retention.minutes) does not fit this log, but a retention of 54 "
        "to 61 min would: offsets that were not due were removed at ages of 61.0 to 64.0 min at 3 moments"
    )
    assert found.facts()["retention_contradiction"] == found.contradiction
    assert (found.ms, found.origin) == ((WEEK,), "known")
    scripted = [Aged(age, age, True) for age in HOURLY]
    assert concluded(known, Ages(scripted)).contradiction is None
    kept = concluded(Retention.known([30 * MINUTE], 5 * MINUTE), Ages(of_both_kinds(*HOURLY)))
    assert kept.contradiction == (
        "a retention of 30 min (offsets.retention.minutes) does not fit this log, but a retention of 59 to "
        "61 min would: offsets were removed at ages of 61.0 to 64.0 min at 3 moments, while others that were "
        "due were kept"
    )


def test_a_retention_that_explains_as_many_removals_is_not_contradicted() -> None:
    """A test suite deletes groups and offsets at about the same age in each of its runs."""
    known, tests = Retention.known([WEEK], PASSES_MS), of_both_kinds(*HOURLY)
    assert concluded(known, Ages(tests, explained=2)).contradiction is not None
    assert concluded(known, Ages(tests, explained=3)).contradiction is None


@pytest.mark.parametrize("seed", range(200))
def test_a_correct_retention_is_not_contradicted_by_deletions_at_random_ages(seed: int) -> None:
    drawn = random.Random(seed)
    retention_ms = drawn.choice([DAY, WEEK, 4 * WEEK])
    ages = [
        Aged(drawn.randrange(retention_ms), drawn.randrange(12 * WEEK), drawn.random() < 0.5)
        for _ in range(drawn.randrange(20))
    ]
    assert concluded(Retention.known([retention_ms], PASSES_MS), Ages(ages)).contradiction is None
