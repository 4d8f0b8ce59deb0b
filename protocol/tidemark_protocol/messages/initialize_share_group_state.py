# Generated from schemas/messages/InitializeShareGroupStateRequest.json and schemas/messages/InitializeShareGroupStateResponse.json. Edit that, then run make generate.

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
_iiq = struct.Struct(">iiq")
_read_iiq = _iiq.unpack_from
_write_iiq = _iiq.pack


class PartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Partition", "partition", "int32", None),
        ("StateEpoch", "state_epoch", "int32", None),
        ("StartOffset", "start_offset", "int64", None),
    )
    partition: int = 0
    state_epoch: int = 0
    start_offset: int = 0


class InitializeStateData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", PartitionData),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = []


class InitializeShareGroupStateRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("Topics", "topics", "[]struct", InitializeStateData),
    )
    NAME: ClassVar = "InitializeShareGroupStateRequest"
    API_KEY: ClassVar = 83
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    topics: list[InitializeStateData] = []


class PartitionResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Partition", "partition", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    partition: int = 0
    error_code: int = 0
    error_message: str | None = None


class InitializeStateResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", PartitionResult),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionResult] = []


class InitializeShareGroupStateResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Results", "results", "[]struct", InitializeStateResult),
    )
    NAME: ClassVar = "InitializeShareGroupStateResponse"
    API_KEY: ClassVar = 83
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    results: list[InitializeStateResult] = []


def decode_initialize_share_group_state_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[InitializeShareGroupStateRequest, int]:
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
        topics: list[InitializeStateData] = []
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
                topics_partitions_partition, topics_partitions_state_epoch, topics_partitions_start_offset = _read_iiq(buf, pos)
                pos += 16
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(PartitionData(topics_partitions_partition, topics_partitions_state_epoch, topics_partitions_start_offset))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(InitializeStateData(topics_topic_id, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = InitializeShareGroupStateRequest(group_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_initialize_share_group_state_request_v0(out: bytearray, m: InitializeShareGroupStateRequest) -> None:
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
                out += _write_iiq(topics_partitions_item.partition, topics_partitions_item.state_epoch, topics_partitions_item.start_offset)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("InitializeShareGroupStateRequest", error) from error

InitializeShareGroupStateRequest.DECODERS = {
    0: decode_initialize_share_group_state_request_v0,
}

InitializeShareGroupStateRequest.ENCODERS = {
    0: encode_initialize_share_group_state_request_v0,
}



def decode_initialize_share_group_state_response_v0(buf: bytes, pos: int, end: int) -> tuple[InitializeShareGroupStateResponse, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[InitializeStateResult] = []
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
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                results_partitions.append(PartitionResult(results_partitions_partition, results_partitions_error_code, results_partitions_error_message))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results.append(InitializeStateResult(results_topic_id, results_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = InitializeShareGroupStateResponse(results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_initialize_share_group_state_response_v0(out: bytearray, m: InitializeShareGroupStateResponse) -> None:
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
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("InitializeShareGroupStateResponse", error) from error

InitializeShareGroupStateResponse.DECODERS = {
    0: decode_initialize_share_group_state_response_v0,
}

InitializeShareGroupStateResponse.ENCODERS = {
    0: encode_initialize_share_group_state_response_v0,
}

__all__ = [
    "InitializeShareGroupStateRequest", "InitializeShareGroupStateResponse", "InitializeStateData",
    "InitializeStateResult", "PartitionData", "PartitionResult",
]
