# Generated from schemas/messages/ResponseHeader.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, skip_tags, too_short, unfit,
)

_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class ResponseHeader(Struct, gc=False):
    FIELDS: ClassVar = (
        ("CorrelationId", "correlation_id", "int32", None),
    )
    NAME: ClassVar = "ResponseHeader"
    API_KEY: ClassVar = -1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 1
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    correlation_id: int = 0


def decode_response_header_v0(buf: bytes, pos: int, end: int) -> tuple[ResponseHeader, int]:
    try:
        correlation_id, = _read_i(buf, pos)
        pos += 4
        message = ResponseHeader(correlation_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_response_header_v0(out: bytearray, m: ResponseHeader) -> None:
    try:
        out += _write_i(m.correlation_id)
    except UNFIT as error:
        raise unfit("ResponseHeader", error) from error


def decode_response_header_v1(buf: bytes, pos: int, end: int) -> tuple[ResponseHeader, int]:
    try:
        correlation_id, = _read_i(buf, pos)
        pos += 4
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ResponseHeader(correlation_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_response_header_v1(out: bytearray, m: ResponseHeader) -> None:
    try:
        out += _write_i(m.correlation_id)
        out.append(0)
    except UNFIT as error:
        raise unfit("ResponseHeader", error) from error

ResponseHeader.DECODERS = {
    0: decode_response_header_v0,
    1: decode_response_header_v1,
}

ResponseHeader.ENCODERS = {
    0: encode_response_header_v0,
    1: encode_response_header_v1,
}

__all__ = [
    "ResponseHeader",
]
