# Generated from schemas/records/SnapshotFooterRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, skip_tags, too_short, unfit,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack


class SnapshotFooterRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Version", "version", "int16", None),
    )
    NAME: ClassVar = "SnapshotFooterRecord"
    API_KEY: ClassVar = -1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    version: int = 0


def decode_snapshot_footer_record_v0(buf: bytes, pos: int, end: int) -> tuple[SnapshotFooterRecord, int]:
    try:
        version, = _read_h(buf, pos)
        pos += 2
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = SnapshotFooterRecord(version)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_snapshot_footer_record_v0(out: bytearray, m: SnapshotFooterRecord) -> None:
    try:
        out += _write_h(m.version)
        out.append(0)
    except UNFIT as error:
        raise unfit("SnapshotFooterRecord", error) from error

SnapshotFooterRecord.DECODERS = {
    0: decode_snapshot_footer_record_v0,
}

SnapshotFooterRecord.ENCODERS = {
    0: encode_snapshot_footer_record_v0,
}

__all__ = [
    "SnapshotFooterRecord",
]
