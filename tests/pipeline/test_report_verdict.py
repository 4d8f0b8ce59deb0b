"""The verdict of the report: sentences for every combination of removals, expiry and retention."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from tests.pipeline.report_data import DATA, HOUR_MS, NOW_MS, lost_offset
from tidemark_pipeline.report.coverage import Coverage
from tidemark_pipeline.report.data import Cause, Coming, Expiring, Losing, LostGroup, Removed, Totals
from tidemark_pipeline.report.verdict import (
    coming_sentence,
    headline,
    long_span,
    lost_sentences,
    removals_sentence,
    retention_name,
    retention_sentences,
)
from tidemark_pipeline.retention import MINUTE_MS, WEEK_MS, Evidence, Retention

DAY: Final = 1440 * MINUTE_MS
KNOWN: Final = Retention.known([WEEK_MS])
ASSUMED: Final = Retention.assumed()
SEVERAL: Final = Retention.known([DAY, WEEK_MS])
RANGE: Final = Retention(
    "inferred",
    (1435 * MINUTE_MS, DAY),
    evidence=Evidence(1435 * MINUTE_MS, DAY, DAY + 6000, DAY + 54_000, 7),
)
FIRST_MS: Final = NOW_MS - 30 * HOUR_MS
BETWEEN: Final = "between 2026-11-20 06:00 and 2026-11-21 12:00 UTC"
UNKNOWN: Final = ("expired", "group_delete")


def removed(*causes: Cause, first_ms: int = FIRST_MS) -> Removed:
    return Removed(causes, first_ms, NOW_MS)


def expired(number: int, rule: str | None = "group_empty") -> Cause:
    return Cause("expired", rule, ("expired",), number)


def deleted(number: int, cause: str = "offset_delete") -> Cause:
    return Cause(cause, "standalone", (cause,), number)


def unknown(number: int, possible: tuple[str, ...] = UNKNOWN) -> Cause:
    return Cause("unknown", None, possible, number)


@pytest.mark.parametrize(
    ("found", "retention", "said"),
    [
        (Removed(), KNOWN, "No removal of a committed offset is in the log."),
        (
            removed(unknown(2), deleted(1), deleted(2, "group_delete"), expired(28)),
            KNOWN,
            f"33 committed offsets were removed {BETWEEN}: 28 expired because their groups were empty "
            "for 7 days, 3 were deleted by request, for 2 the log does not show why (expired or deleted by "
            "request).",
        ),
        (
            removed(expired(1), first_ms=NOW_MS),
            KNOWN,
            "1 committed offset was removed at 2026-11-21 12:00 UTC: it expired because its group was empty "
            "for 7 days.",
        ),
        (
            removed(expired(3)),
            ASSUMED,
            f"3 committed offsets were removed {BETWEEN}: all 3 expired because their groups were empty.",
        ),
        (
            removed(expired(3)),
            SEVERAL,
            f"3 committed offsets were removed {BETWEEN}: all 3 expired because their groups were empty.",
        ),
        (
            removed(expired(3)),
            RANGE,
            f"3 committed offsets were removed {BETWEEN}: all 3 expired because their groups were empty.",
        ),
        (
            removed(unknown(2, ("offset_delete", "group_delete")), deleted(1)),
            ASSUMED,
            f"3 committed offsets were removed {BETWEEN}: all 3 were deleted by request.",
        ),
        (
            removed(unknown(4)),
            ASSUMED,
            f"4 committed offsets were removed {BETWEEN}: the log does not show why "
            "(expired or deleted by request).",
        ),
        (
            removed(unknown(1), unknown(2, ("offset_delete", "topic_delete"))),
            ASSUMED,
            f"3 committed offsets were removed {BETWEEN}: the log does not show why "
            "(expired, deleted by request or removed with the topic).",
        ),
        (
            removed(
                expired(5, "topic_not_subscribed"),
                expired(4, "standalone"),
                expired(3, "explicit_retention"),
                expired(2, None),
                deleted(1, "topic_delete"),
            ),
            Retention.known([90 * MINUTE_MS]),
            f"15 committed offsets were removed {BETWEEN}: 5 expired 90 minutes after the commit because no "
            "member was subscribed to the topics, 4 expired 90 minutes after the commit in groups that never "
            "had members, 3 expired by the retention that their commits set, 2 expired, 1 was removed with "
            "its topic.",
        ),
        (
            removed(expired(1200), expired(34), deleted(1)),
            KNOWN,
            f"1,235 committed offsets were removed {BETWEEN}: 1,234 expired because their groups were empty "
            "for 7 days, 1 was deleted by request.",
        ),
    ],
)
def test_removals_are_counted_by_cause(found: Removed, retention: Retention, said: str) -> None:
    assert removals_sentence(found, retention) == said


def losing(group: str, *, due: int = 0, next_day: int = 0, at_ms: int = NOW_MS + HOUR_MS) -> Losing:
    first = [Expiring("t", 0, at_ms, bool(due), "group_empty")]
    return Losing(group, "Empty", 9, 9, due, next_day, first, "A sentence.")


def test_offsets_that_expire_within_a_day_are_counted_with_their_groups() -> None:
    three = [losing(each, next_day=2) for each in "abc"]
    coming = Coming(groups=50, losing=40, offsets=99, next_day=7, next_day_groups=3, never=9)
    assert (
        coming_sentence(coming, three, NOW_MS, more=True)
        == "7 more expire within a day, the first in 1 h, in groups a, b, c."
    )
    assert coming_sentence(coming, three, NOW_MS).startswith("7 committed offsets expire within a day")
    many = Coming(groups=50, losing=44, offsets=99, next_day=1, next_day_groups=44, never=9)
    assert coming_sentence(many, three, NOW_MS, more=True) == (
        "1 more expires within a day, the first in 1 h, in groups a, b, c and 41 more."
    )


def test_overdue_offsets_come_first() -> None:
    coming = Coming(groups=2, losing=2, offsets=9, due=1, due_groups=1, next_day=2, next_day_groups=1)
    groups = [losing("late", due=1), losing("soon", next_day=2)]
    assert coming_sentence(coming, groups, NOW_MS) == (
        "1 committed offset is overdue, in group late: the next cleanup pass removes it. "
        "2 more expire within a day, the first in 1 h, in group soon."
    )


def test_without_expiry_within_a_day_the_next_one_is_named() -> None:
    coming = Coming(groups=2, losing=1, offsets=9)
    later = [losing("later", at_ms=NOW_MS + 2 * DAY + 4 * HOUR_MS)]
    assert coming_sentence(coming, later, NOW_MS) == (
        "No committed offset expires within a day; the next one, of group later, expires in 2 d 4 h."
    )
    never = Coming(groups=2, offsets=9, never=9)
    assert coming_sentence(never, [], NOW_MS) == "No committed offset expires (9 are stored)."
    assert coming_sentence(Coming(), [], NOW_MS) == "No committed offset is stored when the log ends."


def test_what_is_still_missing_and_what_can_be_given_back_is_counted() -> None:
    def said(*offsets: dict[str, object], is_cut: bool = False) -> list[str]:
        group = LostGroup("g", [lost_offset(at, **given) for at, given in enumerate(offsets)], "")
        return list(lost_sentences(removed(expired(len(offsets))), [group], is_cut=is_cut))

    kept: dict[str, object] = {"left_out": "of a negative offset"}
    again: dict[str, object] = {"left_out": "committed again since", "committed_again": True}
    assert said({}, {}, again) == [
        "2 offsets of 1 group are still missing when the log ends. All of them can be given back."
    ]
    assert said({}, kept, kept) == [
        "3 offsets of 1 group are still missing when the log ends. 1 of them can be given back."
    ]
    assert said(kept, kept) == [
        "2 offsets of 1 group are still missing when the log ends. None of them can be given back."
    ]
    assert said({}) == ["1 offset of 1 group is still missing when the log ends. It can be given back."]
    assert said(kept) == ["1 offset of 1 group is still missing when the log ends. It cannot be given back."]
    assert said(again) == ["Its group has committed it again since."]
    assert said(again, again) == ["Their groups have committed all of them again since."]
    assert said({}, {}, is_cut=True) == list(lost_sentences(Removed(), [], is_cut=False)) == []


NOTHING: Final = (
    "Nothing in this log says that committed offsets were lost; it has every record since "
    "2026-11-20 12:00:00 UTC"
)


@pytest.mark.parametrize(
    ("found", "coming", "lost", "said"),
    [
        (Removed(), Coming(), 0, f"{NOTHING}, none expires within a day"),
        (Removed(), Coming(next_day=1), 0, f"{NOTHING}, 1 expires within a day, the first in 1 h 30 min"),
        (removed(expired(1)), Coming(), 1, "1 committed offset is lost, none expires within a day"),
        (removed(expired(9)), Coming(due=2), 3, "3 committed offsets are lost, 2 more are overdue"),
        (
            removed(expired(9)),
            Coming(due=1),
            0,
            "9 committed offsets were lost and committed again, 1 is overdue",
        ),
        (
            removed(expired(20_000)),
            Coming(due=2, next_day=1),
            None,
            "20,000 committed offsets were removed, 3 more expire within a day",
        ),
    ],
)
def test_the_headline_is_the_shortest_answer(
    found: Removed, coming: Coming, lost: int | None, said: str
) -> None:
    missing = LostGroup("a", [lost_offset(number) for number in range(lost or 0)], "")
    data = replace(
        DATA,
        subject=replace(DATA.subject, retention=KNOWN),
        removed=found,
        coming=coming,
        lost=[missing],
        lost_is_cut=lost is None,
        totals=Totals(),
    )
    assert headline(data) == said


def test_the_headline_says_what_it_assumes_and_what_the_log_does_not_hold() -> None:
    cleaned = Coverage(NOW_MS, NOW_MS - 5_000, NOW_MS - DAY, cleaned=True)
    data = replace(
        DATA,
        subject=replace(DATA.subject, coverage=cleaned),
        removed=Removed(),
        coming=Coming(),
        lost=[],
        totals=Totals(rewound=3, rewound_groups=1),
    )
    assert headline(data) == (
        "Nothing in this log says that committed offsets were lost, but it holds only the last 5 s: the "
        "cleaner "
        "removed records before 2026-11-21 11:59:55 UTC, 1 group went back to lower offsets, none expires "
        "within a "
        "day if the retention is 7 d"
    )
    doubted = replace(data.subject, retention=replace(KNOWN, doubt=RANGE.evidence))
    assert headline(replace(data, subject=doubted)).endswith(
        "; the retention that was given contradicts this log"
    )


FITS: Final = " A cause is stated only if it holds for every retention that fits the log."


def test_the_retention_is_named_with_its_origin() -> None:
    start = "This goes by offsets.retention.minutes="
    assert retention_sentences(KNOWN) == [f"{start}10080 (7 d), given."]
    counted = "Expiry is counted under the first of them, 1 d."
    assert retention_sentences(SEVERAL) == [f"{start}1440,10080, given. {counted}"]
    (inferred,) = retention_sentences(RANGE)
    ages = "offsets were removed at ages of 1440.1 to 1440.9 min at 7 moments"
    assert inferred == f"{start}1435 to 1440, inferred: {ages}.{FITS}"
    (assumed,) = retention_sentences(ASSUMED)
    assert assumed.startswith(f"{start}10080 (7 d), assumed: ") and "--retention-minutes" in assumed
    doubted = retention_sentences(replace(KNOWN, doubt=RANGE.evidence))[1]
    assert doubted.startswith(
        "Warning: a retention of 7 d (offsets.retention.minutes) does not fit this log, but "
    )
    assert doubted.endswith(".") and not doubted.endswith("..")
    assert [retention_name(DAY, each) for each in (SEVERAL, RANGE)] == ["1440 (1 d)", "1440 (1 d), inferred"]


def test_a_retention_is_spelled_in_its_largest_whole_unit() -> None:
    spelled = {1: "1 minute", 60: "1 hour", 90: "90 minutes", 1440: "1 day", 10_080: "7 days"}
    assert {minutes: long_span(minutes * MINUTE_MS) for minutes in spelled} == spelled
