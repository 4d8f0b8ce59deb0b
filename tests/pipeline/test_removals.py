"""Why offsets were removed: logs by hand, of which Kafka's rules (reference 6 and 7) say what wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.pipeline.rows import (
    Row,
    about_group,
    classic,
    commit,
    groups_frame,
    has_columns,
    offsets_frame,
    told,
    tombstone,
)
from tidemark_pipeline.tables.columns import REMOVALS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

R: Final = 60_000
INTERVAL: Final = 10_000
Event = tuple[str | None, str, str, int | None, int]
TOPICS: Final[list[Event]] = [("t", "id-t", "created", 1, 0), ("u", "id-u", "created", 1, 1)]


def found(
    spark: SparkSession,
    rows: list[Row],
    groups: list[Row],
    *columns: str,
    events: list[Event] = TOPICS,
    retention_ms: tuple[int, ...] = (R,),
    complete_from: tuple[tuple[int, int, int], ...] = (),
) -> list[tuple[Any, ...]]:
    from tidemark_pipeline.tables.removals import COMPLETE_FROM, TOPIC_EVENTS, removals

    table = removals(
        offsets_frame(spark, rows),
        groups_frame(spark, groups),
        topic_events=spark.createDataFrame(events, TOPIC_EVENTS),
        complete_from=spark.createDataFrame([*complete_from], COMPLETE_FROM),
        retention_ms=retention_ms,
        check_interval_ms=INTERVAL,
    )
    assert has_columns(table, REMOVALS)
    return told(table, "group", "log_offset", *columns)


def gone(at: int, group: str, base: int | None = None) -> Row:
    """A classic group's tombstone, last of a batch that begins at `base`."""
    more = {} if base is None else {"batch_base_offset": base, "record_timestamp_ms": base}
    return about_group(at, 2, group, None, **more)


def test_being_due_decides_between_expiry_and_deletion(spark: SparkSession) -> None:
    """Offsets and times are the same numbers here, but in a batch: its records have the time of the first."""
    rows = [
        commit(1_000, "aged", "t", 0, 5, metadata="m", leader_epoch=3),
        tombstone(61_000, "aged", "t", 0),
        commit(1_001, "deleted", "t", 0, 5),
        tombstone(61_000, "deleted", "t", 0),
        # A group that was Stable until 50,000: its offsets count from then on, later commits too.
        commit(1_002, "emptied", "t", 0, 5),
        commit(70_000, "emptied", "t", 1, 6),
        tombstone(111_000, "emptied", "t", 0),
        tombstone(111_001, "emptied", "t", 1, record_timestamp_ms=111_000),
        # The same, deleted on request when the commits are old enough and the group is not.
        commit(1_003, "emptied-deleted", "t", 0, 5),
        tombstone(100_000, "emptied-deleted", "t", 0),
        # One offset of a Stable group that it does not read, too young and old enough; it reads u.
        commit(30_000, "reading", "t", 0, 5),
        commit(30_001, "reading", "t", 1, 5),
        tombstone(80_000, "reading", "t", 0),
        tombstone(90_001, "reading", "t", 1),
        # By a retention of its own.
        commit(2_000, "explicit", "t", 0, 5, expire_timestamp_ms=3_000, value_version=1),
        tombstone(4_000, "explicit", "t", 0),
    ]
    groups = [
        gone(61_001, "aged", 61_000),
        gone(61_001, "deleted", 61_000),
        classic(900, "emptied", 1, ("a",)),
        classic(50_000, "emptied", 2),
        gone(111_002, "emptied", 111_000),
        classic(901, "emptied-deleted", 1, ("a",)),
        classic(50_001, "emptied-deleted", 2, state_timestamp_ms=50_000),
        gone(100_001, "emptied-deleted", 100_000),
        classic(902, "reading", 1, ("a",), subscribed_topics=["u"]),
    ]
    columns = ["inferred_cause", "rule", "since_ms", "due_under_ms", "group_removed"]
    assert found(spark, rows, groups, *columns) == [
        ("aged", 61_000, "expired", "standalone", 1_000, [R], True),
        ("deleted", 61_000, "group_delete", "standalone", 1_001, [], True),
        ("emptied", 111_000, "expired", "group_empty", 50_000, [R], True),
        ("emptied", 111_001, "expired", "group_empty", 50_000, [R], True),
        ("emptied-deleted", 100_000, "group_delete", "group_empty", 50_000, [], True),
        ("explicit", 4_000, "expired", "explicit_retention", 2_000, [R], False),
        ("reading", 80_000, "offset_delete", "topic_not_subscribed", 30_000, [], False),
        ("reading", 90_001, "expired", "topic_not_subscribed", 30_001, [R], False),
    ]
    lost = ["committed_offset", "leader_epoch", "metadata", "commit_timestamp_ms", "commit_log_offset"]
    aged = ("aged", 61_000, 61_000, 5, 3, "m", 1_000, 1_000, "rule standalone: due 0.0 s before under a "
            "retention of 1 min")  # fmt: skip
    assert found(spark, rows[:2], groups[:1], "removed_at_ms", *lost, "evidence") == [aged]


def test_a_topic_takes_its_offsets_with_it(spark: SparkSession) -> None:
    rows = [
        commit(100, "by-id", "t", 0, 5, topic_id="old-t"),
        tombstone(5_100, "by-id", "t", 0),
        commit(101, "by-name", "t", 0, 5),
        tombstone(5_101, "by-name", "t", 0),
        # Its id is that of the topic that was made again.
        commit(5_200, "new-id", "t", 0, 5, topic_id="id-t"),
        tombstone(5_300, "new-id", "t", 0),
        # A commit after the removal is of the topic that was made again, whatever it tells.
        commit(11_000, "new-name", "t", 0, 5),
        tombstone(12_000, "new-name", "t", 0),
        tombstone(5_400, "cleaned", "t", 0),
        tombstone(5_401, "cleaned", "u", 0),
        # Found at the next start of the broker.
        commit(102, "late", "t", 0, 5, topic_id="old-t", commit_timestamp_ms=300_000),
        tombstone(300_001, "late", "t", 0),
    ]
    events: list[Event] = [
        ("t", "old-t", "created", None, -1),
        ("u", "id-u", "created", 1, 0),
        ("t", "old-t", "removed", 5_000, 1),
        ("t", "id-t", "created", 5_150, 2),
    ]
    columns = ["inferred_cause", "possible_causes", "topic_removed_ms"]
    assert found(spark, rows, [], *columns, events=events) == [
        ("by-id", 5_100, "topic_delete", ["topic_delete"], 5_000),
        ("by-name", 5_101, "topic_delete", ["topic_delete"], 5_000),
        ("cleaned", 5_400, "topic_delete", ["topic_delete"], 5_000),
        ("cleaned", 5_401, "unknown", ["expired", "offset_delete"], None),
        ("late", 300_001, "topic_delete", ["topic_delete"], 5_000),
        ("new-id", 5_300, "offset_delete", ["offset_delete"], None),
        ("new-name", 12_000, "offset_delete", ["offset_delete"], None),
    ]
    # Without a metadata log of that time nobody knows whether the topic went.
    for events in ([], [("u", "id-u", "created", 400_000, 0)]):
        assert found(spark, rows[4:6], [], *columns, events=events) == [
            ("new-id", 5_300, "unknown", ["offset_delete", "topic_delete"], None)
        ]


def test_what_cannot_be_told_is_said_with_what_is_possible(spark: SparkSession) -> None:
    rows = [
        # The commit is not there any more.
        tombstone(61_000, "cleaned", "t", 0),
        tombstone(61_001, "cleaned-too", "t", 0),
        # The clock of an Empty group tells without it; and nothing of a Stable group's own topics goes.
        tombstone(62_000, "emptied", "t", 0),
        tombstone(63_000, "stable", "u", 0),
        # Two retentions, and it was due under one: at its time, and long past it.
        commit(1_000, "in-time", "t", 0, 5),
        tombstone(70_000, "in-time", "t", 0),
        commit(1_001, "late", "t", 0, 5),
        tombstone(90_000, "late", "t", 0),
        commit(1_002, "late-too", "t", 0, 5),
        tombstone(90_001, "late-too", "t", 0),
        # Nothing was stored: what a transaction had not committed yet went.
        commit(1_003, "twice", "t", 0, 5),
        tombstone(61_003, "twice", "t", 0),
        tombstone(61_004, "twice", "t", 0),
    ]
    groups = [
        gone(61_001, "cleaned", 61_000),
        classic(1_500, "emptied", 2),
        classic(1_600, "stable", 2, ("a",), subscribed_topics=["u"]),
        gone(90_001, "late", 90_000),
    ]
    columns = ["inferred_cause", "possible_causes", "due_under_ms"]
    week = 10_080 * 60_000
    assert found(spark, rows, groups, *columns, retention_ms=(R, week)) == [
        ("cleaned", 61_000, "unknown", ["expired", "group_delete"], None),
        ("cleaned-too", 61_001, "unknown", ["expired", "offset_delete"], None),
        ("emptied", 62_000, "expired", ["expired"], [R]),
        ("in-time", 70_000, "expired", ["expired"], [R]),
        ("late", 90_000, "unknown", ["expired", "group_delete"], [R]),
        ("late-too", 90_001, "unknown", ["expired", "offset_delete"], [R]),
        ("stable", 63_000, "offset_delete", ["offset_delete"], []),
        ("twice", 61_003, "expired", ["expired"], [R]),
        ("twice", 61_004, "offset_delete", ["offset_delete"], []),
    ]
    # A broker that stood still removes late what is due under every retention that may have held.
    assert found(spark, rows[6:8], groups, "inferred_cause") == [("late", 90_000, "expired")]


def test_a_group_does_not_expire_before_the_last_of_its_offsets(spark: SparkSession) -> None:
    """So where one was not due, the group was deleted, the others with it."""
    rows = [
        commit(1_000, "g", "t", 0, 5),
        commit(40_000, "g", "t", 1, 5),
        tombstone(65_000, "g", "t", 0),
        tombstone(65_001, "g", "t", 1, record_timestamp_ms=65_000),
    ]
    columns = ["inferred_cause", "due_under_ms", "evidence"]
    went = "the group went in the same batch;"
    assert found(spark, rows, [gone(65_002, "g", 65_000)], *columns) == [
        (
            "g",
            65_000,
            "group_delete",
            [R],
            f"{went} another offset in it was not due under a retention of 1 min",
        ),
        (
            "g",
            65_001,
            "group_delete",
            [],
            f"{went} it was not due under a retention of 1 min (rule standalone)",
        ),
    ]


def test_the_group_counts_as_it_was_before(spark: SparkSession) -> None:
    """A KIP-848 group loses old offsets at the pass after its last member left; a classic one that was
    upgraded goes on, so its tombstone says nothing about offsets in the same batch.
    """
    batch = {"batch_base_offset": 70_000, "batch_last_offset": 70_001, "record_timestamp_ms": 70_000}
    rows = [
        commit(1_000, "next", "t", 0, 5),
        tombstone(65_000, "next", "t", 0),
        commit(66_000, "next", "t", 0, 6),
        commit(2_000, "left", "t", 0, 5),
        tombstone(80_000, "left", "t", 0),
        commit(3_000, "upgraded", "t", 0, 5),
        tombstone(70_000, "upgraded", "t", 0),
    ]
    member = {"member_id": "a"}
    groups = [
        # Subscribed to another topic, so this one's offsets age.
        about_group(500, 5, "next", {"subscribed_topics": ["u"]}, **member),
        about_group(501, 3, "next", {"epoch": 2}),
        # Subscribed until 79,000.
        about_group(600, 5, "left", {"subscribed_topics": ["t"]}, **member),
        about_group(601, 3, "left", {"epoch": 2}),
        about_group(79_000, 5, "left", None, **member),
        about_group(79_001, 3, "left", {"epoch": 3}),
        # What comes later does not count.
        about_group(90_000, 5, "left", {"subscribed_topics": ["t"]}, **member),
        about_group(70_000, 2, "upgraded", None, **batch),
        about_group(70_001, 3, "upgraded", {"epoch": 2}, **batch),
    ]
    columns = ["inferred_cause", "rule", "group_removed", "committed_again"]
    assert found(spark, rows, groups, *columns) == [
        ("left", 80_000, "expired", "topic_not_subscribed", False, False),
        ("next", 65_000, "expired", "topic_not_subscribed", False, True),
        ("upgraded", 70_000, "expired", "standalone", False, False),
    ]


def test_each_row_says_from_where_on_history_is_complete(spark: SparkSession) -> None:
    rows = [tombstone(50, "g", "t", 0), tombstone(51, "h", "t", 0, log_partition=3)]
    columns = ["history_complete_from", "history_complete_from_ms"]
    assert found(spark, rows, [], *columns, complete_from=((3, 40, 39),)) == [
        ("g", 50, None, None),
        ("h", 51, 40, 39),
    ]
