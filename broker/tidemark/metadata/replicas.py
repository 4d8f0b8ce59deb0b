"""Placement of replicas, and elections: the nodes of a partition, those in sync, and the one that leads.

All nodes share one log for each partition. So a replica is in sync as soon as its node serves clients, and
an election loses nothing. Kafka: StripedReplicaPlacer, PartitionChangeBuilder, ReplicationControlManager.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tidemark.metadata.model import ELIGIBLE_LEADER_REPLICAS_VERSION, NO_LEADER, Partition, Topic
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.records.partition_change_record import PartitionChangeRecord


def place(nodes: Sequence[int], partitions: int, factor: int, draw: Callable[[int], int]) -> list[list[int]]:
    """Return the replicas of each new partition, its leader first.

    A random node begins, and each partition begins with the next node. After as many partitions as there are
    nodes, the order is drawn anew. draw(n): a random number below n
    """
    if len(nodes) == 1:
        return [[*nodes]] * partitions
    order = sorted(nodes)
    first = draw(len(order))
    placed = []
    for number in range(partitions):
        turn = number % len(order)
        if number and not turn:
            for at in range(len(order) - 1, 0, -1):
                other = draw(at + 1)
                order[at], order[other] = order[other], order[at]
        placed.append([order[(first + turn + each) % len(order)] for each in range(factor)])
    return placed


def changes_without(cluster: Cluster, node_id: int) -> Iterator[PartitionChangeRecord]:
    """Return the changes of all partitions when a node stops serving: it leaves each ISR, and leads none."""
    for topic in cluster.topics.values():
        for partition in topic.partitions:
            if node_id in partition.isr:
                yield _without(cluster, topic, partition, node_id)


def _without(cluster: Cluster, topic: Topic, partition: Partition, node_id: int) -> PartitionChangeRecord:
    change = PartitionChangeRecord(partition.index, topic.topic_id)
    isr = [each for each in partition.isr if each != node_id]
    if cluster.features.get(ELIGIBLE_LEADER_REPLICAS_VERSION):
        change.isr = isr
        if len(isr) < _isr_min(cluster, topic, partition):
            eligible = {*partition.eligible_leader_replicas, *partition.isr}.difference(isr)
            change.eligible_leader_replicas = sorted(eligible)
    elif isr:  # without eligible leader replicas, the last one stays
        change.isr = isr
    if partition.leader == node_id:
        change.leader = next((each for each in partition.replicas if each in isr), NO_LEADER)
        if change.leader == NO_LEADER and change.eligible_leader_replicas:
            change.last_known_elr = [node_id]
    return change


def changes_with(cluster: Cluster, node_id: int) -> Iterator[PartitionChangeRecord]:
    """Return the changes of all partitions when a node serves again.

    It leads those without a leader, and joins each ISR.
    """
    for topic in cluster.topics.values():
        for partition in topic.partitions:
            if node_id in partition.replicas and not partition.is_lost:
                yield from with_replica(cluster, topic, partition, node_id)


def with_replica(
    cluster: Cluster, topic: Topic, partition: Partition, node_id: int
) -> Iterator[PartitionChangeRecord]:
    isr, eligible = partition.isr, partition.eligible_leader_replicas
    if partition.leader == NO_LEADER:
        if node_id not in (*isr, *eligible):
            return
        isr = [node_id]
        left = [each for each in eligible if each != node_id]
        yield PartitionChangeRecord(
            partition.index,
            topic.topic_id,
            isr=isr,
            leader=node_id,
            eligible_leader_replicas=left if left != eligible else None,
            last_known_elr=[] if partition.last_known_elr else None,
        )
        eligible = left
        # The replicas whose nodes serve already have waited for a leader.
        others = [each for each in partition.replicas if each in cluster.living and each != node_id]
    else:
        others = [node_id] if node_id not in isr else []
    for other in others:
        isr = sorted((*isr, other))
        left = [each for each in eligible if each != other]
        if len(isr) >= _isr_min(cluster, topic, partition):
            left = []
        yield PartitionChangeRecord(
            partition.index,
            topic.topic_id,
            isr=isr,
            eligible_leader_replicas=left if left != eligible else None,
        )
        eligible = left


def new_leader(topic: Topic, partition: Partition, node_id: int) -> PartitionChangeRecord:
    """Return the change that makes a replica in the ISR the leader."""
    return PartitionChangeRecord(partition.index, topic.topic_id, leader=node_id)


def preferred(cluster: Cluster, topic: Topic, partition: Partition) -> PartitionChangeRecord:
    """Return the change that makes the first replica the leader. Raises KafkaError (ElectLeaders)."""
    first = partition.replicas[0]
    if partition.leader == first:
        raise KafkaError(ErrorCode.ELECTION_NOT_NEEDED)
    if first not in partition.isr or first not in cluster.living or partition.is_lost:
        raise KafkaError(ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE)
    return new_leader(topic, partition, first)


def unclean(cluster: Cluster, topic: Topic, partition: Partition) -> PartitionChangeRecord:
    """Return the change that gives a partition a leader again, in the ISR or not. Raises KafkaError.

    All replicas share the log, so that no record is lost.
    """
    if partition.leader != NO_LEADER:
        raise KafkaError(ErrorCode.ELECTION_NOT_NEEDED)
    serving = [each for each in partition.replicas if each in cluster.living]
    if not serving or partition.is_lost:
        raise KafkaError(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE)
    change = new_leader(topic, partition, serving[0])
    change.isr, change.eligible_leader_replicas, change.last_known_elr = [serving[0]], [], []
    return change


def _isr_min(cluster: Cluster, topic: Topic, partition: Partition) -> int:
    return min(cluster.topic_config(topic.name).min_insync_replicas, len(partition.replicas))
