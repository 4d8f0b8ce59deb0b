"""The current state of Kafka's directory, compared with a Kafka that was started on a copy of it.

The forecast is compared with our broker on a copy (`serve --from`), whose clock is moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.clients.test_opening import Opened, serving
from tests.kafkas_directory import unpacked
from tests.pipeline.kafka_fixture import truth
from tidemark_pipeline.retention import Retention

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

OffsetKey = tuple[str, str, int]
Row = dict[str, Any]

RETENTION_MS: Final = 7 * 86_400_000  # our broker's default
SHORT_MS: Final = 60_000
NAMES: Final = {"Classic": "classic", "Consumer": "consumer", "Share": "share", "Streams": "streams"}


@dataclass(slots=True, frozen=True)
class Found:
    """current_offsets, current_groups, and expiry_forecast by its retention, at the time at_ms."""

    current: dict[OffsetKey, Row]
    groups: dict[str, Row]
    forecast: dict[int, dict[OffsetKey, Row]]


def key_of(row: Row) -> OffsetKey:
    return row["group"], row["topic"], row["partition"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("kafka"))


@pytest.fixture(scope="module")
def broker(written: Path) -> Iterator[Opened]:
    with serving("--from", written, "--set", "tidemark.test.api=true") as running:
        yield running


@pytest.fixture(scope="module")
def found(spark: SparkSession, written: Path, broker: Opened) -> Found:
    from tidemark_pipeline.source.session import read_table
    from tidemark_pipeline.tables.current import current_offsets, pending_offsets
    from tidemark_pipeline.tables.forecast import expiry_forecast
    from tidemark_pipeline.tables.groups import current_groups

    history = read_table(spark, str(written), "offsets").cache()
    groups = current_groups(read_table(spark, str(written), "groups")).cache()
    current = current_offsets(history)
    written_open = read_table(spark, str(written), "offsets", transactions="open")
    retentions = [RETENTION_MS, SHORT_MS]
    forecast = expiry_forecast(
        current,
        groups,
        pending_offsets(written_open, history),
        retention=Retention.known(retentions),
        as_of_ms=broker.ready["at_ms"],
    )
    rows = forecast.toArrow().to_pylist()
    return Found(
        {key_of(row): row for row in current.toArrow().to_pylist()},
        {row["group"]: row for row in groups.toArrow().to_pylist()},
        {each: {key_of(row): row for row in rows if row["retention_ms"] == each} for each in retentions},
    )


def test_current_offsets_are_those_that_kafka_returns(found: Found) -> None:
    told = {
        (group, each["topic"], each["partition"]): (each["offset"], each["leaderEpoch"], each["metadata"])
        for group, answer in truth()["afterRestartOnCopy"]["offsetFetch"].items()
        for each in answer["offsets"]
    }
    assert {
        key: (
            row["committed_offset"],
            -1 if row["leader_epoch"] is None else row["leader_epoch"],
            row["metadata"],
        )
        for key, row in found.current.items()
    } == told
    assert any(offset < 0 for offset, _, _ in told.values())
    assert "" in {group for group, _, _ in told}


def test_groups_are_those_that_kafka_lists(found: Found) -> None:
    told = truth()["afterRestartOnCopy"]["groups"]
    simple = {group for group, _, _ in found.current} - {*found.groups}
    assert {*found.groups} | simple == {*told}
    for name, said in told.items():
        row = found.groups.get(name)
        if row is None:
            assert said == {"type": "Classic", "protocolType": "", "state": "Empty"}, name
            continue
        assert row["group_type"] == NAMES[said["type"]], name
        assert (row["protocol_type"] or "") == said["protocolType"], name
        if row["group_type"] in ("classic", "consumer"):
            assert row["state"] == said["state"], name


def test_members_are_those_that_kafka_describes(found: Found) -> None:
    told = truth()["afterRestartOnCopy"]
    described = told["consumerGroups"] | told["classicGroups"]
    seen = 0
    for name, row in found.groups.items():
        if row["group_type"] not in ("classic", "consumer"):
            continue
        said = {each["memberId"]: each for each in described[name]["members"]}
        members = {each["member_id"]: each for each in row["members"]}
        assert members.keys() == said.keys(), name
        assert row["member_count"] == len(said)
        for member_id, member in members.items():
            seen += 1
            assert member["client_id"] == said[member_id]["clientId"]
            assert member["client_host"] == said[member_id]["host"]
            assert member["instance_id"] == said[member_id]["groupInstanceId"]
    assert seen > 0


def test_the_forecast_of_each_offset_is_the_brokers(found: Found, broker: Opened) -> None:
    forecast, told = found.forecast[RETENTION_MS], broker.offsets()
    assert forecast.keys() == told.keys()
    for key, said in told.items():
        row = forecast[key]
        assert (row["rule"], row["base_ms"]) == (said["rule"], said["since_ms"]), key
        assert (row["expires_at_ms"], row["due"]) == (said["due_ms"], said["expired"]), key
        assert row["subscribed"] == said["subscribed"], key
        assert row["committed_offset"] == said["offset"], key
        if not row["not_before"]:
            # The broker was opened without a retention, and reports that it assumes this one.
            explanation = said["explanation"].replace(", assumed", "")
            # The broker also names the transaction, which is in another log.
            assert row["sentence"] == explanation.partition(" It is the transaction of ")[0]


def test_the_forecast_for_another_retention_is_the_brokers(found: Found, broker: Opened) -> None:
    asked = broker.http.pages("/v1/expiry", "offsets", retention_minutes=1, within="36500d", limit=100)
    told = {key_of(said): (said["rule"], said["since_ms"], said["due_ms"]) for said in asked}
    assert told == {
        key: (row["rule"], row["base_ms"], row["expires_at_ms"])
        for key, row in found.forecast[SHORT_MS].items()
        if row["expires_at_ms"] is not None
    }


def test_the_groups_are_the_brokers(found: Found, broker: Opened) -> None:
    """The broker replays the same records one after the other."""
    told = broker.groups()
    for name, row in found.groups.items():
        said = told[name]
        assert row["group_type"] == said["type"], name
        assert row["state"] == said["state"], name
        assert row["subscribed_topics"] == said["subscribed_topics"], name
        if row["group_type"] in ("classic", "consumer"):
            assert row["epoch"] == said["generation"], name
            subscriptions = {each["member_id"]: each["subscription"] for each in said["members"]}
            assert {each["member_id"]: each["subscribed_topics"] for each in row["members"]} == subscriptions


def test_offsets_expire_on_the_broker_as_forecast(found: Found, broker: Opened) -> None:
    """Just before and just after the first and last expiry of each rule.

    The last test: it moves the clock.
    """
    forecast = found.forecast[RETENTION_MS]
    broker.http.post("/v1/clock/resume")
    broker.http.post("/v1/clock/freeze")
    gone: dict[OffsetKey, str] = {}
    assert {row["rule"] for row in forecast.values() if row["expires_at_ms"] is not None} == {
        "group_empty",
        "topic_not_subscribed",
        "standalone",
        "explicit_retention",
    }
    for due_ms in turning_points(forecast, broker.http.get("/v1/clock")["now_ms"]):
        for now_ms in (due_ms - 1, due_ms):
            moved = broker.http.post("/v1/clock/set", {"to_ms": now_ms})
            gone |= {key_of(each): each["rule"] for each in moved["offsets"]}
            assert gone == {key: row["rule"] for key, row in forecast.items() if is_gone(row, now_ms)}
            assert broker.offsets().keys() == forecast.keys() - gone.keys()
    stays = {row["rule"] for key, row in forecast.items() if key not in gone}
    assert stays == {"active", "pending_transaction"}


def is_gone(row: Row, now_ms: int) -> bool:
    return row["expires_at_ms"] is not None and bool(row["expires_at_ms"] <= now_ms)


def turning_points(forecast: dict[OffsetKey, Row], now_ms: int) -> list[int]:
    """Return the future times at which the first and the last offset of each rule expires."""
    times: dict[str, list[int]] = {}
    for row in forecast.values():
        if row["expires_at_ms"] is not None and row["expires_at_ms"] > now_ms + 1:
            times.setdefault(row["rule"], []).append(row["expires_at_ms"])
    return sorted({edge for each in times.values() for edge in (min(each), max(each))})
