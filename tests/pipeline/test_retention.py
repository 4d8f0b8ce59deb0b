"""The retention that the command infers from the ages at which offsets were removed."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from tidemark_pipeline.retention import Aged, Evidence, infer

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
