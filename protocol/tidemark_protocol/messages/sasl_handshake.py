# Generated from schemas/messages/SaslHandshakeRequest.json and schemas/messages/SaslHandshakeResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, too_short, unfit, wrong_count,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class SaslHandshakeRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Mechanism", "mechanism", "string", None),
    )
    NAME: ClassVar = "SaslHandshakeRequest"
    API_KEY: ClassVar = 17
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    mechanism: str = ""


class SaslHandshakeResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("Mechanisms", "mechanisms", "[]string", None),
    )
    NAME: ClassVar = "SaslHandshakeResponse"
    API_KEY: ClassVar = 17
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    error_code: int = 0
    mechanisms: list[str] = []


def decode_sasl_handshake_request_v0_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[SaslHandshakeRequest, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("Mechanism")
        mechanism = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = SaslHandshakeRequest(mechanism)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sasl_handshake_request_v0_v1(out: bytearray, m: SaslHandshakeRequest) -> None:
    try:
        text = m.mechanism.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("SaslHandshakeRequest", error) from error

SaslHandshakeRequest.DECODERS = {
    0: decode_sasl_handshake_request_v0_v1, 1: decode_sasl_handshake_request_v0_v1,
}

SaslHandshakeRequest.ENCODERS = {
    0: encode_sasl_handshake_request_v0_v1, 1: encode_sasl_handshake_request_v0_v1,
}



def decode_sasl_handshake_response_v0_v1(buf: bytes, pos: int, end: int) -> tuple[SaslHandshakeResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Mechanisms", n, pos, end)
        mechanisms: list[str] = []
        mechanisms_count = n
        for _ in range(mechanisms_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Mechanisms")
            mechanisms_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            mechanisms.append(mechanisms_item)
        message = SaslHandshakeResponse(error_code, mechanisms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sasl_handshake_response_v0_v1(out: bytearray, m: SaslHandshakeResponse) -> None:
    try:
        out += _write_h(m.error_code)
        mechanisms = m.mechanisms
        out += _write_i(len(mechanisms))
        for mechanisms_item in mechanisms:
            text = mechanisms_item.encode()
            out += _write_h(len(text))
            out += text
    except UNFIT as error:
        raise unfit("SaslHandshakeResponse", error) from error

SaslHandshakeResponse.DECODERS = {
    0: decode_sasl_handshake_response_v0_v1, 1: decode_sasl_handshake_response_v0_v1,
}

SaslHandshakeResponse.ENCODERS = {
    0: encode_sasl_handshake_response_v0_v1, 1: encode_sasl_handshake_response_v0_v1,
}

__all__ = [
    "SaslHandshakeRequest", "SaslHandshakeResponse",
]
