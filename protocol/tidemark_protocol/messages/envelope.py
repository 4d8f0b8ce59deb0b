# Generated from schemas/messages/EnvelopeRequest.json and schemas/messages/EnvelopeResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder,
    Encoder,
    SHORT,
    UNBOUNDED,
    UNFIT,
    null,
    past_end,
    read_uvarint,
    skip_tags,
    skip_tags_within,
    too_short,
    unfit,
    write_uvarint,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack


class EnvelopeRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("RequestData", "request_data", "bytes", None),
        ("RequestPrincipal", "request_principal", "bytes", None),
        ("ClientHostAddress", "client_host_address", "bytes", None),
    )
    NAME: ClassVar = "EnvelopeRequest"
    API_KEY: ClassVar = 58
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    request_data: bytes = b""
    request_principal: bytes | None = b""
    client_host_address: bytes = b""


class EnvelopeResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ResponseData", "response_data", "bytes", None),
        ("ErrorCode", "error_code", "int16", None),
    )
    NAME: ClassVar = "EnvelopeResponse"
    API_KEY: ClassVar = 58
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    response_data: bytes | None = None
    error_code: int = 0


def decode_envelope_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[EnvelopeRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("RequestData")
        request_data = buf[pos : pos + n]
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        request_principal: bytes | None = None
        if n >= 0:
            request_principal = buf[pos : pos + n]
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("ClientHostAddress")
        client_host_address = buf[pos : pos + n]
        pos += n
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = EnvelopeRequest(request_data, request_principal, client_host_address)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_envelope_request_v0(out: bytearray, m: EnvelopeRequest) -> None:
    try:
        request_data = m.request_data
        n = len(request_data) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += request_data
        request_principal = m.request_principal
        if request_principal is None:
            out.append(0)
        else:
            n = len(request_principal) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += request_principal
        client_host_address = m.client_host_address
        n = len(client_host_address) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += client_host_address
        out.append(0)
    except UNFIT as error:
        raise unfit("EnvelopeRequest", error) from error

EnvelopeRequest.DECODERS = {
    0: decode_envelope_request_v0,
}

EnvelopeRequest.ENCODERS = {
    0: encode_envelope_request_v0,
}



def decode_envelope_response_v0(buf: bytes, pos: int, end: int) -> tuple[EnvelopeResponse, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        response_data: bytes | None = None
        if n >= 0:
            response_data = buf[pos : pos + n]
            pos += n
        error_code, = _read_h(buf, pos)
        pos += 2
        if buf[pos]:
            pos = skip_tags(buf, pos, end)
        else:
            pos += 1
        message = EnvelopeResponse(response_data, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_envelope_response_v0(out: bytearray, m: EnvelopeResponse) -> None:
    try:
        response_data = m.response_data
        if response_data is None:
            out.append(0)
        else:
            n = len(response_data) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += response_data
        out += _write_h(m.error_code)
        out.append(0)
    except UNFIT as error:
        raise unfit("EnvelopeResponse", error) from error

EnvelopeResponse.DECODERS = {
    0: decode_envelope_response_v0,
}

EnvelopeResponse.ENCODERS = {
    0: encode_envelope_response_v0,
}

__all__ = [
    "EnvelopeRequest",
    "EnvelopeResponse",
]
