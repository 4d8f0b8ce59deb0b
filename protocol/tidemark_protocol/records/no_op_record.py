# Generated from schemas/records/NoOpRecord.json. Edit that, then run make generate.

from __future__ import annotations

from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, skip_tags, too_short, unfit,
)



class NoOpRecord(Struct, gc=False):
    FIELDS: ClassVar = ()
    NAME: ClassVar = "NoOpRecord"
    API_KEY: ClassVar = 20
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]


def decode_no_op_record_v0(buf: bytes, pos: int, end: int) -> tuple[NoOpRecord, int]:
    try:
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = NoOpRecord()
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_no_op_record_v0(out: bytearray, m: NoOpRecord) -> None:
    try:
        out.append(0)
    except UNFIT as error:
        raise unfit("NoOpRecord", error) from error

NoOpRecord.DECODERS = {
    0: decode_no_op_record_v0,
}

NoOpRecord.ENCODERS = {
    0: encode_no_op_record_v0,
}

__all__ = [
    "NoOpRecord",
]
