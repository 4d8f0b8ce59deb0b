# Generated from schemas/records/ConsumerGroupCurrentMemberAssignmentKey.json and schemas/records/ConsumerGroupCurrentMemberAssignmentValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, check_count, null, past_end, read_length, read_tag_count,
    read_uvarint, skip_tag, skip_tags, too_short, unfit, write_tags, write_uvarint, wrong_count,
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


class ConsumerGroupCurrentMemberAssignmentKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
    )
    NAME: ClassVar = "ConsumerGroupCurrentMemberAssignmentKey"
    API_KEY: ClassVar = 8
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
        ("AssignmentEpochs", "assignment_epochs", "[]int32", None),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []
    assignment_epochs: list[int] | None = []


class ConsumerGroupCurrentMemberAssignmentValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("MemberEpoch", "member_epoch", "int32", None),
        ("PreviousMemberEpoch", "previous_member_epoch", "int32", None),
        ("State", "state", "int8", None),
        ("AssignedPartitions", "assigned_partitions", "[]struct", TopicPartitions),
        ("PartitionsPendingRevocation", "partitions_pending_revocation", "[]struct", TopicPartitions),
    )
    NAME: ClassVar = "ConsumerGroupCurrentMemberAssignmentValue"
    API_KEY: ClassVar = 8
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    member_epoch: int = 0
    previous_member_epoch: int = 0
    state: int = 0
    assigned_partitions: list[TopicPartitions] = []
    partitions_pending_revocation: list[TopicPartitions] = []


def decode_consumer_group_current_member_assignment_key_v0(buf: bytes, pos: int, end: int) -> tuple[ConsumerGroupCurrentMemberAssignmentKey, int]:
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
        message = ConsumerGroupCurrentMemberAssignmentKey(group_id, member_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_group_current_member_assignment_key_v0(out: bytearray, m: ConsumerGroupCurrentMemberAssignmentKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("ConsumerGroupCurrentMemberAssignmentKey", error) from error

ConsumerGroupCurrentMemberAssignmentKey.DECODERS = {
    0: decode_consumer_group_current_member_assignment_key_v0,
}

ConsumerGroupCurrentMemberAssignmentKey.ENCODERS = {
    0: encode_consumer_group_current_member_assignment_key_v0,
}



def decode_consumer_group_current_member_assignment_value_v0(buf: bytes, pos: int, end: int) -> tuple[ConsumerGroupCurrentMemberAssignmentValue, int]:
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
            assigned_partitions_assignment_epochs: list[int] | None = []
            assigned_partitions_tag_count = buf[pos]
            pos += 1
            if assigned_partitions_tag_count:
                assigned_partitions_tag_count, pos = read_tag_count(buf, pos - 1, end)
                for _ in range(assigned_partitions_tag_count):
                    tag, pos = read_uvarint(buf, pos)
                    if tag == 0:
                        _, pos = read_uvarint(buf, pos)
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        assigned_partitions_assignment_epochs = None
                        if n >= 0:
                            if n > end - pos:
                                check_count(n, pos, end)
                            assigned_partitions_assignment_epochs_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                            pos += 4 * n
                            assigned_partitions_assignment_epochs = assigned_partitions_assignment_epochs_list
                    else:
                        pos = skip_tag(buf, pos, end)
            assigned_partitions.append(TopicPartitions(assigned_partitions_topic_id, assigned_partitions_partitions, assigned_partitions_assignment_epochs))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("PartitionsPendingRevocation", n, pos, end)
        partitions_pending_revocation: list[TopicPartitions] = []
        partitions_pending_revocation_count = n
        for _ in range(partitions_pending_revocation_count):
            partitions_pending_revocation_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            partitions_pending_revocation_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            partitions_pending_revocation_assignment_epochs: list[int] | None = []
            partitions_pending_revocation_tag_count = buf[pos]
            pos += 1
            if partitions_pending_revocation_tag_count:
                partitions_pending_revocation_tag_count, pos = read_tag_count(buf, pos - 1, end)
                for _ in range(partitions_pending_revocation_tag_count):
                    tag, pos = read_uvarint(buf, pos)
                    if tag == 0:
                        _, pos = read_uvarint(buf, pos)
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        partitions_pending_revocation_assignment_epochs = None
                        if n >= 0:
                            if n > end - pos:
                                check_count(n, pos, end)
                            partitions_pending_revocation_assignment_epochs_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                            pos += 4 * n
                            partitions_pending_revocation_assignment_epochs = partitions_pending_revocation_assignment_epochs_list
                    else:
                        pos = skip_tag(buf, pos, end)
            partitions_pending_revocation.append(TopicPartitions(partitions_pending_revocation_topic_id, partitions_pending_revocation_partitions, partitions_pending_revocation_assignment_epochs))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ConsumerGroupCurrentMemberAssignmentValue(member_epoch, previous_member_epoch, state, assigned_partitions, partitions_pending_revocation)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_group_current_member_assignment_value_v0(out: bytearray, m: ConsumerGroupCurrentMemberAssignmentValue) -> None:
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
            assigned_partitions_tags: list[tuple[int, bytearray]] = []
            if assigned_partitions_item.assignment_epochs is None or assigned_partitions_item.assignment_epochs:
                assigned_partitions_outer = out
                out = bytearray()
                assigned_partitions_assignment_epochs = assigned_partitions_item.assignment_epochs
                if assigned_partitions_assignment_epochs is None:
                    out.append(0)
                else:
                    n = len(assigned_partitions_assignment_epochs) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(assigned_partitions_assignment_epochs)}i", *assigned_partitions_assignment_epochs)
                assigned_partitions_tags.append((0, out))
                out = assigned_partitions_outer
            write_tags(out, assigned_partitions_tags)
        partitions_pending_revocation = m.partitions_pending_revocation
        n = len(partitions_pending_revocation) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for partitions_pending_revocation_item in partitions_pending_revocation:
            out += _write_u(partitions_pending_revocation_item.topic_id)
            partitions_pending_revocation_partitions = partitions_pending_revocation_item.partitions
            n = len(partitions_pending_revocation_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(partitions_pending_revocation_partitions)}i", *partitions_pending_revocation_partitions)
            partitions_pending_revocation_tags: list[tuple[int, bytearray]] = []
            if partitions_pending_revocation_item.assignment_epochs is None or partitions_pending_revocation_item.assignment_epochs:
                partitions_pending_revocation_outer = out
                out = bytearray()
                partitions_pending_revocation_assignment_epochs = partitions_pending_revocation_item.assignment_epochs
                if partitions_pending_revocation_assignment_epochs is None:
                    out.append(0)
                else:
                    n = len(partitions_pending_revocation_assignment_epochs) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(partitions_pending_revocation_assignment_epochs)}i", *partitions_pending_revocation_assignment_epochs)
                partitions_pending_revocation_tags.append((0, out))
                out = partitions_pending_revocation_outer
            write_tags(out, partitions_pending_revocation_tags)
        out.append(0)
    except UNFIT as error:
        raise unfit("ConsumerGroupCurrentMemberAssignmentValue", error) from error

ConsumerGroupCurrentMemberAssignmentValue.DECODERS = {
    0: decode_consumer_group_current_member_assignment_value_v0,
}

ConsumerGroupCurrentMemberAssignmentValue.ENCODERS = {
    0: encode_consumer_group_current_member_assignment_value_v0,
}

__all__ = [
    "ConsumerGroupCurrentMemberAssignmentKey", "ConsumerGroupCurrentMemberAssignmentValue", "TopicPartitions",
]
