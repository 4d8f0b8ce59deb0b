# Generated from schemas/records/ZkMigrationStateRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, skip_tags, too_short, unfit,
)

_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack


class ZkMigrationStateRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ZkMigrationState", "zk_migration_state", "int8", None),
    )
    NAME: ClassVar = "ZkMigrationStateRecord"
    API_KEY: ClassVar = 21
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    zk_migration_state: int = 0


def decode_zk_migration_state_record_v0(buf: bytes, pos: int, end: int) -> tuple[ZkMigrationStateRecord, int]:
    try:
        zk_migration_state, = _read_b(buf, pos)
        pos += 1
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ZkMigrationStateRecord(zk_migration_state)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_zk_migration_state_record_v0(out: bytearray, m: ZkMigrationStateRecord) -> None:
    try:
        out += _write_b(m.zk_migration_state)
        out.append(0)
    except UNFIT as error:
        raise unfit("ZkMigrationStateRecord", error) from error

ZkMigrationStateRecord.DECODERS = {
    0: decode_zk_migration_state_record_v0,
}

ZkMigrationStateRecord.ENCODERS = {
    0: encode_zk_migration_state_record_v0,
}

__all__ = [
    "ZkMigrationStateRecord",
]
