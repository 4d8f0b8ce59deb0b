"""Compare the forecast for a running broker with the expirations after its clock was moved.

Each offset must expire at the forecast millisecond and by the forecast rule.
Rules that no client can cause here are tested on Kafka's own directory: `test_kafka_directory_now`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.broker_process import BrokerProcess
from tests.clients.test_expiry_scenarios import PATIENCE_S, SETTINGS, Scene, as_member, synced
from tests.unit.broker.group_story import subscription
from tests.wire import Connection, request, response
from tidemark_pipeline.retention import Retention
from tidemark_protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tidemark_testing.wire import create_topic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java, pytest.mark.contract]

Directory = tuple[str, str, int]
Row = dict[str, Any]

DAY_MS: Final = 86_400_000
R: Final = 7 * DAY_MS
MONTH_MS: Final = 30 * DAY_MS
INTERVAL_MS: Final = 600_000
PATIENT_MS: Final = 1_800_000


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    broker = BrokerProcess(tmp_path, SETTINGS)
    broker.start()
    create_topic(broker.bootstrap, "orders", 3, {})
    create_topic(broker.bootstrap, "payments", 2, {})
    made = Scene(broker)
    yield made
    made.close()
    broker.stop()


def joining(
    group: str, metadata: bytes, protocol_type: str = "consumer", member: str = ""
) -> JoinGroupRequest:
    """Return a JoinGroup request whose timeouts are longer than reading the log needs."""
    protocols = [JoinGroupRequestProtocol("range", metadata)]
    return JoinGroupRequest(group, PATIENT_MS, PATIENT_MS, member, None, protocol_type, protocols)


def joined(scene: Scene, group: str, metadata: bytes, protocol_type: str = "consumer") -> tuple[str, int]:
    """Add a member that joins and syncs alone. Return its id and generation."""
    answer = scene.client.ask(3, joining(group, metadata, protocol_type))
    assert answer.error_code == 0
    synced(scene.client, group, answer.member_id, answer.generation_id)
    return answer.member_id, answer.generation_id


def forecast(spark: SparkSession, scene: Scene) -> dict[Directory, Row]:
    from tidemark_pipeline.source.session import read_table
    from tidemark_pipeline.tables.current import current_offsets, pending_offsets
    from tidemark_pipeline.tables.forecast import expiry_forecast
    from tidemark_pipeline.tables.groups import current_groups

    where = str(scene.broker.data_dir)
    history = read_table(spark, where, "offsets")
    rows = expiry_forecast(
        current_offsets(history),
        current_groups(read_table(spark, where, "groups")),
        pending_offsets(read_table(spark, where, "offsets", transactions="open"), history),
        retention=Retention.known([R], INTERVAL_MS),
        as_of_ms=scene.now_ms(),
    )
    found = rows.toArrow().to_pylist()
    return {(row["group"], row["topic"], row["partition"]): row for row in found}


def play(scene: Scene) -> dict[Directory, str]:
    """Create groups of every kind that clients can create, some hours apart. Return each offset's rule."""
    rules: dict[Directory, str] = {}

    def now(group: str, topic: str, partition: int, rule: str) -> tuple[str, int]:
        rules[group, topic, partition] = rule
        return topic, partition

    scene.commit("alone", now("alone", "orders", 0, "standalone"))
    scene.advance(DAY_MS, cleanup=False)
    scene.commit("alone", now("alone", "orders", 1, "standalone"))
    scene.commit("", now("", "orders", 0, "standalone"))

    kept = now("own", "orders", 0, "explicit_retention")
    scene.commit("own", kept, version=4, retention_time_ms=MONTH_MS)
    for partition, retention_ms in ((1, 3 * DAY_MS), (2, 0)):
        place = now("own", "orders", partition, "explicit_retention")
        scene.commit("own", place, version=3, retention_time_ms=retention_ms)

    member, generation = joined(scene, "emptied", subscription(["orders"]))
    scene.commit("emptied", now("emptied", "orders", 0, "group_empty"), **as_member(member, generation))
    scene.advance(DAY_MS, cleanup=False)
    scene.client.leave("emptied", member)
    scene.advance(DAY_MS, cleanup=False)
    scene.commit("emptied", now("emptied", "orders", 1, "group_empty"))
    longer = now("emptied", "orders", 2, "explicit_retention")
    scene.commit("emptied", longer, version=4, retention_time_ms=MONTH_MS)

    member, generation = joined(scene, "narrow", subscription(["orders"]))
    known = as_member(member, generation)
    scene.commit("narrow", now("narrow", "orders", 0, "active"), **known)
    scene.commit("narrow", now("narrow", "payments", 0, "topic_not_subscribed"), **known)
    short = now("narrow", "payments", 1, "explicit_retention")
    scene.commit("narrow", short, version=4, retention_time_ms=DAY_MS // 2, **known)
    kept = now("narrow", "orders", 1, "active")
    scene.commit("narrow", kept, version=4, retention_time_ms=1_000, **known)

    for group, metadata, protocol_type in (("connect", b"\x00\x01", "connect"), ("odd", b"\x00", "consumer")):
        member, generation = joined(scene, group, metadata, protocol_type)
        scene.commit(group, now(group, "orders", 0, "active"), **as_member(member, generation))
    return rules


def test_offsets_expire_exactly_as_forecast(spark: SparkSession, scene: Scene) -> None:
    rules = play(scene)
    foretold = forecast(spark, scene)
    assert {key: row["rule"] for key, row in foretold.items()} == rules
    assert [key for key, row in foretold.items() if row["due"]] == [("own", "orders", 2)]
    assert [key for key, row in foretold.items() if row["committed_after_empty"]] == [
        key for key in foretold if key[0] == "emptied" and key[2] > 0
    ]
    assert {key for key, row in foretold.items() if row["not_before"]} == {
        ("narrow", "payments", 0),
        ("narrow", "payments", 1),
    }
    times = {row["expires_at_ms"] for row in foretold.values() if row["expires_at_ms"] is not None}
    scene.api.post("/v1/clock/freeze")
    for due_ms in sorted(times):
        for now_ms in (max(due_ms - 1, scene.now_ms()), max(due_ms, scene.now_ms())):
            moved = scene.api.post("/v1/clock/set", {"to_ms": now_ms})
            assert stored(scene) == {key for key, row in foretold.items() if stays(row, now_ms)}
            assert all(rules[each["group"], each["topic"], each["partition"]] == each["rule"]
                       for each in moved["offsets"])  # fmt: skip
    assert {rules[key] for key in stored(scene)} == {"active"}


def stays(row: Row, now_ms: int) -> bool:
    return row["expires_at_ms"] is None or bool(row["expires_at_ms"] > now_ms)


def stored(scene: Scene) -> set[Directory]:
    offsets = scene.api.pages("/v1/offsets", "offsets")
    return {(each["group"], each["topic"], each["partition"]) for each in offsets}


def test_offsets_of_a_rebalancing_group_outlive_a_not_before_forecast(
    spark: SparkSession, scene: Scene
) -> None:
    """In the log, the group is Stable, because Kafka does not write PreparingRebalance."""
    member, generation = joined(scene, "busy", subscription(["orders"]))
    scene.commit("busy", ("payments", 0), **as_member(member, generation))
    other = Connection(scene.broker.bootstrap)
    other.send(request("JoinGroup", 3, joining("busy", subscription(["orders"]))))
    wait_until_rebalancing(scene, "busy")

    (row,) = forecast(spark, scene).values()
    assert (row["rule"], row["group_state"], row["not_before"]) == ("topic_not_subscribed", "Stable", True)
    assert row["removed_by_ms"] is None
    assert " expires not before the first cleanup pass " in row["sentence"]
    scene.api.post("/v1/clock/freeze")
    assert gone_at(scene, row["expires_at_ms"]) == []

    answer = scene.client.ask(5, joining("busy", subscription(["orders"]), member=member))
    assert response("JoinGroup", 3, other.answer()).error_code == 0
    other.socket.close()
    synced(scene.client, "busy", member, answer.generation_id)
    assert gone_at(scene, row["expires_at_ms"]) == ["topic_not_subscribed"]


def gone_at(scene: Scene, now_ms: int) -> list[str]:
    return [each["rule"] for each in scene.api.post("/v1/clock/set", {"to_ms": now_ms})["offsets"]]


def wait_until_rebalancing(scene: Scene, group: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while scene.listed(group) != ("PreparingRebalance", "consumer"):
        assert time.monotonic() < deadline, scene.listed(group)
