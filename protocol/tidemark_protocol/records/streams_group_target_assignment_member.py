# Generated from schemas/records/StreamsGroupTargetAssignmentMemberKey.json and schemas/records/StreamsGroupTargetAssignmentMemberValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, read_length, read_text_length, skip_tags, too_short,
    unfit, write_text_length, write_uvarint, wrong_count,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class StreamsGroupTargetAssignmentMemberKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
    )
    NAME: ClassVar = "StreamsGroupTargetAssignmentMemberKey"
    API_KEY: ClassVar = 21
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    member_id: str = ""


class TaskIds(Struct, gc=False):
    FIELDS: ClassVar = (
        ("SubtopologyId", "subtopology_id", "string", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    subtopology_id: str = ""
    partitions: list[int] = []


class StreamsGroupTargetAssignmentMemberValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ActiveTasks", "active_tasks", "[]struct", TaskIds),
        ("StandbyTasks", "standby_tasks", "[]struct", TaskIds),
        ("WarmupTasks", "warmup_tasks", "[]struct", TaskIds),
    )
    NAME: ClassVar = "StreamsGroupTargetAssignmentMemberValue"
    API_KEY: ClassVar = 21
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    active_tasks: list[TaskIds] = []
    standby_tasks: list[TaskIds] = []
    warmup_tasks: list[TaskIds] = []


def decode_streams_group_target_assignment_member_key_v0(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupTargetAssignmentMemberKey, int]:
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
        message = StreamsGroupTargetAssignmentMemberKey(group_id, member_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_target_assignment_member_key_v0(out: bytearray, m: StreamsGroupTargetAssignmentMemberKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("StreamsGroupTargetAssignmentMemberKey", error) from error

StreamsGroupTargetAssignmentMemberKey.DECODERS = {
    0: decode_streams_group_target_assignment_member_key_v0,
}

StreamsGroupTargetAssignmentMemberKey.ENCODERS = {
    0: encode_streams_group_target_assignment_member_key_v0,
}



def decode_streams_group_target_assignment_member_value_v0(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupTargetAssignmentMemberValue, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ActiveTasks", n, pos, end)
        active_tasks: list[TaskIds] = []
        active_tasks_count = n
        for _ in range(active_tasks_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
            if n < 0:
                raise null("SubtopologyId")
            active_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            active_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            active_tasks.append(TaskIds(active_tasks_subtopology_id, active_tasks_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("StandbyTasks", n, pos, end)
        standby_tasks: list[TaskIds] = []
        standby_tasks_count = n
        for _ in range(standby_tasks_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
            if n < 0:
                raise null("SubtopologyId")
            standby_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            standby_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            standby_tasks.append(TaskIds(standby_tasks_subtopology_id, standby_tasks_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("WarmupTasks", n, pos, end)
        warmup_tasks: list[TaskIds] = []
        warmup_tasks_count = n
        for _ in range(warmup_tasks_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
            if n < 0:
                raise null("SubtopologyId")
            warmup_tasks_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            warmup_tasks_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            warmup_tasks.append(TaskIds(warmup_tasks_subtopology_id, warmup_tasks_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = StreamsGroupTargetAssignmentMemberValue(active_tasks, standby_tasks, warmup_tasks)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_target_assignment_member_value_v0(out: bytearray, m: StreamsGroupTargetAssignmentMemberValue) -> None:
    try:
        active_tasks = m.active_tasks
        n = len(active_tasks) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for active_tasks_item in active_tasks:
            text = active_tasks_item.subtopology_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "SubtopologyId")
            out += text
            active_tasks_partitions = active_tasks_item.partitions
            n = len(active_tasks_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(active_tasks_partitions)}i", *active_tasks_partitions)
            out.append(0)
        standby_tasks = m.standby_tasks
        n = len(standby_tasks) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for standby_tasks_item in standby_tasks:
            text = standby_tasks_item.subtopology_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "SubtopologyId")
            out += text
            standby_tasks_partitions = standby_tasks_item.partitions
            n = len(standby_tasks_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(standby_tasks_partitions)}i", *standby_tasks_partitions)
            out.append(0)
        warmup_tasks = m.warmup_tasks
        n = len(warmup_tasks) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for warmup_tasks_item in warmup_tasks:
            text = warmup_tasks_item.subtopology_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "SubtopologyId")
            out += text
            warmup_tasks_partitions = warmup_tasks_item.partitions
            n = len(warmup_tasks_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(warmup_tasks_partitions)}i", *warmup_tasks_partitions)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("StreamsGroupTargetAssignmentMemberValue", error) from error

StreamsGroupTargetAssignmentMemberValue.DECODERS = {
    0: decode_streams_group_target_assignment_member_value_v0,
}

StreamsGroupTargetAssignmentMemberValue.ENCODERS = {
    0: encode_streams_group_target_assignment_member_value_v0,
}

__all__ = [
    "StreamsGroupTargetAssignmentMemberKey", "StreamsGroupTargetAssignmentMemberValue", "TaskIds",
]
