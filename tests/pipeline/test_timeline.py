"""The history of groups, from records in the order and the batches in which Kafka writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.pipeline.rows import Row, about_group, classic, groups_frame, has_columns, told
from tidemark_pipeline.tables.columns import TIMELINE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]


def timeline(spark: SparkSession, rows: list[Row], *columns: str) -> list[tuple[Any, ...]]:
    from tidemark_pipeline.tables.timeline import group_timeline

    found = group_timeline(groups_frame(spark, rows))
    assert has_columns(found, TIMELINE)
    return told(found, "log_offset", *columns)


def batch(base: int, *rows: tuple[int, Row | None], group: str = "next", **more: Any) -> list[Row]:
    """Return records of one batch, at consecutive offsets from `base`."""
    last = base + len(rows) - 1
    place = {"record_timestamp_ms": base, "batch_base_offset": base, "batch_last_offset": last}
    return [
        about_group(base + index, key_version, group, None if value and "gone" in value else value,
                    member_id=(value or {}).get("member_id"), **place, **more)
        for index, (key_version, value) in enumerate(rows)
    ]  # fmt: skip


def member(name: str) -> Row:
    return {"member_id": name}


def gone(name: str) -> Row:
    return {"member_id": name, "gone": True}


def current(name: str, epoch: int, state: int = 0) -> Row:
    return {"member_id": name, "epoch": epoch, "state": state}


def epoch(number: int) -> Row:
    return {"epoch": number}


FIRST_JOIN = batch(1, (5, member("a")), (3, epoch(2)), (7, member("a")), (6, epoch(2)), (8, current("a", 2)))


def test_a_classic_group_is_created_rebalances_empties_and_is_removed(spark: SparkSession) -> None:
    rows = [
        classic(10, "g", 0, protocol_type="", state_timestamp_ms=9),
        classic(12, "g", 1, ("a",)),
        classic(15, "g", 2, ("a", "b")),
        classic(19, "g", 3),
        about_group(90, 2, "g", None),
        classic(100, "g", 1, ("c",)),
        about_group(
            50, 2, "simple", None
        ),  # the tombstone of a simple group, the only group record that it has
    ]
    columns = ["group", "what", "previous_state", "state", "epoch", "members", "since_previous_ms"]
    assert timeline(spark, rows, *columns) == [
        (10, "g", "created", None, "Empty", 0, 0, None),
        (12, "g", "rebalanced", "Empty", "Stable", 1, 1, 2),
        (15, "g", "rebalanced", "Stable", "Stable", 2, 2, 3),
        (19, "g", "emptied", "Stable", "Empty", 3, 0, 4),
        (50, "simple", "deleted", None, "Dead", None, 0, None),
        (90, "g", "deleted", "Empty", "Dead", None, 0, 71),
        (100, "g", "rebalanced", "Dead", "Stable", 1, 1, 10),
    ]
    columns = ["protocol_type", "protocol", "leader", "state_timestamp_ms"]
    assert timeline(spark, rows[:2], *columns) == [
        (10, None, None, None, 9),
        (12, "consumer", "range", "a", 12),
    ]


def test_the_same_generation_again_is_a_static_member_that_was_replaced(spark: SparkSession) -> None:
    rows = [
        classic(1, "g", 1, ("a=one", "b")),
        classic(2, "g", 1, ("c=one", "b")),
        classic(3, "g", 1, ("c=one", "b")),
        classic(4, "old", 7, ("a=one",)),  # the cleaner removed the records before it
        classic(5, "old", 7, ("b=one",)),
    ]
    assert timeline(spark, rows, "what") == [
        (1, "rebalanced"),
        (2, "static_member_replaced"),
        (3, "rewritten"),
        (4, "first_seen"),
        (5, "static_member_replaced"),
    ]


def test_a_consumer_groups_steps_are_one_row_each(spark: SparkSession) -> None:
    """m1 is alone, m2 joins, m1 gives up partitions for m2, then both leave."""
    rows = [
        *FIRST_JOIN,
        *batch(10, (5, member("b")), (3, epoch(3)), (8, current("b", 2))),  # the target lags
        *batch(20, (7, member("b")), (7, member("a")), (6, epoch(3)), (8, current("b", 3, 2))),
        *batch(30, (8, current("a", 2, 1))),  # changes nothing in the table
        *batch(31, (8, current("a", 3))),
        *batch(32, (8, current("b", 3))),
        *batch(40, (8, gone("a")), (7, gone("a")), (5, gone("a")), (3, epoch(4))),
        *batch(50, (7, member("b")), (6, epoch(4)), (8, current("b", 4))),
        *batch(60, (8, gone("b")), (7, gone("b")), (5, gone("b")), (3, epoch(5))),
        *batch(80, (6, None), (3, None)),
    ]
    columns = ["at_ms", "what", "previous_state", "state", "epoch", "assignment_epoch", "members"]
    assert timeline(spark, rows, *columns) == [
        (5, 1, "created", None, "Stable", 2, 2, 1),
        (12, 10, "member_joined", "Stable", "Assigning", 3, 2, 2),
        (23, 20, "assigned", "Assigning", "Reconciling", 3, 3, 2),
        (32, 32, "rebalanced", "Reconciling", "Stable", 3, 3, 2),
        (43, 40, "member_left", "Stable", "Assigning", 4, 3, 1),
        (52, 50, "rebalanced", "Assigning", "Stable", 4, 4, 1),
        (63, 60, "emptied", "Stable", "Empty", 5, 4, 0),
        (81, 80, "deleted", "Empty", "Dead", None, None, 0),
    ]


def test_other_reasons_of_a_new_epoch(spark: SparkSession) -> None:
    rows = [
        *FIRST_JOIN,
        *batch(10, (5, member("a")), (3, epoch(3))),
        *batch(20, (3, epoch(4))),
        *batch(30, (7, member("a")), (6, epoch(4)), (8, current("a", 4))),
        *batch(40, (8, current("a", -2))),  # a static member leaves for a while
        *batch(50, (8, gone("a")), (7, gone("a")), (5, gone("a")), (5, member("b")), (7, member("b")),
               (8, current("b", 4))),
    ]  # fmt: skip
    assert timeline(spark, rows, "what", "state") == [
        (5, "created", "Stable"),
        (11, "subscription_changed", "Assigning"),
        (20, "topics_changed", "Assigning"),
        (32, "rebalanced", "Stable"),
        (40, "reconciling", "Reconciling"),
        (55, "static_member_replaced", "Stable"),
    ]


def test_a_group_that_changes_its_type_is_one_row(spark: SparkSession) -> None:
    """An Empty classic group becomes a KIP-848 group by a join; one whose last KIP-848 member leaves becomes
    classic, with its classic members.
    """
    place = {"batch_base_offset": 20, "batch_last_offset": 25, "record_timestamp_ms": 20}
    up = [
        about_group(20, 2, "g", None, **place),
        *(
            {**row, "log_offset": row["log_offset"] + 20, **place}
            for row in batch(1, (5, member("a")), (3, epoch(2)), (7, member("a")), (6, epoch(2)),
                             (8, current("a", 2)), group="g")
        ),
    ]  # fmt: skip
    down = batch(30, (8, gone("a")), (7, gone("a")), (6, None), (5, gone("a")), (3, None), group="g")
    back = {"batch_base_offset": 30, "batch_last_offset": 35, "record_timestamp_ms": 30}
    rows = [classic(1, "g", 4), *up, *({**row, **back} for row in down), classic(35, "g", 2, ("c",), **back)]
    assert timeline(spark, rows, "group_type", "what", "previous_state", "state", "members") == [
        (1, "classic", "emptied", None, "Empty", 0),
        (25, "consumer", "upgraded", "Empty", "Stable", 1),
        (35, "classic", "downgraded", "Stable", "Stable", 1),
    ]


def test_records_removed_by_the_cleaner_are_not_guessed(spark: SparkSession) -> None:
    rows = [
        # Only the tombstones of member a are left, so the time of its join is not known.
        *batch(10, (6, epoch(3))),
        *batch(20, (8, gone("a")), (7, gone("a")), (5, gone("a")), (3, epoch(4))),
        # Of b's first records only the target assignment is left. Its current one was written later.
        *batch(30, (7, member("b")), (6, epoch(2)), group="narrowed"),
        *batch(40, (5, member("b")), (3, epoch(3)), (8, current("b", 2)), group="narrowed"),
        # d joined before c. Only its later change of subscription is left.
        *batch(60, (5, member("c")), (3, epoch(3)), (8, current("c", 2)), group="hidden"),
        *batch(70, (8, gone("c")), (7, gone("c")), (5, gone("c")), (3, epoch(4)), group="hidden"),
        *batch(80, (5, member("d")), (3, epoch(5)), group="hidden"),
    ]
    assert timeline(spark, rows, "group", "what", "state", "epoch", "assignment_epoch", "members") == [
        (10, "next", "first_seen", None, None, 3, None),
        (23, "next", "emptied", "Empty", 4, 3, 0),
        (31, "narrowed", "created", None, None, 2, 1),
        (42, "narrowed", "subscription_changed", "Assigning", 3, 2, 1),
        (62, "hidden", "created", None, 3, None, None),
        (73, "hidden", "member_left", None, 4, None, None),
        (81, "hidden", "member_joined", None, 5, None, 1),
    ]
