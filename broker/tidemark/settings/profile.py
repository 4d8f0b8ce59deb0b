"""`--as 4.3`: behave like a given release of Apache Kafka, for the APIs that are served.

A profile narrows the version ranges that handlers claim, and never widens them. The ranges of 4.3 are those
of a running 4.3.1. Ranges of other releases are listed where they differ in a way that a client can observe.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tidemark.settings.setting import ConfigError


class Profile:
    """One release of Kafka: its API versions, and its defaults. name is "" for tidemark itself.

    transaction_version_max: the highest level of the feature transaction.version
    tidemark_protocol.stored has the versions of stored records, by the same names.
    """

    __slots__ = ("_ranges", "defaults", "name", "transaction_version_max")

    def __init__(self, name: str, ranges: Mapping[str, tuple[int, int]], defaults: Mapping[str, str]) -> None:
        self.name = name
        self._ranges = ranges
        self.defaults = defaults
        # From EndTxn v5 on, a transaction's end bumps the epoch, which is what level 2 announces (KIP-890).
        self.transaction_version_max = 2 if ranges.get("EndTxn", (0, 5))[1] >= 5 else 0

    def versions(self, api: str, served: range) -> range:
        """Return the part of a handler's claim that the release has. It is empty if that has no such API."""
        if not self.name:
            return served
        low, high = self._ranges.get(api, (0, -1))
        return range(max(low, served.start), min(high, served.stop - 1) + 1)


# Defaults of Kafka's code. The server.properties that Kafka ships, and tidemark, set lower ones.
KAFKA_DEFAULTS: Final = {
    "group.initial.rebalance.delay.ms": "3000",
    "offsets.topic.num.partitions": "50",
    "transaction.state.log.num.partitions": "50",
}

# KIP-1263 brought the interval in 4.3. Streams groups came with 4.2.
DEFAULTS_4_2: Final = KAFKA_DEFAULTS | {"group.consumer.assignment.interval.ms": "0"}
DEFAULTS_4_1: Final = DEFAULTS_4_2 | {"group.coordinator.rebalance.protocols": "classic,consumer"}
DEFAULTS_3_9: Final = DEFAULTS_4_2 | {"group.coordinator.rebalance.protocols": "classic"}

KAFKA_4_3: Final[dict[str, tuple[int, int]]] = {
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
    "PushTelemetry": (0, 0),
}  # fmt: skip

KAFKA_4_2: Final = KAFKA_4_3 | {"DescribeLogDirs": (1, 4)}

KAFKA_4_1: Final = KAFKA_4_2 | {
    "ListOffsets": (1, 10), "OffsetCommit": (2, 9), "OffsetFetch": (1, 9), "AddRaftVoter": (0, 0),
}  # fmt: skip

KAFKA_4_0: Final = KAFKA_4_1 | {
    "Produce": (0, 12), "Fetch": (4, 17), "JoinGroup": (2, 9), "AlterPartitionReassignments": (0, 0),
    "ListTransactions": (0, 1), "ListConfigResources": (0, 0),
}  # fmt: skip

# Before KIP-896 raised the lowest versions.
KAFKA_3_9: Final = KAFKA_4_0 | {
    "Produce": (0, 11), "Fetch": (0, 17), "ListOffsets": (0, 9), "Metadata": (0, 12),
    "OffsetCommit": (0, 9), "OffsetFetch": (0, 9), "JoinGroup": (0, 9), "DescribeGroups": (0, 5),
    "CreateTopics": (0, 7), "DeleteTopics": (0, 6), "OffsetForLeaderEpoch": (0, 4), "EndTxn": (0, 4),
    "TxnOffsetCommit": (0, 4), "DescribeConfigs": (0, 4), "DescribeAcls": (0, 3), "CreateAcls": (0, 3),
    "DeleteAcls": (0, 3), "DescribeLogDirs": (0, 4), "AlterReplicaLogDirs": (0, 2),
    "DescribeCluster": (0, 1), "UpdateFeatures": (0, 1), "ConsumerGroupHeartbeat": (0, 0),
    "ConsumerGroupDescribe": (0, 0),
}  # fmt: skip

PROFILES: Final = {
    "": Profile("", {}, {}),
    "3.9": Profile("3.9", KAFKA_3_9, DEFAULTS_3_9),
    "4.0": Profile("4.0", KAFKA_4_0, DEFAULTS_4_1),
    "4.1": Profile("4.1", KAFKA_4_1, DEFAULTS_4_1),
    "4.2": Profile("4.2", KAFKA_4_2, DEFAULTS_4_2),
    "4.3": Profile("4.3", KAFKA_4_3, KAFKA_DEFAULTS),
}


def profile_of(name: str) -> Profile:
    """Return the profile of a release, which may be written as 4.3 or 4.3.1. Raises ConfigError."""
    release = ".".join(name.strip().split(".")[:2])
    if release not in PROFILES:
        known = ", ".join(filter(None, PROFILES))
        raise ConfigError(
            f"Invalid value {name} for configuration tidemark.as: String must be one of: {known}"
        )
    return PROFILES[release]
