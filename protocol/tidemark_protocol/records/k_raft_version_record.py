# Generated from schemas/records/KRaftVersionRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, skip_tags, too_short, unfit,
)

_hh = struct.Struct(">hh")
_read_hh = _hh.unpack_from
_write_hh = _hh.pack


class KRaftVersionRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Version", "version", "int16", None),
        ("KRaftVersion", "k_raft_version", "int16", None),
    )
    NAME: ClassVar = "KRaftVersionRecord"
    API_KEY: ClassVar = -1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    version: int = 0
    k_raft_version: int = 0


def decode_k_raft_version_record_v0(buf: bytes, pos: int, end: int) -> tuple[KRaftVersionRecord, int]:
    try:
        version, k_raft_version = _read_hh(buf, pos)
        pos += 4
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = KRaftVersionRecord(version, k_raft_version)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_k_raft_version_record_v0(out: bytearray, m: KRaftVersionRecord) -> None:
    try:
        out += _write_hh(m.version, m.k_raft_version)
        out.append(0)
    except UNFIT as error:
        raise unfit("KRaftVersionRecord", error) from error

KRaftVersionRecord.DECODERS = {
    0: decode_k_raft_version_record_v0,
}

KRaftVersionRecord.ENCODERS = {
    0: encode_k_raft_version_record_v0,
}

__all__ = [
    "KRaftVersionRecord",
]
