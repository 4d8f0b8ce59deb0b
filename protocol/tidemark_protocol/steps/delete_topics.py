# Generated from schemas/messages/DeleteTopicsRequest.json and schemas/messages/DeleteTopicsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.delete_topics import (
    DeleteTopicState,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    UNSET,
    check_count,
    check_end,
    null,
    read_uvarint,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
    write_uvarint,
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


def decode_delete_topics_request_v1_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DeleteTopicsRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("TopicNames")
        if n > end - pos:
            check_count(n, pos, end)
        topic_names: list[str] = []
        topic_names_count = n
        for _ in range(topic_names_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("TopicNames")
            topic_names_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topic_names.append(topic_names_item)
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        message = DeleteTopicsRequest(UNSET, topic_names, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_delete_topics_request_v4_v5(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DeleteTopicsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("TopicNames")
        if n > end - pos:
            check_count(n, pos, end)
        topic_names: list[str] = []
        topic_names_count = n
        for _ in range(topic_names_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("TopicNames", n)
            if n < 0:
                raise null("TopicNames")
            topic_names_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topic_names.append(topic_names_item)
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DeleteTopicsRequest(UNSET, topic_names, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_delete_topics_request_v6(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DeleteTopicsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[DeleteTopicState] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Name", n)
            topics_name: str | None = None
            if n >= 0:
                topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(DeleteTopicState(topics_name, topics_topic_id))
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DeleteTopicsRequest(topics, UNSET, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_delete_topics_response_v1_v3(out: bytearray, m: DeleteTopicsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            yield 1
            responses_name = responses_item.name
            if responses_name is None:
                raise null("Name")
            text = responses_name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_h(responses_item.error_code)
    except UNFIT as error:
        raise unfit("DeleteTopicsResponse", error) from error


def encode_delete_topics_response_v4(out: bytearray, m: DeleteTopicsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            yield 1
            responses_name = responses_item.name
            if responses_name is None:
                raise null("Name")
            text = responses_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Name", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_h(responses_item.error_code)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteTopicsResponse", error) from error


def encode_delete_topics_response_v5(out: bytearray, m: DeleteTopicsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            yield 1
            responses_name = responses_item.name
            if responses_name is None:
                raise null("Name")
            text = responses_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Name", n - 1)
                write_uvarint(out, n)
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
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteTopicsResponse", error) from error


def encode_delete_topics_response_v6(out: bytearray, m: DeleteTopicsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            yield 1
            responses_name = responses_item.name
            if responses_name is None:
                out.append(0)
            else:
                text = responses_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Name", n - 1)
                    write_uvarint(out, n)
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
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteTopicsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    1: decode_delete_topics_request_v1_v3,
    2: decode_delete_topics_request_v1_v3,
    3: decode_delete_topics_request_v1_v3,
    4: decode_delete_topics_request_v4_v5,
    5: decode_delete_topics_request_v4_v5,
    6: decode_delete_topics_request_v6,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    1: encode_delete_topics_response_v1_v3,
    2: encode_delete_topics_response_v1_v3,
    3: encode_delete_topics_response_v1_v3,
    4: encode_delete_topics_response_v4,
    5: encode_delete_topics_response_v5,
    6: encode_delete_topics_response_v6,
}

__all__ = ["DECODERS", "ENCODERS"]
