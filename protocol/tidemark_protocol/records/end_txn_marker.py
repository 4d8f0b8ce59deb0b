# Generated from schemas/records/EndTxnMarker.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, too_short, unfit,
)

_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class EndTxnMarker(Struct, gc=False):
    FIELDS: ClassVar = (
        ("CoordinatorEpoch", "coordinator_epoch", "int32", None),
    )
    NAME: ClassVar = "EndTxnMarker"
    API_KEY: ClassVar = -1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    coordinator_epoch: int = 0


def decode_end_txn_marker_v0(buf: bytes, pos: int, end: int) -> tuple[EndTxnMarker, int]:
    try:
        coordinator_epoch, = _read_i(buf, pos)
        pos += 4
        message = EndTxnMarker(coordinator_epoch)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_end_txn_marker_v0(out: bytearray, m: EndTxnMarker) -> None:
    try:
        out += _write_i(m.coordinator_epoch)
    except UNFIT as error:
        raise unfit("EndTxnMarker", error) from error

EndTxnMarker.DECODERS = {
    0: decode_end_txn_marker_v0,
}

EndTxnMarker.ENCODERS = {
    0: encode_end_txn_marker_v0,
}

__all__ = [
    "EndTxnMarker",
]
