# Generated from schemas/messages/HeartbeatRequest.json and schemas/messages/HeartbeatResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_text_length, skip_tags, skip_tags_within,
    too_short, unfit, write_text_length,
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


class HeartbeatRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("GenerationId", "generation_id", "int32", None),
        ("MemberId", "member_id", "string", None),
        ("GroupInstanceId", "group_instance_id", "string", None),
    )
    NAME: ClassVar = "HeartbeatRequest"
    API_KEY: ClassVar = 12
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 4
    FLEXIBLE_FROM: ClassVar = 4
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    generation_id: int = 0
    member_id: str = ""
    group_instance_id: str | None = None


class HeartbeatResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
    )
    NAME: ClassVar = "HeartbeatResponse"
    API_KEY: ClassVar = 12
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 4
    FLEXIBLE_FROM: ClassVar = 4
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0


def decode_heartbeat_request_v0_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[HeartbeatRequest, int]:
    try:
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
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_heartbeat_request_v0_v2(out: bytearray, m: HeartbeatRequest) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        out += _write_i(m.generation_id)
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("HeartbeatRequest", error) from error


def decode_heartbeat_request_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[HeartbeatRequest, int]:
    try:
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
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_heartbeat_request_v3(out: bytearray, m: HeartbeatRequest) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        out += _write_i(m.generation_id)
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
        group_instance_id = m.group_instance_id
        if group_instance_id is None:
            out += _write_h(-1)
        else:
            text = group_instance_id.encode()
            out += _write_h(len(text))
            out += text
    except UNFIT as error:
        raise unfit("HeartbeatRequest", error) from error


def decode_heartbeat_request_v4(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[HeartbeatRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupId")
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "MemberId")
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupInstanceId")
        group_instance_id: str | None = None
        if n >= 0:
            group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = HeartbeatRequest(group_id, generation_id, member_id, group_instance_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_heartbeat_request_v4(out: bytearray, m: HeartbeatRequest) -> None:
    try:
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        out += _write_i(m.generation_id)
        text = m.member_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "MemberId")
        out += text
        group_instance_id = m.group_instance_id
        if group_instance_id is None:
            out.append(0)
        else:
            text = group_instance_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupInstanceId")
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("HeartbeatRequest", error) from error

HeartbeatRequest.DECODERS = {
    0: decode_heartbeat_request_v0_v2, 1: decode_heartbeat_request_v0_v2, 2: decode_heartbeat_request_v0_v2,
    3: decode_heartbeat_request_v3,
    4: decode_heartbeat_request_v4,
}

HeartbeatRequest.ENCODERS = {
    0: encode_heartbeat_request_v0_v2, 1: encode_heartbeat_request_v0_v2, 2: encode_heartbeat_request_v0_v2,
    3: encode_heartbeat_request_v3,
    4: encode_heartbeat_request_v4,
}



def decode_heartbeat_response_v0(buf: bytes, pos: int, end: int) -> tuple[HeartbeatResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        message = HeartbeatResponse(0, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_heartbeat_response_v0(out: bytearray, m: HeartbeatResponse) -> None:
    try:
        out += _write_h(m.error_code)
    except UNFIT as error:
        raise unfit("HeartbeatResponse", error) from error


def decode_heartbeat_response_v1_v3(buf: bytes, pos: int, end: int) -> tuple[HeartbeatResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        message = HeartbeatResponse(throttle_time_ms, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_heartbeat_response_v1_v3(out: bytearray, m: HeartbeatResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
    except UNFIT as error:
        raise unfit("HeartbeatResponse", error) from error


def decode_heartbeat_response_v4(buf: bytes, pos: int, end: int) -> tuple[HeartbeatResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = HeartbeatResponse(throttle_time_ms, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_heartbeat_response_v4(out: bytearray, m: HeartbeatResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        out.append(0)
    except UNFIT as error:
        raise unfit("HeartbeatResponse", error) from error

HeartbeatResponse.DECODERS = {
    0: decode_heartbeat_response_v0,
    1: decode_heartbeat_response_v1_v3, 2: decode_heartbeat_response_v1_v3,
    3: decode_heartbeat_response_v1_v3,
    4: decode_heartbeat_response_v4,
}

HeartbeatResponse.ENCODERS = {
    0: encode_heartbeat_response_v0,
    1: encode_heartbeat_response_v1_v3, 2: encode_heartbeat_response_v1_v3,
    3: encode_heartbeat_response_v1_v3,
    4: encode_heartbeat_response_v4,
}

__all__ = [
    "HeartbeatRequest", "HeartbeatResponse",
]
