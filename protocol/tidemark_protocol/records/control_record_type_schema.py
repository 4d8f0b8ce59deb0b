# Generated from schemas/records/ControlRecordTypeSchema.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, too_short, unfit,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack


class ControlRecordTypeSchema(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Type", "type", "int16", None),
    )
    NAME: ClassVar = "ControlRecordTypeSchema"
    API_KEY: ClassVar = -1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    type: int = 0


def decode_control_record_type_schema_v0(buf: bytes, pos: int, end: int) -> tuple[ControlRecordTypeSchema, int]:
    try:
        type, = _read_h(buf, pos)
        pos += 2
        message = ControlRecordTypeSchema(type)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_control_record_type_schema_v0(out: bytearray, m: ControlRecordTypeSchema) -> None:
    try:
        out += _write_h(m.type)
    except UNFIT as error:
        raise unfit("ControlRecordTypeSchema", error) from error

ControlRecordTypeSchema.DECODERS = {
    0: decode_control_record_type_schema_v0,
}

ControlRecordTypeSchema.ENCODERS = {
    0: encode_control_record_type_schema_v0,
}

__all__ = [
    "ControlRecordTypeSchema",
]
