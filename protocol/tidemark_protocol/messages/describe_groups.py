# Generated from schemas/messages/DescribeGroupsRequest.json and schemas/messages/DescribeGroupsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class DescribeGroupsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Groups", "groups", "[]string", None),
        ("IncludeAuthorizedOperations", "include_authorized_operations", "bool", None),
    )
    NAME: ClassVar = "DescribeGroupsRequest"
    API_KEY: ClassVar = 15
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 6
    FLEXIBLE_FROM: ClassVar = 5
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    groups: list[str] = []
    include_authorized_operations: bool = False


class DescribedGroupMember(Struct, gc=False):
    FIELDS: ClassVar = (
        ("MemberId", "member_id", "string", None),
        ("GroupInstanceId", "group_instance_id", "string", None),
        ("ClientId", "client_id", "string", None),
        ("ClientHost", "client_host", "string", None),
        ("MemberMetadata", "member_metadata", "bytes", None),
        ("MemberAssignment", "member_assignment", "bytes", None),
    )
    member_id: str = ""
    group_instance_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    member_metadata: bytes = b""
    member_assignment: bytes = b""


class DescribedGroup(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("GroupId", "group_id", "string", None),
        ("GroupState", "group_state", "string", None),
        ("ProtocolType", "protocol_type", "string", None),
        ("ProtocolData", "protocol_data", "string", None),
        ("Members", "members", "[]struct", DescribedGroupMember),
        ("AuthorizedOperations", "authorized_operations", "int32", None),
    )
    error_code: int = 0
    error_message: str | None = None
    group_id: str = ""
    group_state: str = ""
    protocol_type: str = ""
    protocol_data: str = ""
    members: list[DescribedGroupMember] = []
    authorized_operations: int = -2147483648


class DescribeGroupsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Groups", "groups", "[]struct", DescribedGroup),
    )
    NAME: ClassVar = "DescribeGroupsResponse"
    API_KEY: ClassVar = 15
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 6
    FLEXIBLE_FROM: ClassVar = 5
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    groups: list[DescribedGroup] = []


def decode_describe_groups_request_v0_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeGroupsRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        groups: list[str] = []
        groups_count = n
        for _ in range(groups_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Groups")
            groups_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            groups.append(groups_item)
        message = DescribeGroupsRequest(groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_groups_request_v0_v2(out: bytearray, m: DescribeGroupsRequest) -> None:
    try:
        groups = m.groups
        out += _write_i(len(groups))
        for groups_item in groups:
            text = groups_item.encode()
            out += _write_h(len(text))
            out += text
    except UNFIT as error:
        raise unfit("DescribeGroupsRequest", error) from error


def decode_describe_groups_request_v3_v4(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeGroupsRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        groups: list[str] = []
        groups_count = n
        for _ in range(groups_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Groups")
            groups_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            groups.append(groups_item)
        include_authorized_operations, = _read_z(buf, pos)
        pos += 1
        message = DescribeGroupsRequest(groups, include_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_groups_request_v3_v4(out: bytearray, m: DescribeGroupsRequest) -> None:
    try:
        groups = m.groups
        out += _write_i(len(groups))
        for groups_item in groups:
            text = groups_item.encode()
            out += _write_h(len(text))
            out += text
        out += _write_z(m.include_authorized_operations)
    except UNFIT as error:
        raise unfit("DescribeGroupsRequest", error) from error


def decode_describe_groups_request_v5_v6(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeGroupsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        groups: list[str] = []
        groups_count = n
        for _ in range(groups_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Groups")
            if n < 0:
                raise null("Groups")
            groups_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            groups.append(groups_item)
        include_authorized_operations, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeGroupsRequest(groups, include_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_groups_request_v5_v6(out: bytearray, m: DescribeGroupsRequest) -> None:
    try:
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            text = groups_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Groups")
            out += text
        out += _write_z(m.include_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeGroupsRequest", error) from error

DescribeGroupsRequest.DECODERS = {
    0: decode_describe_groups_request_v0_v2, 1: decode_describe_groups_request_v0_v2,
    2: decode_describe_groups_request_v0_v2,
    3: decode_describe_groups_request_v3_v4, 4: decode_describe_groups_request_v3_v4,
    5: decode_describe_groups_request_v5_v6, 6: decode_describe_groups_request_v5_v6,
}

DescribeGroupsRequest.ENCODERS = {
    0: encode_describe_groups_request_v0_v2, 1: encode_describe_groups_request_v0_v2,
    2: encode_describe_groups_request_v0_v2,
    3: encode_describe_groups_request_v3_v4, 4: encode_describe_groups_request_v3_v4,
    5: encode_describe_groups_request_v5_v6, 6: encode_describe_groups_request_v5_v6,
}



def decode_describe_groups_response_v0(buf: bytes, pos: int, end: int) -> tuple[DescribeGroupsResponse, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[DescribedGroup] = []
        groups_count = n
        for _ in range(groups_count):
            groups_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("GroupState")
            groups_group_state = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ProtocolType")
            groups_protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ProtocolData")
            groups_protocol_data = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Members", n, pos, end)
            groups_members: list[DescribedGroupMember] = []
            groups_members_count = n
            for _ in range(groups_members_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("MemberId")
                groups_members_member_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("ClientId")
                groups_members_client_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("ClientHost")
                groups_members_client_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if n < 0:
                    raise null("MemberMetadata")
                groups_members_member_metadata = buf[pos : pos + n]
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if n < 0:
                    raise null("MemberAssignment")
                groups_members_member_assignment = buf[pos : pos + n]
                pos += n
                groups_members.append(DescribedGroupMember(groups_members_member_id, None, groups_members_client_id, groups_members_client_host, groups_members_member_metadata, groups_members_member_assignment))
            groups.append(DescribedGroup(groups_error_code, None, groups_group_id, groups_group_state, groups_protocol_type, groups_protocol_data, groups_members))
        message = DescribeGroupsResponse(0, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_groups_response_v0(out: bytearray, m: DescribeGroupsResponse) -> None:
    try:
        groups = m.groups
        out += _write_i(len(groups))
        for groups_item in groups:
            out += _write_h(groups_item.error_code)
            text = groups_item.group_id.encode()
            out += _write_h(len(text))
            out += text
            text = groups_item.group_state.encode()
            out += _write_h(len(text))
            out += text
            text = groups_item.protocol_type.encode()
            out += _write_h(len(text))
            out += text
            text = groups_item.protocol_data.encode()
            out += _write_h(len(text))
            out += text
            groups_members = groups_item.members
            out += _write_i(len(groups_members))
            for groups_members_item in groups_members:
                text = groups_members_item.member_id.encode()
                out += _write_h(len(text))
                out += text
                text = groups_members_item.client_id.encode()
                out += _write_h(len(text))
                out += text
                text = groups_members_item.client_host.encode()
                out += _write_h(len(text))
                out += text
                groups_members_member_metadata = groups_members_item.member_metadata
                out += _write_i(len(groups_members_member_metadata))
                out += groups_members_member_metadata
                groups_members_member_assignment = groups_members_item.member_assignment
                out += _write_i(len(groups_members_member_assignment))
                out += groups_members_member_assignment
    except UNFIT as error:
        raise unfit("DescribeGroupsResponse", error) from error


def decode_describe_groups_response_v1_v2(buf: bytes, pos: int, end: int) -> tuple[DescribeGroupsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[DescribedGroup] = []
        groups_count = n
        for _ in range(groups_count):
            groups_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("GroupState")
            groups_group_state = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ProtocolType")
            groups_protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ProtocolData")
            groups_protocol_data = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Members", n, pos, end)
            groups_members: list[DescribedGroupMember] = []
            groups_members_count = n
            for _ in range(groups_members_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("MemberId")
                groups_members_member_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("ClientId")
                groups_members_client_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("ClientHost")
                groups_members_client_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if n < 0:
                    raise null("MemberMetadata")
                groups_members_member_metadata = buf[pos : pos + n]
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if n < 0:
                    raise null("MemberAssignment")
                groups_members_member_assignment = buf[pos : pos + n]
                pos += n
                groups_members.append(DescribedGroupMember(groups_members_member_id, None, groups_members_client_id, groups_members_client_host, groups_members_member_metadata, groups_members_member_assignment))
            groups.append(DescribedGroup(groups_error_code, None, groups_group_id, groups_group_state, groups_protocol_type, groups_protocol_data, groups_members))
        message = DescribeGroupsResponse(throttle_time_ms, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_groups_response_v1_v2(out: bytearray, m: DescribeGroupsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        out += _write_i(len(groups))
        for groups_item in groups:
            out += _write_h(groups_item.error_code)
            text = groups_item.group_id.encode()
            out += _write_h(len(text))
            out += text
            text = groups_item.group_state.encode()
            out += _write_h(len(text))
            out += text
            text = groups_item.protocol_type.encode()
            out += _write_h(len(text))
            out += text
            text = groups_item.protocol_data.encode()
            out += _write_h(len(text))
            out += text
            groups_members = groups_item.members
            out += _write_i(len(groups_members))
            for groups_members_item in groups_members:
                text = groups_members_item.member_id.encode()
                out += _write_h(len(text))
                out += text
                text = groups_members_item.client_id.encode()
                out += _write_h(len(text))
                out += text
                text = groups_members_item.client_host.encode()
                out += _write_h(len(text))
                out += text
                groups_members_member_metadata = groups_members_item.member_metadata
                out += _write_i(len(groups_members_member_metadata))
                out += groups_members_member_metadata
                groups_members_member_assignment = groups_members_item.member_assignment
                out += _write_i(len(groups_members_member_assignment))
                out += groups_members_member_assignment
    except UNFIT as error:
        raise unfit("DescribeGroupsResponse", error) from error


def decode_describe_groups_response_v3(buf: bytes, pos: int, end: int) -> tuple[DescribeGroupsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[DescribedGroup] = []
        groups_count = n
        for _ in range(groups_count):
            groups_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("GroupState")
            groups_group_state = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ProtocolType")
            groups_protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ProtocolData")
            groups_protocol_data = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Members", n, pos, end)
            groups_members: list[DescribedGroupMember] = []
            groups_members_count = n
            for _ in range(groups_members_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("MemberId")
                groups_members_member_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("ClientId")
                groups_members_client_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("ClientHost")
                groups_members_client_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if n < 0:
                    raise null("MemberMetadata")
                groups_members_member_metadata = buf[pos : pos + n]
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if n < 0:
                    raise null("MemberAssignment")
                groups_members_member_assignment = buf[pos : pos + n]
                pos += n
                groups_members.append(DescribedGroupMember(groups_members_member_id, None, groups_members_client_id, groups_members_client_host, groups_members_member_metadata, groups_members_member_assignment))
            groups_authorized_operations, = _read_i(buf, pos)
            pos += 4
            groups.append(DescribedGroup(groups_error_code, None, groups_group_id, groups_group_state, groups_protocol_type, groups_protocol_data, groups_members, groups_authorized_operations))
        message = DescribeGroupsResponse(throttle_time_ms, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_groups_response_v3(out: bytearray, m: DescribeGroupsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        out += _write_i(len(groups))
        for groups_item in groups:
            out += _write_h(groups_item.error_code)
            text = groups_item.group_id.encode()
            out += _write_h(len(text))
            out += text
            text = groups_item.group_state.encode()
            out += _write_h(len(text))
            out += text
            text = groups_item.protocol_type.encode()
            out += _write_h(len(text))
            out += text
            text = groups_item.protocol_data.encode()
            out += _write_h(len(text))
            out += text
            groups_members = groups_item.members
            out += _write_i(len(groups_members))
            for groups_members_item in groups_members:
                text = groups_members_item.member_id.encode()
                out += _write_h(len(text))
                out += text
                text = groups_members_item.client_id.encode()
                out += _write_h(len(text))
                out += text
                text = groups_members_item.client_host.encode()
                out += _write_h(len(text))
                out += text
                groups_members_member_metadata = groups_members_item.member_metadata
                out += _write_i(len(groups_members_member_metadata))
                out += groups_members_member_metadata
                groups_members_member_assignment = groups_members_item.member_assignment
                out += _write_i(len(groups_members_member_assignment))
                out += groups_members_member_assignment
            out += _write_i(groups_item.authorized_operations)
    except UNFIT as error:
        raise unfit("DescribeGroupsResponse", error) from error


def decode_describe_groups_response_v4(buf: bytes, pos: int, end: int) -> tuple[DescribeGroupsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[DescribedGroup] = []
        groups_count = n
        for _ in range(groups_count):
            groups_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("GroupState")
            groups_group_state = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ProtocolType")
            groups_protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ProtocolData")
            groups_protocol_data = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Members", n, pos, end)
            groups_members: list[DescribedGroupMember] = []
            groups_members_count = n
            for _ in range(groups_members_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("MemberId")
                groups_members_member_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                groups_members_group_instance_id: str | None = None
                if n >= 0:
                    groups_members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("ClientId")
                groups_members_client_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("ClientHost")
                groups_members_client_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if n < 0:
                    raise null("MemberMetadata")
                groups_members_member_metadata = buf[pos : pos + n]
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if n < 0:
                    raise null("MemberAssignment")
                groups_members_member_assignment = buf[pos : pos + n]
                pos += n
                groups_members.append(DescribedGroupMember(groups_members_member_id, groups_members_group_instance_id, groups_members_client_id, groups_members_client_host, groups_members_member_metadata, groups_members_member_assignment))
            groups_authorized_operations, = _read_i(buf, pos)
            pos += 4
            groups.append(DescribedGroup(groups_error_code, None, groups_group_id, groups_group_state, groups_protocol_type, groups_protocol_data, groups_members, groups_authorized_operations))
        message = DescribeGroupsResponse(throttle_time_ms, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_groups_response_v4(out: bytearray, m: DescribeGroupsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        out += _write_i(len(groups))
        for groups_item in groups:
            out += _write_h(groups_item.error_code)
            text = groups_item.group_id.encode()
            out += _write_h(len(text))
            out += text
            text = groups_item.group_state.encode()
            out += _write_h(len(text))
            out += text
            text = groups_item.protocol_type.encode()
            out += _write_h(len(text))
            out += text
            text = groups_item.protocol_data.encode()
            out += _write_h(len(text))
            out += text
            groups_members = groups_item.members
            out += _write_i(len(groups_members))
            for groups_members_item in groups_members:
                text = groups_members_item.member_id.encode()
                out += _write_h(len(text))
                out += text
                groups_members_group_instance_id = groups_members_item.group_instance_id
                if groups_members_group_instance_id is None:
                    out += _write_h(-1)
                else:
                    text = groups_members_group_instance_id.encode()
                    out += _write_h(len(text))
                    out += text
                text = groups_members_item.client_id.encode()
                out += _write_h(len(text))
                out += text
                text = groups_members_item.client_host.encode()
                out += _write_h(len(text))
                out += text
                groups_members_member_metadata = groups_members_item.member_metadata
                out += _write_i(len(groups_members_member_metadata))
                out += groups_members_member_metadata
                groups_members_member_assignment = groups_members_item.member_assignment
                out += _write_i(len(groups_members_member_assignment))
                out += groups_members_member_assignment
            out += _write_i(groups_item.authorized_operations)
    except UNFIT as error:
        raise unfit("DescribeGroupsResponse", error) from error


def decode_describe_groups_response_v5(buf: bytes, pos: int, end: int) -> tuple[DescribeGroupsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[DescribedGroup] = []
        groups_count = n
        for _ in range(groups_count):
            groups_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupId")
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupState")
            if n < 0:
                raise null("GroupState")
            groups_group_state = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ProtocolType")
            if n < 0:
                raise null("ProtocolType")
            groups_protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ProtocolData")
            if n < 0:
                raise null("ProtocolData")
            groups_protocol_data = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Members", n, pos, end)
            groups_members: list[DescribedGroupMember] = []
            groups_members_count = n
            for _ in range(groups_members_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "MemberId")
                if n < 0:
                    raise null("MemberId")
                groups_members_member_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "GroupInstanceId")
                groups_members_group_instance_id: str | None = None
                if n >= 0:
                    groups_members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ClientId")
                if n < 0:
                    raise null("ClientId")
                groups_members_client_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ClientHost")
                if n < 0:
                    raise null("ClientHost")
                groups_members_client_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if n < 0:
                    raise null("MemberMetadata")
                groups_members_member_metadata = buf[pos : pos + n]
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if n < 0:
                    raise null("MemberAssignment")
                groups_members_member_assignment = buf[pos : pos + n]
                pos += n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_members.append(DescribedGroupMember(groups_members_member_id, groups_members_group_instance_id, groups_members_client_id, groups_members_client_host, groups_members_member_metadata, groups_members_member_assignment))
            groups_authorized_operations, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            groups.append(DescribedGroup(groups_error_code, None, groups_group_id, groups_group_state, groups_protocol_type, groups_protocol_data, groups_members, groups_authorized_operations))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeGroupsResponse(throttle_time_ms, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_groups_response_v5(out: bytearray, m: DescribeGroupsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            out += _write_h(groups_item.error_code)
            text = groups_item.group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
            text = groups_item.group_state.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupState")
            out += text
            text = groups_item.protocol_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ProtocolType")
            out += text
            text = groups_item.protocol_data.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ProtocolData")
            out += text
            groups_members = groups_item.members
            n = len(groups_members) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for groups_members_item in groups_members:
                text = groups_members_item.member_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "MemberId")
                out += text
                groups_members_group_instance_id = groups_members_item.group_instance_id
                if groups_members_group_instance_id is None:
                    out.append(0)
                else:
                    text = groups_members_group_instance_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "GroupInstanceId")
                    out += text
                text = groups_members_item.client_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ClientId")
                out += text
                text = groups_members_item.client_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ClientHost")
                out += text
                groups_members_member_metadata = groups_members_item.member_metadata
                n = len(groups_members_member_metadata) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += groups_members_member_metadata
                groups_members_member_assignment = groups_members_item.member_assignment
                n = len(groups_members_member_assignment) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += groups_members_member_assignment
                out.append(0)
            out += _write_i(groups_item.authorized_operations)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeGroupsResponse", error) from error


def decode_describe_groups_response_v6(buf: bytes, pos: int, end: int) -> tuple[DescribeGroupsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[DescribedGroup] = []
        groups_count = n
        for _ in range(groups_count):
            groups_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            groups_error_message: str | None = None
            if n >= 0:
                groups_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupId")
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupState")
            if n < 0:
                raise null("GroupState")
            groups_group_state = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ProtocolType")
            if n < 0:
                raise null("ProtocolType")
            groups_protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ProtocolData")
            if n < 0:
                raise null("ProtocolData")
            groups_protocol_data = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Members", n, pos, end)
            groups_members: list[DescribedGroupMember] = []
            groups_members_count = n
            for _ in range(groups_members_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "MemberId")
                if n < 0:
                    raise null("MemberId")
                groups_members_member_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "GroupInstanceId")
                groups_members_group_instance_id: str | None = None
                if n >= 0:
                    groups_members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ClientId")
                if n < 0:
                    raise null("ClientId")
                groups_members_client_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ClientHost")
                if n < 0:
                    raise null("ClientHost")
                groups_members_client_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if n < 0:
                    raise null("MemberMetadata")
                groups_members_member_metadata = buf[pos : pos + n]
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if n < 0:
                    raise null("MemberAssignment")
                groups_members_member_assignment = buf[pos : pos + n]
                pos += n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_members.append(DescribedGroupMember(groups_members_member_id, groups_members_group_instance_id, groups_members_client_id, groups_members_client_host, groups_members_member_metadata, groups_members_member_assignment))
            groups_authorized_operations, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            groups.append(DescribedGroup(groups_error_code, groups_error_message, groups_group_id, groups_group_state, groups_protocol_type, groups_protocol_data, groups_members, groups_authorized_operations))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeGroupsResponse(throttle_time_ms, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_groups_response_v6(out: bytearray, m: DescribeGroupsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            out += _write_h(groups_item.error_code)
            groups_error_message = groups_item.error_message
            if groups_error_message is None:
                out.append(0)
            else:
                text = groups_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ErrorMessage")
                out += text
            text = groups_item.group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
            text = groups_item.group_state.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupState")
            out += text
            text = groups_item.protocol_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ProtocolType")
            out += text
            text = groups_item.protocol_data.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ProtocolData")
            out += text
            groups_members = groups_item.members
            n = len(groups_members) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for groups_members_item in groups_members:
                text = groups_members_item.member_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "MemberId")
                out += text
                groups_members_group_instance_id = groups_members_item.group_instance_id
                if groups_members_group_instance_id is None:
                    out.append(0)
                else:
                    text = groups_members_group_instance_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "GroupInstanceId")
                    out += text
                text = groups_members_item.client_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ClientId")
                out += text
                text = groups_members_item.client_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ClientHost")
                out += text
                groups_members_member_metadata = groups_members_item.member_metadata
                n = len(groups_members_member_metadata) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += groups_members_member_metadata
                groups_members_member_assignment = groups_members_item.member_assignment
                n = len(groups_members_member_assignment) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += groups_members_member_assignment
                out.append(0)
            out += _write_i(groups_item.authorized_operations)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeGroupsResponse", error) from error

DescribeGroupsResponse.DECODERS = {
    0: decode_describe_groups_response_v0,
    1: decode_describe_groups_response_v1_v2, 2: decode_describe_groups_response_v1_v2,
    3: decode_describe_groups_response_v3,
    4: decode_describe_groups_response_v4,
    5: decode_describe_groups_response_v5,
    6: decode_describe_groups_response_v6,
}

DescribeGroupsResponse.ENCODERS = {
    0: encode_describe_groups_response_v0,
    1: encode_describe_groups_response_v1_v2, 2: encode_describe_groups_response_v1_v2,
    3: encode_describe_groups_response_v3,
    4: encode_describe_groups_response_v4,
    5: encode_describe_groups_response_v5,
    6: encode_describe_groups_response_v6,
}

__all__ = [
    "DescribeGroupsRequest", "DescribeGroupsResponse", "DescribedGroup", "DescribedGroupMember",
]
