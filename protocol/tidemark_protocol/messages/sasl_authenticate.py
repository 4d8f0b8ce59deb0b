# Generated from schemas/messages/SaslAuthenticateRequest.json and schemas/messages/SaslAuthenticateResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Bytes, Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_short, unfit, write_text_length, write_uvarint,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack


class SaslAuthenticateRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("AuthBytes", "auth_bytes", "bytes", None),
    )
    NAME: ClassVar = "SaslAuthenticateRequest"
    API_KEY: ClassVar = 36
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    auth_bytes: bytes = b""


class SaslAuthenticateResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("AuthBytes", "auth_bytes", "bytes", None),
        ("SessionLifetimeMs", "session_lifetime_ms", "int64", None),
    )
    NAME: ClassVar = "SaslAuthenticateResponse"
    API_KEY: ClassVar = 36
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    error_code: int = 0
    error_message: str | None = ""
    auth_bytes: bytes = b""
    session_lifetime_ms: int = 0


def decode_sasl_authenticate_request_v0_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[SaslAuthenticateRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("AuthBytes")
        auth_bytes = buf[pos : pos + n]
        pos += n
        message = SaslAuthenticateRequest(auth_bytes)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sasl_authenticate_request_v0_v1(out: bytearray, m: SaslAuthenticateRequest) -> None:
    try:
        auth_bytes = m.auth_bytes
        out += _write_i(len(auth_bytes))
        out += auth_bytes
    except UNFIT as error:
        raise unfit("SaslAuthenticateRequest", error) from error


def decode_sasl_authenticate_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[SaslAuthenticateRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if n < 0:
            raise null("AuthBytes")
        auth_bytes = buf[pos : pos + n]
        pos += n
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = SaslAuthenticateRequest(auth_bytes)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sasl_authenticate_request_v2(out: bytearray, m: SaslAuthenticateRequest) -> None:
    try:
        auth_bytes = m.auth_bytes
        n = len(auth_bytes) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += auth_bytes
        out.append(0)
    except UNFIT as error:
        raise unfit("SaslAuthenticateRequest", error) from error

SaslAuthenticateRequest.DECODERS = {
    0: decode_sasl_authenticate_request_v0_v1, 1: decode_sasl_authenticate_request_v0_v1,
    2: decode_sasl_authenticate_request_v2,
}

SaslAuthenticateRequest.ENCODERS = {
    0: encode_sasl_authenticate_request_v0_v1, 1: encode_sasl_authenticate_request_v0_v1,
    2: encode_sasl_authenticate_request_v2,
}



def decode_sasl_authenticate_response_v0(buf: bytes, pos: int, end: int) -> tuple[SaslAuthenticateResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = _read_h(buf, pos)[0]
        pos += 2
        error_message: str | None = None
        if n >= 0:
            error_message = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("AuthBytes")
        auth_bytes = buf[pos : pos + n]
        pos += n
        message = SaslAuthenticateResponse(error_code, error_message, auth_bytes)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sasl_authenticate_response_v0(out: bytearray, m: SaslAuthenticateResponse) -> None:
    try:
        out += _write_h(m.error_code)
        error_message = m.error_message
        if error_message is None:
            out += _write_h(-1)
        else:
            text = error_message.encode()
            out += _write_h(len(text))
            out += text
        auth_bytes = m.auth_bytes
        out += _write_i(len(auth_bytes))
        out += auth_bytes
    except UNFIT as error:
        raise unfit("SaslAuthenticateResponse", error) from error


def decode_sasl_authenticate_response_v1(buf: bytes, pos: int, end: int) -> tuple[SaslAuthenticateResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = _read_h(buf, pos)[0]
        pos += 2
        error_message: str | None = None
        if n >= 0:
            error_message = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("AuthBytes")
        auth_bytes = buf[pos : pos + n]
        pos += n
        session_lifetime_ms, = _read_q(buf, pos)
        pos += 8
        message = SaslAuthenticateResponse(error_code, error_message, auth_bytes, session_lifetime_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sasl_authenticate_response_v1(out: bytearray, m: SaslAuthenticateResponse) -> None:
    try:
        out += _write_h(m.error_code)
        error_message = m.error_message
        if error_message is None:
            out += _write_h(-1)
        else:
            text = error_message.encode()
            out += _write_h(len(text))
            out += text
        auth_bytes = m.auth_bytes
        out += _write_i(len(auth_bytes))
        out += auth_bytes
        out += _write_q(m.session_lifetime_ms)
    except UNFIT as error:
        raise unfit("SaslAuthenticateResponse", error) from error


def decode_sasl_authenticate_response_v2(buf: bytes, pos: int, end: int) -> tuple[SaslAuthenticateResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
        error_message: str | None = None
        if n >= 0:
            error_message = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if n < 0:
            raise null("AuthBytes")
        auth_bytes = buf[pos : pos + n]
        pos += n
        session_lifetime_ms, = _read_q(buf, pos)
        pos += 8
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = SaslAuthenticateResponse(error_code, error_message, auth_bytes, session_lifetime_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_sasl_authenticate_response_v2(out: bytearray, m: SaslAuthenticateResponse) -> None:
    try:
        out += _write_h(m.error_code)
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
        auth_bytes = m.auth_bytes
        n = len(auth_bytes) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += auth_bytes
        out += _write_q(m.session_lifetime_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("SaslAuthenticateResponse", error) from error

SaslAuthenticateResponse.DECODERS = {
    0: decode_sasl_authenticate_response_v0,
    1: decode_sasl_authenticate_response_v1,
    2: decode_sasl_authenticate_response_v2,
}

SaslAuthenticateResponse.ENCODERS = {
    0: encode_sasl_authenticate_response_v0,
    1: encode_sasl_authenticate_response_v1,
    2: encode_sasl_authenticate_response_v2,
}

__all__ = [
    "SaslAuthenticateRequest", "SaslAuthenticateResponse",
]
