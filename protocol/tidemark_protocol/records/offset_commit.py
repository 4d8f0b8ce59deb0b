# Generated from schemas/records/OffsetCommitKey.json and schemas/records/OffsetCommitValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, null, past_end, read_tag_count, read_text_length, read_uvarint,
    skip_tag, too_short, unfit, write_tags, write_text_length,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack
_qi = struct.Struct(">qi")
_read_qi = _qi.unpack_from
_write_qi = _qi.pack
_qq = struct.Struct(">qq")
_read_qq = _qq.unpack_from
_write_qq = _qq.pack


class OffsetCommitKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("group", "group", "string", None),
        ("topic", "topic", "string", None),
        ("partition", "partition", "int32", None),
    )
    NAME: ClassVar = "OffsetCommitKey"
    API_KEY: ClassVar = 1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group: str = ""
    topic: str = ""
    partition: int = 0


class OffsetCommitValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("offset", "offset", "int64", None),
        ("leaderEpoch", "leader_epoch", "int32", None),
        ("metadata", "metadata", "string", None),
        ("commitTimestamp", "commit_timestamp", "int64", None),
        ("expireTimestamp", "expire_timestamp", "int64", None),
        ("topicId", "topic_id", "uuid", None),
    )
    NAME: ClassVar = "OffsetCommitValue"
    API_KEY: ClassVar = 1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 4
    FLEXIBLE_FROM: ClassVar = 4
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    offset: int = 0
    leader_epoch: int = -1
    metadata: str = ""
    commit_timestamp: int = 0
    expire_timestamp: int = -1
    topic_id: bytes = ZERO_UUID


def decode_offset_commit_key_v0(buf: bytes, pos: int, end: int) -> tuple[OffsetCommitKey, int]:
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
        message = OffsetCommitKey(group, topic, partition)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_commit_key_v0(out: bytearray, m: OffsetCommitKey) -> None:
    try:
        text = m.group.encode()
        out += _write_h(len(text))
        out += text
        text = m.topic.encode()
        out += _write_h(len(text))
        out += text
        out += _write_i(m.partition)
    except UNFIT as error:
        raise unfit("OffsetCommitKey", error) from error

OffsetCommitKey.DECODERS = {
    0: decode_offset_commit_key_v0,
}

OffsetCommitKey.ENCODERS = {
    0: encode_offset_commit_key_v0,
}



def decode_offset_commit_value_v0(buf: bytes, pos: int, end: int) -> tuple[OffsetCommitValue, int]:
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
        message = OffsetCommitValue(offset, -1, metadata, commit_timestamp)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_commit_value_v0(out: bytearray, m: OffsetCommitValue) -> None:
    try:
        out += _write_q(m.offset)
        text = m.metadata.encode()
        out += _write_h(len(text))
        out += text
        out += _write_q(m.commit_timestamp)
    except UNFIT as error:
        raise unfit("OffsetCommitValue", error) from error


def decode_offset_commit_value_v1(buf: bytes, pos: int, end: int) -> tuple[OffsetCommitValue, int]:
    try:
        offset, = _read_q(buf, pos)
        pos += 8
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("metadata")
        metadata = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        commit_timestamp, expire_timestamp = _read_qq(buf, pos)
        pos += 16
        message = OffsetCommitValue(offset, -1, metadata, commit_timestamp, expire_timestamp)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_commit_value_v1(out: bytearray, m: OffsetCommitValue) -> None:
    try:
        out += _write_q(m.offset)
        text = m.metadata.encode()
        out += _write_h(len(text))
        out += text
        out += _write_qq(m.commit_timestamp, m.expire_timestamp)
    except UNFIT as error:
        raise unfit("OffsetCommitValue", error) from error


def decode_offset_commit_value_v2(buf: bytes, pos: int, end: int) -> tuple[OffsetCommitValue, int]:
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
        message = OffsetCommitValue(offset, -1, metadata, commit_timestamp)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_commit_value_v2(out: bytearray, m: OffsetCommitValue) -> None:
    try:
        out += _write_q(m.offset)
        text = m.metadata.encode()
        out += _write_h(len(text))
        out += text
        out += _write_q(m.commit_timestamp)
    except UNFIT as error:
        raise unfit("OffsetCommitValue", error) from error


def decode_offset_commit_value_v3(buf: bytes, pos: int, end: int) -> tuple[OffsetCommitValue, int]:
    try:
        offset, leader_epoch = _read_qi(buf, pos)
        pos += 12
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("metadata")
        metadata = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        commit_timestamp, = _read_q(buf, pos)
        pos += 8
        message = OffsetCommitValue(offset, leader_epoch, metadata, commit_timestamp)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_commit_value_v3(out: bytearray, m: OffsetCommitValue) -> None:
    try:
        out += _write_qi(m.offset, m.leader_epoch)
        text = m.metadata.encode()
        out += _write_h(len(text))
        out += text
        out += _write_q(m.commit_timestamp)
    except UNFIT as error:
        raise unfit("OffsetCommitValue", error) from error


def decode_offset_commit_value_v4(buf: bytes, pos: int, end: int) -> tuple[OffsetCommitValue, int]:
    try:
        offset, leader_epoch = _read_qi(buf, pos)
        pos += 12
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "metadata")
        if n < 0:
            raise null("metadata")
        metadata = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        commit_timestamp, = _read_q(buf, pos)
        pos += 8
        topic_id: bytes = ZERO_UUID
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    topic_id, = _read_u(buf, pos)
                    pos += 16
                else:
                    pos = skip_tag(buf, pos, end)
        message = OffsetCommitValue(offset, leader_epoch, metadata, commit_timestamp, -1, topic_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_commit_value_v4(out: bytearray, m: OffsetCommitValue) -> None:
    try:
        out += _write_qi(m.offset, m.leader_epoch)
        text = m.metadata.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "metadata")
        out += text
        out += _write_q(m.commit_timestamp)
        tags: list[tuple[int, bytearray]] = []
        if m.topic_id != ZERO_UUID:
            outer = out
            out = bytearray()
            out += _write_u(m.topic_id)
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("OffsetCommitValue", error) from error

OffsetCommitValue.DECODERS = {
    0: decode_offset_commit_value_v0,
    1: decode_offset_commit_value_v1,
    2: decode_offset_commit_value_v2,
    3: decode_offset_commit_value_v3,
    4: decode_offset_commit_value_v4,
}

OffsetCommitValue.ENCODERS = {
    0: encode_offset_commit_value_v0,
    1: encode_offset_commit_value_v1,
    2: encode_offset_commit_value_v2,
    3: encode_offset_commit_value_v3,
    4: encode_offset_commit_value_v4,
}

__all__ = [
    "OffsetCommitKey", "OffsetCommitValue",
]
