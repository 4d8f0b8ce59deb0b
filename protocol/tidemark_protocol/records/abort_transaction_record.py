# Generated from schemas/records/AbortTransactionRecord.json. Edit that, then run make generate.

from __future__ import annotations

from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, read_tag_count, read_text_length, read_uvarint, skip_tag,
    too_short, unfit, write_tags, write_text_length,
)



class AbortTransactionRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Reason", "reason", "string", None),
    )
    NAME: ClassVar = "AbortTransactionRecord"
    API_KEY: ClassVar = 25
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    reason: str | None = None


def decode_abort_transaction_record_v0(buf: bytes, pos: int, end: int) -> tuple[AbortTransactionRecord, int]:
    try:
        reason: str | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Reason")
                    reason = None
                    if n >= 0:
                        reason = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                else:
                    pos = skip_tag(buf, pos, end)
        message = AbortTransactionRecord(reason)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_abort_transaction_record_v0(out: bytearray, m: AbortTransactionRecord) -> None:
    try:
        tags: list[tuple[int, bytearray]] = []
        if m.reason is not None:
            outer = out
            out = bytearray()
            reason = m.reason
            text = reason.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Reason")
            out += text
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("AbortTransactionRecord", error) from error

AbortTransactionRecord.DECODERS = {
    0: decode_abort_transaction_record_v0,
}

AbortTransactionRecord.ENCODERS = {
    0: encode_abort_transaction_record_v0,
}

__all__ = [
    "AbortTransactionRecord",
]
