# Generated from schemas/messages/ListConfigResourcesRequest.json and schemas/messages/ListConfigResourcesResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class ListConfigResourcesRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ResourceTypes", "resource_types", "[]int8", None),
    )
    NAME: ClassVar = "ListConfigResourcesRequest"
    API_KEY: ClassVar = 74
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    resource_types: list[int] = []


class ConfigResource(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ResourceName", "resource_name", "string", None),
        ("ResourceType", "resource_type", "int8", None),
    )
    resource_name: str = ""
    resource_type: int = 16


class ListConfigResourcesResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ConfigResources", "config_resources", "[]struct", ConfigResource),
    )
    NAME: ClassVar = "ListConfigResourcesResponse"
    API_KEY: ClassVar = 74
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    config_resources: list[ConfigResource] = []


def decode_list_config_resources_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListConfigResourcesRequest, int]:
    try:
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ListConfigResourcesRequest()
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_config_resources_request_v0(out: bytearray, m: ListConfigResourcesRequest) -> None:
    try:
        out.append(0)
    except UNFIT as error:
        raise unfit("ListConfigResourcesRequest", error) from error


def decode_list_config_resources_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListConfigResourcesRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ResourceTypes", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        resource_types: list[int] = list(struct.unpack_from(f">{n}b", buf, pos))
        pos += n
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ListConfigResourcesRequest(resource_types)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_config_resources_request_v1(out: bytearray, m: ListConfigResourcesRequest) -> None:
    try:
        resource_types = m.resource_types
        n = len(resource_types) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(resource_types)}b", *resource_types)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListConfigResourcesRequest", error) from error

ListConfigResourcesRequest.DECODERS = {
    0: decode_list_config_resources_request_v0,
    1: decode_list_config_resources_request_v1,
}

ListConfigResourcesRequest.ENCODERS = {
    0: encode_list_config_resources_request_v0,
    1: encode_list_config_resources_request_v1,
}



def decode_list_config_resources_response_v0(buf: bytes, pos: int, end: int) -> tuple[ListConfigResourcesResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ConfigResources", n, pos, end)
        config_resources: list[ConfigResource] = []
        config_resources_count = n
        for _ in range(config_resources_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ResourceName")
            if n < 0:
                raise null("ResourceName")
            config_resources_resource_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            config_resources.append(ConfigResource(config_resources_resource_name))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ListConfigResourcesResponse(throttle_time_ms, error_code, config_resources)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_config_resources_response_v0(out: bytearray, m: ListConfigResourcesResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        config_resources = m.config_resources
        n = len(config_resources) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for config_resources_item in config_resources:
            text = config_resources_item.resource_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ResourceName")
            out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListConfigResourcesResponse", error) from error


def decode_list_config_resources_response_v1(buf: bytes, pos: int, end: int) -> tuple[ListConfigResourcesResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ConfigResources", n, pos, end)
        config_resources: list[ConfigResource] = []
        config_resources_count = n
        for _ in range(config_resources_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ResourceName")
            if n < 0:
                raise null("ResourceName")
            config_resources_resource_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            config_resources_resource_type, = _read_b(buf, pos)
            pos += 1
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            config_resources.append(ConfigResource(config_resources_resource_name, config_resources_resource_type))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ListConfigResourcesResponse(throttle_time_ms, error_code, config_resources)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_config_resources_response_v1(out: bytearray, m: ListConfigResourcesResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        config_resources = m.config_resources
        n = len(config_resources) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for config_resources_item in config_resources:
            text = config_resources_item.resource_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ResourceName")
            out += text
            out += _write_b(config_resources_item.resource_type)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListConfigResourcesResponse", error) from error

ListConfigResourcesResponse.DECODERS = {
    0: decode_list_config_resources_response_v0,
    1: decode_list_config_resources_response_v1,
}

ListConfigResourcesResponse.ENCODERS = {
    0: encode_list_config_resources_response_v0,
    1: encode_list_config_resources_response_v1,
}

__all__ = [
    "ConfigResource", "ListConfigResourcesRequest", "ListConfigResourcesResponse",
]
