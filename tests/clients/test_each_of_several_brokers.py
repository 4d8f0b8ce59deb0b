"""The parts of a cluster of three brokers that belong to one of them: configs, replicas on disk, state."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.clientenv import client_python
from tests.clients.test_several_brokers import SETTINGS, ask, coordinator, create, metadata, produce
from tidemark_protocol.errors import ErrorCode
from tidemark_testing import Tidemark
from tidemark_testing.client import TidemarkFactory

pytestmark = [pytest.mark.contract, pytest.mark.slow]


@pytest.fixture
def cluster() -> Iterator[Tidemark]:
    with Tidemark.start(SETTINGS) as started:
        yield started


def broker_config(cluster: Tidemark, node_id: int, name: str, *keys: str) -> dict[str, Any]:
    resource = {"ResourceType": 4, "ResourceName": name, "ConfigurationKeys": [*keys]}
    fields = {"Resources": [resource], "IncludeSynonyms": True, "IncludeDocumentation": False}
    found: dict[str, Any] = ask(cluster, node_id, "DescribeConfigs", 4, fields)["Results"][0]
    return found


def set_broker_config(cluster: Tidemark, node_id: int, name: str, key: str, value: str) -> dict[str, Any]:
    config = {"Name": key, "ConfigOperation": 0, "Value": value}
    resource = {"ResourceType": 4, "ResourceName": name, "Configs": [config]}
    fields = {"Resources": [resource], "ValidateOnly": False}
    found: dict[str, Any] = ask(cluster, node_id, "IncrementalAlterConfigs", 1, fields)["Responses"][0]
    return found


def test_configs_of_a_broker_are_described_and_altered_by_that_broker(cluster: Tidemark) -> None:
    # Observed on three nodes of Apache Kafka 4.4.0.
    refused = broker_config(cluster, 1, "2")
    assert refused["ErrorCode"] == ErrorCode.INVALID_REQUEST
    assert refused["ErrorMessage"] == "Unexpected broker id, expected 1 or empty string, but received 2"
    refused = set_broker_config(cluster, 3, "2", "log.retention.ms", "1000")
    assert refused["ErrorCode"] == ErrorCode.INVALID_REQUEST
    assert refused["ErrorMessage"] == "Unexpected broker id, expected 3, but received 2"
    assert set_broker_config(cluster, 3, "", "log.retention.ms", "777777")["ErrorCode"] == 0
    assert set_broker_config(cluster, 2, "2", "log.retention.ms", "888888")["ErrorCode"] == 0
    expected = {
        1: [("log.retention.ms", "777777", 3), ("log.retention.hours", "168", 5)],
        2: [
            ("log.retention.ms", "888888", 2),
            ("log.retention.ms", "777777", 3),
            ("log.retention.hours", "168", 5),
        ],
    }
    for node_id, values in expected.items():
        (found,) = broker_config(cluster, node_id, str(node_id), "log.retention.ms")["Configs"]
        synonyms = [(each["Name"], each["Value"], each["Source"]) for each in found["Synonyms"]]
        assert (found["Value"], found["ConfigSource"]) == values[0][1:]
        assert synonyms == values
    for node_id in (1, 2, 3):
        (found,) = broker_config(cluster, node_id, str(node_id), "node.id")["Configs"]
        assert found["Value"] == str(node_id)
        resources = ask(cluster, node_id, "ListConfigResources", 1, {"ResourceTypes": [4]})["ConfigResources"]
        assert [each["ResourceName"] for each in resources] == ["1", "2", "3"]


def test_log_dirs_of_a_broker_have_its_replicas(cluster: Tidemark) -> None:
    places = {0: [1, 2], 1: [3, 1], 2: [2, 3]}
    assignments = [{"PartitionIndex": index, "BrokerIds": ids} for index, ids in places.items()]
    topic = {"Name": "placed", "NumPartitions": -1, "ReplicationFactor": -1, "Assignments": assignments}
    fields = {"Topics": [{**topic, "Configs": []}], "timeoutMs": 5000, "validateOnly": False}
    assert ask(cluster, 1, "CreateTopics", 7, fields)["Topics"][0]["ErrorCode"] == 0
    for node_id in (1, 2, 3):
        (found,) = ask(cluster, node_id, "DescribeLogDirs", 4, {"Topics": None})["Results"]
        (listed,) = found["Topics"]
        own = [index for index, ids in places.items() if node_id in ids]
        assert [each["PartitionIndex"] for each in listed["Partitions"]] == own
        moved = {"Path": found["LogDir"], "Topics": [{"Name": "placed", "Partitions": [0, 1, 2, 9]}]}
        results = ask(cluster, node_id, "AlterReplicaLogDirs", 2, {"Dirs": [moved]})["Results"][0]
        codes = {each["PartitionIndex"]: each["ErrorCode"] for each in results["Partitions"]}
        elsewhere = ErrorCode.REPLICA_NOT_AVAILABLE
        expected = {index: 0 if index in own else elsewhere for index in places}
        assert codes == {**expected, 9: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}


def test_metrics_are_those_of_each_broker(cluster: Tidemark) -> None:
    create(cluster, "orders", 3, 3)
    config = {"Name": "min.insync.replicas", "ConfigOperation": 0, "Value": "3"}
    resource = {"ResourceType": 2, "ResourceName": "orders", "Configs": [config]}
    fields = {"Resources": [resource], "ValidateOnly": False}
    assert ask(cluster, 1, "IncrementalAlterConfigs", 1, fields)["Responses"][0]["ErrorCode"] == 0
    names = (
        "leadercount",
        "atminisrpartitioncount",
        "underminisrpartitioncount",
        "underreplicatedpartitions",
    )

    def of_brokers(name: str) -> list[float]:
        found = cluster.metrics
        return [found.value(f"kafka_server_replicamanager_{name}", node_id=str(each)) for each in (1, 2, 3)]

    assert [of_brokers(name) for name in names] == [[1, 1, 1], [1, 1, 1], [0, 0, 0], [0, 0, 0]]
    cluster.brokers.stop(2)
    assert of_brokers("leadercount")[1] == 0
    assert [sum(of_brokers(name)) for name in names] == [3, 0, 3, 3]
    of_controller = "kafka_controller_kafkacontroller_"
    found = cluster.metrics
    counts = {
        name: found.value(of_controller + name)
        for name in ("activebrokercount", "fencedbrokercount", "offlinepartitionscount",
                     "preferredreplicaimbalancecount")
    }  # fmt: skip
    assert list(counts.values()) == [2, 1, 0, 1]
    assert [
        found.value(f"{of_controller}activecontrollercount", node_id=str(each)) for each in (1, 2, 3)
    ] == [
        1,
        0,
        0,
    ]


def test_snapshot_has_the_brokers_that_are_stopped(cluster: Tidemark) -> None:
    create(cluster, "orders", 3, 3)
    leader = cluster.brokers.leader("orders", 0)
    running = cluster.snapshot()
    cluster.brokers.stop(leader)
    assert produce(cluster, cluster.brokers.leader("orders", 0), "orders", 0)["BaseOffset"] == 0
    stopped = cluster.snapshot()
    cluster.brokers.start(leader)

    cluster.restore(stopped)
    assert [each.running for each in cluster.brokers.all() if each.node_id == leader] == [False]
    with pytest.raises(OSError):
        metadata(cluster, leader)
    other = cluster.brokers.leader("orders", 0)
    assert other != leader
    assert produce(cluster, other, "orders", 0)["BaseOffset"] == 1

    cluster.restore(running)
    assert all(each.running for each in cluster.brokers.all())
    cluster.brokers.assert_leader("orders", 0, leader)
    assert produce(cluster, leader, "orders", 0)["BaseOffset"] == 0

    cluster.restore(stopped)
    cluster.brokers.start(leader)
    assert metadata(cluster, leader)["Brokers"] == metadata(cluster, other)["Brokers"]


CLIENT = """
import sys, time
from confluent_kafka import Producer
failed = []
producer = Producer({"bootstrap.servers": sys.argv[1], "enable.idempotence": True,
                     "message.timeout.ms": 60000, "reconnect.backoff.max.ms": 200})
for number in range(2):
    producer.produce("orders", str(number), partition=0,
                     on_delivery=lambda error, _: error and failed.append(str(error)))
    producer.flush(60)
    print(failed, flush=True)
    sys.stdin.readline()
"""


def test_client_goes_on_after_a_restore_with_a_stopped_broker(cluster: Tidemark) -> None:
    create(cluster, "orders", 1, 3)
    cluster.brokers.move_leader("orders", 0, to=2)
    cluster.brokers.stop(2)
    stopped = cluster.snapshot()
    cluster.brokers.start(2)
    cluster.brokers.move_leader("orders", 0, to=2)
    command = [client_python("confluent-kafka"), "-c", CLIENT, cluster.bootstrap_servers]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as client:
        assert client.stdin is not None and client.stdout is not None
        assert client.stdout.readline() == "[]\n"
        cluster.restore(stopped)
        client.stdin.write("\n")
        client.stdin.flush()
        assert client.stdout.readline() == "[]\n"
        client.stdin.write("\n")
    assert [each.value for each in cluster.records("orders")] == [b"1"]


def test_assertions_about_leaders_and_coordinators_name_the_broker(cluster: Tidemark) -> None:
    create(cluster, "orders", 1, 3)
    with pytest.raises(LookupError, match="no group has a coordinator yet"):
        cluster.brokers.coordinator("billing")
    found = coordinator(cluster, 1, "billing")
    cluster.brokers.assert_coordinator("billing", found)
    to = found % 3 + 1
    cluster.brokers.move_coordinator("billing", to=to)
    cluster.brokers.assert_coordinator("billing", to)
    cluster.brokers.move_leader("orders", 0, to=3)
    cluster.brokers.stop(1)
    cluster.brokers.assert_leader("orders", 0, 3)
    with pytest.raises(AssertionError, match="orders-0 is led by broker 3, not by broker 2; stopped: 1"):
        cluster.brokers.assert_leader("orders", 0, 2)
    with pytest.raises(LookupError, match="there is no partition orders-7"):
        cluster.brokers.assert_leader("orders", 7, 2)


def test_factory_starts_a_cluster(tidemark_factory: TidemarkFactory) -> None:
    assert [each.node_id for each in tidemark_factory(brokers=3).brokers.all()] == [1, 2, 3]
