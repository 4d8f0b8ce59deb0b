"""DeleteRecords, then kill -9: what was acknowledged stays deleted.

Apache Kafka 4.3.1 writes the log start with its next checkpoint, so the records come back there.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broker_process import BrokerProcess
from tests.wire import Connection
from tidemark_protocol.batch import LogRecord, build_batch

RECORDS: Final = 50
PARTITIONS: Final = 3
KILLS: Final = 5

pytestmark = [
    pytest.mark.contract,
    pytest.mark.slow,
    pytest.mark.skipif(os.environ.get("TIDEMARK_TEST_ORACLE") == "1", reason="Kafka loses deletions"),
]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    running = BrokerProcess(tmp_path)
    running.start()
    yield running
    running.stop()
    print(running.said()[-3000:])


@contextmanager
def client_of(broker: BrokerProcess) -> Iterator[Client]:
    with Connection(broker.bootstrap) as connection:
        yield Client(connection)


class Client:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def ask(self, api: str, version: int, value: dict[str, Any]) -> Any:
        return self._connection.ask(api, version, value)

    def fill(self, topic: str) -> None:
        wanted = {"Name": topic, "NumPartitions": PARTITIONS, "ReplicationFactor": 1}
        assert self.ask("CreateTopics", 7, {"Topics": [wanted]})["Topics"][0]["ErrorCode"] == 0
        batch = build_batch([LogRecord(n, 0, None, b"value") for n in range(RECORDS)], leader_epoch=-1).hex()
        data = [{"Index": index, "Records": batch} for index in range(PARTITIONS)]
        request = {"Acks": -1, "TimeoutMs": 1000, "TopicData": [{"Name": topic, "PartitionData": data}]}
        (produced,) = self.ask("Produce", 8, request)["Responses"]
        assert [each["ErrorCode"] for each in produced["PartitionResponses"]] == [0] * PARTITIONS

    def delete(self, topic: str, offsets: dict[int, int]) -> None:
        named = [{"PartitionIndex": index, "Offset": offset} for index, offset in offsets.items()]
        request = {"Topics": [{"Name": topic, "Partitions": named}], "TimeoutMs": 1000}
        (deleted,) = self.ask("DeleteRecords", 2, request)["Topics"]
        assert [each["ErrorCode"] for each in deleted["Partitions"]] == [0] * len(offsets)

    def starts(self, topic: str) -> list[int]:
        named = [{"PartitionIndex": index, "Timestamp": -2} for index in range(PARTITIONS)]
        request = {"ReplicaId": -1, "Topics": [{"Name": topic, "Partitions": named}]}
        (listed,) = self.ask("ListOffsets", 5, request)["Topics"]
        return [each["Offset"] for each in listed["Partitions"]]


def test_acknowledged_deletions_survive_a_kill(broker: BrokerProcess) -> None:
    with client_of(broker) as client:
        client.fill("orders")
    for kill in range(1, KILLS + 1):
        with client_of(broker) as client:
            client.delete("orders", {0: kill * 3, 2: kill * 5})
            broker.kill9()
        broker.restart()
        with client_of(broker) as client:
            assert client.starts("orders") == [kill * 3, 0, kill * 5]


def test_a_kill_during_many_deletions_loses_none_that_was_acknowledged(broker: BrokerProcess) -> None:
    """Deletions of several clients share writes of the checkpoint."""
    with client_of(broker) as client:
        client.fill("orders")
    acknowledged = [0] * PARTITIONS
    halfway = threading.Barrier(PARTITIONS + 1)

    def delete(index: int) -> None:
        with suppress(ConnectionError), client_of(broker) as client:  # until the kill
            for offset in range(1, RECORDS + 1):
                client.delete("orders", {index: offset})
                acknowledged[index] = offset
                if offset == RECORDS // 2:
                    halfway.wait()

    deleting = [threading.Thread(target=delete, args=(index,)) for index in range(PARTITIONS)]
    for each in deleting:
        each.start()
    halfway.wait()
    broker.kill9()
    for each in deleting:
        each.join()
    broker.restart()
    with client_of(broker) as client:
        starts = client.starts("orders")
    assert all(found >= told > 0 for found, told in zip(starts, acknowledged, strict=True))
