# Generated from schemas/messages/FetchRequest.json and schemas/messages/FetchResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Bytes, Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, check_count, null, past_end, read_length,
    read_tag_count, read_text_length, read_uvarint, skip_tag, skip_tags, skip_tags_within, too_many,
    too_short, unfit, write_tags, write_text_length, write_uvarint, wrong_count,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ihi = struct.Struct(">ihi")
_read_ihi = _ihi.unpack_from
_write_ihi = _ihi.pack
_ihqq = struct.Struct(">ihqq")
_read_ihqq = _ihqq.unpack_from
_write_ihqq = _ihqq.pack
_ihqqq = struct.Struct(">ihqqq")
_read_ihqqq = _ihqqq.unpack_from
_write_ihqqq = _ihqqq.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack
_iiibii = struct.Struct(">iiibii")
_read_iiibii = _iiibii.unpack_from
_write_iiibii = _iiibii.pack
_iiiib = struct.Struct(">iiiib")
_read_iiiib = _iiiib.unpack_from
_write_iiiib = _iiiib.pack
_iiiibii = struct.Struct(">iiiibii")
_read_iiiibii = _iiiibii.unpack_from
_write_iiiibii = _iiiibii.pack
_iiqiqi = struct.Struct(">iiqiqi")
_read_iiqiqi = _iiqiqi.unpack_from
_write_iiqiqi = _iiqiqi.pack
_iiqqi = struct.Struct(">iiqqi")
_read_iiqqi = _iiqqi.unpack_from
_write_iiqqi = _iiqqi.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack
_iqi = struct.Struct(">iqi")
_read_iqi = _iqi.unpack_from
_write_iqi = _iqi.pack
_iqqi = struct.Struct(">iqqi")
_read_iqqi = _iqqi.unpack_from
_write_iqqi = _iqqi.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack
_qi = struct.Struct(">qi")
_read_qi = _qi.unpack_from
_write_qi = _qi.pack
_qq = struct.Struct(">qq")
_read_qq = _qq.unpack_from
_write_qq = _qq.pack


class ReplicaState(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ReplicaId", "replica_id", "int32", None),
        ("ReplicaEpoch", "replica_epoch", "int64", None),
    )
    replica_id: int = -1
    replica_epoch: int = -1


class FetchPartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Partition", "partition", "int32", None),
        ("CurrentLeaderEpoch", "current_leader_epoch", "int32", None),
        ("FetchOffset", "fetch_offset", "int64", None),
        ("LastFetchedEpoch", "last_fetched_epoch", "int32", None),
        ("LogStartOffset", "log_start_offset", "int64", None),
        ("PartitionMaxBytes", "partition_max_bytes", "int32", None),
        ("ReplicaDirectoryId", "replica_directory_id", "uuid", None),
        ("HighWatermark", "high_watermark", "int64", None),
    )
    partition: int = 0
    current_leader_epoch: int = -1
    fetch_offset: int = 0
    last_fetched_epoch: int = -1
    log_start_offset: int = -1
    partition_max_bytes: int = 0
    replica_directory_id: bytes = ZERO_UUID
    high_watermark: int = 9223372036854775807


class FetchTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topic", "topic", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", FetchPartition),
    )
    topic: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[FetchPartition] = []


class ForgottenTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topic", "topic", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    topic: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []


class FetchRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ClusterId", "cluster_id", "string", None),
        ("ReplicaId", "replica_id", "int32", None),
        ("ReplicaState", "replica_state", "tagged struct", ReplicaState),
        ("MaxWaitMs", "max_wait_ms", "int32", None),
        ("MinBytes", "min_bytes", "int32", None),
        ("MaxBytes", "max_bytes", "int32", None),
        ("IsolationLevel", "isolation_level", "int8", None),
        ("SessionId", "session_id", "int32", None),
        ("SessionEpoch", "session_epoch", "int32", None),
        ("Topics", "topics", "[]struct", FetchTopic),
        ("ForgottenTopicsData", "forgotten_topics_data", "[]struct", ForgottenTopic),
        ("RackId", "rack_id", "string", None),
    )
    NAME: ClassVar = "FetchRequest"
    API_KEY: ClassVar = 1
    LOWEST: ClassVar = 4
    HIGHEST: ClassVar = 18
    FLEXIBLE_FROM: ClassVar = 12
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    cluster_id: str | None = None
    replica_id: int = -1
    replica_state: ReplicaState | None = None
    max_wait_ms: int = 0
    min_bytes: int = 0
    max_bytes: int = 2147483647
    isolation_level: int = 0
    session_id: int = 0
    session_epoch: int = -1
    topics: list[FetchTopic] = []
    forgotten_topics_data: list[ForgottenTopic] = []
    rack_id: str = ""


class EpochEndOffset(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Epoch", "epoch", "int32", None),
        ("EndOffset", "end_offset", "int64", None),
    )
    epoch: int = -1
    end_offset: int = -1


class LeaderIdAndEpoch(Struct, gc=False):
    FIELDS: ClassVar = (
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
    )
    leader_id: int = -1
    leader_epoch: int = -1


class SnapshotId(Struct, gc=False):
    FIELDS: ClassVar = (
        ("EndOffset", "end_offset", "int64", None),
        ("Epoch", "epoch", "int32", None),
    )
    end_offset: int = -1
    epoch: int = -1


class AbortedTransaction(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ProducerId", "producer_id", "int64", None),
        ("FirstOffset", "first_offset", "int64", None),
    )
    producer_id: int = 0
    first_offset: int = 0


class PartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("HighWatermark", "high_watermark", "int64", None),
        ("LastStableOffset", "last_stable_offset", "int64", None),
        ("LogStartOffset", "log_start_offset", "int64", None),
        ("DivergingEpoch", "diverging_epoch", "tagged struct", EpochEndOffset),
        ("CurrentLeader", "current_leader", "tagged struct", LeaderIdAndEpoch),
        ("SnapshotId", "snapshot_id", "tagged struct", SnapshotId),
        ("AbortedTransactions", "aborted_transactions", "[]struct", AbortedTransaction),
        ("PreferredReadReplica", "preferred_read_replica", "int32", None),
        ("Records", "records", "records", None),
    )
    partition_index: int = 0
    error_code: int = 0
    high_watermark: int = 0
    last_stable_offset: int = -1
    log_start_offset: int = -1
    diverging_epoch: EpochEndOffset | None = None
    current_leader: LeaderIdAndEpoch | None = None
    snapshot_id: SnapshotId | None = None
    aborted_transactions: list[AbortedTransaction] | None = []
    preferred_read_replica: int = -1
    records: Bytes | None = b""


class FetchableTopicResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topic", "topic", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", PartitionData),
    )
    topic: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = []


class NodeEndpoint(Struct, gc=False):
    FIELDS: ClassVar = (
        ("NodeId", "node_id", "int32", None),
        ("Host", "host", "string", None),
        ("Port", "port", "int32", None),
        ("Rack", "rack", "string", None),
    )
    node_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None


class FetchResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("SessionId", "session_id", "int32", None),
        ("Responses", "responses", "[]struct", FetchableTopicResponse),
        ("NodeEndpoints", "node_endpoints", "[]struct", NodeEndpoint),
    )
    NAME: ClassVar = "FetchResponse"
    API_KEY: ClassVar = 1
    LOWEST: ClassVar = 4
    HIGHEST: ClassVar = 18
    FLEXIBLE_FROM: ClassVar = 12
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    session_id: int = 0
    responses: list[FetchableTopicResponse] = []
    node_endpoints: list[NodeEndpoint] = []


def decode_fetch_request_v4(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FetchRequest, int]:
    try:
        replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level = _read_iiiib(buf, pos)
        pos += 17
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_fetch_offset, topics_partitions_partition_max_bytes = _read_iqi(buf, pos)
                pos += 16
                topics_partitions.append(FetchPartition(topics_partitions_partition, -1, topics_partitions_fetch_offset, -1, -1, topics_partitions_partition_max_bytes))
            topics.append(FetchTopic(topics_topic, ZERO_UUID, topics_partitions))
        message = FetchRequest(None, replica_id, None, max_wait_ms, min_bytes, max_bytes, isolation_level, 0, -1, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_request_v4(out: bytearray, m: FetchRequest) -> None:
    try:
        out += _write_iiiib(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.topic.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iqi(topics_partitions_item.partition, topics_partitions_item.fetch_offset, topics_partitions_item.partition_max_bytes)
    except UNFIT as error:
        raise unfit("FetchRequest", error) from error


def decode_fetch_request_v5_v6(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FetchRequest, int]:
    try:
        replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level = _read_iiiib(buf, pos)
        pos += 17
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_fetch_offset, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iqqi(buf, pos)
                pos += 24
                topics_partitions.append(FetchPartition(topics_partitions_partition, -1, topics_partitions_fetch_offset, -1, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes))
            topics.append(FetchTopic(topics_topic, ZERO_UUID, topics_partitions))
        message = FetchRequest(None, replica_id, None, max_wait_ms, min_bytes, max_bytes, isolation_level, 0, -1, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_request_v5_v6(out: bytearray, m: FetchRequest) -> None:
    try:
        out += _write_iiiib(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.topic.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iqqi(topics_partitions_item.partition, topics_partitions_item.fetch_offset, topics_partitions_item.log_start_offset, topics_partitions_item.partition_max_bytes)
    except UNFIT as error:
        raise unfit("FetchRequest", error) from error


def decode_fetch_request_v7_v8(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FetchRequest, int]:
    try:
        replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiiibii(buf, pos)
        pos += 25
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_fetch_offset, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iqqi(buf, pos)
                pos += 24
                topics_partitions.append(FetchPartition(topics_partitions_partition, -1, topics_partitions_fetch_offset, -1, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes))
            topics.append(FetchTopic(topics_topic, ZERO_UUID, topics_partitions))
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("ForgottenTopicsData", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            forgotten_topics_data_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            forgotten_topics_data.append(ForgottenTopic(forgotten_topics_data_topic, ZERO_UUID, forgotten_topics_data_partitions))
        message = FetchRequest(None, replica_id, None, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_request_v7_v8(out: bytearray, m: FetchRequest) -> None:
    try:
        out += _write_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.topic.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iqqi(topics_partitions_item.partition, topics_partitions_item.fetch_offset, topics_partitions_item.log_start_offset, topics_partitions_item.partition_max_bytes)
        forgotten_topics_data = m.forgotten_topics_data
        out += _write_i(len(forgotten_topics_data))
        for forgotten_topics_data_item in forgotten_topics_data:
            text = forgotten_topics_data_item.topic.encode()
            out += _write_h(len(text))
            out += text
            forgotten_topics_data_partitions = forgotten_topics_data_item.partitions
            out += _write_i(len(forgotten_topics_data_partitions))
            out += struct.pack(f">{len(forgotten_topics_data_partitions)}i", *forgotten_topics_data_partitions)
    except UNFIT as error:
        raise unfit("FetchRequest", error) from error


def decode_fetch_request_v9_v10(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FetchRequest, int]:
    try:
        replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiiibii(buf, pos)
        pos += 25
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iiqqi(buf, pos)
                pos += 28
                topics_partitions.append(FetchPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, -1, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes))
            topics.append(FetchTopic(topics_topic, ZERO_UUID, topics_partitions))
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("ForgottenTopicsData", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            forgotten_topics_data_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            forgotten_topics_data.append(ForgottenTopic(forgotten_topics_data_topic, ZERO_UUID, forgotten_topics_data_partitions))
        message = FetchRequest(None, replica_id, None, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_request_v9_v10(out: bytearray, m: FetchRequest) -> None:
    try:
        out += _write_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.topic.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iiqqi(topics_partitions_item.partition, topics_partitions_item.current_leader_epoch, topics_partitions_item.fetch_offset, topics_partitions_item.log_start_offset, topics_partitions_item.partition_max_bytes)
        forgotten_topics_data = m.forgotten_topics_data
        out += _write_i(len(forgotten_topics_data))
        for forgotten_topics_data_item in forgotten_topics_data:
            text = forgotten_topics_data_item.topic.encode()
            out += _write_h(len(text))
            out += text
            forgotten_topics_data_partitions = forgotten_topics_data_item.partitions
            out += _write_i(len(forgotten_topics_data_partitions))
            out += struct.pack(f">{len(forgotten_topics_data_partitions)}i", *forgotten_topics_data_partitions)
    except UNFIT as error:
        raise unfit("FetchRequest", error) from error


def decode_fetch_request_v11(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FetchRequest, int]:
    try:
        replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiiibii(buf, pos)
        pos += 25
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iiqqi(buf, pos)
                pos += 28
                topics_partitions.append(FetchPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, -1, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes))
            topics.append(FetchTopic(topics_topic, ZERO_UUID, topics_partitions))
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("ForgottenTopicsData", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            forgotten_topics_data_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            forgotten_topics_data.append(ForgottenTopic(forgotten_topics_data_topic, ZERO_UUID, forgotten_topics_data_partitions))
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("RackId")
        rack_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = FetchRequest(None, replica_id, None, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_request_v11(out: bytearray, m: FetchRequest) -> None:
    try:
        out += _write_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.topic.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iiqqi(topics_partitions_item.partition, topics_partitions_item.current_leader_epoch, topics_partitions_item.fetch_offset, topics_partitions_item.log_start_offset, topics_partitions_item.partition_max_bytes)
        forgotten_topics_data = m.forgotten_topics_data
        out += _write_i(len(forgotten_topics_data))
        for forgotten_topics_data_item in forgotten_topics_data:
            text = forgotten_topics_data_item.topic.encode()
            out += _write_h(len(text))
            out += text
            forgotten_topics_data_partitions = forgotten_topics_data_item.partitions
            out += _write_i(len(forgotten_topics_data_partitions))
            out += struct.pack(f">{len(forgotten_topics_data_partitions)}i", *forgotten_topics_data_partitions)
        text = m.rack_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("FetchRequest", error) from error


def decode_fetch_request_v12(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FetchRequest, int]:
    try:
        replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiiibii(buf, pos)
        pos += 25
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Topic")
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iiqiqi(buf, pos)
                pos += 32
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(FetchPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(FetchTopic(topics_topic, ZERO_UUID, topics_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ForgottenTopicsData", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Topic")
            if n < 0:
                raise null("Topic")
            forgotten_topics_data_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            forgotten_topics_data.append(ForgottenTopic(forgotten_topics_data_topic, ZERO_UUID, forgotten_topics_data_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "RackId")
        if n < 0:
            raise null("RackId")
        rack_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        cluster_id: str | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            left -= tag_count
            if left < 0:
                raise too_many()
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "ClusterId")
                    cluster_id = None
                    if n >= 0:
                        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                else:
                    pos = skip_tag(buf, pos, end)
        message = FetchRequest(cluster_id, replica_id, None, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_request_v12(out: bytearray, m: FetchRequest) -> None:
    try:
        out += _write_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            text = topics_item.topic.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Topic")
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_iiqiqi(topics_partitions_item.partition, topics_partitions_item.current_leader_epoch, topics_partitions_item.fetch_offset, topics_partitions_item.last_fetched_epoch, topics_partitions_item.log_start_offset, topics_partitions_item.partition_max_bytes)
                out.append(0)
            out.append(0)
        forgotten_topics_data = m.forgotten_topics_data
        n = len(forgotten_topics_data) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for forgotten_topics_data_item in forgotten_topics_data:
            text = forgotten_topics_data_item.topic.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Topic")
            out += text
            forgotten_topics_data_partitions = forgotten_topics_data_item.partitions
            n = len(forgotten_topics_data_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(forgotten_topics_data_partitions)}i", *forgotten_topics_data_partitions)
            out.append(0)
        text = m.rack_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "RackId")
        out += text
        tags: list[tuple[int, bytearray]] = []
        if m.cluster_id is not None:
            outer = out
            out = bytearray()
            cluster_id = m.cluster_id
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ClusterId")
            out += text
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("FetchRequest", error) from error


def decode_fetch_request_v13_v14(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FetchRequest, int]:
    try:
        replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiiibii(buf, pos)
        pos += 25
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iiqiqi(buf, pos)
                pos += 32
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(FetchPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(FetchTopic("", topics_topic_id, topics_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ForgottenTopicsData", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            forgotten_topics_data_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            forgotten_topics_data.append(ForgottenTopic("", forgotten_topics_data_topic_id, forgotten_topics_data_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "RackId")
        if n < 0:
            raise null("RackId")
        rack_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        cluster_id: str | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            left -= tag_count
            if left < 0:
                raise too_many()
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "ClusterId")
                    cluster_id = None
                    if n >= 0:
                        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                else:
                    pos = skip_tag(buf, pos, end)
        message = FetchRequest(cluster_id, replica_id, None, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_request_v13_v14(out: bytearray, m: FetchRequest) -> None:
    try:
        out += _write_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_u(topics_item.topic_id)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_iiqiqi(topics_partitions_item.partition, topics_partitions_item.current_leader_epoch, topics_partitions_item.fetch_offset, topics_partitions_item.last_fetched_epoch, topics_partitions_item.log_start_offset, topics_partitions_item.partition_max_bytes)
                out.append(0)
            out.append(0)
        forgotten_topics_data = m.forgotten_topics_data
        n = len(forgotten_topics_data) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for forgotten_topics_data_item in forgotten_topics_data:
            out += _write_u(forgotten_topics_data_item.topic_id)
            forgotten_topics_data_partitions = forgotten_topics_data_item.partitions
            n = len(forgotten_topics_data_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(forgotten_topics_data_partitions)}i", *forgotten_topics_data_partitions)
            out.append(0)
        text = m.rack_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "RackId")
        out += text
        tags: list[tuple[int, bytearray]] = []
        if m.cluster_id is not None:
            outer = out
            out = bytearray()
            cluster_id = m.cluster_id
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ClusterId")
            out += text
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("FetchRequest", error) from error


def decode_fetch_request_v15_v16(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FetchRequest, int]:
    try:
        max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiibii(buf, pos)
        pos += 21
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iiqiqi(buf, pos)
                pos += 32
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(FetchPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(FetchTopic("", topics_topic_id, topics_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ForgottenTopicsData", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            forgotten_topics_data_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            forgotten_topics_data.append(ForgottenTopic("", forgotten_topics_data_topic_id, forgotten_topics_data_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "RackId")
        if n < 0:
            raise null("RackId")
        rack_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        cluster_id: str | None = None
        replica_state: ReplicaState | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            left -= tag_count
            if left < 0:
                raise too_many()
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "ClusterId")
                    cluster_id = None
                    if n >= 0:
                        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    replica_state_replica_id, replica_state_replica_epoch = _read_iq(buf, pos)
                    pos += 12
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    replica_state = ReplicaState(replica_state_replica_id, replica_state_replica_epoch)
                else:
                    pos = skip_tag(buf, pos, end)
        message = FetchRequest(cluster_id, -1, replica_state, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_request_v15_v16(out: bytearray, m: FetchRequest) -> None:
    try:
        out += _write_iiibii(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_u(topics_item.topic_id)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_iiqiqi(topics_partitions_item.partition, topics_partitions_item.current_leader_epoch, topics_partitions_item.fetch_offset, topics_partitions_item.last_fetched_epoch, topics_partitions_item.log_start_offset, topics_partitions_item.partition_max_bytes)
                out.append(0)
            out.append(0)
        forgotten_topics_data = m.forgotten_topics_data
        n = len(forgotten_topics_data) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for forgotten_topics_data_item in forgotten_topics_data:
            out += _write_u(forgotten_topics_data_item.topic_id)
            forgotten_topics_data_partitions = forgotten_topics_data_item.partitions
            n = len(forgotten_topics_data_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(forgotten_topics_data_partitions)}i", *forgotten_topics_data_partitions)
            out.append(0)
        text = m.rack_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "RackId")
        out += text
        tags: list[tuple[int, bytearray]] = []
        if m.cluster_id is not None:
            outer = out
            out = bytearray()
            cluster_id = m.cluster_id
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ClusterId")
            out += text
            tags.append((0, out))
            out = outer
        if m.replica_state is not None and m.replica_state != ReplicaState():
            outer = out
            out = bytearray()
            replica_state = m.replica_state
            if replica_state is None:
                raise null("ReplicaState")
            out += _write_iq(replica_state.replica_id, replica_state.replica_epoch)
            out.append(0)
            tags.append((1, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("FetchRequest", error) from error


def decode_fetch_request_v17(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FetchRequest, int]:
    try:
        max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiibii(buf, pos)
        pos += 21
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iiqiqi(buf, pos)
                pos += 32
                topics_partitions_replica_directory_id: bytes = ZERO_UUID
                topics_partitions_tag_count = buf[pos]
                pos += 1
                if topics_partitions_tag_count:
                    topics_partitions_tag_count, pos = read_tag_count(buf, pos - 1, end)
                    left -= topics_partitions_tag_count
                    if left < 0:
                        raise too_many()
                    for _ in range(topics_partitions_tag_count):
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            topics_partitions_replica_directory_id, = _read_u(buf, pos)
                            pos += 16
                        else:
                            pos = skip_tag(buf, pos, end)
                topics_partitions.append(FetchPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes, topics_partitions_replica_directory_id))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(FetchTopic("", topics_topic_id, topics_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ForgottenTopicsData", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            forgotten_topics_data_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            forgotten_topics_data.append(ForgottenTopic("", forgotten_topics_data_topic_id, forgotten_topics_data_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "RackId")
        if n < 0:
            raise null("RackId")
        rack_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        cluster_id: str | None = None
        replica_state: ReplicaState | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            left -= tag_count
            if left < 0:
                raise too_many()
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "ClusterId")
                    cluster_id = None
                    if n >= 0:
                        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    replica_state_replica_id, replica_state_replica_epoch = _read_iq(buf, pos)
                    pos += 12
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    replica_state = ReplicaState(replica_state_replica_id, replica_state_replica_epoch)
                else:
                    pos = skip_tag(buf, pos, end)
        message = FetchRequest(cluster_id, -1, replica_state, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_request_v17(out: bytearray, m: FetchRequest) -> None:
    try:
        out += _write_iiibii(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_u(topics_item.topic_id)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_iiqiqi(topics_partitions_item.partition, topics_partitions_item.current_leader_epoch, topics_partitions_item.fetch_offset, topics_partitions_item.last_fetched_epoch, topics_partitions_item.log_start_offset, topics_partitions_item.partition_max_bytes)
                topics_partitions_tags: list[tuple[int, bytearray]] = []
                if topics_partitions_item.replica_directory_id != ZERO_UUID:
                    topics_partitions_outer = out
                    out = bytearray()
                    out += _write_u(topics_partitions_item.replica_directory_id)
                    topics_partitions_tags.append((0, out))
                    out = topics_partitions_outer
                write_tags(out, topics_partitions_tags)
            out.append(0)
        forgotten_topics_data = m.forgotten_topics_data
        n = len(forgotten_topics_data) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for forgotten_topics_data_item in forgotten_topics_data:
            out += _write_u(forgotten_topics_data_item.topic_id)
            forgotten_topics_data_partitions = forgotten_topics_data_item.partitions
            n = len(forgotten_topics_data_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(forgotten_topics_data_partitions)}i", *forgotten_topics_data_partitions)
            out.append(0)
        text = m.rack_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "RackId")
        out += text
        tags: list[tuple[int, bytearray]] = []
        if m.cluster_id is not None:
            outer = out
            out = bytearray()
            cluster_id = m.cluster_id
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ClusterId")
            out += text
            tags.append((0, out))
            out = outer
        if m.replica_state is not None and m.replica_state != ReplicaState():
            outer = out
            out = bytearray()
            replica_state = m.replica_state
            if replica_state is None:
                raise null("ReplicaState")
            out += _write_iq(replica_state.replica_id, replica_state.replica_epoch)
            out.append(0)
            tags.append((1, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("FetchRequest", error) from error


def decode_fetch_request_v18(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FetchRequest, int]:
    try:
        max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiibii(buf, pos)
        pos += 21
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iiqiqi(buf, pos)
                pos += 32
                topics_partitions_replica_directory_id: bytes = ZERO_UUID
                topics_partitions_high_watermark: int = 9223372036854775807
                topics_partitions_tag_count = buf[pos]
                pos += 1
                if topics_partitions_tag_count:
                    topics_partitions_tag_count, pos = read_tag_count(buf, pos - 1, end)
                    left -= topics_partitions_tag_count
                    if left < 0:
                        raise too_many()
                    for _ in range(topics_partitions_tag_count):
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            topics_partitions_replica_directory_id, = _read_u(buf, pos)
                            pos += 16
                        elif tag == 1:
                            _, pos = read_uvarint(buf, pos)
                            topics_partitions_high_watermark, = _read_q(buf, pos)
                            pos += 8
                        else:
                            pos = skip_tag(buf, pos, end)
                topics_partitions.append(FetchPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes, topics_partitions_replica_directory_id, topics_partitions_high_watermark))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(FetchTopic("", topics_topic_id, topics_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ForgottenTopicsData", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            forgotten_topics_data_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            forgotten_topics_data.append(ForgottenTopic("", forgotten_topics_data_topic_id, forgotten_topics_data_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "RackId")
        if n < 0:
            raise null("RackId")
        rack_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        cluster_id: str | None = None
        replica_state: ReplicaState | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            left -= tag_count
            if left < 0:
                raise too_many()
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "ClusterId")
                    cluster_id = None
                    if n >= 0:
                        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    replica_state_replica_id, replica_state_replica_epoch = _read_iq(buf, pos)
                    pos += 12
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    replica_state = ReplicaState(replica_state_replica_id, replica_state_replica_epoch)
                else:
                    pos = skip_tag(buf, pos, end)
        message = FetchRequest(cluster_id, -1, replica_state, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_request_v18(out: bytearray, m: FetchRequest) -> None:
    try:
        out += _write_iiibii(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_u(topics_item.topic_id)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_iiqiqi(topics_partitions_item.partition, topics_partitions_item.current_leader_epoch, topics_partitions_item.fetch_offset, topics_partitions_item.last_fetched_epoch, topics_partitions_item.log_start_offset, topics_partitions_item.partition_max_bytes)
                topics_partitions_tags: list[tuple[int, bytearray]] = []
                if topics_partitions_item.replica_directory_id != ZERO_UUID:
                    topics_partitions_outer = out
                    out = bytearray()
                    out += _write_u(topics_partitions_item.replica_directory_id)
                    topics_partitions_tags.append((0, out))
                    out = topics_partitions_outer
                if topics_partitions_item.high_watermark != 9223372036854775807:
                    topics_partitions_outer = out
                    out = bytearray()
                    out += _write_q(topics_partitions_item.high_watermark)
                    topics_partitions_tags.append((1, out))
                    out = topics_partitions_outer
                write_tags(out, topics_partitions_tags)
            out.append(0)
        forgotten_topics_data = m.forgotten_topics_data
        n = len(forgotten_topics_data) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for forgotten_topics_data_item in forgotten_topics_data:
            out += _write_u(forgotten_topics_data_item.topic_id)
            forgotten_topics_data_partitions = forgotten_topics_data_item.partitions
            n = len(forgotten_topics_data_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(forgotten_topics_data_partitions)}i", *forgotten_topics_data_partitions)
            out.append(0)
        text = m.rack_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "RackId")
        out += text
        tags: list[tuple[int, bytearray]] = []
        if m.cluster_id is not None:
            outer = out
            out = bytearray()
            cluster_id = m.cluster_id
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ClusterId")
            out += text
            tags.append((0, out))
            out = outer
        if m.replica_state is not None and m.replica_state != ReplicaState():
            outer = out
            out = bytearray()
            replica_state = m.replica_state
            if replica_state is None:
                raise null("ReplicaState")
            out += _write_iq(replica_state.replica_id, replica_state.replica_epoch)
            out.append(0)
            tags.append((1, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("FetchRequest", error) from error

FetchRequest.DECODERS = {
    4: decode_fetch_request_v4,
    5: decode_fetch_request_v5_v6, 6: decode_fetch_request_v5_v6,
    7: decode_fetch_request_v7_v8, 8: decode_fetch_request_v7_v8,
    9: decode_fetch_request_v9_v10, 10: decode_fetch_request_v9_v10,
    11: decode_fetch_request_v11,
    12: decode_fetch_request_v12,
    13: decode_fetch_request_v13_v14, 14: decode_fetch_request_v13_v14,
    15: decode_fetch_request_v15_v16, 16: decode_fetch_request_v15_v16,
    17: decode_fetch_request_v17,
    18: decode_fetch_request_v18,
}

FetchRequest.ENCODERS = {
    4: encode_fetch_request_v4,
    5: encode_fetch_request_v5_v6, 6: encode_fetch_request_v5_v6,
    7: encode_fetch_request_v7_v8, 8: encode_fetch_request_v7_v8,
    9: encode_fetch_request_v9_v10, 10: encode_fetch_request_v9_v10,
    11: encode_fetch_request_v11,
    12: encode_fetch_request_v12,
    13: encode_fetch_request_v13_v14, 14: encode_fetch_request_v13_v14,
    15: encode_fetch_request_v15_v16, 16: encode_fetch_request_v15_v16,
    17: encode_fetch_request_v17,
    18: encode_fetch_request_v18,
}



def decode_fetch_response_v4(buf: bytes, pos: int, end: int) -> tuple[FetchResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[FetchableTopicResponse] = []
        responses_count = n
        for _ in range(responses_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            responses_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            responses_partitions: list[PartitionData] = []
            responses_partitions_count = n
            for _ in range(responses_partitions_count):
                responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_high_watermark, responses_partitions_last_stable_offset = _read_ihqq(buf, pos)
                pos += 22
                n = _read_i(buf, pos)[0]
                pos += 4
                responses_partitions_aborted_transactions: list[AbortedTransaction] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    responses_partitions_aborted_transactions_list: list[AbortedTransaction] = []
                    responses_partitions_aborted_transactions_count = n
                    for _ in range(responses_partitions_aborted_transactions_count):
                        responses_partitions_aborted_transactions_producer_id, responses_partitions_aborted_transactions_first_offset = _read_qq(buf, pos)
                        pos += 16
                        responses_partitions_aborted_transactions_list.append(AbortedTransaction(responses_partitions_aborted_transactions_producer_id, responses_partitions_aborted_transactions_first_offset))
                    responses_partitions_aborted_transactions = responses_partitions_aborted_transactions_list
                n = _read_i(buf, pos)[0]
                pos += 4
                responses_partitions_records: Bytes | None = None
                if n >= 0:
                    responses_partitions_records = memoryview(buf)[pos : pos + n]
                    pos += n
                responses_partitions.append(PartitionData(responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_high_watermark, responses_partitions_last_stable_offset, -1, None, None, None, responses_partitions_aborted_transactions, -1, responses_partitions_records))
            responses.append(FetchableTopicResponse(responses_topic, ZERO_UUID, responses_partitions))
        message = FetchResponse(throttle_time_ms, 0, 0, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_response_v4(out: bytearray, m: FetchResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            text = responses_item.topic.encode()
            out += _write_h(len(text))
            out += text
            responses_partitions = responses_item.partitions
            out += _write_i(len(responses_partitions))
            for responses_partitions_item in responses_partitions:
                out += _write_ihqq(responses_partitions_item.partition_index, responses_partitions_item.error_code, responses_partitions_item.high_watermark, responses_partitions_item.last_stable_offset)
                responses_partitions_aborted_transactions = responses_partitions_item.aborted_transactions
                if responses_partitions_aborted_transactions is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_aborted_transactions))
                    for responses_partitions_aborted_transactions_item in responses_partitions_aborted_transactions:
                        out += _write_qq(responses_partitions_aborted_transactions_item.producer_id, responses_partitions_aborted_transactions_item.first_offset)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_records))
                    out += responses_partitions_records
    except UNFIT as error:
        raise unfit("FetchResponse", error) from error


def decode_fetch_response_v5_v6(buf: bytes, pos: int, end: int) -> tuple[FetchResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[FetchableTopicResponse] = []
        responses_count = n
        for _ in range(responses_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            responses_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            responses_partitions: list[PartitionData] = []
            responses_partitions_count = n
            for _ in range(responses_partitions_count):
                responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_high_watermark, responses_partitions_last_stable_offset, responses_partitions_log_start_offset = _read_ihqqq(buf, pos)
                pos += 30
                n = _read_i(buf, pos)[0]
                pos += 4
                responses_partitions_aborted_transactions: list[AbortedTransaction] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    responses_partitions_aborted_transactions_list: list[AbortedTransaction] = []
                    responses_partitions_aborted_transactions_count = n
                    for _ in range(responses_partitions_aborted_transactions_count):
                        responses_partitions_aborted_transactions_producer_id, responses_partitions_aborted_transactions_first_offset = _read_qq(buf, pos)
                        pos += 16
                        responses_partitions_aborted_transactions_list.append(AbortedTransaction(responses_partitions_aborted_transactions_producer_id, responses_partitions_aborted_transactions_first_offset))
                    responses_partitions_aborted_transactions = responses_partitions_aborted_transactions_list
                n = _read_i(buf, pos)[0]
                pos += 4
                responses_partitions_records: Bytes | None = None
                if n >= 0:
                    responses_partitions_records = memoryview(buf)[pos : pos + n]
                    pos += n
                responses_partitions.append(PartitionData(responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_high_watermark, responses_partitions_last_stable_offset, responses_partitions_log_start_offset, None, None, None, responses_partitions_aborted_transactions, -1, responses_partitions_records))
            responses.append(FetchableTopicResponse(responses_topic, ZERO_UUID, responses_partitions))
        message = FetchResponse(throttle_time_ms, 0, 0, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_response_v5_v6(out: bytearray, m: FetchResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            text = responses_item.topic.encode()
            out += _write_h(len(text))
            out += text
            responses_partitions = responses_item.partitions
            out += _write_i(len(responses_partitions))
            for responses_partitions_item in responses_partitions:
                out += _write_ihqqq(responses_partitions_item.partition_index, responses_partitions_item.error_code, responses_partitions_item.high_watermark, responses_partitions_item.last_stable_offset, responses_partitions_item.log_start_offset)
                responses_partitions_aborted_transactions = responses_partitions_item.aborted_transactions
                if responses_partitions_aborted_transactions is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_aborted_transactions))
                    for responses_partitions_aborted_transactions_item in responses_partitions_aborted_transactions:
                        out += _write_qq(responses_partitions_aborted_transactions_item.producer_id, responses_partitions_aborted_transactions_item.first_offset)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_records))
                    out += responses_partitions_records
    except UNFIT as error:
        raise unfit("FetchResponse", error) from error


def decode_fetch_response_v7_v10(buf: bytes, pos: int, end: int) -> tuple[FetchResponse, int]:
    try:
        throttle_time_ms, error_code, session_id = _read_ihi(buf, pos)
        pos += 10
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[FetchableTopicResponse] = []
        responses_count = n
        for _ in range(responses_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            responses_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            responses_partitions: list[PartitionData] = []
            responses_partitions_count = n
            for _ in range(responses_partitions_count):
                responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_high_watermark, responses_partitions_last_stable_offset, responses_partitions_log_start_offset = _read_ihqqq(buf, pos)
                pos += 30
                n = _read_i(buf, pos)[0]
                pos += 4
                responses_partitions_aborted_transactions: list[AbortedTransaction] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    responses_partitions_aborted_transactions_list: list[AbortedTransaction] = []
                    responses_partitions_aborted_transactions_count = n
                    for _ in range(responses_partitions_aborted_transactions_count):
                        responses_partitions_aborted_transactions_producer_id, responses_partitions_aborted_transactions_first_offset = _read_qq(buf, pos)
                        pos += 16
                        responses_partitions_aborted_transactions_list.append(AbortedTransaction(responses_partitions_aborted_transactions_producer_id, responses_partitions_aborted_transactions_first_offset))
                    responses_partitions_aborted_transactions = responses_partitions_aborted_transactions_list
                n = _read_i(buf, pos)[0]
                pos += 4
                responses_partitions_records: Bytes | None = None
                if n >= 0:
                    responses_partitions_records = memoryview(buf)[pos : pos + n]
                    pos += n
                responses_partitions.append(PartitionData(responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_high_watermark, responses_partitions_last_stable_offset, responses_partitions_log_start_offset, None, None, None, responses_partitions_aborted_transactions, -1, responses_partitions_records))
            responses.append(FetchableTopicResponse(responses_topic, ZERO_UUID, responses_partitions))
        message = FetchResponse(throttle_time_ms, error_code, session_id, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_response_v7_v10(out: bytearray, m: FetchResponse) -> None:
    try:
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            text = responses_item.topic.encode()
            out += _write_h(len(text))
            out += text
            responses_partitions = responses_item.partitions
            out += _write_i(len(responses_partitions))
            for responses_partitions_item in responses_partitions:
                out += _write_ihqqq(responses_partitions_item.partition_index, responses_partitions_item.error_code, responses_partitions_item.high_watermark, responses_partitions_item.last_stable_offset, responses_partitions_item.log_start_offset)
                responses_partitions_aborted_transactions = responses_partitions_item.aborted_transactions
                if responses_partitions_aborted_transactions is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_aborted_transactions))
                    for responses_partitions_aborted_transactions_item in responses_partitions_aborted_transactions:
                        out += _write_qq(responses_partitions_aborted_transactions_item.producer_id, responses_partitions_aborted_transactions_item.first_offset)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_records))
                    out += responses_partitions_records
    except UNFIT as error:
        raise unfit("FetchResponse", error) from error


def decode_fetch_response_v11(buf: bytes, pos: int, end: int) -> tuple[FetchResponse, int]:
    try:
        throttle_time_ms, error_code, session_id = _read_ihi(buf, pos)
        pos += 10
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[FetchableTopicResponse] = []
        responses_count = n
        for _ in range(responses_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            responses_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            responses_partitions: list[PartitionData] = []
            responses_partitions_count = n
            for _ in range(responses_partitions_count):
                responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_high_watermark, responses_partitions_last_stable_offset, responses_partitions_log_start_offset = _read_ihqqq(buf, pos)
                pos += 30
                n = _read_i(buf, pos)[0]
                pos += 4
                responses_partitions_aborted_transactions: list[AbortedTransaction] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    responses_partitions_aborted_transactions_list: list[AbortedTransaction] = []
                    responses_partitions_aborted_transactions_count = n
                    for _ in range(responses_partitions_aborted_transactions_count):
                        responses_partitions_aborted_transactions_producer_id, responses_partitions_aborted_transactions_first_offset = _read_qq(buf, pos)
                        pos += 16
                        responses_partitions_aborted_transactions_list.append(AbortedTransaction(responses_partitions_aborted_transactions_producer_id, responses_partitions_aborted_transactions_first_offset))
                    responses_partitions_aborted_transactions = responses_partitions_aborted_transactions_list
                responses_partitions_preferred_read_replica, = _read_i(buf, pos)
                pos += 4
                n = _read_i(buf, pos)[0]
                pos += 4
                responses_partitions_records: Bytes | None = None
                if n >= 0:
                    responses_partitions_records = memoryview(buf)[pos : pos + n]
                    pos += n
                responses_partitions.append(PartitionData(responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_high_watermark, responses_partitions_last_stable_offset, responses_partitions_log_start_offset, None, None, None, responses_partitions_aborted_transactions, responses_partitions_preferred_read_replica, responses_partitions_records))
            responses.append(FetchableTopicResponse(responses_topic, ZERO_UUID, responses_partitions))
        message = FetchResponse(throttle_time_ms, error_code, session_id, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_response_v11(out: bytearray, m: FetchResponse) -> None:
    try:
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            text = responses_item.topic.encode()
            out += _write_h(len(text))
            out += text
            responses_partitions = responses_item.partitions
            out += _write_i(len(responses_partitions))
            for responses_partitions_item in responses_partitions:
                out += _write_ihqqq(responses_partitions_item.partition_index, responses_partitions_item.error_code, responses_partitions_item.high_watermark, responses_partitions_item.last_stable_offset, responses_partitions_item.log_start_offset)
                responses_partitions_aborted_transactions = responses_partitions_item.aborted_transactions
                if responses_partitions_aborted_transactions is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_aborted_transactions))
                    for responses_partitions_aborted_transactions_item in responses_partitions_aborted_transactions:
                        out += _write_qq(responses_partitions_aborted_transactions_item.producer_id, responses_partitions_aborted_transactions_item.first_offset)
                out += _write_i(responses_partitions_item.preferred_read_replica)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_records))
                    out += responses_partitions_records
    except UNFIT as error:
        raise unfit("FetchResponse", error) from error


def decode_fetch_response_v12(buf: bytes, pos: int, end: int) -> tuple[FetchResponse, int]:
    try:
        throttle_time_ms, error_code, session_id = _read_ihi(buf, pos)
        pos += 10
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[FetchableTopicResponse] = []
        responses_count = n
        for _ in range(responses_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Topic")
            if n < 0:
                raise null("Topic")
            responses_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            responses_partitions: list[PartitionData] = []
            responses_partitions_count = n
            for _ in range(responses_partitions_count):
                responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_high_watermark, responses_partitions_last_stable_offset, responses_partitions_log_start_offset = _read_ihqqq(buf, pos)
                pos += 30
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                responses_partitions_aborted_transactions: list[AbortedTransaction] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    responses_partitions_aborted_transactions_list: list[AbortedTransaction] = []
                    responses_partitions_aborted_transactions_count = n
                    for _ in range(responses_partitions_aborted_transactions_count):
                        responses_partitions_aborted_transactions_producer_id, responses_partitions_aborted_transactions_first_offset = _read_qq(buf, pos)
                        pos += 16
                        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                        responses_partitions_aborted_transactions_list.append(AbortedTransaction(responses_partitions_aborted_transactions_producer_id, responses_partitions_aborted_transactions_first_offset))
                    responses_partitions_aborted_transactions = responses_partitions_aborted_transactions_list
                responses_partitions_preferred_read_replica, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                responses_partitions_records: Bytes | None = None
                if n >= 0:
                    responses_partitions_records = memoryview(buf)[pos : pos + n]
                    pos += n
                responses_partitions_diverging_epoch: EpochEndOffset | None = None
                responses_partitions_current_leader: LeaderIdAndEpoch | None = None
                responses_partitions_snapshot_id: SnapshotId | None = None
                responses_partitions_tag_count = buf[pos]
                pos += 1
                if responses_partitions_tag_count:
                    responses_partitions_tag_count, pos = read_tag_count(buf, pos - 1, end)
                    for _ in range(responses_partitions_tag_count):
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            responses_partitions_diverging_epoch_epoch, responses_partitions_diverging_epoch_end_offset = _read_iq(buf, pos)
                            pos += 12
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            responses_partitions_diverging_epoch = EpochEndOffset(responses_partitions_diverging_epoch_epoch, responses_partitions_diverging_epoch_end_offset)
                        elif tag == 1:
                            _, pos = read_uvarint(buf, pos)
                            responses_partitions_current_leader_leader_id, responses_partitions_current_leader_leader_epoch = _read_ii(buf, pos)
                            pos += 8
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            responses_partitions_current_leader = LeaderIdAndEpoch(responses_partitions_current_leader_leader_id, responses_partitions_current_leader_leader_epoch)
                        elif tag == 2:
                            _, pos = read_uvarint(buf, pos)
                            responses_partitions_snapshot_id_end_offset, responses_partitions_snapshot_id_epoch = _read_qi(buf, pos)
                            pos += 12
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            responses_partitions_snapshot_id = SnapshotId(responses_partitions_snapshot_id_end_offset, responses_partitions_snapshot_id_epoch)
                        else:
                            pos = skip_tag(buf, pos, end)
                responses_partitions.append(PartitionData(responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_high_watermark, responses_partitions_last_stable_offset, responses_partitions_log_start_offset, responses_partitions_diverging_epoch, responses_partitions_current_leader, responses_partitions_snapshot_id, responses_partitions_aborted_transactions, responses_partitions_preferred_read_replica, responses_partitions_records))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(FetchableTopicResponse(responses_topic, ZERO_UUID, responses_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = FetchResponse(throttle_time_ms, error_code, session_id, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_response_v12(out: bytearray, m: FetchResponse) -> None:
    try:
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            text = responses_item.topic.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Topic")
            out += text
            responses_partitions = responses_item.partitions
            n = len(responses_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partitions_item in responses_partitions:
                out += _write_ihqqq(responses_partitions_item.partition_index, responses_partitions_item.error_code, responses_partitions_item.high_watermark, responses_partitions_item.last_stable_offset, responses_partitions_item.log_start_offset)
                responses_partitions_aborted_transactions = responses_partitions_item.aborted_transactions
                if responses_partitions_aborted_transactions is None:
                    out.append(0)
                else:
                    n = len(responses_partitions_aborted_transactions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for responses_partitions_aborted_transactions_item in responses_partitions_aborted_transactions:
                        out += _write_qq(responses_partitions_aborted_transactions_item.producer_id, responses_partitions_aborted_transactions_item.first_offset)
                        out.append(0)
                out += _write_i(responses_partitions_item.preferred_read_replica)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    out.append(0)
                else:
                    n = len(responses_partitions_records) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += responses_partitions_records
                responses_partitions_tags: list[tuple[int, bytearray]] = []
                if responses_partitions_item.diverging_epoch is not None and responses_partitions_item.diverging_epoch != EpochEndOffset():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_diverging_epoch = responses_partitions_item.diverging_epoch
                    if responses_partitions_diverging_epoch is None:
                        raise null("DivergingEpoch")
                    out += _write_iq(responses_partitions_diverging_epoch.epoch, responses_partitions_diverging_epoch.end_offset)
                    out.append(0)
                    responses_partitions_tags.append((0, out))
                    out = responses_partitions_outer
                if responses_partitions_item.current_leader is not None and responses_partitions_item.current_leader != LeaderIdAndEpoch():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_current_leader = responses_partitions_item.current_leader
                    if responses_partitions_current_leader is None:
                        raise null("CurrentLeader")
                    out += _write_ii(responses_partitions_current_leader.leader_id, responses_partitions_current_leader.leader_epoch)
                    out.append(0)
                    responses_partitions_tags.append((1, out))
                    out = responses_partitions_outer
                if responses_partitions_item.snapshot_id is not None and responses_partitions_item.snapshot_id != SnapshotId():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_snapshot_id = responses_partitions_item.snapshot_id
                    if responses_partitions_snapshot_id is None:
                        raise null("SnapshotId")
                    out += _write_qi(responses_partitions_snapshot_id.end_offset, responses_partitions_snapshot_id.epoch)
                    out.append(0)
                    responses_partitions_tags.append((2, out))
                    out = responses_partitions_outer
                write_tags(out, responses_partitions_tags)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("FetchResponse", error) from error


def decode_fetch_response_v13_v15(buf: bytes, pos: int, end: int) -> tuple[FetchResponse, int]:
    try:
        throttle_time_ms, error_code, session_id = _read_ihi(buf, pos)
        pos += 10
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[FetchableTopicResponse] = []
        responses_count = n
        for _ in range(responses_count):
            responses_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            responses_partitions: list[PartitionData] = []
            responses_partitions_count = n
            for _ in range(responses_partitions_count):
                responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_high_watermark, responses_partitions_last_stable_offset, responses_partitions_log_start_offset = _read_ihqqq(buf, pos)
                pos += 30
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                responses_partitions_aborted_transactions: list[AbortedTransaction] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    responses_partitions_aborted_transactions_list: list[AbortedTransaction] = []
                    responses_partitions_aborted_transactions_count = n
                    for _ in range(responses_partitions_aborted_transactions_count):
                        responses_partitions_aborted_transactions_producer_id, responses_partitions_aborted_transactions_first_offset = _read_qq(buf, pos)
                        pos += 16
                        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                        responses_partitions_aborted_transactions_list.append(AbortedTransaction(responses_partitions_aborted_transactions_producer_id, responses_partitions_aborted_transactions_first_offset))
                    responses_partitions_aborted_transactions = responses_partitions_aborted_transactions_list
                responses_partitions_preferred_read_replica, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                responses_partitions_records: Bytes | None = None
                if n >= 0:
                    responses_partitions_records = memoryview(buf)[pos : pos + n]
                    pos += n
                responses_partitions_diverging_epoch: EpochEndOffset | None = None
                responses_partitions_current_leader: LeaderIdAndEpoch | None = None
                responses_partitions_snapshot_id: SnapshotId | None = None
                responses_partitions_tag_count = buf[pos]
                pos += 1
                if responses_partitions_tag_count:
                    responses_partitions_tag_count, pos = read_tag_count(buf, pos - 1, end)
                    for _ in range(responses_partitions_tag_count):
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            responses_partitions_diverging_epoch_epoch, responses_partitions_diverging_epoch_end_offset = _read_iq(buf, pos)
                            pos += 12
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            responses_partitions_diverging_epoch = EpochEndOffset(responses_partitions_diverging_epoch_epoch, responses_partitions_diverging_epoch_end_offset)
                        elif tag == 1:
                            _, pos = read_uvarint(buf, pos)
                            responses_partitions_current_leader_leader_id, responses_partitions_current_leader_leader_epoch = _read_ii(buf, pos)
                            pos += 8
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            responses_partitions_current_leader = LeaderIdAndEpoch(responses_partitions_current_leader_leader_id, responses_partitions_current_leader_leader_epoch)
                        elif tag == 2:
                            _, pos = read_uvarint(buf, pos)
                            responses_partitions_snapshot_id_end_offset, responses_partitions_snapshot_id_epoch = _read_qi(buf, pos)
                            pos += 12
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            responses_partitions_snapshot_id = SnapshotId(responses_partitions_snapshot_id_end_offset, responses_partitions_snapshot_id_epoch)
                        else:
                            pos = skip_tag(buf, pos, end)
                responses_partitions.append(PartitionData(responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_high_watermark, responses_partitions_last_stable_offset, responses_partitions_log_start_offset, responses_partitions_diverging_epoch, responses_partitions_current_leader, responses_partitions_snapshot_id, responses_partitions_aborted_transactions, responses_partitions_preferred_read_replica, responses_partitions_records))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(FetchableTopicResponse("", responses_topic_id, responses_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = FetchResponse(throttle_time_ms, error_code, session_id, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_response_v13_v15(out: bytearray, m: FetchResponse) -> None:
    try:
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            out += _write_u(responses_item.topic_id)
            responses_partitions = responses_item.partitions
            n = len(responses_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partitions_item in responses_partitions:
                out += _write_ihqqq(responses_partitions_item.partition_index, responses_partitions_item.error_code, responses_partitions_item.high_watermark, responses_partitions_item.last_stable_offset, responses_partitions_item.log_start_offset)
                responses_partitions_aborted_transactions = responses_partitions_item.aborted_transactions
                if responses_partitions_aborted_transactions is None:
                    out.append(0)
                else:
                    n = len(responses_partitions_aborted_transactions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for responses_partitions_aborted_transactions_item in responses_partitions_aborted_transactions:
                        out += _write_qq(responses_partitions_aborted_transactions_item.producer_id, responses_partitions_aborted_transactions_item.first_offset)
                        out.append(0)
                out += _write_i(responses_partitions_item.preferred_read_replica)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    out.append(0)
                else:
                    n = len(responses_partitions_records) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += responses_partitions_records
                responses_partitions_tags: list[tuple[int, bytearray]] = []
                if responses_partitions_item.diverging_epoch is not None and responses_partitions_item.diverging_epoch != EpochEndOffset():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_diverging_epoch = responses_partitions_item.diverging_epoch
                    if responses_partitions_diverging_epoch is None:
                        raise null("DivergingEpoch")
                    out += _write_iq(responses_partitions_diverging_epoch.epoch, responses_partitions_diverging_epoch.end_offset)
                    out.append(0)
                    responses_partitions_tags.append((0, out))
                    out = responses_partitions_outer
                if responses_partitions_item.current_leader is not None and responses_partitions_item.current_leader != LeaderIdAndEpoch():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_current_leader = responses_partitions_item.current_leader
                    if responses_partitions_current_leader is None:
                        raise null("CurrentLeader")
                    out += _write_ii(responses_partitions_current_leader.leader_id, responses_partitions_current_leader.leader_epoch)
                    out.append(0)
                    responses_partitions_tags.append((1, out))
                    out = responses_partitions_outer
                if responses_partitions_item.snapshot_id is not None and responses_partitions_item.snapshot_id != SnapshotId():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_snapshot_id = responses_partitions_item.snapshot_id
                    if responses_partitions_snapshot_id is None:
                        raise null("SnapshotId")
                    out += _write_qi(responses_partitions_snapshot_id.end_offset, responses_partitions_snapshot_id.epoch)
                    out.append(0)
                    responses_partitions_tags.append((2, out))
                    out = responses_partitions_outer
                write_tags(out, responses_partitions_tags)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("FetchResponse", error) from error


def decode_fetch_response_v16_v18(buf: bytes, pos: int, end: int) -> tuple[FetchResponse, int]:
    try:
        throttle_time_ms, error_code, session_id = _read_ihi(buf, pos)
        pos += 10
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[FetchableTopicResponse] = []
        responses_count = n
        for _ in range(responses_count):
            responses_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            responses_partitions: list[PartitionData] = []
            responses_partitions_count = n
            for _ in range(responses_partitions_count):
                responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_high_watermark, responses_partitions_last_stable_offset, responses_partitions_log_start_offset = _read_ihqqq(buf, pos)
                pos += 30
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                responses_partitions_aborted_transactions: list[AbortedTransaction] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    responses_partitions_aborted_transactions_list: list[AbortedTransaction] = []
                    responses_partitions_aborted_transactions_count = n
                    for _ in range(responses_partitions_aborted_transactions_count):
                        responses_partitions_aborted_transactions_producer_id, responses_partitions_aborted_transactions_first_offset = _read_qq(buf, pos)
                        pos += 16
                        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                        responses_partitions_aborted_transactions_list.append(AbortedTransaction(responses_partitions_aborted_transactions_producer_id, responses_partitions_aborted_transactions_first_offset))
                    responses_partitions_aborted_transactions = responses_partitions_aborted_transactions_list
                responses_partitions_preferred_read_replica, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                responses_partitions_records: Bytes | None = None
                if n >= 0:
                    responses_partitions_records = memoryview(buf)[pos : pos + n]
                    pos += n
                responses_partitions_diverging_epoch: EpochEndOffset | None = None
                responses_partitions_current_leader: LeaderIdAndEpoch | None = None
                responses_partitions_snapshot_id: SnapshotId | None = None
                responses_partitions_tag_count = buf[pos]
                pos += 1
                if responses_partitions_tag_count:
                    responses_partitions_tag_count, pos = read_tag_count(buf, pos - 1, end)
                    for _ in range(responses_partitions_tag_count):
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            responses_partitions_diverging_epoch_epoch, responses_partitions_diverging_epoch_end_offset = _read_iq(buf, pos)
                            pos += 12
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            responses_partitions_diverging_epoch = EpochEndOffset(responses_partitions_diverging_epoch_epoch, responses_partitions_diverging_epoch_end_offset)
                        elif tag == 1:
                            _, pos = read_uvarint(buf, pos)
                            responses_partitions_current_leader_leader_id, responses_partitions_current_leader_leader_epoch = _read_ii(buf, pos)
                            pos += 8
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            responses_partitions_current_leader = LeaderIdAndEpoch(responses_partitions_current_leader_leader_id, responses_partitions_current_leader_leader_epoch)
                        elif tag == 2:
                            _, pos = read_uvarint(buf, pos)
                            responses_partitions_snapshot_id_end_offset, responses_partitions_snapshot_id_epoch = _read_qi(buf, pos)
                            pos += 12
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            responses_partitions_snapshot_id = SnapshotId(responses_partitions_snapshot_id_end_offset, responses_partitions_snapshot_id_epoch)
                        else:
                            pos = skip_tag(buf, pos, end)
                responses_partitions.append(PartitionData(responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_high_watermark, responses_partitions_last_stable_offset, responses_partitions_log_start_offset, responses_partitions_diverging_epoch, responses_partitions_current_leader, responses_partitions_snapshot_id, responses_partitions_aborted_transactions, responses_partitions_preferred_read_replica, responses_partitions_records))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(FetchableTopicResponse("", responses_topic_id, responses_partitions))
        node_endpoints: list[NodeEndpoint] = []
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("NodeEndpoints", n, pos, end)
                    node_endpoints = []
                    node_endpoints_count = n
                    for _ in range(node_endpoints_count):
                        node_endpoints_node_id, = _read_i(buf, pos)
                        pos += 4
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Host")
                        if n < 0:
                            raise null("Host")
                        node_endpoints_host = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        node_endpoints_port, = _read_i(buf, pos)
                        pos += 4
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Rack")
                        node_endpoints_rack: str | None = None
                        if n >= 0:
                            node_endpoints_rack = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                        node_endpoints.append(NodeEndpoint(node_endpoints_node_id, node_endpoints_host, node_endpoints_port, node_endpoints_rack))
                else:
                    pos = skip_tag(buf, pos, end)
        message = FetchResponse(throttle_time_ms, error_code, session_id, responses, node_endpoints)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_response_v16_v18(out: bytearray, m: FetchResponse) -> None:
    try:
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            out += _write_u(responses_item.topic_id)
            responses_partitions = responses_item.partitions
            n = len(responses_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partitions_item in responses_partitions:
                out += _write_ihqqq(responses_partitions_item.partition_index, responses_partitions_item.error_code, responses_partitions_item.high_watermark, responses_partitions_item.last_stable_offset, responses_partitions_item.log_start_offset)
                responses_partitions_aborted_transactions = responses_partitions_item.aborted_transactions
                if responses_partitions_aborted_transactions is None:
                    out.append(0)
                else:
                    n = len(responses_partitions_aborted_transactions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for responses_partitions_aborted_transactions_item in responses_partitions_aborted_transactions:
                        out += _write_qq(responses_partitions_aborted_transactions_item.producer_id, responses_partitions_aborted_transactions_item.first_offset)
                        out.append(0)
                out += _write_i(responses_partitions_item.preferred_read_replica)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    out.append(0)
                else:
                    n = len(responses_partitions_records) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += responses_partitions_records
                responses_partitions_tags: list[tuple[int, bytearray]] = []
                if responses_partitions_item.diverging_epoch is not None and responses_partitions_item.diverging_epoch != EpochEndOffset():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_diverging_epoch = responses_partitions_item.diverging_epoch
                    if responses_partitions_diverging_epoch is None:
                        raise null("DivergingEpoch")
                    out += _write_iq(responses_partitions_diverging_epoch.epoch, responses_partitions_diverging_epoch.end_offset)
                    out.append(0)
                    responses_partitions_tags.append((0, out))
                    out = responses_partitions_outer
                if responses_partitions_item.current_leader is not None and responses_partitions_item.current_leader != LeaderIdAndEpoch():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_current_leader = responses_partitions_item.current_leader
                    if responses_partitions_current_leader is None:
                        raise null("CurrentLeader")
                    out += _write_ii(responses_partitions_current_leader.leader_id, responses_partitions_current_leader.leader_epoch)
                    out.append(0)
                    responses_partitions_tags.append((1, out))
                    out = responses_partitions_outer
                if responses_partitions_item.snapshot_id is not None and responses_partitions_item.snapshot_id != SnapshotId():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_snapshot_id = responses_partitions_item.snapshot_id
                    if responses_partitions_snapshot_id is None:
                        raise null("SnapshotId")
                    out += _write_qi(responses_partitions_snapshot_id.end_offset, responses_partitions_snapshot_id.epoch)
                    out.append(0)
                    responses_partitions_tags.append((2, out))
                    out = responses_partitions_outer
                write_tags(out, responses_partitions_tags)
            out.append(0)
        tags: list[tuple[int, bytearray]] = []
        if m.node_endpoints:
            outer = out
            out = bytearray()
            node_endpoints = m.node_endpoints
            n = len(node_endpoints) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for node_endpoints_item in node_endpoints:
                out += _write_i(node_endpoints_item.node_id)
                text = node_endpoints_item.host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Host")
                out += text
                out += _write_i(node_endpoints_item.port)
                node_endpoints_rack = node_endpoints_item.rack
                if node_endpoints_rack is None:
                    out.append(0)
                else:
                    text = node_endpoints_rack.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Rack")
                    out += text
                out.append(0)
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("FetchResponse", error) from error

FetchResponse.DECODERS = {
    4: decode_fetch_response_v4,
    5: decode_fetch_response_v5_v6, 6: decode_fetch_response_v5_v6,
    7: decode_fetch_response_v7_v10, 8: decode_fetch_response_v7_v10, 9: decode_fetch_response_v7_v10,
    10: decode_fetch_response_v7_v10,
    11: decode_fetch_response_v11,
    12: decode_fetch_response_v12,
    13: decode_fetch_response_v13_v15, 14: decode_fetch_response_v13_v15, 15: decode_fetch_response_v13_v15,
    16: decode_fetch_response_v16_v18, 17: decode_fetch_response_v16_v18, 18: decode_fetch_response_v16_v18,
}

FetchResponse.ENCODERS = {
    4: encode_fetch_response_v4,
    5: encode_fetch_response_v5_v6, 6: encode_fetch_response_v5_v6,
    7: encode_fetch_response_v7_v10, 8: encode_fetch_response_v7_v10, 9: encode_fetch_response_v7_v10,
    10: encode_fetch_response_v7_v10,
    11: encode_fetch_response_v11,
    12: encode_fetch_response_v12,
    13: encode_fetch_response_v13_v15, 14: encode_fetch_response_v13_v15, 15: encode_fetch_response_v13_v15,
    16: encode_fetch_response_v16_v18, 17: encode_fetch_response_v16_v18, 18: encode_fetch_response_v16_v18,
}

__all__ = [
    "AbortedTransaction", "EpochEndOffset", "FetchPartition", "FetchRequest", "FetchResponse", "FetchTopic",
    "FetchableTopicResponse", "ForgottenTopic", "LeaderIdAndEpoch", "NodeEndpoint", "PartitionData",
    "ReplicaState", "SnapshotId",
]
