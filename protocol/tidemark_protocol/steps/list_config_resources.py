# Generated from schemas/messages/ListConfigResourcesRequest.json and schemas/messages/ListConfigResourcesResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.list_config_resources import (
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
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

_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


def decode_list_config_resources_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListConfigResourcesRequest, int]]:
    try:
        yield 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ListConfigResourcesRequest()
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_list_config_resources_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListConfigResourcesRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("ResourceTypes")
        if n > end - pos:
            check_count(n, pos, end)
        yield n
        resource_types: list[int] = list(struct.unpack_from(f">{n}b", buf, pos))
        pos += n
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ListConfigResourcesRequest(resource_types)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_list_config_resources_response_v0(out: bytearray, m: ListConfigResourcesResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        config_resources = m.config_resources
        n = len(config_resources) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for config_resources_item in config_resources:
            yield 1
            config_resources_resource_name = config_resources_item.resource_name
            text = config_resources_resource_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ResourceName", n - 1)
                write_uvarint(out, n)
            out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListConfigResourcesResponse", error) from error


def encode_list_config_resources_response_v1(out: bytearray, m: ListConfigResourcesResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        config_resources = m.config_resources
        n = len(config_resources) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for config_resources_item in config_resources:
            yield 1
            config_resources_resource_name = config_resources_item.resource_name
            text = config_resources_resource_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ResourceName", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_b(config_resources_item.resource_type)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListConfigResourcesResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_list_config_resources_request_v0,
    1: decode_list_config_resources_request_v1,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_list_config_resources_response_v0,
    1: encode_list_config_resources_response_v1,
}

__all__ = ["DECODERS", "ENCODERS"]
