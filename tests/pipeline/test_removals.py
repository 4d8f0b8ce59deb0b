"""Why offsets were removed: logs whose removals follow Kafka's rules of expiry and deletion.

Each story has groups of its own. All are read at once, because Spark needs seconds for any number of them.
Offsets and times are the same numbers, except within a batch, whose records have the time of its first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.pipeline.rows import (
    Row,
    about_group,
    assert_same_removals,
    classic,
    commit,
    groups_frame,
    has_columns,
    judged,
    offsets_frame,
    tombstone,
)
from tidemark_pipeline.logs.metadata_log import TopicEvent
from tidemark_pipeline.retention import Retention
from tidemark_pipeline.tables.columns import REMOVALS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


pytestmark = [pytest.mark.slow, pytest.mark.java]

R: Final = 60_000
WEEK: Final = 604_800_000
INTERVAL: Final = 10_000
Event = tuple[str | None, str, str, int | None, int]
Answer = dict[tuple[str, int], Any]  # by group and log offset


@dataclass(slots=True, frozen=True)
class Story:
    offsets: list[Row]
    groups: list[Row]


def gone(at: int, group: str, base: int | None = None) -> Row:
    """Return a classic group's tombstone, the last record of a batch that starts at `base`."""
    more = {} if base is None else {"batch_base_offset": base, "record_timestamp_ms": base}
    return about_group(at, 2, group, None, **more)


AGE: Final = Story(
    [
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
        # Of a Stable group that reads u: too young, and old enough.
        commit(30_000, "reading", "t", 0, 5),
        commit(30_001, "reading", "t", 1, 5),
        tombstone(80_000, "reading", "t", 0),
        tombstone(90_001, "reading", "t", 1),
        # By a retention of its own.
        commit(2_000, "explicit", "t", 0, 5, expire_timestamp_ms=3_900, value_version=1),
        tombstone(4_000, "explicit", "t", 0),
    ],
    [
        gone(61_001, "aged", 61_000),
        gone(61_001, "deleted", 61_000),
        classic(900, "emptied", 1, ("a",)),
        classic(50_000, "emptied", 2),
        gone(111_002, "emptied", 111_000),
        classic(901, "emptied-deleted", 1, ("a",)),
        classic(50_001, "emptied-deleted", 2, state_timestamp_ms=50_000),
        gone(100_001, "emptied-deleted", 100_000),
        classic(902, "reading", 1, ("a",), subscribed_topics=["u"]),
    ],
)

# The last of a group's offsets is not due yet.
TOGETHER: Final = Story(
    [
        commit(1_000, "together", "t", 0, 5),
        commit(40_000, "together", "t", 1, 5),
        tombstone(65_000, "together", "t", 0),
        tombstone(65_001, "together", "t", 1, record_timestamp_ms=65_000),
    ],
    [gone(65_002, "together", 65_000)],
)

MEMBER: Final = {"member_id": "a"}
BATCH: Final = {"batch_base_offset": 70_000, "batch_last_offset": 70_001, "record_timestamp_ms": 70_000}
EARLIER_STATES: Final = Story(
    [
        commit(1_000, "next", "t", 0, 5),
        tombstone(65_000, "next", "t", 0),
        commit(66_000, "next", "t", 0, 6),
        commit(2_000, "left", "t", 0, 5),
        tombstone(80_000, "left", "t", 0),
        commit(4_000, "upgraded", "t", 0, 5),
        tombstone(70_000, "upgraded", "t", 0),
    ],
    [
        # Subscribed to another topic, so this one's offsets age.
        about_group(500, 5, "next", {"subscribed_topics": ["u"]}, **MEMBER),
        about_group(501, 3, "next", {"epoch": 2}),
        # Subscribed until 79,000, and again later.
        about_group(600, 5, "left", {"subscribed_topics": ["t"]}, **MEMBER),
        about_group(601, 3, "left", {"epoch": 2}),
        about_group(79_000, 5, "left", None, **MEMBER),
        about_group(79_001, 3, "left", {"epoch": 3}),
        about_group(90_000, 5, "left", {"subscribed_topics": ["t"]}, **MEMBER),
        about_group(70_000, 2, "upgraded", None, **BATCH),
        about_group(70_001, 3, "upgraded", {"epoch": 2}, **BATCH),
    ],
)

TOPICS: Final[list[Event]] = [
    ("w", "old-w", "created", None, -1),
    ("t", "id-t", "created", 1, 0),
    ("w", "old-w", "removed", 5_000, 1),
    ("w", "new-w", "created", 5_150, 2),
]
TOPICS_GONE: Final = Story(
    [
        commit(100, "by-id", "w", 0, 5, topic_id="old-w"),
        tombstone(5_100, "by-id", "w", 0),
        commit(101, "by-name", "w", 0, 5),
        tombstone(5_101, "by-name", "w", 0),
        # Its topic id is that of the recreated topic.
        commit(5_200, "new-id", "w", 0, 5, topic_id="new-w"),
        tombstone(5_300, "new-id", "w", 0),
        # Commits after the removal belong to the recreated topic, even without a topic id.
        commit(11_000, "new-name", "w", 0, 5),
        tombstone(12_000, "new-name", "w", 0),
        # Found at the next start of the broker.
        commit(102, "found-late", "w", 0, 5, topic_id="old-w", commit_timestamp_ms=300_000),
        tombstone(300_001, "found-late", "w", 0),
        # The log no longer has the commit.
        tombstone(5_400, "cleaned", "w", 0),
        tombstone(61_000, "cleaned", "t", 0),
    ],
    [],
)

CLEANED: Final = Story(
    [
        tombstone(61_000, "cleaned-all", "t", 0),
        # Without the commit, the clock of an Empty group shows expiry. A Stable group keeps what it reads.
        tombstone(62_000, "cleaned-emptied", "t", 0),
        tombstone(63_000, "cleaned-stable", "t", 0),
        # Nothing was stored: the tombstone removed an offset of an open transaction.
        commit(1_003, "twice", "t", 0, 5),
        tombstone(61_003, "twice", "t", 0),
        tombstone(61_004, "twice", "t", 0),
    ],
    [
        gone(61_001, "cleaned-all", 61_000),
        classic(1_500, "cleaned-emptied", 2),
        classic(1_600, "cleaned-stable", 2, ("a",), subscribed_topics=["t"]),
    ],
)

# Offsets removed a moment before their topic, by clocks that may differ. One group was removed as well.
REMOVED_BESIDE: Final[list[Event]] = [
    *TOPICS,
    ("x", "id-x", "created", 2, 3),
    ("x", "id-x", "removed", 200_000, 4),
]
BESIDE: Final = Story(
    [
        commit(120_000, "beside-expired", "x", 0, 5, topic_id="id-x"),
        tombstone(198_000, "beside-expired", "x", 0),
        commit(190_000, "beside-offset", "x", 0, 5),
        tombstone(199_000, "beside-offset", "x", 0),
        tombstone(199_001, "beside-cleaned", "x", 0),
        commit(190_001, "beside-group", "x", 0, 5, topic_id="id-x"),
        tombstone(199_500, "beside-group", "x", 0),
        # Of the recreated topic, or of the earlier one but written late.
        commit(203_000, "beside-later", "x", 0, 5),
        tombstone(210_000, "beside-later", "x", 0),
    ],
    [gone(199_501, "beside-group", 199_500)],
)

# Two of a group's offsets expired with it. The log no longer has the commit of one.
HALF_CLEANED: Final = Story(
    [
        commit(1_000, "half", "t", 0, 5),
        tombstone(61_000, "half", "t", 0),
        tombstone(61_001, "half", "t", 1, record_timestamp_ms=61_000),
    ],
    [gone(61_002, "half", 61_000)],
)

# As Kafka 3.9.1 wrote them: an OffsetDelete of the group's last offset, DeleteGroups, a topic's removal; the
# same of groups that never had members; and of offsets that were due.
OLDER: Final = Story(
    [
        commit(4_000, "old-offset", "t", 0, 5, value_version=3),
        tombstone(4_900, "old-offset", "t", 0),
        commit(4_001, "old-group", "t", 0, 5, value_version=3),
        tombstone(4_920, "old-group", "t", 0),
        commit(4_002, "old-topic", "w", 0, 5, value_version=3),
        tombstone(5_050, "old-topic", "w", 0),
        commit(4_003, "old-simple", "t", 0, 5, value_version=3),
        tombstone(4_930, "old-simple", "t", 0),
        tombstone(4_940, "old-cleaned", "t", 0),
        commit(4_004, "old-aged", "t", 0, 5, value_version=3),
        tombstone(64_900, "old-aged", "t", 0),
        commit(4_005, "old-new", "t", 0, 5, value_version=4),
        tombstone(4_950, "old-new", "t", 0),
    ],
    [
        *(
            classic(3_000 + number, f"old-{name}", 2)
            for number, name in enumerate(("offset", "group", "topic"))
        ),
        gone(4_901, "old-offset", 4_900),
        gone(4_921, "old-group", 4_920),
        gone(5_051, "old-topic", 5_050),
    ],
)

# One long overdue by the shorter of two retentions.
OVERDUE: Final = Story(
    [
        commit(1_000, "in-time", "t", 0, 5),
        tombstone(66_000, "in-time", "t", 0),
        commit(1_001, "overdue", "t", 0, 5),
        tombstone(90_000, "overdue", "t", 0),
        commit(1_002, "overdue-alone", "t", 0, 5),
        tombstone(90_001, "overdue-alone", "t", 0),
    ],
    [gone(90_001, "overdue", 90_000)],
)


LATER: Final = 10_000_000


def placed(log_partition: int, rows: list[Row]) -> list[Row]:
    """Return the rows in a separate log partition, followed by a much later commit."""
    last = commit(LATER, f"last-{log_partition}", "t", 0, 1)
    return [{**row, "log_partition": log_partition} for row in (*rows, last)]


def deleted(group: str, **more: Any) -> list[Row]:
    """Return an offset that is removed at an age of about five minutes."""
    return [commit(2_000, group, "t", 0, 5, **more), tombstone(300_000, group, "t", 0)]


# By a broker with one minute of retention, at three passes, and by requests.
ONE_MINUTE: Final = Story(
    placed(
        1,
        [
            commit(1_000, "m1", "t", 0, 5),
            tombstone(61_500, "m1", "t", 0),
            commit(700_000, "m2", "t", 0, 5),
            tombstone(761_000, "m2", "t", 0),
            commit(1_400_000, "m3", "t", 0, 5),
            commit(1_400_001, "m3", "t", 1, 5),
            tombstone(1_462_000, "m3", "t", 0),
            tombstone(1_462_001, "m3", "t", 1, record_timestamp_ms=1_462_000),
            commit(1_420_000, "m4", "t", 0, 5),
            tombstone(1_480_100, "m4", "t", 0),
            commit(1_500_000, "m-young", "t", 0, 5),
            tombstone(1_530_000, "m-young", "t", 0),
            commit(2_000_000, "m-old", "t", 0, 5),
            tombstone(2_300_000, "m-old", "t", 0),
        ],
    ),
    [
        {**row, "log_partition": 1}
        for row in (
            gone(61_501, "m1", 61_500),
            gone(1_462_002, "m3", 1_462_000),
            gone(1_530_001, "m-young", 1_530_000),
        )
    ],
)
TWO_PASSES: Final = Story(ONE_MINUTE.offsets[:4], ONE_MINUTE.groups[:1])

# Removals while an older offset was kept by every pass.
STAYED: Final = Story(
    [
        *placed(2, [commit(1_000, "stays", "t", 0, 5), *deleted("beside-simple")]),
        *placed(3, [commit(1_000, "empty", "t", 0, 5), *deleted("beside-empty")]),
        *placed(
            4,
            [
                commit(1_000, "goes-later", "t", 0, 5),
                tombstone(400_000, "goes-later", "t", 0),
                *deleted("before-it"),
                *deleted("with-group"),
            ],
        ),
    ],
    [
        {**classic(1_500, "empty", 2), "log_partition": 3},
        {**gone(300_001, "with-group", 300_000), "log_partition": 4},
    ],
)

# Removals while an older offset could not expire, or was removed a moment later.
HELD: Final = Story(
    [
        *placed(5, [commit(1_000, "in-use", "t", 0, 5), *deleted("beside-in-use")]),
        *placed(
            6,
            [
                commit(1_000, "in-transaction", "t", 0, 5),
                commit(1_001, "in-transaction", "u", 0, 5, transactional=True, producer_id=1),
                *deleted("beside-transaction"),
            ],
        ),
        *placed(
            7,
            [
                commit(1_000, "same-pass", "t", 0, 5),
                tombstone(330_000, "same-pass", "t", 0),
                *deleted("first"),
            ],
        ),
        *placed(8, [tombstone(300_000, "no-commit", "t", 0), commit(1_000, "stays", "t", 0, 5)]),
        *placed(9, deleted("own-retention", expire_timestamp_ms=290_000)),
        *placed(
            10,
            [
                commit(1_000, "kept-longer", "t", 0, 5, expire_timestamp_ms=LATER),
                *deleted("beside-kept-longer"),
            ],
        ),
        *placed(11, [commit(1_000, "joining", "t", 0, 5), *deleted("beside-joining")]),
    ],
    [
        {**classic(900, "in-use", 1, ("a",), subscribed_topics=["t"]), "log_partition": 5},
        {**classic(901, "joining", 0, protocol_type=None), "log_partition": 11},
    ],
)


class Told:
    """The table of all stories."""

    def __init__(self, rows: list[Any], retention: Retention) -> None:
        self._rows = rows
        self.retention = retention

    def of(self, story: Story, *columns: str) -> Answer:
        """Return the values of these columns (or of one) for the story's tombstones."""
        groups = {row["group"] for row in story.offsets}
        told = {
            (row.group, row.log_offset): tuple(row[column] for column in columns)
            for row in self._rows
            if row.group in groups
        }
        return {key: values[0] for key, values in told.items()} if len(columns) == 1 else dict(told)


def read(
    spark: SparkSession,
    *stories: Story,
    events: list[Event] = TOPICS,
    retention_ms: tuple[int, ...] = (R,),
    complete_from: tuple[tuple[int, int, int], ...] = (),
    kafka_4_from_ms: int | None = 0,
) -> Told:
    from tidemark_pipeline.tables.removals import COMPLETE_FROM, removals

    offsets = [row for story in stories for row in story.offsets]
    groups = [row for story in stories for row in story.groups]
    given: dict[str, Any] = {
        "topic_events": [TopicEvent(*event) for event in events],
        "retention": Retention.known(retention_ms, INTERVAL) if retention_ms else Retention.assumed(INTERVAL),
        "kafka_4_from_ms": kafka_4_from_ms,
    }
    complete = spark.createDataFrame([*complete_from], COMPLETE_FROM)
    found = removals(
        offsets_frame(spark, offsets), groups_frame(spark, groups), complete_from=complete, **given
    )
    assert has_columns(found.table, REMOVALS)
    rows = found.table.collect()
    assert_same_removals(rows, judged(offsets, groups, **given))
    return Told(rows, found.retention)


@pytest.fixture(scope="module")
def told(spark: SparkSession) -> Told:
    """Return the rows for one retention, R."""
    every = (AGE, TOGETHER, EARLIER_STATES, TOPICS_GONE, CLEANED, OVERDUE, BESIDE, HALF_CLEANED, OLDER)
    return read(spark, *every, events=REMOVED_BESIDE, complete_from=((0, 40, 39),))


def test_being_due_decides_between_expiry_and_deletion(told: Told) -> None:
    columns = ["inferred_cause", "rule", "since_ms", "due_under_ms", "group_removed"]
    assert told.of(AGE, *columns) == {
        ("aged", 61_000): ("expired", "standalone", 1_000, [R], True),
        ("deleted", 61_000): ("group_delete", "standalone", 1_001, [], True),
        ("emptied", 111_000): ("expired", "group_empty", 50_000, [R], True),
        ("emptied", 111_001): ("expired", "group_empty", 50_000, [R], True),
        ("emptied-deleted", 100_000): ("group_delete", "group_empty", 50_000, [], True),
        ("explicit", 4_000): ("expired", "explicit_retention", 2_000, [R], False),
        ("reading", 80_000): ("offset_delete", "topic_not_subscribed", 30_000, [], False),
        ("reading", 90_001): ("expired", "topic_not_subscribed", 30_001, [R], False),
    }


def test_a_removal_has_the_fields_of_the_lost_offset(told: Told) -> None:
    lost = ["committed_offset", "leader_epoch", "metadata", "commit_timestamp_ms", "commit_log_offset"]
    of_removal = ["removed_at_ms", "history_complete_from", "history_complete_from_ms"]
    assert told.of(AGE, *lost, *of_removal)["aged", 61_000] == (5, 3, "m", 1_000, 1_000, 61_000, 40, 39)
    assert told.of(CLEANED, *lost)["cleaned-all", 61_000] == (None,) * 5
    assert told.of(CLEANED, *lost)["twice", 61_004] == (None,) * 5


def test_a_group_does_not_expire_before_the_last_of_its_offsets(told: Told) -> None:
    """If one offset was not due, the group was deleted, and the other offsets with it."""
    columns = ["inferred_cause", "due_under_ms", "evidence"]
    went = "the group was removed in the same batch;"
    assert told.of(TOGETHER, *columns) == {
        ("together", 65_000): (
            "group_delete",
            [R],
            f"{went} another offset in its batch was not due under a retention of 1 min",
        ),
        ("together", 65_001): (
            "group_delete",
            [],
            f"{went} it was not due under a retention of 1 min (rule standalone)",
        ),
    }


def test_expiry_depends_on_the_groups_state_before_the_removal(told: Told) -> None:
    """A KIP-848 group loses old offsets at the pass after its last member left.

    The tombstone of an upgraded classic group does not remove the group, so it is no evidence about offsets
    in the same batch.
    """
    columns = ["inferred_cause", "rule", "group_removed", "committed_again"]
    assert told.of(EARLIER_STATES, *columns) == {
        ("left", 80_000): ("expired", "topic_not_subscribed", False, False),
        ("next", 65_000): ("expired", "topic_not_subscribed", False, True),
        ("upgraded", 70_000): ("expired", "standalone", False, False),
    }


def test_removing_a_topic_removes_its_offsets(told: Told) -> None:
    assert told.of(TOPICS_GONE, "possible_causes", "topic_removed_ms") == {
        ("by-id", 5_100): (["topic_delete"], 5_000),
        ("by-name", 5_101): (["topic_delete"], 5_000),
        ("found-late", 300_001): (["topic_delete"], 5_000),
        ("new-id", 5_300): (["offset_delete"], None),
        ("new-name", 12_000): (["offset_delete"], None),
        ("cleaned", 5_400): (["topic_delete"], 5_000),
        ("cleaned", 61_000): (["expired", "offset_delete"], None),
    }


def test_a_topic_removed_a_moment_later_may_be_the_cause(told: Told) -> None:
    """Offsets that were removed with their group were not removed by the topic's deletion."""
    assert told.of(BESIDE, "inferred_cause", "possible_causes") == {
        ("beside-expired", 198_000): ("unknown", ["expired", "topic_delete"]),
        ("beside-offset", 199_000): ("unknown", ["offset_delete", "topic_delete"]),
        ("beside-cleaned", 199_001): ("unknown", ["expired", "offset_delete", "topic_delete"]),
        ("beside-group", 199_500): ("group_delete", ["group_delete"]),
        ("beside-later", 210_000): ("unknown", ["offset_delete", "topic_delete"]),
    }
    assert told.of(BESIDE, "evidence")["beside-offset", 199_000] == (
        "it was not due under a retention of 1 min (rule standalone); its group was not removed with it; its "
        "topic was removed at about the same time"
    )


def test_evidence_covers_offsets_that_were_removed_with_their_group(told: Told) -> None:
    assert told.of(HALF_CLEANED, "inferred_cause", "evidence")["half", 61_001] == (
        "expired",
        "the group was removed in the same batch, with offsets that were due under a retention of 1 min",
    )


def test_with_an_older_kafka_a_group_tombstone_leaves_more_causes(told: Told, spark: SparkSession) -> None:
    """Kafka up to 3.9 removed a group with its last offset, for any cause of that removal.

    It wrote no tombstone of a group that never had members.
    """
    definite = {
        ("old-offset", 4_900): ["group_delete"],
        ("old-group", 4_920): ["group_delete"],
        ("old-topic", 5_050): ["group_delete"],
        ("old-simple", 4_930): ["offset_delete"],
        ("old-cleaned", 4_940): ["expired", "offset_delete"],
        ("old-aged", 64_900): ["expired"],
        ("old-new", 4_950): ["offset_delete"],
    }
    assert told.of(OLDER, "possible_causes") == definite
    either = ["group_delete", "offset_delete"]
    older = {
        ("old-offset", 4_900): either,
        ("old-group", 4_920): either,
        ("old-topic", 5_050): ["topic_delete"],
        ("old-simple", 4_930): either[::-1],
        ("old-cleaned", 4_940): ["expired", *either[::-1]],
    }
    for from_ms in (None, 5_060):
        found = read(spark, OLDER, kafka_4_from_ms=from_ms).of(OLDER, "possible_causes", "evidence")
        assert {key: causes for key, (causes, _) in found.items()} == {**definite, **older}
    assert found["old-offset", 4_900][1] == (
        "the group was removed in the same batch; it was not due under a retention of 1 min "
        "(rule group_empty); the coordinator of Kafka up to 3.9 removes a group with its last offset, "
        "whatever removed that"
    )
    unseen = read(spark, OLDER, events=[], kafka_4_from_ms=None).of(OLDER, "possible_causes")
    assert unseen["old-topic", 5_050] == [*either, "topic_delete"]


def test_without_its_commit_a_removal_may_have_several_causes(told: Told) -> None:
    assert told.of(CLEANED, "inferred_cause", "possible_causes", "due_under_ms") == {
        ("cleaned-all", 61_000): ("unknown", ["expired", "group_delete"], None),
        ("cleaned-emptied", 62_000): ("expired", ["expired"], [R]),
        ("cleaned-stable", 63_000): ("offset_delete", ["offset_delete"], []),
        ("twice", 61_003): ("expired", ["expired"], [R]),
        ("twice", 61_004): ("offset_delete", ["offset_delete"], []),
    }


def test_without_a_metadata_log_a_topic_removal_remains_possible(spark: SparkSession) -> None:
    """This includes a metadata log that starts later."""
    for events in ([], [("t", "id-t", "created", 400_000, 0)]):
        told = read(spark, TOPICS_GONE, events=events)
        assert told.of(TOPICS_GONE, "possible_causes") == {
            ("by-id", 5_100): ["offset_delete", "topic_delete"],
            ("by-name", 5_101): ["offset_delete", "topic_delete"],
            ("found-late", 300_001): ["offset_delete", "topic_delete"],
            ("new-id", 5_300): ["offset_delete", "topic_delete"],
            ("new-name", 12_000): ["offset_delete", "topic_delete"],
            ("cleaned", 5_400): ["expired", "offset_delete", "topic_delete"],
            ("cleaned", 61_000): ["expired", "offset_delete", "topic_delete"],
        }


def test_of_several_retentions_the_timely_one_decides(told: Told, spark: SparkSession) -> None:
    """An offset long overdue under one retention and young under another was deleted, or expired late.

    A broker that was stopped removes offsets late that are due under all retentions. No age counts from
    before the creation of the log.
    """
    assert set(told.of(OVERDUE, "inferred_cause").values()) == {"expired"}
    log_made: Event = ("__consumer_offsets", "log", "created", 5, 0)
    several = read(spark, OVERDUE, CLEANED, retention_ms=(R, WEEK), events=[*TOPICS, log_made])
    assert several.of(OVERDUE, "inferred_cause", "possible_causes", "due_under_ms") == {
        ("in-time", 66_000): ("expired", ["expired"], [R]),
        ("overdue", 90_000): ("unknown", ["expired", "group_delete"], [R]),
        ("overdue-alone", 90_001): ("unknown", ["expired", "offset_delete"], [R]),
    }
    assert several.of(CLEANED, "inferred_cause")["cleaned-all", 61_000] == "unknown"
    young = read(spark, CLEANED, retention_ms=(WEEK,), events=[*TOPICS, log_made])
    assert young.of(CLEANED, "inferred_cause")["cleaned-all", 61_000] == "group_delete"


@pytest.fixture(scope="module")
def unconfigured(spark: SparkSession) -> Told:
    """Return the rows without a configured retention."""
    return read(spark, STAYED, HELD, retention_ms=())


def test_a_retention_that_ages_repeat_is_inferred(spark: SparkSession) -> None:
    unconfigured = read(spark, ONE_MINUTE, retention_ms=())
    assert (unconfigured.retention.origin, unconfigured.retention.minutes) == ("inferred", "1")
    assert unconfigured.of(ONE_MINUTE, "possible_causes", "due_under_ms") == {
        ("m1", 61_500): (["expired"], [R]),
        ("m2", 761_000): (["expired"], [R]),
        ("m3", 1_462_000): (["expired"], [R]),
        ("m3", 1_462_001): (["expired"], [R]),
        ("m4", 1_480_100): (["expired"], [R]),
        ("m-young", 1_530_000): (["group_delete"], []),
        ("m-old", 2_300_000): (["expired", "offset_delete"], [R]),
    }
    said = unconfigured.of(ONE_MINUTE, "evidence")
    assert said["m2", 761_000] == "rule standalone: 61.0 s old, due under a retention of 1 min (inferred)"
    assert said["m-young", 1_530_000] == (
        "the group was removed in the same batch; it was not due under any retention (rule standalone)"
    )


def test_without_a_retention_an_offset_that_was_old_enough_for_one_may_have_expired(
    spark: SparkSession,
) -> None:
    told = read(spark, TWO_PASSES, retention_ms=())
    assert told.retention.origin == "assumed"
    assert told.of(TWO_PASSES, "inferred_cause", "possible_causes", "due_under_ms") == {
        ("m1", 61_500): ("unknown", ["expired", "group_delete"], None),
        ("m2", 761_000): ("unknown", ["expired", "offset_delete"], None),
    }
    assert told.of(TWO_PASSES, "evidence")["m2", 761_000] == (
        "rule standalone: 61.0 s old, due only if offsets.retention.minutes was at most 1; neither its topic "
        "nor its group was removed with it"
    )


def test_no_pass_removes_an_offset_but_keeps_an_older_one(unconfigured: Told) -> None:
    assert unconfigured.of(STAYED, "possible_causes") == {
        ("beside-simple", 300_000): ["offset_delete"],
        ("beside-empty", 300_000): ["offset_delete"],
        ("before-it", 300_000): ["offset_delete"],
        ("with-group", 300_000): ["group_delete"],
        ("goes-later", 400_000): ["expired", "offset_delete"],
    }
    assert unconfigured.of(STAYED, "evidence")["beside-simple", 300_000] == (
        "rule standalone: 298.0 s old, and an older offset in this log partition was kept; neither its topic "
        "nor its group was removed with it"
    )


def test_an_older_offset_that_could_not_expire_is_no_evidence(unconfigured: Told) -> None:
    open_causes = ["expired", "offset_delete"]
    assert unconfigured.of(HELD, "possible_causes") == {
        ("beside-in-use", 300_000): open_causes,
        ("beside-transaction", 300_000): open_causes,
        ("first", 300_000): open_causes,
        ("same-pass", 330_000): open_causes,
        ("no-commit", 300_000): open_causes,
        ("own-retention", 300_000): ["expired"],
        ("beside-kept-longer", 300_000): open_causes,
        ("beside-joining", 300_000): open_causes,
    }
