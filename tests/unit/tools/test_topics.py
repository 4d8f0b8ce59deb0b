"""`tidemark topics`: creation times, and brokers that a single Kafka cannot be.

tests/conformance/tools compares the rest with Kafka's tool.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broker_process import BrokerProcess
from tests.unit.tools.client.scripted import ScriptedBroker
from tidemark_protocol.messages.describe_configs import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
)
from tidemark_protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)
from tidemark_protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from tidemark_protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from tidemark_tools.client.errors import ClientError
from tidemark_tools.http_api import Api
from tidemark_tools.main import main
from tidemark_tools.topic_descriptions import read_topic_id

ID: Final = bytes(15) + b"\x01"
ID_TEXT: Final = "AAAAAAAAAAAAAAAAAAAAAQ"
JANUARY_MS: Final = 1_736_937_000_000  # 2025-01-15T10:30:00Z
TOPIC_LINE: Final = f"Topic: t\tTopicId: {ID_TEXT}\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n"


def scripted(
    partition: DescribeTopicPartitionsResponsePartition, **served: tuple[int, int]
) -> ScriptedBroker:
    """A broker with the topic `t` that has this partition. served: the versions of an API."""
    topic = DescribeTopicPartitionsResponseTopic(name="t", topic_id=ID, partitions=[partition])
    setting = DescribeConfigsResourceResult(name="min.insync.replicas", value="2", config_source=5)
    moving = OngoingPartitionReassignment(0, [1, 2, 3], adding_replicas=[3], removing_replicas=[1])
    return ScriptedBroker(
        {
            "Metadata": lambda request: metadata(partition),
            "DescribeTopicPartitions": lambda request: DescribeTopicPartitionsResponse(topics=[topic]),
            "DescribeConfigs": lambda request: DescribeConfigsResponse(
                results=[DescribeConfigsResult(resource_type=2, resource_name="t", configs=[setting])]
            ),
            "ListPartitionReassignments": lambda request: ListPartitionReassignmentsResponse(
                topics=[OngoingTopicReassignment("t", [moving])]
            ),
        },
        {
            "DescribeTopicPartitions": (0, 1),
            "ListPartitionReassignments": (0, -1),
            **served,
        },
    )


def metadata(partition: DescribeTopicPartitionsResponsePartition) -> MetadataResponse:
    described = MetadataResponsePartition(
        partition_index=0,
        leader_id=partition.leader_id,
        replica_nodes=partition.replica_nodes,
        isr_nodes=partition.isr_nodes,
    )
    topic = MetadataResponseTopic(name="t", topic_id=ID, partitions=[described])
    return MetadataResponse(
        brokers=[MetadataResponseBroker(node_id=1, host="127.0.0.1", port=1)], controller_id=7, topics=[topic]
    )


def partition(created_ms: int = -1, **fields: Any) -> DescribeTopicPartitionsResponsePartition:
    fields = {"leader_id": 1, "replica_nodes": [1], "isr_nodes": [1]} | fields
    return DescribeTopicPartitionsResponsePartition(
        eligible_leader_replicas=[], last_known_elr=[], creation_time_ms=created_ms, **fields
    )


def run(broker: ScriptedBroker, *arguments: str) -> int:
    return main(["topics", "--bootstrap-server", broker.bootstrap, *arguments])


@pytest.mark.parametrize(
    ("served", "created_ms", "shown"),
    [
        ((0, 1), JANUARY_MS, "\tCreationTimeMs: 2025-01-15T10:30:00.000Z"),
        ((0, 1), JANUARY_MS + 7, "\tCreationTimeMs: 2025-01-15T10:30:00.007Z"),
        ((0, 1), -1, "\tCreationTimeMs: -"),
        ((0, 0), JANUARY_MS, ""),
    ],
)
def test_the_creation_time_is_the_last_field_if_the_broker_has_it(
    served: tuple[int, int], created_ms: int, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with scripted(partition(created_ms), DescribeTopicPartitions=served) as broker:
        assert run(broker, "--describe") == 0
    line = f"\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\tElr: \tLastKnownElr: {shown}\n"
    assert capsys.readouterr().out == TOPIC_LINE + line


def test_a_topic_id_is_described_from_metadata_with_creation_times(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with scripted(partition(JANUARY_MS)) as broker:
        assert run(broker, "--describe", "--topic-id", ID_TEXT) == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert line.endswith("\tElr: N/A\tLastKnownElr: N/A\tCreationTimeMs: 2025-01-15T10:30:00.000Z")


def test_a_broker_without_describe_topic_partitions_is_described_from_metadata(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with scripted(partition(), DescribeTopicPartitions=(0, -1)) as broker:
        assert run(broker, "--describe", "--topic", "t") == 0
    line = "\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\tElr: N/A\tLastKnownElr: N/A\n"
    assert capsys.readouterr().out == TOPIC_LINE + line


def test_a_reassignment_shows_its_replicas_and_does_not_count_the_new_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    moving = partition(replica_nodes=[1, 2, 3], isr_nodes=[1, 2])
    with scripted(moving, ListPartitionReassignments=(0, 0)) as broker:
        assert run(broker, "--describe") == 0
        assert run(broker, "--describe", "--under-replicated-partitions") == 0
    topic, line = capsys.readouterr().out.splitlines()
    assert "\tReplicationFactor: 2\t" in topic
    assert "\tReplicas: 1,2,3\tIsr: 1,2\tAdding Replicas: 3\tRemoving Replicas: 1\tElr: \t" in line


@pytest.mark.parametrize(
    ("fields", "filters"),
    [
        ({"leader_id": -1, "isr_nodes": []}, {"under-replicated", "unavailable", "under-min-isr"}),
        ({"leader_id": 1, "replica_nodes": [1, 2], "isr_nodes": [1]}, {"under-replicated", "under-min-isr"}),
        (
            {"leader_id": 1, "replica_nodes": [1, 2, 3], "isr_nodes": [1, 2]},
            {"under-replicated", "at-min-isr"},
        ),
        ({"leader_id": 1, "replica_nodes": [1, 2, 3], "isr_nodes": [1, 2, 3]}, set()),
    ],
)
def test_filters_choose_partitions_by_leader_and_replicas(
    fields: dict[str, Any], filters: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = set()
    for name in ("under-replicated", "unavailable", "under-min-isr", "at-min-isr"):
        with scripted(partition(**fields)) as broker:
            assert run(broker, "--describe", f"--{name}-partitions") == 0
        printed = capsys.readouterr().out
        assert printed.count("\n") == printed.count("\tPartition: 0\t")
        found |= {name} if printed else set()
    assert found == filters


def test_a_partition_without_a_leader_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with scripted(partition(leader_id=-1, isr_nodes=[])) as broker:
        assert run(broker, "--describe") == 0
    assert "\tLeader: none\tReplicas: 1\tIsr: \t" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A" * 25, f"Input string with prefix `{'A' * 24}` is too long to be decoded as a base64 UUID"),
        ("AAAA", "Input string `AAAA` decoded as 3 bytes, which is not equal to the expected 16 bytes of a "
                 "base64-encoded UUID"),
        ("a/b", "Illegal base64 character 2f"),
        ("AAAAA", "Last unit does not have enough valid bits"),
        ("AA=", "Input byte array has wrong 4-byte ending unit"),
    ],
)  # fmt: skip
def test_a_topic_id_that_cannot_be_read_has_javas_message(text: str, message: str) -> None:
    with pytest.raises(ClientError) as error:
        read_topic_id(text)
    assert str(error.value) == message


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    running = BrokerProcess(tmp_path_factory.mktemp("broker"), {"tidemark.test.api": "true"})
    running.start()
    yield running
    running.stop()


def test_new_partitions_have_a_creation_time_of_their_own(
    broker: BrokerProcess, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def topics(*arguments: str) -> list[str]:
        assert main(["topics", "--bootstrap-server", broker.bootstrap, *arguments]) == 0
        return capsys.readouterr().out.splitlines()

    topics("--create", "--topic", "orders", "--partitions", "2")
    Api(broker.http).post("/v1/clock/advance", {"days": 1})
    topics("--alter", "--topic", "orders", "--partitions", "3")
    _, first, second, third = (
        line.rpartition("\tCreationTimeMs: ")[2] for line in topics("--describe", "--topic", "orders")
    )
    assert first == second < third
    assert third.endswith("Z")
