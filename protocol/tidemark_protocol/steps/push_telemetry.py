# Generated from schemas/messages/PushTelemetryRequest.json and schemas/messages/PushTelemetryResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.push_telemetry import (
    PushTelemetryRequest,
    PushTelemetryResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    UNFIT,
    check_end,
    null,
    read_uvarint,
    skip_tags_in_steps,
    too_short,
    unfit,
)

_uizb = struct.Struct(">16si?b")
_read_uizb = _uizb.unpack_from
_write_uizb = _uizb.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


def decode_push_telemetry_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[PushTelemetryRequest, int]]:
    try:
        yield 1
        client_instance_id, subscription_id, terminating, compression_type = _read_uizb(buf, pos)
        pos += 22
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Metrics")
        metrics = buf[pos : pos + n]
        pos += n
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = PushTelemetryRequest(client_instance_id, subscription_id, terminating, compression_type, metrics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_push_telemetry_response_v0(out: bytearray, m: PushTelemetryResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        out.append(0)
    except UNFIT as error:
        raise unfit("PushTelemetryResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_push_telemetry_request_v0,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_push_telemetry_response_v0,
}

__all__ = ["DECODERS", "ENCODERS"]
