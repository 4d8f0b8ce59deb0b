"""Topics, their partitions, and the identity of this node. Only `state.Cluster.replay` changes this data."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import field
from functools import lru_cache
from typing import Any, Final, TypeVar

from tidemark.late_dataclass import dataclass
from tidemark_protocol.records.partition_change_record import PartitionChangeRecord
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.topic_record import TopicRecord

NO_LEADER: Final = -1
LEADER_UNCHANGED: Final = -2
RECOVERY_UNCHANGED: Final = -1
CREATION_UNKNOWN: Final = -1
DIRECTORY_UNASSIGNED: Final = bytes(16)  # Kafka's reserved ids (KIP-858): the node has chosen none yet
DIRECTORY_LOST: Final = bytes(15) + b"\x01"  # the replica is on no disk
FIRST_LEADER_EPOCH: Final = 0

OFFSETS_TOPIC: Final = "__consumer_offsets"
TRANSACTIONS_TOPIC: Final = "__transaction_state"
SHARE_STATE_TOPIC: Final = "__share_group_state"
METADATA_TOPIC: Final = "__cluster_metadata"
# The logs of our state machines.
COORDINATOR_TOPICS: Final = (OFFSETS_TOPIC, TRANSACTIONS_TOPIC, SHARE_STATE_TOPIC)
INTERNAL_TOPICS: Final = frozenset(COORDINATOR_TOPICS)
ELIGIBLE_LEADER_REPLICAS_VERSION: Final = "eligible.leader.replicas.version"  # the feature (KIP-966)
TRANSACTION_VERSION: Final = "transaction.version"  # the feature (KIP-890)
SHARE_VERSION: Final = "share.version"  # the feature (KIP-932)
LEVEL_WITH_DEAD_LETTERS: Final = 2  # of share.version (KIP-1191)
TRANSACTION_VERSION_MAX: Final = 2
SHARED_LISTS_MAX: Final = 1024

T = TypeVar("T")


@dataclass(slots=True, frozen=True)
class Identity:
    """The ids of this node. The records of partitions on this node contain directory_id (KIP-858)."""

    cluster_id: str
    node_id: int = 1
    directory_id: bytes = bytes(16)
    rack: str | None = None


@dataclass(slots=True)
class Partition:
    """One partition: its PartitionRecord with all changes applied.

    leader_epoch rises with each change of leader, partition_epoch with every change. The fields of KIP-966
    are kept because directories of Apache Kafka have them. created_ms is the creation time (KIP-1327), or -1
    if it is unknown. Partitions share equal lists (`_shared`): a list is replaced, never changed.
    """

    index: int
    leader: int
    leader_epoch: int
    partition_epoch: int
    replicas: list[int]
    isr: list[int]
    created_ms: int = CREATION_UNKNOWN
    directories: list[bytes] = field(default_factory=list)
    removing_replicas: list[int] = field(default_factory=list)
    adding_replicas: list[int] = field(default_factory=list)
    eligible_leader_replicas: list[int] = field(default_factory=list)
    last_known_elr: list[int] = field(default_factory=list)
    leader_recovery_state: int = 0

    @classmethod
    def of(cls, record: PartitionRecord) -> Partition:
        return cls(
            index=record.partition_id,
            leader=record.leader,
            leader_epoch=record.leader_epoch,
            partition_epoch=record.partition_epoch,
            replicas=_shared(*record.replicas),
            isr=_shared(*record.isr),
            created_ms=record.creation_time_ms,
            directories=_shared(*record.directories),
            removing_replicas=_shared(*record.removing_replicas),
            adding_replicas=_shared(*record.adding_replicas),
            eligible_leader_replicas=_shared(*record.eligible_leader_replicas or ()),
            last_known_elr=_shared(*record.last_known_elr or ()),
            leader_recovery_state=record.leader_recovery_state,
        )

    @property
    def is_lost(self) -> bool:
        """True if no replica is on a disk that this broker knows."""
        return bool(self.directories) and all(each == DIRECTORY_LOST for each in self.directories)

    def offline_replicas(self, living: Container[int]) -> list[int]:
        """Return the replicas on nodes that do not serve clients. All of a lost partition's are offline."""
        return [replica for replica in self.replicas if replica not in living or self.is_lost]

    def change(self, record: PartitionChangeRecord) -> None:
        """Apply the fields that the record sets.

        Setting the leader, even to the same one, begins a new leader epoch.
        """
        if record.isr is not None:
            self.isr = record.isr
        if record.leader != LEADER_UNCHANGED:
            self.leader = record.leader
            self.leader_epoch += 1
        if record.replicas is not None:
            self.replicas = record.replicas
        if record.removing_replicas is not None:
            self.removing_replicas = record.removing_replicas
        if record.adding_replicas is not None:
            self.adding_replicas = record.adding_replicas
        if record.leader_recovery_state != RECOVERY_UNCHANGED:
            self.leader_recovery_state = record.leader_recovery_state
        if record.directories is not None:
            self.directories = record.directories
        if record.eligible_leader_replicas is not None:
            self.eligible_leader_replicas = record.eligible_leader_replicas
        if record.last_known_elr is not None:
            self.last_known_elr = record.last_known_elr
        self.partition_epoch += 1

    def record(self, topic_id: bytes) -> PartitionRecord:
        """Return the record from which replay rebuilds this partition."""
        return PartitionRecord(
            partition_id=self.index,
            topic_id=topic_id,
            replicas=self.replicas,
            isr=self.isr,
            removing_replicas=self.removing_replicas,
            adding_replicas=self.adding_replicas,
            leader=self.leader,
            leader_recovery_state=self.leader_recovery_state,
            leader_epoch=self.leader_epoch,
            partition_epoch=self.partition_epoch,
            directories=self.directories,
            eligible_leader_replicas=self.eligible_leader_replicas or None,
            last_known_elr=self.last_known_elr or None,
            creation_time_ms=self.created_ms,
        )


@lru_cache(SHARED_LISTS_MAX)
def _shared(*values: T) -> list[T]:
    """Return one list for all equal values.

    A partition with seven lists of its own would need three times as much memory.
    """
    return list(values)


class Topic:
    """A topic, its partitions in the order of their numbers, and its own settings.

    configs    the dict in which `Configs` keeps the topic's own values
    prepared   a cache of handlers: typed settings under their class, and parts of responses under other keys.
               Replay clears it after each change, except for the settings if only leaders or replicas change
    """

    __slots__ = ("configs", "internal", "name", "partitions", "prepared", "topic_id")

    def __init__(self, name: str, topic_id: bytes, configs: dict[str, str] | None = None) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions: list[Partition] = []
        self.internal = name in INTERNAL_TOPICS
        self.configs: dict[str, str] = {} if configs is None else configs
        self.prepared: dict[Any, Any] = {}

    @property
    def created_ms(self) -> int:
        """Creation time of the first partition; -1 if unknown."""
        return self.partitions[0].created_ms if self.partitions else CREATION_UNKNOWN

    def partitions_changed(self) -> None:
        """Drop what was prepared, except settings: the first Produce after a move would read them again."""
        for key in [key for key in self.prepared if not isinstance(key, type)]:
            del self.prepared[key]

    def record(self) -> TopicRecord:
        return TopicRecord(name=self.name, topic_id=self.topic_id)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Topic)
            and (self.name, self.topic_id) == (other.name, other.topic_id)
            and (self.partitions, self.configs) == (other.partitions, other.configs)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Topic({self.name!r}, {self.topic_id.hex()}, {self.partitions}, {self.configs})"
