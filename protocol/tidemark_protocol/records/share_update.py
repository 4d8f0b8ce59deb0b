# Generated from schemas/records/ShareUpdateKey.json and schemas/records/ShareUpdateValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, null, past_end, read_length, read_tag_count, read_uvarint,
    skip_tag, skip_tags, too_short, unfit, write_tags, write_uvarint, wrong_count,
)

_ui = struct.Struct(">16si")
_read_ui = _ui.unpack_from
_write_ui = _ui.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iiq = struct.Struct(">iiq")
_read_iiq = _iiq.unpack_from
_write_iiq = _iiq.pack
_qqbh = struct.Struct(">qqbh")
_read_qqbh = _qqbh.unpack_from
_write_qqbh = _qqbh.pack


class ShareUpdateKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("Partition", "partition", "int32", None),
    )
    NAME: ClassVar = "ShareUpdateKey"
    API_KEY: ClassVar = 1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    topic_id: bytes = ZERO_UUID
    partition: int = 0


class StateBatch(Struct, gc=False):
    FIELDS: ClassVar = (
        ("FirstOffset", "first_offset", "int64", None),
        ("LastOffset", "last_offset", "int64", None),
        ("DeliveryState", "delivery_state", "int8", None),
        ("DeliveryCount", "delivery_count", "int16", None),
    )
    first_offset: int = 0
    last_offset: int = 0
    delivery_state: int = 0
    delivery_count: int = 0


class ShareUpdateValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("SnapshotEpoch", "snapshot_epoch", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("StartOffset", "start_offset", "int64", None),
        ("DeliveryCompleteCount", "delivery_complete_count", "int32", None),
        ("StateBatches", "state_batches", "[]struct", StateBatch),
    )
    NAME: ClassVar = "ShareUpdateValue"
    API_KEY: ClassVar = 1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    snapshot_epoch: int = 0
    leader_epoch: int = 0
    start_offset: int = 0
    delivery_complete_count: int = -1
    state_batches: list[StateBatch] = []


def decode_share_update_key_v0(buf: bytes, pos: int, end: int) -> tuple[ShareUpdateKey, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        topic_id, partition = _read_ui(buf, pos)
        pos += 20
        message = ShareUpdateKey(group_id, topic_id, partition)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_update_key_v0(out: bytearray, m: ShareUpdateKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        out += _write_ui(m.topic_id, m.partition)
    except UNFIT as error:
        raise unfit("ShareUpdateKey", error) from error

ShareUpdateKey.DECODERS = {
    0: decode_share_update_key_v0,
}

ShareUpdateKey.ENCODERS = {
    0: encode_share_update_key_v0,
}



def decode_share_update_value_v0(buf: bytes, pos: int, end: int) -> tuple[ShareUpdateValue, int]:
    try:
        snapshot_epoch, leader_epoch, start_offset = _read_iiq(buf, pos)
        pos += 16
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("StateBatches", n, pos, end)
        state_batches: list[StateBatch] = []
        state_batches_count = n
        for _ in range(state_batches_count):
            state_batches_first_offset, state_batches_last_offset, state_batches_delivery_state, state_batches_delivery_count = _read_qqbh(buf, pos)
            pos += 19
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            state_batches.append(StateBatch(state_batches_first_offset, state_batches_last_offset, state_batches_delivery_state, state_batches_delivery_count))
        delivery_complete_count: int = -1
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    delivery_complete_count, = _read_i(buf, pos)
                    pos += 4
                else:
                    pos = skip_tag(buf, pos, end)
        message = ShareUpdateValue(snapshot_epoch, leader_epoch, start_offset, delivery_complete_count, state_batches)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_update_value_v0(out: bytearray, m: ShareUpdateValue) -> None:
    try:
        out += _write_iiq(m.snapshot_epoch, m.leader_epoch, m.start_offset)
        state_batches = m.state_batches
        n = len(state_batches) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for state_batches_item in state_batches:
            out += _write_qqbh(state_batches_item.first_offset, state_batches_item.last_offset, state_batches_item.delivery_state, state_batches_item.delivery_count)
            out.append(0)
        tags: list[tuple[int, bytearray]] = []
        if m.delivery_complete_count != -1:
            outer = out
            out = bytearray()
            out += _write_i(m.delivery_complete_count)
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("ShareUpdateValue", error) from error

ShareUpdateValue.DECODERS = {
    0: decode_share_update_value_v0,
}

ShareUpdateValue.ENCODERS = {
    0: encode_share_update_value_v0,
}

__all__ = [
    "ShareUpdateKey", "ShareUpdateValue", "StateBatch",
]
