"""DeleteRecords: raises the log start offset of partitions. Whole segments below it are deleted.

v0    the first version
v2    flexible

Kafka's order per partition: authorization, existence, internal topic (17), cleanup policy (44), offset (1).
"""

from __future__ import annotations

from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.handlers.data.partitions import check_leader, each, find_log, find_partition
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.turns import Turns
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.delete_records import (
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)

UP_TO_HIGH_WATERMARK: Final = -1
NO_LOW_WATERMARK: Final = -1


@log_api(DeleteRecordsRequest, versions=range(0, 3))
async def delete_records(
    logs: LogManager, ctx: Context, request: DeleteRecordsRequest
) -> DeleteRecordsResponse:
    """The new log starts are durable before the response. Kafka writes them with its next checkpoint.

    If a partition is named twice, its last entry counts [4.3.1].
    """
    turns: Turns = ctx.turns
    requested: dict[str, dict[int, int]] = {}
    async for topic in each(request.topics, turns):
        offsets = requested.setdefault(topic.name, {})
        async for partition in each(topic.partitions, turns):
            offsets[partition.partition_index] = partition.offset
    response = DeleteRecordsResponse()
    unsaved: list[DeleteRecordsPartitionResult] = []
    async for name in each(requested, turns):
        results: list[DeleteRecordsPartitionResult] = []
        async for index, offset in each(requested[name].items(), turns):
            result, is_unsaved = _delete(logs, ctx, name, index, offset)
            results.append(result)
            if is_unsaved:
                unsaved.append(result)
        if results:
            response.topics.append(DeleteRecordsTopicResult(name, results))
    if unsaved:
        try:
            await logs.save_log_starts()
            await turns.pause()  # many requests may have waited for the same write
        except OSError:  # readers see the new starts, but a restart may undo them: the client must ask again
            for result in unsaved:
                result.error_code = ErrorCode.KAFKA_STORAGE_ERROR
                result.low_watermark = NO_LOW_WATERMARK
    return response


def _delete(
    logs: LogManager, ctx: Context, topic: str, index: int, offset: int
) -> tuple[DeleteRecordsPartitionResult, bool]:
    """Return the result, and whether the log start must be saved before the response."""
    try:
        low_watermark, is_unsaved = _raise_start(logs, ctx, topic, index, offset)
    except KafkaError as refused:
        return DeleteRecordsPartitionResult(index, NO_LOW_WATERMARK, refused.code), False
    return DeleteRecordsPartitionResult(index, low_watermark, ErrorCode.NONE), is_unsaved


def _raise_start(logs: LogManager, ctx: Context, topic: str, index: int, offset: int) -> tuple[int, bool]:
    if not ctx.allowed(Operation.DELETE, ResourceType.TOPIC, topic):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    partition = find_partition(ctx.cluster, topic, index)
    if ctx.cluster.topics[topic].internal:
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION)
    check_leader(ctx, partition)
    log = find_log(logs, topic, index)
    config = ctx.cluster.topic_config(topic)
    if config.compacted and not config.deleted:
        raise KafkaError(ErrorCode.POLICY_VIOLATION)
    if offset == UP_TO_HIGH_WATERMARK:
        offset = log.high_watermark
    if not 0 <= offset <= log.high_watermark:
        raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE)
    is_unsaved = logs.raise_log_start(log, offset)
    return log.log_start_offset, is_unsaved
