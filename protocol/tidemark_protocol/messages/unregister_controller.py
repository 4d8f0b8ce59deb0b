# Generated from schemas/messages/UnregisterControllerRequest.json and schemas/messages/UnregisterControllerResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, past_end, read_text_length, skip_tags, skip_tags_within,
    too_short, unfit, write_text_length,
)

_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class UnregisterControllerRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ControllerId", "controller_id", "int32", None),
    )
    NAME: ClassVar = "UnregisterControllerRequest"
    API_KEY: ClassVar = 94
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    controller_id: int = 0


class UnregisterControllerResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    NAME: ClassVar = "UnregisterControllerResponse"
    API_KEY: ClassVar = 94
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""


def decode_unregister_controller_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[UnregisterControllerRequest, int]:
    try:
        controller_id, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = UnregisterControllerRequest(controller_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_unregister_controller_request_v0(out: bytearray, m: UnregisterControllerRequest) -> None:
    try:
        out += _write_i(m.controller_id)
        out.append(0)
    except UNFIT as error:
        raise unfit("UnregisterControllerRequest", error) from error

UnregisterControllerRequest.DECODERS = {
    0: decode_unregister_controller_request_v0,
}

UnregisterControllerRequest.ENCODERS = {
    0: encode_unregister_controller_request_v0,
}



def decode_unregister_controller_response_v0(buf: bytes, pos: int, end: int) -> tuple[UnregisterControllerResponse, int]:
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
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = UnregisterControllerResponse(throttle_time_ms, error_code, error_message)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_unregister_controller_response_v0(out: bytearray, m: UnregisterControllerResponse) -> None:
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
        out.append(0)
    except UNFIT as error:
        raise unfit("UnregisterControllerResponse", error) from error

UnregisterControllerResponse.DECODERS = {
    0: decode_unregister_controller_response_v0,
}

UnregisterControllerResponse.ENCODERS = {
    0: encode_unregister_controller_response_v0,
}

__all__ = [
    "UnregisterControllerRequest", "UnregisterControllerResponse",
]
