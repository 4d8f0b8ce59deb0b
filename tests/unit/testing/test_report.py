from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidemark_testing.report import GROUPS_MAX, LINES_MAX, UNITS, span, story, timeline
from tidemark_testing.responses import Group, Moved, Offset, Removal

NOON_MS = 1_800_000_000_000  # 2027-01-15T08:00:00Z
DAY_MS = 86_400_000


def an_offset(partition: int = 0, **fields: object) -> Offset:
    known = {"committed_ms": NOON_MS, "since_ms": NOON_MS + 1, "rule": "group_empty", "explanation": "Why."}
    return Offset("g", "orders", partition, 7, **{**known, **fields})  # type: ignore[arg-type]


def a_removal(**fields: object) -> Removal:
    known = {"committed_ms": NOON_MS, "since_ms": NOON_MS, "rule": "group_empty", "explanation": "Because."}
    made = {**known, "cause": "expired", "at_ms": NOON_MS + 8 * DAY_MS, **fields}
    return Removal("g", "orders", 0, 7, **made)  # type: ignore[arg-type]


def test_events_are_listed_in_order() -> None:
    group = Group("g", state="Empty", state_since_ms=NOON_MS + 1)
    moved = Moved(NOON_MS + 8 * DAY_MS, 8 * DAY_MS - 2)
    kept = an_offset(1, due_ms=NOON_MS + 20 * DAY_MS)
    assert timeline(group, [kept], [a_removal()], [moved], NOON_MS + 9 * DAY_MS) == [
        "2027-01-15T08:00:00Z      orders-1 committed at offset 7",
        "2027-01-15T08:00:00Z      orders-0 committed at offset 7",
        "2027-01-15T08:00:00Z      group_empty counts from here",
        "2027-01-15T08:00:00.001Z  the group is Empty",
        "2027-01-15T08:00:00.001Z  group_empty counts from here",
        "2027-01-15T08:00:00.002Z  time moved by 7 d 23 h 59 min 59 s 998 ms",
        "2027-01-23T08:00:00Z      orders-0 gone. Because.",
        "2027-01-24T08:00:00Z      now",
        "2027-02-04T08:00:00Z      orders-1 due. Why.",
    ]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"due_ms": None}, "orders-0 stays. Why."),
        ({"due_ms": NOON_MS + DAY_MS}, "orders-0 due. Why."),
        ({"due_ms": NOON_MS - DAY_MS, "expired": True}, "orders-0 is due; the next pass takes it. Why."),
    ],
)
def test_future_events_follow_now(fields: dict[str, object], told: str) -> None:
    *_, now, last = timeline(None, [an_offset(committed_ms=0, since_ms=None, **fields)], [], [], NOON_MS)
    assert now.endswith("now")
    assert last.endswith(told)


def test_a_time_outside_of_the_calendar_is_shown_as_a_number() -> None:
    assert "ms since 1970" in timeline(None, [an_offset(committed_ms=2**63 - 1)], [], [], NOON_MS)[-1]


def test_a_removed_group_is_listed_with_its_removals() -> None:
    told = story([Group("left", state="Empty")], [], [a_removal()], [], NOON_MS + 9 * DAY_MS)
    assert told.splitlines()[0] == "group g: gone"
    assert "group left: classic, Empty, 0 members, 0 offsets" in told


def test_a_story_without_groups_is_described_as_such() -> None:
    assert story([], [], [], [Moved(NOON_MS, 1)], NOON_MS) == "There is no group, and no offset was removed."


def test_a_long_story_is_shortened_in_the_middle() -> None:
    offsets = [an_offset(n, committed_ms=NOON_MS + n) for n in range(1000)]
    told = timeline(None, offsets, [], [], NOON_MS + DAY_MS)
    assert len(told) == LINES_MAX + 1
    assert told[0].endswith("orders-0 committed at offset 7")
    assert told[LINES_MAX // 2].endswith("lines left out ...")
    many = story([Group(f"g{n}") for n in range(100)], [], [], [], NOON_MS)
    assert many.endswith(f"... and {100 - GROUPS_MAX} more groups")


@given(st.integers(min_value=1, max_value=10**15))
def test_a_span_is_the_sum_of_its_units(ms: int) -> None:
    sizes = {unit: size for size, unit in UNITS}
    words = span(ms).split()
    parts = list(zip(map(int, words[0::2]), words[1::2], strict=True))
    assert sum(count * sizes[unit] for count, unit in parts) == ms
    assert all(count > 0 for count, _ in parts)
    assert span(-ms) == f"-{span(ms)}"


def test_a_span_of_zero() -> None:
    assert span(0) == "0 ms"
