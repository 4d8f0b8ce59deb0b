# Generated from schemas/records/ProducerIdsRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, skip_tags, too_short, unfit,
)

_iqq = struct.Struct(">iqq")
_read_iqq = _iqq.unpack_from
_write_iqq = _iqq.pack


class ProducerIdsRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("BrokerId", "broker_id", "int32", None),
        ("BrokerEpoch", "broker_epoch", "int64", None),
        ("NextProducerId", "next_producer_id", "int64", None),
    )
    NAME: ClassVar = "ProducerIdsRecord"
    API_KEY: ClassVar = 15
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    broker_id: int = 0
    broker_epoch: int = -1
    next_producer_id: int = 0


def decode_producer_ids_record_v0(buf: bytes, pos: int, end: int) -> tuple[ProducerIdsRecord, int]:
    try:
        broker_id, broker_epoch, next_producer_id = _read_iqq(buf, pos)
        pos += 20
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ProducerIdsRecord(broker_id, broker_epoch, next_producer_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_producer_ids_record_v0(out: bytearray, m: ProducerIdsRecord) -> None:
    try:
        out += _write_iqq(m.broker_id, m.broker_epoch, m.next_producer_id)
        out.append(0)
    except UNFIT as error:
        raise unfit("ProducerIdsRecord", error) from error

ProducerIdsRecord.DECODERS = {
    0: decode_producer_ids_record_v0,
}

ProducerIdsRecord.ENCODERS = {
    0: encode_producer_ids_record_v0,
}

__all__ = [
    "ProducerIdsRecord",
]
