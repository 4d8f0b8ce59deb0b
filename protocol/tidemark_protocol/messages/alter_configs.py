# Generated from schemas/messages/AlterConfigsRequest.json and schemas/messages/AlterConfigsResponse.json. Edit that, then run make generate.

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
_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class AlterableConfig(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Value", "value", "string", None),
    )
    name: str = ""
    value: str | None = ""


class AlterConfigsResource(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ResourceType", "resource_type", "int8", None),
        ("ResourceName", "resource_name", "string", None),
        ("Configs", "configs", "[]struct", AlterableConfig),
    )
    resource_type: int = 0
    resource_name: str = ""
    configs: list[AlterableConfig] = []


class AlterConfigsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Resources", "resources", "[]struct", AlterConfigsResource),
        ("ValidateOnly", "validate_only", "bool", None),
    )
    NAME: ClassVar = "AlterConfigsRequest"
    API_KEY: ClassVar = 33
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    resources: list[AlterConfigsResource] = []
    validate_only: bool = False


class AlterConfigsResourceResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("ResourceType", "resource_type", "int8", None),
        ("ResourceName", "resource_name", "string", None),
    )
    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    resource_name: str = ""


class AlterConfigsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Responses", "responses", "[]struct", AlterConfigsResourceResponse),
    )
    NAME: ClassVar = "AlterConfigsResponse"
    API_KEY: ClassVar = 33
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    responses: list[AlterConfigsResourceResponse] = []


def decode_alter_configs_request_v0_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AlterConfigsRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Resources", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        resources: list[AlterConfigsResource] = []
        resources_count = n
        for _ in range(resources_count):
            resources_resource_type, = _read_b(buf, pos)
            pos += 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ResourceName")
            resources_resource_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Configs", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            resources_configs: list[AlterableConfig] = []
            resources_configs_count = n
            for _ in range(resources_configs_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Name")
                resources_configs_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                resources_configs_value: str | None = None
                if n >= 0:
                    resources_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                resources_configs.append(AlterableConfig(resources_configs_name, resources_configs_value))
            resources.append(AlterConfigsResource(resources_resource_type, resources_resource_name, resources_configs))
        validate_only, = _read_z(buf, pos)
        pos += 1
        message = AlterConfigsRequest(resources, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_configs_request_v0_v1(out: bytearray, m: AlterConfigsRequest) -> None:
    try:
        resources = m.resources
        out += _write_i(len(resources))
        for resources_item in resources:
            out += _write_b(resources_item.resource_type)
            text = resources_item.resource_name.encode()
            out += _write_h(len(text))
            out += text
            resources_configs = resources_item.configs
            out += _write_i(len(resources_configs))
            for resources_configs_item in resources_configs:
                text = resources_configs_item.name.encode()
                out += _write_h(len(text))
                out += text
                resources_configs_value = resources_configs_item.value
                if resources_configs_value is None:
                    out += _write_h(-1)
                else:
                    text = resources_configs_value.encode()
                    out += _write_h(len(text))
                    out += text
        out += _write_z(m.validate_only)
    except UNFIT as error:
        raise unfit("AlterConfigsRequest", error) from error


def decode_alter_configs_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AlterConfigsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Resources", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        resources: list[AlterConfigsResource] = []
        resources_count = n
        for _ in range(resources_count):
            resources_resource_type, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ResourceName")
            if n < 0:
                raise null("ResourceName")
            resources_resource_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Configs", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            resources_configs: list[AlterableConfig] = []
            resources_configs_count = n
            for _ in range(resources_configs_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                resources_configs_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Value")
                resources_configs_value: str | None = None
                if n >= 0:
                    resources_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                resources_configs.append(AlterableConfig(resources_configs_name, resources_configs_value))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            resources.append(AlterConfigsResource(resources_resource_type, resources_resource_name, resources_configs))
        validate_only, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AlterConfigsRequest(resources, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_configs_request_v2(out: bytearray, m: AlterConfigsRequest) -> None:
    try:
        resources = m.resources
        n = len(resources) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for resources_item in resources:
            out += _write_b(resources_item.resource_type)
            text = resources_item.resource_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ResourceName")
            out += text
            resources_configs = resources_item.configs
            n = len(resources_configs) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for resources_configs_item in resources_configs:
                text = resources_configs_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                resources_configs_value = resources_configs_item.value
                if resources_configs_value is None:
                    out.append(0)
                else:
                    text = resources_configs_value.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Value")
                    out += text
                out.append(0)
            out.append(0)
        out += _write_z(m.validate_only)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterConfigsRequest", error) from error

AlterConfigsRequest.DECODERS = {
    0: decode_alter_configs_request_v0_v1, 1: decode_alter_configs_request_v0_v1,
    2: decode_alter_configs_request_v2,
}

AlterConfigsRequest.ENCODERS = {
    0: encode_alter_configs_request_v0_v1, 1: encode_alter_configs_request_v0_v1,
    2: encode_alter_configs_request_v2,
}



def decode_alter_configs_response_v0_v1(buf: bytes, pos: int, end: int) -> tuple[AlterConfigsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[AlterConfigsResourceResponse] = []
        responses_count = n
        for _ in range(responses_count):
            responses_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            responses_error_message: str | None = None
            if n >= 0:
                responses_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            responses_resource_type, = _read_b(buf, pos)
            pos += 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ResourceName")
            responses_resource_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            responses.append(AlterConfigsResourceResponse(responses_error_code, responses_error_message, responses_resource_type, responses_resource_name))
        message = AlterConfigsResponse(throttle_time_ms, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_configs_response_v0_v1(out: bytearray, m: AlterConfigsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            out += _write_h(responses_item.error_code)
            responses_error_message = responses_item.error_message
            if responses_error_message is None:
                out += _write_h(-1)
            else:
                text = responses_error_message.encode()
                out += _write_h(len(text))
                out += text
            out += _write_b(responses_item.resource_type)
            text = responses_item.resource_name.encode()
            out += _write_h(len(text))
            out += text
    except UNFIT as error:
        raise unfit("AlterConfigsResponse", error) from error


def decode_alter_configs_response_v2(buf: bytes, pos: int, end: int) -> tuple[AlterConfigsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[AlterConfigsResourceResponse] = []
        responses_count = n
        for _ in range(responses_count):
            responses_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            responses_error_message: str | None = None
            if n >= 0:
                responses_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            responses_resource_type, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ResourceName")
            if n < 0:
                raise null("ResourceName")
            responses_resource_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(AlterConfigsResourceResponse(responses_error_code, responses_error_message, responses_resource_type, responses_resource_name))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = AlterConfigsResponse(throttle_time_ms, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_configs_response_v2(out: bytearray, m: AlterConfigsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            out += _write_h(responses_item.error_code)
            responses_error_message = responses_item.error_message
            if responses_error_message is None:
                out.append(0)
            else:
                text = responses_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ErrorMessage")
                out += text
            out += _write_b(responses_item.resource_type)
            text = responses_item.resource_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ResourceName")
            out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterConfigsResponse", error) from error

AlterConfigsResponse.DECODERS = {
    0: decode_alter_configs_response_v0_v1, 1: decode_alter_configs_response_v0_v1,
    2: decode_alter_configs_response_v2,
}

AlterConfigsResponse.ENCODERS = {
    0: encode_alter_configs_response_v0_v1, 1: encode_alter_configs_response_v0_v1,
    2: encode_alter_configs_response_v2,
}

__all__ = [
    "AlterConfigsRequest", "AlterConfigsResource", "AlterConfigsResourceResponse", "AlterConfigsResponse",
    "AlterableConfig",
]
