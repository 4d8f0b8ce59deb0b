# Generated from schemas/messages/OffsetDeleteRequest.json and schemas/messages/OffsetDeleteResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, too_many, too_short, unfit, wrong_count,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_hi = struct.Struct(">hi")
_read_hi = _hi.unpack_from
_write_hi = _hi.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class OffsetDeleteRequestPartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
    )
    partition_index: int = 0


class OffsetDeleteRequestTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", OffsetDeleteRequestPartition),
    )
    name: str = ""
    partitions: list[OffsetDeleteRequestPartition] = []


class OffsetDeleteRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("Topics", "topics", "[]struct", OffsetDeleteRequestTopic),
    )
    NAME: ClassVar = "OffsetDeleteRequest"
    API_KEY: ClassVar = 47
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    topics: list[OffsetDeleteRequestTopic] = []


class OffsetDeleteResponsePartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
    )
    partition_index: int = 0
    error_code: int = 0


class OffsetDeleteResponseTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", OffsetDeleteResponsePartition),
    )
    name: str = ""
    partitions: list[OffsetDeleteResponsePartition] = []


class OffsetDeleteResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Topics", "topics", "[]struct", OffsetDeleteResponseTopic),
    )
    NAME: ClassVar = "OffsetDeleteResponse"
    API_KEY: ClassVar = 47
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    error_code: int = 0
    throttle_time_ms: int = 0
    topics: list[OffsetDeleteResponseTopic] = []


def decode_offset_delete_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[OffsetDeleteRequest, int]:
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
        topics: list[OffsetDeleteRequestTopic] = []
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
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[OffsetDeleteRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, = _read_i(buf, pos)
                pos += 4
                topics_partitions.append(OffsetDeleteRequestPartition(topics_partitions_partition_index))
            topics.append(OffsetDeleteRequestTopic(topics_name, topics_partitions))
        message = OffsetDeleteRequest(group_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_delete_request_v0(out: bytearray, m: OffsetDeleteRequest) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_i(topics_partitions_item.partition_index)
    except UNFIT as error:
        raise unfit("OffsetDeleteRequest", error) from error

OffsetDeleteRequest.DECODERS = {
    0: decode_offset_delete_request_v0,
}

OffsetDeleteRequest.ENCODERS = {
    0: encode_offset_delete_request_v0,
}



def decode_offset_delete_response_v0(buf: bytes, pos: int, end: int) -> tuple[OffsetDeleteResponse, int]:
    try:
        error_code, throttle_time_ms = _read_hi(buf, pos)
        pos += 6
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[OffsetDeleteResponseTopic] = []
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
            topics_partitions: list[OffsetDeleteResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code = _read_ih(buf, pos)
                pos += 6
                topics_partitions.append(OffsetDeleteResponsePartition(topics_partitions_partition_index, topics_partitions_error_code))
            topics.append(OffsetDeleteResponseTopic(topics_name, topics_partitions))
        message = OffsetDeleteResponse(error_code, throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_delete_response_v0(out: bytearray, m: OffsetDeleteResponse) -> None:
    try:
        out += _write_hi(m.error_code, m.throttle_time_ms)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_ih(topics_partitions_item.partition_index, topics_partitions_item.error_code)
    except UNFIT as error:
        raise unfit("OffsetDeleteResponse", error) from error

OffsetDeleteResponse.DECODERS = {
    0: decode_offset_delete_response_v0,
}

OffsetDeleteResponse.ENCODERS = {
    0: encode_offset_delete_response_v0,
}

__all__ = [
    "OffsetDeleteRequest", "OffsetDeleteRequestPartition", "OffsetDeleteRequestTopic", "OffsetDeleteResponse",
    "OffsetDeleteResponsePartition", "OffsetDeleteResponseTopic",
]
