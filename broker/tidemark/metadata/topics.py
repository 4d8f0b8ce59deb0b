"""Creating topics: the records of a new one, and the checks of its name. The messages are Kafka's."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tidemark.core.context import Context
from tidemark.core.decision import (
    PART_RECORDS_MAX,
    Decision,
    Effect,
    OffsetsTopicCreated,
    Record,
    ShareStateTopicCreated,
    Steps,
    TransactionsTopicCreated,
)
from tidemark.metadata.configs import ResourceConfigType
from tidemark.metadata.model import (
    FIRST_LEADER_EPOCH,
    NO_LEADER,
    OFFSETS_TOPIC,
    SHARE_STATE_TOPIC,
    TRANSACTIONS_TOPIC,
)
from tidemark.metadata.replicas import place
from tidemark.metadata.state import Cluster, metric_name
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.records.clear_elr_record import ClearElrRecord
from tidemark_protocol.records.config_record import ConfigRecord
from tidemark_protocol.records.partition_record import PartitionRecord
from tidemark_protocol.records.topic_record import TopicRecord

TOPIC_NAME_LENGTH_MAX: Final = 249
RECORDS_MAX: Final = 10_000  # the limit of Kafka's controller for one request
_NAME_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


@dataclass(slots=True)
class NewTopic:
    """A topic to create: the replicas of each partition, in order, and its own settings."""

    name: str
    topic_id: bytes
    assignment: Sequence[Sequence[int]]
    configs: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class NewPartitions:
    """Partitions to add to a topic, numbered from `first`: the replicas of each, in order."""

    topic_id: bytes
    assignment: Sequence[Sequence[int]]
    first: int = 0


def create_topic_records(cluster: Cluster, new: NewTopic, wall_ms: int) -> tuple[Record, ...]:
    """Return the records of a topic, its settings and its partitions, in Kafka's order.

    Each change of min.insync.replicas clears the eligible leader replicas (KIP-966), also in a new topic.
    """
    configs = (
        ConfigRecord(ResourceConfigType.TOPIC, new.name, name, value) for name, value in new.configs.items()
    )
    partitions = partition_records(cluster, NewPartitions(new.topic_id, new.assignment), wall_ms)
    return (
        Record(None, TopicRecord(new.name, new.topic_id)),
        *(Record(None, config) for config in configs),
        *((Record(None, ClearElrRecord(new.name)),) if "min.insync.replicas" in new.configs else ()),
        *partitions,
    )


def partition_records(cluster: Cluster, new: NewPartitions, wall_ms: int) -> tuple[Record, ...]:
    """Return the records of new partitions. The first replica whose node serves clients leads them."""
    return tuple(
        Record(
            None,
            PartitionRecord(
                partition_id=index,
                topic_id=new.topic_id,
                replicas=list(replicas),
                isr=[each for each in replicas if each in cluster.living],
                leader=next((each for each in replicas if each in cluster.living), NO_LEADER),
                leader_epoch=FIRST_LEADER_EPOCH,
                partition_epoch=0,
                directories=[*map(cluster.directory_of, replicas)],
                creation_time_ms=wall_ms,
            ),
        )
        for index, replicas in enumerate(new.assignment, new.first)
    )


def grow(cluster: Cluster, new: NewPartitions, wall_ms: int) -> Steps[None]:
    """Yield the records of new partitions in parts. End early if another request changes the topic."""
    for start in range(0, len(new.assignment), PART_RECORDS_MAX):
        topic = cluster.topics_by_id.get(new.topic_id)
        first = new.first + start
        if topic is None or len(topic.partitions) != first:
            return
        part = NewPartitions(new.topic_id, new.assignment[start : start + PART_RECORDS_MAX], first)
        yield Decision(records=partition_records(cluster, part, wall_ms))


def offsets_topic_records(cluster: Cluster, ctx: Context) -> tuple[Record, ...]:
    """Return the records of `__consumer_offsets`, with the settings that Kafka gives it."""
    configs = {
        "compression.type": "producer",
        "cleanup.policy": "compact",
        "segment.bytes": str(cluster.settings.offsets_topic_segment_bytes),
    }
    settings = cluster.settings
    factor, partitions = settings.offsets_topic_replication_factor, settings.offsets_topic_num_partitions
    return _internal_topic_records(cluster, ctx, OFFSETS_TOPIC, partitions, factor, configs)


def transactions_topic_records(cluster: Cluster, ctx: Context) -> tuple[Record, ...]:
    """Return the records of `__transaction_state`, with the settings that Kafka gives it.

    Kafka: TransactionStateManager.transactionTopicConfigs, in the order of a Java HashMap.
    """
    configs = {
        "compression.type": "uncompressed",
        "cleanup.policy": "compact",
        "min.insync.replicas": str(cluster.settings.transaction_state_log_min_isr),
        "segment.bytes": str(cluster.settings.transaction_state_log_segment_bytes),
        "unclean.leader.election.enable": "false",
    }
    settings = cluster.settings
    factor = settings.transaction_state_log_replication_factor
    partitions = settings.transaction_state_log_num_partitions
    return _internal_topic_records(cluster, ctx, TRANSACTIONS_TOPIC, partitions, factor, configs)


def share_state_topic_records(cluster: Cluster, ctx: Context) -> tuple[Record, ...]:
    """Return the records of `__share_group_state`, with the settings that Kafka gives it.

    Its log is pruned, not compacted: an update needs the records before it. Kafka:
    ShareCoordinatorService.shareGroupStateTopicConfigs, in the order of its records.
    """
    configs = {
        "compression.type": "producer",
        "cleanup.policy": "delete",
        "min.insync.replicas": str(cluster.settings.share_coordinator_state_topic_min_isr),
        "segment.bytes": str(cluster.settings.share_coordinator_state_topic_segment_bytes),
        "retention.ms": "-1",
    }
    settings = cluster.settings
    factor = settings.share_coordinator_state_topic_replication_factor
    partitions = settings.share_coordinator_state_topic_num_partitions
    return _internal_topic_records(cluster, ctx, SHARE_STATE_TOPIC, partitions, factor, configs)


def _internal_topic_records(
    cluster: Cluster, ctx: Context, name: str, partitions: int, factor: int, configs: Mapping[str, str]
) -> tuple[Record, ...]:
    """Return the records of an internal topic. With fewer nodes than the factor, it has fewer replicas.

    Kafka does not create it then.
    """
    assignment = assigned(cluster, ctx, partitions, min(factor, len(cluster.registered)))
    new = NewTopic(name, new_topic_id(cluster, ctx), assignment, configs)
    return create_topic_records(cluster, new, ctx.wall_ms)


def assigned(cluster: Cluster, ctx: Context, partitions: int, factor: int) -> list[list[int]]:
    """Return replicas for new partitions.

    Raises KafkaError if all nodes are fenced, or if there are fewer than the factor.
    """
    if cluster.all_fenced:
        text = f"Unable to replicate the partition {factor} time(s): All brokers are currently fenced."
        raise KafkaError(ErrorCode.INVALID_REPLICATION_FACTOR, text)
    if factor > len(cluster.registered):
        text = (
            f"Unable to replicate the partition {factor} time(s): The target replication factor of "
            f"{factor} cannot be reached because only {len(cluster.registered)} broker(s) are registered or "
            "some brokers have all their log directories cordoned."
        )
        raise KafkaError(ErrorCode.INVALID_REPLICATION_FACTOR, text)
    racks = {each: cluster.rack_of(each) for each in cluster.registered}
    stopped = {*cluster.registered} - cluster.living
    return place(racks, partitions, factor, lambda below: int(ctx.new_id()[:8], 16) % below, stopped)


def created_effects(partitions_of: Mapping[str, int]) -> tuple[Effect, ...]:
    """Return the effects of new topics: from now on a state machine serves the internal ones."""
    effects: list[Effect] = []
    if OFFSETS_TOPIC in partitions_of:
        effects.append(OffsetsTopicCreated(partitions_of[OFFSETS_TOPIC]))
    if TRANSACTIONS_TOPIC in partitions_of:
        effects.append(TransactionsTopicCreated(partitions_of[TRANSACTIONS_TOPIC]))
    if SHARE_STATE_TOPIC in partitions_of:
        effects.append(ShareStateTopicCreated(partitions_of[SHARE_STATE_TOPIC]))
    return tuple(effects)


def new_topic_id(cluster: Cluster, ctx: Context) -> bytes:
    """Return a random id whose text does not begin with a dash: command lines would read it as an option."""
    while True:
        drawn = bytes.fromhex(ctx.new_id().replace("-", ""))
        if not urlsafe_b64encode(drawn).startswith(b"-") and drawn not in cluster.topics_by_id:
            return drawn


def name_error(name: str) -> str | None:
    """Return Kafka's message about an invalid topic name. None: the name is valid."""
    if not name:
        return "Topic name is invalid: the empty string is not allowed"
    if name in (".", ".."):
        return f"Topic name is invalid: '{name}' is not allowed"
    if len(name) > TOPIC_NAME_LENGTH_MAX:
        return (
            f"Topic name is invalid: the length of '{name}' is longer than "
            f"the max allowed length {TOPIC_NAME_LENGTH_MAX}"
        )
    if not _NAME_LETTERS.issuperset(name):
        return (
            f"Topic name is invalid: '{name}' contains one or more characters other than "
            "ASCII alphanumerics, '.', '_' and '-'"
        )
    return None


def collision_error(cluster: Cluster, name: str) -> str | None:
    """Return Kafka's message if another topic would share metrics: its name differs in '.' and '_' only."""
    alike = cluster.metric_names.get(metric_name(name), set()) - {name}
    return f"Topic '{name}' collides with existing topic: {min(alike)}" if alike else None


def check_time_is_left(timeout_ms: int) -> None:
    """Raise KafkaError if the timeout is not positive: Kafka's controller then does nothing [4.3.1]."""
    if timeout_ms <= 0:
        raise KafkaError(ErrorCode.REQUEST_TIMED_OUT)


def check_assignment(cluster: Cluster, index: int, replicas: Sequence[int], factor: int) -> None:
    """Check the replicas that a client chose for a partition. Raises KafkaError.

    They must be known brokers, each once, of which one runs, and as many as other partitions have (factor).
    """
    wrong = wrong_replicas(replicas, cluster.registered)
    if wrong is None and len(replicas) != factor:
        wrong = (
            f"The manual partition assignment includes a partition with {len(replicas)} replica(s), but this "
            f"is not consistent with previous partitions, which have {factor} replica(s)."
        )
    if wrong is None and cluster.living.isdisjoint(replicas):
        wrong = (
            f"All brokers specified in the manual partition assignment for partition {index} are fenced "
            "or in controlled shutdown."
        )
    if wrong is not None:
        raise KafkaError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, wrong)


def wrong_replicas(brokers: Sequence[int], known: Container[int]) -> str | None:
    """Return Kafka's reason why these brokers cannot be the replicas of a partition, or None."""
    if not brokers:
        return "The manual partition assignment includes an empty replica list."
    previous: int | None = None
    for broker in sorted(brokers):
        if broker not in known:
            return (
                f"The manual partition assignment includes broker {broker}, but no such broker is registered."
            )
        if broker == previous:
            return f"The manual partition assignment includes the broker {broker} more than once."
        previous = broker
    return None
