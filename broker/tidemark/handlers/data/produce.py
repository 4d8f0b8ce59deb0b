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
from tidemark.core.decision import NO_RESPONSE, CloseConnection, NoResponse
from tidemark.core.log_text import short
from tidemark.handlers.data.partitions import check_leader, find_log
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.producers import NO_GUARD
from tidemark.turns import Turns, do_steps
from tidemark_protocol.batch import HEADER_BYTES, MAGIC, NO_PRODUCER_ID, TRANSACTIONAL
from tidemark_protocol.compression import Codec
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.produce import (
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    NodeEndpoint,
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

FIRST_VERSION_WITH_ENDPOINTS: Final = 10
FIRST_VERSION_WITH_TOPIC_IDS: Final = 13
NO_ACKNOWLEDGEMENT: Final = 0
ALL_IN_SYNC: Final = -1
ACKS: Final = (ALL_IN_SYNC, 0, 1)
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
# Errors of an append whose response lacks the log start offset.
WITHOUT_LOG_START: Final = (ErrorCode.RECORD_LIST_TOO_LARGE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
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
    moved         partitions that another node leads
    """

    responses: dict[Key, PartitionProduceResponse] = field(default_factory=dict)
    due: list[PartitionLog] = field(default_factory=list)
    guards: dict[tuple[str, int], int] = field(default_factory=dict)
    errors_left: int = RECORD_ERRORS_MAX
    moved: list[Key] = field(default_factory=list)


@log_api(ProduceRequest, versions=range(3, 14))
async def produce(logs: LogManager, ctx: Context, request: ProduceRequest) -> ProduceResponse | NoResponse:
    turns: Turns = ctx.turns
    by_topic_id = ctx.version >= FIRST_VERSION_WITH_TOPIC_IDS
    # If a partition is named twice, its last entry counts [4.3.1].
    requested: dict[Key, Bytes | None] = {}
    for number, topic in enumerate(request.topic_data):
        if number and turns.spend():
            await turns.rest()
        name = topic.topic_id if by_topic_id else topic.name
        for at, partition in enumerate(topic.partition_data):
            if at and turns.spend():
                await turns.rest()
            requested[name, partition.index] = partition.records

    is_transactional = False
    without_records: list[Key] = []
    for number, (key, data) in enumerate(requested.items()):
        if number and turns.spend():
            await turns.rest()
        if data is None:
            without_records.append(key)
        elif (
            len(data) >= HEADER_BYTES and data[MAGIC_AT] == MAGIC and data[ATTRIBUTES_LOW_AT] & TRANSACTIONAL
        ):
            is_transactional = True

    done = Produced()
    refused: KafkaError | None = None
    try:
        transactional_id = _transactional_id(ctx, request) if is_transactional else None
        if without_records and await _may_write_one(ctx, without_records):
            # Null records: Kafka never responds, and never reads the connection again [4.3.1].
            await asyncio.get_running_loop().create_future()
        if transactional_id is not None:
            await _verify(logs, ctx, transactional_id, requested, done)
    except KafkaError as error:
        refused = error

    responses = done.responses
    for number, (key, data) in enumerate(requested.items()):
        if number and turns.spend():
            await turns.rest()
        if refused is not None:
            responses[key] = _refusal(key[1], refused.code, message=refused.message)
        elif key not in responses:  # otherwise its transaction does not contain it
            responses[key] = await _append(logs, ctx, request.acks, key, data, done)
    if done.due:
        await logs.sync(done.due)
        await turns.pause()  # many requests may have waited for the same sync
    if request.acks == NO_ACKNOWLEDGEMENT:
        return _no_response(done)
    response = await _response(done, ctx.version, turns)
    if done.moved and ctx.version >= FIRST_VERSION_WITH_ENDPOINTS:
        _add_leaders(ctx, done, response)
    return response


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
    turns: Turns = ctx.turns
    for number, (key, data) in enumerate(requested.items()):
        if number and turns.spend():
            await turns.rest()
        try:
            name = _partition(ctx, key)[0].name
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


async def _may_write_one(ctx: Context, keys: list[Key]) -> bool:
    """Return whether the client may write to one of these partitions."""
    turns: Turns = ctx.turns
    for number, key in enumerate(keys):
        if number and turns.spend():
            await turns.rest()
        try:
            _partition(ctx, key)
        except KafkaError:
            continue
        return True
    return False


async def _append(
    logs: LogManager, ctx: Context, acks: int, key: Key, data: Bytes | None, done: Produced
) -> PartitionProduceResponse:
    """Check the records of one partition and append them. Return its part of the response."""
    index = key[1]
    try:
        topic, partition = _partition(ctx, key)
        if data is None:  # the topic was created since the records were looked for
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        name = topic.name
        header = sole_batch(data, ctx.version)
        if acks not in ACKS:
            raise KafkaError(ErrorCode.INVALID_REQUIRED_ACKS)
        traffic = logs.traffic.of(name)
        traffic.produce_requests += 1
        if topic.internal and ctx.client_id != ADMIN_CLIENT:
            raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION)
        if partition.leader != ctx.caller.node_id:
            check_leader(ctx, partition)
        log = find_log(logs, name, index)
    except KafkaError as refused:
        if refused.code is ErrorCode.NOT_LEADER_OR_FOLLOWER:
            done.moved.append(key)
        return _refusal(index, refused.code)
    except BatchRefused as refused:
        return _refused_batch(index, refused, done)

    leader_epoch = partition.leader_epoch
    rules: AppendRules = topic.prepared.get(AppendRules) or rules_of(ctx.cluster, topic)
    wall_ms = ctx.wall_ms
    try:
        if acks == ALL_IN_SYNC and len(partition.isr) < len(partition.replicas):
            _check_in_sync(ctx.cluster, topic, partition)
        steps = check_for_append(data, header, rules, wall_ms, f"{name}-{index}")
        batch = await do_steps(steps, ctx.turns, logs.workers)
        if log.closed:  # its topic was deleted while the batch was checked
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        if leader_epoch != partition.leader_epoch:
            done.moved.append(key)
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        appended = log.append(
            batch,
            leader_epoch=leader_epoch,
            now_ms=wall_ms,
            guard=done.guards.get((name, index), NO_GUARD) if done.guards else NO_GUARD,
            header=header,
        )
    except BatchRefused as refused:
        response = _refused_batch(index, refused, done, log.log_start_offset)
    except KafkaError as refused:
        response = _refusal(
            index, refused.code, -1 if refused.code in WITHOUT_LOG_START else log.log_start_offset
        )
    else:
        # The response to a duplicate has the first one's timestamp for any timestamp type of the topic
        # [4.3.1].
        has_time = rules.append_time or appended.duplicate
        response = PartitionProduceResponse(
            index,
            ErrorCode.NONE,
            appended.base_offset,
            appended.timestamp_ms if has_time else -1,
            log.log_start_offset,
        )
    if response.error_code == ErrorCode.NONE:
        traffic.messages_in += header.last_offset_delta + 1
        traffic.bytes_in += len(data)
    elif response.error_code not in EXPECTED:
        traffic.failed_produce_requests += 1
    if log.settings.waits_for_sync or log.flush_due(wall_ms):
        done.due.append(log)
    return response


def _check_in_sync(cluster: Cluster, topic: Topic, partition: Partition) -> None:
    """Raises KafkaError 19 if fewer replicas are in sync than the topic demands."""
    isr_min = min(cluster.topic_config(topic.name).min_insync_replicas, len(partition.replicas))
    if len(partition.isr) < isr_min:
        raise KafkaError(ErrorCode.NOT_ENOUGH_REPLICAS)


def _partition(ctx: Context, key: Key) -> tuple[Topic, Partition]:
    """Return a partition and its topic.

    Raises KafkaError if the partition does not exist or the client may not write to it.
    """
    requested, index = key
    cluster: Cluster = ctx.cluster
    topic: Topic | None
    if isinstance(requested, str):
        name, topic = requested, cluster.topics.get(requested)
    else:
        topic = cluster.topics_by_id.get(requested)
        if topic is None:
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_ID)
        name = topic.name
    if not ctx.allowed(Operation.WRITE, ResourceType.TOPIC, name):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    if topic is None or not 0 <= index < len(topic.partitions):
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return topic, topic.partitions[index]


def rules_of(cluster: Cluster, topic: Topic) -> AppendRules:
    """Return how batches of a topic are checked, and cache it with the topic until its settings change.

    The log itself refuses a batch that is larger than a segment.
    """
    config = cluster.topic_config(topic.name)
    rules = topic.prepared[AppendRules] = AppendRules(
        max_message_bytes=config.max_message_bytes,
        segment_bytes=NO_LIMIT,
        compacted=config.compacted,
        append_time=config.message_timestamp_type == "LogAppendTime",
        codec=None if config.compression_type == AS_PRODUCED else CODECS[config.compression_type],
        timestamp_before_max_ms=config.message_timestamp_before_max_ms,
        timestamp_after_max_ms=config.message_timestamp_after_max_ms,
        record_bytes_max=config.max_decompressed_message_bytes,
        level=_level(config),
    )
    return rules


def _level(config: TopicConfig) -> int | None:
    match CODECS.get(config.compression_type):
        case Codec.GZIP:
            return config.compression_gzip_level
        case Codec.LZ4:
            return config.compression_lz4_level
        case Codec.ZSTD:
            return config.compression_zstd_level
    return None


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
    for number, ((topic, _), response) in enumerate(done.responses.items()):
        if number and turns.spend():
            await turns.rest()
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


def _add_leaders(ctx: Context, done: Produced, response: ProduceResponse) -> None:
    """Name the leaders of partitions that moved, which saves the client a Metadata request (KIP-951)."""
    cluster: Cluster = ctx.cluster
    for key in done.moved:
        try:
            _, partition = _partition(ctx, key)
        except KafkaError:  # it was deleted meanwhile
            continue
        done.responses[key].current_leader = LeaderIdAndEpoch(partition.leader, partition.leader_epoch)
        leader = cluster.node(ctx, partition.leader)
        if leader is not None and (endpoint := NodeEndpoint(*leader)) not in response.node_endpoints:
            response.node_endpoints.append(endpoint)
