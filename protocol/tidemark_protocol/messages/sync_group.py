# Generated from schemas/messages/SyncGroupRequest.json and schemas/messages/SyncGroupResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
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


class SyncGroupRequestAssignment(Struct, gc=False):
    FIELDS: ClassVar = (
        ("MemberId", "member_id", "string", None),
        ("Assignment", "assignment", "bytes", None),
    )
    member_id: str = ""
    assignment: bytes = b""


class SyncGroupRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("GenerationId", "generation_id", "int32", None),
        ("MemberId", "member_id", "string", None),
        ("GroupInstanceId", "group_instance_id", "string", None),
        ("ProtocolType", "protocol_type", "string", None),
        ("ProtocolName", "protocol_name", "string", None),
        ("Assignments", "assignments", "[]struct", SyncGroupRequestAssignment),
    )
    NAME: ClassVar = "SyncGroupRequest"
    API_KEY: ClassVar = 14
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 5
    FLEXIBLE_FROM: ClassVar = 4
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    generation_id: int = 0
    member_id: str = ""
    group_instance_id: str | None = None
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignments: list[SyncGroupRequestAssignment] = []


class SyncGroupResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ProtocolType", "protocol_type", "string", None),
        ("ProtocolName", "protocol_name", "string", None),
        ("Assignment", "assignment", "bytes", None),
    )
    NAME: ClassVar = "SyncGroupResponse"
    API_KEY: ClassVar = 14
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 5
    FLEXIBLE_FROM: ClassVar = 4
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


def decode_sync_group_request_v0_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[SyncGroupRequest, int]:
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
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Assignments", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        assignments: list[SyncGroupRequestAssignment] = []
        assignments_count = n
        for _ in range(assignments_count):
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
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sync_group_request_v0_v2(out: bytearray, m: SyncGroupRequest) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        out += _write_i(m.generation_id)
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
        assignments = m.assignments
        out += _write_i(len(assignments))
        for assignments_item in assignments:
            text = assignments_item.member_id.encode()
            out += _write_h(len(text))
            out += text
            assignments_assignment = assignments_item.assignment
            out += _write_i(len(assignments_assignment))
            out += assignments_assignment
    except UNFIT as error:
        raise unfit("SyncGroupRequest", error) from error


def decode_sync_group_request_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[SyncGroupRequest, int]:
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
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Assignments", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        assignments: list[SyncGroupRequestAssignment] = []
        assignments_count = n
        for _ in range(assignments_count):
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
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sync_group_request_v3(out: bytearray, m: SyncGroupRequest) -> None:
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
        assignments = m.assignments
        out += _write_i(len(assignments))
        for assignments_item in assignments:
            text = assignments_item.member_id.encode()
            out += _write_h(len(text))
            out += text
            assignments_assignment = assignments_item.assignment
            out += _write_i(len(assignments_assignment))
            out += assignments_assignment
    except UNFIT as error:
        raise unfit("SyncGroupRequest", error) from error


def decode_sync_group_request_v4(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[SyncGroupRequest, int]:
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Assignments", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        assignments: list[SyncGroupRequestAssignment] = []
        assignments_count = n
        for _ in range(assignments_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "MemberId")
            if n < 0:
                raise null("MemberId")
            assignments_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if n < 0:
                raise null("Assignment")
            assignments_assignment = buf[pos : pos + n]
            pos += n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            assignments.append(SyncGroupRequestAssignment(assignments_member_id, assignments_assignment))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = SyncGroupRequest(group_id, generation_id, member_id, group_instance_id, None, None, assignments)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sync_group_request_v4(out: bytearray, m: SyncGroupRequest) -> None:
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
        assignments = m.assignments
        n = len(assignments) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for assignments_item in assignments:
            text = assignments_item.member_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "MemberId")
            out += text
            assignments_assignment = assignments_item.assignment
            n = len(assignments_assignment) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += assignments_assignment
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("SyncGroupRequest", error) from error


def decode_sync_group_request_v5(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[SyncGroupRequest, int]:
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ProtocolType")
        protocol_type: str | None = None
        if n >= 0:
            protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ProtocolName")
        protocol_name: str | None = None
        if n >= 0:
            protocol_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Assignments", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        assignments: list[SyncGroupRequestAssignment] = []
        assignments_count = n
        for _ in range(assignments_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "MemberId")
            if n < 0:
                raise null("MemberId")
            assignments_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if n < 0:
                raise null("Assignment")
            assignments_assignment = buf[pos : pos + n]
            pos += n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            assignments.append(SyncGroupRequestAssignment(assignments_member_id, assignments_assignment))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = SyncGroupRequest(group_id, generation_id, member_id, group_instance_id, protocol_type, protocol_name, assignments)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sync_group_request_v5(out: bytearray, m: SyncGroupRequest) -> None:
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
        protocol_type = m.protocol_type
        if protocol_type is None:
            out.append(0)
        else:
            text = protocol_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ProtocolType")
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
                write_text_length(out, n, "ProtocolName")
            out += text
        assignments = m.assignments
        n = len(assignments) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for assignments_item in assignments:
            text = assignments_item.member_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "MemberId")
            out += text
            assignments_assignment = assignments_item.assignment
            n = len(assignments_assignment) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += assignments_assignment
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("SyncGroupRequest", error) from error

SyncGroupRequest.DECODERS = {
    0: decode_sync_group_request_v0_v2, 1: decode_sync_group_request_v0_v2,
    2: decode_sync_group_request_v0_v2,
    3: decode_sync_group_request_v3,
    4: decode_sync_group_request_v4,
    5: decode_sync_group_request_v5,
}

SyncGroupRequest.ENCODERS = {
    0: encode_sync_group_request_v0_v2, 1: encode_sync_group_request_v0_v2,
    2: encode_sync_group_request_v0_v2,
    3: encode_sync_group_request_v3,
    4: encode_sync_group_request_v4,
    5: encode_sync_group_request_v5,
}



def decode_sync_group_response_v0(buf: bytes, pos: int, end: int) -> tuple[SyncGroupResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Assignment")
        assignment = buf[pos : pos + n]
        pos += n
        message = SyncGroupResponse(0, error_code, None, None, assignment)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sync_group_response_v0(out: bytearray, m: SyncGroupResponse) -> None:
    try:
        out += _write_h(m.error_code)
        assignment = m.assignment
        out += _write_i(len(assignment))
        out += assignment
    except UNFIT as error:
        raise unfit("SyncGroupResponse", error) from error


def decode_sync_group_response_v1_v3(buf: bytes, pos: int, end: int) -> tuple[SyncGroupResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Assignment")
        assignment = buf[pos : pos + n]
        pos += n
        message = SyncGroupResponse(throttle_time_ms, error_code, None, None, assignment)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sync_group_response_v1_v3(out: bytearray, m: SyncGroupResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        assignment = m.assignment
        out += _write_i(len(assignment))
        out += assignment
    except UNFIT as error:
        raise unfit("SyncGroupResponse", error) from error


def decode_sync_group_response_v4(buf: bytes, pos: int, end: int) -> tuple[SyncGroupResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if n < 0:
            raise null("Assignment")
        assignment = buf[pos : pos + n]
        pos += n
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = SyncGroupResponse(throttle_time_ms, error_code, None, None, assignment)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sync_group_response_v4(out: bytearray, m: SyncGroupResponse) -> None:
    try:
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


def decode_sync_group_response_v5(buf: bytes, pos: int, end: int) -> tuple[SyncGroupResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ProtocolType")
        protocol_type: str | None = None
        if n >= 0:
            protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ProtocolName")
        protocol_name: str | None = None
        if n >= 0:
            protocol_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if n < 0:
            raise null("Assignment")
        assignment = buf[pos : pos + n]
        pos += n
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = SyncGroupResponse(throttle_time_ms, error_code, protocol_type, protocol_name, assignment)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sync_group_response_v5(out: bytearray, m: SyncGroupResponse) -> None:
    try:
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
                write_text_length(out, n, "ProtocolType")
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
                write_text_length(out, n, "ProtocolName")
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

SyncGroupResponse.DECODERS = {
    0: decode_sync_group_response_v0,
    1: decode_sync_group_response_v1_v3, 2: decode_sync_group_response_v1_v3,
    3: decode_sync_group_response_v1_v3,
    4: decode_sync_group_response_v4,
    5: decode_sync_group_response_v5,
}

SyncGroupResponse.ENCODERS = {
    0: encode_sync_group_response_v0,
    1: encode_sync_group_response_v1_v3, 2: encode_sync_group_response_v1_v3,
    3: encode_sync_group_response_v1_v3,
    4: encode_sync_group_response_v4,
    5: encode_sync_group_response_v5,
}

__all__ = [
    "SyncGroupRequest", "SyncGroupRequestAssignment", "SyncGroupResponse",
]
