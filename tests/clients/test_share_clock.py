"""A test moves the clock, and a share consumer (KIP-932) loses its records, without waiting for that."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.clientenv import client_python
from tests.clients.children import CLIENTS, Child
from tests.wire import Connection
from tidemark_testing import Tidemark

pytestmark = [pytest.mark.contract, pytest.mark.slow]

TOPIC: Final = "jobs"
GROUP: Final = "workers"
GROUP_RESOURCE: Final = 32
DELIVERIES_MAX: Final = 5  # group.share.delivery.count.limit
SETTINGS: Final = {
    "group.share.assignment.interval.ms": "0",
    "group.share.min.heartbeat.interval.ms": "100",
    "group.share.heartbeat.interval.ms": "300",
}
POLL_S: Final = 30.0
NOTHING_S: Final = 0.5


@pytest.fixture
def tidemark() -> Iterator[Tidemark]:
    with Tidemark.start(SETTINGS) as started, Connection(started.bootstrap_servers) as connection:
        config = {"Name": "share.auto.offset.reset", "ConfigOperation": 0, "Value": "earliest"}
        resource = {"ResourceType": GROUP_RESOURCE, "ResourceName": GROUP, "Configs": [config]}
        altered = connection.ask("IncrementalAlterConfigs", 1, {"Resources": [resource]})
        assert altered["Responses"][0]["ErrorCode"] == 0, altered
        yield started


@pytest.fixture
def client(tidemark: Tidemark, tmp_path: Path) -> Iterator[Child]:
    child = stepping(tidemark, tmp_path, "client")
    yield child
    child.close()


def stepping(tidemark: Tidemark, folder: Path, name: str) -> Child:
    program = [str(client_python("confluent-kafka")), "-u", str(CLIENTS / "stepping_with_confluent_kafka.py")]
    return Child(program, [tidemark.bootstrap_servers], folder, name)


def polled(client: Child, member: str, seconds: float = POLL_S) -> list[list[int]]:
    """Return offset and delivery count of what the member receives in one poll, or in several if it must."""
    deadline = time.monotonic() + seconds
    rows: list[list[int]] = []
    while not rows and time.monotonic() < deadline:
        each = min(1.0, seconds)
        rows = client.ask("polled", do="poll", member=member, group=GROUP, topic=TOPIC, seconds=each)["rows"]
    return [row[1:] for row in rows]


def acknowledged(client: Child, member: str, kind: str) -> Any:
    fact = client.ask("acknowledged", do="acknowledge", member=member, kind=kind)
    return fact["errors"]["0"]


def test_locks_end_when_the_clock_has_moved_for_as_long_as_they_last(
    tidemark: Tidemark, client: Child
) -> None:
    tidemark.produce(tidemark.topic(TOPIC), "a", "b")
    assert polled(client, "slow") == [[0, 1], [1, 1]]
    tidemark.clock.advance(seconds=20, sessions=True)
    assert polled(client, "other", NOTHING_S) == []
    assert tidemark.share_record(GROUP, TOPIC, 1).state == "acquired"
    tidemark.clock.advance(seconds=10, sessions=True)
    assert polled(client, "other") == [[0, 2], [1, 2]]
    assert acknowledged(client, "slow", "accept") == "INVALID_RECORD_STATE"
    assert acknowledged(client, "other", "accept") is None
    tidemark.assert_acknowledged(GROUP, TOPIC)
    assert polled(client, "slow", NOTHING_S) == []


def test_a_record_whose_lock_ends_after_each_delivery_is_archived(tidemark: Tidemark, client: Child) -> None:
    tidemark.produce(tidemark.topic(TOPIC), "broken")
    for delivery in range(1, DELIVERIES_MAX + 1):
        assert polled(client, "worker") == [[0, delivery]]
        tidemark.clock.advance(seconds=30, sessions=True)
        # Acknowledgements below the start offset have no effect. Kafka: SharePartition.acknowledge.
        late = "INVALID_RECORD_STATE" if delivery < DELIVERIES_MAX else None
        assert acknowledged(client, "worker", "accept") == late
    tidemark.produce(TOPIC, "good")
    assert polled(client, "worker") == [[1, 1]]
    assert acknowledged(client, "worker", "accept") is None
    archived = tidemark.share_record(GROUP, TOPIC, 0)
    assert (archived.state, archived.cause) == ("archived", "delivered_too_often"), archived.explanation


def test_a_member_without_heartbeats_loses_its_records_when_its_session_ends(
    tidemark: Tidemark, client: Child, tmp_path: Path
) -> None:
    tidemark.produce(tidemark.topic(TOPIC), "a")
    frozen = stepping(tidemark, tmp_path, "frozen")
    try:
        assert polled(frozen, "frozen") == [[0, 1]]
        frozen.freeze()
        tidemark.clock.advance(seconds=46, sessions=True)
        assert polled(client, "other") == [[0, 2]]
        frozen.thaw()
        assert acknowledged(frozen, "frozen", "accept") == "INVALID_RECORD_STATE"
        assert acknowledged(client, "other", "accept") is None
    finally:
        frozen.close()
    tidemark.assert_acknowledged(GROUP, TOPIC)
