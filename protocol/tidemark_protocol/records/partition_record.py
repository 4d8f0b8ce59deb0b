# Generated from schemas/records/PartitionRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, check_count, past_end, read_length, read_tag_count,
    read_uvarint, skip_tag, too_short, unfit, write_tags, write_uvarint, wrong_count,
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
_iii = struct.Struct(">iii")
_read_iii = _iii.unpack_from
_write_iii = _iii.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack


class PartitionRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionId", "partition_id", "int32", None),
        ("TopicId", "topic_id", "uuid", None),
        ("Replicas", "replicas", "[]int32", None),
        ("Isr", "isr", "[]int32", None),
        ("RemovingReplicas", "removing_replicas", "[]int32", None),
        ("AddingReplicas", "adding_replicas", "[]int32", None),
        ("Leader", "leader", "int32", None),
        ("LeaderRecoveryState", "leader_recovery_state", "int8", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("PartitionEpoch", "partition_epoch", "int32", None),
        ("Directories", "directories", "[]uuid", None),
        ("EligibleLeaderReplicas", "eligible_leader_replicas", "[]int32", None),
        ("LastKnownElr", "last_known_elr", "[]int32", None),
        ("CreationTimeMs", "creation_time_ms", "int64", None),
    )
    NAME: ClassVar = "PartitionRecord"
    API_KEY: ClassVar = 3
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    partition_id: int = -1
    topic_id: bytes = ZERO_UUID
    replicas: list[int] = []
    isr: list[int] = []
    removing_replicas: list[int] = []
    adding_replicas: list[int] = []
    leader: int = -1
    leader_recovery_state: int = 0
    leader_epoch: int = -1
    partition_epoch: int = -1
    directories: list[bytes] = []
    eligible_leader_replicas: list[int] | None = None
    last_known_elr: list[int] | None = None
    creation_time_ms: int = -1


def decode_partition_record_v0(buf: bytes, pos: int, end: int) -> tuple[PartitionRecord, int]:
    try:
        partition_id, topic_id = _read_iu(buf, pos)
        pos += 20
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Replicas", n, pos, end)
        replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
        pos += 4 * n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Isr", n, pos, end)
        isr: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
        pos += 4 * n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("RemovingReplicas", n, pos, end)
        removing_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
        pos += 4 * n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("AddingReplicas", n, pos, end)
        adding_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
        pos += 4 * n
        leader, leader_epoch, partition_epoch = _read_iii(buf, pos)
        pos += 12
        leader_recovery_state: int = 0
        creation_time_ms: int = -1
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    leader_recovery_state, = _read_b(buf, pos)
                    pos += 1
                elif tag == 3:
                    _, pos = read_uvarint(buf, pos)
                    creation_time_ms, = _read_q(buf, pos)
                    pos += 8
                else:
                    pos = skip_tag(buf, pos, end)
        message = PartitionRecord(partition_id, topic_id, replicas, isr, removing_replicas, adding_replicas, leader, leader_recovery_state, leader_epoch, partition_epoch, [], None, None, creation_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_partition_record_v0(out: bytearray, m: PartitionRecord) -> None:
    try:
        out += _write_iu(m.partition_id, m.topic_id)
        replicas = m.replicas
        n = len(replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(replicas)}i", *replicas)
        isr = m.isr
        n = len(isr) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(isr)}i", *isr)
        removing_replicas = m.removing_replicas
        n = len(removing_replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(removing_replicas)}i", *removing_replicas)
        adding_replicas = m.adding_replicas
        n = len(adding_replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(adding_replicas)}i", *adding_replicas)
        out += _write_iii(m.leader, m.leader_epoch, m.partition_epoch)
        tags: list[tuple[int, bytearray]] = []
        if m.leader_recovery_state != 0:
            outer = out
            out = bytearray()
            out += _write_b(m.leader_recovery_state)
            tags.append((0, out))
            out = outer
        if m.creation_time_ms != -1:
            outer = out
            out = bytearray()
            out += _write_q(m.creation_time_ms)
            tags.append((3, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("PartitionRecord", error) from error


def decode_partition_record_v1(buf: bytes, pos: int, end: int) -> tuple[PartitionRecord, int]:
    try:
        partition_id, topic_id = _read_iu(buf, pos)
        pos += 20
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Replicas", n, pos, end)
        replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
        pos += 4 * n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Isr", n, pos, end)
        isr: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
        pos += 4 * n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("RemovingReplicas", n, pos, end)
        removing_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
        pos += 4 * n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("AddingReplicas", n, pos, end)
        adding_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
        pos += 4 * n
        leader, leader_epoch, partition_epoch = _read_iii(buf, pos)
        pos += 12
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Directories", n, pos, end)
        directories: list[bytes] = []
        directories_count = n
        for _ in range(directories_count):
            directories.append(buf[pos : pos + 16])
            pos += 16
        leader_recovery_state: int = 0
        creation_time_ms: int = -1
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    leader_recovery_state, = _read_b(buf, pos)
                    pos += 1
                elif tag == 3:
                    _, pos = read_uvarint(buf, pos)
                    creation_time_ms, = _read_q(buf, pos)
                    pos += 8
                else:
                    pos = skip_tag(buf, pos, end)
        message = PartitionRecord(partition_id, topic_id, replicas, isr, removing_replicas, adding_replicas, leader, leader_recovery_state, leader_epoch, partition_epoch, directories, None, None, creation_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_partition_record_v1(out: bytearray, m: PartitionRecord) -> None:
    try:
        out += _write_iu(m.partition_id, m.topic_id)
        replicas = m.replicas
        n = len(replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(replicas)}i", *replicas)
        isr = m.isr
        n = len(isr) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(isr)}i", *isr)
        removing_replicas = m.removing_replicas
        n = len(removing_replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(removing_replicas)}i", *removing_replicas)
        adding_replicas = m.adding_replicas
        n = len(adding_replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(adding_replicas)}i", *adding_replicas)
        out += _write_iii(m.leader, m.leader_epoch, m.partition_epoch)
        directories = m.directories
        n = len(directories) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for directories_item in directories:
            out += directories_item
        tags: list[tuple[int, bytearray]] = []
        if m.leader_recovery_state != 0:
            outer = out
            out = bytearray()
            out += _write_b(m.leader_recovery_state)
            tags.append((0, out))
            out = outer
        if m.creation_time_ms != -1:
            outer = out
            out = bytearray()
            out += _write_q(m.creation_time_ms)
            tags.append((3, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("PartitionRecord", error) from error


def decode_partition_record_v2(buf: bytes, pos: int, end: int) -> tuple[PartitionRecord, int]:
    try:
        partition_id, topic_id = _read_iu(buf, pos)
        pos += 20
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Replicas", n, pos, end)
        replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
        pos += 4 * n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Isr", n, pos, end)
        isr: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
        pos += 4 * n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("RemovingReplicas", n, pos, end)
        removing_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
        pos += 4 * n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("AddingReplicas", n, pos, end)
        adding_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
        pos += 4 * n
        leader, leader_epoch, partition_epoch = _read_iii(buf, pos)
        pos += 12
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Directories", n, pos, end)
        directories: list[bytes] = []
        directories_count = n
        for _ in range(directories_count):
            directories.append(buf[pos : pos + 16])
            pos += 16
        leader_recovery_state: int = 0
        eligible_leader_replicas: list[int] | None = None
        last_known_elr: list[int] | None = None
        creation_time_ms: int = -1
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    leader_recovery_state, = _read_b(buf, pos)
                    pos += 1
                elif tag == 1:
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
                elif tag == 2:
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
                elif tag == 3:
                    _, pos = read_uvarint(buf, pos)
                    creation_time_ms, = _read_q(buf, pos)
                    pos += 8
                else:
                    pos = skip_tag(buf, pos, end)
        message = PartitionRecord(partition_id, topic_id, replicas, isr, removing_replicas, adding_replicas, leader, leader_recovery_state, leader_epoch, partition_epoch, directories, eligible_leader_replicas, last_known_elr, creation_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_partition_record_v2(out: bytearray, m: PartitionRecord) -> None:
    try:
        out += _write_iu(m.partition_id, m.topic_id)
        replicas = m.replicas
        n = len(replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(replicas)}i", *replicas)
        isr = m.isr
        n = len(isr) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(isr)}i", *isr)
        removing_replicas = m.removing_replicas
        n = len(removing_replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(removing_replicas)}i", *removing_replicas)
        adding_replicas = m.adding_replicas
        n = len(adding_replicas) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(adding_replicas)}i", *adding_replicas)
        out += _write_iii(m.leader, m.leader_epoch, m.partition_epoch)
        directories = m.directories
        n = len(directories) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for directories_item in directories:
            out += directories_item
        tags: list[tuple[int, bytearray]] = []
        if m.leader_recovery_state != 0:
            outer = out
            out = bytearray()
            out += _write_b(m.leader_recovery_state)
            tags.append((0, out))
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
            tags.append((1, out))
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
            tags.append((2, out))
            out = outer
        if m.creation_time_ms != -1:
            outer = out
            out = bytearray()
            out += _write_q(m.creation_time_ms)
            tags.append((3, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("PartitionRecord", error) from error

PartitionRecord.DECODERS = {
    0: decode_partition_record_v0,
    1: decode_partition_record_v1,
    2: decode_partition_record_v2,
}

PartitionRecord.ENCODERS = {
    0: encode_partition_record_v0,
    1: encode_partition_record_v1,
    2: encode_partition_record_v2,
}

__all__ = [
    "PartitionRecord",
]
