"""Brokers in racks: consumers read from a replica in their rack, as on Kafka 4.4.0 (KIP-392)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Final

import pytest

from tests.clientenv import client_python
from tests.clients.test_several_brokers import ask
from tests.wire import Connection
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.errors import ErrorCode
from tidemark_testing import Tidemark

pytestmark = [pytest.mark.contract, pytest.mark.slow]

SETTINGS: Final = {
    "tidemark.brokers": "3",
    "tidemark.racks": "a,b,c",
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
}
BATCH: Final = build_batch([LogRecord(0, 1_700_000_000_000, None, b"v", [])])
# Consumes one record, and prints the broker from which the partition is read.
PROGRAM: Final = """
import json, sys, time
from confluent_kafka import Consumer, TopicPartition
read_from = []
def statistics(text):
    known = json.loads(text)["topics"].get("orders", {"partitions": {}})["partitions"]
    if "0" in known:
        read_from.append(known["0"]["broker"])
consumer = Consumer({
    "bootstrap.servers": sys.argv[1], "client.rack": sys.argv[2], "group.id": "g",
    "auto.offset.reset": "earliest", "statistics.interval.ms": 20, "stats_cb": statistics,
})
consumer.assign([TopicPartition("orders", 0, 0)])
deadline, value = time.monotonic() + 30, None
while time.monotonic() < deadline and (value is None or read_from[-1:] != [int(sys.argv[3])]):
    message = consumer.poll(0.1)
    if message is not None and message.error() is None:
        value = message.value().decode()
print(json.dumps([value, read_from[-1]]))
"""


@pytest.fixture
def cluster() -> Iterator[Tidemark]:
    with Tidemark.start(SETTINGS) as started:
        placed = [{"PartitionIndex": 0, "BrokerIds": [1, 2]}, {"PartitionIndex": 1, "BrokerIds": [1, 3]}]
        new = {"Name": "orders", "NumPartitions": -1, "ReplicationFactor": -1, "Assignments": placed}
        assert ask(started, 1, "CreateTopics", 7, {"Topics": [new]})["Topics"][0]["ErrorCode"] == 0
        for partition in (0, 1):
            data = {"Index": partition, "Records": BATCH.hex()}
            topic = {"Name": "orders", "PartitionData": [data]}
            ask(started, 1, "Produce", 9, {"Acks": -1, "TimeoutMs": 1000, "TopicData": [topic]})
        yield started


def fetch(
    cluster: Tidemark, node_id: int, rack: str, partition: int = 0, offset: int = 0, epoch: int = -1
) -> tuple[int, int, int]:
    """Return the error, the preferred read replica and the bytes of records."""
    wanted = {
        "Partition": partition, "CurrentLeaderEpoch": epoch, "FetchOffset": offset, "PartitionMaxBytes": 1000,
    }  # fmt: skip
    fields = {
        "MaxWaitMs": 60_000 if rack == "b" and offset else 0, "MinBytes": 1, "MaxBytes": 1000,
        "RackId": rack, "Topics": [{"Topic": "orders", "Partitions": [wanted]}],
    }  # fmt: skip
    data = ask(cluster, node_id, "Fetch", 12, fields)["Responses"][0]["Partitions"][0]
    return data["ErrorCode"], data["PreferredReadReplica"], len(bytes.fromhex(data["Records"] or ""))


def test_the_leader_names_a_replica_in_the_rack_of_the_consumer(cluster: Tidemark) -> None:
    size = len(BATCH)
    assert fetch(cluster, 1, "b") == (0, 2, 0)
    for rack in ("", "a", "c", "z"):
        assert fetch(cluster, 1, rack) == (0, -1, size)
    assert fetch(cluster, 2, "b") == fetch(cluster, 2, "c") == (0, -1, size)
    assert fetch(cluster, 1, "b", partition=1) == (0, -1, size)
    assert fetch(cluster, 1, "b", offset=1) == (0, 2, 0), "it does not wait for records"
    assert fetch(cluster, 1, "b", offset=99) == (ErrorCode.OFFSET_OUT_OF_RANGE, -1, 0)
    assert fetch(cluster, 1, "b", epoch=7) == (ErrorCode.UNKNOWN_LEADER_EPOCH, -1, 0)
    cluster.brokers.stop(2)
    assert fetch(cluster, 1, "b") == (0, -1, size)


def test_a_fetch_session_names_the_replica_again(cluster: Tidemark) -> None:
    connection = Connection(cluster.bootstrap_servers.split(",")[0])
    wanted = {"Partition": 0, "CurrentLeaderEpoch": -1, "FetchOffset": 0, "PartitionMaxBytes": 1000}
    fields = {"MaxWaitMs": 0, "MinBytes": 1, "MaxBytes": 1000, "RackId": "b"}
    with connection.socket:
        topics = [{"Topic": "orders", "Partitions": [wanted]}]
        first = connection.ask("Fetch", 12, fields | {"SessionEpoch": 0, "Topics": topics})
        again = connection.ask(
            "Fetch", 12, fields | {"SessionId": first["SessionId"], "SessionEpoch": 1, "Topics": []}
        )
    (topic,) = again["Responses"]
    assert topic["Partitions"][0]["PreferredReadReplica"] == 2


def test_metadata_has_the_racks(cluster: Tidemark) -> None:
    assert [each["Rack"] for each in ask(cluster, 2, "Metadata", 12, {"Topics": []})["Brokers"]] == [*"abc"]
    found = ask(cluster, 2, "DescribeCluster", 1, {"EndpointType": 1})["Brokers"]
    assert [each["Rack"] for each in found] == [*"abc"]


@pytest.mark.parametrize(("rack", "broker"), [("a", 1), ("b", 2), ("c", 1)])
def test_librdkafka_reads_from_the_replica_in_its_rack(cluster: Tidemark, rack: str, broker: int) -> None:
    python = client_python("confluent-kafka")
    command = [str(python), "-c", PROGRAM, cluster.bootstrap_servers, rack, str(broker)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert json.loads(done.stdout) == ["v", broker]
