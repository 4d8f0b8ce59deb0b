# Generated from schemas/records/ShareGroupMetadataKey.json and schemas/records/ShareGroupMetadataValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, skip_tags, too_short, unfit,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack


class ShareGroupMetadataKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
    )
    NAME: ClassVar = "ShareGroupMetadataKey"
    API_KEY: ClassVar = 11
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""


class ShareGroupMetadataValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Epoch", "epoch", "int32", None),
        ("MetadataHash", "metadata_hash", "int64", None),
    )
    NAME: ClassVar = "ShareGroupMetadataValue"
    API_KEY: ClassVar = 11
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    epoch: int = 0
    metadata_hash: int = 0


def decode_share_group_metadata_key_v0(buf: bytes, pos: int, end: int) -> tuple[ShareGroupMetadataKey, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = ShareGroupMetadataKey(group_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_group_metadata_key_v0(out: bytearray, m: ShareGroupMetadataKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("ShareGroupMetadataKey", error) from error

ShareGroupMetadataKey.DECODERS = {
    0: decode_share_group_metadata_key_v0,
}

ShareGroupMetadataKey.ENCODERS = {
    0: encode_share_group_metadata_key_v0,
}



def decode_share_group_metadata_value_v0(buf: bytes, pos: int, end: int) -> tuple[ShareGroupMetadataValue, int]:
    try:
        epoch, metadata_hash = _read_iq(buf, pos)
        pos += 12
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ShareGroupMetadataValue(epoch, metadata_hash)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_group_metadata_value_v0(out: bytearray, m: ShareGroupMetadataValue) -> None:
    try:
        out += _write_iq(m.epoch, m.metadata_hash)
        out.append(0)
    except UNFIT as error:
        raise unfit("ShareGroupMetadataValue", error) from error

ShareGroupMetadataValue.DECODERS = {
    0: decode_share_group_metadata_value_v0,
}

ShareGroupMetadataValue.ENCODERS = {
    0: encode_share_group_metadata_value_v0,
}

__all__ = [
    "ShareGroupMetadataKey", "ShareGroupMetadataValue",
]
