# Generated from schemas/messages/DeleteTopicsRequest.json and schemas/messages/DeleteTopicsResponse.json. Edit that, then run make generate.

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
_uh = struct.Struct(">16sh")
_read_uh = _uh.unpack_from
_write_uh = _uh.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class DeleteTopicState(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
    )
    name: str | None = None
    topic_id: bytes = ZERO_UUID


class DeleteTopicsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topics", "topics", "[]struct", DeleteTopicState),
        ("TopicNames", "topic_names", "[]string", None),
        ("TimeoutMs", "timeout_ms", "int32", None),
    )
    NAME: ClassVar = "DeleteTopicsRequest"
    API_KEY: ClassVar = 20
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 6
    FLEXIBLE_FROM: ClassVar = 4
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topics: list[DeleteTopicState] = []
    topic_names: list[str] = []
    timeout_ms: int = 0


class DeletableTopicResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    name: str | None = ""
    topic_id: bytes = ZERO_UUID
    error_code: int = 0
    error_message: str | None = None


class DeleteTopicsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Responses", "responses", "[]struct", DeletableTopicResult),
    )
    NAME: ClassVar = "DeleteTopicsResponse"
    API_KEY: ClassVar = 20
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 6
    FLEXIBLE_FROM: ClassVar = 4
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    responses: list[DeletableTopicResult] = []


def decode_delete_topics_request_v1_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DeleteTopicsRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("TopicNames", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topic_names: list[str] = []
        topic_names_count = n
        for _ in range(topic_names_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("TopicNames")
            topic_names_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topic_names.append(topic_names_item)
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        message = DeleteTopicsRequest([], topic_names, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_topics_request_v1_v3(out: bytearray, m: DeleteTopicsRequest) -> None:
    try:
        topic_names = m.topic_names
        out += _write_i(len(topic_names))
        for topic_names_item in topic_names:
            text = topic_names_item.encode()
            out += _write_h(len(text))
            out += text
        out += _write_i(m.timeout_ms)
    except UNFIT as error:
        raise unfit("DeleteTopicsRequest", error) from error


def decode_delete_topics_request_v4_v5(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DeleteTopicsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("TopicNames", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topic_names: list[str] = []
        topic_names_count = n
        for _ in range(topic_names_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicNames")
            if n < 0:
                raise null("TopicNames")
            topic_names_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topic_names.append(topic_names_item)
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DeleteTopicsRequest([], topic_names, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_topics_request_v4_v5(out: bytearray, m: DeleteTopicsRequest) -> None:
    try:
        topic_names = m.topic_names
        n = len(topic_names) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topic_names_item in topic_names:
            text = topic_names_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicNames")
            out += text
        out += _write_i(m.timeout_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteTopicsRequest", error) from error


def decode_delete_topics_request_v6(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DeleteTopicsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[DeleteTopicState] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            topics_name: str | None = None
            if n >= 0:
                topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(DeleteTopicState(topics_name, topics_topic_id))
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DeleteTopicsRequest(topics, [], timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_topics_request_v6(out: bytearray, m: DeleteTopicsRequest) -> None:
    try:
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            topics_name = topics_item.name
            if topics_name is None:
                out.append(0)
            else:
                text = topics_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
            out += _write_u(topics_item.topic_id)
            out.append(0)
        out += _write_i(m.timeout_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteTopicsRequest", error) from error

DeleteTopicsRequest.DECODERS = {
    1: decode_delete_topics_request_v1_v3, 2: decode_delete_topics_request_v1_v3,
    3: decode_delete_topics_request_v1_v3,
    4: decode_delete_topics_request_v4_v5, 5: decode_delete_topics_request_v4_v5,
    6: decode_delete_topics_request_v6,
}

DeleteTopicsRequest.ENCODERS = {
    1: encode_delete_topics_request_v1_v3, 2: encode_delete_topics_request_v1_v3,
    3: encode_delete_topics_request_v1_v3,
    4: encode_delete_topics_request_v4_v5, 5: encode_delete_topics_request_v4_v5,
    6: encode_delete_topics_request_v6,
}



def decode_delete_topics_response_v1_v3(buf: bytes, pos: int, end: int) -> tuple[DeleteTopicsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[DeletableTopicResult] = []
        responses_count = n
        for _ in range(responses_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            responses_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            responses_error_code, = _read_h(buf, pos)
            pos += 2
            responses.append(DeletableTopicResult(responses_name, ZERO_UUID, responses_error_code))
        message = DeleteTopicsResponse(throttle_time_ms, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_topics_response_v1_v3(out: bytearray, m: DeleteTopicsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            responses_name = responses_item.name
            if responses_name is None:
                raise null("Name")
            text = responses_name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_h(responses_item.error_code)
    except UNFIT as error:
        raise unfit("DeleteTopicsResponse", error) from error


def decode_delete_topics_response_v4(buf: bytes, pos: int, end: int) -> tuple[DeleteTopicsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[DeletableTopicResult] = []
        responses_count = n
        for _ in range(responses_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            responses_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            responses_error_code, = _read_h(buf, pos)
            pos += 2
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(DeletableTopicResult(responses_name, ZERO_UUID, responses_error_code))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DeleteTopicsResponse(throttle_time_ms, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_topics_response_v4(out: bytearray, m: DeleteTopicsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            responses_name = responses_item.name
            if responses_name is None:
                raise null("Name")
            text = responses_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            out += _write_h(responses_item.error_code)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteTopicsResponse", error) from error


def decode_delete_topics_response_v5(buf: bytes, pos: int, end: int) -> tuple[DeleteTopicsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[DeletableTopicResult] = []
        responses_count = n
        for _ in range(responses_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            responses_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            responses_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            responses_error_message: str | None = None
            if n >= 0:
                responses_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(DeletableTopicResult(responses_name, ZERO_UUID, responses_error_code, responses_error_message))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DeleteTopicsResponse(throttle_time_ms, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_topics_response_v5(out: bytearray, m: DeleteTopicsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            responses_name = responses_item.name
            if responses_name is None:
                raise null("Name")
            text = responses_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            out += _write_h(responses_item.error_code)
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
        raise unfit("DeleteTopicsResponse", error) from error


def decode_delete_topics_response_v6(buf: bytes, pos: int, end: int) -> tuple[DeleteTopicsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[DeletableTopicResult] = []
        responses_count = n
        for _ in range(responses_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            responses_name: str | None = None
            if n >= 0:
                responses_name = buf[pos : pos + n].decode("utf-8", "java")
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
            responses.append(DeletableTopicResult(responses_name, responses_topic_id, responses_error_code, responses_error_message))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DeleteTopicsResponse(throttle_time_ms, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_topics_response_v6(out: bytearray, m: DeleteTopicsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            responses_name = responses_item.name
            if responses_name is None:
                out.append(0)
            else:
                text = responses_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
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
        raise unfit("DeleteTopicsResponse", error) from error

DeleteTopicsResponse.DECODERS = {
    1: decode_delete_topics_response_v1_v3, 2: decode_delete_topics_response_v1_v3,
    3: decode_delete_topics_response_v1_v3,
    4: decode_delete_topics_response_v4,
    5: decode_delete_topics_response_v5,
    6: decode_delete_topics_response_v6,
}

DeleteTopicsResponse.ENCODERS = {
    1: encode_delete_topics_response_v1_v3, 2: encode_delete_topics_response_v1_v3,
    3: encode_delete_topics_response_v1_v3,
    4: encode_delete_topics_response_v4,
    5: encode_delete_topics_response_v5,
    6: encode_delete_topics_response_v6,
}

__all__ = [
    "DeletableTopicResult", "DeleteTopicState", "DeleteTopicsRequest", "DeleteTopicsResponse",
]
