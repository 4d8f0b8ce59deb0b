# Generated from schemas/records/BeginTransactionRecord.json. Edit that, then run make generate.

from __future__ import annotations

from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, read_tag_count, read_text_length, read_uvarint, skip_tag,
    too_short, unfit, write_tags, write_text_length,
)



class BeginTransactionRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
    )
    NAME: ClassVar = "BeginTransactionRecord"
    API_KEY: ClassVar = 23
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    name: str | None = None


def decode_begin_transaction_record_v0(buf: bytes, pos: int, end: int) -> tuple[BeginTransactionRecord, int]:
    try:
        name: str | None = None
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
                        n, pos = read_text_length(buf, pos - 1, "Name")
                    name = None
                    if n >= 0:
                        name = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                else:
                    pos = skip_tag(buf, pos, end)
        message = BeginTransactionRecord(name)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_begin_transaction_record_v0(out: bytearray, m: BeginTransactionRecord) -> None:
    try:
        tags: list[tuple[int, bytearray]] = []
        if m.name is not None:
            outer = out
            out = bytearray()
            name = m.name
            text = name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("BeginTransactionRecord", error) from error

BeginTransactionRecord.DECODERS = {
    0: decode_begin_transaction_record_v0,
}

BeginTransactionRecord.ENCODERS = {
    0: encode_begin_transaction_record_v0,
}

__all__ = [
    "BeginTransactionRecord",
]
