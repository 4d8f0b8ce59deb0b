# Generated from schemas/messages/OffsetForLeaderEpochRequest.json and schemas/messages/OffsetForLeaderEpochResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    check_count,
    check_end,
    null,
    read_uvarint,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
    write_uvarint,
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


def decode_offset_for_leader_epoch_request_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetForLeaderEpochRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[OffsetForLeaderTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[OffsetForLeaderPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_leader_epoch = _read_iii(buf, pos)
                pos += 12
                topics_partitions.append(OffsetForLeaderPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_leader_epoch))
            topics.append(OffsetForLeaderTopic(topics_topic, topics_partitions))
        message = OffsetForLeaderEpochRequest(-2, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_for_leader_epoch_request_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetForLeaderEpochRequest, int]]:
    try:
        yield 1
        replica_id, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[OffsetForLeaderTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[OffsetForLeaderPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_leader_epoch = _read_iii(buf, pos)
                pos += 12
                topics_partitions.append(OffsetForLeaderPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_leader_epoch))
            topics.append(OffsetForLeaderTopic(topics_topic, topics_partitions))
        message = OffsetForLeaderEpochRequest(replica_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_for_leader_epoch_request_v4(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetForLeaderEpochRequest, int]]:
    try:
        yield 1
        replica_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[OffsetForLeaderTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Topic", n)
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[OffsetForLeaderPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_leader_epoch = _read_iii(buf, pos)
                pos += 12
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(OffsetForLeaderPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_leader_epoch))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(OffsetForLeaderTopic(topics_topic, topics_partitions))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = OffsetForLeaderEpochRequest(replica_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_offset_for_leader_epoch_response_v2_v3(out: bytearray, m: OffsetForLeaderEpochResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            yield 1
            topics_topic = topics_item.topic
            text = topics_topic.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_hiiq(topics_partitions_item.error_code, topics_partitions_item.partition, topics_partitions_item.leader_epoch, topics_partitions_item.end_offset)
    except UNFIT as error:
        raise unfit("OffsetForLeaderEpochResponse", error) from error


def encode_offset_for_leader_epoch_response_v4(out: bytearray, m: OffsetForLeaderEpochResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            yield 1
            topics_topic = topics_item.topic
            text = topics_topic.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Topic", n - 1)
                write_uvarint(out, n)
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_hiiq(topics_partitions_item.error_code, topics_partitions_item.partition, topics_partitions_item.leader_epoch, topics_partitions_item.end_offset)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetForLeaderEpochResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    2: decode_offset_for_leader_epoch_request_v2,
    3: decode_offset_for_leader_epoch_request_v3,
    4: decode_offset_for_leader_epoch_request_v4,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    2: encode_offset_for_leader_epoch_response_v2_v3,
    3: encode_offset_for_leader_epoch_response_v2_v3,
    4: encode_offset_for_leader_epoch_response_v4,
}

__all__ = ["DECODERS", "ENCODERS"]
