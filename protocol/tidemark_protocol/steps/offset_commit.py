# Generated from schemas/messages/OffsetCommitRequest.json and schemas/messages/OffsetCommitResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    ZERO_UUID,
    check_count,
    check_end,
    null,
    read_uvarint,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
    write_uvarint,
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
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack
_iqi = struct.Struct(">iqi")
_read_iqi = _iqi.unpack_from
_write_iqi = _iqi.pack
_iqq = struct.Struct(">iqq")
_read_iqq = _iqq.unpack_from
_write_iqq = _iqq.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack


def decode_offset_commit_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetCommitRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[OffsetCommitRequestTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[OffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_committed_offset = _read_iq(buf, pos)
                pos += 12
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions.append(OffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, -1, -1, topics_partitions_committed_metadata))
            topics.append(OffsetCommitRequestTopic(topics_name, ZERO_UUID, topics_partitions))
        message = OffsetCommitRequest(group_id, -1, "", None, -1, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_commit_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetCommitRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation_id_or_member_epoch, = _read_i(buf, pos)
        pos += 4
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[OffsetCommitRequestTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[OffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_commit_timestamp = _read_iqq(buf, pos)
                pos += 20
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions.append(OffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, -1, topics_partitions_commit_timestamp, topics_partitions_committed_metadata))
            topics.append(OffsetCommitRequestTopic(topics_name, ZERO_UUID, topics_partitions))
        message = OffsetCommitRequest(group_id, generation_id_or_member_epoch, member_id, None, -1, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_commit_request_v2_v4(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetCommitRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation_id_or_member_epoch, = _read_i(buf, pos)
        pos += 4
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        retention_time_ms, = _read_q(buf, pos)
        pos += 8
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[OffsetCommitRequestTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[OffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_committed_offset = _read_iq(buf, pos)
                pos += 12
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions.append(OffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, -1, -1, topics_partitions_committed_metadata))
            topics.append(OffsetCommitRequestTopic(topics_name, ZERO_UUID, topics_partitions))
        message = OffsetCommitRequest(group_id, generation_id_or_member_epoch, member_id, None, retention_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_commit_request_v5(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetCommitRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation_id_or_member_epoch, = _read_i(buf, pos)
        pos += 4
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[OffsetCommitRequestTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[OffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_committed_offset = _read_iq(buf, pos)
                pos += 12
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions.append(OffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, -1, -1, topics_partitions_committed_metadata))
            topics.append(OffsetCommitRequestTopic(topics_name, ZERO_UUID, topics_partitions))
        message = OffsetCommitRequest(group_id, generation_id_or_member_epoch, member_id, None, -1, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_commit_request_v6(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetCommitRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation_id_or_member_epoch, = _read_i(buf, pos)
        pos += 4
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[OffsetCommitRequestTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[OffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch = _read_iqi(buf, pos)
                pos += 16
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions.append(OffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch, -1, topics_partitions_committed_metadata))
            topics.append(OffsetCommitRequestTopic(topics_name, ZERO_UUID, topics_partitions))
        message = OffsetCommitRequest(group_id, generation_id_or_member_epoch, member_id, None, -1, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_commit_request_v7(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetCommitRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation_id_or_member_epoch, = _read_i(buf, pos)
        pos += 4
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        group_instance_id: str | None = None
        if n >= 0:
            group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[OffsetCommitRequestTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[OffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch = _read_iqi(buf, pos)
                pos += 16
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions.append(OffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch, -1, topics_partitions_committed_metadata))
            topics.append(OffsetCommitRequestTopic(topics_name, ZERO_UUID, topics_partitions))
        message = OffsetCommitRequest(group_id, generation_id_or_member_epoch, member_id, group_instance_id, -1, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_commit_request_v8_v9(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetCommitRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("GroupId", n)
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation_id_or_member_epoch, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("MemberId", n)
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("GroupInstanceId", n)
        group_instance_id: str | None = None
        if n >= 0:
            group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[OffsetCommitRequestTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Name", n)
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[OffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch = _read_iqi(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                    if n > TEXT_MAX:
                        raise too_long("CommittedMetadata", n)
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(OffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch, -1, topics_partitions_committed_metadata))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(OffsetCommitRequestTopic(topics_name, ZERO_UUID, topics_partitions))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = OffsetCommitRequest(group_id, generation_id_or_member_epoch, member_id, group_instance_id, -1, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_commit_request_v10(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetCommitRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("GroupId", n)
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation_id_or_member_epoch, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("MemberId", n)
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("GroupInstanceId", n)
        group_instance_id: str | None = None
        if n >= 0:
            group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[OffsetCommitRequestTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[OffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch = _read_iqi(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                    if n > TEXT_MAX:
                        raise too_long("CommittedMetadata", n)
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(OffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch, -1, topics_partitions_committed_metadata))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(OffsetCommitRequestTopic("", topics_topic_id, topics_partitions))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = OffsetCommitRequest(group_id, generation_id_or_member_epoch, member_id, group_instance_id, -1, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_offset_commit_response_v0_v2(out: bytearray, m: OffsetCommitResponse) -> Generator[int, None, None]:
    try:
        yield 1
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            yield 1
            topics_name = topics_item.name
            text = topics_name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_ih(topics_partitions_item.partition_index, topics_partitions_item.error_code)
    except UNFIT as error:
        raise unfit("OffsetCommitResponse", error) from error


def encode_offset_commit_response_v3_v7(out: bytearray, m: OffsetCommitResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            yield 1
            topics_name = topics_item.name
            text = topics_name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_ih(topics_partitions_item.partition_index, topics_partitions_item.error_code)
    except UNFIT as error:
        raise unfit("OffsetCommitResponse", error) from error


def encode_offset_commit_response_v8_v9(out: bytearray, m: OffsetCommitResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            yield 1
            topics_name = topics_item.name
            text = topics_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Name", n - 1)
                write_uvarint(out, n)
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_ih(topics_partitions_item.partition_index, topics_partitions_item.error_code)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetCommitResponse", error) from error


def encode_offset_commit_response_v10(out: bytearray, m: OffsetCommitResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            yield 1
            out += _write_u(topics_item.topic_id)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_ih(topics_partitions_item.partition_index, topics_partitions_item.error_code)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetCommitResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_offset_commit_request_v0,
    1: decode_offset_commit_request_v1,
    2: decode_offset_commit_request_v2_v4,
    3: decode_offset_commit_request_v2_v4,
    4: decode_offset_commit_request_v2_v4,
    5: decode_offset_commit_request_v5,
    6: decode_offset_commit_request_v6,
    7: decode_offset_commit_request_v7,
    8: decode_offset_commit_request_v8_v9,
    9: decode_offset_commit_request_v8_v9,
    10: decode_offset_commit_request_v10,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_offset_commit_response_v0_v2,
    1: encode_offset_commit_response_v0_v2,
    2: encode_offset_commit_response_v0_v2,
    3: encode_offset_commit_response_v3_v7,
    4: encode_offset_commit_response_v3_v7,
    5: encode_offset_commit_response_v3_v7,
    6: encode_offset_commit_response_v3_v7,
    7: encode_offset_commit_response_v3_v7,
    8: encode_offset_commit_response_v8_v9,
    9: encode_offset_commit_response_v8_v9,
    10: encode_offset_commit_response_v10,
}

__all__ = ["DECODERS", "ENCODERS"]
