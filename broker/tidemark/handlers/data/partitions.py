"""Finds the partition that a request names, and its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark_protocol.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from tidemark.metadata.model import Partition
    from tidemark.metadata.state import Cluster

ANY_EPOCH: Final = -1


def find_partition(cluster: Cluster, topic: str, index: int) -> Partition:
    """Raises KafkaError 3 if the cluster has no such partition."""
    known = cluster.topics.get(topic)
    if known is None or not 0 <= index < len(known.partitions):
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return known.partitions[index]


def find_log(logs: LogManager, topic: str, index: int) -> PartitionLog:
    """Raises KafkaError 6 if the log is not here, or not yet, and 56 if it is damaged."""
    log = logs.find(topic, index)
    if log is None:
        damaged = (topic, index) in logs.damaged
        raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR if damaged else ErrorCode.NOT_LEADER_OR_FOLLOWER)
    return log


def check_leader_epoch(partition: Partition, epoch: int) -> None:
    """Compare the leader epoch that a client knows with the partition's (KIP-320).

    Raises KafkaError 74 if the client is behind, and 75 if this broker is.
    """
    if epoch == ANY_EPOCH or epoch == partition.leader_epoch:
        return
    if epoch < partition.leader_epoch:
        raise KafkaError(ErrorCode.FENCED_LEADER_EPOCH)
    raise KafkaError(ErrorCode.UNKNOWN_LEADER_EPOCH)
