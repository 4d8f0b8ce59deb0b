# Generated from schemas/messages/LeaveGroupRequest.json and schemas/messages/LeaveGroupResponse.json. Edit that, then run make generate.

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


class MemberIdentity(Struct, gc=False):
    FIELDS: ClassVar = (
        ("MemberId", "member_id", "string", None),
        ("GroupInstanceId", "group_instance_id", "string", None),
        ("Reason", "reason", "string", None),
    )
    member_id: str = ""
    group_instance_id: str | None = None
    reason: str | None = None


class LeaveGroupRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
        ("Members", "members", "[]struct", MemberIdentity),
    )
    NAME: ClassVar = "LeaveGroupRequest"
    API_KEY: ClassVar = 13
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 5
    FLEXIBLE_FROM: ClassVar = 4
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    member_id: str = ""
    members: list[MemberIdentity] = []


class MemberResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("MemberId", "member_id", "string", None),
        ("GroupInstanceId", "group_instance_id", "string", None),
        ("ErrorCode", "error_code", "int16", None),
    )
    member_id: str = ""
    group_instance_id: str | None = ""
    error_code: int = 0


class LeaveGroupResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("Members", "members", "[]struct", MemberResponse),
    )
    NAME: ClassVar = "LeaveGroupResponse"
    API_KEY: ClassVar = 13
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 5
    FLEXIBLE_FROM: ClassVar = 4
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    members: list[MemberResponse] = []


def decode_leave_group_request_v0_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[LeaveGroupRequest, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = LeaveGroupRequest(group_id, member_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_leave_group_request_v0_v2(out: bytearray, m: LeaveGroupRequest) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("LeaveGroupRequest", error) from error


def decode_leave_group_request_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[LeaveGroupRequest, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Members", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        members: list[MemberIdentity] = []
        members_count = n
        for _ in range(members_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("MemberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            members_group_instance_id: str | None = None
            if n >= 0:
                members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            members.append(MemberIdentity(members_member_id, members_group_instance_id))
        message = LeaveGroupRequest(group_id, "", members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_leave_group_request_v3(out: bytearray, m: LeaveGroupRequest) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        members = m.members
        out += _write_i(len(members))
        for members_item in members:
            text = members_item.member_id.encode()
            out += _write_h(len(text))
            out += text
            members_group_instance_id = members_item.group_instance_id
            if members_group_instance_id is None:
                out += _write_h(-1)
            else:
                text = members_group_instance_id.encode()
                out += _write_h(len(text))
                out += text
    except UNFIT as error:
        raise unfit("LeaveGroupRequest", error) from error


def decode_leave_group_request_v4(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[LeaveGroupRequest, int]:
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
            raise wrong_count("Members", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        members: list[MemberIdentity] = []
        members_count = n
        for _ in range(members_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "MemberId")
            if n < 0:
                raise null("MemberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupInstanceId")
            members_group_instance_id: str | None = None
            if n >= 0:
                members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            members.append(MemberIdentity(members_member_id, members_group_instance_id))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = LeaveGroupRequest(group_id, "", members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_leave_group_request_v4(out: bytearray, m: LeaveGroupRequest) -> None:
    try:
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        members = m.members
        n = len(members) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for members_item in members:
            text = members_item.member_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "MemberId")
            out += text
            members_group_instance_id = members_item.group_instance_id
            if members_group_instance_id is None:
                out.append(0)
            else:
                text = members_group_instance_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "GroupInstanceId")
                out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("LeaveGroupRequest", error) from error


def decode_leave_group_request_v5(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[LeaveGroupRequest, int]:
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
            raise wrong_count("Members", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        members: list[MemberIdentity] = []
        members_count = n
        for _ in range(members_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "MemberId")
            if n < 0:
                raise null("MemberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupInstanceId")
            members_group_instance_id: str | None = None
            if n >= 0:
                members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Reason")
            members_reason: str | None = None
            if n >= 0:
                members_reason = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            members.append(MemberIdentity(members_member_id, members_group_instance_id, members_reason))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = LeaveGroupRequest(group_id, "", members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_leave_group_request_v5(out: bytearray, m: LeaveGroupRequest) -> None:
    try:
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        members = m.members
        n = len(members) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for members_item in members:
            text = members_item.member_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "MemberId")
            out += text
            members_group_instance_id = members_item.group_instance_id
            if members_group_instance_id is None:
                out.append(0)
            else:
                text = members_group_instance_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "GroupInstanceId")
                out += text
            members_reason = members_item.reason
            if members_reason is None:
                out.append(0)
            else:
                text = members_reason.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Reason")
                out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("LeaveGroupRequest", error) from error

LeaveGroupRequest.DECODERS = {
    0: decode_leave_group_request_v0_v2, 1: decode_leave_group_request_v0_v2,
    2: decode_leave_group_request_v0_v2,
    3: decode_leave_group_request_v3,
    4: decode_leave_group_request_v4,
    5: decode_leave_group_request_v5,
}

LeaveGroupRequest.ENCODERS = {
    0: encode_leave_group_request_v0_v2, 1: encode_leave_group_request_v0_v2,
    2: encode_leave_group_request_v0_v2,
    3: encode_leave_group_request_v3,
    4: encode_leave_group_request_v4,
    5: encode_leave_group_request_v5,
}



def decode_leave_group_response_v0(buf: bytes, pos: int, end: int) -> tuple[LeaveGroupResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        message = LeaveGroupResponse(0, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_leave_group_response_v0(out: bytearray, m: LeaveGroupResponse) -> None:
    try:
        out += _write_h(m.error_code)
    except UNFIT as error:
        raise unfit("LeaveGroupResponse", error) from error


def decode_leave_group_response_v1_v2(buf: bytes, pos: int, end: int) -> tuple[LeaveGroupResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        message = LeaveGroupResponse(throttle_time_ms, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_leave_group_response_v1_v2(out: bytearray, m: LeaveGroupResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
    except UNFIT as error:
        raise unfit("LeaveGroupResponse", error) from error


def decode_leave_group_response_v3(buf: bytes, pos: int, end: int) -> tuple[LeaveGroupResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Members", n, pos, end)
        members: list[MemberResponse] = []
        members_count = n
        for _ in range(members_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("MemberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            members_group_instance_id: str | None = None
            if n >= 0:
                members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            members_error_code, = _read_h(buf, pos)
            pos += 2
            members.append(MemberResponse(members_member_id, members_group_instance_id, members_error_code))
        message = LeaveGroupResponse(throttle_time_ms, error_code, members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_leave_group_response_v3(out: bytearray, m: LeaveGroupResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        members = m.members
        out += _write_i(len(members))
        for members_item in members:
            text = members_item.member_id.encode()
            out += _write_h(len(text))
            out += text
            members_group_instance_id = members_item.group_instance_id
            if members_group_instance_id is None:
                out += _write_h(-1)
            else:
                text = members_group_instance_id.encode()
                out += _write_h(len(text))
                out += text
            out += _write_h(members_item.error_code)
    except UNFIT as error:
        raise unfit("LeaveGroupResponse", error) from error


def decode_leave_group_response_v4_v5(buf: bytes, pos: int, end: int) -> tuple[LeaveGroupResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Members", n, pos, end)
        members: list[MemberResponse] = []
        members_count = n
        for _ in range(members_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "MemberId")
            if n < 0:
                raise null("MemberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupInstanceId")
            members_group_instance_id: str | None = None
            if n >= 0:
                members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            members_error_code, = _read_h(buf, pos)
            pos += 2
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            members.append(MemberResponse(members_member_id, members_group_instance_id, members_error_code))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = LeaveGroupResponse(throttle_time_ms, error_code, members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_leave_group_response_v4_v5(out: bytearray, m: LeaveGroupResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        members = m.members
        n = len(members) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for members_item in members:
            text = members_item.member_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "MemberId")
            out += text
            members_group_instance_id = members_item.group_instance_id
            if members_group_instance_id is None:
                out.append(0)
            else:
                text = members_group_instance_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "GroupInstanceId")
                out += text
            out += _write_h(members_item.error_code)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("LeaveGroupResponse", error) from error

LeaveGroupResponse.DECODERS = {
    0: decode_leave_group_response_v0,
    1: decode_leave_group_response_v1_v2, 2: decode_leave_group_response_v1_v2,
    3: decode_leave_group_response_v3,
    4: decode_leave_group_response_v4_v5, 5: decode_leave_group_response_v4_v5,
}

LeaveGroupResponse.ENCODERS = {
    0: encode_leave_group_response_v0,
    1: encode_leave_group_response_v1_v2, 2: encode_leave_group_response_v1_v2,
    3: encode_leave_group_response_v3,
    4: encode_leave_group_response_v4_v5, 5: encode_leave_group_response_v4_v5,
}

__all__ = [
    "LeaveGroupRequest", "LeaveGroupResponse", "MemberIdentity", "MemberResponse",
]
