# Generated from schemas/messages/RequestHeader.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, skip_tags, too_short, unfit,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_hhi = struct.Struct(">hhi")
_read_hhi = _hhi.unpack_from
_write_hhi = _hhi.pack


class RequestHeader(Struct, gc=False):
    FIELDS: ClassVar = (
        ("RequestApiKey", "request_api_key", "int16", None),
        ("RequestApiVersion", "request_api_version", "int16", None),
        ("CorrelationId", "correlation_id", "int32", None),
        ("ClientId", "client_id", "string", None),
    )
    NAME: ClassVar = "RequestHeader"
    API_KEY: ClassVar = -1
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    request_api_key: int = 0
    request_api_version: int = 0
    correlation_id: int = 0
    client_id: str | None = ""


def decode_request_header_v1(buf: bytes, pos: int, end: int) -> tuple[RequestHeader, int]:
    try:
        request_api_key, request_api_version, correlation_id = _read_hhi(buf, pos)
        pos += 8
        n = _read_h(buf, pos)[0]
        pos += 2
        client_id: str | None = None
        if n >= 0:
            client_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        message = RequestHeader(request_api_key, request_api_version, correlation_id, client_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_request_header_v1(out: bytearray, m: RequestHeader) -> None:
    try:
        out += _write_hhi(m.request_api_key, m.request_api_version, m.correlation_id)
        client_id = m.client_id
        if client_id is None:
            out += _write_h(-1)
        else:
            text = client_id.encode()
            out += _write_h(len(text))
            out += text
    except UNFIT as error:
        raise unfit("RequestHeader", error) from error


def decode_request_header_v2(buf: bytes, pos: int, end: int) -> tuple[RequestHeader, int]:
    try:
        request_api_key, request_api_version, correlation_id = _read_hhi(buf, pos)
        pos += 8
        n = _read_h(buf, pos)[0]
        pos += 2
        client_id: str | None = None
        if n >= 0:
            client_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = RequestHeader(request_api_key, request_api_version, correlation_id, client_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_request_header_v2(out: bytearray, m: RequestHeader) -> None:
    try:
        out += _write_hhi(m.request_api_key, m.request_api_version, m.correlation_id)
        client_id = m.client_id
        if client_id is None:
            out += _write_h(-1)
        else:
            text = client_id.encode()
            out += _write_h(len(text))
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("RequestHeader", error) from error

RequestHeader.DECODERS = {
    1: decode_request_header_v1,
    2: decode_request_header_v2,
}

RequestHeader.ENCODERS = {
    1: encode_request_header_v1,
    2: encode_request_header_v2,
}

__all__ = [
    "RequestHeader",
]
