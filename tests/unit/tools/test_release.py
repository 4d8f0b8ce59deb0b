"""`--as 4.3`: ApiVersions has the version ranges of Apache Kafka 4.3, for the APIs that are served."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.broker_process import BrokerProcess
from tests.wire import Connection
from tidemark.handlers import routes
from tidemark.node.incarnation import NOT_ADVERTISED
from tidemark_protocol.apis import API_NAMES
from tidemark_protocol.messages.api_versions import ApiVersionsRequest

# The versions that Kafka 4.3.1 advertises for the APIs that tidemark serves.
KAFKA_4_3 = {
    "Produce": (0, 13), "Fetch": (4, 18), "ListOffsets": (1, 11), "Metadata": (0, 13),
    "OffsetCommit": (2, 10), "OffsetFetch": (1, 10), "FindCoordinator": (0, 6), "JoinGroup": (0, 9),
    "Heartbeat": (0, 4), "LeaveGroup": (0, 5), "SyncGroup": (0, 5), "DescribeGroups": (0, 6),
    "ListGroups": (0, 5), "SaslHandshake": (0, 1), "ApiVersions": (0, 4), "CreateTopics": (2, 7),
    "DeleteTopics": (1, 6), "DeleteRecords": (0, 2), "InitProducerId": (0, 5),
    "OffsetForLeaderEpoch": (2, 4), "AddPartitionsToTxn": (0, 5), "AddOffsetsToTxn": (0, 4),
    "EndTxn": (0, 5), "WriteTxnMarkers": (1, 2), "TxnOffsetCommit": (0, 5), "DescribeAcls": (1, 3),
    "CreateAcls": (1, 3), "DeleteAcls": (1, 3), "DescribeConfigs": (1, 4), "AlterConfigs": (0, 2),
    "AlterReplicaLogDirs": (1, 2), "DescribeLogDirs": (1, 5), "SaslAuthenticate": (0, 2),
    "CreatePartitions": (0, 3), "CreateDelegationToken": (1, 3), "RenewDelegationToken": (1, 2),
    "ExpireDelegationToken": (1, 2), "DescribeDelegationToken": (1, 3), "DeleteGroups": (0, 2),
    "ElectLeaders": (0, 2), "IncrementalAlterConfigs": (0, 1), "AlterPartitionReassignments": (0, 1),
    "ListPartitionReassignments": (0, 0), "OffsetDelete": (0, 0), "DescribeClientQuotas": (0, 1),
    "AlterClientQuotas": (0, 1), "DescribeUserScramCredentials": (0, 0),
    "AlterUserScramCredentials": (0, 0), "DescribeQuorum": (0, 2), "UpdateFeatures": (0, 2),
    "DescribeCluster": (0, 2), "DescribeProducers": (0, 0), "UnregisterBroker": (0, 0),
    "DescribeTransactions": (0, 0), "ListTransactions": (0, 2), "ConsumerGroupHeartbeat": (0, 1),
    "ConsumerGroupDescribe": (0, 1), "ListConfigResources": (0, 1), "DescribeTopicPartitions": (0, 0),
    "AddRaftVoter": (0, 1), "RemoveRaftVoter": (0, 0), "GetTelemetrySubscriptions": (0, 0),
    "PushTelemetry": (0, 0), "ShareGroupHeartbeat": (1, 1), "ShareGroupDescribe": (1, 1),
    "StreamsGroupHeartbeat": (0, 0), "StreamsGroupDescribe": (0, 0),
    "ShareFetch": (1, 2), "ShareAcknowledge": (1, 2), "InitializeShareGroupState": (0, 0),
    "ReadShareGroupState": (0, 0), "WriteShareGroupState": (0, 1), "DeleteShareGroupState": (0, 0),
    "ReadShareGroupStateSummary": (0, 1), "DescribeShareGroupOffsets": (0, 1),
    "AlterShareGroupOffsets": (0, 0), "DeleteShareGroupOffsets": (0, 0),
}  # fmt: skip


def advertised(folder: Path, settings: dict[str, str]) -> dict[str, tuple[int, int]]:
    broker = BrokerProcess(folder, settings)
    broker.start()
    try:
        with Connection(broker.bootstrap) as connection:
            software = ApiVersionsRequest(client_software_name="test", client_software_version="1")
            response = connection.ask("ApiVersions", 4, software)
            return {API_NAMES[api.api_key]: (api.min_version, api.max_version) for api in response.api_keys}
    finally:
        broker.stop()


@pytest.fixture
def served() -> dict[str, tuple[int, int]]:
    return {
        route.name: (route.versions[0], route.versions[-1])
        for key, route in routes.load().items()
        if key not in NOT_ADVERTISED
    }


def test_as_a_release_the_version_ranges_are_those_of_the_release(
    tmp_path: Path, served: dict[str, tuple[int, int]]
) -> None:
    assert advertised(tmp_path, {"tidemark.as": "4.3"}) == {
        api: KAFKA_4_3[api] for api in served if api in KAFKA_4_3
    }


def test_by_default_the_version_ranges_are_those_of_the_handlers_and_produce_starts_at_0(
    tmp_path: Path, served: dict[str, tuple[int, int]]
) -> None:
    assert advertised(tmp_path, {}) == served | {"Produce": (0, served["Produce"][1])}


def test_as_4_4_the_version_ranges_are_those_of_kafka_4_4(
    tmp_path: Path, served: dict[str, tuple[int, int]]
) -> None:
    new = {
        "ApiVersions": (0, 5), "DeleteGroups": (0, 3), "StreamsGroupDescribe": (0, 1),
        "StreamsGroupHeartbeat": (0, 1), "StreamsGroupTopologyDescriptionUpdate": (0, 0),
        "TxnOffsetCommit": (0, 6), "UnregisterController": (0, 0),
    }  # fmt: skip
    found = advertised(tmp_path, {"tidemark.as": "4.4"})
    assert found == {api: KAFKA_4_3[api] for api in served if api in KAFKA_4_3} | new
