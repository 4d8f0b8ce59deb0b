# Generated from schemas/records/ConsumerGroupMetadataKey.json and schemas/records/ConsumerGroupMetadataValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, read_tag_count, read_uvarint, skip_tag, too_short, unfit,
    write_tags,
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


class ConsumerGroupMetadataKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
    )
    NAME: ClassVar = "ConsumerGroupMetadataKey"
    API_KEY: ClassVar = 3
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""


class ConsumerGroupMetadataValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Epoch", "epoch", "int32", None),
        ("MetadataHash", "metadata_hash", "int64", None),
        ("CreationTimeMs", "creation_time_ms", "int64", None),
    )
    NAME: ClassVar = "ConsumerGroupMetadataValue"
    API_KEY: ClassVar = 3
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    epoch: int = 0
    metadata_hash: int = 0
    creation_time_ms: int = -1


def decode_consumer_group_metadata_key_v0(buf: bytes, pos: int, end: int) -> tuple[ConsumerGroupMetadataKey, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = ConsumerGroupMetadataKey(group_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_group_metadata_key_v0(out: bytearray, m: ConsumerGroupMetadataKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("ConsumerGroupMetadataKey", error) from error

ConsumerGroupMetadataKey.DECODERS = {
    0: decode_consumer_group_metadata_key_v0,
}

ConsumerGroupMetadataKey.ENCODERS = {
    0: encode_consumer_group_metadata_key_v0,
}



def decode_consumer_group_metadata_value_v0(buf: bytes, pos: int, end: int) -> tuple[ConsumerGroupMetadataValue, int]:
    try:
        epoch, = _read_i(buf, pos)
        pos += 4
        metadata_hash: int = 0
        creation_time_ms: int = -1
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    metadata_hash, = _read_q(buf, pos)
                    pos += 8
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    creation_time_ms, = _read_q(buf, pos)
                    pos += 8
                else:
                    pos = skip_tag(buf, pos, end)
        message = ConsumerGroupMetadataValue(epoch, metadata_hash, creation_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_group_metadata_value_v0(out: bytearray, m: ConsumerGroupMetadataValue) -> None:
    try:
        out += _write_i(m.epoch)
        tags: list[tuple[int, bytearray]] = []
        if m.metadata_hash != 0:
            outer = out
            out = bytearray()
            out += _write_q(m.metadata_hash)
            tags.append((0, out))
            out = outer
        if m.creation_time_ms != -1:
            outer = out
            out = bytearray()
            out += _write_q(m.creation_time_ms)
            tags.append((1, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("ConsumerGroupMetadataValue", error) from error

ConsumerGroupMetadataValue.DECODERS = {
    0: decode_consumer_group_metadata_value_v0,
}

ConsumerGroupMetadataValue.ENCODERS = {
    0: encode_consumer_group_metadata_value_v0,
}

__all__ = [
    "ConsumerGroupMetadataKey", "ConsumerGroupMetadataValue",
]
