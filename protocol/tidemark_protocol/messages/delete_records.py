# Generated from schemas/messages/DeleteRecordsRequest.json and schemas/messages/DeleteRecordsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack
_iqh = struct.Struct(">iqh")
_read_iqh = _iqh.unpack_from
_write_iqh = _iqh.pack


class DeleteRecordsPartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("Offset", "offset", "int64", None),
    )
    partition_index: int = 0
    offset: int = 0


class DeleteRecordsTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", DeleteRecordsPartition),
    )
    name: str = ""
    partitions: list[DeleteRecordsPartition] = []


class DeleteRecordsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topics", "topics", "[]struct", DeleteRecordsTopic),
        ("TimeoutMs", "timeout_ms", "int32", None),
    )
    NAME: ClassVar = "DeleteRecordsRequest"
    API_KEY: ClassVar = 21
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topics: list[DeleteRecordsTopic] = []
    timeout_ms: int = 0


class DeleteRecordsPartitionResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("LowWatermark", "low_watermark", "int64", None),
        ("ErrorCode", "error_code", "int16", None),
    )
    partition_index: int = 0
    low_watermark: int = 0
    error_code: int = 0


class DeleteRecordsTopicResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", DeleteRecordsPartitionResult),
    )
    name: str = ""
    partitions: list[DeleteRecordsPartitionResult] = []


class DeleteRecordsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Topics", "topics", "[]struct", DeleteRecordsTopicResult),
    )
    NAME: ClassVar = "DeleteRecordsResponse"
    API_KEY: ClassVar = 21
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    topics: list[DeleteRecordsTopicResult] = []


def decode_delete_records_request_v0_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DeleteRecordsRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[DeleteRecordsTopic] = []
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
            topics_partitions: list[DeleteRecordsPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_offset = _read_iq(buf, pos)
                pos += 12
                topics_partitions.append(DeleteRecordsPartition(topics_partitions_partition_index, topics_partitions_offset))
            topics.append(DeleteRecordsTopic(topics_name, topics_partitions))
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        message = DeleteRecordsRequest(topics, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_records_request_v0_v1(out: bytearray, m: DeleteRecordsRequest) -> None:
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
                out += _write_iq(topics_partitions_item.partition_index, topics_partitions_item.offset)
        out += _write_i(m.timeout_ms)
    except UNFIT as error:
        raise unfit("DeleteRecordsRequest", error) from error


def decode_delete_records_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DeleteRecordsRequest, int]:
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
        topics: list[DeleteRecordsTopic] = []
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
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[DeleteRecordsPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_offset = _read_iq(buf, pos)
                pos += 12
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(DeleteRecordsPartition(topics_partitions_partition_index, topics_partitions_offset))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(DeleteRecordsTopic(topics_name, topics_partitions))
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DeleteRecordsRequest(topics, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_records_request_v2(out: bytearray, m: DeleteRecordsRequest) -> None:
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
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_iq(topics_partitions_item.partition_index, topics_partitions_item.offset)
                out.append(0)
            out.append(0)
        out += _write_i(m.timeout_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteRecordsRequest", error) from error

DeleteRecordsRequest.DECODERS = {
    0: decode_delete_records_request_v0_v1, 1: decode_delete_records_request_v0_v1,
    2: decode_delete_records_request_v2,
}

DeleteRecordsRequest.ENCODERS = {
    0: encode_delete_records_request_v0_v1, 1: encode_delete_records_request_v0_v1,
    2: encode_delete_records_request_v2,
}



def decode_delete_records_response_v0_v1(buf: bytes, pos: int, end: int) -> tuple[DeleteRecordsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[DeleteRecordsTopicResult] = []
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
            topics_partitions: list[DeleteRecordsPartitionResult] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_low_watermark, topics_partitions_error_code = _read_iqh(buf, pos)
                pos += 14
                topics_partitions.append(DeleteRecordsPartitionResult(topics_partitions_partition_index, topics_partitions_low_watermark, topics_partitions_error_code))
            topics.append(DeleteRecordsTopicResult(topics_name, topics_partitions))
        message = DeleteRecordsResponse(throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_records_response_v0_v1(out: bytearray, m: DeleteRecordsResponse) -> None:
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
                out += _write_iqh(topics_partitions_item.partition_index, topics_partitions_item.low_watermark, topics_partitions_item.error_code)
    except UNFIT as error:
        raise unfit("DeleteRecordsResponse", error) from error


def decode_delete_records_response_v2(buf: bytes, pos: int, end: int) -> tuple[DeleteRecordsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[DeleteRecordsTopicResult] = []
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
            topics_partitions: list[DeleteRecordsPartitionResult] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_low_watermark, topics_partitions_error_code = _read_iqh(buf, pos)
                pos += 14
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(DeleteRecordsPartitionResult(topics_partitions_partition_index, topics_partitions_low_watermark, topics_partitions_error_code))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(DeleteRecordsTopicResult(topics_name, topics_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DeleteRecordsResponse(throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_delete_records_response_v2(out: bytearray, m: DeleteRecordsResponse) -> None:
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
                out += _write_iqh(topics_partitions_item.partition_index, topics_partitions_item.low_watermark, topics_partitions_item.error_code)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteRecordsResponse", error) from error

DeleteRecordsResponse.DECODERS = {
    0: decode_delete_records_response_v0_v1, 1: decode_delete_records_response_v0_v1,
    2: decode_delete_records_response_v2,
}

DeleteRecordsResponse.ENCODERS = {
    0: encode_delete_records_response_v0_v1, 1: encode_delete_records_response_v0_v1,
    2: encode_delete_records_response_v2,
}

__all__ = [
    "DeleteRecordsPartition", "DeleteRecordsPartitionResult", "DeleteRecordsRequest", "DeleteRecordsResponse",
    "DeleteRecordsTopic", "DeleteRecordsTopicResult",
]
