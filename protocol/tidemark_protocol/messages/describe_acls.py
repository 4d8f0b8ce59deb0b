# Generated from schemas/messages/DescribeAclsRequest.json and schemas/messages/DescribeAclsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_bb = struct.Struct(">bb")
_read_bb = _bb.unpack_from
_write_bb = _bb.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class DescribeAclsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ResourceTypeFilter", "resource_type_filter", "int8", None),
        ("ResourceNameFilter", "resource_name_filter", "string", None),
        ("PatternTypeFilter", "pattern_type_filter", "int8", None),
        ("PrincipalFilter", "principal_filter", "string", None),
        ("HostFilter", "host_filter", "string", None),
        ("Operation", "operation", "int8", None),
        ("PermissionType", "permission_type", "int8", None),
    )
    NAME: ClassVar = "DescribeAclsRequest"
    API_KEY: ClassVar = 29
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    resource_type_filter: int = 0
    resource_name_filter: str | None = ""
    pattern_type_filter: int = 3
    principal_filter: str | None = ""
    host_filter: str | None = ""
    operation: int = 0
    permission_type: int = 0


class AclDescription(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Principal", "principal", "string", None),
        ("Host", "host", "string", None),
        ("Operation", "operation", "int8", None),
        ("PermissionType", "permission_type", "int8", None),
    )
    principal: str = ""
    host: str = ""
    operation: int = 0
    permission_type: int = 0


class DescribeAclsResource(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ResourceType", "resource_type", "int8", None),
        ("ResourceName", "resource_name", "string", None),
        ("PatternType", "pattern_type", "int8", None),
        ("Acls", "acls", "[]struct", AclDescription),
    )
    resource_type: int = 0
    resource_name: str = ""
    pattern_type: int = 3
    acls: list[AclDescription] = []


class DescribeAclsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("Resources", "resources", "[]struct", DescribeAclsResource),
    )
    NAME: ClassVar = "DescribeAclsResponse"
    API_KEY: ClassVar = 29
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    resources: list[DescribeAclsResource] = []


def decode_describe_acls_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeAclsRequest, int]:
    try:
        resource_type_filter, = _read_b(buf, pos)
        pos += 1
        n = _read_h(buf, pos)[0]
        pos += 2
        resource_name_filter: str | None = None
        if n >= 0:
            resource_name_filter = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        pattern_type_filter, = _read_b(buf, pos)
        pos += 1
        n = _read_h(buf, pos)[0]
        pos += 2
        principal_filter: str | None = None
        if n >= 0:
            principal_filter = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        host_filter: str | None = None
        if n >= 0:
            host_filter = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        operation, permission_type = _read_bb(buf, pos)
        pos += 2
        message = DescribeAclsRequest(resource_type_filter, resource_name_filter, pattern_type_filter, principal_filter, host_filter, operation, permission_type)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_acls_request_v1(out: bytearray, m: DescribeAclsRequest) -> None:
    try:
        out += _write_b(m.resource_type_filter)
        resource_name_filter = m.resource_name_filter
        if resource_name_filter is None:
            out += _write_h(-1)
        else:
            text = resource_name_filter.encode()
            out += _write_h(len(text))
            out += text
        out += _write_b(m.pattern_type_filter)
        principal_filter = m.principal_filter
        if principal_filter is None:
            out += _write_h(-1)
        else:
            text = principal_filter.encode()
            out += _write_h(len(text))
            out += text
        host_filter = m.host_filter
        if host_filter is None:
            out += _write_h(-1)
        else:
            text = host_filter.encode()
            out += _write_h(len(text))
            out += text
        out += _write_bb(m.operation, m.permission_type)
    except UNFIT as error:
        raise unfit("DescribeAclsRequest", error) from error


def decode_describe_acls_request_v2_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeAclsRequest, int]:
    try:
        resource_type_filter, = _read_b(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ResourceNameFilter")
        resource_name_filter: str | None = None
        if n >= 0:
            resource_name_filter = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        pattern_type_filter, = _read_b(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "PrincipalFilter")
        principal_filter: str | None = None
        if n >= 0:
            principal_filter = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "HostFilter")
        host_filter: str | None = None
        if n >= 0:
            host_filter = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        operation, permission_type = _read_bb(buf, pos)
        pos += 2
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeAclsRequest(resource_type_filter, resource_name_filter, pattern_type_filter, principal_filter, host_filter, operation, permission_type)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_acls_request_v2_v3(out: bytearray, m: DescribeAclsRequest) -> None:
    try:
        out += _write_b(m.resource_type_filter)
        resource_name_filter = m.resource_name_filter
        if resource_name_filter is None:
            out.append(0)
        else:
            text = resource_name_filter.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ResourceNameFilter")
            out += text
        out += _write_b(m.pattern_type_filter)
        principal_filter = m.principal_filter
        if principal_filter is None:
            out.append(0)
        else:
            text = principal_filter.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "PrincipalFilter")
            out += text
        host_filter = m.host_filter
        if host_filter is None:
            out.append(0)
        else:
            text = host_filter.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "HostFilter")
            out += text
        out += _write_bb(m.operation, m.permission_type)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeAclsRequest", error) from error

DescribeAclsRequest.DECODERS = {
    1: decode_describe_acls_request_v1,
    2: decode_describe_acls_request_v2_v3, 3: decode_describe_acls_request_v2_v3,
}

DescribeAclsRequest.ENCODERS = {
    1: encode_describe_acls_request_v1,
    2: encode_describe_acls_request_v2_v3, 3: encode_describe_acls_request_v2_v3,
}



def decode_describe_acls_response_v1(buf: bytes, pos: int, end: int) -> tuple[DescribeAclsResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = _read_h(buf, pos)[0]
        pos += 2
        error_message: str | None = None
        if n >= 0:
            error_message = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Resources", n, pos, end)
        resources: list[DescribeAclsResource] = []
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
            resources_pattern_type, = _read_b(buf, pos)
            pos += 1
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Acls", n, pos, end)
            resources_acls: list[AclDescription] = []
            resources_acls_count = n
            for _ in range(resources_acls_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Principal")
                resources_acls_principal = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Host")
                resources_acls_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                resources_acls_operation, resources_acls_permission_type = _read_bb(buf, pos)
                pos += 2
                resources_acls.append(AclDescription(resources_acls_principal, resources_acls_host, resources_acls_operation, resources_acls_permission_type))
            resources.append(DescribeAclsResource(resources_resource_type, resources_resource_name, resources_pattern_type, resources_acls))
        message = DescribeAclsResponse(throttle_time_ms, error_code, error_message, resources)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_acls_response_v1(out: bytearray, m: DescribeAclsResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        error_message = m.error_message
        if error_message is None:
            out += _write_h(-1)
        else:
            text = error_message.encode()
            out += _write_h(len(text))
            out += text
        resources = m.resources
        out += _write_i(len(resources))
        for resources_item in resources:
            out += _write_b(resources_item.resource_type)
            text = resources_item.resource_name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_b(resources_item.pattern_type)
            resources_acls = resources_item.acls
            out += _write_i(len(resources_acls))
            for resources_acls_item in resources_acls:
                text = resources_acls_item.principal.encode()
                out += _write_h(len(text))
                out += text
                text = resources_acls_item.host.encode()
                out += _write_h(len(text))
                out += text
                out += _write_bb(resources_acls_item.operation, resources_acls_item.permission_type)
    except UNFIT as error:
        raise unfit("DescribeAclsResponse", error) from error


def decode_describe_acls_response_v2_v3(buf: bytes, pos: int, end: int) -> tuple[DescribeAclsResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
        error_message: str | None = None
        if n >= 0:
            error_message = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Resources", n, pos, end)
        resources: list[DescribeAclsResource] = []
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
            resources_pattern_type, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Acls", n, pos, end)
            resources_acls: list[AclDescription] = []
            resources_acls_count = n
            for _ in range(resources_acls_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Principal")
                if n < 0:
                    raise null("Principal")
                resources_acls_principal = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Host")
                if n < 0:
                    raise null("Host")
                resources_acls_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                resources_acls_operation, resources_acls_permission_type = _read_bb(buf, pos)
                pos += 2
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                resources_acls.append(AclDescription(resources_acls_principal, resources_acls_host, resources_acls_operation, resources_acls_permission_type))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            resources.append(DescribeAclsResource(resources_resource_type, resources_resource_name, resources_pattern_type, resources_acls))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeAclsResponse(throttle_time_ms, error_code, error_message, resources)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_acls_response_v2_v3(out: bytearray, m: DescribeAclsResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        error_message = m.error_message
        if error_message is None:
            out.append(0)
        else:
            text = error_message.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ErrorMessage")
            out += text
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
            out += _write_b(resources_item.pattern_type)
            resources_acls = resources_item.acls
            n = len(resources_acls) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for resources_acls_item in resources_acls:
                text = resources_acls_item.principal.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Principal")
                out += text
                text = resources_acls_item.host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Host")
                out += text
                out += _write_bb(resources_acls_item.operation, resources_acls_item.permission_type)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeAclsResponse", error) from error

DescribeAclsResponse.DECODERS = {
    1: decode_describe_acls_response_v1,
    2: decode_describe_acls_response_v2_v3, 3: decode_describe_acls_response_v2_v3,
}

DescribeAclsResponse.ENCODERS = {
    1: encode_describe_acls_response_v1,
    2: encode_describe_acls_response_v2_v3, 3: encode_describe_acls_response_v2_v3,
}

__all__ = [
    "AclDescription", "DescribeAclsRequest", "DescribeAclsResource", "DescribeAclsResponse",
]
