# Generated from schemas/records/ShareGroupTargetAssignmentMetadataKey.json and schemas/records/ShareGroupTargetAssignmentMetadataValue.json. Edit that, then run make generate.

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


class ShareGroupTargetAssignmentMetadataKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
    )
    NAME: ClassVar = "ShareGroupTargetAssignmentMetadataKey"
    API_KEY: ClassVar = 12
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""


class ShareGroupTargetAssignmentMetadataValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("AssignmentEpoch", "assignment_epoch", "int32", None),
        ("AssignmentTimestamp", "assignment_timestamp", "int64", None),
    )
    NAME: ClassVar = "ShareGroupTargetAssignmentMetadataValue"
    API_KEY: ClassVar = 12
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    assignment_epoch: int = 0
    assignment_timestamp: int = 0


def decode_share_group_target_assignment_metadata_key_v0(buf: bytes, pos: int, end: int) -> tuple[ShareGroupTargetAssignmentMetadataKey, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = ShareGroupTargetAssignmentMetadataKey(group_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_group_target_assignment_metadata_key_v0(out: bytearray, m: ShareGroupTargetAssignmentMetadataKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("ShareGroupTargetAssignmentMetadataKey", error) from error

ShareGroupTargetAssignmentMetadataKey.DECODERS = {
    0: decode_share_group_target_assignment_metadata_key_v0,
}

ShareGroupTargetAssignmentMetadataKey.ENCODERS = {
    0: encode_share_group_target_assignment_metadata_key_v0,
}



def decode_share_group_target_assignment_metadata_value_v0(buf: bytes, pos: int, end: int) -> tuple[ShareGroupTargetAssignmentMetadataValue, int]:
    try:
        assignment_epoch, = _read_i(buf, pos)
        pos += 4
        assignment_timestamp: int = 0
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    assignment_timestamp, = _read_q(buf, pos)
                    pos += 8
                else:
                    pos = skip_tag(buf, pos, end)
        message = ShareGroupTargetAssignmentMetadataValue(assignment_epoch, assignment_timestamp)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_group_target_assignment_metadata_value_v0(out: bytearray, m: ShareGroupTargetAssignmentMetadataValue) -> None:
    try:
        out += _write_i(m.assignment_epoch)
        tags: list[tuple[int, bytearray]] = []
        if m.assignment_timestamp != 0:
            outer = out
            out = bytearray()
            out += _write_q(m.assignment_timestamp)
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("ShareGroupTargetAssignmentMetadataValue", error) from error

ShareGroupTargetAssignmentMetadataValue.DECODERS = {
    0: decode_share_group_target_assignment_metadata_value_v0,
}

ShareGroupTargetAssignmentMetadataValue.ENCODERS = {
    0: encode_share_group_target_assignment_metadata_value_v0,
}

__all__ = [
    "ShareGroupTargetAssignmentMetadataKey", "ShareGroupTargetAssignmentMetadataValue",
]
