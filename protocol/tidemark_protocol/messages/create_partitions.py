# Generated from schemas/messages/CreatePartitionsRequest.json and schemas/messages/CreatePartitionsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, check_count, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iz = struct.Struct(">i?")
_read_iz = _iz.unpack_from
_write_iz = _iz.pack


class CreatePartitionsAssignment(Struct, gc=False):
    FIELDS: ClassVar = (
        ("BrokerIds", "broker_ids", "[]int32", None),
    )
    broker_ids: list[int] = []


class CreatePartitionsTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Count", "count", "int32", None),
        ("Assignments", "assignments", "[]struct", CreatePartitionsAssignment),
    )
    name: str = ""
    count: int = 0
    assignments: list[CreatePartitionsAssignment] | None = []


class CreatePartitionsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topics", "topics", "[]struct", CreatePartitionsTopic),
        ("TimeoutMs", "timeout_ms", "int32", None),
        ("ValidateOnly", "validate_only", "bool", None),
    )
    NAME: ClassVar = "CreatePartitionsRequest"
    API_KEY: ClassVar = 37
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topics: list[CreatePartitionsTopic] = []
    timeout_ms: int = 0
    validate_only: bool = False


class CreatePartitionsTopicResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    name: str = ""
    error_code: int = 0
    error_message: str | None = None


class CreatePartitionsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Results", "results", "[]struct", CreatePartitionsTopicResult),
    )
    NAME: ClassVar = "CreatePartitionsResponse"
    API_KEY: ClassVar = 37
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    results: list[CreatePartitionsTopicResult] = []


def decode_create_partitions_request_v0_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[CreatePartitionsRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[CreatePartitionsTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_count, = _read_i(buf, pos)
            pos += 4
            n = _read_i(buf, pos)[0]
            pos += 4
            topics_assignments: list[CreatePartitionsAssignment] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topics_assignments_list: list[CreatePartitionsAssignment] = []
                topics_assignments_count = n
                for _ in range(topics_assignments_count):
                    n = _read_i(buf, pos)[0]
                    pos += 4
                    if not 0 <= n <= end - pos:
                        raise wrong_count("BrokerIds", n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    topics_assignments_broker_ids: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    topics_assignments_list.append(CreatePartitionsAssignment(topics_assignments_broker_ids))
                topics_assignments = topics_assignments_list
            topics.append(CreatePartitionsTopic(topics_name, topics_count, topics_assignments))
        timeout_ms, validate_only = _read_iz(buf, pos)
        pos += 5
        message = CreatePartitionsRequest(topics, timeout_ms, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_partitions_request_v0_v1(out: bytearray, m: CreatePartitionsRequest) -> None:
    try:
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_i(topics_item.count)
            topics_assignments = topics_item.assignments
            if topics_assignments is None:
                out += _write_i(-1)
            else:
                out += _write_i(len(topics_assignments))
                for topics_assignments_item in topics_assignments:
                    topics_assignments_broker_ids = topics_assignments_item.broker_ids
                    out += _write_i(len(topics_assignments_broker_ids))
                    out += struct.pack(f">{len(topics_assignments_broker_ids)}i", *topics_assignments_broker_ids)
        out += _write_iz(m.timeout_ms, m.validate_only)
    except UNFIT as error:
        raise unfit("CreatePartitionsRequest", error) from error


def decode_create_partitions_request_v2_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[CreatePartitionsRequest, int]:
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
        topics: list[CreatePartitionsTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_count, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            topics_assignments: list[CreatePartitionsAssignment] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topics_assignments_list: list[CreatePartitionsAssignment] = []
                topics_assignments_count = n
                for _ in range(topics_assignments_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("BrokerIds", n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    topics_assignments_broker_ids: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    topics_assignments_list.append(CreatePartitionsAssignment(topics_assignments_broker_ids))
                topics_assignments = topics_assignments_list
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(CreatePartitionsTopic(topics_name, topics_count, topics_assignments))
        timeout_ms, validate_only = _read_iz(buf, pos)
        pos += 5
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = CreatePartitionsRequest(topics, timeout_ms, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_partitions_request_v2_v3(out: bytearray, m: CreatePartitionsRequest) -> None:
    try:
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            text = topics_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            out += _write_i(topics_item.count)
            topics_assignments = topics_item.assignments
            if topics_assignments is None:
                out.append(0)
            else:
                n = len(topics_assignments) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_assignments_item in topics_assignments:
                    topics_assignments_broker_ids = topics_assignments_item.broker_ids
                    n = len(topics_assignments_broker_ids) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topics_assignments_broker_ids)}i", *topics_assignments_broker_ids)
                    out.append(0)
            out.append(0)
        out += _write_iz(m.timeout_ms, m.validate_only)
        out.append(0)
    except UNFIT as error:
        raise unfit("CreatePartitionsRequest", error) from error

CreatePartitionsRequest.DECODERS = {
    0: decode_create_partitions_request_v0_v1, 1: decode_create_partitions_request_v0_v1,
    2: decode_create_partitions_request_v2_v3, 3: decode_create_partitions_request_v2_v3,
}

CreatePartitionsRequest.ENCODERS = {
    0: encode_create_partitions_request_v0_v1, 1: encode_create_partitions_request_v0_v1,
    2: encode_create_partitions_request_v2_v3, 3: encode_create_partitions_request_v2_v3,
}



def decode_create_partitions_response_v0_v1(buf: bytes, pos: int, end: int) -> tuple[CreatePartitionsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[CreatePartitionsTopicResult] = []
        results_count = n
        for _ in range(results_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            results_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            results_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            results_error_message: str | None = None
            if n >= 0:
                results_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            results.append(CreatePartitionsTopicResult(results_name, results_error_code, results_error_message))
        message = CreatePartitionsResponse(throttle_time_ms, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_partitions_response_v0_v1(out: bytearray, m: CreatePartitionsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        results = m.results
        out += _write_i(len(results))
        for results_item in results:
            text = results_item.name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_h(results_item.error_code)
            results_error_message = results_item.error_message
            if results_error_message is None:
                out += _write_h(-1)
            else:
                text = results_error_message.encode()
                out += _write_h(len(text))
                out += text
    except UNFIT as error:
        raise unfit("CreatePartitionsResponse", error) from error


def decode_create_partitions_response_v2_v3(buf: bytes, pos: int, end: int) -> tuple[CreatePartitionsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[CreatePartitionsTopicResult] = []
        results_count = n
        for _ in range(results_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            results_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            results_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            results_error_message: str | None = None
            if n >= 0:
                results_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results.append(CreatePartitionsTopicResult(results_name, results_error_code, results_error_message))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = CreatePartitionsResponse(throttle_time_ms, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_partitions_response_v2_v3(out: bytearray, m: CreatePartitionsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            text = results_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            out += _write_h(results_item.error_code)
            results_error_message = results_item.error_message
            if results_error_message is None:
                out.append(0)
            else:
                text = results_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ErrorMessage")
                out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("CreatePartitionsResponse", error) from error

CreatePartitionsResponse.DECODERS = {
    0: decode_create_partitions_response_v0_v1, 1: decode_create_partitions_response_v0_v1,
    2: decode_create_partitions_response_v2_v3, 3: decode_create_partitions_response_v2_v3,
}

CreatePartitionsResponse.ENCODERS = {
    0: encode_create_partitions_response_v0_v1, 1: encode_create_partitions_response_v0_v1,
    2: encode_create_partitions_response_v2_v3, 3: encode_create_partitions_response_v2_v3,
}

__all__ = [
    "CreatePartitionsAssignment", "CreatePartitionsRequest", "CreatePartitionsResponse",
    "CreatePartitionsTopic", "CreatePartitionsTopicResult",
]
