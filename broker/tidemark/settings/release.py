"""`--as 4.3`: behave like a given release of Apache Kafka, for the APIs that are served.

Without `--as`, tidemark is Kafka 4.4 with the versions that KIP-1327 adds, and its own defaults.

A release narrows the version ranges that handlers claim, and never widens them. The ranges of 4.4 and 4.3
are those of a running 4.4.0 and 4.3.1, and those of other releases equal theirs as far as a client can
observe. `Change` names what else a release does differently.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from tidemark.settings.setting import ConfigError


class Change(Enum):
    """A difference between Kafka 4.3 and 4.4 that is no version. Code asks `release.has(Change.X)`.

    The value is the heading of docs/kafka-4.4.md that describes the change, and which recorded cases name.
    When 4.3 is dropped, the older branches go, and these names with them.
    """

    ASSIGNOR_RAISES_EPOCH = "The assignor that most members request"
    EMPTY_GROUP_HAS_ITS_TARGET = "Epochs of an empty consumer group"
    EMPTY_STREAMS_GROUP_HAS_ITS_TARGET = "Epochs of an empty streams group"
    ENDPOINTS_HAVE_AN_EPOCH = "The epoch of endpoints"
    ENDPOINTS_HAVE_EXISTING_PARTITIONS = "Partitions behind an endpoint"
    GROUP_SETTINGS = "Settings of groups"
    INSTANCE_HAS_ONE_NAME = "A static member that changes its instance"
    LEVELS_OF_FEATURES = "Levels of features"
    LIMIT_OF_NEW_PARTITIONS = "Too many partitions in one request"
    METRICS_OF_GROUPS = "Metrics of groups"
    NUMBERS_OF_TAGGED_FIELDS = "A negative number of tagged fields"
    RIGHTS_TO_BROKERS_COME_FIRST = "Rights to alter settings of brokers"
    SETTINGS_OF_BROKERS = "Settings of brokers"
    SHARE_GROUPS = "Share groups"
    SIGNED_TOKENS_ARE_FOR_ONE_AUDIENCE = "Audience and issuer of OAUTHBEARER tokens"
    STATIC_MEMBER_RETURNS_TO_FULL_GROUP = "A static member in a full group"
    STREAMS_MEMBER_JOINS_AGAIN = "A streams member that joins again"
    STREAMS_MEMBER_RETURNS_TO_FULL_GROUP = "A streams member in a full group"
    STREAMS_MEMBERS_MAY_BE_STATIC = "Static members of streams groups"
    TASK_OFFSETS = "Task offsets"
    TASKS_CHANGE_THEIR_ROLE = "Roles of tasks"
    TASK_ASSIGNOR = "The task assignor of streams groups"
    TEXTS_OF_CONFIGS = "Errors of settings and quotas"
    TOPIC_SETTINGS = "Settings of topics"
    TOPIC_IDS_OF_TRANSACTIONAL_OFFSETS = "Topic ids of transactional offsets"
    UNREADABLE_BYTES_ARE_INCONSISTENT = "Bytes of the consumer protocol that cannot be read"


class Release:
    """One release of Kafka: its API versions, and its defaults. name is "" for tidemark itself, which is
    4.4 with KIP-1327.

    changes: what it does as Kafka 4.4 does
    transaction_version_max: the highest level of the feature transaction.version
    tidemark_protocol.stored has the versions of stored records, by the same names.
    """

    __slots__ = ("_changes", "_ranges", "defaults", "name", "transaction_version_max")

    def __init__(
        self,
        name: str,
        ranges: Mapping[str, tuple[int, int]],
        defaults: Mapping[str, str],
        changes: frozenset[Change] = frozenset(),
    ) -> None:
        self.name = name
        self._changes = changes
        self._ranges = ranges
        self.defaults = defaults
        # From EndTxn v5 on, a transaction's end bumps the epoch, which is what level 2 announces (KIP-890).
        self.transaction_version_max = 2 if ranges.get("EndTxn", (0, 5))[1] >= 5 else 0

    def has(self, change: Change) -> bool:
        return change in self._changes

    def versions(self, api: str, served: range) -> range:
        """Return the part of a handler's claim that the release has."""
        if api not in self._ranges:
            return served
        low, high = self._ranges[api]
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

NOT_SERVED: Final = (0, -1)  # the range of an API that a release does not have
# The APIs of which a release serves other versions than the handlers claim, with the lowest and the highest.
# KIP-1327, which no release has, added the versions that 4.4 lacks. OffsetCommit v0 and v1 are ours.
# Kafka refuses Produce below v3, but advertises it.
KAFKA_4_4: Final = {
    "Produce": (0, 13), "Metadata": (0, 13), "OffsetCommit": (2, 10), "ConsumerGroupHeartbeat": (0, 1),
    "DescribeTopicPartitions": (0, 0),
}  # fmt: skip

KAFKA_4_3: Final = KAFKA_4_4 | {
    "ApiVersions": (0, 4),
    "DeleteGroups": (0, 2),
    "StreamsGroupDescribe": (0, 0),
    "StreamsGroupHeartbeat": (0, 0),
    "StreamsGroupTopologyDescriptionUpdate": NOT_SERVED,
    "TxnOffsetCommit": (0, 5),
    "UnregisterController": NOT_SERVED,
}

KAFKA_4_2: Final = KAFKA_4_3 | {"DescribeLogDirs": (1, 4)}

# Streams groups came with 4.2, share groups with 4.1: there, a new cluster refuses them.
KAFKA_4_1: Final = KAFKA_4_2 | {
    "ListOffsets": (1, 10), "OffsetCommit": (2, 9), "OffsetFetch": (1, 9), "AddRaftVoter": (0, 0),
    "StreamsGroupHeartbeat": NOT_SERVED, "StreamsGroupDescribe": NOT_SERVED,
}  # fmt: skip
_OF_SHARE_GROUPS: Final = (
    "ShareGroupHeartbeat", "ShareGroupDescribe", "ShareFetch", "ShareAcknowledge",
    "InitializeShareGroupState", "ReadShareGroupState", "WriteShareGroupState", "DeleteShareGroupState",
    "ReadShareGroupStateSummary", "DescribeShareGroupOffsets", "AlterShareGroupOffsets",
    "DeleteShareGroupOffsets",
)  # fmt: skip

KAFKA_4_0: Final = KAFKA_4_1 | dict.fromkeys(_OF_SHARE_GROUPS, NOT_SERVED) | {
    "Produce": (0, 12), "Fetch": (4, 17), "JoinGroup": (2, 9), "AlterPartitionReassignments": (0, 0),
    "ListTransactions": (0, 1), "ListConfigResources": (0, 0),
}  # fmt: skip

# Before KIP-896 raised the lowest versions.
KAFKA_3_9: Final = KAFKA_4_0 | {
    "Produce": (0, 11), "ListOffsets": (0, 9), "Metadata": (0, 12), "OffsetCommit": (0, 9),
    "JoinGroup": (0, 9), "DescribeGroups": (0, 5), "EndTxn": (0, 4), "TxnOffsetCommit": (0, 4),
    "DescribeCluster": (0, 1), "UpdateFeatures": (0, 1), "ConsumerGroupHeartbeat": (0, 0),
    "ConsumerGroupDescribe": (0, 0),
}  # fmt: skip

RELEASES: Final = {
    "": Release("", {}, {}, frozenset(Change)),
    "3.9": Release("3.9", KAFKA_3_9, DEFAULTS_3_9),
    "4.0": Release("4.0", KAFKA_4_0, DEFAULTS_4_1),
    "4.1": Release("4.1", KAFKA_4_1, DEFAULTS_4_1),
    "4.2": Release("4.2", KAFKA_4_2, DEFAULTS_4_2),
    "4.3": Release("4.3", KAFKA_4_3, KAFKA_DEFAULTS),
    "4.4": Release("4.4", KAFKA_4_4, KAFKA_DEFAULTS, frozenset(Change)),
}


def release_of(name: str) -> Release:
    """Return the release of this name, which may be written as 4.3 or 4.3.1. Raises ConfigError."""
    release = ".".join(name.strip().split(".")[:2])
    if release not in RELEASES:
        known = ", ".join(filter(None, RELEASES))
        raise ConfigError(
            f"Invalid value {name} for configuration tidemark.as: String must be one of: {known}"
        )
    return RELEASES[release]
