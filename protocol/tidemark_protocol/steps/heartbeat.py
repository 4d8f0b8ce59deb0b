# Generated from schemas/messages/HeartbeatRequest.json and schemas/messages/HeartbeatResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.heartbeat import (
    HeartbeatRequest,
    HeartbeatResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    check_end,
    null,
    read_uvarint,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


def decode_heartbeat_request_v0_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[HeartbeatRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation_id, = _read_i(buf, pos)
        pos += 4
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = HeartbeatRequest(group_id, generation_id, member_id)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_heartbeat_request_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[HeartbeatRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation_id, = _read_i(buf, pos)
        pos += 4
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        group_instance_id: str | None = None
        if n >= 0:
            group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        message = HeartbeatRequest(group_id, generation_id, member_id, group_instance_id)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_heartbeat_request_v4(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[HeartbeatRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("GroupId", n)
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("MemberId", n)
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("GroupInstanceId", n)
        group_instance_id: str | None = None
        if n >= 0:
            group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = HeartbeatRequest(group_id, generation_id, member_id, group_instance_id)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_heartbeat_response_v0(out: bytearray, m: HeartbeatResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
    except UNFIT as error:
        raise unfit("HeartbeatResponse", error) from error


def encode_heartbeat_response_v1_v3(out: bytearray, m: HeartbeatResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
    except UNFIT as error:
        raise unfit("HeartbeatResponse", error) from error


def encode_heartbeat_response_v4(out: bytearray, m: HeartbeatResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        out.append(0)
    except UNFIT as error:
        raise unfit("HeartbeatResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_heartbeat_request_v0_v2,
    1: decode_heartbeat_request_v0_v2,
    2: decode_heartbeat_request_v0_v2,
    3: decode_heartbeat_request_v3,
    4: decode_heartbeat_request_v4,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_heartbeat_response_v0,
    1: encode_heartbeat_response_v1_v3,
    2: encode_heartbeat_response_v1_v3,
    3: encode_heartbeat_response_v1_v3,
    4: encode_heartbeat_response_v4,
}

__all__ = ["DECODERS", "ENCODERS"]
