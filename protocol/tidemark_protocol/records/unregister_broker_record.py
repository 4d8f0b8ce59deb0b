# Generated from schemas/records/UnregisterBrokerRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, skip_tags, too_short, unfit,
)

_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack


class UnregisterBrokerRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("BrokerId", "broker_id", "int32", None),
        ("BrokerEpoch", "broker_epoch", "int64", None),
    )
    NAME: ClassVar = "UnregisterBrokerRecord"
    API_KEY: ClassVar = 1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    broker_id: int = 0
    broker_epoch: int = 0


def decode_unregister_broker_record_v0(buf: bytes, pos: int, end: int) -> tuple[UnregisterBrokerRecord, int]:
    try:
        broker_id, broker_epoch = _read_iq(buf, pos)
        pos += 12
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = UnregisterBrokerRecord(broker_id, broker_epoch)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_unregister_broker_record_v0(out: bytearray, m: UnregisterBrokerRecord) -> None:
    try:
        out += _write_iq(m.broker_id, m.broker_epoch)
        out.append(0)
    except UNFIT as error:
        raise unfit("UnregisterBrokerRecord", error) from error

UnregisterBrokerRecord.DECODERS = {
    0: decode_unregister_broker_record_v0,
}

UnregisterBrokerRecord.ENCODERS = {
    0: encode_unregister_broker_record_v0,
}

__all__ = [
    "UnregisterBrokerRecord",
]
