# Generated from schemas/messages/ShareFetchRequest.json and schemas/messages/ShareFetchResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct, field

from tidemark_protocol.wire import (
    Bytes, Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, null, past_end, read_length,
    read_text_length, skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length,
    write_uvarint, wrong_count,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack
_iiiiii = struct.Struct(">iiiiii")
_read_iiiiii = _iiiiii.unpack_from
_write_iiiiii = _iiiiii.pack
_iiiiiibz = struct.Struct(">iiiiiib?")
_read_iiiiiibz = _iiiiiibz.unpack_from
_write_iiiiiibz = _iiiiiibz.pack
_qq = struct.Struct(">qq")
_read_qq = _qq.unpack_from
_write_qq = _qq.pack
_qqh = struct.Struct(">qqh")
_read_qqh = _qqh.unpack_from
_write_qqh = _qqh.pack


class AcknowledgementBatch(Struct, gc=False):
    FIELDS: ClassVar = (
        ("FirstOffset", "first_offset", "int64", None),
        ("LastOffset", "last_offset", "int64", None),
        ("AcknowledgeTypes", "acknowledge_types", "[]int8", None),
    )
    first_offset: int = 0
    last_offset: int = 0
    acknowledge_types: list[int] = []


class FetchPartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("AcknowledgementBatches", "acknowledgement_batches", "[]struct", AcknowledgementBatch),
    )
    partition_index: int = 0
    acknowledgement_batches: list[AcknowledgementBatch] = []


class FetchTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", FetchPartition),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[FetchPartition] = []


class ForgottenTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []


class ShareFetchRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
        ("ShareSessionEpoch", "share_session_epoch", "int32", None),
        ("MaxWaitMs", "max_wait_ms", "int32", None),
        ("MinBytes", "min_bytes", "int32", None),
        ("MaxBytes", "max_bytes", "int32", None),
        ("MaxRecords", "max_records", "int32", None),
        ("BatchSize", "batch_size", "int32", None),
        ("ShareAcquireMode", "share_acquire_mode", "int8", None),
        ("IsRenewAck", "is_renew_ack", "bool", None),
        ("Topics", "topics", "[]struct", FetchTopic),
        ("ForgottenTopicsData", "forgotten_topics_data", "[]struct", ForgottenTopic),
    )
    NAME: ClassVar = "ShareFetchRequest"
    API_KEY: ClassVar = 78
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str | None = None
    member_id: str | None = ""
    share_session_epoch: int = 0
    max_wait_ms: int = 0
    min_bytes: int = 0
    max_bytes: int = 2147483647
    max_records: int = 0
    batch_size: int = 0
    share_acquire_mode: int = 0
    is_renew_ack: bool = False
    topics: list[FetchTopic] = []
    forgotten_topics_data: list[ForgottenTopic] = []


class LeaderIdAndEpoch(Struct, gc=False):
    FIELDS: ClassVar = (
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
    )
    leader_id: int = 0
    leader_epoch: int = 0


class AcquiredRecords(Struct, gc=False):
    FIELDS: ClassVar = (
        ("FirstOffset", "first_offset", "int64", None),
        ("LastOffset", "last_offset", "int64", None),
        ("DeliveryCount", "delivery_count", "int16", None),
    )
    first_offset: int = 0
    last_offset: int = 0
    delivery_count: int = 0


class PartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("AcknowledgeErrorCode", "acknowledge_error_code", "int16", None),
        ("AcknowledgeErrorMessage", "acknowledge_error_message", "string", None),
        ("CurrentLeader", "current_leader", "struct", LeaderIdAndEpoch),
        ("Records", "records", "records", None),
        ("AcquiredRecords", "acquired_records", "[]struct", AcquiredRecords),
    )
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = None
    acknowledge_error_code: int = 0
    acknowledge_error_message: str | None = None
    current_leader: LeaderIdAndEpoch = field(default_factory=LeaderIdAndEpoch)
    records: Bytes | None = b""
    acquired_records: list[AcquiredRecords] = []


class ShareFetchableTopicResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", PartitionData),
    )
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


class ShareFetchResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("AcquisitionLockTimeoutMs", "acquisition_lock_timeout_ms", "int32", None),
        ("Responses", "responses", "[]struct", ShareFetchableTopicResponse),
        ("NodeEndpoints", "node_endpoints", "[]struct", NodeEndpoint),
    )
    NAME: ClassVar = "ShareFetchResponse"
    API_KEY: ClassVar = 78
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    acquisition_lock_timeout_ms: int = 0
    responses: list[ShareFetchableTopicResponse] = []
    node_endpoints: list[NodeEndpoint] = []


def decode_share_fetch_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ShareFetchRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupId")
        group_id: str | None = None
        if n >= 0:
            group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "MemberId")
        member_id: str | None = None
        if n >= 0:
            member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        share_session_epoch, max_wait_ms, min_bytes, max_bytes, max_records, batch_size = _read_iiiiii(buf, pos)
        pos += 24
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
                topics_partitions_partition_index, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("AcknowledgementBatches", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topics_partitions_acknowledgement_batches: list[AcknowledgementBatch] = []
                topics_partitions_acknowledgement_batches_count = n
                for _ in range(topics_partitions_acknowledgement_batches_count):
                    topics_partitions_acknowledgement_batches_first_offset, topics_partitions_acknowledgement_batches_last_offset = _read_qq(buf, pos)
                    pos += 16
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("AcknowledgeTypes", n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    topics_partitions_acknowledgement_batches_acknowledge_types: list[int] = list(struct.unpack_from(f">{n}b", buf, pos))
                    pos += n
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    topics_partitions_acknowledgement_batches.append(AcknowledgementBatch(topics_partitions_acknowledgement_batches_first_offset, topics_partitions_acknowledgement_batches_last_offset, topics_partitions_acknowledgement_batches_acknowledge_types))
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(FetchPartition(topics_partitions_partition_index, topics_partitions_acknowledgement_batches))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(FetchTopic(topics_topic_id, topics_partitions))
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
            forgotten_topics_data.append(ForgottenTopic(forgotten_topics_data_topic_id, forgotten_topics_data_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ShareFetchRequest(group_id, member_id, share_session_epoch, max_wait_ms, min_bytes, max_bytes, max_records, batch_size, 0, False, topics, forgotten_topics_data)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_fetch_request_v1(out: bytearray, m: ShareFetchRequest) -> None:
    try:
        group_id = m.group_id
        if group_id is None:
            out.append(0)
        else:
            text = group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
        member_id = m.member_id
        if member_id is None:
            out.append(0)
        else:
            text = member_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "MemberId")
            out += text
        out += _write_iiiiii(m.share_session_epoch, m.max_wait_ms, m.min_bytes, m.max_bytes, m.max_records, m.batch_size)
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
                out += _write_i(topics_partitions_item.partition_index)
                topics_partitions_acknowledgement_batches = topics_partitions_item.acknowledgement_batches
                n = len(topics_partitions_acknowledgement_batches) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_acknowledgement_batches_item in topics_partitions_acknowledgement_batches:
                    out += _write_qq(topics_partitions_acknowledgement_batches_item.first_offset, topics_partitions_acknowledgement_batches_item.last_offset)
                    topics_partitions_acknowledgement_batches_acknowledge_types = topics_partitions_acknowledgement_batches_item.acknowledge_types
                    n = len(topics_partitions_acknowledgement_batches_acknowledge_types) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topics_partitions_acknowledgement_batches_acknowledge_types)}b", *topics_partitions_acknowledgement_batches_acknowledge_types)
                    out.append(0)
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
        out.append(0)
    except UNFIT as error:
        raise unfit("ShareFetchRequest", error) from error


def decode_share_fetch_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ShareFetchRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupId")
        group_id: str | None = None
        if n >= 0:
            group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "MemberId")
        member_id: str | None = None
        if n >= 0:
            member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        share_session_epoch, max_wait_ms, min_bytes, max_bytes, max_records, batch_size, share_acquire_mode, is_renew_ack = _read_iiiiiibz(buf, pos)
        pos += 26
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
                topics_partitions_partition_index, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("AcknowledgementBatches", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topics_partitions_acknowledgement_batches: list[AcknowledgementBatch] = []
                topics_partitions_acknowledgement_batches_count = n
                for _ in range(topics_partitions_acknowledgement_batches_count):
                    topics_partitions_acknowledgement_batches_first_offset, topics_partitions_acknowledgement_batches_last_offset = _read_qq(buf, pos)
                    pos += 16
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("AcknowledgeTypes", n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    topics_partitions_acknowledgement_batches_acknowledge_types: list[int] = list(struct.unpack_from(f">{n}b", buf, pos))
                    pos += n
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    topics_partitions_acknowledgement_batches.append(AcknowledgementBatch(topics_partitions_acknowledgement_batches_first_offset, topics_partitions_acknowledgement_batches_last_offset, topics_partitions_acknowledgement_batches_acknowledge_types))
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(FetchPartition(topics_partitions_partition_index, topics_partitions_acknowledgement_batches))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(FetchTopic(topics_topic_id, topics_partitions))
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
            forgotten_topics_data.append(ForgottenTopic(forgotten_topics_data_topic_id, forgotten_topics_data_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ShareFetchRequest(group_id, member_id, share_session_epoch, max_wait_ms, min_bytes, max_bytes, max_records, batch_size, share_acquire_mode, is_renew_ack, topics, forgotten_topics_data)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_fetch_request_v2(out: bytearray, m: ShareFetchRequest) -> None:
    try:
        group_id = m.group_id
        if group_id is None:
            out.append(0)
        else:
            text = group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
        member_id = m.member_id
        if member_id is None:
            out.append(0)
        else:
            text = member_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "MemberId")
            out += text
        out += _write_iiiiiibz(m.share_session_epoch, m.max_wait_ms, m.min_bytes, m.max_bytes, m.max_records, m.batch_size, m.share_acquire_mode, m.is_renew_ack)
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
                out += _write_i(topics_partitions_item.partition_index)
                topics_partitions_acknowledgement_batches = topics_partitions_item.acknowledgement_batches
                n = len(topics_partitions_acknowledgement_batches) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_acknowledgement_batches_item in topics_partitions_acknowledgement_batches:
                    out += _write_qq(topics_partitions_acknowledgement_batches_item.first_offset, topics_partitions_acknowledgement_batches_item.last_offset)
                    topics_partitions_acknowledgement_batches_acknowledge_types = topics_partitions_acknowledgement_batches_item.acknowledge_types
                    n = len(topics_partitions_acknowledgement_batches_acknowledge_types) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topics_partitions_acknowledgement_batches_acknowledge_types)}b", *topics_partitions_acknowledgement_batches_acknowledge_types)
                    out.append(0)
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
        out.append(0)
    except UNFIT as error:
        raise unfit("ShareFetchRequest", error) from error

ShareFetchRequest.DECODERS = {
    1: decode_share_fetch_request_v1,
    2: decode_share_fetch_request_v2,
}

ShareFetchRequest.ENCODERS = {
    1: encode_share_fetch_request_v1,
    2: encode_share_fetch_request_v2,
}



def decode_share_fetch_response_v1_v2(buf: bytes, pos: int, end: int) -> tuple[ShareFetchResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
        error_message: str | None = None
        if n >= 0:
            error_message = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        acquisition_lock_timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[ShareFetchableTopicResponse] = []
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
                responses_partitions_partition_index, responses_partitions_error_code = _read_ih(buf, pos)
                pos += 6
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
                responses_partitions_error_message: str | None = None
                if n >= 0:
                    responses_partitions_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                responses_partitions_acknowledge_error_code, = _read_h(buf, pos)
                pos += 2
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "AcknowledgeErrorMessage")
                responses_partitions_acknowledge_error_message: str | None = None
                if n >= 0:
                    responses_partitions_acknowledge_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                responses_partitions_current_leader_leader_id, responses_partitions_current_leader_leader_epoch = _read_ii(buf, pos)
                pos += 8
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                responses_partitions_current_leader = LeaderIdAndEpoch(responses_partitions_current_leader_leader_id, responses_partitions_current_leader_leader_epoch)
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if n < 0:
                    raise null("Records")
                responses_partitions_records = memoryview(buf)[pos : pos + n]
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("AcquiredRecords", n, pos, end)
                responses_partitions_acquired_records: list[AcquiredRecords] = []
                responses_partitions_acquired_records_count = n
                for _ in range(responses_partitions_acquired_records_count):
                    responses_partitions_acquired_records_first_offset, responses_partitions_acquired_records_last_offset, responses_partitions_acquired_records_delivery_count = _read_qqh(buf, pos)
                    pos += 18
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    responses_partitions_acquired_records.append(AcquiredRecords(responses_partitions_acquired_records_first_offset, responses_partitions_acquired_records_last_offset, responses_partitions_acquired_records_delivery_count))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                responses_partitions.append(PartitionData(responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_error_message, responses_partitions_acknowledge_error_code, responses_partitions_acknowledge_error_message, responses_partitions_current_leader, responses_partitions_records, responses_partitions_acquired_records))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(ShareFetchableTopicResponse(responses_topic_id, responses_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("NodeEndpoints", n, pos, end)
        node_endpoints: list[NodeEndpoint] = []
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
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ShareFetchResponse(throttle_time_ms, error_code, error_message, acquisition_lock_timeout_ms, responses, node_endpoints)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_fetch_response_v1_v2(out: bytearray, m: ShareFetchResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        error_message = m.error_message
        if error_message is None:
            out.append(0)
        else:
            text = error_message.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ErrorMessage")
            out += text
        out += _write_i(m.acquisition_lock_timeout_ms)
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
                out += _write_ih(responses_partitions_item.partition_index, responses_partitions_item.error_code)
                responses_partitions_error_message = responses_partitions_item.error_message
                if responses_partitions_error_message is None:
                    out.append(0)
                else:
                    text = responses_partitions_error_message.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "ErrorMessage")
                    out += text
                out += _write_h(responses_partitions_item.acknowledge_error_code)
                responses_partitions_acknowledge_error_message = responses_partitions_item.acknowledge_error_message
                if responses_partitions_acknowledge_error_message is None:
                    out.append(0)
                else:
                    text = responses_partitions_acknowledge_error_message.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "AcknowledgeErrorMessage")
                    out += text
                responses_partitions_current_leader = responses_partitions_item.current_leader
                out += _write_ii(responses_partitions_current_leader.leader_id, responses_partitions_current_leader.leader_epoch)
                out.append(0)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    raise null("Records")
                n = len(responses_partitions_records) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += responses_partitions_records
                responses_partitions_acquired_records = responses_partitions_item.acquired_records
                n = len(responses_partitions_acquired_records) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for responses_partitions_acquired_records_item in responses_partitions_acquired_records:
                    out += _write_qqh(responses_partitions_acquired_records_item.first_offset, responses_partitions_acquired_records_item.last_offset, responses_partitions_acquired_records_item.delivery_count)
                    out.append(0)
                out.append(0)
            out.append(0)
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
        out.append(0)
    except UNFIT as error:
        raise unfit("ShareFetchResponse", error) from error

ShareFetchResponse.DECODERS = {
    1: decode_share_fetch_response_v1_v2, 2: decode_share_fetch_response_v1_v2,
}

ShareFetchResponse.ENCODERS = {
    1: encode_share_fetch_response_v1_v2, 2: encode_share_fetch_response_v1_v2,
}

__all__ = [
    "AcknowledgementBatch", "AcquiredRecords", "FetchPartition", "FetchTopic", "ForgottenTopic",
    "LeaderIdAndEpoch", "NodeEndpoint", "PartitionData", "ShareFetchRequest", "ShareFetchResponse",
    "ShareFetchableTopicResponse",
]
