"""AlterPartitionReassignments: moves replicas to other brokers (KIP-455). There is no other broker.

v1  allow_replication_factor_change (KIP-860)
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Steps, items_of
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import cluster_allowed
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


@query(AlterPartitionReassignmentsRequest, state=Cluster, versions=range(0, 2))
def alter_partition_reassignments(
    cluster: Cluster, ctx: Context, request: AlterPartitionReassignmentsRequest
) -> Steps[AlterPartitionReassignmentsResponse]:
    if not cluster_allowed(ctx, Operation.ALTER):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    if not request.topics:
        return AlterPartitionReassignmentsResponse()
    topics: list[ReassignableTopicResponse] = []
    for topic in request.topics:
        partitions: list[ReassignablePartitionResponse] = []
        for asked in topic.partitions:
            partitions.append(_response(cluster, topic.name, asked))
            yield 1 + len(asked.replicas or ()) + items_of(partitions[-1].error_message)
        topics.append(ReassignableTopicResponse(topic.name, partitions))
        yield 1
    return AlterPartitionReassignmentsResponse(
        allow_replication_factor_change=request.allow_replication_factor_change,
        error_message=None,
        responses=topics,
    )


def _response(cluster: Cluster, topic: str, asked: ReassignablePartition) -> ReassignablePartitionResponse:
    try:
        _check(cluster, topic, asked)
    except KafkaError as refused:
        text = None if refused.code is ErrorCode.NO_REASSIGNMENT_IN_PROGRESS else refused.message
        return ReassignablePartitionResponse(asked.partition_index, refused.code, text)
    return ReassignablePartitionResponse(asked.partition_index, error_message=None)


def _check(cluster: Cluster, name: str, asked: ReassignablePartition) -> None:
    """Accept an assignment that changes nothing. Raises KafkaError for every other one."""
    index, topic = asked.partition_index, cluster.topics.get(name)
    if topic is None:
        text = f"Unable to find a topic named {name}."
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)
    if not 0 <= index < len(topic.partitions):
        text = f"Unable to find partition {name}:{index}."
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)
    if asked.replicas is None:
        raise KafkaError(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS)
    wrong = wrong_replicas(asked.replicas, cluster.brokers)
    if wrong is None and topic.partitions[index].is_lost:
        wrong = f"The log of partition {name}-{index} is not on this node."
    if wrong is not None:
        raise KafkaError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, wrong)
