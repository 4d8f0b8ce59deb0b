"""DescribeProducers: the producers that a partition remembers; finds hanging transactions (KIP-664).

v0    the first
"""

from __future__ import annotations

from tidemark.coordinator.cluster.topics import name_error
from tidemark.coordinator.result import Context, Operation, ResourceType
from tidemark.handlers.hosted import find_log, find_partition
from tidemark.handlers.routes import transfer
from tidemark.log.manager import LogManager
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)


@transfer(DescribeProducersRequest, versions=range(0, 1))
async def describe_producers(
    logs: LogManager, ctx: Context, request: DescribeProducersRequest
) -> DescribeProducersResponse:
    return DescribeProducersResponse(
        topics=[
            TopicResponse(
                topic.name, [_answer(logs, ctx, topic.name, index) for index in topic.partition_indexes]
            )
            for topic in request.topics
        ]
    )


def error_response(request: DescribeProducersRequest, code: int) -> DescribeProducersResponse:
    topics = [
        TopicResponse(topic.name, [PartitionResponse(index, code) for index in topic.partition_indexes])
        for topic in request.topics
    ]
    return DescribeProducersResponse(topics=topics)


def _answer(logs: LogManager, ctx: Context, topic: str, index: int) -> PartitionResponse:
    try:
        _check_topic(ctx, topic)
    except KafkaError as refused:
        return PartitionResponse(index, refused.code, refused.message or refused.code.text)
    try:
        find_partition(ctx.cluster, topic, index)
        return PartitionResponse(index, active_producers=_active(logs, topic, index))
    except KafkaError as refused:
        return PartitionResponse(index, refused.code)


def _check_topic(ctx: Context, topic: str) -> None:
    bad_name = name_error(topic)
    if bad_name is not None:
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, bad_name)
    if not ctx.allowed(Operation.READ, ResourceType.TOPIC, topic):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    if topic not in ctx.cluster.topics:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)


def _active(logs: LogManager, topic: str, index: int) -> list[ProducerState]:
    return [
        ProducerState(
            state.producer_id,
            state.epoch,
            state.last_sequence,
            state.last_timestamp_ms,
            state.coordinator_epoch,
            state.open_since,
        )
        for state in find_log(logs, topic, index).producers.states.values()
    ]
