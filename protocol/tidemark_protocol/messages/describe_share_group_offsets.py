# Generated from schemas/messages/DescribeShareGroupOffsetsRequest.json and schemas/messages/DescribeShareGroupOffsetsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, check_count, null, past_end, read_length,
    read_text_length, skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length,
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
_iqih = struct.Struct(">iqih")
_read_iqih = _iqih.unpack_from
_write_iqih = _iqih.pack
_iqiqh = struct.Struct(">iqiqh")
_read_iqiqh = _iqiqh.unpack_from
_write_iqiqh = _iqiqh.pack


class DescribeShareGroupOffsetsRequestTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    topic_name: str = ""
    partitions: list[int] = []


class DescribeShareGroupOffsetsRequestGroup(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("Topics", "topics", "[]struct", DescribeShareGroupOffsetsRequestTopic),
    )
    group_id: str = ""
    topics: list[DescribeShareGroupOffsetsRequestTopic] | None = []


class DescribeShareGroupOffsetsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Groups", "groups", "[]struct", DescribeShareGroupOffsetsRequestGroup),
    )
    NAME: ClassVar = "DescribeShareGroupOffsetsRequest"
    API_KEY: ClassVar = 90
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    groups: list[DescribeShareGroupOffsetsRequestGroup] = []


class DescribeShareGroupOffsetsResponsePartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("StartOffset", "start_offset", "int64", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("Lag", "lag", "int64", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    partition_index: int = 0
    start_offset: int = 0
    leader_epoch: int = 0
    lag: int = -1
    error_code: int = 0
    error_message: str | None = None


class DescribeShareGroupOffsetsResponseTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", DescribeShareGroupOffsetsResponsePartition),
    )
    topic_name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[DescribeShareGroupOffsetsResponsePartition] = []


class DescribeShareGroupOffsetsResponseGroup(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("Topics", "topics", "[]struct", DescribeShareGroupOffsetsResponseTopic),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    group_id: str = ""
    topics: list[DescribeShareGroupOffsetsResponseTopic] = []
    error_code: int = 0
    error_message: str | None = None


class DescribeShareGroupOffsetsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Groups", "groups", "[]struct", DescribeShareGroupOffsetsResponseGroup),
    )
    NAME: ClassVar = "DescribeShareGroupOffsetsResponse"
    API_KEY: ClassVar = 90
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    groups: list[DescribeShareGroupOffsetsResponseGroup] = []


def decode_describe_share_group_offsets_request_v0_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeShareGroupOffsetsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        groups: list[DescribeShareGroupOffsetsRequestGroup] = []
        groups_count = n
        for _ in range(groups_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupId")
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            groups_topics: list[DescribeShareGroupOffsetsRequestTopic] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                groups_topics_list: list[DescribeShareGroupOffsetsRequestTopic] = []
                groups_topics_count = n
                for _ in range(groups_topics_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "TopicName")
                    if n < 0:
                        raise null("TopicName")
                    groups_topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    groups_topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    groups_topics_list.append(DescribeShareGroupOffsetsRequestTopic(groups_topics_topic_name, groups_topics_partitions))
                groups_topics = groups_topics_list
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            groups.append(DescribeShareGroupOffsetsRequestGroup(groups_group_id, groups_topics))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeShareGroupOffsetsRequest(groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_share_group_offsets_request_v0_v1(out: bytearray, m: DescribeShareGroupOffsetsRequest) -> None:
    try:
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            text = groups_item.group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
            groups_topics = groups_item.topics
            if groups_topics is None:
                out.append(0)
            else:
                n = len(groups_topics) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_topics_item in groups_topics:
                    text = groups_topics_item.topic_name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "TopicName")
                    out += text
                    groups_topics_partitions = groups_topics_item.partitions
                    n = len(groups_topics_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_topics_partitions)}i", *groups_topics_partitions)
                    out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeShareGroupOffsetsRequest", error) from error

DescribeShareGroupOffsetsRequest.DECODERS = {
    0: decode_describe_share_group_offsets_request_v0_v1,
    1: decode_describe_share_group_offsets_request_v0_v1,
}

DescribeShareGroupOffsetsRequest.ENCODERS = {
    0: encode_describe_share_group_offsets_request_v0_v1,
    1: encode_describe_share_group_offsets_request_v0_v1,
}



def decode_describe_share_group_offsets_response_v0(buf: bytes, pos: int, end: int) -> tuple[DescribeShareGroupOffsetsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[DescribeShareGroupOffsetsResponseGroup] = []
        groups_count = n
        for _ in range(groups_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupId")
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Topics", n, pos, end)
            groups_topics: list[DescribeShareGroupOffsetsResponseTopic] = []
            groups_topics_count = n
            for _ in range(groups_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "TopicName")
                if n < 0:
                    raise null("TopicName")
                groups_topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                groups_topics_topic_id, = _read_u(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                groups_topics_partitions: list[DescribeShareGroupOffsetsResponsePartition] = []
                groups_topics_partitions_count = n
                for _ in range(groups_topics_partitions_count):
                    groups_topics_partitions_partition_index, groups_topics_partitions_start_offset, groups_topics_partitions_leader_epoch, groups_topics_partitions_error_code = _read_iqih(buf, pos)
                    pos += 18
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
                    groups_topics_partitions_error_message: str | None = None
                    if n >= 0:
                        groups_topics_partitions_error_message = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_topics_partitions.append(DescribeShareGroupOffsetsResponsePartition(groups_topics_partitions_partition_index, groups_topics_partitions_start_offset, groups_topics_partitions_leader_epoch, -1, groups_topics_partitions_error_code, groups_topics_partitions_error_message))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_topics.append(DescribeShareGroupOffsetsResponseTopic(groups_topics_topic_name, groups_topics_topic_id, groups_topics_partitions))
            groups_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            groups_error_message: str | None = None
            if n >= 0:
                groups_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            groups.append(DescribeShareGroupOffsetsResponseGroup(groups_group_id, groups_topics, groups_error_code, groups_error_message))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeShareGroupOffsetsResponse(throttle_time_ms, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_share_group_offsets_response_v0(out: bytearray, m: DescribeShareGroupOffsetsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            text = groups_item.group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
            groups_topics = groups_item.topics
            n = len(groups_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for groups_topics_item in groups_topics:
                text = groups_topics_item.topic_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "TopicName")
                out += text
                out += _write_u(groups_topics_item.topic_id)
                groups_topics_partitions = groups_topics_item.partitions
                n = len(groups_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_topics_partitions_item in groups_topics_partitions:
                    out += _write_iqih(groups_topics_partitions_item.partition_index, groups_topics_partitions_item.start_offset, groups_topics_partitions_item.leader_epoch, groups_topics_partitions_item.error_code)
                    groups_topics_partitions_error_message = groups_topics_partitions_item.error_message
                    if groups_topics_partitions_error_message is None:
                        out.append(0)
                    else:
                        text = groups_topics_partitions_error_message.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "ErrorMessage")
                        out += text
                    out.append(0)
                out.append(0)
            out += _write_h(groups_item.error_code)
            groups_error_message = groups_item.error_message
            if groups_error_message is None:
                out.append(0)
            else:
                text = groups_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ErrorMessage")
                out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeShareGroupOffsetsResponse", error) from error


def decode_describe_share_group_offsets_response_v1(buf: bytes, pos: int, end: int) -> tuple[DescribeShareGroupOffsetsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[DescribeShareGroupOffsetsResponseGroup] = []
        groups_count = n
        for _ in range(groups_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupId")
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Topics", n, pos, end)
            groups_topics: list[DescribeShareGroupOffsetsResponseTopic] = []
            groups_topics_count = n
            for _ in range(groups_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "TopicName")
                if n < 0:
                    raise null("TopicName")
                groups_topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                groups_topics_topic_id, = _read_u(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                groups_topics_partitions: list[DescribeShareGroupOffsetsResponsePartition] = []
                groups_topics_partitions_count = n
                for _ in range(groups_topics_partitions_count):
                    groups_topics_partitions_partition_index, groups_topics_partitions_start_offset, groups_topics_partitions_leader_epoch, groups_topics_partitions_lag, groups_topics_partitions_error_code = _read_iqiqh(buf, pos)
                    pos += 26
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
                    groups_topics_partitions_error_message: str | None = None
                    if n >= 0:
                        groups_topics_partitions_error_message = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_topics_partitions.append(DescribeShareGroupOffsetsResponsePartition(groups_topics_partitions_partition_index, groups_topics_partitions_start_offset, groups_topics_partitions_leader_epoch, groups_topics_partitions_lag, groups_topics_partitions_error_code, groups_topics_partitions_error_message))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_topics.append(DescribeShareGroupOffsetsResponseTopic(groups_topics_topic_name, groups_topics_topic_id, groups_topics_partitions))
            groups_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            groups_error_message: str | None = None
            if n >= 0:
                groups_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            groups.append(DescribeShareGroupOffsetsResponseGroup(groups_group_id, groups_topics, groups_error_code, groups_error_message))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeShareGroupOffsetsResponse(throttle_time_ms, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_share_group_offsets_response_v1(out: bytearray, m: DescribeShareGroupOffsetsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            text = groups_item.group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
            groups_topics = groups_item.topics
            n = len(groups_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for groups_topics_item in groups_topics:
                text = groups_topics_item.topic_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "TopicName")
                out += text
                out += _write_u(groups_topics_item.topic_id)
                groups_topics_partitions = groups_topics_item.partitions
                n = len(groups_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_topics_partitions_item in groups_topics_partitions:
                    out += _write_iqiqh(groups_topics_partitions_item.partition_index, groups_topics_partitions_item.start_offset, groups_topics_partitions_item.leader_epoch, groups_topics_partitions_item.lag, groups_topics_partitions_item.error_code)
                    groups_topics_partitions_error_message = groups_topics_partitions_item.error_message
                    if groups_topics_partitions_error_message is None:
                        out.append(0)
                    else:
                        text = groups_topics_partitions_error_message.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "ErrorMessage")
                        out += text
                    out.append(0)
                out.append(0)
            out += _write_h(groups_item.error_code)
            groups_error_message = groups_item.error_message
            if groups_error_message is None:
                out.append(0)
            else:
                text = groups_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ErrorMessage")
                out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeShareGroupOffsetsResponse", error) from error

DescribeShareGroupOffsetsResponse.DECODERS = {
    0: decode_describe_share_group_offsets_response_v0,
    1: decode_describe_share_group_offsets_response_v1,
}

DescribeShareGroupOffsetsResponse.ENCODERS = {
    0: encode_describe_share_group_offsets_response_v0,
    1: encode_describe_share_group_offsets_response_v1,
}

__all__ = [
    "DescribeShareGroupOffsetsRequest", "DescribeShareGroupOffsetsRequestGroup",
    "DescribeShareGroupOffsetsRequestTopic", "DescribeShareGroupOffsetsResponse",
    "DescribeShareGroupOffsetsResponseGroup", "DescribeShareGroupOffsetsResponsePartition",
    "DescribeShareGroupOffsetsResponseTopic",
]
