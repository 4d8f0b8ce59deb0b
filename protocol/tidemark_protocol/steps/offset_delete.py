# Generated from schemas/messages/OffsetDeleteRequest.json and schemas/messages/OffsetDeleteResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
    OffsetDeleteResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    UNFIT,
    check_count,
    check_end,
    null,
    too_short,
    unfit,
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


def decode_offset_delete_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetDeleteRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[OffsetDeleteRequestTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[OffsetDeleteRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, = _read_i(buf, pos)
                pos += 4
                topics_partitions.append(OffsetDeleteRequestPartition(topics_partitions_partition_index))
            topics.append(OffsetDeleteRequestTopic(topics_name, topics_partitions))
        message = OffsetDeleteRequest(group_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_offset_delete_response_v0(out: bytearray, m: OffsetDeleteResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_hi(m.error_code, m.throttle_time_ms)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            yield 1
            topics_name = topics_item.name
            text = topics_name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_ih(topics_partitions_item.partition_index, topics_partitions_item.error_code)
    except UNFIT as error:
        raise unfit("OffsetDeleteResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_offset_delete_request_v0,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_offset_delete_response_v0,
}

__all__ = ["DECODERS", "ENCODERS"]
