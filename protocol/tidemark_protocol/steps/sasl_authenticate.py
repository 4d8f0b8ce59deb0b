# Generated from schemas/messages/SaslAuthenticateRequest.json and schemas/messages/SaslAuthenticateResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)
from tidemark_protocol.wire import (
    Bytes,
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    check_end,
    null,
    read_uvarint,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
    write_uvarint,
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


def decode_sasl_authenticate_request_v0_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[SaslAuthenticateRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("AuthBytes")
        auth_bytes = buf[pos : pos + n]
        pos += n
        message = SaslAuthenticateRequest(auth_bytes)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_sasl_authenticate_request_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[SaslAuthenticateRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("AuthBytes")
        auth_bytes = buf[pos : pos + n]
        pos += n
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = SaslAuthenticateRequest(auth_bytes)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_sasl_authenticate_response_v0(out: bytearray, m: SaslAuthenticateResponse) -> Generator[int, None, None]:
    try:
        yield 1
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


def encode_sasl_authenticate_response_v1(out: bytearray, m: SaslAuthenticateResponse) -> Generator[int, None, None]:
    try:
        yield 1
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


def encode_sasl_authenticate_response_v2(out: bytearray, m: SaslAuthenticateResponse) -> Generator[int, None, None]:
    try:
        yield 1
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
                if n > TEXT_MAX + 1:
                    raise too_long("ErrorMessage", n - 1)
                write_uvarint(out, n)
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


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_sasl_authenticate_request_v0_v1,
    1: decode_sasl_authenticate_request_v0_v1,
    2: decode_sasl_authenticate_request_v2,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_sasl_authenticate_response_v0,
    1: encode_sasl_authenticate_response_v1,
    2: encode_sasl_authenticate_response_v2,
}

__all__ = ["DECODERS", "ENCODERS"]
