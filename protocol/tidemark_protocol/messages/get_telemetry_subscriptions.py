# Generated from schemas/messages/GetTelemetrySubscriptionsRequest.json and schemas/messages/GetTelemetrySubscriptionsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Bytes, Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, null, past_end, read_length,
    read_text_length, skip_tags, skip_tags_within, too_short, unfit, write_text_length, write_uvarint,
    wrong_count,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_ihui = struct.Struct(">ih16si")
_read_ihui = _ihui.unpack_from
_write_ihui = _ihui.pack
_iiz = struct.Struct(">ii?")
_read_iiz = _iiz.unpack_from
_write_iiz = _iiz.pack


class GetTelemetrySubscriptionsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ClientInstanceId", "client_instance_id", "uuid", None),
    )
    NAME: ClassVar = "GetTelemetrySubscriptionsRequest"
    API_KEY: ClassVar = 71
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    client_instance_id: bytes = ZERO_UUID


class GetTelemetrySubscriptionsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ClientInstanceId", "client_instance_id", "uuid", None),
        ("SubscriptionId", "subscription_id", "int32", None),
        ("AcceptedCompressionTypes", "accepted_compression_types", "[]int8", None),
        ("PushIntervalMs", "push_interval_ms", "int32", None),
        ("TelemetryMaxBytes", "telemetry_max_bytes", "int32", None),
        ("DeltaTemporality", "delta_temporality", "bool", None),
        ("RequestedMetrics", "requested_metrics", "[]string", None),
    )
    NAME: ClassVar = "GetTelemetrySubscriptionsResponse"
    API_KEY: ClassVar = 71
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    client_instance_id: bytes = ZERO_UUID
    subscription_id: int = 0
    accepted_compression_types: list[int] = []
    push_interval_ms: int = 0
    telemetry_max_bytes: int = 0
    delta_temporality: bool = False
    requested_metrics: list[str] = []


def decode_get_telemetry_subscriptions_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[GetTelemetrySubscriptionsRequest, int]:
    try:
        client_instance_id, = _read_u(buf, pos)
        pos += 16
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = GetTelemetrySubscriptionsRequest(client_instance_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_get_telemetry_subscriptions_request_v0(out: bytearray, m: GetTelemetrySubscriptionsRequest) -> None:
    try:
        out += _write_u(m.client_instance_id)
        out.append(0)
    except UNFIT as error:
        raise unfit("GetTelemetrySubscriptionsRequest", error) from error

GetTelemetrySubscriptionsRequest.DECODERS = {
    0: decode_get_telemetry_subscriptions_request_v0,
}

GetTelemetrySubscriptionsRequest.ENCODERS = {
    0: encode_get_telemetry_subscriptions_request_v0,
}



def decode_get_telemetry_subscriptions_response_v0(buf: bytes, pos: int, end: int) -> tuple[GetTelemetrySubscriptionsResponse, int]:
    try:
        throttle_time_ms, error_code, client_instance_id, subscription_id = _read_ihui(buf, pos)
        pos += 26
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("AcceptedCompressionTypes", n, pos, end)
        accepted_compression_types: list[int] = list(struct.unpack_from(f">{n}b", buf, pos))
        pos += n
        push_interval_ms, telemetry_max_bytes, delta_temporality = _read_iiz(buf, pos)
        pos += 9
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("RequestedMetrics", n, pos, end)
        requested_metrics: list[str] = []
        requested_metrics_count = n
        for _ in range(requested_metrics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "RequestedMetrics")
            if n < 0:
                raise null("RequestedMetrics")
            requested_metrics_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            requested_metrics.append(requested_metrics_item)
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = GetTelemetrySubscriptionsResponse(throttle_time_ms, error_code, client_instance_id, subscription_id, accepted_compression_types, push_interval_ms, telemetry_max_bytes, delta_temporality, requested_metrics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_get_telemetry_subscriptions_response_v0(out: bytearray, m: GetTelemetrySubscriptionsResponse) -> None:
    try:
        out += _write_ihui(m.throttle_time_ms, m.error_code, m.client_instance_id, m.subscription_id)
        accepted_compression_types = m.accepted_compression_types
        n = len(accepted_compression_types) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(accepted_compression_types)}b", *accepted_compression_types)
        out += _write_iiz(m.push_interval_ms, m.telemetry_max_bytes, m.delta_temporality)
        requested_metrics = m.requested_metrics
        n = len(requested_metrics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for requested_metrics_item in requested_metrics:
            text = requested_metrics_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "RequestedMetrics")
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("GetTelemetrySubscriptionsResponse", error) from error

GetTelemetrySubscriptionsResponse.DECODERS = {
    0: decode_get_telemetry_subscriptions_response_v0,
}

GetTelemetrySubscriptionsResponse.ENCODERS = {
    0: encode_get_telemetry_subscriptions_response_v0,
}

__all__ = [
    "GetTelemetrySubscriptionsRequest", "GetTelemetrySubscriptionsResponse",
]
