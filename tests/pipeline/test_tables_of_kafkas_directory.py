"""removals and group_timeline of the directory that Kafka wrote, compared with the requests that Kafka
received.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.kafkas_directory import unpacked
from tests.pipeline.kafka_fixture import dump, truth
from tests.pipeline.rows import assert_same_removals, judged
from tidemark_pipeline.retention import Retention

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

# The story's DeleteTopics, DeleteGroups and OffsetDelete by what follows from each.
CAUSES: Final = {
    "DeleteTopics": "topic_delete",
    "DeleteGroups": "group_delete",
    "OffsetDelete": "offset_delete",
}
MINUTE_MS: Final = 60_000
SOON_MS: Final = 3_000
RUN_RETENTIONS_MS: Final = (MINUTE_MS, 10_080 * MINUTE_MS)  # of the first run, and of the others


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(unpacked(tmp_path_factory.mktemp("kafka")))


@pytest.fixture(scope="module")
def groups(spark: SparkSession, data: str) -> DataFrame:
    from tidemark_pipeline.source.session import read_table

    return read_table(spark, data, "groups").cache()


def removed(spark: SparkSession, data: str, groups: DataFrame, *retention_ms: int) -> list[Any]:
    from tidemark_pipeline.logs.directories import find_logs
    from tidemark_pipeline.logs.metadata_log import topics_told
    from tidemark_pipeline.logs.survey import survey_all
    from tidemark_pipeline.source.arrow_tables import arrow_table
    from tidemark_pipeline.source.session import read_table
    from tidemark_pipeline.tables.removals import COMPLETE_FROM, removals

    events, kafka_4_from_ms = topics_told([data])
    whole = [
        (each.log_partition, each.complete_from, each.complete_from_ms)
        for each in survey_all(find_logs([data]).logs.values()).values()
    ]
    given: dict[str, Any] = {
        "topic_events": events,
        "retention": Retention.known(retention_ms, 2_000) if retention_ms else Retention.assumed(2_000),
        "kafka_4_from_ms": kafka_4_from_ms,
    }
    complete_from = spark.createDataFrame(whole, COMPLETE_FROM)
    table = removals(read_table(spark, data, "offsets"), groups, complete_from=complete_from, **given).table
    found = table.collect()
    read = {name: arrow_table([data], name) for name in ("offsets", "groups")}
    rows = [[] if each is None else each.to_pylist() for each in read.values()]
    assert_same_removals(found, judged(*rows, **given))
    return found


def asked_for(row: Any) -> str:
    """Return the cause in the story: the request just before, or expiry if there was none."""
    for request in truth()["story"]["requests"]:
        if request["what"] in CAUSES and 0 <= row.removed_at_ms - request["at"] <= SOON_MS:
            named = (
                row.topic == request.get("topic")
                or row.group in request.get("groups", ())
                or (row.group == request.get("group") and [row.topic, row.partition] in request["offsets"])
            )
            if named:
                return CAUSES[request["what"]]
    return "expired"


def stated(row: Any) -> str:
    """Return the cause, if the log shows it. One retention of its own was shorter than a check interval."""
    return "unknown" if row.group == "stamped-v2" and row.rule == "explicit_retention" else asked_for(row)


def test_removals_agree_with_the_requests_to_kafka(spark: SparkSession, data: str, groups: DataFrame) -> None:
    """Each run had a retention of its own, so its log is read with that."""
    restarted_ms = truth()["starts"][1]["at"]
    of_first, of_later = (removed(spark, data, groups, ms) for ms in RUN_RETENTIONS_MS)
    rows = [row for row in of_first if row.removed_at_ms < restarted_ms]
    rows += [row for row in of_later if row.removed_at_ms >= restarted_ms]
    assert {(row.log_partition, row.log_offset): row.inferred_cause for row in rows} == {
        (row.log_partition, row.log_offset): stated(row) for row in of_first
    }
    tombstones = {
        (each["partition"], each["offset"]): (
            each["key"]["group"],
            each["key"]["topic"],
            each["key"]["partition"],
        )
        for each in dump()
        if each.get("keyVersion") == 1 and each["value"] is None
    }
    assert {
        (row.log_partition, row.log_offset): (row.group, row.topic, row.partition) for row in rows
    } == tombstones


def test_with_both_retentions_no_cause_is_wrong(spark: SparkSession, data: str, groups: DataFrame) -> None:
    rows = removed(spark, data, groups, *RUN_RETENTIONS_MS)
    assert [row for row in rows if asked_for(row) not in row.possible_causes] == []
    with_commit = [row for row in rows if row.commit_log_offset is not None]
    assert len(with_commit) > 15
    assert [row for row in with_commit if row.inferred_cause != stated(row)] == []


def test_without_a_retention_no_cause_is_wrong(spark: SparkSession, data: str, groups: DataFrame) -> None:
    rows = removed(spark, data, groups)
    assert [row for row in rows if asked_for(row) not in row.possible_causes] == []
    assert {row.inferred_cause for row in rows} == {"unknown", "expired", *CAUSES.values()}
    with_commit = [row for row in rows if row.commit_log_offset is not None]
    assert [row for row in with_commit if row.inferred_cause != stated(row)] == []


def test_a_groups_last_row_is_its_state_as_kafka_loads_it(groups: DataFrame) -> None:
    from tidemark_pipeline.tables.timeline import group_timeline

    rows = group_timeline(groups).collect()
    last = {row.group: row for row in sorted(rows, key=lambda row: row.log_offset)}
    said = truth()["afterRestartOnCopy"]["groups"]
    known = {group: row.state for group, row in last.items() if row.state not in (None, "Dead")}
    assert len(known) > 25
    assert known == {group: said[group]["state"] for group in known}
    assert {row.group for row in last.values() if row.state == "Dead"} & said.keys() <= {
        "born-again"
    }  # which commits again, as a simple group
    replaced = [row for row in rows if row.what == "first_seen" and row.group == "static"]
    assert [(row.epoch, row.members) for row in replaced] == [(2, 2)]
    emptied = {row.group for row in rows if row.what == "emptied"}
    left = {each["group"] for each in truth()["story"]["requests"] if each["what"] == "LeaveGroup"}
    assert {"ranged", "emptied-late", "txn-members", "never-committed"} <= emptied & left
