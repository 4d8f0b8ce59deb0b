# Generated from schemas/messages/ReadShareGroupStateRequest.json and schemas/messages/ReadShareGroupStateResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack
_qqbh = struct.Struct(">qqbh")
_read_qqbh = _qqbh.unpack_from
_write_qqbh = _qqbh.pack


class PartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Partition", "partition", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
    )
    partition: int = 0
    leader_epoch: int = 0


class ReadStateData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", PartitionData),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = []


class ReadShareGroupStateRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("Topics", "topics", "[]struct", ReadStateData),
    )
    NAME: ClassVar = "ReadShareGroupStateRequest"
    API_KEY: ClassVar = 84
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    topics: list[ReadStateData] = []


class StateBatch(Struct, gc=False):
    FIELDS: ClassVar = (
        ("FirstOffset", "first_offset", "int64", None),
        ("LastOffset", "last_offset", "int64", None),
        ("DeliveryState", "delivery_state", "int8", None),
        ("DeliveryCount", "delivery_count", "int16", None),
    )
    first_offset: int = 0
    last_offset: int = 0
    delivery_state: int = 0
    delivery_count: int = 0


class PartitionResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Partition", "partition", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("StateEpoch", "state_epoch", "int32", None),
        ("StartOffset", "start_offset", "int64", None),
        ("StateBatches", "state_batches", "[]struct", StateBatch),
    )
    partition: int = 0
    error_code: int = 0
    error_message: str | None = None
    state_epoch: int = 0
    start_offset: int = 0
    state_batches: list[StateBatch] = []


class ReadStateResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", PartitionResult),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionResult] = []


class ReadShareGroupStateResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Results", "results", "[]struct", ReadStateResult),
    )
    NAME: ClassVar = "ReadShareGroupStateResponse"
    API_KEY: ClassVar = 84
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    results: list[ReadStateResult] = []


def decode_read_share_group_state_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ReadShareGroupStateRequest, int]:
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
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[ReadStateData] = []
        topics_count = n
        for _ in range(topics_count):
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[PartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_leader_epoch = _read_ii(buf, pos)
                pos += 8
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(PartitionData(topics_partitions_partition, topics_partitions_leader_epoch))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(ReadStateData(topics_topic_id, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ReadShareGroupStateRequest(group_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_read_share_group_state_request_v0(out: bytearray, m: ReadShareGroupStateRequest) -> None:
    try:
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_u(topics_item.topic_id)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_ii(topics_partitions_item.partition, topics_partitions_item.leader_epoch)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ReadShareGroupStateRequest", error) from error

ReadShareGroupStateRequest.DECODERS = {
    0: decode_read_share_group_state_request_v0,
}

ReadShareGroupStateRequest.ENCODERS = {
    0: encode_read_share_group_state_request_v0,
}



def decode_read_share_group_state_response_v0(buf: bytes, pos: int, end: int) -> tuple[ReadShareGroupStateResponse, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[ReadStateResult] = []
        results_count = n
        for _ in range(results_count):
            results_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            results_partitions: list[PartitionResult] = []
            results_partitions_count = n
            for _ in range(results_partitions_count):
                results_partitions_partition, results_partitions_error_code = _read_ih(buf, pos)
                pos += 6
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
                results_partitions_error_message: str | None = None
                if n >= 0:
                    results_partitions_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                results_partitions_state_epoch, results_partitions_start_offset = _read_iq(buf, pos)
                pos += 12
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("StateBatches", n, pos, end)
                results_partitions_state_batches: list[StateBatch] = []
                results_partitions_state_batches_count = n
                for _ in range(results_partitions_state_batches_count):
                    results_partitions_state_batches_first_offset, results_partitions_state_batches_last_offset, results_partitions_state_batches_delivery_state, results_partitions_state_batches_delivery_count = _read_qqbh(buf, pos)
                    pos += 19
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    results_partitions_state_batches.append(StateBatch(results_partitions_state_batches_first_offset, results_partitions_state_batches_last_offset, results_partitions_state_batches_delivery_state, results_partitions_state_batches_delivery_count))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                results_partitions.append(PartitionResult(results_partitions_partition, results_partitions_error_code, results_partitions_error_message, results_partitions_state_epoch, results_partitions_start_offset, results_partitions_state_batches))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results.append(ReadStateResult(results_topic_id, results_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ReadShareGroupStateResponse(results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_read_share_group_state_response_v0(out: bytearray, m: ReadShareGroupStateResponse) -> None:
    try:
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            out += _write_u(results_item.topic_id)
            results_partitions = results_item.partitions
            n = len(results_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_partitions_item in results_partitions:
                out += _write_ih(results_partitions_item.partition, results_partitions_item.error_code)
                results_partitions_error_message = results_partitions_item.error_message
                if results_partitions_error_message is None:
                    out.append(0)
                else:
                    text = results_partitions_error_message.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "ErrorMessage")
                    out += text
                out += _write_iq(results_partitions_item.state_epoch, results_partitions_item.start_offset)
                results_partitions_state_batches = results_partitions_item.state_batches
                n = len(results_partitions_state_batches) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for results_partitions_state_batches_item in results_partitions_state_batches:
                    out += _write_qqbh(results_partitions_state_batches_item.first_offset, results_partitions_state_batches_item.last_offset, results_partitions_state_batches_item.delivery_state, results_partitions_state_batches_item.delivery_count)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ReadShareGroupStateResponse", error) from error

ReadShareGroupStateResponse.DECODERS = {
    0: decode_read_share_group_state_response_v0,
}

ReadShareGroupStateResponse.ENCODERS = {
    0: encode_read_share_group_state_response_v0,
}

__all__ = [
    "PartitionData", "PartitionResult", "ReadShareGroupStateRequest", "ReadShareGroupStateResponse",
    "ReadStateData", "ReadStateResult", "StateBatch",
]
