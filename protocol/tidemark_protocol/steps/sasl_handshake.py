# Generated from schemas/messages/SaslHandshakeRequest.json and schemas/messages/SaslHandshakeResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.sasl_handshake import (
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    UNFIT,
    check_end,
    null,
    too_short,
    unfit,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


def decode_sasl_handshake_request_v0_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[SaslHandshakeRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("Mechanism")
        mechanism = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = SaslHandshakeRequest(mechanism)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_sasl_handshake_response_v0_v1(out: bytearray, m: SaslHandshakeResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        mechanisms = m.mechanisms
        out += _write_i(len(mechanisms))
        for mechanisms_item in mechanisms:
            yield 1
            text = mechanisms_item.encode()
            out += _write_h(len(text))
            out += text
    except UNFIT as error:
        raise unfit("SaslHandshakeResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_sasl_handshake_request_v0_v1,
    1: decode_sasl_handshake_request_v0_v1,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_sasl_handshake_response_v0_v1,
    1: encode_sasl_handshake_response_v0_v1,
}

__all__ = ["DECODERS", "ENCODERS"]
