# Generated from schemas/messages/SyncGroupRequest.json and schemas/messages/SyncGroupResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.sync_group import (
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
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
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


def decode_sync_group_request_v0_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[SyncGroupRequest, int]]:
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
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Assignments")
        if n > end - pos:
            check_count(n, pos, end)
        assignments: list[SyncGroupRequestAssignment] = []
        assignments_count = n
        for _ in range(assignments_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("MemberId")
            assignments_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Assignment")
            assignments_assignment = buf[pos : pos + n]
            pos += n
            assignments.append(SyncGroupRequestAssignment(assignments_member_id, assignments_assignment))
        message = SyncGroupRequest(group_id, generation_id, member_id, None, None, None, assignments)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_sync_group_request_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[SyncGroupRequest, int]]:
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
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Assignments")
        if n > end - pos:
            check_count(n, pos, end)
        assignments: list[SyncGroupRequestAssignment] = []
        assignments_count = n
        for _ in range(assignments_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("MemberId")
            assignments_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Assignment")
            assignments_assignment = buf[pos : pos + n]
            pos += n
            assignments.append(SyncGroupRequestAssignment(assignments_member_id, assignments_assignment))
        message = SyncGroupRequest(group_id, generation_id, member_id, group_instance_id, None, None, assignments)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_sync_group_request_v4(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[SyncGroupRequest, int]]:
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Assignments")
        if n > end - pos:
            check_count(n, pos, end)
        assignments: list[SyncGroupRequestAssignment] = []
        assignments_count = n
        for _ in range(assignments_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("MemberId", n)
            if n < 0:
                raise null("MemberId")
            assignments_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Assignment")
            assignments_assignment = buf[pos : pos + n]
            pos += n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            assignments.append(SyncGroupRequestAssignment(assignments_member_id, assignments_assignment))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = SyncGroupRequest(group_id, generation_id, member_id, group_instance_id, None, None, assignments)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_sync_group_request_v5(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[SyncGroupRequest, int]]:
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ProtocolType", n)
        protocol_type: str | None = None
        if n >= 0:
            protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ProtocolName", n)
        protocol_name: str | None = None
        if n >= 0:
            protocol_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Assignments")
        if n > end - pos:
            check_count(n, pos, end)
        assignments: list[SyncGroupRequestAssignment] = []
        assignments_count = n
        for _ in range(assignments_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("MemberId", n)
            if n < 0:
                raise null("MemberId")
            assignments_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Assignment")
            assignments_assignment = buf[pos : pos + n]
            pos += n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            assignments.append(SyncGroupRequestAssignment(assignments_member_id, assignments_assignment))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = SyncGroupRequest(group_id, generation_id, member_id, group_instance_id, protocol_type, protocol_name, assignments)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_sync_group_response_v0(out: bytearray, m: SyncGroupResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        assignment = m.assignment
        out += _write_i(len(assignment))
        out += assignment
    except UNFIT as error:
        raise unfit("SyncGroupResponse", error) from error


def encode_sync_group_response_v1_v3(out: bytearray, m: SyncGroupResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        assignment = m.assignment
        out += _write_i(len(assignment))
        out += assignment
    except UNFIT as error:
        raise unfit("SyncGroupResponse", error) from error


def encode_sync_group_response_v4(out: bytearray, m: SyncGroupResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        assignment = m.assignment
        n = len(assignment) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += assignment
        out.append(0)
    except UNFIT as error:
        raise unfit("SyncGroupResponse", error) from error


def encode_sync_group_response_v5(out: bytearray, m: SyncGroupResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        protocol_type = m.protocol_type
        if protocol_type is None:
            out.append(0)
        else:
            text = protocol_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ProtocolType", n - 1)
                write_uvarint(out, n)
            out += text
        protocol_name = m.protocol_name
        if protocol_name is None:
            out.append(0)
        else:
            text = protocol_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ProtocolName", n - 1)
                write_uvarint(out, n)
            out += text
        assignment = m.assignment
        n = len(assignment) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += assignment
        out.append(0)
    except UNFIT as error:
        raise unfit("SyncGroupResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_sync_group_request_v0_v2,
    1: decode_sync_group_request_v0_v2,
    2: decode_sync_group_request_v0_v2,
    3: decode_sync_group_request_v3,
    4: decode_sync_group_request_v4,
    5: decode_sync_group_request_v5,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_sync_group_response_v0,
    1: encode_sync_group_response_v1_v3,
    2: encode_sync_group_response_v1_v3,
    3: encode_sync_group_response_v1_v3,
    4: encode_sync_group_response_v4,
    5: encode_sync_group_response_v5,
}

__all__ = ["DECODERS", "ENCODERS"]
