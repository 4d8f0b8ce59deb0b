# Generated from schemas/records/ShareGroupCurrentMemberAssignmentKey.json and schemas/records/ShareGroupCurrentMemberAssignmentValue.json. Edit that, then run make generate.

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
_iib = struct.Struct(">iib")
_read_iib = _iib.unpack_from
_write_iib = _iib.pack


class ShareGroupCurrentMemberAssignmentKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
    )
    NAME: ClassVar = "ShareGroupCurrentMemberAssignmentKey"
    API_KEY: ClassVar = 14
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    member_id: str = ""


class TopicPartitions(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []


class ShareGroupCurrentMemberAssignmentValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("MemberEpoch", "member_epoch", "int32", None),
        ("PreviousMemberEpoch", "previous_member_epoch", "int32", None),
        ("State", "state", "int8", None),
        ("AssignedPartitions", "assigned_partitions", "[]struct", TopicPartitions),
    )
    NAME: ClassVar = "ShareGroupCurrentMemberAssignmentValue"
    API_KEY: ClassVar = 14
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    member_epoch: int = 0
    previous_member_epoch: int = 0
    state: int = 0
    assigned_partitions: list[TopicPartitions] = []


def decode_share_group_current_member_assignment_key_v0(buf: bytes, pos: int, end: int) -> tuple[ShareGroupCurrentMemberAssignmentKey, int]:
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
        message = ShareGroupCurrentMemberAssignmentKey(group_id, member_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_group_current_member_assignment_key_v0(out: bytearray, m: ShareGroupCurrentMemberAssignmentKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("ShareGroupCurrentMemberAssignmentKey", error) from error

ShareGroupCurrentMemberAssignmentKey.DECODERS = {
    0: decode_share_group_current_member_assignment_key_v0,
}

ShareGroupCurrentMemberAssignmentKey.ENCODERS = {
    0: encode_share_group_current_member_assignment_key_v0,
}



def decode_share_group_current_member_assignment_value_v0(buf: bytes, pos: int, end: int) -> tuple[ShareGroupCurrentMemberAssignmentValue, int]:
    try:
        member_epoch, previous_member_epoch, state = _read_iib(buf, pos)
        pos += 9
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("AssignedPartitions", n, pos, end)
        assigned_partitions: list[TopicPartitions] = []
        assigned_partitions_count = n
        for _ in range(assigned_partitions_count):
            assigned_partitions_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            assigned_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            assigned_partitions.append(TopicPartitions(assigned_partitions_topic_id, assigned_partitions_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ShareGroupCurrentMemberAssignmentValue(member_epoch, previous_member_epoch, state, assigned_partitions)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_group_current_member_assignment_value_v0(out: bytearray, m: ShareGroupCurrentMemberAssignmentValue) -> None:
    try:
        out += _write_iib(m.member_epoch, m.previous_member_epoch, m.state)
        assigned_partitions = m.assigned_partitions
        n = len(assigned_partitions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for assigned_partitions_item in assigned_partitions:
            out += _write_u(assigned_partitions_item.topic_id)
            assigned_partitions_partitions = assigned_partitions_item.partitions
            n = len(assigned_partitions_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(assigned_partitions_partitions)}i", *assigned_partitions_partitions)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ShareGroupCurrentMemberAssignmentValue", error) from error

ShareGroupCurrentMemberAssignmentValue.DECODERS = {
    0: decode_share_group_current_member_assignment_value_v0,
}

ShareGroupCurrentMemberAssignmentValue.ENCODERS = {
    0: encode_share_group_current_member_assignment_value_v0,
}

__all__ = [
    "ShareGroupCurrentMemberAssignmentKey", "ShareGroupCurrentMemberAssignmentValue", "TopicPartitions",
]
