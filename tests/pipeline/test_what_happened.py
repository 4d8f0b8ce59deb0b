"""Every table of a directory that `tidemark serve` wrote under a real client, with moved time.

The test made every change, or asks the broker about its decisions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.broker_process import BrokerProcess
from tests.clients.client import batch
from tests.clients.test_expiry_scenarios import MINUTE_MS, SETTINGS, Library, R, Scene
from tidemark_pipeline.retention import Retention
from tidemark_testing.wire import create_topic, delete_topics

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java, pytest.mark.contract]

TOPICS: Final = {"orders": 3, "payments": 2, "doomed": 1, "remade": 1}
RECORDS: Final = 5  # in each partition that something is produced to
Key = tuple[str, str, int]


@dataclass(slots=True)
class Story:
    """The actions of the story, and the broker's responses.

    commits   (group, topic, partition, offset), in order
    """

    data_dir: Path
    commits: list[tuple[str, str, int, int]] = field(default_factory=list)
    removals: list[dict[str, Any]] = field(default_factory=list)
    stored: dict[Key, dict[str, Any]] = field(default_factory=dict)
    ended_ms: int = 0


class Play:
    """One client library, requests that no library offers, and the clock."""

    def __init__(self, scene: Scene, library: Library, story: Story) -> None:
        self.scene = scene
        self.library = library
        self.story = story

    def commit(self, group: str, topic: str, partition: int, offset: int) -> None:
        self.library.ask("commit", group=group, offsets=[[topic, partition, offset]])
        self.story.commits.append((group, topic, partition, offset))

    def member_commit(self, member: str, *offsets: tuple[str, int, int]) -> None:
        """Commit as the member with the name of its group."""
        self.library.ask("member_commit", name=member, offsets=offsets)
        self.story.commits += [(member, *each) for each in offsets]

    def run(self) -> None:
        self.library.join("managed", "managed", "orders", "payments")
        self.member_commit("managed", ("orders", 0, 7), ("payments", 0, 8))
        self.library.join("stays", "stays", "orders")
        self.member_commit("stays", ("orders", 0, 3), ("payments", 0, 4))
        self.scene.advance(MINUTE_MS)
        self.commit("standalone", "orders", 0, 10)
        self.commit("standalone", "orders", 1, 20)
        self.commit("deleted", "orders", 2, 9)
        self.scene.client.delete_group("deleted")
        self.scene.advance(MINUTE_MS)
        self.commit("picked", "orders", 0, 1)
        self.commit("picked", "orders", 1, 2)
        self.scene.client.delete_offset("picked", "orders", 1)
        self.commit("reader", "doomed", 0, 5)
        self.commit("again", "remade", 0, 100)
        delete_topics(self.scene.broker.bootstrap, ["doomed", "remade"])
        create_topic(self.scene.broker.bootstrap, "remade", 1, {})
        self.scene.client.produce("orders", (0, batch(RECORDS)), (1, batch(RECORDS)))
        self.scene.client.produce("remade", (0, batch(RECORDS)))

        self.scene.advance(R // 2)
        self.library.leave("managed")
        self.scene.advance(10 * MINUTE_MS)
        self.commit("standalone", "orders", 1, 15)
        self.commit("again", "remade", 0, 0)
        assert self.scene.when_due("stays") == ["payments-0 topic_not_subscribed"]
        assert self.scene.when_due("standalone") == ["orders-0 standalone"]
        assert self.scene.when_due("picked") == ["orders-0 standalone", "group"]
        assert self.scene.when_due("managed") == ["orders-0 group_empty", "payments-0 group_empty", "group"]

    def ask_the_broker(self) -> None:
        self.story.removals = self.scene.api.get("/v1/expiry/log")["removals"]
        for group in ("standalone", "stays", "again"):
            for each in self.scene.api.get("/v1/offsets", group=group)["offsets"]:
                self.story.stored[group, each["topic"], each["partition"]] = each
        self.story.ended_ms = self.scene.now_ms()


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    broker = BrokerProcess(tmp_path_factory.mktemp("broker"), SETTINGS)
    broker.start()
    library = scene = None
    try:
        for topic, partitions in TOPICS.items():
            create_topic(broker.bootstrap, topic, partitions, {})
        told = Story(broker.data_dir)
        scene = Scene(broker)
        library = Library("confluent-kafka", broker.bootstrap, tmp_path_factory.mktemp("library") / "err")
        play = Play(scene, library, told)
        play.run()
        play.ask_the_broker()
        broker.kill9()  # or the member that stays would leave
        yield told
    finally:
        if library is not None:
            library.close()
        if scene is not None:
            scene.close()
        broker.stop()


@pytest.fixture(scope="module")
def history(spark: SparkSession, story: Story) -> DataFrame:
    from tidemark_pipeline.source.session import read_table
    from tidemark_pipeline.tables.history import offset_history

    return offset_history(read_table(spark, str(story.data_dir), "offsets")).cache()


@pytest.fixture(scope="module")
def groups(spark: SparkSession, story: Story) -> DataFrame:
    from tidemark_pipeline.source.session import read_table
    from tidemark_pipeline.tables.history import group_history

    return group_history(read_table(spark, str(story.data_dir), "groups")).cache()


GONE: Final = {
    ("managed", "orders", 0): (7, "expired"),
    ("managed", "payments", 0): (8, "expired"),
    ("stays", "payments", 0): (4, "expired"),
    ("standalone", "orders", 0): (10, "expired"),
    ("deleted", "orders", 2): (9, "group_delete"),
    ("picked", "orders", 0): (1, "expired"),
    ("picked", "orders", 1): (2, "offset_delete"),
    ("reader", "doomed", 0): (5, "topic_delete"),
    ("again", "remade", 0): (100, "topic_delete"),
}
THERE: Final = {
    ("stays", "orders", 0): 3,
    ("standalone", "orders", 1): 15,
    ("again", "remade", 0): 0,
}


def test_history_is_every_commit_and_every_removal(history: DataFrame, story: Story) -> None:
    rows = sorted(history.collect(), key=lambda row: row.log_offset)
    commits = [row for row in rows if row.committed_offset is not None]
    assert sorted((row.group, row.topic, row.partition, row.committed_offset) for row in commits) == sorted(
        story.commits
    )
    removed = [(row.group, row.topic, row.partition) for row in rows if row.committed_offset is None]
    assert sorted(removed) == sorted(GONE)


def removed(
    spark: SparkSession, story: Story, history: DataFrame, groups: DataFrame, *retention_ms: int
) -> list[Any]:
    from tidemark_pipeline.logs.metadata_log import topics_told
    from tidemark_pipeline.tables.removals import COMPLETE_FROM, removals

    events, kafka_4_from_ms = topics_told([str(story.data_dir)])
    return removals(
        history,
        groups,
        topic_events=events,
        complete_from=spark.createDataFrame([(0, 0, 0)], COMPLETE_FROM),
        retention=Retention.known(retention_ms) if retention_ms else Retention.assumed(),
        kafka_4_from_ms=kafka_4_from_ms,
    ).table.collect()


def test_removals_are_the_brokers_own(
    spark: SparkSession, story: Story, history: DataFrame, groups: DataFrame
) -> None:
    rows = removed(spark, story, history, groups, R)
    told = {(row.group, row.topic, row.partition): row for row in rows}
    assert len(told) == len(rows)
    assert {key: (row.committed_offset, row.inferred_cause) for key, row in told.items()} == GONE
    assert {key for key, row in told.items() if row.committed_again} == {("again", "remade", 0)}
    said = {(each["group"], each["topic"], each["partition"]): each for each in story.removals}
    assert {key: row.inferred_cause for key, row in told.items()} == {
        key: each["cause"] for key, each in said.items()
    }
    # A record has the time at which it is written, soon after the broker has decided.
    assert all(0 <= row.removed_at_ms - said[key]["at_ms"] <= MINUTE_MS // 2 for key, row in told.items())
    expired = {key: row for key, row in told.items() if row.inferred_cause == "expired"}
    assert {key: (row.rule, row.since_ms, row.due_under_ms) for key, row in expired.items()} == {
        key: (said[key]["rule"], said[key]["since_ms"], [R]) for key in expired
    }


def test_without_a_retention_no_cause_is_wrong(
    spark: SparkSession, story: Story, history: DataFrame, groups: DataFrame
) -> None:
    """The broker's retention is Kafka's default of 7 days."""
    rows = removed(spark, story, history, groups)
    told = {(row.group, row.topic, row.partition): row for row in rows}
    assert told.keys() == GONE.keys()
    causes = {key: cause for key, (_, cause) in GONE.items()}
    assert [key for key, row in told.items() if causes[key] not in row.possible_causes] == []
    stated = {key: row.inferred_cause for key, row in told.items() if row.inferred_cause != "unknown"}
    assert stated.items() <= causes.items()
    assert stated.items() >= {key: cause for key, cause in causes.items() if cause != "expired"}.items()


def test_the_timeline_shows_what_members_did(groups: DataFrame) -> None:
    from tidemark_pipeline.tables.timeline import group_timeline

    told: dict[str, list[tuple[Any, ...]]] = {}
    for row in sorted(group_timeline(groups).collect(), key=lambda row: row.log_offset):
        told.setdefault(row.group, []).append((row.what, row.state, row.members))
    assert told == {
        "managed": [
            ("created", "Empty", 0),
            ("rebalanced", "Stable", 1),
            ("emptied", "Empty", 0),
            ("deleted", "Dead", 0),
        ],
        "stays": [("created", "Empty", 0), ("rebalanced", "Stable", 1)],
        "deleted": [("deleted", "Dead", 0)],
        "picked": [("deleted", "Dead", 0)],
        "reader": [("deleted", "Dead", 0)],
        "again": [("deleted", "Dead", 0)],  # by a pass, before it committed again
    }


def test_rewinds_and_rates_are_those_of_the_commits(history: DataFrame, story: Story) -> None:
    from tidemark_pipeline.tables.rates import commit_rates
    from tidemark_pipeline.tables.rewinds import rewinds

    told = [
        (row.group, row.topic, row.partition, row.from_offset, row.to_offset, row.across_tombstone)
        for row in rewinds(history).collect()
    ]
    assert sorted(told) == [
        ("again", "remade", 0, 100, 0, True),
        ("standalone", "orders", 1, 20, 15, False),
    ]
    counted: dict[str, tuple[int, int]] = {}
    for row in commit_rates(history).collect():
        commits, tombstones = counted.get(row.group, (0, 0))
        counted[row.group] = (commits + row.commits, tombstones + row.tombstones)
    assert counted == {
        group: (
            sum(each[0] == group for each in story.commits),
            sum(key[0] == group for key in GONE),
        )
        for group in {each[0] for each in story.commits}
    }


def test_lag_and_forecast_of_current_offsets_are_the_brokers(
    spark: SparkSession, story: Story, history: DataFrame, groups: DataFrame
) -> None:
    from tidemark_pipeline.logs.log_ends import log_ends
    from tidemark_pipeline.tables.current import current_offsets, pending_offsets
    from tidemark_pipeline.tables.forecast import expiry_forecast
    from tidemark_pipeline.tables.groups import current_groups
    from tidemark_pipeline.tables.lag import lag

    current = current_offsets(history).cache()
    ends = [
        (each.topic, each.partition, each.log_start_offset, each.log_end_offset)
        for each in log_ends([str(story.data_dir)])
    ]
    columns = "topic string, partition int, log_start_offset bigint, log_end_offset bigint"
    lags = lag(current, spark.createDataFrame(ends, columns)).collect()
    assert {(row.group, row.topic, row.partition): row.committed_offset for row in lags} == THERE
    assert {(row.group, row.topic, row.partition): (row.lag, row.position) for row in lags} == {
        ("stays", "orders", 0): (RECORDS - 3, "within"),
        ("standalone", "orders", 1): (0, "past_end"),
        ("again", "remade", 0): (RECORDS, "within"),
    }
    forecast = expiry_forecast(
        current,
        current_groups(groups),
        pending_offsets(history.limit(0), history),
        retention=Retention.known([R]),
        as_of_ms=story.ended_ms,
    )
    told = {
        (row.group, row.topic, row.partition): (row.rule, row.expires_at_ms) for row in forecast.collect()
    }
    assert told == {key: (each["rule"], each["due_ms"]) for key, each in story.stored.items()}
