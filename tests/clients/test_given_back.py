"""Kafka's tool restores removed offsets from the file of /v1/expiry/log, to our broker and to Kafka."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess, OracleBroker, two_free_ports
from tests.clients.client import Client, batch
from tests.wire import Connection
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from tidemark_tools.http_api import Api

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or ""),
]

TOPIC = "orders"
COMMITTED = {"readers": [3, 4], 'odd, "name"': [1, 5]}  # by partition
NOT_COMMITTED = [-1, -1]
RECORDS = 5


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    broker = BrokerProcess(tmp_path_factory.mktemp("ours"), {"tidemark.test.api": "true"})
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OracleBroker]:
    broker = OracleBroker(tmp_path_factory.mktemp("kafka"), two_free_ports())
    broker.start()
    yield broker
    broker.stop()


def fill(client: Client) -> None:
    """Fill both partitions of a topic with RECORDS records: a reset allows no offset after the end.

    A broker that is starting refuses some of the first batches.
    """
    client.ask(7, CreateTopicsRequest([CreatableTopic(TOPIC, 2, 1)], 10_000))
    deadline = time.monotonic() + 30
    while (refused := client.produce(TOPIC, (0, batch(RECORDS)), (1, batch(RECORDS)))) != [0, 0]:
        assert time.monotonic() < deadline, refused
        time.sleep(0.1)


def committed(client: Client, group: str) -> list[int]:
    topics = [OffsetFetchRequestTopics(TOPIC, partition_indexes=[0, 1])]
    response = client.ask(8, OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group, topics=topics)]))
    partitions = response.groups[0].topics[0].partitions
    return [each.committed_offset for each in sorted(partitions, key=lambda each: each.partition_index)]


@pytest.fixture(scope="module")
def removed(ours: BrokerProcess, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file, once all offsets have expired."""
    with Connection(ours.bootstrap) as connection:
        client = Client(connection)
        fill(client)
        for group, offsets in COMMITTED.items():
            assert client.commit(group, TOPIC, dict(enumerate(offsets))) == [0, 0]
        Api(ours.http).post("/v1/clock/advance", {"days": 8})
        assert [committed(client, group) for group in COMMITTED] == [NOT_COMMITTED, NOT_COMMITTED]
    file = tmp_path_factory.mktemp("removed") / "removed.csv"
    file.write_text(Api(ours.http).text("/v1/expiry/log?format=reset-csv"))
    return file


def reset(bootstrap: str, file: Path, *groups: str) -> None:
    """Reset the offsets of these groups. For one group, the tool must not print a stack trace.

    For several groups it always does: it first reads the rows as those of one group.
    """
    chosen = [word for group in groups for word in ("--group", group)]
    ended = kafka_oracle.run_tool(
        "kafka-consumer-groups", "--bootstrap-server", bootstrap, "--reset-offsets", "--execute",
        "--from-file", str(file), *chosen,
    )  # fmt: skip
    assert ended.returncode == 0 and "Error" not in ended.stdout, ended.stdout + ended.stderr
    assert ("Exception" in ended.stderr) == (len(groups) > 1), ended.stderr


def test_kafkas_tool_restores_expired_offsets_to_us(ours: BrokerProcess, removed: Path) -> None:
    reset(ours.bootstrap, removed, *COMMITTED)
    with Connection(ours.bootstrap) as connection:
        client = Client(connection)
        assert {group: committed(client, group) for group in COMMITTED} == COMMITTED


def test_kafkas_tool_restores_expired_offsets_to_kafka(kafka: OracleBroker, removed: Path) -> None:
    with Connection(kafka.bootstrap) as connection:
        client = Client(connection)
        fill(client)
        reset(kafka.bootstrap, removed, *COMMITTED)
        assert {group: committed(client, group) for group in COMMITTED} == COMMITTED


@pytest.mark.usefixtures("removed")  # the topic and its records
def test_deleted_offsets_are_restored_group_by_group(ours: BrokerProcess, tmp_path: Path) -> None:
    """A group that has committed since is left out."""
    file = tmp_path / "deleted.csv"
    with Connection(ours.bootstrap) as connection:
        client = Client(connection)
        for group in ("emptied", "dropped"):
            assert client.commit(group, TOPIC, {0: 2, 1: 3}) == [0, 0]
        for partition in (0, 1):
            client.delete_offset("emptied", TOPIC, partition)
        client.delete_group("dropped")
        assert client.commit("emptied", TOPIC, {1: 5}) == [0]
        for group in ("emptied", "dropped"):
            file.write_text(Api(ours.http).text(f"/v1/expiry/log?format=reset-csv&group={group}"))
            reset(ours.bootstrap, file, group)
        assert [committed(client, group) for group in ("emptied", "dropped")] == [[2, 5], [2, 3]]
