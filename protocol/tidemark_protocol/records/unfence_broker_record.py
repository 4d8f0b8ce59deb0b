# Generated from schemas/records/UnfenceBrokerRecord.json. Edit that, then run make generate.

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


class UnfenceBrokerRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Id", "id", "int32", None),
        ("Epoch", "epoch", "int64", None),
    )
    NAME: ClassVar = "UnfenceBrokerRecord"
    API_KEY: ClassVar = 8
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    id: int = 0
    epoch: int = 0


def decode_unfence_broker_record_v0(buf: bytes, pos: int, end: int) -> tuple[UnfenceBrokerRecord, int]:
    try:
        id, epoch = _read_iq(buf, pos)
        pos += 12
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = UnfenceBrokerRecord(id, epoch)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_unfence_broker_record_v0(out: bytearray, m: UnfenceBrokerRecord) -> None:
    try:
        out += _write_iq(m.id, m.epoch)
        out.append(0)
    except UNFIT as error:
        raise unfit("UnfenceBrokerRecord", error) from error

UnfenceBrokerRecord.DECODERS = {
    0: decode_unfence_broker_record_v0,
}

UnfenceBrokerRecord.ENCODERS = {
    0: encode_unfence_broker_record_v0,
}

__all__ = [
    "UnfenceBrokerRecord",
]
