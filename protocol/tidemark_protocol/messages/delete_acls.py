# Generated from schemas/messages/DeleteAclsRequest.json and schemas/messages/DeleteAclsResponse.json. Edit that, then run make generate.

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
_bb = struct.Struct(">bb")
_read_bb = _bb.unpack_from
_write_bb = _bb.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class DeleteAclsFilter(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ResourceTypeFilter", "resource_type_filter", "int8", None),
        ("ResourceNameFilter", "resource_name_filter", "string", None),
        ("PatternTypeFilter", "pattern_type_filter", "int8", None),
        ("PrincipalFilter", "principal_filter", "string", None),
        ("HostFilter", "host_filter", "string", None),
        ("Operation", "operation", "int8", None),
        ("PermissionType", "permission_type", "int8", None),
    )
    resource_type_filter: int = 0
    resource_name_filter: str | None = ""
    pattern_type_filter: int = 3
    principal_filter: str | None = ""
    host_filter: str | None = ""
    operation: int = 0
    permission_type: int = 0


class DeleteAclsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Filters", "filters", "[]struct", DeleteAclsFilter),
    )
    NAME: ClassVar = "DeleteAclsRequest"
    API_KEY: ClassVar = 31
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    filters: list[DeleteAclsFilter] = []


class DeleteAclsMatchingAcl(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("ResourceType", "resource_type", "int8", None),
        ("ResourceName", "resource_name", "string", None),
        ("PatternType", "pattern_type", "int8", None),
        ("Principal", "principal", "string", None),
        ("Host", "host", "string", None),
        ("Operation", "operation", "int8", None),
        ("PermissionType", "permission_type", "int8", None),
    )
    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    resource_name: str = ""
    pattern_type: int = 3
    principal: str = ""
    host: str = ""
    operation: int = 0
    permission_type: int = 0


class DeleteAclsFilterResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("MatchingAcls", "matching_acls", "[]struct", DeleteAclsMatchingAcl),
    )
    error_code: int = 0
    error_message: str | None = ""
    matching_acls: list[DeleteAclsMatchingAcl] = []


class DeleteAclsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("FilterResults", "filter_results", "[]struct", DeleteAclsFilterResult),
    )
    NAME: ClassVar = "DeleteAclsResponse"
    API_KEY: ClassVar = 31
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    filter_results: list[DeleteAclsFilterResult] = []


def decode_delete_acls_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DeleteAclsRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Filters", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        filters: list[DeleteAclsFilter] = []
        filters_count = n
        for _ in range(filters_count):
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
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_acls_request_v1(out: bytearray, m: DeleteAclsRequest) -> None:
    try:
        filters = m.filters
        out += _write_i(len(filters))
        for filters_item in filters:
            out += _write_b(filters_item.resource_type_filter)
            filters_resource_name_filter = filters_item.resource_name_filter
            if filters_resource_name_filter is None:
                out += _write_h(-1)
            else:
                text = filters_resource_name_filter.encode()
                out += _write_h(len(text))
                out += text
            out += _write_b(filters_item.pattern_type_filter)
            filters_principal_filter = filters_item.principal_filter
            if filters_principal_filter is None:
                out += _write_h(-1)
            else:
                text = filters_principal_filter.encode()
                out += _write_h(len(text))
                out += text
            filters_host_filter = filters_item.host_filter
            if filters_host_filter is None:
                out += _write_h(-1)
            else:
                text = filters_host_filter.encode()
                out += _write_h(len(text))
                out += text
            out += _write_bb(filters_item.operation, filters_item.permission_type)
    except UNFIT as error:
        raise unfit("DeleteAclsRequest", error) from error


def decode_delete_acls_request_v2_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DeleteAclsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Filters", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        filters: list[DeleteAclsFilter] = []
        filters_count = n
        for _ in range(filters_count):
            filters_resource_type_filter, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ResourceNameFilter")
            filters_resource_name_filter: str | None = None
            if n >= 0:
                filters_resource_name_filter = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            filters_pattern_type_filter, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "PrincipalFilter")
            filters_principal_filter: str | None = None
            if n >= 0:
                filters_principal_filter = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "HostFilter")
            filters_host_filter: str | None = None
            if n >= 0:
                filters_host_filter = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            filters_operation, filters_permission_type = _read_bb(buf, pos)
            pos += 2
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            filters.append(DeleteAclsFilter(filters_resource_type_filter, filters_resource_name_filter, filters_pattern_type_filter, filters_principal_filter, filters_host_filter, filters_operation, filters_permission_type))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DeleteAclsRequest(filters)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_acls_request_v2_v3(out: bytearray, m: DeleteAclsRequest) -> None:
    try:
        filters = m.filters
        n = len(filters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for filters_item in filters:
            out += _write_b(filters_item.resource_type_filter)
            filters_resource_name_filter = filters_item.resource_name_filter
            if filters_resource_name_filter is None:
                out.append(0)
            else:
                text = filters_resource_name_filter.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ResourceNameFilter")
                out += text
            out += _write_b(filters_item.pattern_type_filter)
            filters_principal_filter = filters_item.principal_filter
            if filters_principal_filter is None:
                out.append(0)
            else:
                text = filters_principal_filter.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "PrincipalFilter")
                out += text
            filters_host_filter = filters_item.host_filter
            if filters_host_filter is None:
                out.append(0)
            else:
                text = filters_host_filter.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "HostFilter")
                out += text
            out += _write_bb(filters_item.operation, filters_item.permission_type)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteAclsRequest", error) from error

DeleteAclsRequest.DECODERS = {
    1: decode_delete_acls_request_v1,
    2: decode_delete_acls_request_v2_v3, 3: decode_delete_acls_request_v2_v3,
}

DeleteAclsRequest.ENCODERS = {
    1: encode_delete_acls_request_v1,
    2: encode_delete_acls_request_v2_v3, 3: encode_delete_acls_request_v2_v3,
}



def decode_delete_acls_response_v1(buf: bytes, pos: int, end: int) -> tuple[DeleteAclsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("FilterResults", n, pos, end)
        filter_results: list[DeleteAclsFilterResult] = []
        filter_results_count = n
        for _ in range(filter_results_count):
            filter_results_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            filter_results_error_message: str | None = None
            if n >= 0:
                filter_results_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("MatchingAcls", n, pos, end)
            filter_results_matching_acls: list[DeleteAclsMatchingAcl] = []
            filter_results_matching_acls_count = n
            for _ in range(filter_results_matching_acls_count):
                filter_results_matching_acls_error_code, = _read_h(buf, pos)
                pos += 2
                n = _read_h(buf, pos)[0]
                pos += 2
                filter_results_matching_acls_error_message: str | None = None
                if n >= 0:
                    filter_results_matching_acls_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                filter_results_matching_acls_resource_type, = _read_b(buf, pos)
                pos += 1
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("ResourceName")
                filter_results_matching_acls_resource_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                filter_results_matching_acls_pattern_type, = _read_b(buf, pos)
                pos += 1
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Principal")
                filter_results_matching_acls_principal = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Host")
                filter_results_matching_acls_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                filter_results_matching_acls_operation, filter_results_matching_acls_permission_type = _read_bb(buf, pos)
                pos += 2
                filter_results_matching_acls.append(DeleteAclsMatchingAcl(filter_results_matching_acls_error_code, filter_results_matching_acls_error_message, filter_results_matching_acls_resource_type, filter_results_matching_acls_resource_name, filter_results_matching_acls_pattern_type, filter_results_matching_acls_principal, filter_results_matching_acls_host, filter_results_matching_acls_operation, filter_results_matching_acls_permission_type))
            filter_results.append(DeleteAclsFilterResult(filter_results_error_code, filter_results_error_message, filter_results_matching_acls))
        message = DeleteAclsResponse(throttle_time_ms, filter_results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_acls_response_v1(out: bytearray, m: DeleteAclsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        filter_results = m.filter_results
        out += _write_i(len(filter_results))
        for filter_results_item in filter_results:
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
                out += _write_h(filter_results_matching_acls_item.error_code)
                filter_results_matching_acls_error_message = filter_results_matching_acls_item.error_message
                if filter_results_matching_acls_error_message is None:
                    out += _write_h(-1)
                else:
                    text = filter_results_matching_acls_error_message.encode()
                    out += _write_h(len(text))
                    out += text
                out += _write_b(filter_results_matching_acls_item.resource_type)
                text = filter_results_matching_acls_item.resource_name.encode()
                out += _write_h(len(text))
                out += text
                out += _write_b(filter_results_matching_acls_item.pattern_type)
                text = filter_results_matching_acls_item.principal.encode()
                out += _write_h(len(text))
                out += text
                text = filter_results_matching_acls_item.host.encode()
                out += _write_h(len(text))
                out += text
                out += _write_bb(filter_results_matching_acls_item.operation, filter_results_matching_acls_item.permission_type)
    except UNFIT as error:
        raise unfit("DeleteAclsResponse", error) from error


def decode_delete_acls_response_v2_v3(buf: bytes, pos: int, end: int) -> tuple[DeleteAclsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("FilterResults", n, pos, end)
        filter_results: list[DeleteAclsFilterResult] = []
        filter_results_count = n
        for _ in range(filter_results_count):
            filter_results_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            filter_results_error_message: str | None = None
            if n >= 0:
                filter_results_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("MatchingAcls", n, pos, end)
            filter_results_matching_acls: list[DeleteAclsMatchingAcl] = []
            filter_results_matching_acls_count = n
            for _ in range(filter_results_matching_acls_count):
                filter_results_matching_acls_error_code, = _read_h(buf, pos)
                pos += 2
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
                filter_results_matching_acls_error_message: str | None = None
                if n >= 0:
                    filter_results_matching_acls_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                filter_results_matching_acls_resource_type, = _read_b(buf, pos)
                pos += 1
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ResourceName")
                if n < 0:
                    raise null("ResourceName")
                filter_results_matching_acls_resource_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                filter_results_matching_acls_pattern_type, = _read_b(buf, pos)
                pos += 1
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Principal")
                if n < 0:
                    raise null("Principal")
                filter_results_matching_acls_principal = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Host")
                if n < 0:
                    raise null("Host")
                filter_results_matching_acls_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                filter_results_matching_acls_operation, filter_results_matching_acls_permission_type = _read_bb(buf, pos)
                pos += 2
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                filter_results_matching_acls.append(DeleteAclsMatchingAcl(filter_results_matching_acls_error_code, filter_results_matching_acls_error_message, filter_results_matching_acls_resource_type, filter_results_matching_acls_resource_name, filter_results_matching_acls_pattern_type, filter_results_matching_acls_principal, filter_results_matching_acls_host, filter_results_matching_acls_operation, filter_results_matching_acls_permission_type))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            filter_results.append(DeleteAclsFilterResult(filter_results_error_code, filter_results_error_message, filter_results_matching_acls))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DeleteAclsResponse(throttle_time_ms, filter_results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_acls_response_v2_v3(out: bytearray, m: DeleteAclsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        filter_results = m.filter_results
        n = len(filter_results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for filter_results_item in filter_results:
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
                    write_text_length(out, n, "ErrorMessage")
                out += text
            filter_results_matching_acls = filter_results_item.matching_acls
            n = len(filter_results_matching_acls) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for filter_results_matching_acls_item in filter_results_matching_acls:
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
                        write_text_length(out, n, "ErrorMessage")
                    out += text
                out += _write_b(filter_results_matching_acls_item.resource_type)
                text = filter_results_matching_acls_item.resource_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ResourceName")
                out += text
                out += _write_b(filter_results_matching_acls_item.pattern_type)
                text = filter_results_matching_acls_item.principal.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Principal")
                out += text
                text = filter_results_matching_acls_item.host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Host")
                out += text
                out += _write_bb(filter_results_matching_acls_item.operation, filter_results_matching_acls_item.permission_type)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteAclsResponse", error) from error

DeleteAclsResponse.DECODERS = {
    1: decode_delete_acls_response_v1,
    2: decode_delete_acls_response_v2_v3, 3: decode_delete_acls_response_v2_v3,
}

DeleteAclsResponse.ENCODERS = {
    1: encode_delete_acls_response_v1,
    2: encode_delete_acls_response_v2_v3, 3: encode_delete_acls_response_v2_v3,
}

__all__ = [
    "DeleteAclsFilter", "DeleteAclsFilterResult", "DeleteAclsMatchingAcl", "DeleteAclsRequest",
    "DeleteAclsResponse",
]
