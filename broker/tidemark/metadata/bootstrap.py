"""The records that a node writes at its start: those of a new cluster, its registration, its leadership.

The order is Kafka's, without its NoOps. A node writes nothing if its registration is still valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from tidemark.core.decision import Record
from tidemark.late_dataclass import dataclass
from tidemark.metadata.configs import ResourceConfigType
from tidemark.metadata.model import (
    DIRECTORY_LOST,
    NO_LEADER,
    TRANSACTION_VERSION,
    TRANSACTION_VERSION_MAX,
    Partition,
)
from tidemark.metadata.state import Cluster
from tidemark.settings.release import Change
from tidemark_protocol.records.begin_transaction_record import BeginTransactionRecord
from tidemark_protocol.records.broker_registration_change_record import BrokerRegistrationChangeRecord
from tidemark_protocol.records.config_record import ConfigRecord
from tidemark_protocol.records.end_transaction_record import EndTransactionRecord
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord
from tidemark_protocol.records.partition_change_record import PartitionChangeRecord
from tidemark_protocol.records.register_broker_record import (
    BrokerEndpoint,
    BrokerFeature,
    RegisterBrokerRecord,
)
from tidemark_protocol.records.register_controller_record import ControllerFeature, RegisterControllerRecord

METADATA_VERSION: Final = "metadata.version"
CORDONED_LEVEL: Final = 30  # 4.3-IV0, the first with cordoned log directories (KIP-1066)
NEWEST_LEVEL: Final = 33  # 4.4-IV2
KRAFT_VERSION: Final = "kraft.version"
GROUP_VERSION: Final = "group.version"
ELIGIBLE_LEADER_REPLICAS_VERSION: Final = "eligible.leader.replicas.version"


# Name -> (lowest, highest) supported level, as in Kafka 4.3. 4.4 has a higher metadata.version.
SUPPORTED_FEATURES: Final = {
    GROUP_VERSION: (0, 1),
    KRAFT_VERSION: (0, 1),
    METADATA_VERSION: (7, 30),
    TRANSACTION_VERSION: (0, TRANSACTION_VERSION_MAX),
    ELIGIBLE_LEADER_REPLICAS_VERSION: (0, 1),
}
FIRST_LEVELS: Final = {
    METADATA_VERSION: 30,
    ELIGIBLE_LEADER_REPLICAS_VERSION: 1,
    GROUP_VERSION: 1,
    TRANSACTION_VERSION: TRANSACTION_VERSION_MAX,
}
# The levels in directories that tidemark created before it served the consumer protocol, and before it served
# transactions. Kafka writes more.
LEVELS_WITHOUT_GROUPS: Final = {METADATA_VERSION: 30, ELIGIBLE_LEADER_REPLICAS_VERSION: 1}
LEVELS_WITHOUT_TRANSACTIONS: Final = LEVELS_WITHOUT_GROUPS | {GROUP_VERSION: 1}
UNFENCED: Final = -1


@dataclass(slots=True, frozen=True)
class Endpoint:
    """The advertised address of a listener. security_protocol: 0 PLAINTEXT, 1 SSL, 2 and 3 the same with
    SASL.
    """

    name: str
    host: str
    port: int
    security_protocol: int = 0


@dataclass(slots=True, frozen=True)
class NodeStart:
    """One start of this node.

    incarnation_id  new and random
    next_offset     the offset of its first record
    first_users     records that a new cluster begins with
    """

    incarnation_id: bytes
    endpoints: tuple[Endpoint, ...]
    next_offset: int
    first_users: tuple[Any, ...] = ()


def start_records(cluster: Cluster, node: NodeStart) -> tuple[Record, ...]:
    """Return the records of a start: all of them in a new directory, none if nothing has changed.

    In a directory that Kafka wrote, `adoption_records` precede them.
    """
    values = list(_new_cluster(cluster, node)) if not cluster.features else []
    if not _registered(cluster, node):
        values.extend(_registration(cluster, node, node.next_offset + len(values)))
    values.extend(_raised(cluster))
    values.extend(_elections(cluster))
    return tuple(Record(None, value) for value in values)


def adoption_records(cluster: Cluster, holds: Callable[[str, int, bytes], bool]) -> tuple[Record, ...]:
    """Return the records that make this node the only one of a cluster that other nodes belonged to.

    It leads the partitions whose logs are here; the others have no leader. holds(topic, partition, topic id):
    True if the log is here.
    """
    # Other starts do not need this record, so that they do not pay for its import.
    from tidemark_protocol.records.unregister_broker_record import UnregisterBrokerRecord

    changes: list[Any] = [
        UnregisterBrokerRecord(broker.broker_id, broker.broker_epoch)
        for broker in cluster.brokers.values()
        if broker.broker_id != cluster.identity.node_id
    ]
    for topic in cluster.topics.values():
        for partition in topic.partitions:
            if not holds(topic.name, partition.index, topic.topic_id):
                if not partition.is_lost:
                    changes.append(_lost(topic.topic_id, partition))
            elif not _is_ours_alone(cluster, partition):
                changes.append(_adopted(cluster, topic.topic_id, partition))
    return tuple(Record(None, change) for change in changes)


def _is_ours_alone(cluster: Cluster, partition: Partition) -> bool:
    ours = cluster.identity
    return partition.replicas == [ours.node_id] and partition.directories in ([], [ours.directory_id])


def _lost(topic_id: bytes, partition: Partition) -> PartitionChangeRecord:
    directories = [DIRECTORY_LOST] * len(partition.replicas)
    return PartitionChangeRecord(partition.index, topic_id, leader=NO_LEADER, directories=directories)


def _adopted(cluster: Cluster, topic_id: bytes, partition: Partition) -> PartitionChangeRecord:
    change = _election(cluster.identity.node_id, topic_id, partition)
    change.replicas = [cluster.identity.node_id]
    change.removing_replicas, change.adding_replicas = [], []
    change.directories = [cluster.identity.directory_id]
    return change


def finalized_features(cluster: Cluster) -> dict[str, int]:
    """Return the feature levels in force, limited to those that this broker serves."""
    levels = {}
    for name, (_, highest) in supported_features(cluster).items():
        level = min(cluster.features.get(name, 0), highest)
        if level:
            levels[name] = level
    return levels


def supported_features(cluster: Cluster) -> dict[str, tuple[int, int]]:
    """Return the lowest and highest level of each feature that this broker supports (`--as`)."""
    transaction_version = 0, cluster.settings.release.transaction_version_max
    return dict(_registered_features(cluster)) | {TRANSACTION_VERSION: transaction_version}


def _registered_features(cluster: Cluster) -> Mapping[str, tuple[int, int]]:
    """Return the levels in the node's registration."""
    if not cluster.settings.release.has(Change.LEVELS_OF_FEATURES):
        return SUPPORTED_FEATURES
    return SUPPORTED_FEATURES | {METADATA_VERSION: (SUPPORTED_FEATURES[METADATA_VERSION][0], NEWEST_LEVEL)}


def _new_cluster(cluster: Cluster, node: NodeStart) -> Iterator[Any]:
    yield BeginTransactionRecord(name="Bootstrap records")
    metadata_level = _registered_features(cluster)[METADATA_VERSION][1]
    for name, level in (FIRST_LEVELS | {METADATA_VERSION: metadata_level}).items():
        yield FeatureLevelRecord(name=name, feature_level=level)
    # Kafka writes this default together with the ELR feature, and kafka-topics shows it for every topic.
    yield ConfigRecord(ResourceConfigType.BROKER, "", "min.insync.replicas", "1")
    yield from node.first_users
    yield EndTransactionRecord()


def _raised(cluster: Cluster) -> Iterator[FeatureLevelRecord]:
    """Yield the records that enable the new features in a directory of an earlier tidemark.

    A directory of Kafka keeps its levels. So does a directory whose level this version has lowered: its
    registration supports the feature.
    """
    known = cluster.brokers.get(cluster.identity.node_id)
    if known is None or cluster.features not in (LEVELS_WITHOUT_GROUPS, LEVELS_WITHOUT_TRANSACTIONS):
        return
    supported = {each.name for each in known.features if each.max_supported_version > 0}
    for name in (GROUP_VERSION, TRANSACTION_VERSION):
        if name not in supported:
            yield FeatureLevelRecord(name=name, feature_level=FIRST_LEVELS[name])


def _registered(cluster: Cluster, node: NodeStart) -> bool:
    known = cluster.brokers.get(cluster.identity.node_id)
    return (
        known is not None
        and not known.fenced
        and not known.in_controlled_shutdown
        and known.end_points == _endpoints(node)
        and known.log_dirs == [cluster.identity.directory_id]
        and known.rack == cluster.identity.rack
        and known.features == _supported(cluster)
    )


def _registration(cluster: Cluster, node: NodeStart, first_offset: int) -> Iterator[Any]:
    """Return the registration. A broker's epoch is the offset of its registration."""
    identity = cluster.identity
    epoch = first_offset + 1
    yield RegisterControllerRecord(
        controller_id=identity.node_id,
        incarnation_id=node.incarnation_id,
        features=[ControllerFeature(*feature) for feature in _feature_ranges(cluster)],
    )
    yield RegisterBrokerRecord(
        broker_id=identity.node_id,
        incarnation_id=node.incarnation_id,
        broker_epoch=epoch,
        end_points=_endpoints(node),
        features=_supported(cluster),
        rack=identity.rack,
        fenced=True,
        log_dirs=[identity.directory_id],
        # Kafka does not start on a field that its metadata.version cannot represent.
        cordoned_log_dirs=[]
        if cluster.features.get(METADATA_VERSION, CORDONED_LEVEL) >= CORDONED_LEVEL
        else None,
    )
    yield BrokerRegistrationChangeRecord(broker_id=identity.node_id, broker_epoch=epoch, fenced=UNFENCED)


def _feature_ranges(cluster: Cluster) -> Iterator[tuple[str, int, int]]:
    for name, (lowest, highest) in _registered_features(cluster).items():
        yield name, lowest, highest


def _supported(cluster: Cluster) -> list[BrokerFeature]:
    return [BrokerFeature(*feature) for feature in _feature_ranges(cluster)]


def _endpoints(node: NodeStart) -> list[BrokerEndpoint]:
    return [BrokerEndpoint(end.name, end.host, end.port, end.security_protocol) for end in node.endpoints]


def _elections(cluster: Cluster) -> Iterator[PartitionChangeRecord]:
    """Return records that elect this node: when Kafka stops, its partitions have no leader."""
    for topic in cluster.topics.values():
        for partition in topic.partitions:
            if (
                cluster.identity.node_id in partition.replicas
                and partition.leader != cluster.identity.node_id
                and not partition.is_lost
            ):
                yield _election(cluster.identity.node_id, topic.topic_id, partition)


def _election(node_id: int, topic_id: bytes, partition: Partition) -> PartitionChangeRecord:
    was_eligible = bool(partition.eligible_leader_replicas or partition.last_known_elr)
    return PartitionChangeRecord(
        partition_id=partition.index,
        topic_id=topic_id,
        isr=[node_id],
        leader=node_id,
        eligible_leader_replicas=[] if was_eligible else None,
        last_known_elr=[] if was_eligible else None,
    )
