# Generated from schemas/messages/DescribeAclsRequest.json and schemas/messages/DescribeAclsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.describe_acls import (
    DescribeAclsRequest,
    DescribeAclsResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    check_end,
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


def decode_describe_acls_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeAclsRequest, int]]:
    try:
        yield 1
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
    check_end(pos, end)
    return message, pos


def decode_describe_acls_request_v2_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeAclsRequest, int]]:
    try:
        yield 1
        resource_type_filter, = _read_b(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ResourceNameFilter", n)
        resource_name_filter: str | None = None
        if n >= 0:
            resource_name_filter = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        pattern_type_filter, = _read_b(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("PrincipalFilter", n)
        principal_filter: str | None = None
        if n >= 0:
            principal_filter = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("HostFilter", n)
        host_filter: str | None = None
        if n >= 0:
            host_filter = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        operation, permission_type = _read_bb(buf, pos)
        pos += 2
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DescribeAclsRequest(resource_type_filter, resource_name_filter, pattern_type_filter, principal_filter, host_filter, operation, permission_type)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_describe_acls_response_v1(out: bytearray, m: DescribeAclsResponse) -> Generator[int, None, None]:
    try:
        yield 1
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
            yield 1
            out += _write_b(resources_item.resource_type)
            resources_resource_name = resources_item.resource_name
            text = resources_resource_name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_b(resources_item.pattern_type)
            resources_acls = resources_item.acls
            out += _write_i(len(resources_acls))
            for resources_acls_item in resources_acls:
                yield 1
                resources_acls_principal = resources_acls_item.principal
                text = resources_acls_principal.encode()
                out += _write_h(len(text))
                out += text
                resources_acls_host = resources_acls_item.host
                text = resources_acls_host.encode()
                out += _write_h(len(text))
                out += text
                out += _write_bb(resources_acls_item.operation, resources_acls_item.permission_type)
    except UNFIT as error:
        raise unfit("DescribeAclsResponse", error) from error


def encode_describe_acls_response_v2_v3(out: bytearray, m: DescribeAclsResponse) -> Generator[int, None, None]:
    try:
        yield 1
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
                if n > TEXT_MAX + 1:
                    raise too_long("ErrorMessage", n - 1)
                write_uvarint(out, n)
            out += text
        resources = m.resources
        n = len(resources) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for resources_item in resources:
            yield 1
            out += _write_b(resources_item.resource_type)
            resources_resource_name = resources_item.resource_name
            text = resources_resource_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ResourceName", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_b(resources_item.pattern_type)
            resources_acls = resources_item.acls
            n = len(resources_acls) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for resources_acls_item in resources_acls:
                yield 1
                resources_acls_principal = resources_acls_item.principal
                text = resources_acls_principal.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Principal", n - 1)
                    write_uvarint(out, n)
                out += text
                resources_acls_host = resources_acls_item.host
                text = resources_acls_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Host", n - 1)
                    write_uvarint(out, n)
                out += text
                out += _write_bb(resources_acls_item.operation, resources_acls_item.permission_type)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeAclsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    1: decode_describe_acls_request_v1,
    2: decode_describe_acls_request_v2_v3,
    3: decode_describe_acls_request_v2_v3,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    1: encode_describe_acls_response_v1,
    2: encode_describe_acls_response_v2_v3,
    3: encode_describe_acls_response_v2_v3,
}

__all__ = ["DECODERS", "ENCODERS"]
