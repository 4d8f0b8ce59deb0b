"""Keep the logs in line with the cluster: which partitions exist, and their settings."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Any, Final

from tidemark.core.decision import Marker, Record
from tidemark.engine.group_commit import InternalLog
from tidemark.log.errors import OutOfDescriptors
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog, marker_batch
from tidemark.log.settings import LogSettings
from tidemark.metadata.configs import ResourceConfigType
from tidemark.metadata.model import COORDINATOR_TOPICS, LEADER_UNCHANGED, METADATA_TOPIC, NO_LEADER
from tidemark.metadata.state import Cluster
from tidemark_protocol.batch import NO_SEQUENCE
from tidemark_protocol.records.config_record import ConfigRecord
from tidemark_protocol.records.partition_change_record import PartitionChangeRecord
from tidemark_protocol.records.partition_record import PartitionRecord

METADATA_TOPIC_ID: Final = (1).to_bytes(16, "big")  # Kafka's reserved id: AAAAAAAAAAAAAAAAAAAAAQ
METADATA_LEADER_EPOCH: Final = 1
METADATA_BATCH_BYTES_MAX: Final = 8 * 1024 * 1024  # Kafka's KafkaRaftClient.MAX_BATCH_SIZE_BYTES


def log_settings(cluster: Cluster, topic: str, *, internal_waits: bool) -> LogSettings:
    """Return a topic's log settings. internal_waits: readers of internal logs see only what is synced."""
    waits = internal_waits and topic in (METADATA_TOPIC, *COORDINATOR_TOPICS)
    if topic == METADATA_TOPIC:
        return LogSettings(
            cleanup_policy=frozenset(),
            retention_ms=-1,
            waits_for_sync=waits,
            batch_bytes_max=METADATA_BATCH_BYTES_MAX,
        )
    known = cluster.topics.get(topic)
    prepared: dict[Any, Any] = {} if known is None else known.prepared
    settings: LogSettings | None = prepared.get(LogSettings)
    if settings is None:
        # Topics without settings of their own share one object: a setting of the broker changes all of them.
        shared = {} if cluster.overrides(ResourceConfigType.TOPIC, topic) else cluster.prepared
        settings = shared.get((LogSettings, waits))
        if settings is None:
            configs = cluster.topic_settings(topic)
            settings = LogSettings.from_configs(
                configs, waits_for_sync=waits, verifies_transactions=cluster.verifies_transactions
            )
            shared[LogSettings, waits] = settings
        prepared[LogSettings] = settings
    return settings


def sweep(cluster: Cluster, logs: LogManager, deleted: AbstractSet[bytes]) -> list[tuple[str, str]]:
    """Bring the disk in line with the cluster at a start (`LogManager.sweep`). Return the stray directories.

    deleted: ids of topics that the metadata log deletes.
    """
    living = {
        (topic.name, partition.index): topic.topic_id
        for topic in cluster.topics.values()
        for partition in topic.partitions
        if not partition.is_lost
    }
    living[METADATA_TOPIC, 0] = METADATA_TOPIC_ID
    strays = logs.sweep(living, deleted)
    logs.configure_all()
    return strays


def follow(cluster: Cluster, logs: LogManager, records: tuple[Record, ...]) -> None:
    """Apply to the logs the changes that the cluster has just replayed.

    A request may change ten settings of each of many topics: their logs are configured once, at the end.
    """
    configured: set[str] = set()
    of_all = False
    for record in records:
        value = record.value
        if isinstance(value, PartitionRecord):
            topic = cluster.topics_by_id[value.topic_id]
            logs.expect(topic.name, value.partition_id, value.topic_id, leader_epoch=value.leader_epoch)
        elif isinstance(value, PartitionChangeRecord):
            _follow_leader(cluster, logs, value)
        elif isinstance(value, ConfigRecord):
            if value.resource_type == ResourceConfigType.TOPIC:
                configured.add(value.resource_name)
            else:
                of_all = True  # a setting of the broker is a default of every topic
    if of_all:
        logs.configure_all()
    else:
        for name in configured & cluster.topics.keys():
            logs.configure(name, len(cluster.topics[name].partitions))


def _follow_leader(cluster: Cluster, logs: LogManager, change: PartitionChangeRecord) -> None:
    """Begin the epoch of a new leader at the end of the log."""
    if change.leader in (LEADER_UNCHANGED, NO_LEADER):
        return
    topic = cluster.topics_by_id[change.topic_id]
    with suppress(OutOfDescriptors):  # the first record of the epoch begins it, too
        log = logs.find(topic.name, change.partition_id)
        if log is not None:
            log.begin_epoch(topic.partitions[change.partition_id].leader_epoch)


def internal_log(
    cluster: Cluster, logs: LogManager, name: str, base_sequence: int, partition: int
) -> InternalLog:
    """Return a partition of an internal topic for group commit."""
    topic = cluster.topics[name]
    return InternalLog(
        logs.create(name, partition, topic.topic_id),
        leader_epoch=topic.partitions[partition].leader_epoch,
        base_sequence=base_sequence,
        traffic=logs.traffic.of(name),
    )


def append_marker(
    cluster: Cluster, logs: LogManager, name: str, marker: Marker, now_ms: int
) -> PartitionLog | None:
    """Append a marker to a user log and return it, or None if the partition is deleted or cannot be read."""
    topic = cluster.topics.get(name)
    if topic is None or not marker.partition < len(topic.partitions):
        return None
    partition = topic.partitions[marker.partition]
    log = None if partition.is_lost else logs.find(name, marker.partition)
    if log is None:
        return None
    batch = marker_batch(marker, now_ms, append_time=log.settings.append_time)
    log.append(batch, leader_epoch=partition.leader_epoch, now_ms=now_ms, from_client=False)
    traffic = logs.traffic.of(name)
    traffic.produce_requests += 1
    traffic.messages_in += 1
    traffic.bytes_in += len(batch)
    return log


def internal_metadata_log(log: PartitionLog) -> InternalLog:
    return InternalLog(log, leader_epoch=METADATA_LEADER_EPOCH, base_sequence=NO_SEQUENCE)
