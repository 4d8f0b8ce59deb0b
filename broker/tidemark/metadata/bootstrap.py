"""The records that a node writes at its start: those of a new cluster, its registration, its leadership.

The order is Kafka's, without its NoOps. A node writes nothing if its registration is still valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from tidemark.core.decision import Record
from tidemark.late_dataclass import dataclass
from tidemark.metadata.configs import ResourceConfigType
from tidemark.metadata.model import (
    DIRECTORY_LOST,
    DIRECTORY_UNASSIGNED,
    ELIGIBLE_LEADER_REPLICAS_VERSION,
    LEVEL_WITH_DEAD_LETTERS,
    NO_LEADER,
    SHARE_VERSION,
    TRANSACTION_VERSION,
    TRANSACTION_VERSION_MAX,
    Partition,
)
from tidemark.metadata.replicas import changes_with_all
from tidemark.metadata.state import Cluster
from tidemark.settings.broker import GROUP_VERSION, STREAMS_VERSION
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

# Name -> (lowest, highest) supported level, as in Kafka 4.3.
SUPPORTED_FEATURES: Final = {
    GROUP_VERSION: (0, 1),
    KRAFT_VERSION: (0, 1),
    METADATA_VERSION: (7, 30),
    TRANSACTION_VERSION: (0, TRANSACTION_VERSION_MAX),
    ELIGIBLE_LEADER_REPLICAS_VERSION: (0, 1),
    SHARE_VERSION: (0, 1),
    STREAMS_VERSION: (0, 1),
}
# Those that 4.4 has raised: metadata.version, and share.version for dead-letter queues (KIP-1191).
NEW_FEATURES: Final = {
    METADATA_VERSION: (SUPPORTED_FEATURES[METADATA_VERSION][0], NEWEST_LEVEL),
    SHARE_VERSION: (0, LEVEL_WITH_DEAD_LETTERS),
}
FIRST_LEVELS: Final = {
    METADATA_VERSION: 30,
    ELIGIBLE_LEADER_REPLICAS_VERSION: 1,
    GROUP_VERSION: 1,
    SHARE_VERSION: 1,
    STREAMS_VERSION: 1,
    TRANSACTION_VERSION: TRANSACTION_VERSION_MAX,
}
# The levels in directories that tidemark created before it served the consumer protocol, transactions, share
# groups and streams groups.
LEVELS_WITHOUT_GROUPS: Final = {METADATA_VERSION: 30, ELIGIBLE_LEADER_REPLICAS_VERSION: 1}
LEVELS_WITHOUT_TRANSACTIONS: Final = LEVELS_WITHOUT_GROUPS | {GROUP_VERSION: 1}
LEVELS_WITHOUT_SHARES: Final = LEVELS_WITHOUT_TRANSACTIONS | {TRANSACTION_VERSION: TRANSACTION_VERSION_MAX}
LEVELS_WITHOUT_STREAMS: Final = LEVELS_WITHOUT_SHARES | {SHARE_VERSION: 1}
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
class Start:
    """One start of the process.

    incarnation_id  new and random
    endpoints       of each node
    next_offset     the offset of its first record
    new_id()        a random id for the log directory of a node that is new
    first_users     records that a new cluster begins with
    keeps_stopped   nodes that were stopped stay so. Otherwise, all nodes run after a start
    """

    incarnation_id: bytes
    endpoints: Mapping[int, tuple[Endpoint, ...]]
    next_offset: int
    new_id: Callable[[], bytes]
    first_users: tuple[Any, ...] = ()
    keeps_stopped: bool = False

    def stopped(self, cluster: Cluster) -> list[int]:
        """Return the nodes that do not run after this start."""
        if not self.keeps_stopped:
            return []
        known = cluster.brokers
        return [each for each in cluster.node_ids if each in known and known[each].fenced]


def start_records(cluster: Cluster, start: Start) -> tuple[Record, ...]:
    """Return the records of a start: all of them in a new directory, none if nothing has changed.

    In a directory that Kafka wrote, `adoption_records` precede them.
    """
    stopped = start.stopped(cluster)
    values = list(_new_cluster(cluster, start)) if not cluster.features else []
    if not _registered(cluster, start):
        values.extend(_registrations(cluster, start, start.next_offset + len(values)))
    values.extend(_raised(cluster))
    values.extend(_elections(cluster, stopped))
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
                changes.append(_moved(cluster, topic.topic_id, partition, [cluster.identity.node_id]))
    return tuple(Record(None, change) for change in changes)


def _is_ours_alone(cluster: Cluster, partition: Partition) -> bool:
    ours = cluster.identity
    return partition.replicas == [ours.node_id] and partition.directories in ([], [ours.directory_id])


def _lost(topic_id: bytes, partition: Partition) -> PartitionChangeRecord:
    directories = [DIRECTORY_LOST] * len(partition.replicas)
    return PartitionChangeRecord(partition.index, topic_id, leader=NO_LEADER, directories=directories)


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
    return SUPPORTED_FEATURES | NEW_FEATURES


def _new_cluster(cluster: Cluster, start: Start) -> Iterator[Any]:
    yield BeginTransactionRecord(name="Bootstrap records")
    supported = _registered_features(cluster)
    for name, level in FIRST_LEVELS.items():
        is_raised = name in (METADATA_VERSION, SHARE_VERSION)
        yield FeatureLevelRecord(name=name, feature_level=supported[name][1] if is_raised else level)
    # Kafka writes this default together with the ELR feature, and kafka-topics shows it for every topic.
    yield ConfigRecord(ResourceConfigType.BROKER, "", "min.insync.replicas", "1")
    yield from start.first_users
    yield EndTransactionRecord()


def _raised(cluster: Cluster) -> Iterator[FeatureLevelRecord]:
    """Yield the records that enable the new features in a directory of an earlier tidemark.

    A directory of Kafka keeps its levels. So does a directory whose level this version has lowered: its
    registration supports the feature.
    """
    known = cluster.brokers.get(cluster.identity.node_id)
    levels = dict(cluster.features)
    if levels.get(METADATA_VERSION) == NEWEST_LEVEL:
        levels[METADATA_VERSION] = LEVELS_WITHOUT_SHARES[METADATA_VERSION]
    if known is None or levels not in (
        LEVELS_WITHOUT_GROUPS,
        LEVELS_WITHOUT_TRANSACTIONS,
        LEVELS_WITHOUT_SHARES,
        LEVELS_WITHOUT_STREAMS,
    ):
        return
    supported = {each.name for each in known.features if each.max_supported_version > 0}
    for name in (GROUP_VERSION, TRANSACTION_VERSION, SHARE_VERSION, STREAMS_VERSION):
        if name not in supported:
            yield FeatureLevelRecord(name=name, feature_level=FIRST_LEVELS[name])


def _registered(cluster: Cluster, start: Start) -> bool:
    """Return whether the registrations of all nodes are still valid."""
    return not _gone(cluster) and all(_is_registered(cluster, start, each) for each in cluster.node_ids)


def _is_registered(cluster: Cluster, start: Start, node_id: int) -> bool:
    known = cluster.brokers.get(node_id)
    return (
        known is not None
        and (not known.fenced or start.keeps_stopped)
        and not known.in_controlled_shutdown
        and known.end_points == _endpoints(start, node_id)
        and known.log_dirs == [cluster.directory_of(node_id)]
        and known.rack == cluster.rack_of(node_id)
        and known.features == _supported(cluster)
    )


def _gone(cluster: Cluster) -> list[RegisterBrokerRecord]:
    """Return the registrations of nodes that the last start had, and this one has not.

    All nodes of a start have its incarnation id. Registrations of other brokers stay.
    """
    first = cluster.brokers.get(cluster.identity.node_id)
    return [
        each
        for each in cluster.brokers.values()
        if each.broker_id not in cluster.node_ids
        and first is not None
        and each.incarnation_id == first.incarnation_id
    ]


def _registrations(cluster: Cluster, start: Start, first_offset: int) -> Iterator[Any]:
    """Return the registrations of all nodes. A broker's epoch is the offset of its registration."""
    identity = cluster.identity
    yield RegisterControllerRecord(
        controller_id=identity.node_id,
        incarnation_id=start.incarnation_id,
        features=[ControllerFeature(*feature) for feature in _feature_ranges(cluster)],
    )
    epoch = first_offset + 1
    stopped = start.stopped(cluster)
    for node_id in cluster.node_ids:
        records = registration(cluster, start, node_id, epoch)
        yield next(records)
        epoch += 1
        if node_id not in stopped:
            yield from records
            epoch += 1
    gone = _gone(cluster)
    if gone:
        # Other starts do not need this record, so that they do not pay for its import.
        from tidemark_protocol.records.unregister_broker_record import UnregisterBrokerRecord

        for each in gone:
            yield UnregisterBrokerRecord(each.broker_id, each.broker_epoch)


def registration(cluster: Cluster, start: Start, node_id: int, epoch: int) -> Iterator[Any]:
    """Return the registration of a node that serves clients. epoch: the offset of the first record."""
    directory_id = cluster.directory_of(node_id)
    yield RegisterBrokerRecord(
        broker_id=node_id,
        incarnation_id=start.incarnation_id,
        broker_epoch=epoch,
        end_points=_endpoints(start, node_id),
        features=_supported(cluster),
        rack=cluster.rack_of(node_id),
        fenced=True,
        log_dirs=[start.new_id() if directory_id == DIRECTORY_UNASSIGNED else directory_id],
        # Kafka does not start on a field that its metadata.version cannot represent.
        cordoned_log_dirs=[]
        if cluster.features.get(METADATA_VERSION, CORDONED_LEVEL) >= CORDONED_LEVEL
        else None,
    )
    yield BrokerRegistrationChangeRecord(broker_id=node_id, broker_epoch=epoch, fenced=UNFENCED)


def _feature_ranges(cluster: Cluster) -> Iterator[tuple[str, int, int]]:
    for name, (lowest, highest) in _registered_features(cluster).items():
        yield name, lowest, highest


def _supported(cluster: Cluster) -> list[BrokerFeature]:
    return [BrokerFeature(*feature) for feature in _feature_ranges(cluster)]


def _endpoints(start: Start, node_id: int) -> list[BrokerEndpoint]:
    return [
        BrokerEndpoint(end.name, end.host, end.port, end.security_protocol)
        for end in start.endpoints[node_id]
    ]


def _elections(cluster: Cluster, stopped: Sequence[int]) -> Iterator[PartitionChangeRecord]:
    """Return the changes after which each partition has a leader among the nodes of this process.

    When Kafka stops, its partitions have no leader. Nodes that were stopped serve again, except those in
    `stopped`. Replicas on nodes that this start does not have are removed.
    """
    gone = {each.broker_id for each in _gone(cluster)}
    for topic in cluster.topics.values():
        for partition in topic.partitions:
            if partition.is_lost:
                continue
            ours = [each for each in partition.replicas if each in cluster.node_ids and each not in stopped]
            if gone.intersection(partition.replicas):
                kept = ours or [cluster.identity.node_id]
                yield _moved(cluster, topic.topic_id, partition, kept)
            elif partition.adding_replicas and ours and not stopped:
                # All nodes run now, so that no reassignment waits any more.
                changes = changes_with_all(cluster, topic, partition)
                yield from changes or [_election(ours, topic.topic_id, partition)]
            elif ours and partition.leader not in ours:
                yield _election(ours, topic.topic_id, partition)
            elif any(each not in partition.isr for each in ours):
                isr = sorted({*partition.isr, *ours})
                yield PartitionChangeRecord(partition.index, topic.topic_id, isr=isr)


def _moved(
    cluster: Cluster, topic_id: bytes, partition: Partition, replicas: list[int]
) -> PartitionChangeRecord:
    change = _election(replicas, topic_id, partition)
    change.replicas = replicas
    change.removing_replicas, change.adding_replicas = [], []
    change.directories = [cluster.directory_of(each) for each in replicas]
    return change


def _election(replicas: list[int], topic_id: bytes, partition: Partition) -> PartitionChangeRecord:
    """Elect the first of these replicas. All of them are in sync."""
    was_eligible = bool(partition.eligible_leader_replicas or partition.last_known_elr)
    return PartitionChangeRecord(
        partition_id=partition.index,
        topic_id=topic_id,
        isr=replicas,
        leader=replicas[0],
        eligible_leader_replicas=[] if was_eligible else None,
        last_known_elr=[] if was_eligible else None,
    )
