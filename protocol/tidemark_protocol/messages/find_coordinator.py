# Generated from schemas/messages/FindCoordinatorRequest.json and schemas/messages/FindCoordinatorResponse.json. Edit that, then run make generate.

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
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_hi = struct.Struct(">hi")
_read_hi = _hi.unpack_from
_write_hi = _hi.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class FindCoordinatorRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Key", "key", "string", None),
        ("KeyType", "key_type", "int8", None),
        ("CoordinatorKeys", "coordinator_keys", "[]string", None),
    )
    NAME: ClassVar = "FindCoordinatorRequest"
    API_KEY: ClassVar = 10
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 6
    FLEXIBLE_FROM: ClassVar = 3
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    key: str = ""
    key_type: int = 0
    coordinator_keys: list[str] = []


class Coordinator(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Key", "key", "string", None),
        ("NodeId", "node_id", "int32", None),
        ("Host", "host", "string", None),
        ("Port", "port", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    key: str = ""
    node_id: int = 0
    host: str = ""
    port: int = 0
    error_code: int = 0
    error_message: str | None = ""


class FindCoordinatorResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("NodeId", "node_id", "int32", None),
        ("Host", "host", "string", None),
        ("Port", "port", "int32", None),
        ("Coordinators", "coordinators", "[]struct", Coordinator),
    )
    NAME: ClassVar = "FindCoordinatorResponse"
    API_KEY: ClassVar = 10
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 6
    FLEXIBLE_FROM: ClassVar = 3
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    node_id: int = 0
    host: str = ""
    port: int = 0
    coordinators: list[Coordinator] = []


def decode_find_coordinator_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FindCoordinatorRequest, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("Key")
        key = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = FindCoordinatorRequest(key)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_find_coordinator_request_v0(out: bytearray, m: FindCoordinatorRequest) -> None:
    try:
        text = m.key.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("FindCoordinatorRequest", error) from error


def decode_find_coordinator_request_v1_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FindCoordinatorRequest, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("Key")
        key = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        key_type, = _read_b(buf, pos)
        pos += 1
        message = FindCoordinatorRequest(key, key_type)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_find_coordinator_request_v1_v2(out: bytearray, m: FindCoordinatorRequest) -> None:
    try:
        text = m.key.encode()
        out += _write_h(len(text))
        out += text
        out += _write_b(m.key_type)
    except UNFIT as error:
        raise unfit("FindCoordinatorRequest", error) from error


def decode_find_coordinator_request_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FindCoordinatorRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Key")
        if n < 0:
            raise null("Key")
        key = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        key_type, = _read_b(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = FindCoordinatorRequest(key, key_type)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_find_coordinator_request_v3(out: bytearray, m: FindCoordinatorRequest) -> None:
    try:
        text = m.key.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Key")
        out += text
        out += _write_b(m.key_type)
        out.append(0)
    except UNFIT as error:
        raise unfit("FindCoordinatorRequest", error) from error


def decode_find_coordinator_request_v4_v6(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FindCoordinatorRequest, int]:
    try:
        key_type, = _read_b(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("CoordinatorKeys", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        coordinator_keys: list[str] = []
        coordinator_keys_count = n
        for _ in range(coordinator_keys_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "CoordinatorKeys")
            if n < 0:
                raise null("CoordinatorKeys")
            coordinator_keys_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            coordinator_keys.append(coordinator_keys_item)
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = FindCoordinatorRequest("", key_type, coordinator_keys)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_find_coordinator_request_v4_v6(out: bytearray, m: FindCoordinatorRequest) -> None:
    try:
        out += _write_b(m.key_type)
        coordinator_keys = m.coordinator_keys
        n = len(coordinator_keys) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for coordinator_keys_item in coordinator_keys:
            text = coordinator_keys_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "CoordinatorKeys")
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("FindCoordinatorRequest", error) from error

FindCoordinatorRequest.DECODERS = {
    0: decode_find_coordinator_request_v0,
    1: decode_find_coordinator_request_v1_v2, 2: decode_find_coordinator_request_v1_v2,
    3: decode_find_coordinator_request_v3,
    4: decode_find_coordinator_request_v4_v6, 5: decode_find_coordinator_request_v4_v6,
    6: decode_find_coordinator_request_v4_v6,
}

FindCoordinatorRequest.ENCODERS = {
    0: encode_find_coordinator_request_v0,
    1: encode_find_coordinator_request_v1_v2, 2: encode_find_coordinator_request_v1_v2,
    3: encode_find_coordinator_request_v3,
    4: encode_find_coordinator_request_v4_v6, 5: encode_find_coordinator_request_v4_v6,
    6: encode_find_coordinator_request_v4_v6,
}



def decode_find_coordinator_response_v0(buf: bytes, pos: int, end: int) -> tuple[FindCoordinatorResponse, int]:
    try:
        error_code, node_id = _read_hi(buf, pos)
        pos += 6
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("Host")
        host = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        port, = _read_i(buf, pos)
        pos += 4
        message = FindCoordinatorResponse(0, error_code, "", node_id, host, port)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_find_coordinator_response_v0(out: bytearray, m: FindCoordinatorResponse) -> None:
    try:
        out += _write_hi(m.error_code, m.node_id)
        text = m.host.encode()
        out += _write_h(len(text))
        out += text
        out += _write_i(m.port)
    except UNFIT as error:
        raise unfit("FindCoordinatorResponse", error) from error


def decode_find_coordinator_response_v1_v2(buf: bytes, pos: int, end: int) -> tuple[FindCoordinatorResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = _read_h(buf, pos)[0]
        pos += 2
        error_message: str | None = None
        if n >= 0:
            error_message = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        node_id, = _read_i(buf, pos)
        pos += 4
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("Host")
        host = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        port, = _read_i(buf, pos)
        pos += 4
        message = FindCoordinatorResponse(throttle_time_ms, error_code, error_message, node_id, host, port)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_find_coordinator_response_v1_v2(out: bytearray, m: FindCoordinatorResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        error_message = m.error_message
        if error_message is None:
            out += _write_h(-1)
        else:
            text = error_message.encode()
            out += _write_h(len(text))
            out += text
        out += _write_i(m.node_id)
        text = m.host.encode()
        out += _write_h(len(text))
        out += text
        out += _write_i(m.port)
    except UNFIT as error:
        raise unfit("FindCoordinatorResponse", error) from error


def decode_find_coordinator_response_v3(buf: bytes, pos: int, end: int) -> tuple[FindCoordinatorResponse, int]:
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
        node_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Host")
        if n < 0:
            raise null("Host")
        host = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        port, = _read_i(buf, pos)
        pos += 4
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = FindCoordinatorResponse(throttle_time_ms, error_code, error_message, node_id, host, port)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_find_coordinator_response_v3(out: bytearray, m: FindCoordinatorResponse) -> None:
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
        out += _write_i(m.node_id)
        text = m.host.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Host")
        out += text
        out += _write_i(m.port)
        out.append(0)
    except UNFIT as error:
        raise unfit("FindCoordinatorResponse", error) from error


def decode_find_coordinator_response_v4_v6(buf: bytes, pos: int, end: int) -> tuple[FindCoordinatorResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Coordinators", n, pos, end)
        coordinators: list[Coordinator] = []
        coordinators_count = n
        for _ in range(coordinators_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Key")
            if n < 0:
                raise null("Key")
            coordinators_key = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            coordinators_node_id, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
            if n < 0:
                raise null("Host")
            coordinators_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            coordinators_port, coordinators_error_code = _read_ih(buf, pos)
            pos += 6
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            coordinators_error_message: str | None = None
            if n >= 0:
                coordinators_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            coordinators.append(Coordinator(coordinators_key, coordinators_node_id, coordinators_host, coordinators_port, coordinators_error_code, coordinators_error_message))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = FindCoordinatorResponse(throttle_time_ms, 0, "", 0, "", 0, coordinators)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_find_coordinator_response_v4_v6(out: bytearray, m: FindCoordinatorResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        coordinators = m.coordinators
        n = len(coordinators) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for coordinators_item in coordinators:
            text = coordinators_item.key.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Key")
            out += text
            out += _write_i(coordinators_item.node_id)
            text = coordinators_item.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_ih(coordinators_item.port, coordinators_item.error_code)
            coordinators_error_message = coordinators_item.error_message
            if coordinators_error_message is None:
                out.append(0)
            else:
                text = coordinators_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ErrorMessage")
                out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("FindCoordinatorResponse", error) from error

FindCoordinatorResponse.DECODERS = {
    0: decode_find_coordinator_response_v0,
    1: decode_find_coordinator_response_v1_v2, 2: decode_find_coordinator_response_v1_v2,
    3: decode_find_coordinator_response_v3,
    4: decode_find_coordinator_response_v4_v6, 5: decode_find_coordinator_response_v4_v6,
    6: decode_find_coordinator_response_v4_v6,
}

FindCoordinatorResponse.ENCODERS = {
    0: encode_find_coordinator_response_v0,
    1: encode_find_coordinator_response_v1_v2, 2: encode_find_coordinator_response_v1_v2,
    3: encode_find_coordinator_response_v3,
    4: encode_find_coordinator_response_v4_v6, 5: encode_find_coordinator_response_v4_v6,
    6: encode_find_coordinator_response_v4_v6,
}

__all__ = [
    "Coordinator", "FindCoordinatorRequest", "FindCoordinatorResponse",
]
