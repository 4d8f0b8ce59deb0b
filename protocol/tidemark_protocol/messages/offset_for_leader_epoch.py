# Generated from schemas/messages/OffsetForLeaderEpochRequest.json and schemas/messages/OffsetForLeaderEpochResponse.json. Edit that, then run make generate.

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
_hiiq = struct.Struct(">hiiq")
_read_hiiq = _hiiq.unpack_from
_write_hiiq = _hiiq.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iii = struct.Struct(">iii")
_read_iii = _iii.unpack_from
_write_iii = _iii.pack


class OffsetForLeaderPartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Partition", "partition", "int32", None),
        ("CurrentLeaderEpoch", "current_leader_epoch", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
    )
    partition: int = 0
    current_leader_epoch: int = -1
    leader_epoch: int = 0


class OffsetForLeaderTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topic", "topic", "string", None),
        ("Partitions", "partitions", "[]struct", OffsetForLeaderPartition),
    )
    topic: str = ""
    partitions: list[OffsetForLeaderPartition] = []


class OffsetForLeaderEpochRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ReplicaId", "replica_id", "int32", None),
        ("Topics", "topics", "[]struct", OffsetForLeaderTopic),
    )
    NAME: ClassVar = "OffsetForLeaderEpochRequest"
    API_KEY: ClassVar = 23
    LOWEST: ClassVar = 2
    HIGHEST: ClassVar = 4
    FLEXIBLE_FROM: ClassVar = 4
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    replica_id: int = -2
    topics: list[OffsetForLeaderTopic] = []


class EpochEndOffset(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("Partition", "partition", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("EndOffset", "end_offset", "int64", None),
    )
    error_code: int = 0
    partition: int = 0
    leader_epoch: int = -1
    end_offset: int = -1


class OffsetForLeaderTopicResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topic", "topic", "string", None),
        ("Partitions", "partitions", "[]struct", EpochEndOffset),
    )
    topic: str = ""
    partitions: list[EpochEndOffset] = []


class OffsetForLeaderEpochResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Topics", "topics", "[]struct", OffsetForLeaderTopicResult),
    )
    NAME: ClassVar = "OffsetForLeaderEpochResponse"
    API_KEY: ClassVar = 23
    LOWEST: ClassVar = 2
    HIGHEST: ClassVar = 4
    FLEXIBLE_FROM: ClassVar = 4
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    topics: list[OffsetForLeaderTopicResult] = []


def decode_offset_for_leader_epoch_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[OffsetForLeaderEpochRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[OffsetForLeaderTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[OffsetForLeaderPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_leader_epoch = _read_iii(buf, pos)
                pos += 12
                topics_partitions.append(OffsetForLeaderPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_leader_epoch))
            topics.append(OffsetForLeaderTopic(topics_topic, topics_partitions))
        message = OffsetForLeaderEpochRequest(-2, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_for_leader_epoch_request_v2(out: bytearray, m: OffsetForLeaderEpochRequest) -> None:
    try:
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.topic.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iii(topics_partitions_item.partition, topics_partitions_item.current_leader_epoch, topics_partitions_item.leader_epoch)
    except UNFIT as error:
        raise unfit("OffsetForLeaderEpochRequest", error) from error


def decode_offset_for_leader_epoch_request_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[OffsetForLeaderEpochRequest, int]:
    try:
        replica_id, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[OffsetForLeaderTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[OffsetForLeaderPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_leader_epoch = _read_iii(buf, pos)
                pos += 12
                topics_partitions.append(OffsetForLeaderPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_leader_epoch))
            topics.append(OffsetForLeaderTopic(topics_topic, topics_partitions))
        message = OffsetForLeaderEpochRequest(replica_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_for_leader_epoch_request_v3(out: bytearray, m: OffsetForLeaderEpochRequest) -> None:
    try:
        out += _write_i(m.replica_id)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.topic.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iii(topics_partitions_item.partition, topics_partitions_item.current_leader_epoch, topics_partitions_item.leader_epoch)
    except UNFIT as error:
        raise unfit("OffsetForLeaderEpochRequest", error) from error


def decode_offset_for_leader_epoch_request_v4(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[OffsetForLeaderEpochRequest, int]:
    try:
        replica_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[OffsetForLeaderTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Topic")
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
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
            topics_partitions: list[OffsetForLeaderPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_leader_epoch = _read_iii(buf, pos)
                pos += 12
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(OffsetForLeaderPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_leader_epoch))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(OffsetForLeaderTopic(topics_topic, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = OffsetForLeaderEpochRequest(replica_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_for_leader_epoch_request_v4(out: bytearray, m: OffsetForLeaderEpochRequest) -> None:
    try:
        out += _write_i(m.replica_id)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            text = topics_item.topic.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Topic")
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_iii(topics_partitions_item.partition, topics_partitions_item.current_leader_epoch, topics_partitions_item.leader_epoch)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetForLeaderEpochRequest", error) from error

OffsetForLeaderEpochRequest.DECODERS = {
    2: decode_offset_for_leader_epoch_request_v2,
    3: decode_offset_for_leader_epoch_request_v3,
    4: decode_offset_for_leader_epoch_request_v4,
}

OffsetForLeaderEpochRequest.ENCODERS = {
    2: encode_offset_for_leader_epoch_request_v2,
    3: encode_offset_for_leader_epoch_request_v3,
    4: encode_offset_for_leader_epoch_request_v4,
}



def decode_offset_for_leader_epoch_response_v2_v3(buf: bytes, pos: int, end: int) -> tuple[OffsetForLeaderEpochResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[OffsetForLeaderTopicResult] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[EpochEndOffset] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition, topics_partitions_leader_epoch, topics_partitions_end_offset = _read_hiiq(buf, pos)
                pos += 18
                topics_partitions.append(EpochEndOffset(topics_partitions_error_code, topics_partitions_partition, topics_partitions_leader_epoch, topics_partitions_end_offset))
            topics.append(OffsetForLeaderTopicResult(topics_topic, topics_partitions))
        message = OffsetForLeaderEpochResponse(throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_for_leader_epoch_response_v2_v3(out: bytearray, m: OffsetForLeaderEpochResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.topic.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_hiiq(topics_partitions_item.error_code, topics_partitions_item.partition, topics_partitions_item.leader_epoch, topics_partitions_item.end_offset)
    except UNFIT as error:
        raise unfit("OffsetForLeaderEpochResponse", error) from error


def decode_offset_for_leader_epoch_response_v4(buf: bytes, pos: int, end: int) -> tuple[OffsetForLeaderEpochResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[OffsetForLeaderTopicResult] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Topic")
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[EpochEndOffset] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition, topics_partitions_leader_epoch, topics_partitions_end_offset = _read_hiiq(buf, pos)
                pos += 18
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(EpochEndOffset(topics_partitions_error_code, topics_partitions_partition, topics_partitions_leader_epoch, topics_partitions_end_offset))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(OffsetForLeaderTopicResult(topics_topic, topics_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = OffsetForLeaderEpochResponse(throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_offset_for_leader_epoch_response_v4(out: bytearray, m: OffsetForLeaderEpochResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            text = topics_item.topic.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Topic")
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_hiiq(topics_partitions_item.error_code, topics_partitions_item.partition, topics_partitions_item.leader_epoch, topics_partitions_item.end_offset)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetForLeaderEpochResponse", error) from error

OffsetForLeaderEpochResponse.DECODERS = {
    2: decode_offset_for_leader_epoch_response_v2_v3, 3: decode_offset_for_leader_epoch_response_v2_v3,
    4: decode_offset_for_leader_epoch_response_v4,
}

OffsetForLeaderEpochResponse.ENCODERS = {
    2: encode_offset_for_leader_epoch_response_v2_v3, 3: encode_offset_for_leader_epoch_response_v2_v3,
    4: encode_offset_for_leader_epoch_response_v4,
}

__all__ = [
    "EpochEndOffset", "OffsetForLeaderEpochRequest", "OffsetForLeaderEpochResponse",
    "OffsetForLeaderPartition", "OffsetForLeaderTopic", "OffsetForLeaderTopicResult",
]
