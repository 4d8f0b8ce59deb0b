"""ListOffsets: the offset at a time, or at one of the ends of a log.

v1    one offset per partition, with its timestamp (KIP-79)
v2    isolation_level (KIP-98)
v4    current_leader_epoch and leader_epoch (KIP-320)
v7    -3, the largest timestamp (KIP-734)
v8    -4, the earliest offset on local disk (KIP-405)
v9    -5, the latest offset in tiered storage (KIP-1005)
v10   timeout_ms
v11   -6, the earliest offset that is not uploaded yet (KIP-1023)
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from tidemark.coordinator.result import Context, Operation, ResourceType
from tidemark.handlers.hosted import check_leader_epoch, find_log, find_partition
from tidemark.handlers.routes import transfer
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.segment import TimestampOffset
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

LATEST: Final = -1
EARLIEST: Final = -2
MAX_TIMESTAMP: Final = -3
EARLIEST_LOCAL: Final = -4
LATEST_TIERED: Final = -5
EARLIEST_PENDING_UPLOAD: Final = -6
FIRST_VERSIONS: Final = {
    LATEST: 1,
    EARLIEST: 1,
    MAX_TIMESTAMP: 7,
    EARLIEST_LOCAL: 8,
    LATEST_TIERED: 9,
    EARLIEST_PENDING_UPLOAD: 11,
}
CONSUMER: Final = -1
READ_UNCOMMITTED: Final = 0
READ_COMMITTED: Final = 1
NOWHERE: Final = TimestampOffset(-1, -1, -1)


@transfer(ListOffsetsRequest, versions=range(1, 12))
async def list_offsets(logs: LogManager, ctx: Context, request: ListOffsetsRequest) -> ListOffsetsResponse:
    asked: dict[str, dict[int, ListOffsetsPartition]] = {}
    mentions: Counter[tuple[str, int]] = Counter()
    for topic in request.topics:
        partitions = asked.setdefault(topic.name, {})
        for partition in topic.partitions:
            partitions[partition.partition_index] = partition
            mentions[topic.name, partition.partition_index] += 1
    return ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(
                name,
                [
                    _answer(logs, ctx, request, name, partition, twice=mentions[name, index] > 1)
                    for index, partition in partitions.items()
                ],
            )
            for name, partitions in asked.items()
            if partitions
        ]
    )


def _answer(
    logs: LogManager,
    ctx: Context,
    request: ListOffsetsRequest,
    topic: str,
    asked: ListOffsetsPartition,
    *,
    twice: bool,
) -> ListOffsetsPartitionResponse:
    index = asked.partition_index
    try:
        found = _find(logs, ctx, request, topic, asked, twice=twice)
    except KafkaError as refused:
        return ListOffsetsPartitionResponse(index, refused.code)
    return ListOffsetsPartitionResponse(
        index, ErrorCode.NONE, found.timestamp_ms, found.offset, found.leader_epoch
    )


def _find(
    logs: LogManager,
    ctx: Context,
    request: ListOffsetsRequest,
    topic: str,
    asked: ListOffsetsPartition,
    *,
    twice: bool,
) -> TimestampOffset:
    """Kafka's order [4.3.1]: the request's own mistakes come before what the cluster knows."""
    if request.isolation_level not in (READ_UNCOMMITTED, READ_COMMITTED):
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    if not ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, topic):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    if twice:
        raise KafkaError(ErrorCode.INVALID_REQUEST)
    if asked.timestamp < 0 and ctx.version < FIRST_VERSIONS.get(asked.timestamp, ctx.version + 1):
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    partition = find_partition(ctx.cluster, topic, asked.partition_index)
    check_leader_epoch(partition, asked.current_leader_epoch)
    log = find_log(logs, topic, asked.partition_index)
    end = _end(log, request)
    if asked.timestamp == LATEST:
        return TimestampOffset(-1, end, partition.leader_epoch)
    found = _search(log, asked.timestamp, end)
    if found is None or (found.offset >= end and asked.timestamp not in (EARLIEST, EARLIEST_LOCAL)):
        return NOWHERE
    if (
        found.offset == log.log_end_offset
    ):  # the start of an empty log: the epoch in which its first record will be
        found.leader_epoch = partition.leader_epoch
    return found


def _end(log: PartitionLog, request: ListOffsetsRequest) -> int:
    if request.replica_id != CONSUMER:
        return log.log_end_offset
    return log.last_stable_offset if request.isolation_level == READ_COMMITTED else log.high_watermark


def _search(log: PartitionLog, timestamp: int, end: int) -> TimestampOffset | None:
    """There is no tiered storage: what is local is everything, and nothing is tiered."""
    if timestamp in (EARLIEST, EARLIEST_LOCAL):
        return TimestampOffset(-1, log.log_start_offset, log.leader_epoch_at(log.log_start_offset))
    if timestamp in (LATEST_TIERED, EARLIEST_PENDING_UPLOAD):
        return None
    if timestamp == MAX_TIMESTAMP:
        return log.max_timestamp()
    return log.offset_for_timestamp(timestamp, up_to=end)
