# Generated from schemas/records/StreamsGroupCurrentMemberAssignmentKey.json and schemas/records/StreamsGroupCurrentMemberAssignmentValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, check_count, null, past_end, read_length, read_tag_count,
    read_text_length, read_uvarint, skip_tag, skip_tags, too_short, unfit, write_tags, write_text_length,
    write_uvarint, wrong_count,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iib = struct.Struct(">iib")
_read_iib = _iib.unpack_from
_write_iib = _iib.pack


class StreamsGroupCurrentMemberAssignmentKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
    )
    NAME: ClassVar = "StreamsGroupCurrentMemberAssignmentKey"
    API_KEY: ClassVar = 22
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
        ("AssignmentEpochs", "assignment_epochs", "[]int32", None),
    )
    subtopology_id: str = ""
    partitions: list[int] = []
    assignment_epochs: list[int] | None = []


class StreamsGroupCurrentMemberAssignmentValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("MemberEpoch", "member_epoch", "int32", None),
        ("PreviousMemberEpoch", "previous_member_epoch", "int32", None),
        ("State", "state", "int8", None),
        ("ActiveTasks", "active_tasks", "[]struct", TaskIds),
        ("StandbyTasks", "standby_tasks", "[]struct", TaskIds),
        ("WarmupTasks", "warmup_tasks", "[]struct", TaskIds),
        ("ActiveTasksPendingRevocation", "active_tasks_pending_revocation", "[]struct", TaskIds),
        ("StandbyTasksPendingRevocation", "standby_tasks_pending_revocation", "[]struct", TaskIds),
        ("WarmupTasksPendingRevocation", "warmup_tasks_pending_revocation", "[]struct", TaskIds),
    )
    NAME: ClassVar = "StreamsGroupCurrentMemberAssignmentValue"
    API_KEY: ClassVar = 22
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    member_epoch: int = 0
    previous_member_epoch: int = 0
    state: int = 0
    active_tasks: list[TaskIds] = []
    standby_tasks: list[TaskIds] = []
    warmup_tasks: list[TaskIds] = []
    active_tasks_pending_revocation: list[TaskIds] = []
    standby_tasks_pending_revocation: list[TaskIds] = []
    warmup_tasks_pending_revocation: list[TaskIds] = []


def decode_streams_group_current_member_assignment_key_v0(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupCurrentMemberAssignmentKey, int]:
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
        message = StreamsGroupCurrentMemberAssignmentKey(group_id, member_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_current_member_assignment_key_v0(out: bytearray, m: StreamsGroupCurrentMemberAssignmentKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("StreamsGroupCurrentMemberAssignmentKey", error) from error

StreamsGroupCurrentMemberAssignmentKey.DECODERS = {
    0: decode_streams_group_current_member_assignment_key_v0,
}

StreamsGroupCurrentMemberAssignmentKey.ENCODERS = {
    0: encode_streams_group_current_member_assignment_key_v0,
}



def decode_streams_group_current_member_assignment_value_v0(buf: bytes, pos: int, end: int) -> tuple[StreamsGroupCurrentMemberAssignmentValue, int]:
    try:
        member_epoch, previous_member_epoch, state = _read_iib(buf, pos)
        pos += 9
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
            active_tasks_assignment_epochs: list[int] | None = []
            active_tasks_tag_count = buf[pos]
            pos += 1
            if active_tasks_tag_count:
                active_tasks_tag_count, pos = read_tag_count(buf, pos - 1, end)
                for _ in range(active_tasks_tag_count):
                    tag, pos = read_uvarint(buf, pos)
                    if tag == 0:
                        _, pos = read_uvarint(buf, pos)
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        active_tasks_assignment_epochs = None
                        if n >= 0:
                            if n > end - pos:
                                check_count(n, pos, end)
                            active_tasks_assignment_epochs_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                            pos += 4 * n
                            active_tasks_assignment_epochs = active_tasks_assignment_epochs_list
                    else:
                        pos = skip_tag(buf, pos, end)
            active_tasks.append(TaskIds(active_tasks_subtopology_id, active_tasks_partitions, active_tasks_assignment_epochs))
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
            standby_tasks_assignment_epochs: list[int] | None = []
            standby_tasks_tag_count = buf[pos]
            pos += 1
            if standby_tasks_tag_count:
                standby_tasks_tag_count, pos = read_tag_count(buf, pos - 1, end)
                for _ in range(standby_tasks_tag_count):
                    tag, pos = read_uvarint(buf, pos)
                    if tag == 0:
                        _, pos = read_uvarint(buf, pos)
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        standby_tasks_assignment_epochs = None
                        if n >= 0:
                            if n > end - pos:
                                check_count(n, pos, end)
                            standby_tasks_assignment_epochs_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                            pos += 4 * n
                            standby_tasks_assignment_epochs = standby_tasks_assignment_epochs_list
                    else:
                        pos = skip_tag(buf, pos, end)
            standby_tasks.append(TaskIds(standby_tasks_subtopology_id, standby_tasks_partitions, standby_tasks_assignment_epochs))
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
            warmup_tasks_assignment_epochs: list[int] | None = []
            warmup_tasks_tag_count = buf[pos]
            pos += 1
            if warmup_tasks_tag_count:
                warmup_tasks_tag_count, pos = read_tag_count(buf, pos - 1, end)
                for _ in range(warmup_tasks_tag_count):
                    tag, pos = read_uvarint(buf, pos)
                    if tag == 0:
                        _, pos = read_uvarint(buf, pos)
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        warmup_tasks_assignment_epochs = None
                        if n >= 0:
                            if n > end - pos:
                                check_count(n, pos, end)
                            warmup_tasks_assignment_epochs_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                            pos += 4 * n
                            warmup_tasks_assignment_epochs = warmup_tasks_assignment_epochs_list
                    else:
                        pos = skip_tag(buf, pos, end)
            warmup_tasks.append(TaskIds(warmup_tasks_subtopology_id, warmup_tasks_partitions, warmup_tasks_assignment_epochs))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ActiveTasksPendingRevocation", n, pos, end)
        active_tasks_pending_revocation: list[TaskIds] = []
        active_tasks_pending_revocation_count = n
        for _ in range(active_tasks_pending_revocation_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
            if n < 0:
                raise null("SubtopologyId")
            active_tasks_pending_revocation_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            active_tasks_pending_revocation_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            active_tasks_pending_revocation_assignment_epochs: list[int] | None = []
            active_tasks_pending_revocation_tag_count = buf[pos]
            pos += 1
            if active_tasks_pending_revocation_tag_count:
                active_tasks_pending_revocation_tag_count, pos = read_tag_count(buf, pos - 1, end)
                for _ in range(active_tasks_pending_revocation_tag_count):
                    tag, pos = read_uvarint(buf, pos)
                    if tag == 0:
                        _, pos = read_uvarint(buf, pos)
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        active_tasks_pending_revocation_assignment_epochs = None
                        if n >= 0:
                            if n > end - pos:
                                check_count(n, pos, end)
                            active_tasks_pending_revocation_assignment_epochs_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                            pos += 4 * n
                            active_tasks_pending_revocation_assignment_epochs = active_tasks_pending_revocation_assignment_epochs_list
                    else:
                        pos = skip_tag(buf, pos, end)
            active_tasks_pending_revocation.append(TaskIds(active_tasks_pending_revocation_subtopology_id, active_tasks_pending_revocation_partitions, active_tasks_pending_revocation_assignment_epochs))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("StandbyTasksPendingRevocation", n, pos, end)
        standby_tasks_pending_revocation: list[TaskIds] = []
        standby_tasks_pending_revocation_count = n
        for _ in range(standby_tasks_pending_revocation_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
            if n < 0:
                raise null("SubtopologyId")
            standby_tasks_pending_revocation_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            standby_tasks_pending_revocation_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            standby_tasks_pending_revocation_assignment_epochs: list[int] | None = []
            standby_tasks_pending_revocation_tag_count = buf[pos]
            pos += 1
            if standby_tasks_pending_revocation_tag_count:
                standby_tasks_pending_revocation_tag_count, pos = read_tag_count(buf, pos - 1, end)
                for _ in range(standby_tasks_pending_revocation_tag_count):
                    tag, pos = read_uvarint(buf, pos)
                    if tag == 0:
                        _, pos = read_uvarint(buf, pos)
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        standby_tasks_pending_revocation_assignment_epochs = None
                        if n >= 0:
                            if n > end - pos:
                                check_count(n, pos, end)
                            standby_tasks_pending_revocation_assignment_epochs_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                            pos += 4 * n
                            standby_tasks_pending_revocation_assignment_epochs = standby_tasks_pending_revocation_assignment_epochs_list
                    else:
                        pos = skip_tag(buf, pos, end)
            standby_tasks_pending_revocation.append(TaskIds(standby_tasks_pending_revocation_subtopology_id, standby_tasks_pending_revocation_partitions, standby_tasks_pending_revocation_assignment_epochs))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("WarmupTasksPendingRevocation", n, pos, end)
        warmup_tasks_pending_revocation: list[TaskIds] = []
        warmup_tasks_pending_revocation_count = n
        for _ in range(warmup_tasks_pending_revocation_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "SubtopologyId")
            if n < 0:
                raise null("SubtopologyId")
            warmup_tasks_pending_revocation_subtopology_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            warmup_tasks_pending_revocation_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            warmup_tasks_pending_revocation_assignment_epochs: list[int] | None = []
            warmup_tasks_pending_revocation_tag_count = buf[pos]
            pos += 1
            if warmup_tasks_pending_revocation_tag_count:
                warmup_tasks_pending_revocation_tag_count, pos = read_tag_count(buf, pos - 1, end)
                for _ in range(warmup_tasks_pending_revocation_tag_count):
                    tag, pos = read_uvarint(buf, pos)
                    if tag == 0:
                        _, pos = read_uvarint(buf, pos)
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_length(buf, pos - 1)
                        warmup_tasks_pending_revocation_assignment_epochs = None
                        if n >= 0:
                            if n > end - pos:
                                check_count(n, pos, end)
                            warmup_tasks_pending_revocation_assignment_epochs_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                            pos += 4 * n
                            warmup_tasks_pending_revocation_assignment_epochs = warmup_tasks_pending_revocation_assignment_epochs_list
                    else:
                        pos = skip_tag(buf, pos, end)
            warmup_tasks_pending_revocation.append(TaskIds(warmup_tasks_pending_revocation_subtopology_id, warmup_tasks_pending_revocation_partitions, warmup_tasks_pending_revocation_assignment_epochs))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = StreamsGroupCurrentMemberAssignmentValue(member_epoch, previous_member_epoch, state, active_tasks, standby_tasks, warmup_tasks, active_tasks_pending_revocation, standby_tasks_pending_revocation, warmup_tasks_pending_revocation)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_streams_group_current_member_assignment_value_v0(out: bytearray, m: StreamsGroupCurrentMemberAssignmentValue) -> None:
    try:
        out += _write_iib(m.member_epoch, m.previous_member_epoch, m.state)
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
            active_tasks_tags: list[tuple[int, bytearray]] = []
            if active_tasks_item.assignment_epochs is None or active_tasks_item.assignment_epochs:
                active_tasks_outer = out
                out = bytearray()
                active_tasks_assignment_epochs = active_tasks_item.assignment_epochs
                if active_tasks_assignment_epochs is None:
                    out.append(0)
                else:
                    n = len(active_tasks_assignment_epochs) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(active_tasks_assignment_epochs)}i", *active_tasks_assignment_epochs)
                active_tasks_tags.append((0, out))
                out = active_tasks_outer
            write_tags(out, active_tasks_tags)
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
            standby_tasks_tags: list[tuple[int, bytearray]] = []
            if standby_tasks_item.assignment_epochs is None or standby_tasks_item.assignment_epochs:
                standby_tasks_outer = out
                out = bytearray()
                standby_tasks_assignment_epochs = standby_tasks_item.assignment_epochs
                if standby_tasks_assignment_epochs is None:
                    out.append(0)
                else:
                    n = len(standby_tasks_assignment_epochs) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(standby_tasks_assignment_epochs)}i", *standby_tasks_assignment_epochs)
                standby_tasks_tags.append((0, out))
                out = standby_tasks_outer
            write_tags(out, standby_tasks_tags)
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
            warmup_tasks_tags: list[tuple[int, bytearray]] = []
            if warmup_tasks_item.assignment_epochs is None or warmup_tasks_item.assignment_epochs:
                warmup_tasks_outer = out
                out = bytearray()
                warmup_tasks_assignment_epochs = warmup_tasks_item.assignment_epochs
                if warmup_tasks_assignment_epochs is None:
                    out.append(0)
                else:
                    n = len(warmup_tasks_assignment_epochs) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(warmup_tasks_assignment_epochs)}i", *warmup_tasks_assignment_epochs)
                warmup_tasks_tags.append((0, out))
                out = warmup_tasks_outer
            write_tags(out, warmup_tasks_tags)
        active_tasks_pending_revocation = m.active_tasks_pending_revocation
        n = len(active_tasks_pending_revocation) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for active_tasks_pending_revocation_item in active_tasks_pending_revocation:
            text = active_tasks_pending_revocation_item.subtopology_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "SubtopologyId")
            out += text
            active_tasks_pending_revocation_partitions = active_tasks_pending_revocation_item.partitions
            n = len(active_tasks_pending_revocation_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(active_tasks_pending_revocation_partitions)}i", *active_tasks_pending_revocation_partitions)
            active_tasks_pending_revocation_tags: list[tuple[int, bytearray]] = []
            if active_tasks_pending_revocation_item.assignment_epochs is None or active_tasks_pending_revocation_item.assignment_epochs:
                active_tasks_pending_revocation_outer = out
                out = bytearray()
                active_tasks_pending_revocation_assignment_epochs = active_tasks_pending_revocation_item.assignment_epochs
                if active_tasks_pending_revocation_assignment_epochs is None:
                    out.append(0)
                else:
                    n = len(active_tasks_pending_revocation_assignment_epochs) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(active_tasks_pending_revocation_assignment_epochs)}i", *active_tasks_pending_revocation_assignment_epochs)
                active_tasks_pending_revocation_tags.append((0, out))
                out = active_tasks_pending_revocation_outer
            write_tags(out, active_tasks_pending_revocation_tags)
        standby_tasks_pending_revocation = m.standby_tasks_pending_revocation
        n = len(standby_tasks_pending_revocation) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for standby_tasks_pending_revocation_item in standby_tasks_pending_revocation:
            text = standby_tasks_pending_revocation_item.subtopology_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "SubtopologyId")
            out += text
            standby_tasks_pending_revocation_partitions = standby_tasks_pending_revocation_item.partitions
            n = len(standby_tasks_pending_revocation_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(standby_tasks_pending_revocation_partitions)}i", *standby_tasks_pending_revocation_partitions)
            standby_tasks_pending_revocation_tags: list[tuple[int, bytearray]] = []
            if standby_tasks_pending_revocation_item.assignment_epochs is None or standby_tasks_pending_revocation_item.assignment_epochs:
                standby_tasks_pending_revocation_outer = out
                out = bytearray()
                standby_tasks_pending_revocation_assignment_epochs = standby_tasks_pending_revocation_item.assignment_epochs
                if standby_tasks_pending_revocation_assignment_epochs is None:
                    out.append(0)
                else:
                    n = len(standby_tasks_pending_revocation_assignment_epochs) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(standby_tasks_pending_revocation_assignment_epochs)}i", *standby_tasks_pending_revocation_assignment_epochs)
                standby_tasks_pending_revocation_tags.append((0, out))
                out = standby_tasks_pending_revocation_outer
            write_tags(out, standby_tasks_pending_revocation_tags)
        warmup_tasks_pending_revocation = m.warmup_tasks_pending_revocation
        n = len(warmup_tasks_pending_revocation) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for warmup_tasks_pending_revocation_item in warmup_tasks_pending_revocation:
            text = warmup_tasks_pending_revocation_item.subtopology_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "SubtopologyId")
            out += text
            warmup_tasks_pending_revocation_partitions = warmup_tasks_pending_revocation_item.partitions
            n = len(warmup_tasks_pending_revocation_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(warmup_tasks_pending_revocation_partitions)}i", *warmup_tasks_pending_revocation_partitions)
            warmup_tasks_pending_revocation_tags: list[tuple[int, bytearray]] = []
            if warmup_tasks_pending_revocation_item.assignment_epochs is None or warmup_tasks_pending_revocation_item.assignment_epochs:
                warmup_tasks_pending_revocation_outer = out
                out = bytearray()
                warmup_tasks_pending_revocation_assignment_epochs = warmup_tasks_pending_revocation_item.assignment_epochs
                if warmup_tasks_pending_revocation_assignment_epochs is None:
                    out.append(0)
                else:
                    n = len(warmup_tasks_pending_revocation_assignment_epochs) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(warmup_tasks_pending_revocation_assignment_epochs)}i", *warmup_tasks_pending_revocation_assignment_epochs)
                warmup_tasks_pending_revocation_tags.append((0, out))
                out = warmup_tasks_pending_revocation_outer
            write_tags(out, warmup_tasks_pending_revocation_tags)
        out.append(0)
    except UNFIT as error:
        raise unfit("StreamsGroupCurrentMemberAssignmentValue", error) from error

StreamsGroupCurrentMemberAssignmentValue.DECODERS = {
    0: decode_streams_group_current_member_assignment_value_v0,
}

StreamsGroupCurrentMemberAssignmentValue.ENCODERS = {
    0: encode_streams_group_current_member_assignment_value_v0,
}

__all__ = [
    "StreamsGroupCurrentMemberAssignmentKey", "StreamsGroupCurrentMemberAssignmentValue", "TaskIds",
]
