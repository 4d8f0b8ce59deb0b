# Generated from schemas/records/TopicRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, null, past_end, read_text_length, skip_tags, too_short, unfit,
    write_text_length,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack


class TopicRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
    )
    NAME: ClassVar = "TopicRecord"
    API_KEY: ClassVar = 2
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    name: str = ""
    topic_id: bytes = ZERO_UUID


def decode_topic_record_v0(buf: bytes, pos: int, end: int) -> tuple[TopicRecord, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Name")
        if n < 0:
            raise null("Name")
        name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        topic_id, = _read_u(buf, pos)
        pos += 16
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = TopicRecord(name, topic_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_topic_record_v0(out: bytearray, m: TopicRecord) -> None:
    try:
        text = m.name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Name")
        out += text
        out += _write_u(m.topic_id)
        out.append(0)
    except UNFIT as error:
        raise unfit("TopicRecord", error) from error

TopicRecord.DECODERS = {
    0: decode_topic_record_v0,
}

TopicRecord.ENCODERS = {
    0: encode_topic_record_v0,
}

__all__ = [
    "TopicRecord",
]
