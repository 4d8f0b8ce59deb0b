# Generated from schemas/messages/DescribeTopicPartitionsRequest.json and schemas/messages/DescribeTopicPartitionsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, check_count, null, past_end, read_length,
    read_tag_count, read_text_length, read_uvarint, skip_tag, skip_tags, skip_tags_within, too_many,
    too_short, unfit, write_tags, write_text_length, write_uvarint, wrong_count,
)

_uz = struct.Struct(">16s?")
_read_uz = _uz.unpack_from
_write_uz = _uz.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_hiii = struct.Struct(">hiii")
_read_hiii = _hiii.unpack_from
_write_hiii = _hiii.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack


class TopicRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
    )
    name: str = ""


class DescribeTopicPartitionsRequestCursor(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
        ("PartitionIndex", "partition_index", "int32", None),
    )
    topic_name: str = ""
    partition_index: int = 0


class DescribeTopicPartitionsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topics", "topics", "[]struct", TopicRequest),
        ("ResponsePartitionLimit", "response_partition_limit", "int32", None),
        ("Cursor", "cursor", "struct", DescribeTopicPartitionsRequestCursor),
    )
    NAME: ClassVar = "DescribeTopicPartitionsRequest"
    API_KEY: ClassVar = 75
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topics: list[TopicRequest] = []
    response_partition_limit: int = 2000
    cursor: DescribeTopicPartitionsRequestCursor | None = None


class DescribeTopicPartitionsResponsePartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("PartitionIndex", "partition_index", "int32", None),
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("ReplicaNodes", "replica_nodes", "[]int32", None),
        ("IsrNodes", "isr_nodes", "[]int32", None),
        ("EligibleLeaderReplicas", "eligible_leader_replicas", "[]int32", None),
        ("LastKnownElr", "last_known_elr", "[]int32", None),
        ("OfflineReplicas", "offline_replicas", "[]int32", None),
        ("CreationTimeMs", "creation_time_ms", "int64", None),
    )
    error_code: int = 0
    partition_index: int = 0
    leader_id: int = 0
    leader_epoch: int = -1
    replica_nodes: list[int] = []
    isr_nodes: list[int] = []
    eligible_leader_replicas: list[int] | None = None
    last_known_elr: list[int] | None = None
    offline_replicas: list[int] = []
    creation_time_ms: int = -1


class DescribeTopicPartitionsResponseTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("Name", "name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("IsInternal", "is_internal", "bool", None),
        ("Partitions", "partitions", "[]struct", DescribeTopicPartitionsResponsePartition),
        ("TopicAuthorizedOperations", "topic_authorized_operations", "int32", None),
    )
    error_code: int = 0
    name: str | None = ""
    topic_id: bytes = ZERO_UUID
    is_internal: bool = False
    partitions: list[DescribeTopicPartitionsResponsePartition] = []
    topic_authorized_operations: int = -2147483648


class DescribeTopicPartitionsResponseCursor(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
        ("PartitionIndex", "partition_index", "int32", None),
    )
    topic_name: str = ""
    partition_index: int = 0


class DescribeTopicPartitionsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Topics", "topics", "[]struct", DescribeTopicPartitionsResponseTopic),
        ("NextCursor", "next_cursor", "struct", DescribeTopicPartitionsResponseCursor),
    )
    NAME: ClassVar = "DescribeTopicPartitionsResponse"
    API_KEY: ClassVar = 75
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    topics: list[DescribeTopicPartitionsResponseTopic] = []
    next_cursor: DescribeTopicPartitionsResponseCursor | None = None


def decode_describe_topic_partitions_request_v0_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeTopicPartitionsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[TopicRequest] = []
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
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(TopicRequest(topics_name))
        response_partition_limit, = _read_i(buf, pos)
        pos += 4
        mark = buf[pos]
        pos += 1
        cursor: DescribeTopicPartitionsRequestCursor | None = None
        if mark < 128:
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicName")
            if n < 0:
                raise null("TopicName")
            cursor_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            cursor_partition_index, = _read_i(buf, pos)
            pos += 4
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            cursor = DescribeTopicPartitionsRequestCursor(cursor_topic_name, cursor_partition_index)
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeTopicPartitionsRequest(topics, response_partition_limit, cursor)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_topic_partitions_request_v0_v1(out: bytearray, m: DescribeTopicPartitionsRequest) -> None:
    try:
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
            out.append(0)
        out += _write_i(m.response_partition_limit)
        cursor = m.cursor
        if cursor is None:
            out.append(255)
        else:
            out.append(1)
            text = cursor.topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicName")
            out += text
            out += _write_i(cursor.partition_index)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeTopicPartitionsRequest", error) from error

DescribeTopicPartitionsRequest.DECODERS = {
    0: decode_describe_topic_partitions_request_v0_v1, 1: decode_describe_topic_partitions_request_v0_v1,
}

DescribeTopicPartitionsRequest.ENCODERS = {
    0: encode_describe_topic_partitions_request_v0_v1, 1: encode_describe_topic_partitions_request_v0_v1,
}



def decode_describe_topic_partitions_response_v0(buf: bytes, pos: int, end: int) -> tuple[DescribeTopicPartitionsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[DescribeTopicPartitionsResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            topics_name: str | None = None
            if n >= 0:
                topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            topics_topic_id, topics_is_internal = _read_uz(buf, pos)
            pos += 17
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[DescribeTopicPartitionsResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_hiii(buf, pos)
                pos += 14
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                topics_partitions_eligible_leader_replicas: list[int] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    topics_partitions_eligible_leader_replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    topics_partitions_eligible_leader_replicas = topics_partitions_eligible_leader_replicas_list
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                topics_partitions_last_known_elr: list[int] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    topics_partitions_last_known_elr_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    topics_partitions_last_known_elr = topics_partitions_last_known_elr_list
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("OfflineReplicas", n, pos, end)
                topics_partitions_offline_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(DescribeTopicPartitionsResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_replica_nodes, topics_partitions_isr_nodes, topics_partitions_eligible_leader_replicas, topics_partitions_last_known_elr, topics_partitions_offline_replicas))
            topics_topic_authorized_operations, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(DescribeTopicPartitionsResponseTopic(topics_error_code, topics_name, topics_topic_id, topics_is_internal, topics_partitions, topics_topic_authorized_operations))
        mark = buf[pos]
        pos += 1
        next_cursor: DescribeTopicPartitionsResponseCursor | None = None
        if mark < 128:
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicName")
            if n < 0:
                raise null("TopicName")
            next_cursor_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            next_cursor_partition_index, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            next_cursor = DescribeTopicPartitionsResponseCursor(next_cursor_topic_name, next_cursor_partition_index)
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeTopicPartitionsResponse(throttle_time_ms, topics, next_cursor)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_topic_partitions_response_v0(out: bytearray, m: DescribeTopicPartitionsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_h(topics_item.error_code)
            topics_name = topics_item.name
            if topics_name is None:
                out.append(0)
            else:
                text = topics_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
            out += _write_uz(topics_item.topic_id, topics_item.is_internal)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_hiii(topics_partitions_item.error_code, topics_partitions_item.partition_index, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch)
                topics_partitions_replica_nodes = topics_partitions_item.replica_nodes
                n = len(topics_partitions_replica_nodes) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_replica_nodes)}i", *topics_partitions_replica_nodes)
                topics_partitions_isr_nodes = topics_partitions_item.isr_nodes
                n = len(topics_partitions_isr_nodes) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_isr_nodes)}i", *topics_partitions_isr_nodes)
                topics_partitions_eligible_leader_replicas = topics_partitions_item.eligible_leader_replicas
                if topics_partitions_eligible_leader_replicas is None:
                    out.append(0)
                else:
                    n = len(topics_partitions_eligible_leader_replicas) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topics_partitions_eligible_leader_replicas)}i", *topics_partitions_eligible_leader_replicas)
                topics_partitions_last_known_elr = topics_partitions_item.last_known_elr
                if topics_partitions_last_known_elr is None:
                    out.append(0)
                else:
                    n = len(topics_partitions_last_known_elr) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topics_partitions_last_known_elr)}i", *topics_partitions_last_known_elr)
                topics_partitions_offline_replicas = topics_partitions_item.offline_replicas
                n = len(topics_partitions_offline_replicas) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_offline_replicas)}i", *topics_partitions_offline_replicas)
                out.append(0)
            out += _write_i(topics_item.topic_authorized_operations)
            out.append(0)
        next_cursor = m.next_cursor
        if next_cursor is None:
            out.append(255)
        else:
            out.append(1)
            text = next_cursor.topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicName")
            out += text
            out += _write_i(next_cursor.partition_index)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeTopicPartitionsResponse", error) from error


def decode_describe_topic_partitions_response_v1(buf: bytes, pos: int, end: int) -> tuple[DescribeTopicPartitionsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[DescribeTopicPartitionsResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            topics_name: str | None = None
            if n >= 0:
                topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            topics_topic_id, topics_is_internal = _read_uz(buf, pos)
            pos += 17
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[DescribeTopicPartitionsResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_hiii(buf, pos)
                pos += 14
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                topics_partitions_eligible_leader_replicas: list[int] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    topics_partitions_eligible_leader_replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    topics_partitions_eligible_leader_replicas = topics_partitions_eligible_leader_replicas_list
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                topics_partitions_last_known_elr: list[int] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    topics_partitions_last_known_elr_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    topics_partitions_last_known_elr = topics_partitions_last_known_elr_list
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("OfflineReplicas", n, pos, end)
                topics_partitions_offline_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_partitions_creation_time_ms: int = -1
                topics_partitions_tag_count = buf[pos]
                pos += 1
                if topics_partitions_tag_count:
                    topics_partitions_tag_count, pos = read_tag_count(buf, pos - 1, end)
                    for _ in range(topics_partitions_tag_count):
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            topics_partitions_creation_time_ms, = _read_q(buf, pos)
                            pos += 8
                        else:
                            pos = skip_tag(buf, pos, end)
                topics_partitions.append(DescribeTopicPartitionsResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_replica_nodes, topics_partitions_isr_nodes, topics_partitions_eligible_leader_replicas, topics_partitions_last_known_elr, topics_partitions_offline_replicas, topics_partitions_creation_time_ms))
            topics_topic_authorized_operations, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(DescribeTopicPartitionsResponseTopic(topics_error_code, topics_name, topics_topic_id, topics_is_internal, topics_partitions, topics_topic_authorized_operations))
        mark = buf[pos]
        pos += 1
        next_cursor: DescribeTopicPartitionsResponseCursor | None = None
        if mark < 128:
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicName")
            if n < 0:
                raise null("TopicName")
            next_cursor_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            next_cursor_partition_index, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            next_cursor = DescribeTopicPartitionsResponseCursor(next_cursor_topic_name, next_cursor_partition_index)
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeTopicPartitionsResponse(throttle_time_ms, topics, next_cursor)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_topic_partitions_response_v1(out: bytearray, m: DescribeTopicPartitionsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_h(topics_item.error_code)
            topics_name = topics_item.name
            if topics_name is None:
                out.append(0)
            else:
                text = topics_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
            out += _write_uz(topics_item.topic_id, topics_item.is_internal)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_hiii(topics_partitions_item.error_code, topics_partitions_item.partition_index, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch)
                topics_partitions_replica_nodes = topics_partitions_item.replica_nodes
                n = len(topics_partitions_replica_nodes) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_replica_nodes)}i", *topics_partitions_replica_nodes)
                topics_partitions_isr_nodes = topics_partitions_item.isr_nodes
                n = len(topics_partitions_isr_nodes) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_isr_nodes)}i", *topics_partitions_isr_nodes)
                topics_partitions_eligible_leader_replicas = topics_partitions_item.eligible_leader_replicas
                if topics_partitions_eligible_leader_replicas is None:
                    out.append(0)
                else:
                    n = len(topics_partitions_eligible_leader_replicas) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topics_partitions_eligible_leader_replicas)}i", *topics_partitions_eligible_leader_replicas)
                topics_partitions_last_known_elr = topics_partitions_item.last_known_elr
                if topics_partitions_last_known_elr is None:
                    out.append(0)
                else:
                    n = len(topics_partitions_last_known_elr) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topics_partitions_last_known_elr)}i", *topics_partitions_last_known_elr)
                topics_partitions_offline_replicas = topics_partitions_item.offline_replicas
                n = len(topics_partitions_offline_replicas) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_offline_replicas)}i", *topics_partitions_offline_replicas)
                topics_partitions_tags: list[tuple[int, bytearray]] = []
                if topics_partitions_item.creation_time_ms != -1:
                    topics_partitions_outer = out
                    out = bytearray()
                    out += _write_q(topics_partitions_item.creation_time_ms)
                    topics_partitions_tags.append((0, out))
                    out = topics_partitions_outer
                write_tags(out, topics_partitions_tags)
            out += _write_i(topics_item.topic_authorized_operations)
            out.append(0)
        next_cursor = m.next_cursor
        if next_cursor is None:
            out.append(255)
        else:
            out.append(1)
            text = next_cursor.topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicName")
            out += text
            out += _write_i(next_cursor.partition_index)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeTopicPartitionsResponse", error) from error

DescribeTopicPartitionsResponse.DECODERS = {
    0: decode_describe_topic_partitions_response_v0,
    1: decode_describe_topic_partitions_response_v1,
}

DescribeTopicPartitionsResponse.ENCODERS = {
    0: encode_describe_topic_partitions_response_v0,
    1: encode_describe_topic_partitions_response_v1,
}

__all__ = [
    "DescribeTopicPartitionsRequest", "DescribeTopicPartitionsRequestCursor",
    "DescribeTopicPartitionsResponse", "DescribeTopicPartitionsResponseCursor",
    "DescribeTopicPartitionsResponsePartition", "DescribeTopicPartitionsResponseTopic", "TopicRequest",
]
