# Generated from schemas/messages/LeaveGroupRequest.json and schemas/messages/LeaveGroupResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.leave_group import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberIdentity,
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


def decode_leave_group_request_v0_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[LeaveGroupRequest, int]]:
    try:
        yield 1
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
    check_end(pos, end)
    return message, pos


def decode_leave_group_request_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[LeaveGroupRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Members")
        if n > end - pos:
            check_count(n, pos, end)
        members: list[MemberIdentity] = []
        members_count = n
        for _ in range(members_count):
            yield 1
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
    check_end(pos, end)
    return message, pos


def decode_leave_group_request_v4(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[LeaveGroupRequest, int]]:
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Members")
        if n > end - pos:
            check_count(n, pos, end)
        members: list[MemberIdentity] = []
        members_count = n
        for _ in range(members_count):
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
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("GroupInstanceId", n)
            members_group_instance_id: str | None = None
            if n >= 0:
                members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            members.append(MemberIdentity(members_member_id, members_group_instance_id))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = LeaveGroupRequest(group_id, "", members)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_leave_group_request_v5(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[LeaveGroupRequest, int]]:
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Members")
        if n > end - pos:
            check_count(n, pos, end)
        members: list[MemberIdentity] = []
        members_count = n
        for _ in range(members_count):
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
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("GroupInstanceId", n)
            members_group_instance_id: str | None = None
            if n >= 0:
                members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Reason", n)
            members_reason: str | None = None
            if n >= 0:
                members_reason = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            members.append(MemberIdentity(members_member_id, members_group_instance_id, members_reason))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = LeaveGroupRequest(group_id, "", members)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_leave_group_response_v0(out: bytearray, m: LeaveGroupResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
    except UNFIT as error:
        raise unfit("LeaveGroupResponse", error) from error


def encode_leave_group_response_v1_v2(out: bytearray, m: LeaveGroupResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
    except UNFIT as error:
        raise unfit("LeaveGroupResponse", error) from error


def encode_leave_group_response_v3(out: bytearray, m: LeaveGroupResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        members = m.members
        out += _write_i(len(members))
        for members_item in members:
            yield 1
            members_member_id = members_item.member_id
            text = members_member_id.encode()
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


def encode_leave_group_response_v4_v5(out: bytearray, m: LeaveGroupResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        members = m.members
        n = len(members) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for members_item in members:
            yield 1
            members_member_id = members_item.member_id
            text = members_member_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("MemberId", n - 1)
                write_uvarint(out, n)
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
                    if n > TEXT_MAX + 1:
                        raise too_long("GroupInstanceId", n - 1)
                    write_uvarint(out, n)
                out += text
            out += _write_h(members_item.error_code)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("LeaveGroupResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_leave_group_request_v0_v2,
    1: decode_leave_group_request_v0_v2,
    2: decode_leave_group_request_v0_v2,
    3: decode_leave_group_request_v3,
    4: decode_leave_group_request_v4,
    5: decode_leave_group_request_v5,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_leave_group_response_v0,
    1: encode_leave_group_response_v1_v2,
    2: encode_leave_group_response_v1_v2,
    3: encode_leave_group_response_v3,
    4: encode_leave_group_response_v4_v5,
    5: encode_leave_group_response_v4_v5,
}

__all__ = ["DECODERS", "ENCODERS"]
