"""Produce: record batches go to the end of their logs. Each partition is taken or refused for itself.

v3    transactional_id; only magic 2 batches, one per partition
v5    log_start_offset
v7    zstd is allowed (KIP-110)
v8    record_errors and error_message (KIP-467)
v9    flexible
v10   current_leader and node_endpoints (KIP-951)
v11-12  transactions V2 (KIP-890); transactions are not served yet: 53
v13   topics by id (KIP-516)

Order of the checks [4.3.1]: transactions, topic id, authorization, existence, form of the bytes, acks,
internal topic, batch and records (`tidemark_protocol.produced`), the producer's sequence
(`PartitionLog.append`). The answer waits for the disk only where flush.messages or flush.ms make a sync due.
What takes long to look through is looked through in a worker thread, and a large request leaves turns of the
event loop to others; not under acks=0, whose client may be gone by then.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tidemark.coordinator.result import (
    NO_ANSWER,
    CloseConnection,
    Context,
    NoAnswer,
    Operation,
    ResourceType,
)
from tidemark.handlers.hosted import find_log, find_partition
from tidemark.handlers.routes import transfer
from tidemark.handlers.turns import NEW_LOG_BYTES, PARTITION_BYTES, TURN_BYTES, turn
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark_protocol.batch import (
    APPEND_TIME,
    HEADER_BYTES,
    MAGIC,
    TRANSACTIONAL,
    BatchHeader,
    LogRecord,
    build_batch,
    records,
)
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
    AppendRules,
    BatchRefused,
    Checked,
    check_for_append,
    sole_batch,
)
from tidemark_protocol.wire import Bytes

if TYPE_CHECKING:
    from tidemark.coordinator.cluster.model import Partition, Topic
    from tidemark.coordinator.cluster.state import Cluster
    from tidemark.coordinator.cluster.topic_settings import TopicConfig

FIRST_VERSION_WITH_TOPIC_IDS: Final = 13
NO_ACKNOWLEDGEMENT: Final = 0
ACKS: Final = (-1, 0, 1)
ADMIN_CLIENT: Final = "__admin_client"  # the one client id that Kafka lets write to its internal topics
MAGIC_AT: Final = 16
ATTRIBUTES_LOW_AT: Final = 22
# Above these a batch takes longer to look through (5 ms) than the event loop should wait for.
CHECKED_ON_LOOP_RECORDS_MAX: Final = 8 * 1024
CHECKED_ON_LOOP_BYTES_MAX: Final = 2 * 1024 * 1024
DECOMPRESSED_ON_LOOP_BYTES_MAX: Final = 256 * 1024
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
class Taking:
    """How one topic takes batches, and the level of what is compressed anew (None: the codec's own)."""

    rules: AppendRules
    level: int | None


@dataclass(slots=True)
class Produced:
    """The request's outcome so far: an answer per partition, and the logs whose sync is due."""

    answers: dict[Key, PartitionProduceResponse] = field(default_factory=dict)
    due: list[PartitionLog] = field(default_factory=list)


@transfer(ProduceRequest, versions=range(3, 14))
async def produce(logs: LogManager, ctx: Context, request: ProduceRequest) -> ProduceResponse | NoAnswer:
    asked = _asked(request, ctx.version)
    done = Produced()
    if any(_is_transactional(batch) for batch in asked.values() if batch is not None):
        for key in asked:
            done.answers[key] = _refusal(key[1], ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    elif any(data is None and _may_write(ctx, key) for key, data in asked.items()):
        # Null records: Kafka never answers, nor does it read on from the connection [4.3.1].
        await asyncio.get_running_loop().create_future()
    else:
        await _append_all(logs, ctx, request.acks, asked, done)
    if done.due:
        await _sync(done.due)
    if request.acks == NO_ACKNOWLEDGEMENT:
        return _no_answer(done)
    return _response(done, ctx.version)


def _asked(request: ProduceRequest, version: int) -> dict[Key, Bytes | None]:
    """A partition that is named twice takes what its last mention brings [4.3.1]."""
    by_topic_id = version >= FIRST_VERSION_WITH_TOPIC_IDS
    return {
        (topic.topic_id if by_topic_id else topic.name, partition.index): partition.records
        for topic in request.topic_data
        for partition in topic.partition_data
    }


def _is_transactional(data: Bytes) -> bool:
    return (
        len(data) >= HEADER_BYTES and data[MAGIC_AT] == MAGIC and data[ATTRIBUTES_LOW_AT] & TRANSACTIONAL != 0
    )


async def _append_all(
    logs: LogManager, ctx: Context, acks: int, asked: dict[Key, Bytes | None], done: Produced
) -> None:
    at_once = acks == NO_ACKNOWLEDGEMENT
    of_turn = TURN_BYTES
    for key, data in asked.items():
        if of_turn <= 0 and not at_once:
            await turn()
            of_turn = TURN_BYTES
        of_turn -= len(data or b"") + PARTITION_BYTES
        try:
            name, partition = _partition(ctx, key)
            assert data is not None
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
            done.answers[key] = _refusal(key[1], refused.code)
        except BatchRefused as refused:
            done.answers[key] = _refused_batch(key[1], refused)
        else:
            how = taking(ctx.cluster, topic)
            of_turn -= 0 if log.is_on_disk else NEW_LOG_BYTES
            answer = await _append(log, partition, how, data, header, ctx.wall_ms, at_once=at_once)
            if answer.error_code == ErrorCode.NONE:
                traffic.appended(header.last_offset_delta + 1, len(data))
            elif answer.error_code not in EXPECTED:
                traffic.failed_produce_requests += 1
            done.answers[key] = answer
            if log.settings.waits_for_sync or log.flush_due(ctx.wall_ms):
                done.due.append(log)


def _partition(ctx: Context, key: Key) -> tuple[str, Partition]:
    """The topic's name and the partition. KafkaError where there is none, or not for this client."""
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


def _topic_name(cluster: Cluster, asked: str | bytes) -> str:
    """KafkaError 100 for an id that no topic has."""
    if isinstance(asked, str):
        return asked
    topic = cluster.topics_by_id.get(asked)
    if topic is None:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_ID)
    return topic.name


def taking(cluster: Cluster, topic: Topic) -> Taking:
    """Kept with the topic until its settings change. What is larger than a segment is the log's to refuse."""
    known: Taking | None = topic.prepared.get(Taking)
    if known is None:
        config = cluster.topic_config(topic.name)
        codec = None if config.compression_type == AS_PRODUCED else CODECS[config.compression_type]
        rules = AppendRules(
            max_message_bytes=config.max_message_bytes,
            segment_bytes=NO_LIMIT,
            compacted=config.compacted,
            append_time=config.message_timestamp_type == "LogAppendTime",
            codec=codec,
            timestamp_before_max_ms=config.message_timestamp_before_max_ms,
            timestamp_after_max_ms=config.message_timestamp_after_max_ms,
        )
        known = topic.prepared[Taking] = Taking(rules, _level(config))
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


async def _append(
    log: PartitionLog,
    partition: Partition,
    topic: Taking,
    data: Bytes,
    header: BatchHeader,
    wall_ms: int,
    *,
    at_once: bool,
) -> PartitionProduceResponse:
    name = f"{log.topic}-{log.partition}"
    try:
        if at_once or not _takes_long(header):
            batch = _to_store(data, header, topic, wall_ms, name)
        else:
            loop = asyncio.get_running_loop()
            batch = await loop.run_in_executor(None, _to_store, data, header, topic, wall_ms, name)
            if log.closed:  # its topic was deleted meanwhile
                return _refusal(partition.index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        appended = log.append(batch, leader_epoch=partition.leader_epoch, now_ms=wall_ms)
    except BatchRefused as refused:
        return _refused_batch(partition.index, refused, log.log_start_offset)
    except KafkaError as refused:
        too_large = refused.code is ErrorCode.RECORD_LIST_TOO_LARGE
        return _refusal(partition.index, refused.code, -1 if too_large else log.log_start_offset)
    # A duplicate's answer tells the first one's timestamp whatever the topic's timestamp type [4.3.1].
    tells_time = topic.rules.append_time or appended.duplicate
    return PartitionProduceResponse(
        partition.index,
        ErrorCode.NONE,
        appended.base_offset,
        appended.timestamp_ms if tells_time else -1,
        log.log_start_offset,
    )


def _takes_long(header: BatchHeader) -> bool:
    return (
        header.count > CHECKED_ON_LOOP_RECORDS_MAX
        or header.size > CHECKED_ON_LOOP_BYTES_MAX
        or (header.compression != Codec.NONE and header.size > DECOMPRESSED_ON_LOOP_BYTES_MAX)
    )


def _to_store(data: Bytes, header: BatchHeader, topic: Taking, wall_ms: int, name: str) -> bytearray:
    """The batch as the log takes it; offset and leader epoch are the log's to stamp. Raises BatchRefused."""
    checked = check_for_append(data, header, topic.rules, wall_ms, name)
    if topic.rules.codec in (None, header.compression):
        return checked.stamped(data, 0, 0)
    return _reencoded(data, checked, topic)


def _reencoded(data: Bytes, checked: Checked, topic: Taking) -> bytearray:
    """The same records under the topic's compression.type, numbered from 0 as Kafka numbers them anew."""
    header = checked.header
    codec = topic.rules.codec
    assert codec is not None
    kept = [
        LogRecord(index, record.timestamp, record.key, record.value, record.headers)
        for index, record in enumerate(records(data, 0, header))
    ]
    batch = build_batch(
        kept,
        compression=codec,
        level=topic.level,
        attributes=APPEND_TIME if checked.append_time else 0,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        max_timestamp=checked.max_timestamp,
    )
    if len(batch) > topic.rules.max_message_bytes:
        raise BatchRefused(
            ErrorCode.MESSAGE_TOO_LARGE, f"{len(batch)} bytes under compression.type {codec.name}"
        )
    return bytearray(batch)


def _refusal(
    index: int, code: ErrorCode, log_start_offset: int = -1, message: str | None = None
) -> PartitionProduceResponse:
    return PartitionProduceResponse(
        index, code, base_offset=-1, log_start_offset=log_start_offset, error_message=message
    )


def _refused_batch(index: int, refused: BatchRefused, log_start_offset: int = -1) -> PartitionProduceResponse:
    answer = _refusal(index, refused.code, log_start_offset if refused.checked else -1, refused.message)
    answer.record_errors = [
        BatchIndexAndErrorMessage(error.batch_index, error.message) for error in refused.record_errors
    ]
    return answer


async def _sync(logs: list[PartitionLog]) -> None:
    """All at the same time, each in a thread."""
    loop = asyncio.get_running_loop()
    syncs = [loop.run_in_executor(None, _synced, log, log.log_end_offset) for log in logs]
    for log, sync in zip(logs, syncs, strict=True):
        synced = await sync
        if isinstance(synced, OSError):
            raise synced
        log.mark_synced(synced)


def _synced(log: PartitionLog, end: int) -> int | OSError:
    """A failure is a value: raised where nobody waits any more, as a broker stops, it would print a trace."""
    try:
        return log.sync(end)
    except OSError as error:
        return error


def _no_answer(done: Produced) -> NoAnswer:
    """acks=0: the client expects nothing; closing the connection is how it learns of an error."""
    refused = [(key, answer) for key, answer in done.answers.items() if answer.error_code]
    if refused:
        (topic, index), answer = refused[0]
        raise CloseConnection(
            f"produce with acks=0 to {topic!r}-{index} was refused: {ErrorCode(answer.error_code).name}"
        )
    return NO_ANSWER


def _response(done: Produced, version: int) -> ProduceResponse:
    by_topic_id = version >= FIRST_VERSION_WITH_TOPIC_IDS
    topics: dict[str | bytes, TopicProduceResponse] = {}
    for (topic, _), answer in done.answers.items():
        answered = topics.get(topic)
        if answered is None:
            answered = TopicProduceResponse()
            if by_topic_id:
                assert isinstance(topic, bytes)
                answered.topic_id = topic
            else:
                assert isinstance(topic, str)
                answered.name = topic
            topics[topic] = answered
        answered.partition_responses.append(answer)
    return ProduceResponse(list(topics.values()))
