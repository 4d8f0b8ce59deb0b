"""OffsetForLeaderEpoch: the end of a leader epoch, by which consumers detect truncation (KIP-320).

v2    current_leader_epoch
v3    replica_id
v4    flexible
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.handlers.data.partitions import check_leader, each, find_log, find_partition
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.metadata.authorized import cluster_allowed_or_else, topic_allowed
from tidemark.turns import Turns
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)


@log_api(OffsetForLeaderEpochRequest, versions=range(2, 5))
async def offset_for_leader_epoch(
    logs: LogManager, ctx: Context, request: OffsetForLeaderEpochRequest
) -> OffsetForLeaderEpochResponse:
    turns: Turns = ctx.turns
    response = OffsetForLeaderEpochResponse()
    async for topic in each(request.topics, turns):
        ends = [_end_of(logs, ctx, topic.topic, one) async for one in each(topic.partitions, turns)]
        response.topics.append(OffsetForLeaderTopicResult(topic.topic, ends))
    return response


def _end_of(
    logs: LogManager, ctx: Context, topic: str, requested: OffsetForLeaderPartition
) -> EpochEndOffset:
    try:
        # Brokers that follow a leader need no permission for each topic.
        if not (
            cluster_allowed_or_else(ctx, Operation.CLUSTER_ACTION)
            or topic_allowed(ctx, Operation.DESCRIBE, topic)
        ):
            raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
        partition = find_partition(ctx.cluster, topic, requested.partition)
        check_leader(ctx, partition, requested.current_leader_epoch)
        log = find_log(logs, topic, requested.partition)
        epoch, end_offset = log.offset_for_leader_epoch(requested.leader_epoch)
    except KafkaError as refused:
        return EpochEndOffset(refused.code, requested.partition)
    return EpochEndOffset(ErrorCode.NONE, requested.partition, epoch, end_offset)
