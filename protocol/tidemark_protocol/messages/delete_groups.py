# Generated from schemas/messages/DeleteGroupsRequest.json and schemas/messages/DeleteGroupsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class DeleteGroupsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupsNames", "groups_names", "[]string", None),
    )
    NAME: ClassVar = "DeleteGroupsRequest"
    API_KEY: ClassVar = 42
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    groups_names: list[str] = []


class DeletableGroupResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    group_id: str = ""
    error_code: int = 0
    error_message: str | None = None


class DeleteGroupsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Results", "results", "[]struct", DeletableGroupResult),
    )
    NAME: ClassVar = "DeleteGroupsResponse"
    API_KEY: ClassVar = 42
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    results: list[DeletableGroupResult] = []


def decode_delete_groups_request_v0_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DeleteGroupsRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("GroupsNames", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        groups_names: list[str] = []
        groups_names_count = n
        for _ in range(groups_names_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("GroupsNames")
            groups_names_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            groups_names.append(groups_names_item)
        message = DeleteGroupsRequest(groups_names)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_groups_request_v0_v1(out: bytearray, m: DeleteGroupsRequest) -> None:
    try:
        groups_names = m.groups_names
        out += _write_i(len(groups_names))
        for groups_names_item in groups_names:
            text = groups_names_item.encode()
            out += _write_h(len(text))
            out += text
    except UNFIT as error:
        raise unfit("DeleteGroupsRequest", error) from error


def decode_delete_groups_request_v2_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DeleteGroupsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("GroupsNames", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        groups_names: list[str] = []
        groups_names_count = n
        for _ in range(groups_names_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupsNames")
            if n < 0:
                raise null("GroupsNames")
            groups_names_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            groups_names.append(groups_names_item)
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DeleteGroupsRequest(groups_names)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_groups_request_v2_v3(out: bytearray, m: DeleteGroupsRequest) -> None:
    try:
        groups_names = m.groups_names
        n = len(groups_names) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_names_item in groups_names:
            text = groups_names_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupsNames")
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteGroupsRequest", error) from error

DeleteGroupsRequest.DECODERS = {
    0: decode_delete_groups_request_v0_v1, 1: decode_delete_groups_request_v0_v1,
    2: decode_delete_groups_request_v2_v3, 3: decode_delete_groups_request_v2_v3,
}

DeleteGroupsRequest.ENCODERS = {
    0: encode_delete_groups_request_v0_v1, 1: encode_delete_groups_request_v0_v1,
    2: encode_delete_groups_request_v2_v3, 3: encode_delete_groups_request_v2_v3,
}



def decode_delete_groups_response_v0_v1(buf: bytes, pos: int, end: int) -> tuple[DeleteGroupsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[DeletableGroupResult] = []
        results_count = n
        for _ in range(results_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("GroupId")
            results_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            results_error_code, = _read_h(buf, pos)
            pos += 2
            results.append(DeletableGroupResult(results_group_id, results_error_code))
        message = DeleteGroupsResponse(throttle_time_ms, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_groups_response_v0_v1(out: bytearray, m: DeleteGroupsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        results = m.results
        out += _write_i(len(results))
        for results_item in results:
            text = results_item.group_id.encode()
            out += _write_h(len(text))
            out += text
            out += _write_h(results_item.error_code)
    except UNFIT as error:
        raise unfit("DeleteGroupsResponse", error) from error


def decode_delete_groups_response_v2(buf: bytes, pos: int, end: int) -> tuple[DeleteGroupsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[DeletableGroupResult] = []
        results_count = n
        for _ in range(results_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupId")
            if n < 0:
                raise null("GroupId")
            results_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            results_error_code, = _read_h(buf, pos)
            pos += 2
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results.append(DeletableGroupResult(results_group_id, results_error_code))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DeleteGroupsResponse(throttle_time_ms, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_groups_response_v2(out: bytearray, m: DeleteGroupsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            text = results_item.group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
            out += _write_h(results_item.error_code)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteGroupsResponse", error) from error


def decode_delete_groups_response_v3(buf: bytes, pos: int, end: int) -> tuple[DeleteGroupsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[DeletableGroupResult] = []
        results_count = n
        for _ in range(results_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupId")
            if n < 0:
                raise null("GroupId")
            results_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
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
            results.append(DeletableGroupResult(results_group_id, results_error_code, results_error_message))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DeleteGroupsResponse(throttle_time_ms, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_groups_response_v3(out: bytearray, m: DeleteGroupsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            text = results_item.group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
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
        raise unfit("DeleteGroupsResponse", error) from error

DeleteGroupsResponse.DECODERS = {
    0: decode_delete_groups_response_v0_v1, 1: decode_delete_groups_response_v0_v1,
    2: decode_delete_groups_response_v2,
    3: decode_delete_groups_response_v3,
}

DeleteGroupsResponse.ENCODERS = {
    0: encode_delete_groups_response_v0_v1, 1: encode_delete_groups_response_v0_v1,
    2: encode_delete_groups_response_v2,
    3: encode_delete_groups_response_v3,
}

__all__ = [
    "DeletableGroupResult", "DeleteGroupsRequest", "DeleteGroupsResponse",
]
