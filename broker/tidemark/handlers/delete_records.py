"""DeleteRecords: raises the log start offset of partitions; whole segments below it go.

v0    the first
v2    flexible

Kafka's order per partition: authorization, existence, internal topic (17), cleanup policy (44), offset (1).
"""

from __future__ import annotations

from typing import Final

from tidemark.coordinator.result import Context, Operation, ResourceType
from tidemark.handlers.hosted import find_log, find_partition
from tidemark.handlers.routes import transfer
from tidemark.log.manager import LogManager
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.delete_records import (
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)

UP_TO_HIGH_WATERMARK: Final = -1
NO_LOW_WATERMARK: Final = -1


@transfer(DeleteRecordsRequest, versions=range(0, 3))
async def delete_records(
    logs: LogManager, ctx: Context, request: DeleteRecordsRequest
) -> DeleteRecordsResponse:
    """A partition that is named twice is cut where its last mention says [4.3.1]."""
    asked: dict[str, dict[int, int]] = {}
    for topic in request.topics:
        offsets = asked.setdefault(topic.name, {})
        offsets.update((partition.partition_index, partition.offset) for partition in topic.partitions)
    return DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(
                name, [_delete(logs, ctx, name, index, offset) for index, offset in offsets.items()]
            )
            for name, offsets in asked.items()
            if offsets
        ]
    )


def _delete(
    logs: LogManager, ctx: Context, topic: str, index: int, offset: int
) -> DeleteRecordsPartitionResult:
    try:
        low_watermark = _raise_start(logs, ctx, topic, index, offset)
    except KafkaError as refused:
        return DeleteRecordsPartitionResult(index, NO_LOW_WATERMARK, refused.code)
    return DeleteRecordsPartitionResult(index, low_watermark, ErrorCode.NONE)


def _raise_start(logs: LogManager, ctx: Context, topic: str, index: int, offset: int) -> int:
    if not ctx.allowed(Operation.DELETE, ResourceType.TOPIC, topic):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    find_partition(ctx.cluster, topic, index)
    if ctx.cluster.topics[topic].internal:
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION)
    log = find_log(logs, topic, index)
    config = ctx.cluster.topic_config(topic)
    if config.compacted and not config.deleted:
        raise KafkaError(ErrorCode.POLICY_VIOLATION)
    if offset == UP_TO_HIGH_WATERMARK:
        offset = log.high_watermark
    if not 0 <= offset <= log.high_watermark:
        raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE)
    if offset > log.log_start_offset:
        log.advance_log_start(offset)
    return log.log_start_offset
