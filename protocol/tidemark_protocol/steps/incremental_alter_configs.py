# Generated from schemas/messages/IncrementalAlterConfigsRequest.json and schemas/messages/IncrementalAlterConfigsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.incremental_alter_configs import (
    AlterConfigsResource,
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
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
_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


def decode_incremental_alter_configs_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[IncrementalAlterConfigsRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Resources")
        if n > end - pos:
            check_count(n, pos, end)
        resources: list[AlterConfigsResource] = []
        resources_count = n
        for _ in range(resources_count):
            yield 1
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
            if n < 0:
                raise null("Configs")
            if n > end - pos:
                check_count(n, pos, end)
            resources_configs: list[AlterableConfig] = []
            resources_configs_count = n
            for _ in range(resources_configs_count):
                yield 1
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Name")
                resources_configs_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                resources_configs_config_operation, = _read_b(buf, pos)
                pos += 1
                n = _read_h(buf, pos)[0]
                pos += 2
                resources_configs_value: str | None = None
                if n >= 0:
                    resources_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                resources_configs.append(AlterableConfig(resources_configs_name, resources_configs_config_operation, resources_configs_value))
            resources.append(AlterConfigsResource(resources_resource_type, resources_resource_name, resources_configs))
        validate_only, = _read_z(buf, pos)
        pos += 1
        message = IncrementalAlterConfigsRequest(resources, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_incremental_alter_configs_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[IncrementalAlterConfigsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Resources")
        if n > end - pos:
            check_count(n, pos, end)
        resources: list[AlterConfigsResource] = []
        resources_count = n
        for _ in range(resources_count):
            yield 1
            resources_resource_type, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("ResourceName", n)
            if n < 0:
                raise null("ResourceName")
            resources_resource_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Configs")
            if n > end - pos:
                check_count(n, pos, end)
            resources_configs: list[AlterableConfig] = []
            resources_configs_count = n
            for _ in range(resources_configs_count):
                yield 1
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                    if n > TEXT_MAX:
                        raise too_long("Name", n)
                if n < 0:
                    raise null("Name")
                resources_configs_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                resources_configs_config_operation, = _read_b(buf, pos)
                pos += 1
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                    if n > TEXT_MAX:
                        raise too_long("Value", n)
                resources_configs_value: str | None = None
                if n >= 0:
                    resources_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                resources_configs.append(AlterableConfig(resources_configs_name, resources_configs_config_operation, resources_configs_value))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            resources.append(AlterConfigsResource(resources_resource_type, resources_resource_name, resources_configs))
        validate_only, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = IncrementalAlterConfigsRequest(resources, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_incremental_alter_configs_response_v0(out: bytearray, m: IncrementalAlterConfigsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            yield 1
            out += _write_h(responses_item.error_code)
            responses_error_message = responses_item.error_message
            if responses_error_message is None:
                out += _write_h(-1)
            else:
                text = responses_error_message.encode()
                out += _write_h(len(text))
                out += text
            out += _write_b(responses_item.resource_type)
            responses_resource_name = responses_item.resource_name
            text = responses_resource_name.encode()
            out += _write_h(len(text))
            out += text
    except UNFIT as error:
        raise unfit("IncrementalAlterConfigsResponse", error) from error


def encode_incremental_alter_configs_response_v1(out: bytearray, m: IncrementalAlterConfigsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            yield 1
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
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
            out += _write_b(responses_item.resource_type)
            responses_resource_name = responses_item.resource_name
            text = responses_resource_name.encode()
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
        raise unfit("IncrementalAlterConfigsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_incremental_alter_configs_request_v0,
    1: decode_incremental_alter_configs_request_v1,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_incremental_alter_configs_response_v0,
    1: encode_incremental_alter_configs_response_v1,
}

__all__ = ["DECODERS", "ENCODERS"]
