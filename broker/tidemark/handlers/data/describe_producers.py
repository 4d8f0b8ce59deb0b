"""DescribeProducers: the producers that a partition knows, to find hanging transactions (KIP-664).

v0    the first version
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.handlers.data.partitions import check_leader, each, find_log, find_partition
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.producers import ProducerState as Stored
from tidemark.metadata.topics import name_error
from tidemark.turns import Turns
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import bucket, hash_map_table, long_hash
from tidemark_protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)


@log_api(DescribeProducersRequest, versions=range(0, 1))
async def describe_producers(
    logs: LogManager, ctx: Context, request: DescribeProducersRequest
) -> DescribeProducersResponse:
    turns: Turns = ctx.turns
    known: dict[
        tuple[str, int], PartitionResponse
    ] = {}  # a partition named twice gets the same response twice
    response = DescribeProducersResponse()
    async for topic in each(request.topics, turns):
        partitions: list[PartitionResponse] = []
        async for index in each(topic.partition_indexes, turns):
            key = topic.name, index
            if key not in known:
                known[key] = await _describe(logs, ctx, topic.name, index, turns)
            partitions.append(known[key])
        response.topics.append(TopicResponse(topic.name, partitions))
    return response


async def _describe(
    logs: LogManager, ctx: Context, topic: str, index: int, turns: Turns
) -> PartitionResponse:
    try:
        _check_topic(ctx, topic)
    except KafkaError as refused:
        return PartitionResponse(index, refused.code, refused.message or refused.code.text)
    try:
        check_leader(ctx, find_partition(ctx.cluster, topic, index), follower=True)
        log = find_log(logs, topic, index)
    except KafkaError as refused:
        return PartitionResponse(index, refused.code)
    states = await _in_order(log, turns)
    return PartitionResponse(index, active_producers=[_active(state) async for state in each(states, turns)])


async def _in_order(log: PartitionLog, turns: Turns) -> list[Stored]:
    """Return the producers in the order of Kafka's hash map."""
    states = list(log.producers.states.values())
    table = hash_map_table(len(states))
    buckets = [bucket(long_hash(state.producer_id), table) async for state in each(states, turns)]
    return [states[at] for at in sorted(range(len(states)), key=buckets.__getitem__)]


def _check_topic(ctx: Context, topic: str) -> None:
    bad_name = name_error(topic)
    if bad_name is not None:
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, bad_name)
    if not ctx.allowed(Operation.READ, ResourceType.TOPIC, topic):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    if topic not in ctx.cluster.topics:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)


def _active(state: Stored) -> ProducerState:
    return ProducerState(
        state.producer_id,
        state.epoch,
        state.last_sequence,
        state.last_timestamp_ms,
        state.coordinator_epoch,
        state.open_since,
    )
