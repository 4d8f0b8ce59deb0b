# Generated from schemas/messages/UnregisterBrokerRequest.json and schemas/messages/UnregisterBrokerResponse.json. Edit that, then run make generate.

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


class UnregisterBrokerRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("BrokerId", "broker_id", "int32", None),
    )
    NAME: ClassVar = "UnregisterBrokerRequest"
    API_KEY: ClassVar = 64
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    broker_id: int = 0


class UnregisterBrokerResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    NAME: ClassVar = "UnregisterBrokerResponse"
    API_KEY: ClassVar = 64
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""


def decode_unregister_broker_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[UnregisterBrokerRequest, int]:
    try:
        broker_id, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = UnregisterBrokerRequest(broker_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_unregister_broker_request_v0(out: bytearray, m: UnregisterBrokerRequest) -> None:
    try:
        out += _write_i(m.broker_id)
        out.append(0)
    except UNFIT as error:
        raise unfit("UnregisterBrokerRequest", error) from error

UnregisterBrokerRequest.DECODERS = {
    0: decode_unregister_broker_request_v0,
}

UnregisterBrokerRequest.ENCODERS = {
    0: encode_unregister_broker_request_v0,
}



def decode_unregister_broker_response_v0(buf: bytes, pos: int, end: int) -> tuple[UnregisterBrokerResponse, int]:
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
        message = UnregisterBrokerResponse(throttle_time_ms, error_code, error_message)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_unregister_broker_response_v0(out: bytearray, m: UnregisterBrokerResponse) -> None:
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
        raise unfit("UnregisterBrokerResponse", error) from error

UnregisterBrokerResponse.DECODERS = {
    0: decode_unregister_broker_response_v0,
}

UnregisterBrokerResponse.ENCODERS = {
    0: encode_unregister_broker_response_v0,
}

__all__ = [
    "UnregisterBrokerRequest", "UnregisterBrokerResponse",
]
