# Generated from schemas/messages/ListGroupsRequest.json and schemas/messages/ListGroupsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.list_groups import (
    ListGroupsRequest,
    ListGroupsResponse,
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


def decode_list_groups_request_v0_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListGroupsRequest, int]]:
    try:
        yield 1
        message = ListGroupsRequest()
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_list_groups_request_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListGroupsRequest, int]]:
    try:
        yield 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ListGroupsRequest()
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_list_groups_request_v4(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListGroupsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("StatesFilter")
        if n > end - pos:
            check_count(n, pos, end)
        states_filter: list[str] = []
        states_filter_count = n
        for _ in range(states_filter_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("StatesFilter", n)
            if n < 0:
                raise null("StatesFilter")
            states_filter_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            states_filter.append(states_filter_item)
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ListGroupsRequest(states_filter)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_list_groups_request_v5(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListGroupsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("StatesFilter")
        if n > end - pos:
            check_count(n, pos, end)
        states_filter: list[str] = []
        states_filter_count = n
        for _ in range(states_filter_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("StatesFilter", n)
            if n < 0:
                raise null("StatesFilter")
            states_filter_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            states_filter.append(states_filter_item)
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("TypesFilter")
        if n > end - pos:
            check_count(n, pos, end)
        types_filter: list[str] = []
        types_filter_count = n
        for _ in range(types_filter_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("TypesFilter", n)
            if n < 0:
                raise null("TypesFilter")
            types_filter_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            types_filter.append(types_filter_item)
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ListGroupsRequest(states_filter, types_filter)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_list_groups_response_v0(out: bytearray, m: ListGroupsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        groups = m.groups
        out += _write_i(len(groups))
        for groups_item in groups:
            yield 1
            groups_group_id = groups_item.group_id
            text = groups_group_id.encode()
            out += _write_h(len(text))
            out += text
            groups_protocol_type = groups_item.protocol_type
            text = groups_protocol_type.encode()
            out += _write_h(len(text))
            out += text
    except UNFIT as error:
        raise unfit("ListGroupsResponse", error) from error


def encode_list_groups_response_v1_v2(out: bytearray, m: ListGroupsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        groups = m.groups
        out += _write_i(len(groups))
        for groups_item in groups:
            yield 1
            groups_group_id = groups_item.group_id
            text = groups_group_id.encode()
            out += _write_h(len(text))
            out += text
            groups_protocol_type = groups_item.protocol_type
            text = groups_protocol_type.encode()
            out += _write_h(len(text))
            out += text
    except UNFIT as error:
        raise unfit("ListGroupsResponse", error) from error


def encode_list_groups_response_v3(out: bytearray, m: ListGroupsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            yield 1
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
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListGroupsResponse", error) from error


def encode_list_groups_response_v4(out: bytearray, m: ListGroupsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            yield 1
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
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListGroupsResponse", error) from error


def encode_list_groups_response_v5(out: bytearray, m: ListGroupsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            yield 1
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
            groups_group_type = groups_item.group_type
            text = groups_group_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("GroupType", n - 1)
                write_uvarint(out, n)
            out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListGroupsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_list_groups_request_v0_v2,
    1: decode_list_groups_request_v0_v2,
    2: decode_list_groups_request_v0_v2,
    3: decode_list_groups_request_v3,
    4: decode_list_groups_request_v4,
    5: decode_list_groups_request_v5,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_list_groups_response_v0,
    1: encode_list_groups_response_v1_v2,
    2: encode_list_groups_response_v1_v2,
    3: encode_list_groups_response_v3,
    4: encode_list_groups_response_v4,
    5: encode_list_groups_response_v5,
}

__all__ = ["DECODERS", "ENCODERS"]
