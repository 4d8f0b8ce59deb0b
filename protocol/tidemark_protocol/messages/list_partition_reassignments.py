# Generated from schemas/messages/ListPartitionReassignmentsRequest.json and schemas/messages/ListPartitionReassignmentsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, check_count, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class ListPartitionReassignmentsTopics(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("PartitionIndexes", "partition_indexes", "[]int32", None),
    )
    name: str = ""
    partition_indexes: list[int] = []


class ListPartitionReassignmentsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TimeoutMs", "timeout_ms", "int32", None),
        ("Topics", "topics", "[]struct", ListPartitionReassignmentsTopics),
    )
    NAME: ClassVar = "ListPartitionReassignmentsRequest"
    API_KEY: ClassVar = 46
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    timeout_ms: int = 60000
    topics: list[ListPartitionReassignmentsTopics] | None = None


class OngoingPartitionReassignment(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("Replicas", "replicas", "[]int32", None),
        ("AddingReplicas", "adding_replicas", "[]int32", None),
        ("RemovingReplicas", "removing_replicas", "[]int32", None),
    )
    partition_index: int = 0
    replicas: list[int] = []
    adding_replicas: list[int] = []
    removing_replicas: list[int] = []


class OngoingTopicReassignment(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", OngoingPartitionReassignment),
    )
    name: str = ""
    partitions: list[OngoingPartitionReassignment] = []


class ListPartitionReassignmentsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("Topics", "topics", "[]struct", OngoingTopicReassignment),
    )
    NAME: ClassVar = "ListPartitionReassignmentsResponse"
    API_KEY: ClassVar = 46
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    topics: list[OngoingTopicReassignment] = []


def decode_list_partition_reassignments_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListPartitionReassignmentsRequest, int]:
    try:
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        topics: list[ListPartitionReassignmentsTopics] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_list: list[ListPartitionReassignmentsTopics] = []
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
                topics_list.append(ListPartitionReassignmentsTopics(topics_name, topics_partition_indexes))
            topics = topics_list
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ListPartitionReassignmentsRequest(timeout_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_partition_reassignments_request_v0(out: bytearray, m: ListPartitionReassignmentsRequest) -> None:
    try:
        out += _write_i(m.timeout_ms)
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
        raise unfit("ListPartitionReassignmentsRequest", error) from error

ListPartitionReassignmentsRequest.DECODERS = {
    0: decode_list_partition_reassignments_request_v0,
}

ListPartitionReassignmentsRequest.ENCODERS = {
    0: encode_list_partition_reassignments_request_v0,
}



def decode_list_partition_reassignments_response_v0(buf: bytes, pos: int, end: int) -> tuple[ListPartitionReassignmentsResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
        error_message: str | None = None
        if n >= 0:
            error_message = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[OngoingTopicReassignment] = []
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
            topics_partitions: list[OngoingPartitionReassignment] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Replicas", n, pos, end)
                topics_partitions_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("AddingReplicas", n, pos, end)
                topics_partitions_adding_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("RemovingReplicas", n, pos, end)
                topics_partitions_removing_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(OngoingPartitionReassignment(topics_partitions_partition_index, topics_partitions_replicas, topics_partitions_adding_replicas, topics_partitions_removing_replicas))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(OngoingTopicReassignment(topics_name, topics_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ListPartitionReassignmentsResponse(throttle_time_ms, error_code, error_message, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_partition_reassignments_response_v0(out: bytearray, m: ListPartitionReassignmentsResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        error_message = m.error_message
        if error_message is None:
            out.append(0)
        else:
            text = error_message.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ErrorMessage")
            out += text
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
                out += _write_i(topics_partitions_item.partition_index)
                topics_partitions_replicas = topics_partitions_item.replicas
                n = len(topics_partitions_replicas) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_replicas)}i", *topics_partitions_replicas)
                topics_partitions_adding_replicas = topics_partitions_item.adding_replicas
                n = len(topics_partitions_adding_replicas) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_adding_replicas)}i", *topics_partitions_adding_replicas)
                topics_partitions_removing_replicas = topics_partitions_item.removing_replicas
                n = len(topics_partitions_removing_replicas) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_removing_replicas)}i", *topics_partitions_removing_replicas)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListPartitionReassignmentsResponse", error) from error

ListPartitionReassignmentsResponse.DECODERS = {
    0: decode_list_partition_reassignments_response_v0,
}

ListPartitionReassignmentsResponse.ENCODERS = {
    0: encode_list_partition_reassignments_response_v0,
}

__all__ = [
    "ListPartitionReassignmentsRequest", "ListPartitionReassignmentsResponse",
    "ListPartitionReassignmentsTopics", "OngoingPartitionReassignment", "OngoingTopicReassignment",
]
