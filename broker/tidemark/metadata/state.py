"""Cluster: the state machine of topics, settings and registrations. Its log is `__cluster_metadata-0`.

The records are KRaft's metadata records, with key None. So this broker replays a directory of Apache Kafka,
and Kafka's tools read one of this broker. Records that this broker does not use yet (SCRAM, quotas, tokens)
are replayed too, and every snapshot contains them, so that none is lost.

Every change needs a request: nothing is settled, no key is marked, no deadline is set. Two things are
soft state: the rest of the block of producer ids, since a restart continues with the next block, and the
clients that want to push metrics.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import partial
from operator import setitem
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tidemark.authorization.acls import Acls
from tidemark.core.context import Context, Now
from tidemark.core.deadlines import Deadlines
from tidemark.core.decision import NOTHING, Decision, Marker, Record
from tidemark.metadata.configs import Configs, ResourceConfigType
from tidemark.metadata.model import (
    DIRECTORY_UNASSIGNED,
    LEVEL_WITH_DEAD_LETTERS,
    SHARE_VERSION,
    TRANSACTION_VERSION,
    Identity,
    Partition,
    Topic,
)
from tidemark.settings.broker import BrokerSettings
from tidemark.settings.release import Change
from tidemark.settings.topic import TopicConfig
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.config_record import ConfigRecord
from tidemark_protocol.records.feature_level_record import FeatureLevelRecord
from tidemark_protocol.records.partition_change_record import PartitionChangeRecord
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.producer_ids_record import ProducerIdsRecord
from tidemark_protocol.records.topic_record import TopicRecord

if TYPE_CHECKING:
    from tidemark_protocol.records.broker_registration_change_record import BrokerRegistrationChangeRecord
    from tidemark_protocol.records.clear_elr_record import ClearElrRecord
    from tidemark_protocol.records.client_quota_record import ClientQuotaRecord
    from tidemark_protocol.records.delegation_token_record import DelegationTokenRecord
    from tidemark_protocol.records.end_transaction_record import EndTransactionRecord
    from tidemark_protocol.records.register_broker_record import RegisterBrokerRecord
    from tidemark_protocol.records.register_controller_record import RegisterControllerRecord
    from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord
    from tidemark_protocol.records.user_scram_credential_record import UserScramCredentialRecord


PRODUCER_ID_BLOCK_SIZE: Final = 1000  # Kafka: ProducerIdsBlock.PRODUCER_ID_BLOCK_SIZE
TELEMETRY_CLIENTS_MAX: Final = 16_384  # as in Kafka: the client that was seen first is forgotten

QuotaKey = tuple[tuple[tuple[str, str | None], ...], str]


class Node(NamedTuple):
    """A broker and the address at which this client can reach it."""

    node_id: int
    host: str
    port: int
    rack: str | None


def racks_of(first: int, settings: BrokerSettings, rack: str | None) -> dict[int, str | None]:
    """Return the nodes that the settings name, with their racks. rack: of all, unless each has its own."""
    racks = settings.tidemark_racks or (rack,) * settings.tidemark_brokers
    return dict(enumerate(racks, first))


class Cluster:
    """The state that all brokers share. It begins empty; `replay` fills it."""

    def __init__(
        self,
        identity: Identity,
        settings: BrokerSettings | None = None,
        defaults: Mapping[str, str | None] | None = None,
        racks: Mapping[int, str | None] | None = None,
    ) -> None:
        """settings: of this broker. defaults: of its settings; None: all of them.

        racks: the nodes of this process, with their racks. None: those of the settings.
        """
        self.identity = identity
        self.settings = settings or BrokerSettings()
        self.configs = Configs(identity.node_id, self.settings, defaults)
        self.by_key: dict[str, Any] = {}
        self.deadlines = Deadlines()
        self.marked: set[str] = set()

        self.topics: dict[str, Topic] = {}
        self.topics_by_id: dict[bytes, Topic] = {}
        self.topics_version = 0  # a metadata offset: rises with each change of topics and partitions
        self.topics_created_version = 0  # topics_version after the last creation of a topic
        self.features: dict[str, int] = {}
        self.feature_changes = 0  # replayed so far
        self.brokers: dict[int, RegisterBrokerRecord] = {}
        # The nodes of this process, those of them that serve clients, and the address of each listener.
        self._racks = dict(racks or racks_of(identity.node_id, self.settings, identity.rack))
        self.node_ids = tuple(self._racks)
        self.living = frozenset((identity.node_id,))
        # The node that leads the quorum of controllers, and how often another one was elected. Soft state.
        self.quorum_leader = identity.node_id
        self.quorum_elections = 0
        self.addresses: dict[tuple[int, str], tuple[str | None, int]] = {}
        self.controllers: dict[int, RegisterControllerRecord] = {}
        self.next_producer_id = 0
        self.producer_ids_record: ProducerIdsRecord | None = None
        self.acls = Acls()
        self.scram_credentials: dict[tuple[str, int], UserScramCredentialRecord] = {}
        self.delegation_tokens: dict[str, DelegationTokenRecord] = {}
        self.token_keys: Any = None  # metadata/delegation_tokens.py: no state, but derived from the ids
        self.quotas: dict[QuotaKey, ClientQuotaRecord] = {}

        self._producer_ids: dict[int, range] = {}  # by node: the rest of its block
        self.telemetry_clients: dict[bytes, Any] = {}
        self.metric_names: dict[str, set[str]] = {}
        self.prepared: dict[Any, Any] = {}
        self._open_transaction: list[Any] | None = None

    def set_nodes(self, racks: Mapping[int, str | None]) -> None:
        """Set the nodes of this process in the order of their ids, with their racks."""
        self._racks = dict(racks)
        self.node_ids = tuple(racks)
        self._follow_registrations()

    # The state machine.

    def replay(self, change: Record | Marker) -> None:
        """Apply a record: one that was decided here, or any of Kafka 4.3."""
        assert isinstance(change, Record), f"{change!r} is no metadata record"
        assert change.key is None, f"{change!r} is no metadata record"
        name = type(change.value).__name__
        if self._open_transaction is not None and name not in _TRANSACTION_ENDS:
            self._open_transaction.append(change.value)
            return
        _REPLAY[name](self, change.value)

    def partition_of(self, record: Record) -> int:
        return 0

    def refused(self, key: str, code: ErrorCode, now: Now) -> Decision[Any]:
        """Do nothing: if records do not fit into a batch, no parked request needs a response."""
        return NOTHING

    # Soft state.

    def has_producer_ids(self, node_id: int) -> bool:
        """Return whether the node has a block of producer ids that is not used up."""
        return bool(self._producer_ids.get(node_id))

    def next_producer_ids(self, node_id: int) -> Decision[None]:
        """Return the decision that reserves a node's next block of producer ids (KIP-730).

        Only a new block is a record.
        """
        start, end = self.next_producer_id, self.next_producer_id + PRODUCER_ID_BLOCK_SIZE
        epoch = self.brokers[node_id].broker_epoch if node_id in self.brokers else self.broker_epoch
        record = Record(None, ProducerIdsRecord(node_id, epoch, end))
        return Decision(
            records=(record,), after=(partial(setitem, self._producer_ids, node_id, range(start, end)),)
        )

    def skip_producer_ids(self, highest: int) -> Decision[None]:
        """Return the decision after which no producer id up to the highest is assigned."""
        if highest < self.next_producer_id:
            return NOTHING
        value = ProducerIdsRecord(self.identity.node_id, self.broker_epoch, highest + 1)
        return Decision(records=(Record(None, value),))

    def take_producer_id(self, node_id: int) -> int:
        """Return the next producer id of the node's block, which must have one."""
        block = self._producer_ids[node_id]
        self._producer_ids[node_id] = block[1:]
        return block[0]

    def forget_producer_ids(self, node_id: int) -> None:
        """Forget the rest of the block of a node that stops. It takes another one later, as in Kafka."""
        self._producer_ids.pop(node_id, None)

    def telemetry_client_seen(self, client_id: bytes, client: Any) -> None:
        """Note that a client has asked for a subscription to metrics, or pushed some.

        client: a `TelemetryClient`
        """
        clients = self.telemetry_clients
        clients.pop(client_id, None)
        if len(clients) >= TELEMETRY_CLIENTS_MAX:
            del clients[next(iter(clients))]
        clients[client_id] = client

    # Queries.

    def node(self, ctx: Context, node_id: int, *, stopped: bool = False) -> Node | None:
        """Return a node with the address that this client should use. None: it serves no clients.

        stopped: return a node that is stopped, too.
        """
        caller, rack = ctx.caller, self.rack_of(node_id)
        if node_id == caller.node_id or len(self.node_ids) == 1:
            return Node(node_id, caller.host, caller.port, rack)
        address = self.addresses.get((node_id, caller.listener))
        if address is None or not (stopped or node_id in self.living):
            return None
        host, port = address
        return Node(node_id, host or caller.host, port, rack)

    def nodes(self, ctx: Context, *, stopped: bool = False) -> list[Node]:
        """Return all nodes that serve clients. stopped: and the others."""
        found = (self.node(ctx, each, stopped=stopped) for each in self.node_ids)
        return [each for each in found if each is not None]

    @property
    def all_fenced(self) -> bool:
        """True if no broker of several runs: no topic can be created. A single one serves to its end."""
        return len(self.registered) > 1 and not self.living

    @property
    def controller_id(self) -> int:
        """Return the broker that clients take for the controller: in Kafka, any that runs forwards to it."""
        own = self.quorum_leader
        return own if own in self.living or not self.living else min(self.living)

    @property
    def voters(self) -> range:
        """The nodes that elect the leader of the quorum: those of the settings."""
        first = self.identity.node_id
        return range(first, first + self.settings.tidemark_brokers)

    def lead_quorum(self, node_id: int) -> None:
        """Let a voter lead the quorum until the next start of the process."""
        if node_id != self.quorum_leader:
            self.quorum_leader = node_id
            self.quorum_elections += 1

    def topic(self, name: str) -> Topic | None:
        return self.topics.get(name)

    def has_partition(self, topic: str, index: int) -> bool:
        found = self.topics.get(topic)
        return found is not None and index < len(found.partitions)

    def topic_config(self, name: str) -> TopicConfig:
        """Return the settings in force for a topic, or the broker's defaults if it does not exist."""
        topic = self.topics.get(name)
        prepared = self.prepared if topic is None else topic.prepared
        config: TopicConfig | None = prepared.get(TopicConfig)
        if config is None:
            config = prepared[TopicConfig] = TopicConfig(self.topic_settings(name))
        return config

    def topic_settings(self, name: str) -> dict[str, str]:
        """Return the settings in force for a topic, as text under Kafka's names."""
        return self.configs.topic_settings(self.overrides(ResourceConfigType.TOPIC, name))

    def overrides(self, resource_type: int, name: str) -> Mapping[str, str]:
        """Return the dynamic settings of a resource. A broker named "" is the cluster-wide default."""
        return self.configs.overrides(resource_type, name)

    @property
    def serves_share_groups(self) -> bool:
        """Whether share.version permits share groups (KIP-932)."""
        return self.features.get(SHARE_VERSION, 0) > 0

    @property
    def serves_dead_letters(self) -> bool:
        """Whether share.version permits dead-letter queues of share groups (KIP-1191)."""
        level = self.features.get(SHARE_VERSION, 0)
        return level >= LEVEL_WITH_DEAD_LETTERS and self.settings.release.has(Change.SHARE_GROUPS)

    @property
    def transaction_version(self) -> int:
        """The level of transaction.version in force (KIP-890): 2 bumps a producer's epoch at each end."""
        return min(self.features.get(TRANSACTION_VERSION, 0), self.settings.release.transaction_version_max)

    @property
    def verifies_transactions(self) -> bool:
        """Whether a log accepts only records of transactions whose coordinator knows the partition."""
        return self.configs.value(BrokerSettings.transaction_partition_verification_enable)

    @property
    def broker_epoch(self) -> int:
        """The epoch of this node's registration; -1 before it."""
        registration = self.brokers.get(self.identity.node_id)
        return registration.broker_epoch if registration is not None else -1

    def directory_of(self, node_id: int) -> bytes:
        """Return the id of a node's log directory (KIP-858); DIRECTORY_UNASSIGNED if it is not registered.

        All nodes share one directory on the disk. Kafka: ClusterControlManager.defaultDir.
        """
        if node_id == self.identity.node_id:
            return self.identity.directory_id
        known = self.brokers.get(node_id)
        return known.log_dirs[0] if known is not None and known.log_dirs else DIRECTORY_UNASSIGNED

    @property
    def registered(self) -> tuple[int, ...]:
        """The nodes of this process that are registered: all but those that were unregistered."""
        return tuple(each for each in self.node_ids if each in self.brokers)

    def rack_of(self, node_id: int) -> str | None:
        """Return the rack of a node of this process."""
        return self._racks.get(node_id)

    def replica_in_rack(self, partition: Partition, rack: str) -> int | None:
        """Return the replica from which consumers of a rack should read; None: the leader.

        All in-sync replicas have the same records. Of several, it is the highest id. Kafka:
        RackAwareReplicaSelector, ReplicaView.comparator.
        """
        if rack == self.rack_of(partition.leader):
            return None
        serving = self.living.intersection(partition.isr)
        return max((each for each in serving if self.rack_of(each) == rack), default=None)

    def hard_state(self) -> dict[str, Any]:
        """Return the state that records hold, which tests compare with a rebuilt one."""
        return {
            "topics": self.topics,
            "configs": {key: values for key, values in self.configs.dynamic.items() if values},
            "features": self.features,
            "brokers": self.brokers,
            "controllers": self.controllers,
            "next_producer_id": self.next_producer_id,
            "acls": self.acls.by_id,
            "scram_credentials": self.scram_credentials,
            "delegation_tokens": self.delegation_tokens,
            "quotas": self.quotas,
        }

    def snapshot_records(self) -> list[Record]:
        """Return records from which replay rebuilds this state, in the order of Kafka's snapshots."""
        return [Record(None, value) for value in self._snapshot()]

    def _snapshot(self) -> Iterable[Any]:
        for name, level in self.features.items():
            yield FeatureLevelRecord(name=name, feature_level=level)
        yield from self.controllers.values()
        yield from self.brokers.values()
        for topic in self.topics.values():
            yield topic.record()
            for partition in topic.partitions:
                yield partition.record(topic.topic_id)
        for (resource_type, resource), values in self.configs.dynamic.items():
            for name, value in values.items():
                yield ConfigRecord(
                    resource_type=resource_type, resource_name=resource, name=name, value=value
                )
        yield from self.quotas.values()
        if self.producer_ids_record is not None:
            yield self.producer_ids_record
        yield from self.acls.by_id.values()
        yield from self.scram_credentials.values()
        yield from self.delegation_tokens.values()

    def leader_epoch_records(self, cut: Iterable[tuple[str, int]]) -> tuple[Record, ...]:
        """Return records that begin a new leader epoch for partitions whose logs were truncated.

        Their leaders stay: with several brokers, this one may have no replica.
        """
        topics = self.topics
        return tuple(
            Record(
                None,
                PartitionChangeRecord(
                    index, topics[name].topic_id, leader=topics[name].partitions[index].leader
                ),
            )
            for name, index in cut
            if name in topics and index < len(topics[name].partitions)
        )

    # Replay, one function per kind of record.

    def _forget_prepared(self, resource_type: int, resource: str) -> None:
        if resource_type == ResourceConfigType.TOPIC:
            topic = self.topics.get(resource)
            if topic is not None:
                topic.prepared.clear()
            return
        self.prepared.clear()
        for topic in self.topics.values():
            topic.prepared.clear()

    def _replay_topic(self, value: TopicRecord) -> None:
        assert value.name not in self.topics, f"topic {value.name} is made twice"
        topic = Topic(value.name, value.topic_id, self.configs.of_topic(value.name))
        self.topics[value.name] = topic
        self.topics_by_id[value.topic_id] = topic
        self.metric_names.setdefault(metric_name(value.name), set()).add(value.name)
        self.topics_version += 1
        self.topics_created_version = self.topics_version
        self.prepared.clear()

    def _replay_partition(self, value: PartitionRecord) -> None:
        topic = self.topics_by_id[value.topic_id]
        partition = Partition.of(value)
        at = bisect_left(topic.partitions, partition.index, key=lambda known: known.index)
        if at < len(topic.partitions) and topic.partitions[at].index == partition.index:
            topic.partitions[at] = partition
        else:
            topic.partitions.insert(at, partition)
        self.topics_version += 1
        topic.prepared.clear()

    def _replay_partition_change(self, value: PartitionChangeRecord) -> None:
        topic = self.topics_by_id[value.topic_id]
        topic.partitions[value.partition_id].change(value)
        self.topics_version += 1
        topic.partitions_changed()

    def _replay_remove_topic(self, value: RemoveTopicRecord) -> None:
        topic = self.topics_by_id.pop(value.topic_id)
        del self.topics[topic.name]
        self.topics_version += 1
        self.configs.remove_topic(topic.name)
        alike = self.metric_names[metric_name(topic.name)]
        alike.discard(topic.name)
        if not alike:
            del self.metric_names[metric_name(topic.name)]
        self.prepared.clear()

    def _replay_config(self, value: ConfigRecord) -> None:
        self.configs.replay(value)
        self._forget_prepared(value.resource_type, value.resource_name)

    def _replay_feature_level(self, value: FeatureLevelRecord) -> None:
        self.feature_changes += 1
        if value.feature_level == 0:
            self.features.pop(value.name, None)
        else:
            self.features[value.name] = value.feature_level

    def _replay_producer_ids(self, value: ProducerIdsRecord) -> None:
        assert value.next_producer_id >= self.next_producer_id, "producer ids go up only"
        self.next_producer_id = value.next_producer_id
        self.producer_ids_record = value

    def _replay_broker_registration_change(self, value: BrokerRegistrationChangeRecord) -> None:
        """fenced and in_controlled_shutdown: -1 means false, 0 unchanged, 1 true."""
        registration = copy(self.brokers[value.broker_id])
        if value.fenced:
            registration.fenced = value.fenced > 0
        if value.in_controlled_shutdown:
            registration.in_controlled_shutdown = value.in_controlled_shutdown > 0
        if value.log_dirs:
            registration.log_dirs = value.log_dirs
        if value.cordoned_log_dirs is not None:
            registration.cordoned_log_dirs = value.cordoned_log_dirs
        self._register(registration)

    def _fence(self, broker_id: int, *, fenced: bool) -> None:
        registration = copy(self.brokers[broker_id])
        registration.fenced = fenced
        self._register(registration)

    def _register(self, registration: RegisterBrokerRecord) -> None:
        self.brokers[registration.broker_id] = registration
        self._follow_registrations()

    def _unregister(self, broker_id: int) -> None:
        self.brokers.pop(broker_id, None)
        self._follow_registrations()

    def _follow_registrations(self) -> None:
        living = frozenset(
            each.broker_id
            for each in self.brokers.values()
            if each.broker_id in self.node_ids and not (each.fenced or each.in_controlled_shutdown)
        )
        if living != self.living:
            self.living = living
            self.prepared.clear()
            for topic in self.topics.values():
                topic.partitions_changed()

    def _replay_clear_elr(self, value: ClearElrRecord) -> None:
        """An empty name clears every topic."""
        for topic in self.topics.values() if not value.topic_name else [self.topics[value.topic_name]]:
            for partition in topic.partitions:
                partition.eligible_leader_replicas = []
                partition.last_known_elr = []
            topic.prepared.clear()

    def _replay_client_quota(self, value: ClientQuotaRecord) -> None:
        entity = tuple(
            sorted(((part.entity_type, part.entity_name) for part in value.entity), key=lambda part: part[0])
        )
        if value.remove:
            self.quotas.pop((entity, value.key), None)
        else:
            self.quotas[entity, value.key] = value

    def _replay_end_transaction(self, value: EndTransactionRecord) -> None:
        records, self._open_transaction = self._open_transaction, None
        for record in records or ():
            _REPLAY[type(record).__name__](self, record)


def metric_name(topic: str) -> str:
    """Return the name that Kafka's metrics use. Kafka refuses a second topic with the same one."""
    return topic.replace(".", "_")


_TRANSACTION_ENDS: Final = frozenset(
    {"BeginTransactionRecord", "EndTransactionRecord", "AbortTransactionRecord"}
)

# By name, so that a record's class is imported only if the log has such a record. NoOp and the state of a
# migration from ZooKeeper have no meaning here.
_REPLAY: Final[dict[str, Callable[[Cluster, Any], Any]]] = {
    "TopicRecord": Cluster._replay_topic,
    "PartitionRecord": Cluster._replay_partition,
    "PartitionChangeRecord": Cluster._replay_partition_change,
    "RemoveTopicRecord": Cluster._replay_remove_topic,
    "ConfigRecord": Cluster._replay_config,
    "FeatureLevelRecord": Cluster._replay_feature_level,
    "ProducerIdsRecord": Cluster._replay_producer_ids,
    "RegisterControllerRecord": lambda cluster, value: setitem(
        cluster.controllers, value.controller_id, value
    ),
    "RegisterBrokerRecord": Cluster._register,
    "UnregisterBrokerRecord": lambda cluster, value: cluster._unregister(value.broker_id),
    "BrokerRegistrationChangeRecord": Cluster._replay_broker_registration_change,
    "FenceBrokerRecord": lambda cluster, value: cluster._fence(value.id, fenced=True),
    "UnfenceBrokerRecord": lambda cluster, value: cluster._fence(value.id, fenced=False),
    "ClearElrRecord": Cluster._replay_clear_elr,
    "AccessControlEntryRecord": lambda cluster, value: cluster.acls.add(value),
    "RemoveAccessControlEntryRecord": lambda cluster, value: cluster.acls.remove(value.id),
    "UserScramCredentialRecord": lambda cluster, value: setitem(
        cluster.scram_credentials, (value.name, value.mechanism), value
    ),
    "RemoveUserScramCredentialRecord": lambda cluster, value: cluster.scram_credentials.pop(
        (value.name, value.mechanism), None
    ),
    "DelegationTokenRecord": lambda cluster, value: setitem(cluster.delegation_tokens, value.token_id, value),
    "RemoveDelegationTokenRecord": lambda cluster, value: cluster.delegation_tokens.pop(value.token_id, None),
    "ClientQuotaRecord": Cluster._replay_client_quota,
    "BeginTransactionRecord": lambda cluster, value: setattr(cluster, "_open_transaction", []),
    "EndTransactionRecord": Cluster._replay_end_transaction,
    "AbortTransactionRecord": lambda cluster, value: setattr(cluster, "_open_transaction", None),
    "NoOpRecord": lambda cluster, value: None,
    "ZkMigrationStateRecord": lambda cluster, value: None,
}

__all__ = ["Cluster", "metric_name"]
