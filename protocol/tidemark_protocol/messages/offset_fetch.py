# Generated from schemas/messages/OffsetFetchRequest.json and schemas/messages/OffsetFetchResponse.json. Edit that, then run make generate.

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
_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack
_iqi = struct.Struct(">iqi")
_read_iqi = _iqi.unpack_from
_write_iqi = _iqi.pack


class OffsetFetchRequestTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("PartitionIndexes", "partition_indexes", "[]int32", None),
    )
    name: str = ""
    partition_indexes: list[int] = []


class OffsetFetchRequestTopics(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("PartitionIndexes", "partition_indexes", "[]int32", None),
    )
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partition_indexes: list[int] = []


class OffsetFetchRequestGroup(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
        ("MemberEpoch", "member_epoch", "int32", None),
        ("Topics", "topics", "[]struct", OffsetFetchRequestTopics),
    )
    group_id: str = ""
    member_id: str | None = None
    member_epoch: int = -1
    topics: list[OffsetFetchRequestTopics] | None = []


class OffsetFetchRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("Topics", "topics", "[]struct", OffsetFetchRequestTopic),
        ("Groups", "groups", "[]struct", OffsetFetchRequestGroup),
        ("RequireStable", "require_stable", "bool", None),
    )
    NAME: ClassVar = "OffsetFetchRequest"
    API_KEY: ClassVar = 9
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 10
    FLEXIBLE_FROM: ClassVar = 6
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    topics: list[OffsetFetchRequestTopic] | None = []
    groups: list[OffsetFetchRequestGroup] = []
    require_stable: bool = False


class OffsetFetchResponsePartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("CommittedOffset", "committed_offset", "int64", None),
        ("CommittedLeaderEpoch", "committed_leader_epoch", "int32", None),
        ("Metadata", "metadata", "string", None),
        ("ErrorCode", "error_code", "int16", None),
    )
    partition_index: int = 0
    committed_offset: int = 0
    committed_leader_epoch: int = -1
    metadata: str | None = ""
    error_code: int = 0


class OffsetFetchResponseTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", OffsetFetchResponsePartition),
    )
    name: str = ""
    partitions: list[OffsetFetchResponsePartition] = []


class OffsetFetchResponsePartitions(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("CommittedOffset", "committed_offset", "int64", None),
        ("CommittedLeaderEpoch", "committed_leader_epoch", "int32", None),
        ("Metadata", "metadata", "string", None),
        ("ErrorCode", "error_code", "int16", None),
    )
    partition_index: int = 0
    committed_offset: int = 0
    committed_leader_epoch: int = -1
    metadata: str | None = ""
    error_code: int = 0


class OffsetFetchResponseTopics(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", OffsetFetchResponsePartitions),
    )
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[OffsetFetchResponsePartitions] = []


class OffsetFetchResponseGroup(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("Topics", "topics", "[]struct", OffsetFetchResponseTopics),
        ("ErrorCode", "error_code", "int16", None),
    )
    group_id: str = ""
    topics: list[OffsetFetchResponseTopics] = []
    error_code: int = 0


class OffsetFetchResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Topics", "topics", "[]struct", OffsetFetchResponseTopic),
        ("ErrorCode", "error_code", "int16", None),
        ("Groups", "groups", "[]struct", OffsetFetchResponseGroup),
    )
    NAME: ClassVar = "OffsetFetchResponse"
    API_KEY: ClassVar = 9
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 10
    FLEXIBLE_FROM: ClassVar = 6
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    topics: list[OffsetFetchResponseTopic] = []
    error_code: int = 0
    groups: list[OffsetFetchResponseGroup] = []


def decode_offset_fetch_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[OffsetFetchRequest, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[OffsetFetchRequestTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("PartitionIndexes", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            topics.append(OffsetFetchRequestTopic(topics_name, topics_partition_indexes))
        message = OffsetFetchRequest(group_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_fetch_request_v1(out: bytearray, m: OffsetFetchRequest) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        topics = m.topics
        if topics is None:
            raise null("Topics")
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partition_indexes = topics_item.partition_indexes
            out += _write_i(len(topics_partition_indexes))
            out += struct.pack(f">{len(topics_partition_indexes)}i", *topics_partition_indexes)
    except UNFIT as error:
        raise unfit("OffsetFetchRequest", error) from error


def decode_offset_fetch_request_v2_v5(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[OffsetFetchRequest, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        topics: list[OffsetFetchRequestTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_list: list[OffsetFetchRequestTopic] = []
            topics_count = n
            for _ in range(topics_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Name")
                topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("PartitionIndexes", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_list.append(OffsetFetchRequestTopic(topics_name, topics_partition_indexes))
            topics = topics_list
        message = OffsetFetchRequest(group_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_fetch_request_v2_v5(out: bytearray, m: OffsetFetchRequest) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        topics = m.topics
        if topics is None:
            out += _write_i(-1)
        else:
            out += _write_i(len(topics))
            for topics_item in topics:
                text = topics_item.name.encode()
                out += _write_h(len(text))
                out += text
                topics_partition_indexes = topics_item.partition_indexes
                out += _write_i(len(topics_partition_indexes))
                out += struct.pack(f">{len(topics_partition_indexes)}i", *topics_partition_indexes)
    except UNFIT as error:
        raise unfit("OffsetFetchRequest", error) from error


def decode_offset_fetch_request_v6(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[OffsetFetchRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupId")
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        topics: list[OffsetFetchRequestTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_list: list[OffsetFetchRequestTopic] = []
            topics_count = n
            for _ in range(topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("PartitionIndexes", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_list.append(OffsetFetchRequestTopic(topics_name, topics_partition_indexes))
            topics = topics_list
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = OffsetFetchRequest(group_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_fetch_request_v6(out: bytearray, m: OffsetFetchRequest) -> None:
    try:
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        topics = m.topics
        if topics is None:
            out.append(0)
        else:
            n = len(topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_item in topics:
                text = topics_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                topics_partition_indexes = topics_item.partition_indexes
                n = len(topics_partition_indexes) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partition_indexes)}i", *topics_partition_indexes)
                out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetFetchRequest", error) from error


def decode_offset_fetch_request_v7(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[OffsetFetchRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupId")
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        topics: list[OffsetFetchRequestTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_list: list[OffsetFetchRequestTopic] = []
            topics_count = n
            for _ in range(topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("PartitionIndexes", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_list.append(OffsetFetchRequestTopic(topics_name, topics_partition_indexes))
            topics = topics_list
        require_stable, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = OffsetFetchRequest(group_id, topics, [], require_stable)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_fetch_request_v7(out: bytearray, m: OffsetFetchRequest) -> None:
    try:
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        topics = m.topics
        if topics is None:
            out.append(0)
        else:
            n = len(topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_item in topics:
                text = topics_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                topics_partition_indexes = topics_item.partition_indexes
                n = len(topics_partition_indexes) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partition_indexes)}i", *topics_partition_indexes)
                out.append(0)
        out += _write_z(m.require_stable)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetFetchRequest", error) from error


def decode_offset_fetch_request_v8(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[OffsetFetchRequest, int]:
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
        groups: list[OffsetFetchRequestGroup] = []
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
            groups_topics: list[OffsetFetchRequestTopics] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                groups_topics_list: list[OffsetFetchRequestTopics] = []
                groups_topics_count = n
                for _ in range(groups_topics_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Name")
                    if n < 0:
                        raise null("Name")
                    groups_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("PartitionIndexes", n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    groups_topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    groups_topics_list.append(OffsetFetchRequestTopics(groups_topics_name, ZERO_UUID, groups_topics_partition_indexes))
                groups_topics = groups_topics_list
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            groups.append(OffsetFetchRequestGroup(groups_group_id, None, -1, groups_topics))
        require_stable, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = OffsetFetchRequest("", [], groups, require_stable)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_fetch_request_v8(out: bytearray, m: OffsetFetchRequest) -> None:
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
                    text = groups_topics_item.name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Name")
                    out += text
                    groups_topics_partition_indexes = groups_topics_item.partition_indexes
                    n = len(groups_topics_partition_indexes) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_topics_partition_indexes)}i", *groups_topics_partition_indexes)
                    out.append(0)
            out.append(0)
        out += _write_z(m.require_stable)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetFetchRequest", error) from error


def decode_offset_fetch_request_v9(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[OffsetFetchRequest, int]:
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
        groups: list[OffsetFetchRequestGroup] = []
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
                n, pos = read_text_length(buf, pos - 1, "MemberId")
            groups_member_id: str | None = None
            if n >= 0:
                groups_member_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            groups_member_epoch, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            groups_topics: list[OffsetFetchRequestTopics] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                groups_topics_list: list[OffsetFetchRequestTopics] = []
                groups_topics_count = n
                for _ in range(groups_topics_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Name")
                    if n < 0:
                        raise null("Name")
                    groups_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("PartitionIndexes", n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    groups_topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    groups_topics_list.append(OffsetFetchRequestTopics(groups_topics_name, ZERO_UUID, groups_topics_partition_indexes))
                groups_topics = groups_topics_list
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            groups.append(OffsetFetchRequestGroup(groups_group_id, groups_member_id, groups_member_epoch, groups_topics))
        require_stable, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = OffsetFetchRequest("", [], groups, require_stable)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_fetch_request_v9(out: bytearray, m: OffsetFetchRequest) -> None:
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
            groups_member_id = groups_item.member_id
            if groups_member_id is None:
                out.append(0)
            else:
                text = groups_member_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "MemberId")
                out += text
            out += _write_i(groups_item.member_epoch)
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
                    text = groups_topics_item.name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Name")
                    out += text
                    groups_topics_partition_indexes = groups_topics_item.partition_indexes
                    n = len(groups_topics_partition_indexes) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_topics_partition_indexes)}i", *groups_topics_partition_indexes)
                    out.append(0)
            out.append(0)
        out += _write_z(m.require_stable)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetFetchRequest", error) from error


def decode_offset_fetch_request_v10(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[OffsetFetchRequest, int]:
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
        groups: list[OffsetFetchRequestGroup] = []
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
                n, pos = read_text_length(buf, pos - 1, "MemberId")
            groups_member_id: str | None = None
            if n >= 0:
                groups_member_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            groups_member_epoch, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            groups_topics: list[OffsetFetchRequestTopics] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                groups_topics_list: list[OffsetFetchRequestTopics] = []
                groups_topics_count = n
                for _ in range(groups_topics_count):
                    groups_topics_topic_id, = _read_u(buf, pos)
                    pos += 16
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("PartitionIndexes", n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    groups_topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    groups_topics_list.append(OffsetFetchRequestTopics("", groups_topics_topic_id, groups_topics_partition_indexes))
                groups_topics = groups_topics_list
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            groups.append(OffsetFetchRequestGroup(groups_group_id, groups_member_id, groups_member_epoch, groups_topics))
        require_stable, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = OffsetFetchRequest("", [], groups, require_stable)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_fetch_request_v10(out: bytearray, m: OffsetFetchRequest) -> None:
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
            groups_member_id = groups_item.member_id
            if groups_member_id is None:
                out.append(0)
            else:
                text = groups_member_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "MemberId")
                out += text
            out += _write_i(groups_item.member_epoch)
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
                    out += _write_u(groups_topics_item.topic_id)
                    groups_topics_partition_indexes = groups_topics_item.partition_indexes
                    n = len(groups_topics_partition_indexes) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_topics_partition_indexes)}i", *groups_topics_partition_indexes)
                    out.append(0)
            out.append(0)
        out += _write_z(m.require_stable)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetFetchRequest", error) from error

OffsetFetchRequest.DECODERS = {
    1: decode_offset_fetch_request_v1,
    2: decode_offset_fetch_request_v2_v5, 3: decode_offset_fetch_request_v2_v5,
    4: decode_offset_fetch_request_v2_v5, 5: decode_offset_fetch_request_v2_v5,
    6: decode_offset_fetch_request_v6,
    7: decode_offset_fetch_request_v7,
    8: decode_offset_fetch_request_v8,
    9: decode_offset_fetch_request_v9,
    10: decode_offset_fetch_request_v10,
}

OffsetFetchRequest.ENCODERS = {
    1: encode_offset_fetch_request_v1,
    2: encode_offset_fetch_request_v2_v5, 3: encode_offset_fetch_request_v2_v5,
    4: encode_offset_fetch_request_v2_v5, 5: encode_offset_fetch_request_v2_v5,
    6: encode_offset_fetch_request_v6,
    7: encode_offset_fetch_request_v7,
    8: encode_offset_fetch_request_v8,
    9: encode_offset_fetch_request_v9,
    10: encode_offset_fetch_request_v10,
}



def decode_offset_fetch_response_v1(buf: bytes, pos: int, end: int) -> tuple[OffsetFetchResponse, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[OffsetFetchResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[OffsetFetchResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_committed_offset = _read_iq(buf, pos)
                pos += 12
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_partitions_metadata: str | None = None
                if n >= 0:
                    topics_partitions_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions_error_code, = _read_h(buf, pos)
                pos += 2
                topics_partitions.append(OffsetFetchResponsePartition(topics_partitions_partition_index, topics_partitions_committed_offset, -1, topics_partitions_metadata, topics_partitions_error_code))
            topics.append(OffsetFetchResponseTopic(topics_name, topics_partitions))
        message = OffsetFetchResponse(0, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_fetch_response_v1(out: bytearray, m: OffsetFetchResponse) -> None:
    try:
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iq(topics_partitions_item.partition_index, topics_partitions_item.committed_offset)
                topics_partitions_metadata = topics_partitions_item.metadata
                if topics_partitions_metadata is None:
                    out += _write_h(-1)
                else:
                    text = topics_partitions_metadata.encode()
                    out += _write_h(len(text))
                    out += text
                out += _write_h(topics_partitions_item.error_code)
    except UNFIT as error:
        raise unfit("OffsetFetchResponse", error) from error


def decode_offset_fetch_response_v2(buf: bytes, pos: int, end: int) -> tuple[OffsetFetchResponse, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[OffsetFetchResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[OffsetFetchResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_committed_offset = _read_iq(buf, pos)
                pos += 12
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_partitions_metadata: str | None = None
                if n >= 0:
                    topics_partitions_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions_error_code, = _read_h(buf, pos)
                pos += 2
                topics_partitions.append(OffsetFetchResponsePartition(topics_partitions_partition_index, topics_partitions_committed_offset, -1, topics_partitions_metadata, topics_partitions_error_code))
            topics.append(OffsetFetchResponseTopic(topics_name, topics_partitions))
        error_code, = _read_h(buf, pos)
        pos += 2
        message = OffsetFetchResponse(0, topics, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_fetch_response_v2(out: bytearray, m: OffsetFetchResponse) -> None:
    try:
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iq(topics_partitions_item.partition_index, topics_partitions_item.committed_offset)
                topics_partitions_metadata = topics_partitions_item.metadata
                if topics_partitions_metadata is None:
                    out += _write_h(-1)
                else:
                    text = topics_partitions_metadata.encode()
                    out += _write_h(len(text))
                    out += text
                out += _write_h(topics_partitions_item.error_code)
        out += _write_h(m.error_code)
    except UNFIT as error:
        raise unfit("OffsetFetchResponse", error) from error


def decode_offset_fetch_response_v3_v4(buf: bytes, pos: int, end: int) -> tuple[OffsetFetchResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[OffsetFetchResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[OffsetFetchResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_committed_offset = _read_iq(buf, pos)
                pos += 12
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_partitions_metadata: str | None = None
                if n >= 0:
                    topics_partitions_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions_error_code, = _read_h(buf, pos)
                pos += 2
                topics_partitions.append(OffsetFetchResponsePartition(topics_partitions_partition_index, topics_partitions_committed_offset, -1, topics_partitions_metadata, topics_partitions_error_code))
            topics.append(OffsetFetchResponseTopic(topics_name, topics_partitions))
        error_code, = _read_h(buf, pos)
        pos += 2
        message = OffsetFetchResponse(throttle_time_ms, topics, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_fetch_response_v3_v4(out: bytearray, m: OffsetFetchResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iq(topics_partitions_item.partition_index, topics_partitions_item.committed_offset)
                topics_partitions_metadata = topics_partitions_item.metadata
                if topics_partitions_metadata is None:
                    out += _write_h(-1)
                else:
                    text = topics_partitions_metadata.encode()
                    out += _write_h(len(text))
                    out += text
                out += _write_h(topics_partitions_item.error_code)
        out += _write_h(m.error_code)
    except UNFIT as error:
        raise unfit("OffsetFetchResponse", error) from error


def decode_offset_fetch_response_v5(buf: bytes, pos: int, end: int) -> tuple[OffsetFetchResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[OffsetFetchResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[OffsetFetchResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch = _read_iqi(buf, pos)
                pos += 16
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_partitions_metadata: str | None = None
                if n >= 0:
                    topics_partitions_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions_error_code, = _read_h(buf, pos)
                pos += 2
                topics_partitions.append(OffsetFetchResponsePartition(topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch, topics_partitions_metadata, topics_partitions_error_code))
            topics.append(OffsetFetchResponseTopic(topics_name, topics_partitions))
        error_code, = _read_h(buf, pos)
        pos += 2
        message = OffsetFetchResponse(throttle_time_ms, topics, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_fetch_response_v5(out: bytearray, m: OffsetFetchResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iqi(topics_partitions_item.partition_index, topics_partitions_item.committed_offset, topics_partitions_item.committed_leader_epoch)
                topics_partitions_metadata = topics_partitions_item.metadata
                if topics_partitions_metadata is None:
                    out += _write_h(-1)
                else:
                    text = topics_partitions_metadata.encode()
                    out += _write_h(len(text))
                    out += text
                out += _write_h(topics_partitions_item.error_code)
        out += _write_h(m.error_code)
    except UNFIT as error:
        raise unfit("OffsetFetchResponse", error) from error


def decode_offset_fetch_response_v6_v7(buf: bytes, pos: int, end: int) -> tuple[OffsetFetchResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[OffsetFetchResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[OffsetFetchResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch = _read_iqi(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Metadata")
                topics_partitions_metadata: str | None = None
                if n >= 0:
                    topics_partitions_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions_error_code, = _read_h(buf, pos)
                pos += 2
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(OffsetFetchResponsePartition(topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch, topics_partitions_metadata, topics_partitions_error_code))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(OffsetFetchResponseTopic(topics_name, topics_partitions))
        error_code, = _read_h(buf, pos)
        pos += 2
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = OffsetFetchResponse(throttle_time_ms, topics, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_fetch_response_v6_v7(out: bytearray, m: OffsetFetchResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            text = topics_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_iqi(topics_partitions_item.partition_index, topics_partitions_item.committed_offset, topics_partitions_item.committed_leader_epoch)
                topics_partitions_metadata = topics_partitions_item.metadata
                if topics_partitions_metadata is None:
                    out.append(0)
                else:
                    text = topics_partitions_metadata.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Metadata")
                    out += text
                out += _write_h(topics_partitions_item.error_code)
                out.append(0)
            out.append(0)
        out += _write_h(m.error_code)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetFetchResponse", error) from error


def decode_offset_fetch_response_v8_v9(buf: bytes, pos: int, end: int) -> tuple[OffsetFetchResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[OffsetFetchResponseGroup] = []
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
            groups_topics: list[OffsetFetchResponseTopics] = []
            groups_topics_count = n
            for _ in range(groups_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                groups_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                groups_topics_partitions: list[OffsetFetchResponsePartitions] = []
                groups_topics_partitions_count = n
                for _ in range(groups_topics_partitions_count):
                    groups_topics_partitions_partition_index, groups_topics_partitions_committed_offset, groups_topics_partitions_committed_leader_epoch = _read_iqi(buf, pos)
                    pos += 16
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Metadata")
                    groups_topics_partitions_metadata: str | None = None
                    if n >= 0:
                        groups_topics_partitions_metadata = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    groups_topics_partitions_error_code, = _read_h(buf, pos)
                    pos += 2
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_topics_partitions.append(OffsetFetchResponsePartitions(groups_topics_partitions_partition_index, groups_topics_partitions_committed_offset, groups_topics_partitions_committed_leader_epoch, groups_topics_partitions_metadata, groups_topics_partitions_error_code))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_topics.append(OffsetFetchResponseTopics(groups_topics_name, ZERO_UUID, groups_topics_partitions))
            groups_error_code, = _read_h(buf, pos)
            pos += 2
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            groups.append(OffsetFetchResponseGroup(groups_group_id, groups_topics, groups_error_code))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = OffsetFetchResponse(throttle_time_ms, [], 0, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_fetch_response_v8_v9(out: bytearray, m: OffsetFetchResponse) -> None:
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
                text = groups_topics_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                groups_topics_partitions = groups_topics_item.partitions
                n = len(groups_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_topics_partitions_item in groups_topics_partitions:
                    out += _write_iqi(groups_topics_partitions_item.partition_index, groups_topics_partitions_item.committed_offset, groups_topics_partitions_item.committed_leader_epoch)
                    groups_topics_partitions_metadata = groups_topics_partitions_item.metadata
                    if groups_topics_partitions_metadata is None:
                        out.append(0)
                    else:
                        text = groups_topics_partitions_metadata.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "Metadata")
                        out += text
                    out += _write_h(groups_topics_partitions_item.error_code)
                    out.append(0)
                out.append(0)
            out += _write_h(groups_item.error_code)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetFetchResponse", error) from error


def decode_offset_fetch_response_v10(buf: bytes, pos: int, end: int) -> tuple[OffsetFetchResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[OffsetFetchResponseGroup] = []
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
            groups_topics: list[OffsetFetchResponseTopics] = []
            groups_topics_count = n
            for _ in range(groups_topics_count):
                groups_topics_topic_id, = _read_u(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                groups_topics_partitions: list[OffsetFetchResponsePartitions] = []
                groups_topics_partitions_count = n
                for _ in range(groups_topics_partitions_count):
                    groups_topics_partitions_partition_index, groups_topics_partitions_committed_offset, groups_topics_partitions_committed_leader_epoch = _read_iqi(buf, pos)
                    pos += 16
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Metadata")
                    groups_topics_partitions_metadata: str | None = None
                    if n >= 0:
                        groups_topics_partitions_metadata = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    groups_topics_partitions_error_code, = _read_h(buf, pos)
                    pos += 2
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_topics_partitions.append(OffsetFetchResponsePartitions(groups_topics_partitions_partition_index, groups_topics_partitions_committed_offset, groups_topics_partitions_committed_leader_epoch, groups_topics_partitions_metadata, groups_topics_partitions_error_code))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_topics.append(OffsetFetchResponseTopics("", groups_topics_topic_id, groups_topics_partitions))
            groups_error_code, = _read_h(buf, pos)
            pos += 2
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            groups.append(OffsetFetchResponseGroup(groups_group_id, groups_topics, groups_error_code))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = OffsetFetchResponse(throttle_time_ms, [], 0, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_fetch_response_v10(out: bytearray, m: OffsetFetchResponse) -> None:
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
                out += _write_u(groups_topics_item.topic_id)
                groups_topics_partitions = groups_topics_item.partitions
                n = len(groups_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_topics_partitions_item in groups_topics_partitions:
                    out += _write_iqi(groups_topics_partitions_item.partition_index, groups_topics_partitions_item.committed_offset, groups_topics_partitions_item.committed_leader_epoch)
                    groups_topics_partitions_metadata = groups_topics_partitions_item.metadata
                    if groups_topics_partitions_metadata is None:
                        out.append(0)
                    else:
                        text = groups_topics_partitions_metadata.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            write_text_length(out, n, "Metadata")
                        out += text
                    out += _write_h(groups_topics_partitions_item.error_code)
                    out.append(0)
                out.append(0)
            out += _write_h(groups_item.error_code)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetFetchResponse", error) from error

OffsetFetchResponse.DECODERS = {
    1: decode_offset_fetch_response_v1,
    2: decode_offset_fetch_response_v2,
    3: decode_offset_fetch_response_v3_v4, 4: decode_offset_fetch_response_v3_v4,
    5: decode_offset_fetch_response_v5,
    6: decode_offset_fetch_response_v6_v7, 7: decode_offset_fetch_response_v6_v7,
    8: decode_offset_fetch_response_v8_v9, 9: decode_offset_fetch_response_v8_v9,
    10: decode_offset_fetch_response_v10,
}

OffsetFetchResponse.ENCODERS = {
    1: encode_offset_fetch_response_v1,
    2: encode_offset_fetch_response_v2,
    3: encode_offset_fetch_response_v3_v4, 4: encode_offset_fetch_response_v3_v4,
    5: encode_offset_fetch_response_v5,
    6: encode_offset_fetch_response_v6_v7, 7: encode_offset_fetch_response_v6_v7,
    8: encode_offset_fetch_response_v8_v9, 9: encode_offset_fetch_response_v8_v9,
    10: encode_offset_fetch_response_v10,
}

__all__ = [
    "OffsetFetchRequest", "OffsetFetchRequestGroup", "OffsetFetchRequestTopic", "OffsetFetchRequestTopics",
    "OffsetFetchResponse", "OffsetFetchResponseGroup", "OffsetFetchResponsePartition",
    "OffsetFetchResponsePartitions", "OffsetFetchResponseTopic", "OffsetFetchResponseTopics",
]
