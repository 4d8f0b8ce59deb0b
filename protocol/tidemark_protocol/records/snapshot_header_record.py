# Generated from schemas/records/SnapshotHeaderRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, skip_tags, too_short, unfit,
)

_hq = struct.Struct(">hq")
_read_hq = _hq.unpack_from
_write_hq = _hq.pack


class SnapshotHeaderRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Version", "version", "int16", None),
        ("LastContainedLogTimestamp", "last_contained_log_timestamp", "int64", None),
    )
    NAME: ClassVar = "SnapshotHeaderRecord"
    API_KEY: ClassVar = -1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    version: int = 0
    last_contained_log_timestamp: int = 0


def decode_snapshot_header_record_v0(buf: bytes, pos: int, end: int) -> tuple[SnapshotHeaderRecord, int]:
    try:
        version, last_contained_log_timestamp = _read_hq(buf, pos)
        pos += 10
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = SnapshotHeaderRecord(version, last_contained_log_timestamp)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_snapshot_header_record_v0(out: bytearray, m: SnapshotHeaderRecord) -> None:
    try:
        out += _write_hq(m.version, m.last_contained_log_timestamp)
        out.append(0)
    except UNFIT as error:
        raise unfit("SnapshotHeaderRecord", error) from error

SnapshotHeaderRecord.DECODERS = {
    0: decode_snapshot_header_record_v0,
}

SnapshotHeaderRecord.ENCODERS = {
    0: encode_snapshot_header_record_v0,
}

__all__ = [
    "SnapshotHeaderRecord",
]
