"""The forecast in SQL returns what the rule and its sentences return in Python, for every kind of offset."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

from tests.pipeline.expiry_cases import NOW_MS, RETENTIONS_MS, Case, cases
from tidemark.groups.expirations import expiry
from tidemark.groups.explain import explain_offset
from tidemark_expiry.rules import Expiry
from tidemark_expiry.sentences import Retention
from tidemark_pipeline import retention
from tidemark_pipeline.retention import WEEK_MS, Aged, Ages

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

INTERVAL_MS: Final = 300_000
LAST_DATE_MS: Final = 253_402_300_799_999
HELD_BACK: Final = " Offsets do not expire while the group rebalances, and the log does not record that."
EVERY: Final = 5  # one case in five, so each group gets other offsets
TOPIC: Final = "b c"  # is quoted in a sentence

CURRENT: Final = pa.schema(
    [
        ("group", pa.string()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("committed_offset", pa.int64()),
        ("commit_timestamp_ms", pa.int64()),
        ("expire_timestamp_ms", pa.int64()),
        ("log_partition", pa.int32()),
        ("log_offset", pa.int64()),
    ]
)
GROUPS: Final = pa.schema(
    [
        ("group", pa.string()),
        ("group_type", pa.string()),
        ("state", pa.string()),
        ("protocol_type", pa.string()),
        ("state_timestamp_ms", pa.int64()),
        ("subscribed_topics", pa.list_(pa.string())),
        ("log_partition", pa.int32()),
    ]
)


def current(case: Case) -> dict[str, Any]:
    return {
        "group": case.group.group_id,
        "topic": case.columns.topic,
        "partition": case.partition,
        "committed_offset": case.value.offset,
        "commit_timestamp_ms": case.columns.commit_timestamp_ms,
        "expire_timestamp_ms": case.columns.expire_timestamp_ms,
        "log_partition": 0,
        "log_offset": case.partition,
    }


def group_row(case: Case) -> dict[str, Any]:
    it = case.columns
    return {
        "group": case.group.group_id,
        "group_type": it.group_type,
        "state": it.state,
        "protocol_type": it.protocol_type,
        "state_timestamp_ms": it.state_timestamp_ms,
        "subscribed_topics": it.subscribed_topics,
        "log_partition": 0,
    }


def forecast(spark: SparkSession, every: list[Case]) -> DataFrame:
    from tidemark_pipeline.tables.forecast import expiry_forecast

    groups = {case.group.group_id: group_row(case) for case in every if case.columns.group_type is not None}
    rows = [current(case) for case in every]
    pending = [row for row, case in zip(rows, every, strict=True) if case.columns.pending]

    def frame(rows: list[dict[str, Any]], schema: pa.Schema) -> DataFrame:
        return spark.createDataFrame(pa.Table.from_pylist(rows, schema=schema))

    return expiry_forecast(
        frame(rows, CURRENT),
        frame([*groups.values()], GROUPS),
        frame(pending, CURRENT),
        retention=retention.Retention.known(RETENTIONS_MS, INTERVAL_MS),
        as_of_ms=NOW_MS,
    )


def test_every_row_is_what_the_rule_returns_in_python(spark: SparkSession) -> None:
    every = [*cases(TOPIC)][::EVERY]
    by_place = {(case.group.group_id, case.partition): case for case in every}
    rows = forecast(spark, every).toArrow().to_pylist()
    assert len(rows) == len(every) * len(RETENTIONS_MS)
    for row in rows:
        assert_same(row, by_place[row["group"], row["partition"]])
    assert {row["not_before"] for row in rows} == {True, False}
    assert {row["committed_after_empty"] for row in rows} == {True, False}


def assert_same(row: dict[str, Any], case: Case) -> None:
    it, where = case.columns, (TOPIC, case.partition)
    found = expiry(
        case.group, TOPIC, case.value, wall_ms=NOW_MS, retention_ms=row["retention_ms"], pending=it.pending
    )
    assert (row["rule"], row["base_ms"], row["expires_at_ms"]) == found, case
    assert row["due"] == found.expired(NOW_MS), case
    if case.group.type_name != "share":  # nothing of theirs expires
        assert row["subscribed"] == case.group.is_subscribed(TOPIC), case
    assert (row["group_type"], row["group_state"]) == (it.group_type, it.state)
    assert row["base_ms"] == (getattr(it, row["base"]) if row["base"] else None)
    assert row["not_before"] == may_be_held_back(case, found), case
    assert row["removed_by_ms"] == removed_by(found, held_back=row["not_before"]), case
    for at in ("base_at", "expires_at", "removed_by"):
        assert row[at] == date(row["base_ms" if at == "base_at" else f"{at}_ms"]), case
    assert row["committed_after_empty"] == committed_after_empty(case), case
    said = explain_offset(
        case.group,
        where,
        case.value,
        found,
        wall_ms=NOW_MS,
        retention=Retention(row["retention_ms"]),
    )
    if row["not_before"]:
        assert " expires at the " in said
        said = said.replace(" expires at the ", " expires not before the ") + HELD_BACK
    assert row["sentence"] == said, case


def may_be_held_back(case: Case, found: Expiry) -> bool:
    """A classic group that has members, or waits for its first ones to sync."""
    it = case.columns
    busy = it.state != "Empty" or it.protocol_type is None
    return found.due_ms is not None and it.group_type == "classic" and busy


def removed_by(found: Expiry, *, held_back: bool) -> int | None:
    if found.due_ms is None or held_back:
        return None
    by_ms = max(found.due_ms, NOW_MS) + INTERVAL_MS
    return by_ms if by_ms < 2**63 else None


def committed_after_empty(case: Case) -> bool:
    group = case.group
    emptied_ms = group.state_since_ms
    is_managed = group.type_name == "classic" and group.protocol_type is not None
    if not is_managed or not group.is_empty or emptied_ms is None:
        return False
    return case.value.commit_timestamp > emptied_ms


def date(ms: int | None) -> datetime | None:
    if ms is None or not -62_135_596_800_000 <= ms <= LAST_DATE_MS:
        return None
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


AT_A_WEEK = [Aged(WEEK_MS + late_ms, late_ms) for late_ms in (60_000, 120_000, 180_000)]


@pytest.mark.parametrize(
    ("applied", "origin", "said"),
    [
        (retention.Retention.known([WEEK_MS]), "known", "(offsets.retention.minutes=10080)"),
        (retention.Retention.assumed(), "assumed", "(offsets.retention.minutes=10080, assumed)"),
        (
            retention.concluded(retention.Retention.assumed(), Ages(AT_A_WEEK)),
            "inferred",
            "(offsets.retention.minutes=10081, inferred: 10073 to 10081 fit, so at most that much earlier)",
        ),
    ],
    ids=["known", "assumed", "inferred"],
)
def test_each_row_says_where_its_retention_comes_from(
    spark: SparkSession, applied: retention.Retention, origin: str, said: str
) -> None:
    from tidemark_pipeline.tables.forecast import expiry_forecast

    case = next(case for case in cases(TOPIC) if case.columns.group_type is None)
    rows = pa.Table.from_pylist([current(case)], schema=CURRENT)
    table = expiry_forecast(
        spark.createDataFrame(rows),
        spark.createDataFrame(pa.Table.from_pylist([], schema=GROUPS)),
        spark.createDataFrame(rows).limit(0),
        retention=applied,
        as_of_ms=NOW_MS,
    )
    [row] = table.collect()
    assert row.retention_origin == origin
    assert said in row.sentence


def test_sentences_do_not_depend_on_the_time_zone_of_the_session(spark: SparkSession) -> None:
    """Its time zone has hours that occur twice and hours that do not occur."""
    every = [case for case in cases(TOPIC) if case.columns.group_type is None and not case.columns.pending]
    zone = spark.conf.get("spark.sql.session.timeZone")
    try:
        spark.conf.set("spark.sql.session.timeZone", "America/St_Johns")
        elsewhere = {tuple(row) for row in forecast(spark, every).select("partition", "sentence").collect()}
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    assert elsewhere == {
        tuple(row) for row in forecast(spark, every).select("partition", "sentence").collect()
    }
