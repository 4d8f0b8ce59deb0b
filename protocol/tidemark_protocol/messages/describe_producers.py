# Generated from schemas/messages/DescribeProducersRequest.json and schemas/messages/DescribeProducersResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_qiiqiq = struct.Struct(">qiiqiq")
_read_qiiqiq = _qiiqiq.unpack_from
_write_qiiqiq = _qiiqiq.pack


class TopicRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("PartitionIndexes", "partition_indexes", "[]int32", None),
    )
    name: str = ""
    partition_indexes: list[int] = []


class DescribeProducersRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topics", "topics", "[]struct", TopicRequest),
    )
    NAME: ClassVar = "DescribeProducersRequest"
    API_KEY: ClassVar = 61
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topics: list[TopicRequest] = []


class ProducerState(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ProducerId", "producer_id", "int64", None),
        ("ProducerEpoch", "producer_epoch", "int32", None),
        ("LastSequence", "last_sequence", "int32", None),
        ("LastTimestamp", "last_timestamp", "int64", None),
        ("CoordinatorEpoch", "coordinator_epoch", "int32", None),
        ("CurrentTxnStartOffset", "current_txn_start_offset", "int64", None),
    )
    producer_id: int = 0
    producer_epoch: int = 0
    last_sequence: int = -1
    last_timestamp: int = -1
    coordinator_epoch: int = 0
    current_txn_start_offset: int = -1


class PartitionResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("ActiveProducers", "active_producers", "[]struct", ProducerState),
    )
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = None
    active_producers: list[ProducerState] = []


class TopicResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", PartitionResponse),
    )
    name: str = ""
    partitions: list[PartitionResponse] = []


class DescribeProducersResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Topics", "topics", "[]struct", TopicResponse),
    )
    NAME: ClassVar = "DescribeProducersResponse"
    API_KEY: ClassVar = 61
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    topics: list[TopicResponse] = []


def decode_describe_producers_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeProducersRequest, int]:
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
            topics.append(TopicRequest(topics_name, topics_partition_indexes))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeProducersRequest(topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_producers_request_v0(out: bytearray, m: DescribeProducersRequest) -> None:
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
        raise unfit("DescribeProducersRequest", error) from error

DescribeProducersRequest.DECODERS = {
    0: decode_describe_producers_request_v0,
}

DescribeProducersRequest.ENCODERS = {
    0: encode_describe_producers_request_v0,
}



def decode_describe_producers_response_v0(buf: bytes, pos: int, end: int) -> tuple[DescribeProducersResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[TopicResponse] = []
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
            topics_partitions: list[PartitionResponse] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code = _read_ih(buf, pos)
                pos += 6
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
                topics_partitions_error_message: str | None = None
                if n >= 0:
                    topics_partitions_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ActiveProducers", n, pos, end)
                topics_partitions_active_producers: list[ProducerState] = []
                topics_partitions_active_producers_count = n
                for _ in range(topics_partitions_active_producers_count):
                    topics_partitions_active_producers_producer_id, topics_partitions_active_producers_producer_epoch, topics_partitions_active_producers_last_sequence, topics_partitions_active_producers_last_timestamp, topics_partitions_active_producers_coordinator_epoch, topics_partitions_active_producers_current_txn_start_offset = _read_qiiqiq(buf, pos)
                    pos += 36
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    topics_partitions_active_producers.append(ProducerState(topics_partitions_active_producers_producer_id, topics_partitions_active_producers_producer_epoch, topics_partitions_active_producers_last_sequence, topics_partitions_active_producers_last_timestamp, topics_partitions_active_producers_coordinator_epoch, topics_partitions_active_producers_current_txn_start_offset))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(PartitionResponse(topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_error_message, topics_partitions_active_producers))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(TopicResponse(topics_name, topics_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeProducersResponse(throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_producers_response_v0(out: bytearray, m: DescribeProducersResponse) -> None:
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
                out += _write_ih(topics_partitions_item.partition_index, topics_partitions_item.error_code)
                topics_partitions_error_message = topics_partitions_item.error_message
                if topics_partitions_error_message is None:
                    out.append(0)
                else:
                    text = topics_partitions_error_message.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "ErrorMessage")
                    out += text
                topics_partitions_active_producers = topics_partitions_item.active_producers
                n = len(topics_partitions_active_producers) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_active_producers_item in topics_partitions_active_producers:
                    out += _write_qiiqiq(topics_partitions_active_producers_item.producer_id, topics_partitions_active_producers_item.producer_epoch, topics_partitions_active_producers_item.last_sequence, topics_partitions_active_producers_item.last_timestamp, topics_partitions_active_producers_item.coordinator_epoch, topics_partitions_active_producers_item.current_txn_start_offset)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeProducersResponse", error) from error

DescribeProducersResponse.DECODERS = {
    0: decode_describe_producers_response_v0,
}

DescribeProducersResponse.ENCODERS = {
    0: encode_describe_producers_response_v0,
}

__all__ = [
    "DescribeProducersRequest", "DescribeProducersResponse", "PartitionResponse", "ProducerState",
    "TopicRequest", "TopicResponse",
]
