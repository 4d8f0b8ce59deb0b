# Generated from schemas/messages/DeleteGroupsRequest.json and schemas/messages/DeleteGroupsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.delete_groups import (
    DeleteGroupsRequest,
    DeleteGroupsResponse,
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


def decode_delete_groups_request_v0_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DeleteGroupsRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("GroupsNames")
        if n > end - pos:
            check_count(n, pos, end)
        groups_names: list[str] = []
        groups_names_count = n
        for _ in range(groups_names_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("GroupsNames")
            groups_names_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            groups_names.append(groups_names_item)
        message = DeleteGroupsRequest(groups_names)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_delete_groups_request_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DeleteGroupsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("GroupsNames")
        if n > end - pos:
            check_count(n, pos, end)
        groups_names: list[str] = []
        groups_names_count = n
        for _ in range(groups_names_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("GroupsNames", n)
            if n < 0:
                raise null("GroupsNames")
            groups_names_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            groups_names.append(groups_names_item)
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DeleteGroupsRequest(groups_names)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_delete_groups_response_v0_v1(out: bytearray, m: DeleteGroupsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        results = m.results
        out += _write_i(len(results))
        for results_item in results:
            yield 1
            results_group_id = results_item.group_id
            text = results_group_id.encode()
            out += _write_h(len(text))
            out += text
            out += _write_h(results_item.error_code)
    except UNFIT as error:
        raise unfit("DeleteGroupsResponse", error) from error


def encode_delete_groups_response_v2(out: bytearray, m: DeleteGroupsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            yield 1
            results_group_id = results_item.group_id
            text = results_group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("GroupId", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_h(results_item.error_code)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteGroupsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_delete_groups_request_v0_v1,
    1: decode_delete_groups_request_v0_v1,
    2: decode_delete_groups_request_v2,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_delete_groups_response_v0_v1,
    1: encode_delete_groups_response_v0_v1,
    2: encode_delete_groups_response_v2,
}

__all__ = ["DECODERS", "ENCODERS"]
