# Generated from schemas/messages/ShareAcknowledgeRequest.json and schemas/messages/ShareAcknowledgeResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct, field

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iz = struct.Struct(">i?")
_read_iz = _iz.unpack_from
_write_iz = _iz.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack
_qq = struct.Struct(">qq")
_read_qq = _qq.unpack_from
_write_qq = _qq.pack


class AcknowledgementBatch(Struct, gc=False):
    FIELDS: ClassVar = (
        ("FirstOffset", "first_offset", "int64", None),
        ("LastOffset", "last_offset", "int64", None),
        ("AcknowledgeTypes", "acknowledge_types", "[]int8", None),
    )
    first_offset: int = 0
    last_offset: int = 0
    acknowledge_types: list[int] = []


class AcknowledgePartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("AcknowledgementBatches", "acknowledgement_batches", "[]struct", AcknowledgementBatch),
    )
    partition_index: int = 0
    acknowledgement_batches: list[AcknowledgementBatch] = []


class AcknowledgeTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", AcknowledgePartition),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[AcknowledgePartition] = []


class ShareAcknowledgeRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
        ("ShareSessionEpoch", "share_session_epoch", "int32", None),
        ("IsRenewAck", "is_renew_ack", "bool", None),
        ("Topics", "topics", "[]struct", AcknowledgeTopic),
    )
    NAME: ClassVar = "ShareAcknowledgeRequest"
    API_KEY: ClassVar = 79
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str | None = None
    member_id: str | None = ""
    share_session_epoch: int = 0
    is_renew_ack: bool = False
    topics: list[AcknowledgeTopic] = []


class LeaderIdAndEpoch(Struct, gc=False):
    FIELDS: ClassVar = (
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
    )
    leader_id: int = 0
    leader_epoch: int = 0


class PartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("CurrentLeader", "current_leader", "struct", LeaderIdAndEpoch),
    )
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = None
    current_leader: LeaderIdAndEpoch = field(default_factory=LeaderIdAndEpoch)


class ShareAcknowledgeTopicResponse(Struct, gc=False):
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


class ShareAcknowledgeResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("AcquisitionLockTimeoutMs", "acquisition_lock_timeout_ms", "int32", None),
        ("Responses", "responses", "[]struct", ShareAcknowledgeTopicResponse),
        ("NodeEndpoints", "node_endpoints", "[]struct", NodeEndpoint),
    )
    NAME: ClassVar = "ShareAcknowledgeResponse"
    API_KEY: ClassVar = 79
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    acquisition_lock_timeout_ms: int = 0
    responses: list[ShareAcknowledgeTopicResponse] = []
    node_endpoints: list[NodeEndpoint] = []


def decode_share_acknowledge_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ShareAcknowledgeRequest, int]:
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
        share_session_epoch, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[AcknowledgeTopic] = []
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
            topics_partitions: list[AcknowledgePartition] = []
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
                topics_partitions.append(AcknowledgePartition(topics_partitions_partition_index, topics_partitions_acknowledgement_batches))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(AcknowledgeTopic(topics_topic_id, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ShareAcknowledgeRequest(group_id, member_id, share_session_epoch, False, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_acknowledge_request_v1(out: bytearray, m: ShareAcknowledgeRequest) -> None:
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
        out += _write_i(m.share_session_epoch)
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
        out.append(0)
    except UNFIT as error:
        raise unfit("ShareAcknowledgeRequest", error) from error


def decode_share_acknowledge_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ShareAcknowledgeRequest, int]:
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
        share_session_epoch, is_renew_ack = _read_iz(buf, pos)
        pos += 5
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[AcknowledgeTopic] = []
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
            topics_partitions: list[AcknowledgePartition] = []
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
                topics_partitions.append(AcknowledgePartition(topics_partitions_partition_index, topics_partitions_acknowledgement_batches))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(AcknowledgeTopic(topics_topic_id, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ShareAcknowledgeRequest(group_id, member_id, share_session_epoch, is_renew_ack, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_acknowledge_request_v2(out: bytearray, m: ShareAcknowledgeRequest) -> None:
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
        out += _write_iz(m.share_session_epoch, m.is_renew_ack)
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
        out.append(0)
    except UNFIT as error:
        raise unfit("ShareAcknowledgeRequest", error) from error

ShareAcknowledgeRequest.DECODERS = {
    1: decode_share_acknowledge_request_v1,
    2: decode_share_acknowledge_request_v2,
}

ShareAcknowledgeRequest.ENCODERS = {
    1: encode_share_acknowledge_request_v1,
    2: encode_share_acknowledge_request_v2,
}



def decode_share_acknowledge_response_v1(buf: bytes, pos: int, end: int) -> tuple[ShareAcknowledgeResponse, int]:
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[ShareAcknowledgeTopicResponse] = []
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
                responses_partitions_current_leader_leader_id, responses_partitions_current_leader_leader_epoch = _read_ii(buf, pos)
                pos += 8
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                responses_partitions_current_leader = LeaderIdAndEpoch(responses_partitions_current_leader_leader_id, responses_partitions_current_leader_leader_epoch)
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                responses_partitions.append(PartitionData(responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_error_message, responses_partitions_current_leader))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(ShareAcknowledgeTopicResponse(responses_topic_id, responses_partitions))
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
        message = ShareAcknowledgeResponse(throttle_time_ms, error_code, error_message, 0, responses, node_endpoints)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_acknowledge_response_v1(out: bytearray, m: ShareAcknowledgeResponse) -> None:
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
                responses_partitions_current_leader = responses_partitions_item.current_leader
                out += _write_ii(responses_partitions_current_leader.leader_id, responses_partitions_current_leader.leader_epoch)
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
        raise unfit("ShareAcknowledgeResponse", error) from error


def decode_share_acknowledge_response_v2(buf: bytes, pos: int, end: int) -> tuple[ShareAcknowledgeResponse, int]:
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
        responses: list[ShareAcknowledgeTopicResponse] = []
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
                responses_partitions_current_leader_leader_id, responses_partitions_current_leader_leader_epoch = _read_ii(buf, pos)
                pos += 8
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                responses_partitions_current_leader = LeaderIdAndEpoch(responses_partitions_current_leader_leader_id, responses_partitions_current_leader_leader_epoch)
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                responses_partitions.append(PartitionData(responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_error_message, responses_partitions_current_leader))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(ShareAcknowledgeTopicResponse(responses_topic_id, responses_partitions))
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
        message = ShareAcknowledgeResponse(throttle_time_ms, error_code, error_message, acquisition_lock_timeout_ms, responses, node_endpoints)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_acknowledge_response_v2(out: bytearray, m: ShareAcknowledgeResponse) -> None:
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
                responses_partitions_current_leader = responses_partitions_item.current_leader
                out += _write_ii(responses_partitions_current_leader.leader_id, responses_partitions_current_leader.leader_epoch)
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
        raise unfit("ShareAcknowledgeResponse", error) from error

ShareAcknowledgeResponse.DECODERS = {
    1: decode_share_acknowledge_response_v1,
    2: decode_share_acknowledge_response_v2,
}

ShareAcknowledgeResponse.ENCODERS = {
    1: encode_share_acknowledge_response_v1,
    2: encode_share_acknowledge_response_v2,
}

__all__ = [
    "AcknowledgePartition", "AcknowledgeTopic", "AcknowledgementBatch", "LeaderIdAndEpoch", "NodeEndpoint",
    "PartitionData", "ShareAcknowledgeRequest", "ShareAcknowledgeResponse", "ShareAcknowledgeTopicResponse",
]
