"""The verdict about one group: stories with a known truth, and the sentence that answers the ticket first."""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa
import pytest

from tests.pipeline.rows import Row, about_group, classic, commit, tombstone
from tidemark_pipeline.logs.metadata_log import TopicEvent
from tidemark_pipeline.report.coverage import Coverage
from tidemark_pipeline.retention import WEEK_MS, Retention
from tidemark_pipeline.schemas import GROUPS, OFFSETS
from tidemark_pipeline.story.passes import contradiction, find_likely
from tidemark_pipeline.story.removal import judge
from tidemark_pipeline.story.replay import replayed
from tidemark_pipeline.story.verdict import ELSEWHERE, Verdict, losses, verdict

T0: Final = 1_767_225_600_000  # 2026-01-01T00:00:00Z
MINUTE: Final = 60_000
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
NO_TOPIC_REMOVED: Final = [TopicEvent("orders", "id-1", "created", T0, 0)]


def at(ms: int, row: Row) -> Row:
    """Return the row with this time, in ms after T0. Its log offset stays."""
    more: Row = {"record_timestamp_ms": T0 + ms}
    for name in ("commit_timestamp_ms", "state_timestamp_ms"):
        if row.get(name) is not None:
            more[name] = T0 + ms
    return {**row, **more}


def about(
    group: str,
    offsets: list[Row],
    groups: list[Row],
    *,
    retention: Retention | None = None,
    events: list[TopicEvent] | None = None,
    cleaned_until: int | None = None,
    now: int,
) -> Verdict:
    logs = replayed(
        pa.Table.from_pylist(offsets, schema=OFFSETS).to_pylist(),
        pa.Table.from_pylist(groups, schema=GROUPS).to_pylist(),
    )
    retention, removed = judge(
        [each for log in logs.values() for each in log.ended],
        topic_events=NO_TOPIC_REMOVED if events is None else events,
        retention=retention or Retention.assumed(),
        kafka_4_from_ms=0,
        transactional=set(),
    )
    find_likely(removed, retention)
    found = losses(each for each in removed if each.group == group)
    coverage = Coverage(T0 + now, T0 + (cleaned_until or 0), T0, cleaned=cleaned_until is not None)
    return verdict(logs[0, group], found, retention, coverage, contradiction(removed, retention))


def gone(log_offset: int, ms: int, group: str, base: int) -> Row:
    """Return the tombstone of a classic group, the last record of the batch that begins at base."""
    row = about_group(log_offset, 2, group, None, batch_base_offset=base)
    return {**row, "record_timestamp_ms": T0 + ms}


def lived(group: str, left_at: int) -> list[Row]:
    """Return the records of a classic group whose only member joined at once and left then."""
    return [
        at(0, classic(1, group, 1, ("m",), subscribed_topics=["orders"])),
        at(left_at, classic(3, group, 2)),
    ]


KNOWN: Final = Retention.known((WEEK_MS,))


def test_expired_and_committed_again() -> None:
    passed = HOUR + WEEK_MS + 4 * MINUTE
    it = about(
        "billing",
        [
            at(HOUR, commit(2, "billing", "orders", 0, 1000)),
            at(passed, tombstone(10, "billing", "orders", 0)),
            at(passed + HOUR, commit(20, "billing", "orders", 0, 5)),
        ],
        [*lived("billing", HOUR), gone(11, passed, "billing", 10)],
        retention=KNOWN,
        now=passed + 2 * HOUR,
    )
    assert it.headline == (
        "billing lost offset 1,000 of orders-0 at 2026-01-08 01:04:00 UTC: expired, because the group had "
        "been "
        "Empty since 2026-01-01 01:00:00 UTC (7 d 4 min); the retention is 7 d. At "
        "2026-01-08 02:04:00 UTC, it started over: committed 5 on orders-0, after 1,000 was lost."
    )
    assert [event.what for event in it.events] == [
        "members_joined", "emptied", "lost", "group_removed", "started_over",
    ]  # fmt: skip


def test_idle_under_the_default_retention_with_none_given() -> None:
    it = about(
        "billing",
        [at(HOUR, commit(2, "billing", "orders", 0, 1000))],
        lived("billing", HOUR),
        now=HOUR + 6 * DAY + 12 * HOUR,
    )
    assert it.headline == (
        "Nothing in this log says that committed offsets of billing were lost; it has every record since "
        "2026-01-01 00:00:00 UTC."
    )
    assert it.now == [
        (
            "1 committed offset (orders-0 at 1,000) stored when the log ends, of a classic group with no "
            "members, Empty since 2026-01-01 01:00:00 UTC."
        ),
        (
            "orders-0 expires at 2026-01-08 01:00:00 UTC (if the retention is Kafka's default of 7 d: none "
            "was "
            "given)."
        ),
        f"A loss before 2026-01-01 00:00:00 UTC would not show. {ELSEWHERE}",
    ]


def test_a_log_that_was_cleaned_does_not_reassure() -> None:
    it = about(
        "billing",
        [at(HOUR, commit(2, "billing", "orders", 0, 1000))],
        [],
        cleaned_until=HOUR - 5_000,
        now=HOUR,
    )
    assert it.headline == (
        "Nothing in this log says that committed offsets of billing were lost, but it holds only the last "
        "5 s: the "
        "cleaner "
        "removed records before 2026-01-01 00:59:55 UTC."
    )


def test_expired_and_compacted() -> None:
    """Only the tombstone is left: it is said that the cause is not known, and why."""
    it = about(
        "billing", [at(HOUR, tombstone(10, "billing", "orders", 0))], [], now=2 * HOUR, retention=KNOWN
    )
    assert it.headline == (
        "billing lost 1 offset (orders-0) at 2026-01-01 01:00:00 UTC: the log does not show why (it "
        "expired or "
        "a client deleted it): the commit is not in the log any more, so its age is not known; "
        "neither "
        "its topic nor its group was removed with it. 1 offset is still missing "
        "when the log ends, and the log does not have its value."
    )
    assert it.events[0].certainty == "unknown"


@pytest.mark.parametrize(
    ("members", "by"),
    [
        (
            (),
            "while the group had no members, so by a tool (--reset-offsets) or by a client that commits "
            "without joining",
        ),
        (
            ("m",),
            "while the group had members, so by its application (a seek, or a restart with other offsets)",
        ),
    ],
)
def test_rewound(members: tuple[str, ...], by: str) -> None:
    it = about(
        "billing",
        [
            at(HOUR, commit(2, "billing", "orders", 0, 1000)),
            at(2 * HOUR, commit(9, "billing", "orders", 0, 0)),
        ],
        [
            at(0, classic(1, "billing", 1, ("m",), subscribed_topics=["orders"])),
            at(HOUR, classic(3, "billing", 2, members, subscribed_topics=["orders"])),
        ],
        now=3 * HOUR,
    )
    assert it.headline == (
        f"billing was set back. At 2026-01-01 02:00:00 UTC, orders-0 was rewound from 1,000 to 0 {by}."
    )


def test_deleted_by_request() -> None:
    it = about(
        "billing",
        [
            at(HOUR, commit(2, "billing", "orders", 0, 1000)),
            at(2 * HOUR, tombstone(10, "billing", "orders", 0)),
        ],
        [*lived("billing", HOUR), gone(11, 2 * HOUR, "billing", 10)],
        retention=KNOWN,
        now=3 * HOUR,
    )
    assert it.headline == (
        "billing lost offset 1,000 of orders-0 at 2026-01-01 02:00:00 UTC: a client deleted the group "
        "(DeleteGroups). 1 offset is still missing when the log ends."
    )


def test_topic_deleted_and_made_again() -> None:
    removed = [*NO_TOPIC_REMOVED, TopicEvent("orders", "id-1", "removed", T0 + 2 * HOUR - 100, 1)]
    it = about(
        "billing",
        [
            at(HOUR, commit(2, "billing", "orders", 0, 1000, topic_id="id-1")),
            at(2 * HOUR, tombstone(10, "billing", "orders", 0)),
            at(3 * HOUR, commit(20, "billing", "orders", 0, 1, topic_id="id-2")),
        ],
        [],
        events=removed,
        now=4 * HOUR,
    )
    assert it.headline == (
        "billing lost offset 1,000 of orders-0 at 2026-01-01 02:00:00 UTC: its topic was deleted. "
        "At 2026-01-01 03:00:00 UTC, it started over: committed 1 on orders-0, after 1,000 was lost."
    )


def test_the_loss_after_which_the_group_started_over_comes_before_a_later_one() -> None:
    """The topic was deleted, and the offset of the new one expired: that came second."""
    removed = [*NO_TOPIC_REMOVED, TopicEvent("orders", "id-1", "removed", T0 + 2 * HOUR - 100, 1)]
    expired = 3 * HOUR + WEEK_MS + MINUTE
    it = about(
        "billing",
        [
            at(HOUR, commit(2, "billing", "orders", 0, 1000, topic_id="id-1")),
            at(2 * HOUR, tombstone(10, "billing", "orders", 0)),
            at(3 * HOUR, commit(20, "billing", "orders", 0, 1, topic_id="id-2")),
            at(expired, tombstone(30, "billing", "orders", 0)),
        ],
        [gone(31, expired, "billing", 30)],
        events=removed,
        retention=KNOWN,
        now=expired + HOUR,
    )
    assert it.headline.startswith(
        "billing lost offset 1,000 of orders-0 at 2026-01-01 02:00:00 UTC: its topic was deleted. At "
        "2026-01-01 03:00:00 UTC, it started over: committed 1 on orders-0, after 1,000 was lost. It lost "
        "offset 1 of orders-0 at 2026-01-08 03:01:00 UTC: expired, because"
    )


def test_a_rewind_before_a_loss_is_told_before_it() -> None:
    it = about(
        "billing",
        [
            at(HOUR, commit(2, "billing", "orders", 0, 1000)),
            at(2 * HOUR, commit(3, "billing", "orders", 0, 3)),
            at(3 * HOUR, tombstone(30, "billing", "orders", 0)),
        ],
        [gone(31, 3 * HOUR, "billing", 30)],
        retention=KNOWN,
        now=4 * HOUR,
    )
    assert it.headline.startswith(
        "billing was set back. At 2026-01-01 02:00:00 UTC, orders-0 was rewound from 1,000 to 3; the "
        "group never had members, so by a tool, or by a client that assigns partitions. It lost offset 3 of "
        "orders-0 at 2026-01-01 03:00:00 UTC: a client deleted the group (DeleteGroups)."
    )


def consumer_member(log_offset: int, ms: int, *, joined: bool) -> list[Row]:
    """Return the records of a KIP-848 group whose only member joins or leaves."""
    name = "billing"
    batch: dict[str, Any] = {"batch_base_offset": log_offset, "batch_last_offset": log_offset + 2}
    member = {"subscribed_topics": ["orders"]} if joined else None
    current = {"epoch": 1, "state": 0} if joined else None
    return [
        at(ms, about_group(log_offset, 5, name, member, member_id="m", **batch)),
        at(ms, about_group(log_offset + 1, 8, name, current, member_id="m", **batch)),
        at(ms, about_group(log_offset + 2, 3, name, {"epoch": 1 if joined else 2}, **batch)),
    ]


def test_a_group_of_the_new_protocol_that_had_members_until_a_minute_ago() -> None:
    """Its offsets expire at once if they were committed more than a week ago."""
    left = WEEK_MS + DAY
    it = about(
        "billing",
        [
            at(HOUR, commit(5, "billing", "orders", 0, 1000)),
            at(left + MINUTE, tombstone(40, "billing", "orders", 0)),
        ],
        [*consumer_member(1, 0, joined=True), *consumer_member(20, left, joined=False)],
        retention=KNOWN,
        now=left + 2 * MINUTE,
    )
    assert it.headline.startswith(
        "billing lost offset 1,000 of orders-0 at 2026-01-09 00:01:00 UTC: expired, because no member was "
        "subscribed to the topic and nothing was committed since 2026-01-01 01:00:00 UTC (7 d 23 h); the "
        "retention is 7 d."
    )
    assert any("that gives a KIP-848 group no grace period" in event.sentence for event in it.events)


def test_a_wrong_retention_is_said_in_the_headline() -> None:
    """Offsets expire after a minute, again and again, of groups and in groups: a week cannot be right."""
    offsets: list[Row] = []
    groups: list[Row] = []
    for number in range(6):
        begin = number * 10 * MINUTE
        for group in (f"whole-{number}", f"part-{number}"):
            base = 1000 * number + (100 if group.startswith("part") else 0)
            passed = begin + MINUTE + 900 * number + 100
            offsets.append(at(begin, commit(base + 1, group, "orders", 0, 7)))
            offsets.append(at(passed, tombstone(base + 50, group, "orders", 0)))
            if group.startswith("whole"):
                groups.append(gone(base + 51, passed, group, base + 50))
    it = about("whole-0", offsets, groups, retention=KNOWN, now=2 * HOUR)
    assert it.headline.startswith("Warning: a retention of 7 d does not fit this log. whole-0 lost offset 7")
    assert it.limits[0].startswith(
        "a retention of 7 d (offsets.retention.minutes) does not fit this log, but a retention of 1 min would"
    )


def test_a_burst_of_removals_is_likely_a_pass() -> None:
    """Their commits are not in the log: only that many groups lose offsets at once, again and again."""
    offsets = [
        at(ms, tombstone(100 * number + place, f"group-{number}-{place}", "orders", 0, log_partition=place))
        for number, ms in enumerate((HOUR, HOUR + 10 * MINUTE, HOUR + 30 * MINUTE))
        for place in range(5)
    ]
    it = about("group-1-0", offsets, [], now=2 * HOUR)
    assert it.events[0].certainty == "likely"
    assert it.headline.startswith(
        "group-1-0 lost 1 offset (orders-0) at 2026-01-01 01:10:00 UTC: likely expired (the log alone cannot "
        "rule out that a client deleted it)."
    )
    assert it.events[0].sentence.startswith(
        "it lost 1 offset (orders-0): likely expired: 5 offsets of 5 groups were removed within 0 ms, 10 min "
        "after the last such burst, as cleanup passes do"
    )


def test_bursts_contradict_a_retention_under_which_nothing_was_due() -> None:
    offsets: list[Row] = []
    groups: list[Row] = []
    for number in range(3):
        begin = number * 10 * MINUTE
        for place in range(2):
            group = f"group-{number}-{place}"
            base, passed = 100 * number + 10, begin + MINUTE + 100
            offsets.append(at(begin, commit(base, group, "orders", 0, 7, log_partition=place)))
            offsets.append(at(passed, tombstone(base + 50, group, "orders", 0, log_partition=place)))
            groups.append({**gone(base + 51, passed, group, base + 50), "log_partition": place})
    it = about("group-0-0", offsets, groups, retention=KNOWN, now=2 * HOUR)
    assert it.headline.startswith(
        "Warning: a retention of 7 d does not fit this log. group-0-0 lost offset 7"
    )
    assert it.limits[0] == (
        "offsets of several groups were removed at one moment, 3 times, as cleanup passes do, "
        "though none was due under offsets.retention.minutes=10080 (given): is that the retention of this "
        "cluster?"
    )


def test_what_is_missing_can_be_given_back_unless_its_topic_was_deleted() -> None:
    offsets = [
        at(HOUR, commit(2, "billing", "orders", 1, 1000)),
        at(2 * HOUR, tombstone(10, "billing", "orders", 1)),
        at(HOUR, commit(3, "billing", "doomed", 0, 7)),
        at(2 * HOUR, tombstone(11, "billing", "doomed", 0)),
    ]
    removed = [*NO_TOPIC_REMOVED, TopicEvent("doomed", "id-2", "removed", T0 + 2 * HOUR - 100, 1)]
    assert about("billing", offsets, [], events=removed, now=3 * HOUR).give_back == ["orders,1,1000"]
