# Generated from schemas/messages/DescribeGroupsRequest.json and schemas/messages/DescribeGroupsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.describe_groups import (
    DescribeGroupsRequest,
    DescribeGroupsResponse,
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

_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


def decode_describe_groups_request_v0_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeGroupsRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Groups")
        if n > end - pos:
            check_count(n, pos, end)
        groups: list[str] = []
        groups_count = n
        for _ in range(groups_count):
            yield 1
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
    check_end(pos, end)
    return message, pos


def decode_describe_groups_request_v3_v4(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeGroupsRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Groups")
        if n > end - pos:
            check_count(n, pos, end)
        groups: list[str] = []
        groups_count = n
        for _ in range(groups_count):
            yield 1
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
    check_end(pos, end)
    return message, pos


def decode_describe_groups_request_v5_v6(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeGroupsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Groups")
        if n > end - pos:
            check_count(n, pos, end)
        groups: list[str] = []
        groups_count = n
        for _ in range(groups_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Groups", n)
            if n < 0:
                raise null("Groups")
            groups_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            groups.append(groups_item)
        include_authorized_operations, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DescribeGroupsRequest(groups, include_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_describe_groups_response_v0(out: bytearray, m: DescribeGroupsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        groups = m.groups
        out += _write_i(len(groups))
        for groups_item in groups:
            yield 1
            out += _write_h(groups_item.error_code)
            groups_group_id = groups_item.group_id
            text = groups_group_id.encode()
            out += _write_h(len(text))
            out += text
            groups_group_state = groups_item.group_state
            text = groups_group_state.encode()
            out += _write_h(len(text))
            out += text
            groups_protocol_type = groups_item.protocol_type
            text = groups_protocol_type.encode()
            out += _write_h(len(text))
            out += text
            groups_protocol_data = groups_item.protocol_data
            text = groups_protocol_data.encode()
            out += _write_h(len(text))
            out += text
            groups_members = groups_item.members
            out += _write_i(len(groups_members))
            for groups_members_item in groups_members:
                yield 1
                groups_members_member_id = groups_members_item.member_id
                text = groups_members_member_id.encode()
                out += _write_h(len(text))
                out += text
                groups_members_client_id = groups_members_item.client_id
                text = groups_members_client_id.encode()
                out += _write_h(len(text))
                out += text
                groups_members_client_host = groups_members_item.client_host
                text = groups_members_client_host.encode()
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


def encode_describe_groups_response_v1_v2(out: bytearray, m: DescribeGroupsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        out += _write_i(len(groups))
        for groups_item in groups:
            yield 1
            out += _write_h(groups_item.error_code)
            groups_group_id = groups_item.group_id
            text = groups_group_id.encode()
            out += _write_h(len(text))
            out += text
            groups_group_state = groups_item.group_state
            text = groups_group_state.encode()
            out += _write_h(len(text))
            out += text
            groups_protocol_type = groups_item.protocol_type
            text = groups_protocol_type.encode()
            out += _write_h(len(text))
            out += text
            groups_protocol_data = groups_item.protocol_data
            text = groups_protocol_data.encode()
            out += _write_h(len(text))
            out += text
            groups_members = groups_item.members
            out += _write_i(len(groups_members))
            for groups_members_item in groups_members:
                yield 1
                groups_members_member_id = groups_members_item.member_id
                text = groups_members_member_id.encode()
                out += _write_h(len(text))
                out += text
                groups_members_client_id = groups_members_item.client_id
                text = groups_members_client_id.encode()
                out += _write_h(len(text))
                out += text
                groups_members_client_host = groups_members_item.client_host
                text = groups_members_client_host.encode()
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


def encode_describe_groups_response_v3(out: bytearray, m: DescribeGroupsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        out += _write_i(len(groups))
        for groups_item in groups:
            yield 1
            out += _write_h(groups_item.error_code)
            groups_group_id = groups_item.group_id
            text = groups_group_id.encode()
            out += _write_h(len(text))
            out += text
            groups_group_state = groups_item.group_state
            text = groups_group_state.encode()
            out += _write_h(len(text))
            out += text
            groups_protocol_type = groups_item.protocol_type
            text = groups_protocol_type.encode()
            out += _write_h(len(text))
            out += text
            groups_protocol_data = groups_item.protocol_data
            text = groups_protocol_data.encode()
            out += _write_h(len(text))
            out += text
            groups_members = groups_item.members
            out += _write_i(len(groups_members))
            for groups_members_item in groups_members:
                yield 1
                groups_members_member_id = groups_members_item.member_id
                text = groups_members_member_id.encode()
                out += _write_h(len(text))
                out += text
                groups_members_client_id = groups_members_item.client_id
                text = groups_members_client_id.encode()
                out += _write_h(len(text))
                out += text
                groups_members_client_host = groups_members_item.client_host
                text = groups_members_client_host.encode()
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


def encode_describe_groups_response_v4(out: bytearray, m: DescribeGroupsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        out += _write_i(len(groups))
        for groups_item in groups:
            yield 1
            out += _write_h(groups_item.error_code)
            groups_group_id = groups_item.group_id
            text = groups_group_id.encode()
            out += _write_h(len(text))
            out += text
            groups_group_state = groups_item.group_state
            text = groups_group_state.encode()
            out += _write_h(len(text))
            out += text
            groups_protocol_type = groups_item.protocol_type
            text = groups_protocol_type.encode()
            out += _write_h(len(text))
            out += text
            groups_protocol_data = groups_item.protocol_data
            text = groups_protocol_data.encode()
            out += _write_h(len(text))
            out += text
            groups_members = groups_item.members
            out += _write_i(len(groups_members))
            for groups_members_item in groups_members:
                yield 1
                groups_members_member_id = groups_members_item.member_id
                text = groups_members_member_id.encode()
                out += _write_h(len(text))
                out += text
                groups_members_group_instance_id = groups_members_item.group_instance_id
                if groups_members_group_instance_id is None:
                    out += _write_h(-1)
                else:
                    text = groups_members_group_instance_id.encode()
                    out += _write_h(len(text))
                    out += text
                groups_members_client_id = groups_members_item.client_id
                text = groups_members_client_id.encode()
                out += _write_h(len(text))
                out += text
                groups_members_client_host = groups_members_item.client_host
                text = groups_members_client_host.encode()
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


def encode_describe_groups_response_v5(out: bytearray, m: DescribeGroupsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            yield 1
            out += _write_h(groups_item.error_code)
            groups_group_id = groups_item.group_id
            text = groups_group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("GroupId", n - 1)
                write_uvarint(out, n)
            out += text
            groups_group_state = groups_item.group_state
            text = groups_group_state.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("GroupState", n - 1)
                write_uvarint(out, n)
            out += text
            groups_protocol_type = groups_item.protocol_type
            text = groups_protocol_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ProtocolType", n - 1)
                write_uvarint(out, n)
            out += text
            groups_protocol_data = groups_item.protocol_data
            text = groups_protocol_data.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ProtocolData", n - 1)
                write_uvarint(out, n)
            out += text
            groups_members = groups_item.members
            n = len(groups_members) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for groups_members_item in groups_members:
                yield 1
                groups_members_member_id = groups_members_item.member_id
                text = groups_members_member_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("MemberId", n - 1)
                    write_uvarint(out, n)
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
                        if n > TEXT_MAX + 1:
                            raise too_long("GroupInstanceId", n - 1)
                        write_uvarint(out, n)
                    out += text
                groups_members_client_id = groups_members_item.client_id
                text = groups_members_client_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ClientId", n - 1)
                    write_uvarint(out, n)
                out += text
                groups_members_client_host = groups_members_item.client_host
                text = groups_members_client_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ClientHost", n - 1)
                    write_uvarint(out, n)
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


def encode_describe_groups_response_v6(out: bytearray, m: DescribeGroupsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            yield 1
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
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
            groups_group_id = groups_item.group_id
            text = groups_group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("GroupId", n - 1)
                write_uvarint(out, n)
            out += text
            groups_group_state = groups_item.group_state
            text = groups_group_state.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("GroupState", n - 1)
                write_uvarint(out, n)
            out += text
            groups_protocol_type = groups_item.protocol_type
            text = groups_protocol_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ProtocolType", n - 1)
                write_uvarint(out, n)
            out += text
            groups_protocol_data = groups_item.protocol_data
            text = groups_protocol_data.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ProtocolData", n - 1)
                write_uvarint(out, n)
            out += text
            groups_members = groups_item.members
            n = len(groups_members) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for groups_members_item in groups_members:
                yield 1
                groups_members_member_id = groups_members_item.member_id
                text = groups_members_member_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("MemberId", n - 1)
                    write_uvarint(out, n)
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
                        if n > TEXT_MAX + 1:
                            raise too_long("GroupInstanceId", n - 1)
                        write_uvarint(out, n)
                    out += text
                groups_members_client_id = groups_members_item.client_id
                text = groups_members_client_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ClientId", n - 1)
                    write_uvarint(out, n)
                out += text
                groups_members_client_host = groups_members_item.client_host
                text = groups_members_client_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ClientHost", n - 1)
                    write_uvarint(out, n)
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


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_describe_groups_request_v0_v2,
    1: decode_describe_groups_request_v0_v2,
    2: decode_describe_groups_request_v0_v2,
    3: decode_describe_groups_request_v3_v4,
    4: decode_describe_groups_request_v3_v4,
    5: decode_describe_groups_request_v5_v6,
    6: decode_describe_groups_request_v5_v6,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_describe_groups_response_v0,
    1: encode_describe_groups_response_v1_v2,
    2: encode_describe_groups_response_v1_v2,
    3: encode_describe_groups_response_v3,
    4: encode_describe_groups_response_v4,
    5: encode_describe_groups_response_v5,
    6: encode_describe_groups_response_v6,
}

__all__ = ["DECODERS", "ENCODERS"]
