"""DescribeTopicPartitions: topics by name, a page of partitions at a time (KIP-966).

v1  the creation time of each partition (KIP-1327)
"""

from __future__ import annotations

from collections.abc import Container

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Steps, counted, in_order
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import topic_allowed, topic_operations
from tidemark.metadata.model import INTERNAL_TOPICS, Partition, Topic
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import name_error
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponseCursor,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)


@query(DescribeTopicPartitionsRequest, state=Cluster, versions=range(0, 2))
def describe_topic_partitions(
    cluster: Cluster, ctx: Context, request: DescribeTopicPartitionsRequest
) -> Steps[DescribeTopicPartitionsResponse]:
    requested = yield from counted(topic.name for topic in request.topics)
    refused = _refused(request, requested)
    if refused is not None:
        failed = [
            DescribeTopicPartitionsResponseTopic(error_code=refused, name=topic.name)
            for topic in request.topics
        ]
        return DescribeTopicPartitionsResponse(topics=failed)
    start = request.cursor.topic_name if request.cursor is not None else ""
    everything = not request.topics
    wanted = cluster.topics if everything else requested
    names = yield from in_order([name for name in wanted if name >= start])
    visible: list[str] = []
    hidden: list[str] = []
    for name in names:
        (visible if topic_allowed(ctx, Operation.DESCRIBE, name) else hidden).append(name)
        yield 0
    response = yield from _page(cluster, ctx, request, visible)
    if not everything:
        response.topics.extend(_failed(name, ErrorCode.TOPIC_AUTHORIZATION_FAILED) for name in hidden)
    return response


def _refused(request: DescribeTopicPartitionsRequest, names: Container[str]) -> ErrorCode | None:
    """Return why the request is invalid. Kafka then puts the code on every requested topic."""
    cursor = request.cursor
    if cursor is not None and cursor.partition_index < 0:
        return ErrorCode.INVALID_REQUEST
    if cursor is not None and request.topics and cursor.topic_name not in names:
        return ErrorCode.INVALID_REQUEST
    # Kafka reads an empty name as the topic of an absent cursor, and fails.
    return ErrorCode.UNKNOWN_SERVER_ERROR if cursor is None and "" in names else None


def _page(
    cluster: Cluster, ctx: Context, request: DescribeTopicPartitionsRequest, names: list[str]
) -> Steps[DescribeTopicPartitionsResponse]:
    response = DescribeTopicPartitionsResponse()
    left = max(1, min(cluster.settings.max_request_partition_size_limit, request.response_partition_limit))
    for name in names:
        yield 1
        if left == 0:
            response.next_cursor = DescribeTopicPartitionsResponseCursor(name, 0)
            break
        topic = cluster.topics.get(name)
        if topic is None:
            code = (
                ErrorCode.INVALID_TOPIC_EXCEPTION
                if name_error(name)
                else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            )
            response.topics.append(_failed(name, code, topic_operations(ctx, name)))
            continue
        at_cursor = request.cursor is not None and request.cursor.topic_name == name
        first = request.cursor.partition_index if at_cursor and request.cursor is not None else 0
        past = min(first + left, len(topic.partitions))
        response.topics.append(_described(cluster, ctx, topic, topic.partitions[first:past]))
        left -= max(0, past - first)
        if past < len(topic.partitions):
            response.next_cursor = DescribeTopicPartitionsResponseCursor(name, past)
            break
    return response


def _failed(name: str, code: ErrorCode, operations: int = -(2**31)) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        error_code=code,
        name=name,
        is_internal=name in INTERNAL_TOPICS,
        topic_authorized_operations=operations,
    )


def _described(
    cluster: Cluster, ctx: Context, topic: Topic, partitions: list[Partition]
) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.internal,
        partitions=[_partition(partition, cluster.living) for partition in partitions],
        topic_authorized_operations=topic_operations(ctx, topic.name),
    )


def _partition(partition: Partition, living: frozenset[int]) -> DescribeTopicPartitionsResponsePartition:
    return DescribeTopicPartitionsResponsePartition(
        partition_index=partition.index,
        leader_id=partition.leader,
        leader_epoch=partition.leader_epoch,
        replica_nodes=partition.replicas,
        isr_nodes=partition.isr,
        eligible_leader_replicas=partition.eligible_leader_replicas,
        last_known_elr=partition.last_known_elr,
        offline_replicas=partition.offline_replicas(living),
        creation_time_ms=partition.created_ms,
    )
