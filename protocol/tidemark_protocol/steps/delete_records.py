# Generated from schemas/messages/DeleteRecordsRequest.json and schemas/messages/DeleteRecordsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopic,
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
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack
_iqh = struct.Struct(">iqh")
_read_iqh = _iqh.unpack_from
_write_iqh = _iqh.pack


def decode_delete_records_request_v0_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DeleteRecordsRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[DeleteRecordsTopic] = []
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
            topics_partitions: list[DeleteRecordsPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_offset = _read_iq(buf, pos)
                pos += 12
                topics_partitions.append(DeleteRecordsPartition(topics_partitions_partition_index, topics_partitions_offset))
            topics.append(DeleteRecordsTopic(topics_name, topics_partitions))
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        message = DeleteRecordsRequest(topics, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_delete_records_request_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DeleteRecordsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[DeleteRecordsTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Name", n)
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
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
            topics_partitions: list[DeleteRecordsPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_offset = _read_iq(buf, pos)
                pos += 12
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(DeleteRecordsPartition(topics_partitions_partition_index, topics_partitions_offset))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(DeleteRecordsTopic(topics_name, topics_partitions))
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DeleteRecordsRequest(topics, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_delete_records_response_v0_v1(out: bytearray, m: DeleteRecordsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
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
                out += _write_iqh(topics_partitions_item.partition_index, topics_partitions_item.low_watermark, topics_partitions_item.error_code)
    except UNFIT as error:
        raise unfit("DeleteRecordsResponse", error) from error


def encode_delete_records_response_v2(out: bytearray, m: DeleteRecordsResponse) -> Generator[int, None, None]:
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
            topics_name = topics_item.name
            text = topics_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Name", n - 1)
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
                out += _write_iqh(topics_partitions_item.partition_index, topics_partitions_item.low_watermark, topics_partitions_item.error_code)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DeleteRecordsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_delete_records_request_v0_v1,
    1: decode_delete_records_request_v0_v1,
    2: decode_delete_records_request_v2,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_delete_records_response_v0_v1,
    1: encode_delete_records_response_v0_v1,
    2: encode_delete_records_response_v2,
}

__all__ = ["DECODERS", "ENCODERS"]
