# Generated from schemas/records/RemoveTopicRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, past_end, skip_tags, too_short, unfit,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack


class RemoveTopicRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
    )
    NAME: ClassVar = "RemoveTopicRecord"
    API_KEY: ClassVar = 9
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topic_id: bytes = ZERO_UUID


def decode_remove_topic_record_v0(buf: bytes, pos: int, end: int) -> tuple[RemoveTopicRecord, int]:
    try:
        topic_id, = _read_u(buf, pos)
        pos += 16
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = RemoveTopicRecord(topic_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_remove_topic_record_v0(out: bytearray, m: RemoveTopicRecord) -> None:
    try:
        out += _write_u(m.topic_id)
        out.append(0)
    except UNFIT as error:
        raise unfit("RemoveTopicRecord", error) from error

RemoveTopicRecord.DECODERS = {
    0: decode_remove_topic_record_v0,
}

RemoveTopicRecord.ENCODERS = {
    0: encode_remove_topic_record_v0,
}

__all__ = [
    "RemoveTopicRecord",
]
