"""WriteTxnMarkers: ends transactions in single partitions, without their coordinator.

Kafka's coordinators send it to the leaders of a transaction's partitions. Ours writes such markers itself, so
only AdminClient.abortTransaction sends this API, to end a hanging transaction (KIP-664).

v1    the first version that Kafka 4 serves
v2    the level of transaction.version, by which the epoch is checked (KIP-1228)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Marker
from tidemark.core.java import bucket_order
from tidemark.handlers.data.partitions import check_leader, each, find_log, find_partition
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog, marker_batch
from tidemark.metadata.authorized import cluster_allowed, cluster_allowed_or_else
from tidemark.metadata.model import OFFSETS_TOPIC
from tidemark.turns import Turns, do_steps
from tidemark.workers import Workers
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.java import java_hash, topic_partition_hash
from tidemark_protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)

NONE: Final = -1  # no producer id, no producer epoch

K = TypeVar("K")
Codes = dict[tuple[str, int], int]


@log_api(WriteTxnMarkersRequest, versions=range(1, 3))
async def write_txn_markers(
    logs: LogManager, ctx: Context, request: WriteTxnMarkersRequest
) -> WriteTxnMarkersResponse:
    if not (cluster_allowed_or_else(ctx, Operation.ALTER) or cluster_allowed(ctx, Operation.CLUSTER_ACTION)):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    writing = _Writing(logs, ctx)
    async for marker in each(request.markers, ctx.turns):
        await writing.write(marker)
    await logs.sync([*writing.unsynced])
    return await _response(writing.codes, ctx.turns, logs.workers)


class _Writing:
    """Writes the markers of one request. codes: the outcome, by producer id and partition."""

    def __init__(self, logs: LogManager, ctx: Context) -> None:
        self.codes: dict[int, Codes] = {}
        self.unsynced: dict[PartitionLog, None] = {}
        self._logs = logs
        self._ctx = ctx

    async def write(self, requested: WritableTxnMarker) -> None:
        """Write a marker to its partitions. Raises KafkaError if Kafka cannot build it."""
        codes: Codes = {}
        turns: Turns = self._ctx.turns
        async for topic in each(requested.topics, turns):
            async for index in each(topic.partition_indexes, turns):
                if (topic.name, index) not in codes:
                    codes[topic.name, index] = await self._code(requested, topic.name, index)
        if codes:
            self.codes.setdefault(requested.producer_id, {}).update(codes)

    async def _code(self, requested: WritableTxnMarker, topic: str, index: int) -> int:
        if topic == OFFSETS_TOPIC:  # the log must be complete before it is checked
            await self._ctx.decisions.durable()
        try:
            partition = find_partition(self._ctx.cluster, topic, index)
        except KafkaError as refused:
            return refused.code
        if NONE in (requested.producer_id, requested.producer_epoch):
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)  # for the whole request, as in Kafka
        marker = Marker(
            index,
            requested.producer_id,
            requested.producer_epoch,
            requested.transaction_result,
            requested.coordinator_epoch,
        )
        try:
            check_leader(self._ctx, partition)
            if topic == OFFSETS_TOPIC:
                await self._end_offsets(marker, requested.transaction_version)
            else:
                log = find_log(self._logs, topic, index)
                _check(log, marker, requested.transaction_version)
                self._append(log, marker, partition.leader_epoch)
        except KafkaError as refused:
            return refused.code
        return ErrorCode.NONE

    async def _end_offsets(self, marker: Marker, transaction_version: int) -> None:
        """Let the groups end the transaction."""
        decisions = self._ctx.decisions
        if not decisions.state("Groups").is_active(marker.partition):
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        _check(find_log(self._logs, OFFSETS_TOPIC, marker.partition), marker, transaction_version)
        decisions.apply("Groups", decisions.state("Groups").end_transaction(marker))
        await decisions.durable()

    def _append(self, log: PartitionLog, marker: Marker, leader_epoch: int) -> None:
        now_ms = self._ctx.wall_ms
        batch = marker_batch(marker, now_ms, append_time=log.settings.append_time)
        log.append(batch, leader_epoch=leader_epoch, now_ms=now_ms, from_client=False)
        if log.settings.waits_for_sync or log.flush_due(now_ms):
            self.unsynced[log] = None


def _check(log: PartitionLog, marker: Marker, transaction_version: int) -> None:
    log.check_marker(marker.producer_id, marker.producer_epoch, marker.coordinator_epoch, transaction_version)
    if transaction_version < 0:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)


async def _response(codes: dict[int, Codes], turns: Turns, workers: Workers) -> WriteTxnMarkersResponse:
    """Return the response, in the order of Java's hash maps: each producer, topic and partition once."""
    results: list[WritableTxnMarkerResult] = []
    for producer_id in await _ordered(codes, _long_hash, turns, workers):
        topics: dict[str, WritableTxnMarkerTopicResult] = {}
        known = codes[producer_id]
        for name, index in await _ordered(known, topic_partition_hash, turns, workers):
            topic = topics.setdefault(name, WritableTxnMarkerTopicResult(name))
            topic.partitions.append(WritableTxnMarkerPartitionResult(index, known[name, index]))
        names = await _ordered(topics, java_hash, turns, workers)
        results.append(WritableTxnMarkerResult(producer_id, [topics[name] for name in names]))
    return WriteTxnMarkersResponse(results)


def _long_hash(value: int) -> int:
    """Long.hashCode."""
    value &= 0xFFFFFFFFFFFFFFFF
    return (value ^ value >> 32) & 0xFFFFFFFF


async def _ordered(keys: Iterable[K], hash_of: Callable[[K], int], turns: Turns, workers: Workers) -> list[K]:
    """Return the keys in the order of a Java map into which they were put one by one."""
    buckets = await do_steps(bucket_order(keys, hash_of), turns, workers)
    return [key for bucket in buckets for key in bucket]
