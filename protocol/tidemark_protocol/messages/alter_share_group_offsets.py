# Generated from schemas/messages/AlterShareGroupOffsetsRequest.json and schemas/messages/AlterShareGroupOffsetsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack


class AlterShareGroupOffsetsRequestPartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("StartOffset", "start_offset", "int64", None),
    )
    partition_index: int = 0
    start_offset: int = 0


class AlterShareGroupOffsetsRequestTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
        ("Partitions", "partitions", "[]struct", AlterShareGroupOffsetsRequestPartition),
    )
    topic_name: str = ""
    partitions: list[AlterShareGroupOffsetsRequestPartition] = []


class AlterShareGroupOffsetsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("Topics", "topics", "[]struct", AlterShareGroupOffsetsRequestTopic),
    )
    NAME: ClassVar = "AlterShareGroupOffsetsRequest"
    API_KEY: ClassVar = 91
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    topics: list[AlterShareGroupOffsetsRequestTopic] = []


class AlterShareGroupOffsetsResponsePartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = None


class AlterShareGroupOffsetsResponseTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", AlterShareGroupOffsetsResponsePartition),
    )
    topic_name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[AlterShareGroupOffsetsResponsePartition] = []


class AlterShareGroupOffsetsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("Responses", "responses", "[]struct", AlterShareGroupOffsetsResponseTopic),
    )
    NAME: ClassVar = "AlterShareGroupOffsetsResponse"
    API_KEY: ClassVar = 91
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    responses: list[AlterShareGroupOffsetsResponseTopic] = []


def decode_alter_share_group_offsets_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AlterShareGroupOffsetsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupId")
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[AlterShareGroupOffsetsRequestTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicName")
            if n < 0:
                raise null("TopicName")
            topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
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
            topics_partitions: list[AlterShareGroupOffsetsRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_start_offset = _read_iq(buf, pos)
                pos += 12
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(AlterShareGroupOffsetsRequestPartition(topics_partitions_partition_index, topics_partitions_start_offset))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(AlterShareGroupOffsetsRequestTopic(topics_topic_name, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AlterShareGroupOffsetsRequest(group_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_share_group_offsets_request_v0(out: bytearray, m: AlterShareGroupOffsetsRequest) -> None:
    try:
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            text = topics_item.topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicName")
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_iq(topics_partitions_item.partition_index, topics_partitions_item.start_offset)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterShareGroupOffsetsRequest", error) from error

AlterShareGroupOffsetsRequest.DECODERS = {
    0: decode_alter_share_group_offsets_request_v0,
}

AlterShareGroupOffsetsRequest.ENCODERS = {
    0: encode_alter_share_group_offsets_request_v0,
}



def decode_alter_share_group_offsets_response_v0(buf: bytes, pos: int, end: int) -> tuple[AlterShareGroupOffsetsResponse, int]:
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
        responses: list[AlterShareGroupOffsetsResponseTopic] = []
        responses_count = n
        for _ in range(responses_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicName")
            if n < 0:
                raise null("TopicName")
            responses_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            responses_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            responses_partitions: list[AlterShareGroupOffsetsResponsePartition] = []
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
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                responses_partitions.append(AlterShareGroupOffsetsResponsePartition(responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_error_message))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(AlterShareGroupOffsetsResponseTopic(responses_topic_name, responses_topic_id, responses_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = AlterShareGroupOffsetsResponse(throttle_time_ms, error_code, error_message, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_share_group_offsets_response_v0(out: bytearray, m: AlterShareGroupOffsetsResponse) -> None:
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
            text = responses_item.topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicName")
            out += text
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
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterShareGroupOffsetsResponse", error) from error

AlterShareGroupOffsetsResponse.DECODERS = {
    0: decode_alter_share_group_offsets_response_v0,
}

AlterShareGroupOffsetsResponse.ENCODERS = {
    0: encode_alter_share_group_offsets_response_v0,
}

__all__ = [
    "AlterShareGroupOffsetsRequest", "AlterShareGroupOffsetsRequestPartition",
    "AlterShareGroupOffsetsRequestTopic", "AlterShareGroupOffsetsResponse",
    "AlterShareGroupOffsetsResponsePartition", "AlterShareGroupOffsetsResponseTopic",
]
