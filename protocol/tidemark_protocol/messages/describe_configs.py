# Generated from schemas/messages/DescribeConfigsRequest.json and schemas/messages/DescribeConfigsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, check_count, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
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


class DescribeConfigsResource(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ResourceType", "resource_type", "int8", None),
        ("ResourceName", "resource_name", "string", None),
        ("ConfigurationKeys", "configuration_keys", "[]string", None),
    )
    resource_type: int = 0
    resource_name: str = ""
    configuration_keys: list[str] | None = []


class DescribeConfigsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Resources", "resources", "[]struct", DescribeConfigsResource),
        ("IncludeSynonyms", "include_synonyms", "bool", None),
        ("IncludeDocumentation", "include_documentation", "bool", None),
    )
    NAME: ClassVar = "DescribeConfigsRequest"
    API_KEY: ClassVar = 32
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 4
    FLEXIBLE_FROM: ClassVar = 4
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    resources: list[DescribeConfigsResource] = []
    include_synonyms: bool = False
    include_documentation: bool = False


class DescribeConfigsSynonym(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Value", "value", "string", None),
        ("Source", "source", "int8", None),
    )
    name: str = ""
    value: str | None = ""
    source: int = 0


class DescribeConfigsResourceResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Value", "value", "string", None),
        ("ReadOnly", "read_only", "bool", None),
        ("ConfigSource", "config_source", "int8", None),
        ("IsSensitive", "is_sensitive", "bool", None),
        ("Synonyms", "synonyms", "[]struct", DescribeConfigsSynonym),
        ("ConfigType", "config_type", "int8", None),
        ("Documentation", "documentation", "string", None),
    )
    name: str = ""
    value: str | None = ""
    read_only: bool = False
    config_source: int = -1
    is_sensitive: bool = False
    synonyms: list[DescribeConfigsSynonym] = []
    config_type: int = 0
    documentation: str | None = ""


class DescribeConfigsResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("ResourceType", "resource_type", "int8", None),
        ("ResourceName", "resource_name", "string", None),
        ("Configs", "configs", "[]struct", DescribeConfigsResourceResult),
    )
    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    resource_name: str = ""
    configs: list[DescribeConfigsResourceResult] = []


class DescribeConfigsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Results", "results", "[]struct", DescribeConfigsResult),
    )
    NAME: ClassVar = "DescribeConfigsResponse"
    API_KEY: ClassVar = 32
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 4
    FLEXIBLE_FROM: ClassVar = 4
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    results: list[DescribeConfigsResult] = []


def decode_describe_configs_request_v1_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeConfigsRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Resources", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        resources: list[DescribeConfigsResource] = []
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
            resources_configuration_keys: list[str] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                resources_configuration_keys_list: list[str] = []
                resources_configuration_keys_count = n
                for _ in range(resources_configuration_keys_count):
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
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_configs_request_v1_v2(out: bytearray, m: DescribeConfigsRequest) -> None:
    try:
        resources = m.resources
        out += _write_i(len(resources))
        for resources_item in resources:
            out += _write_b(resources_item.resource_type)
            text = resources_item.resource_name.encode()
            out += _write_h(len(text))
            out += text
            resources_configuration_keys = resources_item.configuration_keys
            if resources_configuration_keys is None:
                out += _write_i(-1)
            else:
                out += _write_i(len(resources_configuration_keys))
                for resources_configuration_keys_item in resources_configuration_keys:
                    text = resources_configuration_keys_item.encode()
                    out += _write_h(len(text))
                    out += text
        out += _write_z(m.include_synonyms)
    except UNFIT as error:
        raise unfit("DescribeConfigsRequest", error) from error


def decode_describe_configs_request_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeConfigsRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Resources", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        resources: list[DescribeConfigsResource] = []
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
            resources_configuration_keys: list[str] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                resources_configuration_keys_list: list[str] = []
                resources_configuration_keys_count = n
                for _ in range(resources_configuration_keys_count):
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
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_configs_request_v3(out: bytearray, m: DescribeConfigsRequest) -> None:
    try:
        resources = m.resources
        out += _write_i(len(resources))
        for resources_item in resources:
            out += _write_b(resources_item.resource_type)
            text = resources_item.resource_name.encode()
            out += _write_h(len(text))
            out += text
            resources_configuration_keys = resources_item.configuration_keys
            if resources_configuration_keys is None:
                out += _write_i(-1)
            else:
                out += _write_i(len(resources_configuration_keys))
                for resources_configuration_keys_item in resources_configuration_keys:
                    text = resources_configuration_keys_item.encode()
                    out += _write_h(len(text))
                    out += text
        out += _write_zz(m.include_synonyms, m.include_documentation)
    except UNFIT as error:
        raise unfit("DescribeConfigsRequest", error) from error


def decode_describe_configs_request_v4(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeConfigsRequest, int]:
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
        resources: list[DescribeConfigsResource] = []
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
            resources_configuration_keys: list[str] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                resources_configuration_keys_list: list[str] = []
                resources_configuration_keys_count = n
                for _ in range(resources_configuration_keys_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "ConfigurationKeys")
                    if n < 0:
                        raise null("ConfigurationKeys")
                    resources_configuration_keys_item = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    resources_configuration_keys_list.append(resources_configuration_keys_item)
                resources_configuration_keys = resources_configuration_keys_list
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            resources.append(DescribeConfigsResource(resources_resource_type, resources_resource_name, resources_configuration_keys))
        include_synonyms, include_documentation = _read_zz(buf, pos)
        pos += 2
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeConfigsRequest(resources, include_synonyms, include_documentation)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_configs_request_v4(out: bytearray, m: DescribeConfigsRequest) -> None:
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
            resources_configuration_keys = resources_item.configuration_keys
            if resources_configuration_keys is None:
                out.append(0)
            else:
                n = len(resources_configuration_keys) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for resources_configuration_keys_item in resources_configuration_keys:
                    text = resources_configuration_keys_item.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "ConfigurationKeys")
                    out += text
            out.append(0)
        out += _write_zz(m.include_synonyms, m.include_documentation)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeConfigsRequest", error) from error

DescribeConfigsRequest.DECODERS = {
    1: decode_describe_configs_request_v1_v2, 2: decode_describe_configs_request_v1_v2,
    3: decode_describe_configs_request_v3,
    4: decode_describe_configs_request_v4,
}

DescribeConfigsRequest.ENCODERS = {
    1: encode_describe_configs_request_v1_v2, 2: encode_describe_configs_request_v1_v2,
    3: encode_describe_configs_request_v3,
    4: encode_describe_configs_request_v4,
}



def decode_describe_configs_response_v1_v2(buf: bytes, pos: int, end: int) -> tuple[DescribeConfigsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[DescribeConfigsResult] = []
        results_count = n
        for _ in range(results_count):
            results_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            results_error_message: str | None = None
            if n >= 0:
                results_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            results_resource_type, = _read_b(buf, pos)
            pos += 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ResourceName")
            results_resource_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Configs", n, pos, end)
            results_configs: list[DescribeConfigsResourceResult] = []
            results_configs_count = n
            for _ in range(results_configs_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Name")
                results_configs_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                results_configs_value: str | None = None
                if n >= 0:
                    results_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                results_configs_read_only, results_configs_config_source, results_configs_is_sensitive = _read_zbz(buf, pos)
                pos += 3
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("Synonyms", n, pos, end)
                results_configs_synonyms: list[DescribeConfigsSynonym] = []
                results_configs_synonyms_count = n
                for _ in range(results_configs_synonyms_count):
                    n = _read_h(buf, pos)[0]
                    pos += 2
                    if n < 0:
                        raise null("Name")
                    results_configs_synonyms_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = _read_h(buf, pos)[0]
                    pos += 2
                    results_configs_synonyms_value: str | None = None
                    if n >= 0:
                        results_configs_synonyms_value = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    results_configs_synonyms_source, = _read_b(buf, pos)
                    pos += 1
                    results_configs_synonyms.append(DescribeConfigsSynonym(results_configs_synonyms_name, results_configs_synonyms_value, results_configs_synonyms_source))
                results_configs.append(DescribeConfigsResourceResult(results_configs_name, results_configs_value, results_configs_read_only, results_configs_config_source, results_configs_is_sensitive, results_configs_synonyms))
            results.append(DescribeConfigsResult(results_error_code, results_error_message, results_resource_type, results_resource_name, results_configs))
        message = DescribeConfigsResponse(throttle_time_ms, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_configs_response_v1_v2(out: bytearray, m: DescribeConfigsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        results = m.results
        out += _write_i(len(results))
        for results_item in results:
            out += _write_h(results_item.error_code)
            results_error_message = results_item.error_message
            if results_error_message is None:
                out += _write_h(-1)
            else:
                text = results_error_message.encode()
                out += _write_h(len(text))
                out += text
            out += _write_b(results_item.resource_type)
            text = results_item.resource_name.encode()
            out += _write_h(len(text))
            out += text
            results_configs = results_item.configs
            out += _write_i(len(results_configs))
            for results_configs_item in results_configs:
                text = results_configs_item.name.encode()
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
                    text = results_configs_synonyms_item.name.encode()
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


def decode_describe_configs_response_v3(buf: bytes, pos: int, end: int) -> tuple[DescribeConfigsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[DescribeConfigsResult] = []
        results_count = n
        for _ in range(results_count):
            results_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            results_error_message: str | None = None
            if n >= 0:
                results_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            results_resource_type, = _read_b(buf, pos)
            pos += 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ResourceName")
            results_resource_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Configs", n, pos, end)
            results_configs: list[DescribeConfigsResourceResult] = []
            results_configs_count = n
            for _ in range(results_configs_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Name")
                results_configs_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                results_configs_value: str | None = None
                if n >= 0:
                    results_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                results_configs_read_only, results_configs_config_source, results_configs_is_sensitive = _read_zbz(buf, pos)
                pos += 3
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("Synonyms", n, pos, end)
                results_configs_synonyms: list[DescribeConfigsSynonym] = []
                results_configs_synonyms_count = n
                for _ in range(results_configs_synonyms_count):
                    n = _read_h(buf, pos)[0]
                    pos += 2
                    if n < 0:
                        raise null("Name")
                    results_configs_synonyms_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = _read_h(buf, pos)[0]
                    pos += 2
                    results_configs_synonyms_value: str | None = None
                    if n >= 0:
                        results_configs_synonyms_value = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    results_configs_synonyms_source, = _read_b(buf, pos)
                    pos += 1
                    results_configs_synonyms.append(DescribeConfigsSynonym(results_configs_synonyms_name, results_configs_synonyms_value, results_configs_synonyms_source))
                results_configs_config_type, = _read_b(buf, pos)
                pos += 1
                n = _read_h(buf, pos)[0]
                pos += 2
                results_configs_documentation: str | None = None
                if n >= 0:
                    results_configs_documentation = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                results_configs.append(DescribeConfigsResourceResult(results_configs_name, results_configs_value, results_configs_read_only, results_configs_config_source, results_configs_is_sensitive, results_configs_synonyms, results_configs_config_type, results_configs_documentation))
            results.append(DescribeConfigsResult(results_error_code, results_error_message, results_resource_type, results_resource_name, results_configs))
        message = DescribeConfigsResponse(throttle_time_ms, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_configs_response_v3(out: bytearray, m: DescribeConfigsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        results = m.results
        out += _write_i(len(results))
        for results_item in results:
            out += _write_h(results_item.error_code)
            results_error_message = results_item.error_message
            if results_error_message is None:
                out += _write_h(-1)
            else:
                text = results_error_message.encode()
                out += _write_h(len(text))
                out += text
            out += _write_b(results_item.resource_type)
            text = results_item.resource_name.encode()
            out += _write_h(len(text))
            out += text
            results_configs = results_item.configs
            out += _write_i(len(results_configs))
            for results_configs_item in results_configs:
                text = results_configs_item.name.encode()
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
                    text = results_configs_synonyms_item.name.encode()
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


def decode_describe_configs_response_v4(buf: bytes, pos: int, end: int) -> tuple[DescribeConfigsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[DescribeConfigsResult] = []
        results_count = n
        for _ in range(results_count):
            results_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            results_error_message: str | None = None
            if n >= 0:
                results_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            results_resource_type, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ResourceName")
            if n < 0:
                raise null("ResourceName")
            results_resource_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Configs", n, pos, end)
            results_configs: list[DescribeConfigsResourceResult] = []
            results_configs_count = n
            for _ in range(results_configs_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                results_configs_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Value")
                results_configs_value: str | None = None
                if n >= 0:
                    results_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                results_configs_read_only, results_configs_config_source, results_configs_is_sensitive = _read_zbz(buf, pos)
                pos += 3
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Synonyms", n, pos, end)
                results_configs_synonyms: list[DescribeConfigsSynonym] = []
                results_configs_synonyms_count = n
                for _ in range(results_configs_synonyms_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Name")
                    if n < 0:
                        raise null("Name")
                    results_configs_synonyms_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Value")
                    results_configs_synonyms_value: str | None = None
                    if n >= 0:
                        results_configs_synonyms_value = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    results_configs_synonyms_source, = _read_b(buf, pos)
                    pos += 1
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    results_configs_synonyms.append(DescribeConfigsSynonym(results_configs_synonyms_name, results_configs_synonyms_value, results_configs_synonyms_source))
                results_configs_config_type, = _read_b(buf, pos)
                pos += 1
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Documentation")
                results_configs_documentation: str | None = None
                if n >= 0:
                    results_configs_documentation = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                results_configs.append(DescribeConfigsResourceResult(results_configs_name, results_configs_value, results_configs_read_only, results_configs_config_source, results_configs_is_sensitive, results_configs_synonyms, results_configs_config_type, results_configs_documentation))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results.append(DescribeConfigsResult(results_error_code, results_error_message, results_resource_type, results_resource_name, results_configs))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeConfigsResponse(throttle_time_ms, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_configs_response_v4(out: bytearray, m: DescribeConfigsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
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
                    write_text_length(out, n, "ErrorMessage")
                out += text
            out += _write_b(results_item.resource_type)
            text = results_item.resource_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ResourceName")
            out += text
            results_configs = results_item.configs
            n = len(results_configs) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_configs_item in results_configs:
                text = results_configs_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
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
                        write_text_length(out, n, "Value")
                    out += text
                out += _write_zbz(results_configs_item.read_only, results_configs_item.config_source, results_configs_item.is_sensitive)
                results_configs_synonyms = results_configs_item.synonyms
                n = len(results_configs_synonyms) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for results_configs_synonyms_item in results_configs_synonyms:
                    text = results_configs_synonyms_item.name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Name")
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
                            write_text_length(out, n, "Value")
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
                        write_text_length(out, n, "Documentation")
                    out += text
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeConfigsResponse", error) from error

DescribeConfigsResponse.DECODERS = {
    1: decode_describe_configs_response_v1_v2, 2: decode_describe_configs_response_v1_v2,
    3: decode_describe_configs_response_v3,
    4: decode_describe_configs_response_v4,
}

DescribeConfigsResponse.ENCODERS = {
    1: encode_describe_configs_response_v1_v2, 2: encode_describe_configs_response_v1_v2,
    3: encode_describe_configs_response_v3,
    4: encode_describe_configs_response_v4,
}

__all__ = [
    "DescribeConfigsRequest", "DescribeConfigsResource", "DescribeConfigsResourceResult",
    "DescribeConfigsResponse", "DescribeConfigsResult", "DescribeConfigsSynonym",
]
