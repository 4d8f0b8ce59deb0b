# Generated from schemas/messages/ListGroupsRequest.json and schemas/messages/ListGroupsResponse.json. Edit that, then run make generate.

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


class ListGroupsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("StatesFilter", "states_filter", "[]string", None),
        ("TypesFilter", "types_filter", "[]string", None),
    )
    NAME: ClassVar = "ListGroupsRequest"
    API_KEY: ClassVar = 16
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 5
    FLEXIBLE_FROM: ClassVar = 3
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    states_filter: list[str] = []
    types_filter: list[str] = []


class ListedGroup(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("ProtocolType", "protocol_type", "string", None),
        ("GroupState", "group_state", "string", None),
        ("GroupType", "group_type", "string", None),
    )
    group_id: str = ""
    protocol_type: str = ""
    group_state: str = ""
    group_type: str = ""


class ListGroupsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("Groups", "groups", "[]struct", ListedGroup),
    )
    NAME: ClassVar = "ListGroupsResponse"
    API_KEY: ClassVar = 16
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 5
    FLEXIBLE_FROM: ClassVar = 3
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    groups: list[ListedGroup] = []


def decode_list_groups_request_v0_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListGroupsRequest, int]:
    try:
        message = ListGroupsRequest()
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_groups_request_v0_v2(out: bytearray, m: ListGroupsRequest) -> None:
    return


def decode_list_groups_request_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListGroupsRequest, int]:
    try:
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ListGroupsRequest()
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_groups_request_v3(out: bytearray, m: ListGroupsRequest) -> None:
    try:
        out.append(0)
    except UNFIT as error:
        raise unfit("ListGroupsRequest", error) from error


def decode_list_groups_request_v4(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListGroupsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("StatesFilter", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        states_filter: list[str] = []
        states_filter_count = n
        for _ in range(states_filter_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "StatesFilter")
            if n < 0:
                raise null("StatesFilter")
            states_filter_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            states_filter.append(states_filter_item)
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ListGroupsRequest(states_filter)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_groups_request_v4(out: bytearray, m: ListGroupsRequest) -> None:
    try:
        states_filter = m.states_filter
        n = len(states_filter) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for states_filter_item in states_filter:
            text = states_filter_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "StatesFilter")
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("ListGroupsRequest", error) from error


def decode_list_groups_request_v5(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListGroupsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("StatesFilter", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        states_filter: list[str] = []
        states_filter_count = n
        for _ in range(states_filter_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "StatesFilter")
            if n < 0:
                raise null("StatesFilter")
            states_filter_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            states_filter.append(states_filter_item)
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("TypesFilter", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        types_filter: list[str] = []
        types_filter_count = n
        for _ in range(types_filter_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TypesFilter")
            if n < 0:
                raise null("TypesFilter")
            types_filter_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            types_filter.append(types_filter_item)
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ListGroupsRequest(states_filter, types_filter)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_groups_request_v5(out: bytearray, m: ListGroupsRequest) -> None:
    try:
        states_filter = m.states_filter
        n = len(states_filter) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for states_filter_item in states_filter:
            text = states_filter_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "StatesFilter")
            out += text
        types_filter = m.types_filter
        n = len(types_filter) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for types_filter_item in types_filter:
            text = types_filter_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TypesFilter")
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("ListGroupsRequest", error) from error

ListGroupsRequest.DECODERS = {
    0: decode_list_groups_request_v0_v2, 1: decode_list_groups_request_v0_v2,
    2: decode_list_groups_request_v0_v2,
    3: decode_list_groups_request_v3,
    4: decode_list_groups_request_v4,
    5: decode_list_groups_request_v5,
}

ListGroupsRequest.ENCODERS = {
    0: encode_list_groups_request_v0_v2, 1: encode_list_groups_request_v0_v2,
    2: encode_list_groups_request_v0_v2,
    3: encode_list_groups_request_v3,
    4: encode_list_groups_request_v4,
    5: encode_list_groups_request_v5,
}



def decode_list_groups_response_v0(buf: bytes, pos: int, end: int) -> tuple[ListGroupsResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[ListedGroup] = []
        groups_count = n
        for _ in range(groups_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ProtocolType")
            groups_protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            groups.append(ListedGroup(groups_group_id, groups_protocol_type))
        message = ListGroupsResponse(0, error_code, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_groups_response_v0(out: bytearray, m: ListGroupsResponse) -> None:
    try:
        out += _write_h(m.error_code)
        groups = m.groups
        out += _write_i(len(groups))
        for groups_item in groups:
            text = groups_item.group_id.encode()
            out += _write_h(len(text))
            out += text
            text = groups_item.protocol_type.encode()
            out += _write_h(len(text))
            out += text
    except UNFIT as error:
        raise unfit("ListGroupsResponse", error) from error


def decode_list_groups_response_v1_v2(buf: bytes, pos: int, end: int) -> tuple[ListGroupsResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[ListedGroup] = []
        groups_count = n
        for _ in range(groups_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ProtocolType")
            groups_protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            groups.append(ListedGroup(groups_group_id, groups_protocol_type))
        message = ListGroupsResponse(throttle_time_ms, error_code, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_groups_response_v1_v2(out: bytearray, m: ListGroupsResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        groups = m.groups
        out += _write_i(len(groups))
        for groups_item in groups:
            text = groups_item.group_id.encode()
            out += _write_h(len(text))
            out += text
            text = groups_item.protocol_type.encode()
            out += _write_h(len(text))
            out += text
    except UNFIT as error:
        raise unfit("ListGroupsResponse", error) from error


def decode_list_groups_response_v3(buf: bytes, pos: int, end: int) -> tuple[ListGroupsResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[ListedGroup] = []
        groups_count = n
        for _ in range(groups_count):
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
                n, pos = read_text_length(buf, pos - 1, "ProtocolType")
            if n < 0:
                raise null("ProtocolType")
            groups_protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            groups.append(ListedGroup(groups_group_id, groups_protocol_type))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ListGroupsResponse(throttle_time_ms, error_code, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_groups_response_v3(out: bytearray, m: ListGroupsResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            text = groups_item.group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
            text = groups_item.protocol_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ProtocolType")
            out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListGroupsResponse", error) from error


def decode_list_groups_response_v4(buf: bytes, pos: int, end: int) -> tuple[ListGroupsResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[ListedGroup] = []
        groups_count = n
        for _ in range(groups_count):
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
                n, pos = read_text_length(buf, pos - 1, "ProtocolType")
            if n < 0:
                raise null("ProtocolType")
            groups_protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupState")
            if n < 0:
                raise null("GroupState")
            groups_group_state = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            groups.append(ListedGroup(groups_group_id, groups_protocol_type, groups_group_state))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ListGroupsResponse(throttle_time_ms, error_code, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_groups_response_v4(out: bytearray, m: ListGroupsResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            text = groups_item.group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
            text = groups_item.protocol_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ProtocolType")
            out += text
            text = groups_item.group_state.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupState")
            out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListGroupsResponse", error) from error


def decode_list_groups_response_v5(buf: bytes, pos: int, end: int) -> tuple[ListGroupsResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[ListedGroup] = []
        groups_count = n
        for _ in range(groups_count):
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
                n, pos = read_text_length(buf, pos - 1, "ProtocolType")
            if n < 0:
                raise null("ProtocolType")
            groups_protocol_type = buf[pos : pos + n].decode("utf-8", "java")
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
                n, pos = read_text_length(buf, pos - 1, "GroupType")
            if n < 0:
                raise null("GroupType")
            groups_group_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            groups.append(ListedGroup(groups_group_id, groups_protocol_type, groups_group_state, groups_group_type))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ListGroupsResponse(throttle_time_ms, error_code, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_groups_response_v5(out: bytearray, m: ListGroupsResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            text = groups_item.group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
            text = groups_item.protocol_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ProtocolType")
            out += text
            text = groups_item.group_state.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupState")
            out += text
            text = groups_item.group_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupType")
            out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListGroupsResponse", error) from error

ListGroupsResponse.DECODERS = {
    0: decode_list_groups_response_v0,
    1: decode_list_groups_response_v1_v2, 2: decode_list_groups_response_v1_v2,
    3: decode_list_groups_response_v3,
    4: decode_list_groups_response_v4,
    5: decode_list_groups_response_v5,
}

ListGroupsResponse.ENCODERS = {
    0: encode_list_groups_response_v0,
    1: encode_list_groups_response_v1_v2, 2: encode_list_groups_response_v1_v2,
    3: encode_list_groups_response_v3,
    4: encode_list_groups_response_v4,
    5: encode_list_groups_response_v5,
}

__all__ = [
    "ListGroupsRequest", "ListGroupsResponse", "ListedGroup",
]
