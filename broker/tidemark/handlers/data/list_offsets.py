"""ListOffsets: the offset for a timestamp, or at one of the ends of a log.

v1    one offset per partition, with its timestamp (KIP-79)
v2    isolation_level (KIP-98)
v4    current_leader_epoch and leader_epoch (KIP-320)
v7    -3, the largest timestamp (KIP-734)
v8    -4, the earliest offset on local disk (KIP-405)
v9    -5, the latest offset in tiered storage (KIP-1005)
v10   timeout_ms
v11   -6, the earliest offset that is not yet uploaded to tiered storage (KIP-1023)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.handlers.data.partitions import check_leader, each, find_log, find_partition
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.segment import TimestampOffset
from tidemark.turns import Turns, do_steps
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


@log_api(ListOffsetsRequest, versions=range(1, 12))
async def list_offsets(logs: LogManager, ctx: Context, request: ListOffsetsRequest) -> ListOffsetsResponse:
    turns: Turns = ctx.turns
    wanted: dict[str, dict[int, ListOffsetsPartition]] = {}
    twice: set[tuple[str, int]] = set()
    async for topic in each(request.topics, turns):
        partitions = wanted.setdefault(topic.name, {})
        async for partition in each(topic.partitions, turns):
            if partition.partition_index in partitions:
                twice.add((topic.name, partition.partition_index))
            partitions[partition.partition_index] = partition
    search = Search(logs, ctx, request, turns, twice)
    response = ListOffsetsResponse()
    async for name in each(wanted, turns):
        found = [await search.partition(name, one) async for one in each(wanted[name].values(), turns)]
        if found:
            response.topics.append(ListOffsetsTopicResponse(name, found))
    return response


@dataclass(slots=True)
class Search:
    """One request, for all of its partitions. twice: partitions that it names more than once."""

    logs: LogManager
    ctx: Context
    request: ListOffsetsRequest
    turns: Turns
    twice: set[tuple[str, int]]

    async def partition(self, topic: str, wanted: ListOffsetsPartition) -> ListOffsetsPartitionResponse:
        index = wanted.partition_index
        try:
            found = await self._find(topic, wanted)
        except KafkaError as refused:
            return ListOffsetsPartitionResponse(index, refused.code)
        return ListOffsetsPartitionResponse(
            index, ErrorCode.NONE, found.timestamp_ms, found.offset, found.leader_epoch
        )

    async def _find(self, topic: str, wanted: ListOffsetsPartition) -> TimestampOffset:
        """Find one offset. As in Kafka, an invalid request is refused before the cluster is consulted
        [4.3.1].
        """
        ctx, index, timestamp = self.ctx, wanted.partition_index, wanted.timestamp
        if self.request.isolation_level not in (READ_UNCOMMITTED, READ_COMMITTED):
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        if not ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, topic):
            raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
        if (topic, index) in self.twice:
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        if timestamp < 0 and ctx.version < FIRST_VERSIONS.get(timestamp, ctx.version + 1):
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
        partition = find_partition(ctx.cluster, topic, index)
        check_leader(ctx, partition, wanted.current_leader_epoch)
        log = find_log(self.logs, topic, index)
        end = _end(log, self.request)
        if timestamp == LATEST:
            return TimestampOffset(-1, end, partition.leader_epoch)
        record_bytes_max = ctx.cluster.topic_config(topic).max_decompressed_message_bytes
        found = await self._in_log(log, timestamp, end, record_bytes_max)
        if found is None or (found.offset >= end and timestamp not in (EARLIEST, EARLIEST_LOCAL)):
            return NOWHERE
        if found.offset == log.log_end_offset:
            # The log is empty from here on: report the epoch that the next record will have.
            found.leader_epoch = partition.leader_epoch
        return found

    async def _in_log(
        self, log: PartitionLog, timestamp: int, end: int, record_bytes_max: int
    ) -> TimestampOffset | None:
        """Search the log. All records are local, because there is no tiered storage."""
        if timestamp in (EARLIEST, EARLIEST_LOCAL):
            return TimestampOffset(-1, log.log_start_offset, log.leader_epoch_at(log.log_start_offset))
        if timestamp in (LATEST_TIERED, EARLIEST_PENDING_UPLOAD):
            return None
        if timestamp == MAX_TIMESTAMP:
            steps = log.max_timestamp(record_bytes_max)
        else:
            steps = log.offset_for_timestamp(timestamp, up_to=end, record_bytes_max=record_bytes_max)
        return await do_steps(steps, self.turns, self.logs.workers)


def _end(log: PartitionLog, request: ListOffsetsRequest) -> int:
    if request.replica_id != CONSUMER:
        return log.log_end_offset
    return log.last_stable_offset if request.isolation_level == READ_COMMITTED else log.high_watermark
