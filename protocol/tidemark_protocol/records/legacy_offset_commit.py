# Generated from schemas/records/LegacyOffsetCommitKey.json and schemas/records/LegacyOffsetCommitValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, too_short, unfit,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack


class LegacyOffsetCommitKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("group", "group", "string", None),
        ("topic", "topic", "string", None),
        ("partition", "partition", "int32", None),
    )
    NAME: ClassVar = "LegacyOffsetCommitKey"
    API_KEY: ClassVar = 0
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group: str = ""
    topic: str = ""
    partition: int = 0


class LegacyOffsetCommitValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("offset", "offset", "int64", None),
        ("metadata", "metadata", "string", None),
        ("commitTimestamp", "commit_timestamp", "int64", None),
    )
    NAME: ClassVar = "LegacyOffsetCommitValue"
    API_KEY: ClassVar = 0
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    offset: int = 0
    metadata: str = ""
    commit_timestamp: int = 0


def decode_legacy_offset_commit_key_v0(buf: bytes, pos: int, end: int) -> tuple[LegacyOffsetCommitKey, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("group")
        group = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("topic")
        topic = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        partition, = _read_i(buf, pos)
        pos += 4
        message = LegacyOffsetCommitKey(group, topic, partition)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_legacy_offset_commit_key_v0(out: bytearray, m: LegacyOffsetCommitKey) -> None:
    try:
        text = m.group.encode()
        out += _write_h(len(text))
        out += text
        text = m.topic.encode()
        out += _write_h(len(text))
        out += text
        out += _write_i(m.partition)
    except UNFIT as error:
        raise unfit("LegacyOffsetCommitKey", error) from error

LegacyOffsetCommitKey.DECODERS = {
    0: decode_legacy_offset_commit_key_v0,
}

LegacyOffsetCommitKey.ENCODERS = {
    0: encode_legacy_offset_commit_key_v0,
}



def decode_legacy_offset_commit_value_v0(buf: bytes, pos: int, end: int) -> tuple[LegacyOffsetCommitValue, int]:
    try:
        offset, = _read_q(buf, pos)
        pos += 8
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("metadata")
        metadata = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        commit_timestamp, = _read_q(buf, pos)
        pos += 8
        message = LegacyOffsetCommitValue(offset, metadata, commit_timestamp)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_legacy_offset_commit_value_v0(out: bytearray, m: LegacyOffsetCommitValue) -> None:
    try:
        out += _write_q(m.offset)
        text = m.metadata.encode()
        out += _write_h(len(text))
        out += text
        out += _write_q(m.commit_timestamp)
    except UNFIT as error:
        raise unfit("LegacyOffsetCommitValue", error) from error

LegacyOffsetCommitValue.DECODERS = {
    0: decode_legacy_offset_commit_value_v0,
}

LegacyOffsetCommitValue.ENCODERS = {
    0: encode_legacy_offset_commit_value_v0,
}

__all__ = [
    "LegacyOffsetCommitKey", "LegacyOffsetCommitValue",
]
