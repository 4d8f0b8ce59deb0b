# Generated from schemas/records/ShareGroupTargetAssignmentMemberKey.json and schemas/records/ShareGroupTargetAssignmentMemberValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, null, past_end, read_length, skip_tags, too_short, unfit,
    write_uvarint, wrong_count,
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


class ShareGroupTargetAssignmentMemberKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
    )
    NAME: ClassVar = "ShareGroupTargetAssignmentMemberKey"
    API_KEY: ClassVar = 13
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    member_id: str = ""


class TopicPartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []


class ShareGroupTargetAssignmentMemberValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicPartitions", "topic_partitions", "[]struct", TopicPartition),
    )
    NAME: ClassVar = "ShareGroupTargetAssignmentMemberValue"
    API_KEY: ClassVar = 13
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topic_partitions: list[TopicPartition] = []


def decode_share_group_target_assignment_member_key_v0(buf: bytes, pos: int, end: int) -> tuple[ShareGroupTargetAssignmentMemberKey, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = ShareGroupTargetAssignmentMemberKey(group_id, member_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_group_target_assignment_member_key_v0(out: bytearray, m: ShareGroupTargetAssignmentMemberKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("ShareGroupTargetAssignmentMemberKey", error) from error

ShareGroupTargetAssignmentMemberKey.DECODERS = {
    0: decode_share_group_target_assignment_member_key_v0,
}

ShareGroupTargetAssignmentMemberKey.ENCODERS = {
    0: encode_share_group_target_assignment_member_key_v0,
}



def decode_share_group_target_assignment_member_value_v0(buf: bytes, pos: int, end: int) -> tuple[ShareGroupTargetAssignmentMemberValue, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("TopicPartitions", n, pos, end)
        topic_partitions: list[TopicPartition] = []
        topic_partitions_count = n
        for _ in range(topic_partitions_count):
            topic_partitions_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topic_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topic_partitions.append(TopicPartition(topic_partitions_topic_id, topic_partitions_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ShareGroupTargetAssignmentMemberValue(topic_partitions)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_group_target_assignment_member_value_v0(out: bytearray, m: ShareGroupTargetAssignmentMemberValue) -> None:
    try:
        topic_partitions = m.topic_partitions
        n = len(topic_partitions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topic_partitions_item in topic_partitions:
            out += _write_u(topic_partitions_item.topic_id)
            topic_partitions_partitions = topic_partitions_item.partitions
            n = len(topic_partitions_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(topic_partitions_partitions)}i", *topic_partitions_partitions)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ShareGroupTargetAssignmentMemberValue", error) from error

ShareGroupTargetAssignmentMemberValue.DECODERS = {
    0: decode_share_group_target_assignment_member_value_v0,
}

ShareGroupTargetAssignmentMemberValue.ENCODERS = {
    0: encode_share_group_target_assignment_member_value_v0,
}

__all__ = [
    "ShareGroupTargetAssignmentMemberKey", "ShareGroupTargetAssignmentMemberValue", "TopicPartition",
]
