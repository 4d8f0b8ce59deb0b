# Generated from schemas/messages/GetTelemetrySubscriptionsRequest.json and schemas/messages/GetTelemetrySubscriptionsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.get_telemetry_subscriptions import (
    GetTelemetrySubscriptionsRequest,
    GetTelemetrySubscriptionsResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    check_end,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
    write_uvarint,
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


def decode_get_telemetry_subscriptions_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[GetTelemetrySubscriptionsRequest, int]]:
    try:
        yield 1
        client_instance_id, = _read_u(buf, pos)
        pos += 16
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = GetTelemetrySubscriptionsRequest(client_instance_id)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_get_telemetry_subscriptions_response_v0(out: bytearray, m: GetTelemetrySubscriptionsResponse) -> Generator[int, None, None]:
    try:
        yield 1
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
            yield 1
            text = requested_metrics_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("RequestedMetrics", n - 1)
                write_uvarint(out, n)
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("GetTelemetrySubscriptionsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_get_telemetry_subscriptions_request_v0,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_get_telemetry_subscriptions_response_v0,
}

__all__ = ["DECODERS", "ENCODERS"]
