# Generated from schemas/messages/FindCoordinatorRequest.json and schemas/messages/FindCoordinatorResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
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


def decode_find_coordinator_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[FindCoordinatorRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("Key")
        key = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = FindCoordinatorRequest(key)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_find_coordinator_request_v1_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[FindCoordinatorRequest, int]]:
    try:
        yield 1
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
    check_end(pos, end)
    return message, pos


def decode_find_coordinator_request_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[FindCoordinatorRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("Key", n)
        if n < 0:
            raise null("Key")
        key = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        key_type, = _read_b(buf, pos)
        pos += 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = FindCoordinatorRequest(key, key_type)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_find_coordinator_request_v4_v6(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[FindCoordinatorRequest, int]]:
    try:
        yield 1
        key_type, = _read_b(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("CoordinatorKeys")
        if n > end - pos:
            check_count(n, pos, end)
        coordinator_keys: list[str] = []
        coordinator_keys_count = n
        for _ in range(coordinator_keys_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("CoordinatorKeys", n)
            if n < 0:
                raise null("CoordinatorKeys")
            coordinator_keys_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            coordinator_keys.append(coordinator_keys_item)
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = FindCoordinatorRequest("", key_type, coordinator_keys)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_find_coordinator_response_v0(out: bytearray, m: FindCoordinatorResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_hi(m.error_code, m.node_id)
        host = m.host
        text = host.encode()
        out += _write_h(len(text))
        out += text
        out += _write_i(m.port)
    except UNFIT as error:
        raise unfit("FindCoordinatorResponse", error) from error


def encode_find_coordinator_response_v1_v2(out: bytearray, m: FindCoordinatorResponse) -> Generator[int, None, None]:
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
        out += _write_i(m.node_id)
        host = m.host
        text = host.encode()
        out += _write_h(len(text))
        out += text
        out += _write_i(m.port)
    except UNFIT as error:
        raise unfit("FindCoordinatorResponse", error) from error


def encode_find_coordinator_response_v3(out: bytearray, m: FindCoordinatorResponse) -> Generator[int, None, None]:
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
        out += _write_i(m.node_id)
        host = m.host
        text = host.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            if n > TEXT_MAX + 1:
                raise too_long("Host", n - 1)
            write_uvarint(out, n)
        out += text
        out += _write_i(m.port)
        out.append(0)
    except UNFIT as error:
        raise unfit("FindCoordinatorResponse", error) from error


def encode_find_coordinator_response_v4_v6(out: bytearray, m: FindCoordinatorResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        coordinators = m.coordinators
        n = len(coordinators) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for coordinators_item in coordinators:
            yield 1
            coordinators_key = coordinators_item.key
            text = coordinators_key.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Key", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_i(coordinators_item.node_id)
            coordinators_host = coordinators_item.host
            text = coordinators_host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Host", n - 1)
                write_uvarint(out, n)
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
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("FindCoordinatorResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_find_coordinator_request_v0,
    1: decode_find_coordinator_request_v1_v2,
    2: decode_find_coordinator_request_v1_v2,
    3: decode_find_coordinator_request_v3,
    4: decode_find_coordinator_request_v4_v6,
    5: decode_find_coordinator_request_v4_v6,
    6: decode_find_coordinator_request_v4_v6,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_find_coordinator_response_v0,
    1: encode_find_coordinator_response_v1_v2,
    2: encode_find_coordinator_response_v1_v2,
    3: encode_find_coordinator_response_v3,
    4: encode_find_coordinator_response_v4_v6,
    5: encode_find_coordinator_response_v4_v6,
    6: encode_find_coordinator_response_v4_v6,
}

__all__ = ["DECODERS", "ENCODERS"]
