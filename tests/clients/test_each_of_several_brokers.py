"""The parts of a cluster of three brokers that belong to one of them: configs, replicas on disk, state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.clients.test_several_brokers import SETTINGS, ask, create
from tidemark_protocol.errors import ErrorCode
from tidemark_testing import Tidemark

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
