# Generated from schemas/messages/DescribeProducersRequest.json and schemas/messages/DescribeProducersResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    TopicRequest,
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

_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_qiiqiq = struct.Struct(">qiiqiq")
_read_qiiqiq = _qiiqiq.unpack_from
_write_qiiqiq = _qiiqiq.pack


def decode_describe_producers_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeProducersRequest, int]]:
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
        topics: list[TopicRequest] = []
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
                raise null("PartitionIndexes")
            if n > end - pos:
                check_count(n, pos, end)
            yield n
            topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(TopicRequest(topics_name, topics_partition_indexes))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DescribeProducersRequest(topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_describe_producers_response_v0(out: bytearray, m: DescribeProducersResponse) -> Generator[int, None, None]:
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
                        if n > TEXT_MAX + 1:
                            raise too_long("ErrorMessage", n - 1)
                        write_uvarint(out, n)
                    out += text
                topics_partitions_active_producers = topics_partitions_item.active_producers
                n = len(topics_partitions_active_producers) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_active_producers_item in topics_partitions_active_producers:
                    yield 1
                    out += _write_qiiqiq(topics_partitions_active_producers_item.producer_id, topics_partitions_active_producers_item.producer_epoch, topics_partitions_active_producers_item.last_sequence, topics_partitions_active_producers_item.last_timestamp, topics_partitions_active_producers_item.coordinator_epoch, topics_partitions_active_producers_item.current_txn_start_offset)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeProducersResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_describe_producers_request_v0,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_describe_producers_response_v0,
}

__all__ = ["DECODERS", "ENCODERS"]
