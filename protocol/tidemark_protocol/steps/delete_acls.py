# Generated from schemas/messages/DeleteAclsRequest.json and schemas/messages/DeleteAclsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.delete_acls import (
    DeleteAclsFilter,
    DeleteAclsRequest,
    DeleteAclsResponse,
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


def decode_delete_acls_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DeleteAclsRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Filters")
        if n > end - pos:
            check_count(n, pos, end)
        filters: list[DeleteAclsFilter] = []
        filters_count = n
        for _ in range(filters_count):
            yield 1
            filters_resource_type_filter, = _read_b(buf, pos)
            pos += 1
            n = _read_h(buf, pos)[0]
            pos += 2
            filters_resource_name_filter: str | None = None
            if n >= 0:
                filters_resource_name_filter = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            filters_pattern_type_filter, = _read_b(buf, pos)
            pos += 1
            n = _read_h(buf, pos)[0]
            pos += 2
            filters_principal_filter: str | None = None
            if n >= 0:
                filters_principal_filter = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            filters_host_filter: str | None = None
            if n >= 0:
                filters_host_filter = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            filters_operation, filters_permission_type = _read_bb(buf, pos)
            pos += 2
            filters.append(DeleteAclsFilter(filters_resource_type_filter, filters_resource_name_filter, filters_pattern_type_filter, filters_principal_filter, filters_host_filter, filters_operation, filters_permission_type))
        message = DeleteAclsRequest(filters)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_delete_acls_request_v2_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DeleteAclsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Filters")
        if n > end - pos:
            check_count(n, pos, end)
        filters: list[DeleteAclsFilter] = []
        filters_count = n
        for _ in range(filters_count):
            yield 1
            filters_resource_type_filter, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("ResourceNameFilter", n)
            filters_resource_name_filter: str | None = None
            if n >= 0:
                filters_resource_name_filter = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            filters_pattern_type_filter, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("PrincipalFilter", n)
            filters_principal_filter: str | None = None
            if n >= 0:
                filters_principal_filter = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("HostFilter", n)
            filters_host_filter: str | None = None
            if n >= 0:
                filters_host_filter = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            filters_operation, filters_permission_type = _read_bb(buf, pos)
            pos += 2
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            filters.append(DeleteAclsFilter(filters_resource_type_filter, filters_resource_name_filter, filters_pattern_type_filter, filters_principal_filter, filters_host_filter, filters_operation, filters_permission_type))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DeleteAclsRequest(filters)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_delete_acls_response_v1(out: bytearray, m: DeleteAclsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        filter_results = m.filter_results
        out += _write_i(len(filter_results))
        for filter_results_item in filter_results:
            yield 1
            out += _write_h(filter_results_item.error_code)
            filter_results_error_message = filter_results_item.error_message
            if filter_results_error_message is None:
                out += _write_h(-1)
            else:
                text = filter_results_error_message.encode()
                out += _write_h(len(text))
                out += text
            filter_results_matching_acls = filter_results_item.matching_acls
            out += _write_i(len(filter_results_matching_acls))
            for filter_results_matching_acls_item in filter_results_matching_acls:
                yield 1
                out += _write_h(filter_results_matching_acls_item.error_code)
                filter_results_matching_acls_error_message = filter_results_matching_acls_item.error_message
                if filter_results_matching_acls_error_message is None:
                    out += _write_h(-1)
                else:
                    text = filter_results_matching_acls_error_message.encode()
                    out += _write_h(len(text))
                    out += text
                out += _write_b(filter_results_matching_acls_item.resource_type)
                filter_results_matching_acls_resource_name = filter_results_matching_acls_item.resource_name
                text = filter_results_matching_acls_resource_name.encode()
                out += _write_h(len(text))
                out += text
                out += _write_b(filter_results_matching_acls_item.pattern_type)
                filter_results_matching_acls_principal = filter_results_matching_acls_item.principal
                text = filter_results_matching_acls_principal.encode()
                out += _write_h(len(text))
                out += text
                filter_results_matching_acls_host = filter_results_matching_acls_item.host
                text = filter_results_matching_acls_host.encode()
                out += _write_h(len(text))
                out += text
                out += _write_bb(filter_results_matching_acls_item.operation, filter_results_matching_acls_item.permission_type)
    except UNFIT as error:
        raise unfit("DeleteAclsResponse", error) from error


def encode_delete_acls_response_v2_v3(out: bytearray, m: DeleteAclsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        filter_results = m.filter_results
        n = len(filter_results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for filter_results_item in filter_results:
            yield 1
            out += _write_h(filter_results_item.error_code)
            filter_results_error_message = filter_results_item.error_message
            if filter_results_error_message is None:
                out.append(0)
            else:
                text = filter_results_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
            filter_results_matching_acls = filter_results_item.matching_acls
            n = len(filter_results_matching_acls) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for filter_results_matching_acls_item in filter_results_matching_acls:
                yield 1
                out += _write_h(filter_results_matching_acls_item.error_code)
                filter_results_matching_acls_error_message = filter_results_matching_acls_item.error_message
                if filter_results_matching_acls_error_message is None:
                    out.append(0)
                else:
                    text = filter_results_matching_acls_error_message.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("ErrorMessage", n - 1)
                        write_uvarint(out, n)
                    out += text
                out += _write_b(filter_results_matching_acls_item.resource_type)
                filter_results_matching_acls_resource_name = filter_results_matching_acls_item.resource_name
                text = filter_results_matching_acls_resource_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ResourceName", n - 1)
                    write_uvarint(out, n)
                out += text
                out += _write_b(filter_results_matching_acls_item.pattern_type)
                filter_results_matching_acls_principal = filter_results_matching_acls_item.principal
                text = filter_results_matching_acls_principal.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Principal", n - 1)
                    write_uvarint(out, n)
                out += text
                filter_results_matching_acls_host = filter_results_matching_acls_item.host
                text = filter_results_matching_acls_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Host", n - 1)
                    write_uvarint(out, n)
                out += text
                out += _write_bb(filter_results_matching_acls_item.operation, filter_results_matching_acls_item.permission_type)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteAclsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    1: decode_delete_acls_request_v1,
    2: decode_delete_acls_request_v2_v3,
    3: decode_delete_acls_request_v2_v3,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    1: encode_delete_acls_response_v1,
    2: encode_delete_acls_response_v2_v3,
    3: encode_delete_acls_response_v2_v3,
}

__all__ = ["DECODERS", "ENCODERS"]
