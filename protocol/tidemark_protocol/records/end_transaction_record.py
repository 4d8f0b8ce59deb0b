# Generated from schemas/records/EndTransactionRecord.json. Edit that, then run make generate.

from __future__ import annotations

from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, skip_tags, too_short, unfit,
)



class EndTransactionRecord(Struct, gc=False):
    FIELDS: ClassVar = ()
    NAME: ClassVar = "EndTransactionRecord"
    API_KEY: ClassVar = 24
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]


def decode_end_transaction_record_v0(buf: bytes, pos: int, end: int) -> tuple[EndTransactionRecord, int]:
    try:
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = EndTransactionRecord()
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_end_transaction_record_v0(out: bytearray, m: EndTransactionRecord) -> None:
    try:
        out.append(0)
    except UNFIT as error:
        raise unfit("EndTransactionRecord", error) from error

EndTransactionRecord.DECODERS = {
    0: decode_end_transaction_record_v0,
}

EndTransactionRecord.ENCODERS = {
    0: encode_end_transaction_record_v0,
}

__all__ = [
    "EndTransactionRecord",
]
