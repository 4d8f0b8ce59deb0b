# Generated from schemas/records/PartitionChangeRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, check_count, past_end, read_length, read_tag_count,
    read_uvarint, skip_tag, too_short, unfit, write_tags, write_uvarint,
)

_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iu = struct.Struct(">i16s")
_read_iu = _iu.unpack_from
_write_iu = _iu.pack


class PartitionChangeRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionId", "partition_id", "int32", None),
        ("TopicId", "topic_id", "uuid", None),
        ("Isr", "isr", "[]int32", None),
        ("Leader", "leader", "int32", None),
        ("Replicas", "replicas", "[]int32", None),
        ("RemovingReplicas", "removing_replicas", "[]int32", None),
        ("AddingReplicas", "adding_replicas", "[]int32", None),
        ("LeaderRecoveryState", "leader_recovery_state", "int8", None),
        ("Directories", "directories", "[]uuid", None),
        ("EligibleLeaderReplicas", "eligible_leader_replicas", "[]int32", None),
        ("LastKnownElr", "last_known_elr", "[]int32", None),
    )
    NAME: ClassVar = "PartitionChangeRecord"
    API_KEY: ClassVar = 5
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    partition_id: int = -1
    topic_id: bytes = ZERO_UUID
    isr: list[int] | None = None
    leader: int = -2
    replicas: list[int] | None = None
    removing_replicas: list[int] | None = None
    adding_replicas: list[int] | None = None
    leader_recovery_state: int = -1
    directories: list[bytes] | None = None
    eligible_leader_replicas: list[int] | None = None
    last_known_elr: list[int] | None = None


def decode_partition_change_record_v0(buf: bytes, pos: int, end: int) -> tuple[PartitionChangeRecord, int]:
    try:
        partition_id, topic_id = _read_iu(buf, pos)
        pos += 20
        isr: list[int] | None = None
        leader: int = -2
        replicas: list[int] | None = None
        removing_replicas: list[int] | None = None
        adding_replicas: list[int] | None = None
        leader_recovery_state: int = -1
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    isr = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        isr_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                        pos += 4 * n
                        isr = isr_list
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    leader, = _read_i(buf, pos)
                    pos += 4
                elif tag == 2:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    replicas = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                        pos += 4 * n
                        replicas = replicas_list
                elif tag == 3:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    removing_replicas = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        removing_replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                        pos += 4 * n
                        removing_replicas = removing_replicas_list
                elif tag == 4:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    adding_replicas = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        adding_replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                        pos += 4 * n
                        adding_replicas = adding_replicas_list
                elif tag == 5:
                    _, pos = read_uvarint(buf, pos)
                    leader_recovery_state, = _read_b(buf, pos)
                    pos += 1
                else:
                    pos = skip_tag(buf, pos, end)
        message = PartitionChangeRecord(partition_id, topic_id, isr, leader, replicas, removing_replicas, adding_replicas, leader_recovery_state)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_partition_change_record_v0(out: bytearray, m: PartitionChangeRecord) -> None:
    try:
        out += _write_iu(m.partition_id, m.topic_id)
        tags: list[tuple[int, bytearray]] = []
        if m.isr is not None:
            outer = out
            out = bytearray()
            isr = m.isr
            n = len(isr) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(isr)}i", *isr)
            tags.append((0, out))
            out = outer
        if m.leader != -2:
            outer = out
            out = bytearray()
            out += _write_i(m.leader)
            tags.append((1, out))
            out = outer
        if m.replicas is not None:
            outer = out
            out = bytearray()
            replicas = m.replicas
            n = len(replicas) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(replicas)}i", *replicas)
            tags.append((2, out))
            out = outer
        if m.removing_replicas is not None:
            outer = out
            out = bytearray()
            removing_replicas = m.removing_replicas
            n = len(removing_replicas) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(removing_replicas)}i", *removing_replicas)
            tags.append((3, out))
            out = outer
        if m.adding_replicas is not None:
            outer = out
            out = bytearray()
            adding_replicas = m.adding_replicas
            n = len(adding_replicas) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(adding_replicas)}i", *adding_replicas)
            tags.append((4, out))
            out = outer
        if m.leader_recovery_state != -1:
            outer = out
            out = bytearray()
            out += _write_b(m.leader_recovery_state)
            tags.append((5, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("PartitionChangeRecord", error) from error


def decode_partition_change_record_v1(buf: bytes, pos: int, end: int) -> tuple[PartitionChangeRecord, int]:
    try:
        partition_id, topic_id = _read_iu(buf, pos)
        pos += 20
        isr: list[int] | None = None
        leader: int = -2
        replicas: list[int] | None = None
        removing_replicas: list[int] | None = None
        adding_replicas: list[int] | None = None
        leader_recovery_state: int = -1
        directories: list[bytes] | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    isr = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        isr_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                        pos += 4 * n
                        isr = isr_list
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    leader, = _read_i(buf, pos)
                    pos += 4
                elif tag == 2:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    replicas = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                        pos += 4 * n
                        replicas = replicas_list
                elif tag == 3:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    removing_replicas = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        removing_replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                        pos += 4 * n
                        removing_replicas = removing_replicas_list
                elif tag == 4:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    adding_replicas = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        adding_replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                        pos += 4 * n
                        adding_replicas = adding_replicas_list
                elif tag == 5:
                    _, pos = read_uvarint(buf, pos)
                    leader_recovery_state, = _read_b(buf, pos)
                    pos += 1
                elif tag == 8:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    directories = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        directories_list: list[bytes] = []
                        directories_count = n
                        for _ in range(directories_count):
                            directories_list.append(buf[pos : pos + 16])
                            pos += 16
                        directories = directories_list
                else:
                    pos = skip_tag(buf, pos, end)
        message = PartitionChangeRecord(partition_id, topic_id, isr, leader, replicas, removing_replicas, adding_replicas, leader_recovery_state, directories)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_partition_change_record_v1(out: bytearray, m: PartitionChangeRecord) -> None:
    try:
        out += _write_iu(m.partition_id, m.topic_id)
        tags: list[tuple[int, bytearray]] = []
        if m.isr is not None:
            outer = out
            out = bytearray()
            isr = m.isr
            n = len(isr) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(isr)}i", *isr)
            tags.append((0, out))
            out = outer
        if m.leader != -2:
            outer = out
            out = bytearray()
            out += _write_i(m.leader)
            tags.append((1, out))
            out = outer
        if m.replicas is not None:
            outer = out
            out = bytearray()
            replicas = m.replicas
            n = len(replicas) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(replicas)}i", *replicas)
            tags.append((2, out))
            out = outer
        if m.removing_replicas is not None:
            outer = out
            out = bytearray()
            removing_replicas = m.removing_replicas
            n = len(removing_replicas) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(removing_replicas)}i", *removing_replicas)
            tags.append((3, out))
            out = outer
        if m.adding_replicas is not None:
            outer = out
            out = bytearray()
            adding_replicas = m.adding_replicas
            n = len(adding_replicas) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(adding_replicas)}i", *adding_replicas)
            tags.append((4, out))
            out = outer
        if m.leader_recovery_state != -1:
            outer = out
            out = bytearray()
            out += _write_b(m.leader_recovery_state)
            tags.append((5, out))
            out = outer
        if m.directories is not None:
            outer = out
            out = bytearray()
            directories = m.directories
            n = len(directories) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for directories_item in directories:
                out += directories_item
            tags.append((8, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("PartitionChangeRecord", error) from error


def decode_partition_change_record_v2(buf: bytes, pos: int, end: int) -> tuple[PartitionChangeRecord, int]:
    try:
        partition_id, topic_id = _read_iu(buf, pos)
        pos += 20
        isr: list[int] | None = None
        leader: int = -2
        replicas: list[int] | None = None
        removing_replicas: list[int] | None = None
        adding_replicas: list[int] | None = None
        leader_recovery_state: int = -1
        eligible_leader_replicas: list[int] | None = None
        last_known_elr: list[int] | None = None
        directories: list[bytes] | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    isr = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        isr_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                        pos += 4 * n
                        isr = isr_list
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    leader, = _read_i(buf, pos)
                    pos += 4
                elif tag == 2:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    replicas = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                        pos += 4 * n
                        replicas = replicas_list
                elif tag == 3:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    removing_replicas = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        removing_replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                        pos += 4 * n
                        removing_replicas = removing_replicas_list
                elif tag == 4:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    adding_replicas = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        adding_replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                        pos += 4 * n
                        adding_replicas = adding_replicas_list
                elif tag == 5:
                    _, pos = read_uvarint(buf, pos)
                    leader_recovery_state, = _read_b(buf, pos)
                    pos += 1
                elif tag == 6:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    eligible_leader_replicas = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        eligible_leader_replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                        pos += 4 * n
                        eligible_leader_replicas = eligible_leader_replicas_list
                elif tag == 7:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    last_known_elr = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        last_known_elr_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                        pos += 4 * n
                        last_known_elr = last_known_elr_list
                elif tag == 8:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    directories = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        directories_list: list[bytes] = []
                        directories_count = n
                        for _ in range(directories_count):
                            directories_list.append(buf[pos : pos + 16])
                            pos += 16
                        directories = directories_list
                else:
                    pos = skip_tag(buf, pos, end)
        message = PartitionChangeRecord(partition_id, topic_id, isr, leader, replicas, removing_replicas, adding_replicas, leader_recovery_state, directories, eligible_leader_replicas, last_known_elr)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_partition_change_record_v2(out: bytearray, m: PartitionChangeRecord) -> None:
    try:
        out += _write_iu(m.partition_id, m.topic_id)
        tags: list[tuple[int, bytearray]] = []
        if m.isr is not None:
            outer = out
            out = bytearray()
            isr = m.isr
            n = len(isr) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(isr)}i", *isr)
            tags.append((0, out))
            out = outer
        if m.leader != -2:
            outer = out
            out = bytearray()
            out += _write_i(m.leader)
            tags.append((1, out))
            out = outer
        if m.replicas is not None:
            outer = out
            out = bytearray()
            replicas = m.replicas
            n = len(replicas) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(replicas)}i", *replicas)
            tags.append((2, out))
            out = outer
        if m.removing_replicas is not None:
            outer = out
            out = bytearray()
            removing_replicas = m.removing_replicas
            n = len(removing_replicas) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(removing_replicas)}i", *removing_replicas)
            tags.append((3, out))
            out = outer
        if m.adding_replicas is not None:
            outer = out
            out = bytearray()
            adding_replicas = m.adding_replicas
            n = len(adding_replicas) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(adding_replicas)}i", *adding_replicas)
            tags.append((4, out))
            out = outer
        if m.leader_recovery_state != -1:
            outer = out
            out = bytearray()
            out += _write_b(m.leader_recovery_state)
            tags.append((5, out))
            out = outer
        if m.eligible_leader_replicas is not None:
            outer = out
            out = bytearray()
            eligible_leader_replicas = m.eligible_leader_replicas
            n = len(eligible_leader_replicas) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(eligible_leader_replicas)}i", *eligible_leader_replicas)
            tags.append((6, out))
            out = outer
        if m.last_known_elr is not None:
            outer = out
            out = bytearray()
            last_known_elr = m.last_known_elr
            n = len(last_known_elr) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(last_known_elr)}i", *last_known_elr)
            tags.append((7, out))
            out = outer
        if m.directories is not None:
            outer = out
            out = bytearray()
            directories = m.directories
            n = len(directories) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for directories_item in directories:
                out += directories_item
            tags.append((8, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("PartitionChangeRecord", error) from error

PartitionChangeRecord.DECODERS = {
    0: decode_partition_change_record_v0,
    1: decode_partition_change_record_v1,
    2: decode_partition_change_record_v2,
}

PartitionChangeRecord.ENCODERS = {
    0: encode_partition_change_record_v0,
    1: encode_partition_change_record_v1,
    2: encode_partition_change_record_v2,
}

__all__ = [
    "PartitionChangeRecord",
]
