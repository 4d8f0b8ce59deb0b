# Generated from schemas/records/FeatureLevelRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, read_text_length, skip_tags, too_short, unfit,
    write_text_length,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack


class FeatureLevelRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("FeatureLevel", "feature_level", "int16", None),
    )
    NAME: ClassVar = "FeatureLevelRecord"
    API_KEY: ClassVar = 12
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    name: str = ""
    feature_level: int = 0


def decode_feature_level_record_v0(buf: bytes, pos: int, end: int) -> tuple[FeatureLevelRecord, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Name")
        if n < 0:
            raise null("Name")
        name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        feature_level, = _read_h(buf, pos)
        pos += 2
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = FeatureLevelRecord(name, feature_level)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_feature_level_record_v0(out: bytearray, m: FeatureLevelRecord) -> None:
    try:
        text = m.name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Name")
        out += text
        out += _write_h(m.feature_level)
        out.append(0)
    except UNFIT as error:
        raise unfit("FeatureLevelRecord", error) from error

FeatureLevelRecord.DECODERS = {
    0: decode_feature_level_record_v0,
}

FeatureLevelRecord.ENCODERS = {
    0: encode_feature_level_record_v0,
}

__all__ = [
    "FeatureLevelRecord",
]
