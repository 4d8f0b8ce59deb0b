# Generated from schemas/messages/PushTelemetryRequest.json and schemas/messages/PushTelemetryResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, null, past_end, read_length, skip_tags,
    skip_tags_within, too_short, unfit, write_uvarint,
)

_uizb = struct.Struct(">16si?b")
_read_uizb = _uizb.unpack_from
_write_uizb = _uizb.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class PushTelemetryRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ClientInstanceId", "client_instance_id", "uuid", None),
        ("SubscriptionId", "subscription_id", "int32", None),
        ("Terminating", "terminating", "bool", None),
        ("CompressionType", "compression_type", "int8", None),
        ("Metrics", "metrics", "bytes", None),
    )
    NAME: ClassVar = "PushTelemetryRequest"
    API_KEY: ClassVar = 72
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    client_instance_id: bytes = ZERO_UUID
    subscription_id: int = 0
    terminating: bool = False
    compression_type: int = 0
    metrics: bytes = b""


class PushTelemetryResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
    )
    NAME: ClassVar = "PushTelemetryResponse"
    API_KEY: ClassVar = 72
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0


def decode_push_telemetry_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[PushTelemetryRequest, int]:
    try:
        client_instance_id, subscription_id, terminating, compression_type = _read_uizb(buf, pos)
        pos += 22
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if n < 0:
            raise null("Metrics")
        metrics = buf[pos : pos + n]
        pos += n
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = PushTelemetryRequest(client_instance_id, subscription_id, terminating, compression_type, metrics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_push_telemetry_request_v0(out: bytearray, m: PushTelemetryRequest) -> None:
    try:
        out += _write_uizb(m.client_instance_id, m.subscription_id, m.terminating, m.compression_type)
        metrics = m.metrics
        n = len(metrics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += metrics
        out.append(0)
    except UNFIT as error:
        raise unfit("PushTelemetryRequest", error) from error

PushTelemetryRequest.DECODERS = {
    0: decode_push_telemetry_request_v0,
}

PushTelemetryRequest.ENCODERS = {
    0: encode_push_telemetry_request_v0,
}



def decode_push_telemetry_response_v0(buf: bytes, pos: int, end: int) -> tuple[PushTelemetryResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = PushTelemetryResponse(throttle_time_ms, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_push_telemetry_response_v0(out: bytearray, m: PushTelemetryResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        out.append(0)
    except UNFIT as error:
        raise unfit("PushTelemetryResponse", error) from error

PushTelemetryResponse.DECODERS = {
    0: decode_push_telemetry_response_v0,
}

PushTelemetryResponse.ENCODERS = {
    0: encode_push_telemetry_response_v0,
}

__all__ = [
    "PushTelemetryRequest", "PushTelemetryResponse",
]
