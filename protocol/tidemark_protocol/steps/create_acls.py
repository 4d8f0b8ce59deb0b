# Generated from schemas/messages/CreateAclsRequest.json and schemas/messages/CreateAclsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.create_acls import (
    AclCreation,
    CreateAclsRequest,
    CreateAclsResponse,
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
_bb = struct.Struct(">bb")
_read_bb = _bb.unpack_from
_write_bb = _bb.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


def decode_create_acls_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[CreateAclsRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Creations")
        if n > end - pos:
            check_count(n, pos, end)
        creations: list[AclCreation] = []
        creations_count = n
        for _ in range(creations_count):
            yield 1
            creations_resource_type, = _read_b(buf, pos)
            pos += 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("ResourceName")
            creations_resource_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            creations_resource_pattern_type, = _read_b(buf, pos)
            pos += 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Principal")
            creations_principal = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Host")
            creations_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            creations_operation, creations_permission_type = _read_bb(buf, pos)
            pos += 2
            creations.append(AclCreation(creations_resource_type, creations_resource_name, creations_resource_pattern_type, creations_principal, creations_host, creations_operation, creations_permission_type))
        message = CreateAclsRequest(creations)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_create_acls_request_v2_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[CreateAclsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Creations")
        if n > end - pos:
            check_count(n, pos, end)
        creations: list[AclCreation] = []
        creations_count = n
        for _ in range(creations_count):
            yield 1
            creations_resource_type, = _read_b(buf, pos)
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
            creations_resource_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            creations_resource_pattern_type, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Principal", n)
            if n < 0:
                raise null("Principal")
            creations_principal = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Host", n)
            if n < 0:
                raise null("Host")
            creations_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            creations_operation, creations_permission_type = _read_bb(buf, pos)
            pos += 2
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            creations.append(AclCreation(creations_resource_type, creations_resource_name, creations_resource_pattern_type, creations_principal, creations_host, creations_operation, creations_permission_type))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = CreateAclsRequest(creations)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_create_acls_response_v1(out: bytearray, m: CreateAclsResponse) -> Generator[int, None, None]:
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
    except UNFIT as error:
        raise unfit("CreateAclsResponse", error) from error


def encode_create_acls_response_v2_v3(out: bytearray, m: CreateAclsResponse) -> Generator[int, None, None]:
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
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("CreateAclsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    1: decode_create_acls_request_v1,
    2: decode_create_acls_request_v2_v3,
    3: decode_create_acls_request_v2_v3,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    1: encode_create_acls_response_v1,
    2: encode_create_acls_response_v2_v3,
    3: encode_create_acls_response_v2_v3,
}

__all__ = ["DECODERS", "ENCODERS"]
