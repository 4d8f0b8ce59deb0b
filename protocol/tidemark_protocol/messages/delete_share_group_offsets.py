# Generated from schemas/messages/DeleteShareGroupOffsetsRequest.json and schemas/messages/DeleteShareGroupOffsetsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_uh = struct.Struct(">16sh")
_read_uh = _uh.unpack_from
_write_uh = _uh.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class DeleteShareGroupOffsetsRequestTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
    )
    topic_name: str = ""


class DeleteShareGroupOffsetsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("Topics", "topics", "[]struct", DeleteShareGroupOffsetsRequestTopic),
    )
    NAME: ClassVar = "DeleteShareGroupOffsetsRequest"
    API_KEY: ClassVar = 92
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    topics: list[DeleteShareGroupOffsetsRequestTopic] = []


class DeleteShareGroupOffsetsResponseTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    topic_name: str = ""
    topic_id: bytes = ZERO_UUID
    error_code: int = 0
    error_message: str | None = None


class DeleteShareGroupOffsetsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("Responses", "responses", "[]struct", DeleteShareGroupOffsetsResponseTopic),
    )
    NAME: ClassVar = "DeleteShareGroupOffsetsResponse"
    API_KEY: ClassVar = 92
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    responses: list[DeleteShareGroupOffsetsResponseTopic] = []


def decode_delete_share_group_offsets_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DeleteShareGroupOffsetsRequest, int]:
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
        topics: list[DeleteShareGroupOffsetsRequestTopic] = []
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
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(DeleteShareGroupOffsetsRequestTopic(topics_topic_name))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DeleteShareGroupOffsetsRequest(group_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_share_group_offsets_request_v0(out: bytearray, m: DeleteShareGroupOffsetsRequest) -> None:
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
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteShareGroupOffsetsRequest", error) from error

DeleteShareGroupOffsetsRequest.DECODERS = {
    0: decode_delete_share_group_offsets_request_v0,
}

DeleteShareGroupOffsetsRequest.ENCODERS = {
    0: encode_delete_share_group_offsets_request_v0,
}



def decode_delete_share_group_offsets_response_v0(buf: bytes, pos: int, end: int) -> tuple[DeleteShareGroupOffsetsResponse, int]:
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
        responses: list[DeleteShareGroupOffsetsResponseTopic] = []
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
            responses_topic_id, responses_error_code = _read_uh(buf, pos)
            pos += 18
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            responses_error_message: str | None = None
            if n >= 0:
                responses_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(DeleteShareGroupOffsetsResponseTopic(responses_topic_name, responses_topic_id, responses_error_code, responses_error_message))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DeleteShareGroupOffsetsResponse(throttle_time_ms, error_code, error_message, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_share_group_offsets_response_v0(out: bytearray, m: DeleteShareGroupOffsetsResponse) -> None:
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
            out += _write_uh(responses_item.topic_id, responses_item.error_code)
            responses_error_message = responses_item.error_message
            if responses_error_message is None:
                out.append(0)
            else:
                text = responses_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ErrorMessage")
                out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteShareGroupOffsetsResponse", error) from error

DeleteShareGroupOffsetsResponse.DECODERS = {
    0: decode_delete_share_group_offsets_response_v0,
}

DeleteShareGroupOffsetsResponse.ENCODERS = {
    0: encode_delete_share_group_offsets_response_v0,
}

__all__ = [
    "DeleteShareGroupOffsetsRequest", "DeleteShareGroupOffsetsRequestTopic",
    "DeleteShareGroupOffsetsResponse", "DeleteShareGroupOffsetsResponseTopic",
]
