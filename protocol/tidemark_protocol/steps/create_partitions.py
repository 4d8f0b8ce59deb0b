# Generated from schemas/messages/CreatePartitionsRequest.json and schemas/messages/CreatePartitionsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
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

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iz = struct.Struct(">i?")
_read_iz = _iz.unpack_from
_write_iz = _iz.pack


def decode_create_partitions_request_v0_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[CreatePartitionsRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[CreatePartitionsTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
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
                topics_assignments_list: list[CreatePartitionsAssignment] = []
                topics_assignments_count = n
                for _ in range(topics_assignments_count):
                    yield 1
                    n = _read_i(buf, pos)[0]
                    pos += 4
                    if n < 0:
                        raise null("BrokerIds")
                    if n > end - pos:
                        check_count(n, pos, end)
                    yield n
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
    check_end(pos, end)
    return message, pos


def decode_create_partitions_request_v2_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[CreatePartitionsRequest, int]]:
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
        topics: list[CreatePartitionsTopic] = []
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
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_count, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            topics_assignments: list[CreatePartitionsAssignment] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                topics_assignments_list: list[CreatePartitionsAssignment] = []
                topics_assignments_count = n
                for _ in range(topics_assignments_count):
                    yield 1
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_uvarint(buf, pos - 1)
                        n -= 1
                    if n < 0:
                        raise null("BrokerIds")
                    if n > end - pos:
                        check_count(n, pos, end)
                    yield n
                    topics_assignments_broker_ids: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    if buf[pos]:
                        pos = yield from skip_tags_in_steps(buf, pos, end)
                    else:
                        pos += 1
                    topics_assignments_list.append(CreatePartitionsAssignment(topics_assignments_broker_ids))
                topics_assignments = topics_assignments_list
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(CreatePartitionsTopic(topics_name, topics_count, topics_assignments))
        timeout_ms, validate_only = _read_iz(buf, pos)
        pos += 5
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = CreatePartitionsRequest(topics, timeout_ms, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_create_partitions_response_v0_v1(out: bytearray, m: CreatePartitionsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        results = m.results
        out += _write_i(len(results))
        for results_item in results:
            yield 1
            results_name = results_item.name
            text = results_name.encode()
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


def encode_create_partitions_response_v2_v3(out: bytearray, m: CreatePartitionsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            yield 1
            results_name = results_item.name
            text = results_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Name", n - 1)
                write_uvarint(out, n)
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
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("CreatePartitionsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_create_partitions_request_v0_v1,
    1: decode_create_partitions_request_v0_v1,
    2: decode_create_partitions_request_v2_v3,
    3: decode_create_partitions_request_v2_v3,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_create_partitions_response_v0_v1,
    1: encode_create_partitions_response_v0_v1,
    2: encode_create_partitions_response_v2_v3,
    3: encode_create_partitions_response_v2_v3,
}

__all__ = ["DECODERS", "ENCODERS"]
