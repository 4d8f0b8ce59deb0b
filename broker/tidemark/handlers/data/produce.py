"""Produce: appends record batches to partition logs. Each partition is accepted or refused on its own.

v3    transactional_id; only magic 2 batches, one per partition
v5    log_start_offset
v7    zstd is allowed (KIP-110)
v8    record_errors and error_message (KIP-467)
v9    flexible
v10   current_leader and node_endpoints (KIP-951)
v11   TRANSACTION_ABORTABLE (KIP-890)
v12   partitions join the transaction implicitly (transactions V2, KIP-890)
v13   topics by id (KIP-516)

Order of the checks [4.3.1]: transactional id, topic id, authorization, existence, form of the bytes, the
transaction (verification.py), acks, internal topic, batch and records (`tidemark_protocol.produced`), the
producer's sequence (`PartitionLog.append`). The response waits for the disk only if flush.messages or
flush.ms makes a sync due. Batches are checked in short steps, so that other clients are served in between,
and large ones are decompressed in a worker thread. Meanwhile, and while a transaction is verified, the
connection is not read. So the requests of a producer are appended in order, with acks=0 completely even if
the client has disconnected.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.log_text import short
from tidemark.core.result import NO_RESPONSE, CloseConnection, NoResponse
from tidemark.handlers.data.partitions import find_log, find_partition
from tidemark.handlers.data.turns import do_steps, each
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.producers import NO_GUARD
from tidemark.log.syncs import sync_logs
from tidemark.turns import Turns
from tidemark_protocol.batch import HEADER_BYTES, MAGIC, NO_PRODUCER_ID, TRANSACTIONAL
from tidemark_protocol.compression import Codec
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.produce import (
    BatchIndexAndErrorMessage,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from tidemark_protocol.produced import (
    NO_LIMIT,
    RECORD_ERRORS_MAX,
    AppendRules,
    BatchRefused,
    check_for_append,
    sole_batch,
)
from tidemark_protocol.wire import Bytes

if TYPE_CHECKING:
    from tidemark.metadata.model import Partition, Topic
    from tidemark.metadata.state import Cluster
    from tidemark.settings.topic import TopicConfig

FIRST_VERSION_WITH_TOPIC_IDS: Final = 13
NO_ACKNOWLEDGEMENT: Final = 0
ACKS: Final = (-1, 0, 1)
ADMIN_CLIENT: Final = "__admin_client"  # the only client id that may write to internal topics in Kafka
MAGIC_AT: Final = 16
ATTRIBUTES_LOW_AT: Final = 22
AS_PRODUCED: Final = "producer"
# Errors that Kafka does not count as failed requests.
EXPECTED: Final = (
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.MESSAGE_TOO_LARGE,
    ErrorCode.RECORD_LIST_TOO_LARGE,
    ErrorCode.CORRUPT_MESSAGE,
    ErrorCode.KAFKA_STORAGE_ERROR,
)
CODECS: Final = {
    "uncompressed": Codec.NONE,
    "gzip": Codec.GZIP,
    "snappy": Codec.SNAPPY,
    "lz4": Codec.LZ4,
    "zstd": Codec.ZSTD,
}

Key = tuple[str | bytes, int]  # topic name (topic id from v13 on) and partition


@dataclass(slots=True)
class Produced:
    """The request's outcome so far: a response per partition, and the logs whose sync is due.

    guards        allow the first batches of transactions, by topic name and partition
    errors_left   how many more record errors the response may hold
    """

    responses: dict[Key, PartitionProduceResponse] = field(default_factory=dict)
    due: list[PartitionLog] = field(default_factory=list)
    guards: dict[tuple[str, int], int] = field(default_factory=dict)
    errors_left: int = RECORD_ERRORS_MAX


@log_api(ProduceRequest, versions=range(3, 14))
async def produce(logs: LogManager, ctx: Context, request: ProduceRequest) -> ProduceResponse | NoResponse:
    turns: Turns = ctx.turns
    requested = await _requested(request, ctx.version, turns)
    done = Produced()
    try:
        transactional_id = None
        if await _is_transactional(requested, turns):
            transactional_id = _transactional_id(ctx, request)
        if await _lacks_records(requested, ctx, turns):
            # Null records: Kafka never responds, and never reads the connection again [4.3.1].
            await asyncio.get_running_loop().create_future()
        if transactional_id is not None:
            await _verify(logs, ctx, transactional_id, requested, done)
    except KafkaError as refused:
        async for key in each(requested, turns):
            done.responses[key] = _refusal(key[1], refused.code, message=refused.message)
    else:
        await _append_all(logs, ctx, request.acks, requested, done, turns)
    if done.due:
        await sync_logs(done.due, logs.workers, logs.clock)
    if request.acks == NO_ACKNOWLEDGEMENT:
        return _no_response(done)
    return await _response(done, ctx.version, turns)


async def _requested(request: ProduceRequest, version: int, turns: Turns) -> dict[Key, Bytes | None]:
    """Return the records by partition. If a partition is named twice, its last entry counts [4.3.1]."""
    by_topic_id = version >= FIRST_VERSION_WITH_TOPIC_IDS
    requested: dict[Key, Bytes | None] = {}
    async for topic in each(request.topic_data, turns):
        name = topic.topic_id if by_topic_id else topic.name
        async for partition in each(topic.partition_data, turns):
            requested[name, partition.index] = partition.records
    return requested


async def _is_transactional(requested: dict[Key, Bytes | None], turns: Turns) -> bool:
    async for data in each(requested.values(), turns):
        if (
            data is not None
            and len(data) >= HEADER_BYTES
            and data[MAGIC_AT] == MAGIC
            and data[ATTRIBUTES_LOW_AT] & TRANSACTIONAL
        ):
            return True
    return False


def _transactional_id(ctx: Context, request: ProduceRequest) -> str:
    """Return the transactional id of a request with transactional batches. Raises KafkaError 53."""
    transactional_id = request.transactional_id
    if transactional_id is None or not ctx.allowed(
        Operation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id
    ):
        raise KafkaError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    return transactional_id


async def _verify(
    logs: LogManager,
    ctx: Context,
    transactional_id: str,
    requested: dict[Key, Bytes | None],
    done: Produced,
) -> None:
    """Verify the partitions of the transaction, or add them to it. Refuse those that do not belong to it.

    Raises KafkaError 49 if the batches have more than one producer.
    """
    # Only a broker with transactions needs this import.
    from tidemark.handlers.data.verification import FirstBatch, Verifying

    producers: set[tuple[int, int]] = set()
    keys: dict[tuple[str, int], Key] = {}
    batches: dict[tuple[str, int], FirstBatch] = {}
    async for key, data in each(requested.items(), ctx.turns):
        try:
            name, _ = _partition(ctx, key)
            header = sole_batch(data or b"", ctx.version)
            if header.is_transactional and header.producer_id > NO_PRODUCER_ID:
                producers.add((header.producer_id, header.producer_epoch))
                log = find_log(logs, name, key[1])
                keys[name, key[1]] = key
                batches[name, key[1]] = FirstBatch(log, header.base_sequence)
        except (KafkaError, BatchRefused):
            continue  # it will be refused below
    if len(producers) > 1:
        raise KafkaError(
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            "Transactional records contained more than one producer ID",
        )
    for producer_id, epoch in producers:
        verifying = Verifying(ctx, logs.clock, transactional_id, producer_id, epoch)
        verified = await verifying.verified(batches)
        done.guards = verified.guards
        for partition, refused in verified.refused.items():
            key = keys[partition]
            done.responses[key] = _refusal(key[1], refused.code, message=refused.message)


async def _lacks_records(requested: dict[Key, Bytes | None], ctx: Context, turns: Turns) -> bool:
    """Return whether a partition that the client may write to has null in place of records."""
    async for key, data in each(requested.items(), turns):
        if data is None and _may_write(ctx, key):
            return True
    return False


async def _append_all(
    logs: LogManager,
    ctx: Context,
    acks: int,
    requested: dict[Key, Bytes | None],
    done: Produced,
    turns: Turns,
) -> None:
    async for key, data in each(requested.items(), turns):
        if key in done.responses:
            continue  # its transaction does not contain it
        try:
            name, partition = _partition(ctx, key)
            if data is None:  # the topic was created since the records were looked for
                raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            topic: Topic = ctx.cluster.topics[name]
            header = sole_batch(data, ctx.version)
            if acks not in ACKS:
                raise KafkaError(ErrorCode.INVALID_REQUIRED_ACKS)
            traffic = logs.traffic.of(name)
            traffic.produce_requests += 1
            if topic.internal and ctx.client_id != ADMIN_CLIENT:
                raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION)
            log = find_log(logs, name, key[1])
        except KafkaError as refused:
            done.responses[key] = _refusal(key[1], refused.code)
            continue
        except BatchRefused as refused:
            done.responses[key] = _refused_batch(key[1], refused, done)
            continue
        rules = rules_of(ctx.cluster, topic)
        steps = check_for_append(data, header, rules, ctx.wall_ms, f"{name}-{key[1]}")
        try:
            batch = await do_steps(steps, turns, logs.workers)
            guard = done.guards.get((name, key[1]), NO_GUARD) if done.guards else NO_GUARD
            response = _append(log, partition, rules, batch, ctx.wall_ms, guard)
        except BatchRefused as refused:
            response = _refused_batch(key[1], refused, done, log.log_start_offset)
        if response.error_code == ErrorCode.NONE:
            traffic.appended(header.last_offset_delta + 1, len(data))
        elif response.error_code not in EXPECTED:
            traffic.failed_produce_requests += 1
        done.responses[key] = response
        if log.settings.waits_for_sync or log.flush_due(ctx.wall_ms):
            done.due.append(log)


def _partition(ctx: Context, key: Key) -> tuple[str, Partition]:
    """Return the topic's name and the partition.

    Raises KafkaError if the partition does not exist or the client may not write to it.
    """
    name = _topic_name(ctx.cluster, key[0])
    if not ctx.allowed(Operation.WRITE, ResourceType.TOPIC, name):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    return name, find_partition(ctx.cluster, name, key[1])


def _may_write(ctx: Context, key: Key) -> bool:
    try:
        _partition(ctx, key)
    except KafkaError:
        return False
    return True


def _topic_name(cluster: Cluster, requested: str | bytes) -> str:
    """Return the name of a topic. Raises KafkaError 100 for an unknown topic id."""
    if isinstance(requested, str):
        return requested
    topic = cluster.topics_by_id.get(requested)
    if topic is None:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_ID)
    return topic.name


def rules_of(cluster: Cluster, topic: Topic) -> AppendRules:
    """Return how batches of a topic are checked, cached until its settings change.

    The log itself refuses a batch that is larger than a segment.
    """
    known: AppendRules | None = topic.prepared.get(AppendRules)
    if known is None:
        config = cluster.topic_config(topic.name)
        known = topic.prepared[AppendRules] = AppendRules(
            max_message_bytes=config.max_message_bytes,
            segment_bytes=NO_LIMIT,
            compacted=config.compacted,
            append_time=config.message_timestamp_type == "LogAppendTime",
            codec=None if config.compression_type == AS_PRODUCED else CODECS[config.compression_type],
            timestamp_before_max_ms=config.message_timestamp_before_max_ms,
            timestamp_after_max_ms=config.message_timestamp_after_max_ms,
            level=_level(config),
        )
    return known


def _level(config: TopicConfig) -> int | None:
    match CODECS.get(config.compression_type):
        case Codec.GZIP:
            return config.compression_gzip_level
        case Codec.LZ4:
            return config.compression_lz4_level
        case Codec.ZSTD:
            return config.compression_zstd_level
    return None


def _append(
    log: PartitionLog,
    partition: Partition,
    rules: AppendRules,
    batch: bytearray,
    wall_ms: int,
    guard: int,
) -> PartitionProduceResponse:
    if log.closed:  # its topic was deleted while the batch was checked
        return _refusal(partition.index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    try:
        appended = log.append(batch, leader_epoch=partition.leader_epoch, now_ms=wall_ms, guard=guard)
    except KafkaError as refused:
        too_large = refused.code is ErrorCode.RECORD_LIST_TOO_LARGE
        return _refusal(partition.index, refused.code, -1 if too_large else log.log_start_offset)
    # The response to a duplicate has the first one's timestamp for any timestamp type of the topic [4.3.1].
    has_time = rules.append_time or appended.duplicate
    return PartitionProduceResponse(
        partition.index,
        ErrorCode.NONE,
        appended.base_offset,
        appended.timestamp_ms if has_time else -1,
        log.log_start_offset,
    )


def _refusal(
    index: int, code: ErrorCode, log_start_offset: int = -1, message: str | None = None
) -> PartitionProduceResponse:
    return PartitionProduceResponse(
        index, code, base_offset=-1, log_start_offset=log_start_offset, error_message=message
    )


def _refused_batch(
    index: int, refused: BatchRefused, done: Produced, log_start_offset: int = -1
) -> PartitionProduceResponse:
    response = _refusal(index, refused.code, log_start_offset if refused.checked else -1, refused.message)
    response.record_errors = [
        BatchIndexAndErrorMessage(error.batch_index, error.message)
        for error in refused.record_errors[: done.errors_left]
    ]
    done.errors_left -= len(response.record_errors)
    return response


def _shown(topic: str | bytes) -> str:
    return short(topic) if isinstance(topic, str) else topic.hex()


def _no_response(done: Produced) -> NoResponse:
    """Send no response, as acks=0 requests. The client learns of an error because the connection closes."""
    for (topic, index), response in done.responses.items():
        if response.error_code:
            code = ErrorCode(response.error_code).name
            raise CloseConnection(f"produce with acks=0 to {_shown(topic)}-{index} was refused: {code}")
    return NO_RESPONSE


async def _response(done: Produced, version: int, turns: Turns) -> ProduceResponse:
    by_topic_id = version >= FIRST_VERSION_WITH_TOPIC_IDS
    topics: dict[str | bytes, TopicProduceResponse] = {}
    async for (topic, _), response in each(done.responses.items(), turns):
        of_topic = topics.get(topic)
        if of_topic is None:
            of_topic = topics[topic] = TopicProduceResponse()
            if by_topic_id:
                assert isinstance(topic, bytes)
                of_topic.topic_id = topic
            else:
                assert isinstance(topic, str)
                of_topic.name = topic
        of_topic.partition_responses.append(response)
    return ProduceResponse(list(topics.values()))
