# Generated from schemas/messages/AllocateProducerIdsRequest.json and schemas/messages/AllocateProducerIdsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder,
    Encoder,
    SHORT,
    UNBOUNDED,
    UNFIT,
    past_end,
    skip_tags,
    skip_tags_within,
    too_short,
    unfit,
)

_ihqi = struct.Struct(">ihqi")
_read_ihqi = _ihqi.unpack_from
_write_ihqi = _ihqi.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack


class AllocateProducerIdsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("BrokerId", "broker_id", "int32", None),
        ("BrokerEpoch", "broker_epoch", "int64", None),
    )
    NAME: ClassVar = "AllocateProducerIdsRequest"
    API_KEY: ClassVar = 67
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    broker_id: int = 0
    broker_epoch: int = -1


class AllocateProducerIdsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ProducerIdStart", "producer_id_start", "int64", None),
        ("ProducerIdLen", "producer_id_len", "int32", None),
    )
    NAME: ClassVar = "AllocateProducerIdsResponse"
    API_KEY: ClassVar = 67
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id_start: int = 0
    producer_id_len: int = 0


def decode_allocate_producer_ids_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AllocateProducerIdsRequest, int]:
    try:
        broker_id, broker_epoch = _read_iq(buf, pos)
        pos += 12
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AllocateProducerIdsRequest(broker_id, broker_epoch)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_allocate_producer_ids_request_v0(out: bytearray, m: AllocateProducerIdsRequest) -> None:
    try:
        out += _write_iq(m.broker_id, m.broker_epoch)
        out.append(0)
    except UNFIT as error:
        raise unfit("AllocateProducerIdsRequest", error) from error

AllocateProducerIdsRequest.DECODERS = {
    0: decode_allocate_producer_ids_request_v0,
}

AllocateProducerIdsRequest.ENCODERS = {
    0: encode_allocate_producer_ids_request_v0,
}



def decode_allocate_producer_ids_response_v0(buf: bytes, pos: int, end: int) -> tuple[AllocateProducerIdsResponse, int]:
    try:
        throttle_time_ms, error_code, producer_id_start, producer_id_len = _read_ihqi(buf, pos)
        pos += 18
        if buf[pos]:
            pos = skip_tags(buf, pos, end)
        else:
            pos += 1
        message = AllocateProducerIdsResponse(throttle_time_ms, error_code, producer_id_start, producer_id_len)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_allocate_producer_ids_response_v0(out: bytearray, m: AllocateProducerIdsResponse) -> None:
    try:
        out += _write_ihqi(m.throttle_time_ms, m.error_code, m.producer_id_start, m.producer_id_len)
        out.append(0)
    except UNFIT as error:
        raise unfit("AllocateProducerIdsResponse", error) from error

AllocateProducerIdsResponse.DECODERS = {
    0: decode_allocate_producer_ids_response_v0,
}

AllocateProducerIdsResponse.ENCODERS = {
    0: encode_allocate_producer_ids_response_v0,
}

__all__ = [
    "AllocateProducerIdsRequest",
    "AllocateProducerIdsResponse",
]
