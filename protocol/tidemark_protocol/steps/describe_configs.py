# Generated from schemas/messages/DescribeConfigsRequest.json and schemas/messages/DescribeConfigsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
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
_zz = struct.Struct(">??")
_read_zz = _zz.unpack_from
_write_zz = _zz.pack
_zbz = struct.Struct(">?b?")
_read_zbz = _zbz.unpack_from
_write_zbz = _zbz.pack
_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


def decode_describe_configs_request_v1_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeConfigsRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Resources")
        if n > end - pos:
            check_count(n, pos, end)
        resources: list[DescribeConfigsResource] = []
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
            resources_configuration_keys: list[str] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                resources_configuration_keys_list: list[str] = []
                resources_configuration_keys_count = n
                for _ in range(resources_configuration_keys_count):
                    yield 1
                    n = _read_h(buf, pos)[0]
                    pos += 2
                    if n < 0:
                        raise null("ConfigurationKeys")
                    resources_configuration_keys_item = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    resources_configuration_keys_list.append(resources_configuration_keys_item)
                resources_configuration_keys = resources_configuration_keys_list
            resources.append(DescribeConfigsResource(resources_resource_type, resources_resource_name, resources_configuration_keys))
        include_synonyms, = _read_z(buf, pos)
        pos += 1
        message = DescribeConfigsRequest(resources, include_synonyms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_describe_configs_request_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeConfigsRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Resources")
        if n > end - pos:
            check_count(n, pos, end)
        resources: list[DescribeConfigsResource] = []
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
            resources_configuration_keys: list[str] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                resources_configuration_keys_list: list[str] = []
                resources_configuration_keys_count = n
                for _ in range(resources_configuration_keys_count):
                    yield 1
                    n = _read_h(buf, pos)[0]
                    pos += 2
                    if n < 0:
                        raise null("ConfigurationKeys")
                    resources_configuration_keys_item = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    resources_configuration_keys_list.append(resources_configuration_keys_item)
                resources_configuration_keys = resources_configuration_keys_list
            resources.append(DescribeConfigsResource(resources_resource_type, resources_resource_name, resources_configuration_keys))
        include_synonyms, include_documentation = _read_zz(buf, pos)
        pos += 2
        message = DescribeConfigsRequest(resources, include_synonyms, include_documentation)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_describe_configs_request_v4(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeConfigsRequest, int]]:
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
        resources: list[DescribeConfigsResource] = []
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
            resources_configuration_keys: list[str] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                resources_configuration_keys_list: list[str] = []
                resources_configuration_keys_count = n
                for _ in range(resources_configuration_keys_count):
                    yield 1
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_uvarint(buf, pos - 1)
                        n -= 1
                        if n > TEXT_MAX:
                            raise too_long("ConfigurationKeys", n)
                    if n < 0:
                        raise null("ConfigurationKeys")
                    resources_configuration_keys_item = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    resources_configuration_keys_list.append(resources_configuration_keys_item)
                resources_configuration_keys = resources_configuration_keys_list
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            resources.append(DescribeConfigsResource(resources_resource_type, resources_resource_name, resources_configuration_keys))
        include_synonyms, include_documentation = _read_zz(buf, pos)
        pos += 2
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DescribeConfigsRequest(resources, include_synonyms, include_documentation)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_describe_configs_response_v1_v2(out: bytearray, m: DescribeConfigsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        results = m.results
        out += _write_i(len(results))
        for results_item in results:
            yield 1
            out += _write_h(results_item.error_code)
            results_error_message = results_item.error_message
            if results_error_message is None:
                out += _write_h(-1)
            else:
                text = results_error_message.encode()
                out += _write_h(len(text))
                out += text
            out += _write_b(results_item.resource_type)
            results_resource_name = results_item.resource_name
            text = results_resource_name.encode()
            out += _write_h(len(text))
            out += text
            results_configs = results_item.configs
            out += _write_i(len(results_configs))
            for results_configs_item in results_configs:
                yield 1
                results_configs_name = results_configs_item.name
                text = results_configs_name.encode()
                out += _write_h(len(text))
                out += text
                results_configs_value = results_configs_item.value
                if results_configs_value is None:
                    out += _write_h(-1)
                else:
                    text = results_configs_value.encode()
                    out += _write_h(len(text))
                    out += text
                out += _write_zbz(results_configs_item.read_only, results_configs_item.config_source, results_configs_item.is_sensitive)
                results_configs_synonyms = results_configs_item.synonyms
                out += _write_i(len(results_configs_synonyms))
                for results_configs_synonyms_item in results_configs_synonyms:
                    yield 1
                    results_configs_synonyms_name = results_configs_synonyms_item.name
                    text = results_configs_synonyms_name.encode()
                    out += _write_h(len(text))
                    out += text
                    results_configs_synonyms_value = results_configs_synonyms_item.value
                    if results_configs_synonyms_value is None:
                        out += _write_h(-1)
                    else:
                        text = results_configs_synonyms_value.encode()
                        out += _write_h(len(text))
                        out += text
                    out += _write_b(results_configs_synonyms_item.source)
    except UNFIT as error:
        raise unfit("DescribeConfigsResponse", error) from error


def encode_describe_configs_response_v3(out: bytearray, m: DescribeConfigsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        results = m.results
        out += _write_i(len(results))
        for results_item in results:
            yield 1
            out += _write_h(results_item.error_code)
            results_error_message = results_item.error_message
            if results_error_message is None:
                out += _write_h(-1)
            else:
                text = results_error_message.encode()
                out += _write_h(len(text))
                out += text
            out += _write_b(results_item.resource_type)
            results_resource_name = results_item.resource_name
            text = results_resource_name.encode()
            out += _write_h(len(text))
            out += text
            results_configs = results_item.configs
            out += _write_i(len(results_configs))
            for results_configs_item in results_configs:
                yield 1
                results_configs_name = results_configs_item.name
                text = results_configs_name.encode()
                out += _write_h(len(text))
                out += text
                results_configs_value = results_configs_item.value
                if results_configs_value is None:
                    out += _write_h(-1)
                else:
                    text = results_configs_value.encode()
                    out += _write_h(len(text))
                    out += text
                out += _write_zbz(results_configs_item.read_only, results_configs_item.config_source, results_configs_item.is_sensitive)
                results_configs_synonyms = results_configs_item.synonyms
                out += _write_i(len(results_configs_synonyms))
                for results_configs_synonyms_item in results_configs_synonyms:
                    yield 1
                    results_configs_synonyms_name = results_configs_synonyms_item.name
                    text = results_configs_synonyms_name.encode()
                    out += _write_h(len(text))
                    out += text
                    results_configs_synonyms_value = results_configs_synonyms_item.value
                    if results_configs_synonyms_value is None:
                        out += _write_h(-1)
                    else:
                        text = results_configs_synonyms_value.encode()
                        out += _write_h(len(text))
                        out += text
                    out += _write_b(results_configs_synonyms_item.source)
                out += _write_b(results_configs_item.config_type)
                results_configs_documentation = results_configs_item.documentation
                if results_configs_documentation is None:
                    out += _write_h(-1)
                else:
                    text = results_configs_documentation.encode()
                    out += _write_h(len(text))
                    out += text
    except UNFIT as error:
        raise unfit("DescribeConfigsResponse", error) from error


def encode_describe_configs_response_v4(out: bytearray, m: DescribeConfigsResponse) -> Generator[int, None, None]:
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
            out += _write_h(results_item.error_code)
            results_error_message = results_item.error_message
            if results_error_message is None:
                out.append(0)
            else:
                text = results_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
            out += _write_b(results_item.resource_type)
            results_resource_name = results_item.resource_name
            text = results_resource_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ResourceName", n - 1)
                write_uvarint(out, n)
            out += text
            results_configs = results_item.configs
            n = len(results_configs) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_configs_item in results_configs:
                yield 1
                results_configs_name = results_configs_item.name
                text = results_configs_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Name", n - 1)
                    write_uvarint(out, n)
                out += text
                results_configs_value = results_configs_item.value
                if results_configs_value is None:
                    out.append(0)
                else:
                    text = results_configs_value.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("Value", n - 1)
                        write_uvarint(out, n)
                    out += text
                out += _write_zbz(results_configs_item.read_only, results_configs_item.config_source, results_configs_item.is_sensitive)
                results_configs_synonyms = results_configs_item.synonyms
                n = len(results_configs_synonyms) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for results_configs_synonyms_item in results_configs_synonyms:
                    yield 1
                    results_configs_synonyms_name = results_configs_synonyms_item.name
                    text = results_configs_synonyms_name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("Name", n - 1)
                        write_uvarint(out, n)
                    out += text
                    results_configs_synonyms_value = results_configs_synonyms_item.value
                    if results_configs_synonyms_value is None:
                        out.append(0)
                    else:
                        text = results_configs_synonyms_value.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            if n > TEXT_MAX + 1:
                                raise too_long("Value", n - 1)
                            write_uvarint(out, n)
                        out += text
                    out += _write_b(results_configs_synonyms_item.source)
                    out.append(0)
                out += _write_b(results_configs_item.config_type)
                results_configs_documentation = results_configs_item.documentation
                if results_configs_documentation is None:
                    out.append(0)
                else:
                    text = results_configs_documentation.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("Documentation", n - 1)
                        write_uvarint(out, n)
                    out += text
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeConfigsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    1: decode_describe_configs_request_v1_v2,
    2: decode_describe_configs_request_v1_v2,
    3: decode_describe_configs_request_v3,
    4: decode_describe_configs_request_v4,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    1: encode_describe_configs_response_v1_v2,
    2: encode_describe_configs_response_v1_v2,
    3: encode_describe_configs_response_v3,
    4: encode_describe_configs_response_v4,
}

__all__ = ["DECODERS", "ENCODERS"]
