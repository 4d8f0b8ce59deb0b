# Generated from schemas/records/ClearElrRecord.json. Edit that, then run make generate.

from __future__ import annotations

from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, read_text_length, skip_tags, too_short, unfit,
    write_text_length,
)



class ClearElrRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
    )
    NAME: ClassVar = "ClearElrRecord"
    API_KEY: ClassVar = 28
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topic_name: str = ""


def decode_clear_elr_record_v0(buf: bytes, pos: int, end: int) -> tuple[ClearElrRecord, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TopicName")
        if n < 0:
            raise null("TopicName")
        topic_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ClearElrRecord(topic_name)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_clear_elr_record_v0(out: bytearray, m: ClearElrRecord) -> None:
    try:
        text = m.topic_name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "TopicName")
        out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("ClearElrRecord", error) from error

ClearElrRecord.DECODERS = {
    0: decode_clear_elr_record_v0,
}

ClearElrRecord.ENCODERS = {
    0: encode_clear_elr_record_v0,
}

__all__ = [
    "ClearElrRecord",
]
