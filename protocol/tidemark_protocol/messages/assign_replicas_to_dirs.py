# Generated from schemas/messages/AssignReplicasToDirsRequest.json and schemas/messages/AssignReplicasToDirsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder,
    Encoder,
    SHORT,
    UNBOUNDED,
    UNFIT,
    ZERO_UUID,
    check_count,
    null,
    past_end,
    read_uvarint,
    skip_tags,
    skip_tags_within,
    too_many,
    too_short,
    unfit,
    write_uvarint,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack


class AssignReplicasToDirsRequestPartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
    )
    partition_index: int = 0


class AssignReplicasToDirsRequestTopicData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", AssignReplicasToDirsRequestPartitionData),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[AssignReplicasToDirsRequestPartitionData] = []


class AssignReplicasToDirsRequestDirectoryData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Id", "id", "uuid", None),
        ("Topics", "topics", "[]struct", AssignReplicasToDirsRequestTopicData),
    )
    id: bytes = ZERO_UUID
    topics: list[AssignReplicasToDirsRequestTopicData] = []


class AssignReplicasToDirsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("BrokerId", "broker_id", "int32", None),
        ("BrokerEpoch", "broker_epoch", "int64", None),
        ("Directories", "directories", "[]struct", AssignReplicasToDirsRequestDirectoryData),
    )
    NAME: ClassVar = "AssignReplicasToDirsRequest"
    API_KEY: ClassVar = 73
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    broker_id: int = 0
    broker_epoch: int = -1
    directories: list[AssignReplicasToDirsRequestDirectoryData] = []


class AssignReplicasToDirsResponsePartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
    )
    partition_index: int = 0
    error_code: int = 0


class AssignReplicasToDirsResponseTopicData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", AssignReplicasToDirsResponsePartitionData),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[AssignReplicasToDirsResponsePartitionData] = []


class AssignReplicasToDirsResponseDirectoryData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Id", "id", "uuid", None),
        ("Topics", "topics", "[]struct", AssignReplicasToDirsResponseTopicData),
    )
    id: bytes = ZERO_UUID
    topics: list[AssignReplicasToDirsResponseTopicData] = []


class AssignReplicasToDirsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("Directories", "directories", "[]struct", AssignReplicasToDirsResponseDirectoryData),
    )
    NAME: ClassVar = "AssignReplicasToDirsResponse"
    API_KEY: ClassVar = 73
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    directories: list[AssignReplicasToDirsResponseDirectoryData] = []


def decode_assign_replicas_to_dirs_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AssignReplicasToDirsRequest, int]:
    try:
        broker_id, broker_epoch = _read_iq(buf, pos)
        pos += 12
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Directories")
        if n > end - pos:
            check_count(n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        directories: list[AssignReplicasToDirsRequestDirectoryData] = []
        directories_count = n
        for _ in range(directories_count):
            directories_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Topics")
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            directories_topics: list[AssignReplicasToDirsRequestTopicData] = []
            directories_topics_count = n
            for _ in range(directories_topics_count):
                directories_topics_topic_id, = _read_u(buf, pos)
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
                left -= n
                if left < 0:
                    raise too_many()
                directories_topics_partitions: list[AssignReplicasToDirsRequestPartitionData] = []
                directories_topics_partitions_count = n
                for _ in range(directories_topics_partitions_count):
                    directories_topics_partitions_partition_index, = _read_i(buf, pos)
                    pos += 4
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    directories_topics_partitions.append(AssignReplicasToDirsRequestPartitionData(directories_topics_partitions_partition_index))
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                directories_topics.append(AssignReplicasToDirsRequestTopicData(directories_topics_topic_id, directories_topics_partitions))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            directories.append(AssignReplicasToDirsRequestDirectoryData(directories_id, directories_topics))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AssignReplicasToDirsRequest(broker_id, broker_epoch, directories)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_assign_replicas_to_dirs_request_v0(out: bytearray, m: AssignReplicasToDirsRequest) -> None:
    try:
        out += _write_iq(m.broker_id, m.broker_epoch)
        directories = m.directories
        n = len(directories) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for directories_item in directories:
            out += _write_u(directories_item.id)
            directories_topics = directories_item.topics
            n = len(directories_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for directories_topics_item in directories_topics:
                out += _write_u(directories_topics_item.topic_id)
                directories_topics_partitions = directories_topics_item.partitions
                n = len(directories_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for directories_topics_partitions_item in directories_topics_partitions:
                    out += _write_i(directories_topics_partitions_item.partition_index)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AssignReplicasToDirsRequest", error) from error

AssignReplicasToDirsRequest.DECODERS = {
    0: decode_assign_replicas_to_dirs_request_v0,
}

AssignReplicasToDirsRequest.ENCODERS = {
    0: encode_assign_replicas_to_dirs_request_v0,
}



def decode_assign_replicas_to_dirs_response_v0(buf: bytes, pos: int, end: int) -> tuple[AssignReplicasToDirsResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Directories")
        if n > end - pos:
            check_count(n, pos, end)
        directories: list[AssignReplicasToDirsResponseDirectoryData] = []
        directories_count = n
        for _ in range(directories_count):
            directories_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Topics")
            if n > end - pos:
                check_count(n, pos, end)
            directories_topics: list[AssignReplicasToDirsResponseTopicData] = []
            directories_topics_count = n
            for _ in range(directories_topics_count):
                directories_topics_topic_id, = _read_u(buf, pos)
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
                directories_topics_partitions: list[AssignReplicasToDirsResponsePartitionData] = []
                directories_topics_partitions_count = n
                for _ in range(directories_topics_partitions_count):
                    directories_topics_partitions_partition_index, directories_topics_partitions_error_code = _read_ih(buf, pos)
                    pos += 6
                    if buf[pos]:
                        pos = skip_tags(buf, pos, end)
                    else:
                        pos += 1
                    directories_topics_partitions.append(AssignReplicasToDirsResponsePartitionData(directories_topics_partitions_partition_index, directories_topics_partitions_error_code))
                if buf[pos]:
                    pos = skip_tags(buf, pos, end)
                else:
                    pos += 1
                directories_topics.append(AssignReplicasToDirsResponseTopicData(directories_topics_topic_id, directories_topics_partitions))
            if buf[pos]:
                pos = skip_tags(buf, pos, end)
            else:
                pos += 1
            directories.append(AssignReplicasToDirsResponseDirectoryData(directories_id, directories_topics))
        if buf[pos]:
            pos = skip_tags(buf, pos, end)
        else:
            pos += 1
        message = AssignReplicasToDirsResponse(throttle_time_ms, error_code, directories)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_assign_replicas_to_dirs_response_v0(out: bytearray, m: AssignReplicasToDirsResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        directories = m.directories
        n = len(directories) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for directories_item in directories:
            out += _write_u(directories_item.id)
            directories_topics = directories_item.topics
            n = len(directories_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for directories_topics_item in directories_topics:
                out += _write_u(directories_topics_item.topic_id)
                directories_topics_partitions = directories_topics_item.partitions
                n = len(directories_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for directories_topics_partitions_item in directories_topics_partitions:
                    out += _write_ih(directories_topics_partitions_item.partition_index, directories_topics_partitions_item.error_code)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AssignReplicasToDirsResponse", error) from error

AssignReplicasToDirsResponse.DECODERS = {
    0: decode_assign_replicas_to_dirs_response_v0,
}

AssignReplicasToDirsResponse.ENCODERS = {
    0: encode_assign_replicas_to_dirs_response_v0,
}

__all__ = [
    "AssignReplicasToDirsRequest",
    "AssignReplicasToDirsRequestDirectoryData",
    "AssignReplicasToDirsRequestPartitionData",
    "AssignReplicasToDirsRequestTopicData",
    "AssignReplicasToDirsResponse",
    "AssignReplicasToDirsResponseDirectoryData",
    "AssignReplicasToDirsResponsePartitionData",
    "AssignReplicasToDirsResponseTopicData",
]
