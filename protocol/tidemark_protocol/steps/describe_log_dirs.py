# Generated from schemas/messages/DescribeLogDirsRequest.json and schemas/messages/DescribeLogDirsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.describe_log_dirs import (
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
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
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_iqqz = struct.Struct(">iqq?")
_read_iqqz = _iqqz.unpack_from
_write_iqqz = _iqqz.pack
_qq = struct.Struct(">qq")
_read_qq = _qq.unpack_from
_write_qq = _qq.pack
_qqz = struct.Struct(">qq?")
_read_qqz = _qqz.unpack_from
_write_qqz = _qqz.pack


def decode_describe_log_dirs_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeLogDirsRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        topics: list[DescribableLogDirTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            topics_list: list[DescribableLogDirTopic] = []
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
                yield n
                topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_list.append(DescribableLogDirTopic(topics_topic, topics_partitions))
            topics = topics_list
        message = DescribeLogDirsRequest(topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_describe_log_dirs_request_v2_v5(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeLogDirsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        topics: list[DescribableLogDirTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            topics_list: list[DescribableLogDirTopic] = []
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
                yield n
                topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_list.append(DescribableLogDirTopic(topics_topic, topics_partitions))
            topics = topics_list
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DescribeLogDirsRequest(topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_describe_log_dirs_response_v1(out: bytearray, m: DescribeLogDirsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        results = m.results
        out += _write_i(len(results))
        for results_item in results:
            yield 1
            out += _write_h(results_item.error_code)
            results_log_dir = results_item.log_dir
            text = results_log_dir.encode()
            out += _write_h(len(text))
            out += text
            results_topics = results_item.topics
            out += _write_i(len(results_topics))
            for results_topics_item in results_topics:
                yield 1
                results_topics_name = results_topics_item.name
                text = results_topics_name.encode()
                out += _write_h(len(text))
                out += text
                results_topics_partitions = results_topics_item.partitions
                out += _write_i(len(results_topics_partitions))
                for results_topics_partitions_item in results_topics_partitions:
                    yield 1
                    out += _write_iqqz(results_topics_partitions_item.partition_index, results_topics_partitions_item.partition_size, results_topics_partitions_item.offset_lag, results_topics_partitions_item.is_future_key)
    except UNFIT as error:
        raise unfit("DescribeLogDirsResponse", error) from error


def encode_describe_log_dirs_response_v2(out: bytearray, m: DescribeLogDirsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            yield 1
            out += _write_h(results_item.error_code)
            results_log_dir = results_item.log_dir
            text = results_log_dir.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("LogDir", n - 1)
                write_uvarint(out, n)
            out += text
            results_topics = results_item.topics
            n = len(results_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_topics_item in results_topics:
                yield 1
                results_topics_name = results_topics_item.name
                text = results_topics_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Name", n - 1)
                    write_uvarint(out, n)
                out += text
                results_topics_partitions = results_topics_item.partitions
                n = len(results_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for results_topics_partitions_item in results_topics_partitions:
                    yield 1
                    out += _write_iqqz(results_topics_partitions_item.partition_index, results_topics_partitions_item.partition_size, results_topics_partitions_item.offset_lag, results_topics_partitions_item.is_future_key)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeLogDirsResponse", error) from error


def encode_describe_log_dirs_response_v3(out: bytearray, m: DescribeLogDirsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            yield 1
            out += _write_h(results_item.error_code)
            results_log_dir = results_item.log_dir
            text = results_log_dir.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("LogDir", n - 1)
                write_uvarint(out, n)
            out += text
            results_topics = results_item.topics
            n = len(results_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_topics_item in results_topics:
                yield 1
                results_topics_name = results_topics_item.name
                text = results_topics_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Name", n - 1)
                    write_uvarint(out, n)
                out += text
                results_topics_partitions = results_topics_item.partitions
                n = len(results_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for results_topics_partitions_item in results_topics_partitions:
                    yield 1
                    out += _write_iqqz(results_topics_partitions_item.partition_index, results_topics_partitions_item.partition_size, results_topics_partitions_item.offset_lag, results_topics_partitions_item.is_future_key)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeLogDirsResponse", error) from error


def encode_describe_log_dirs_response_v4(out: bytearray, m: DescribeLogDirsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            yield 1
            out += _write_h(results_item.error_code)
            results_log_dir = results_item.log_dir
            text = results_log_dir.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("LogDir", n - 1)
                write_uvarint(out, n)
            out += text
            results_topics = results_item.topics
            n = len(results_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_topics_item in results_topics:
                yield 1
                results_topics_name = results_topics_item.name
                text = results_topics_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Name", n - 1)
                    write_uvarint(out, n)
                out += text
                results_topics_partitions = results_topics_item.partitions
                n = len(results_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for results_topics_partitions_item in results_topics_partitions:
                    yield 1
                    out += _write_iqqz(results_topics_partitions_item.partition_index, results_topics_partitions_item.partition_size, results_topics_partitions_item.offset_lag, results_topics_partitions_item.is_future_key)
                    out.append(0)
                out.append(0)
            out += _write_qq(results_item.total_bytes, results_item.usable_bytes)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeLogDirsResponse", error) from error


def encode_describe_log_dirs_response_v5(out: bytearray, m: DescribeLogDirsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            yield 1
            out += _write_h(results_item.error_code)
            results_log_dir = results_item.log_dir
            text = results_log_dir.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("LogDir", n - 1)
                write_uvarint(out, n)
            out += text
            results_topics = results_item.topics
            n = len(results_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_topics_item in results_topics:
                yield 1
                results_topics_name = results_topics_item.name
                text = results_topics_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Name", n - 1)
                    write_uvarint(out, n)
                out += text
                results_topics_partitions = results_topics_item.partitions
                n = len(results_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for results_topics_partitions_item in results_topics_partitions:
                    yield 1
                    out += _write_iqqz(results_topics_partitions_item.partition_index, results_topics_partitions_item.partition_size, results_topics_partitions_item.offset_lag, results_topics_partitions_item.is_future_key)
                    out.append(0)
                out.append(0)
            out += _write_qqz(results_item.total_bytes, results_item.usable_bytes, results_item.is_cordoned)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeLogDirsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    1: decode_describe_log_dirs_request_v1,
    2: decode_describe_log_dirs_request_v2_v5,
    3: decode_describe_log_dirs_request_v2_v5,
    4: decode_describe_log_dirs_request_v2_v5,
    5: decode_describe_log_dirs_request_v2_v5,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    1: encode_describe_log_dirs_response_v1,
    2: encode_describe_log_dirs_response_v2,
    3: encode_describe_log_dirs_response_v3,
    4: encode_describe_log_dirs_response_v4,
    5: encode_describe_log_dirs_response_v5,
}

__all__ = ["DECODERS", "ENCODERS"]
