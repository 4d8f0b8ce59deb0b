"""AlterPartitionReassignments: moves replicas to other brokers (KIP-455).

v1  allow_replication_factor_change (KIP-860)
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Decision, Record, Steps, items_of
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.replicas import cancel_reassignment, factor_of, reassign
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import wrong_replicas
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)


@command(AlterPartitionReassignmentsRequest, state=Cluster, versions=range(0, 2))
def alter_partition_reassignments(
    cluster: Cluster, ctx: Context, request: AlterPartitionReassignmentsRequest
) -> Steps[Decision[AlterPartitionReassignmentsResponse]]:
    if not cluster_allowed(ctx, Operation.ALTER):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    if not request.topics:
        return Decision(AlterPartitionReassignmentsResponse())
    may_change_factor = request.allow_replication_factor_change
    topics: list[ReassignableTopicResponse] = []
    for topic in request.topics:
        partitions: list[ReassignablePartitionResponse] = []
        for asked in topic.partitions:
            result = ReassignablePartitionResponse(asked.partition_index, error_message=None)
            try:
                records = _changes(cluster, topic.name, asked, may_change_factor=may_change_factor)
            except KafkaError as refused:
                text = None if refused.code is ErrorCode.NO_REASSIGNMENT_IN_PROGRESS else refused.message
                result = ReassignablePartitionResponse(asked.partition_index, refused.code, text)
            else:
                if records:
                    yield Decision(records=records)
            partitions.append(result)
            yield 1 + len(asked.replicas or ()) + items_of(result.error_message)
        topics.append(ReassignableTopicResponse(topic.name, partitions))
        yield 1
    return Decision(
        AlterPartitionReassignmentsResponse(
            allow_replication_factor_change=may_change_factor, error_message=None, responses=topics
        )
    )


def _changes(
    cluster: Cluster, name: str, asked: ReassignablePartition, *, may_change_factor: bool
) -> tuple[Record, ...]:
    """Return the records of a reassignment, or of its end if no replicas are requested. Raises KafkaError."""
    index, topic = asked.partition_index, cluster.topics.get(name)
    if topic is None:
        text = f"Unable to find a topic named {name}."
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)
    if not 0 <= index < len(topic.partitions):
        text = f"Unable to find partition {name}:{index}."
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)
    partition = topic.partitions[index]
    if asked.replicas is None:
        changes = cancel_reassignment(cluster, topic, partition)
    else:
        wrong = wrong_replicas(asked.replicas, cluster.brokers)
        if wrong is None and partition.is_lost:
            wrong = f"The log of partition {name}-{index} is not on this node."
        if wrong is not None:
            raise KafkaError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, wrong)
        factor = factor_of(partition)
        if not may_change_factor and len(asked.replicas) != factor:
            text = f"The replication factor is changed from {factor} to {len(asked.replicas)}"
            raise KafkaError(ErrorCode.INVALID_REPLICATION_FACTOR, text)
        changes = reassign(cluster, topic, partition, asked.replicas)
    return tuple(Record(None, change) for change in changes)
