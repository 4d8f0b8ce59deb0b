# Generated from schemas/messages/CreateAclsRequest.json and schemas/messages/CreateAclsResponse.json. Edit that, then run make generate.

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


class AclCreation(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ResourceType", "resource_type", "int8", None),
        ("ResourceName", "resource_name", "string", None),
        ("ResourcePatternType", "resource_pattern_type", "int8", None),
        ("Principal", "principal", "string", None),
        ("Host", "host", "string", None),
        ("Operation", "operation", "int8", None),
        ("PermissionType", "permission_type", "int8", None),
    )
    resource_type: int = 0
    resource_name: str = ""
    resource_pattern_type: int = 3
    principal: str = ""
    host: str = ""
    operation: int = 0
    permission_type: int = 0


class CreateAclsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Creations", "creations", "[]struct", AclCreation),
    )
    NAME: ClassVar = "CreateAclsRequest"
    API_KEY: ClassVar = 30
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    creations: list[AclCreation] = []


class AclCreationResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    error_code: int = 0
    error_message: str | None = ""


class CreateAclsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Results", "results", "[]struct", AclCreationResult),
    )
    NAME: ClassVar = "CreateAclsResponse"
    API_KEY: ClassVar = 30
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    results: list[AclCreationResult] = []


def decode_create_acls_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[CreateAclsRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Creations", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        creations: list[AclCreation] = []
        creations_count = n
        for _ in range(creations_count):
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
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_acls_request_v1(out: bytearray, m: CreateAclsRequest) -> None:
    try:
        creations = m.creations
        out += _write_i(len(creations))
        for creations_item in creations:
            out += _write_b(creations_item.resource_type)
            text = creations_item.resource_name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_b(creations_item.resource_pattern_type)
            text = creations_item.principal.encode()
            out += _write_h(len(text))
            out += text
            text = creations_item.host.encode()
            out += _write_h(len(text))
            out += text
            out += _write_bb(creations_item.operation, creations_item.permission_type)
    except UNFIT as error:
        raise unfit("CreateAclsRequest", error) from error


def decode_create_acls_request_v2_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[CreateAclsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Creations", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        creations: list[AclCreation] = []
        creations_count = n
        for _ in range(creations_count):
            creations_resource_type, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ResourceName")
            if n < 0:
                raise null("ResourceName")
            creations_resource_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            creations_resource_pattern_type, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Principal")
            if n < 0:
                raise null("Principal")
            creations_principal = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
            if n < 0:
                raise null("Host")
            creations_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            creations_operation, creations_permission_type = _read_bb(buf, pos)
            pos += 2
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            creations.append(AclCreation(creations_resource_type, creations_resource_name, creations_resource_pattern_type, creations_principal, creations_host, creations_operation, creations_permission_type))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = CreateAclsRequest(creations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_acls_request_v2_v3(out: bytearray, m: CreateAclsRequest) -> None:
    try:
        creations = m.creations
        n = len(creations) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for creations_item in creations:
            out += _write_b(creations_item.resource_type)
            text = creations_item.resource_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ResourceName")
            out += text
            out += _write_b(creations_item.resource_pattern_type)
            text = creations_item.principal.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Principal")
            out += text
            text = creations_item.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_bb(creations_item.operation, creations_item.permission_type)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("CreateAclsRequest", error) from error

CreateAclsRequest.DECODERS = {
    1: decode_create_acls_request_v1,
    2: decode_create_acls_request_v2_v3, 3: decode_create_acls_request_v2_v3,
}

CreateAclsRequest.ENCODERS = {
    1: encode_create_acls_request_v1,
    2: encode_create_acls_request_v2_v3, 3: encode_create_acls_request_v2_v3,
}



def decode_create_acls_response_v1(buf: bytes, pos: int, end: int) -> tuple[CreateAclsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[AclCreationResult] = []
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
            results.append(AclCreationResult(results_error_code, results_error_message))
        message = CreateAclsResponse(throttle_time_ms, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_acls_response_v1(out: bytearray, m: CreateAclsResponse) -> None:
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
    except UNFIT as error:
        raise unfit("CreateAclsResponse", error) from error


def decode_create_acls_response_v2_v3(buf: bytes, pos: int, end: int) -> tuple[CreateAclsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[AclCreationResult] = []
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
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results.append(AclCreationResult(results_error_code, results_error_message))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = CreateAclsResponse(throttle_time_ms, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_acls_response_v2_v3(out: bytearray, m: CreateAclsResponse) -> None:
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
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("CreateAclsResponse", error) from error

CreateAclsResponse.DECODERS = {
    1: decode_create_acls_response_v1,
    2: decode_create_acls_response_v2_v3, 3: decode_create_acls_response_v2_v3,
}

CreateAclsResponse.ENCODERS = {
    1: encode_create_acls_response_v1,
    2: encode_create_acls_response_v2_v3, 3: encode_create_acls_response_v2_v3,
}

__all__ = [
    "AclCreation", "AclCreationResult", "CreateAclsRequest", "CreateAclsResponse",
]
