# Generated from schemas/messages/DescribeLogDirsRequest.json and schemas/messages/DescribeLogDirsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Bytes, Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, check_count, null, past_end, read_length,
    read_text_length, skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length,
    write_uvarint, wrong_count,
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


class DescribableLogDirTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topic", "topic", "string", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    topic: str = ""
    partitions: list[int] = []


class DescribeLogDirsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topics", "topics", "[]struct", DescribableLogDirTopic),
    )
    NAME: ClassVar = "DescribeLogDirsRequest"
    API_KEY: ClassVar = 35
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 5
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topics: list[DescribableLogDirTopic] | None = []


class DescribeLogDirsPartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("PartitionSize", "partition_size", "int64", None),
        ("OffsetLag", "offset_lag", "int64", None),
        ("IsFutureKey", "is_future_key", "bool", None),
    )
    partition_index: int = 0
    partition_size: int = 0
    offset_lag: int = 0
    is_future_key: bool = False


class DescribeLogDirsTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", DescribeLogDirsPartition),
    )
    name: str = ""
    partitions: list[DescribeLogDirsPartition] = []


class DescribeLogDirsResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("LogDir", "log_dir", "string", None),
        ("Topics", "topics", "[]struct", DescribeLogDirsTopic),
        ("TotalBytes", "total_bytes", "int64", None),
        ("UsableBytes", "usable_bytes", "int64", None),
        ("IsCordoned", "is_cordoned", "bool", None),
    )
    error_code: int = 0
    log_dir: str = ""
    topics: list[DescribeLogDirsTopic] = []
    total_bytes: int = -1
    usable_bytes: int = -1
    is_cordoned: bool = False


class DescribeLogDirsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("Results", "results", "[]struct", DescribeLogDirsResult),
    )
    NAME: ClassVar = "DescribeLogDirsResponse"
    API_KEY: ClassVar = 35
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 5
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    results: list[DescribeLogDirsResult] = []


def decode_describe_log_dirs_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeLogDirsRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        topics: list[DescribableLogDirTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_list: list[DescribableLogDirTopic] = []
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
                topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_list.append(DescribableLogDirTopic(topics_topic, topics_partitions))
            topics = topics_list
        message = DescribeLogDirsRequest(topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_log_dirs_request_v1(out: bytearray, m: DescribeLogDirsRequest) -> None:
    try:
        topics = m.topics
        if topics is None:
            out += _write_i(-1)
        else:
            out += _write_i(len(topics))
            for topics_item in topics:
                text = topics_item.topic.encode()
                out += _write_h(len(text))
                out += text
                topics_partitions = topics_item.partitions
                out += _write_i(len(topics_partitions))
                out += struct.pack(f">{len(topics_partitions)}i", *topics_partitions)
    except UNFIT as error:
        raise unfit("DescribeLogDirsRequest", error) from error


def decode_describe_log_dirs_request_v2_v5(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeLogDirsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        topics: list[DescribableLogDirTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_list: list[DescribableLogDirTopic] = []
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
                topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_list.append(DescribableLogDirTopic(topics_topic, topics_partitions))
            topics = topics_list
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeLogDirsRequest(topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_log_dirs_request_v2_v5(out: bytearray, m: DescribeLogDirsRequest) -> None:
    try:
        topics = m.topics
        if topics is None:
            out.append(0)
        else:
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
                out += struct.pack(f">{len(topics_partitions)}i", *topics_partitions)
                out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeLogDirsRequest", error) from error

DescribeLogDirsRequest.DECODERS = {
    1: decode_describe_log_dirs_request_v1,
    2: decode_describe_log_dirs_request_v2_v5, 3: decode_describe_log_dirs_request_v2_v5,
    4: decode_describe_log_dirs_request_v2_v5, 5: decode_describe_log_dirs_request_v2_v5,
}

DescribeLogDirsRequest.ENCODERS = {
    1: encode_describe_log_dirs_request_v1,
    2: encode_describe_log_dirs_request_v2_v5, 3: encode_describe_log_dirs_request_v2_v5,
    4: encode_describe_log_dirs_request_v2_v5, 5: encode_describe_log_dirs_request_v2_v5,
}



def decode_describe_log_dirs_response_v1(buf: bytes, pos: int, end: int) -> tuple[DescribeLogDirsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[DescribeLogDirsResult] = []
        results_count = n
        for _ in range(results_count):
            results_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("LogDir")
            results_log_dir = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Topics", n, pos, end)
            results_topics: list[DescribeLogDirsTopic] = []
            results_topics_count = n
            for _ in range(results_topics_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Name")
                results_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                results_topics_partitions: list[DescribeLogDirsPartition] = []
                results_topics_partitions_count = n
                for _ in range(results_topics_partitions_count):
                    results_topics_partitions_partition_index, results_topics_partitions_partition_size, results_topics_partitions_offset_lag, results_topics_partitions_is_future_key = _read_iqqz(buf, pos)
                    pos += 21
                    results_topics_partitions.append(DescribeLogDirsPartition(results_topics_partitions_partition_index, results_topics_partitions_partition_size, results_topics_partitions_offset_lag, results_topics_partitions_is_future_key))
                results_topics.append(DescribeLogDirsTopic(results_topics_name, results_topics_partitions))
            results.append(DescribeLogDirsResult(results_error_code, results_log_dir, results_topics))
        message = DescribeLogDirsResponse(throttle_time_ms, 0, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_log_dirs_response_v1(out: bytearray, m: DescribeLogDirsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        results = m.results
        out += _write_i(len(results))
        for results_item in results:
            out += _write_h(results_item.error_code)
            text = results_item.log_dir.encode()
            out += _write_h(len(text))
            out += text
            results_topics = results_item.topics
            out += _write_i(len(results_topics))
            for results_topics_item in results_topics:
                text = results_topics_item.name.encode()
                out += _write_h(len(text))
                out += text
                results_topics_partitions = results_topics_item.partitions
                out += _write_i(len(results_topics_partitions))
                for results_topics_partitions_item in results_topics_partitions:
                    out += _write_iqqz(results_topics_partitions_item.partition_index, results_topics_partitions_item.partition_size, results_topics_partitions_item.offset_lag, results_topics_partitions_item.is_future_key)
    except UNFIT as error:
        raise unfit("DescribeLogDirsResponse", error) from error


def decode_describe_log_dirs_response_v2(buf: bytes, pos: int, end: int) -> tuple[DescribeLogDirsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[DescribeLogDirsResult] = []
        results_count = n
        for _ in range(results_count):
            results_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "LogDir")
            if n < 0:
                raise null("LogDir")
            results_log_dir = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Topics", n, pos, end)
            results_topics: list[DescribeLogDirsTopic] = []
            results_topics_count = n
            for _ in range(results_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                results_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                results_topics_partitions: list[DescribeLogDirsPartition] = []
                results_topics_partitions_count = n
                for _ in range(results_topics_partitions_count):
                    results_topics_partitions_partition_index, results_topics_partitions_partition_size, results_topics_partitions_offset_lag, results_topics_partitions_is_future_key = _read_iqqz(buf, pos)
                    pos += 21
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    results_topics_partitions.append(DescribeLogDirsPartition(results_topics_partitions_partition_index, results_topics_partitions_partition_size, results_topics_partitions_offset_lag, results_topics_partitions_is_future_key))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                results_topics.append(DescribeLogDirsTopic(results_topics_name, results_topics_partitions))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results.append(DescribeLogDirsResult(results_error_code, results_log_dir, results_topics))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeLogDirsResponse(throttle_time_ms, 0, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_log_dirs_response_v2(out: bytearray, m: DescribeLogDirsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            out += _write_h(results_item.error_code)
            text = results_item.log_dir.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "LogDir")
            out += text
            results_topics = results_item.topics
            n = len(results_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_topics_item in results_topics:
                text = results_topics_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                results_topics_partitions = results_topics_item.partitions
                n = len(results_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for results_topics_partitions_item in results_topics_partitions:
                    out += _write_iqqz(results_topics_partitions_item.partition_index, results_topics_partitions_item.partition_size, results_topics_partitions_item.offset_lag, results_topics_partitions_item.is_future_key)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeLogDirsResponse", error) from error


def decode_describe_log_dirs_response_v3(buf: bytes, pos: int, end: int) -> tuple[DescribeLogDirsResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[DescribeLogDirsResult] = []
        results_count = n
        for _ in range(results_count):
            results_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "LogDir")
            if n < 0:
                raise null("LogDir")
            results_log_dir = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Topics", n, pos, end)
            results_topics: list[DescribeLogDirsTopic] = []
            results_topics_count = n
            for _ in range(results_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                results_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                results_topics_partitions: list[DescribeLogDirsPartition] = []
                results_topics_partitions_count = n
                for _ in range(results_topics_partitions_count):
                    results_topics_partitions_partition_index, results_topics_partitions_partition_size, results_topics_partitions_offset_lag, results_topics_partitions_is_future_key = _read_iqqz(buf, pos)
                    pos += 21
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    results_topics_partitions.append(DescribeLogDirsPartition(results_topics_partitions_partition_index, results_topics_partitions_partition_size, results_topics_partitions_offset_lag, results_topics_partitions_is_future_key))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                results_topics.append(DescribeLogDirsTopic(results_topics_name, results_topics_partitions))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results.append(DescribeLogDirsResult(results_error_code, results_log_dir, results_topics))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeLogDirsResponse(throttle_time_ms, error_code, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_log_dirs_response_v3(out: bytearray, m: DescribeLogDirsResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            out += _write_h(results_item.error_code)
            text = results_item.log_dir.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "LogDir")
            out += text
            results_topics = results_item.topics
            n = len(results_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_topics_item in results_topics:
                text = results_topics_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                results_topics_partitions = results_topics_item.partitions
                n = len(results_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for results_topics_partitions_item in results_topics_partitions:
                    out += _write_iqqz(results_topics_partitions_item.partition_index, results_topics_partitions_item.partition_size, results_topics_partitions_item.offset_lag, results_topics_partitions_item.is_future_key)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeLogDirsResponse", error) from error


def decode_describe_log_dirs_response_v4(buf: bytes, pos: int, end: int) -> tuple[DescribeLogDirsResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[DescribeLogDirsResult] = []
        results_count = n
        for _ in range(results_count):
            results_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "LogDir")
            if n < 0:
                raise null("LogDir")
            results_log_dir = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Topics", n, pos, end)
            results_topics: list[DescribeLogDirsTopic] = []
            results_topics_count = n
            for _ in range(results_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                results_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                results_topics_partitions: list[DescribeLogDirsPartition] = []
                results_topics_partitions_count = n
                for _ in range(results_topics_partitions_count):
                    results_topics_partitions_partition_index, results_topics_partitions_partition_size, results_topics_partitions_offset_lag, results_topics_partitions_is_future_key = _read_iqqz(buf, pos)
                    pos += 21
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    results_topics_partitions.append(DescribeLogDirsPartition(results_topics_partitions_partition_index, results_topics_partitions_partition_size, results_topics_partitions_offset_lag, results_topics_partitions_is_future_key))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                results_topics.append(DescribeLogDirsTopic(results_topics_name, results_topics_partitions))
            results_total_bytes, results_usable_bytes = _read_qq(buf, pos)
            pos += 16
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results.append(DescribeLogDirsResult(results_error_code, results_log_dir, results_topics, results_total_bytes, results_usable_bytes))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeLogDirsResponse(throttle_time_ms, error_code, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_log_dirs_response_v4(out: bytearray, m: DescribeLogDirsResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            out += _write_h(results_item.error_code)
            text = results_item.log_dir.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "LogDir")
            out += text
            results_topics = results_item.topics
            n = len(results_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_topics_item in results_topics:
                text = results_topics_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                results_topics_partitions = results_topics_item.partitions
                n = len(results_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for results_topics_partitions_item in results_topics_partitions:
                    out += _write_iqqz(results_topics_partitions_item.partition_index, results_topics_partitions_item.partition_size, results_topics_partitions_item.offset_lag, results_topics_partitions_item.is_future_key)
                    out.append(0)
                out.append(0)
            out += _write_qq(results_item.total_bytes, results_item.usable_bytes)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeLogDirsResponse", error) from error


def decode_describe_log_dirs_response_v5(buf: bytes, pos: int, end: int) -> tuple[DescribeLogDirsResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[DescribeLogDirsResult] = []
        results_count = n
        for _ in range(results_count):
            results_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "LogDir")
            if n < 0:
                raise null("LogDir")
            results_log_dir = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Topics", n, pos, end)
            results_topics: list[DescribeLogDirsTopic] = []
            results_topics_count = n
            for _ in range(results_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                results_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                results_topics_partitions: list[DescribeLogDirsPartition] = []
                results_topics_partitions_count = n
                for _ in range(results_topics_partitions_count):
                    results_topics_partitions_partition_index, results_topics_partitions_partition_size, results_topics_partitions_offset_lag, results_topics_partitions_is_future_key = _read_iqqz(buf, pos)
                    pos += 21
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    results_topics_partitions.append(DescribeLogDirsPartition(results_topics_partitions_partition_index, results_topics_partitions_partition_size, results_topics_partitions_offset_lag, results_topics_partitions_is_future_key))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                results_topics.append(DescribeLogDirsTopic(results_topics_name, results_topics_partitions))
            results_total_bytes, results_usable_bytes, results_is_cordoned = _read_qqz(buf, pos)
            pos += 17
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results.append(DescribeLogDirsResult(results_error_code, results_log_dir, results_topics, results_total_bytes, results_usable_bytes, results_is_cordoned))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeLogDirsResponse(throttle_time_ms, error_code, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_log_dirs_response_v5(out: bytearray, m: DescribeLogDirsResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            out += _write_h(results_item.error_code)
            text = results_item.log_dir.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "LogDir")
            out += text
            results_topics = results_item.topics
            n = len(results_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_topics_item in results_topics:
                text = results_topics_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                results_topics_partitions = results_topics_item.partitions
                n = len(results_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for results_topics_partitions_item in results_topics_partitions:
                    out += _write_iqqz(results_topics_partitions_item.partition_index, results_topics_partitions_item.partition_size, results_topics_partitions_item.offset_lag, results_topics_partitions_item.is_future_key)
                    out.append(0)
                out.append(0)
            out += _write_qqz(results_item.total_bytes, results_item.usable_bytes, results_item.is_cordoned)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeLogDirsResponse", error) from error

DescribeLogDirsResponse.DECODERS = {
    1: decode_describe_log_dirs_response_v1,
    2: decode_describe_log_dirs_response_v2,
    3: decode_describe_log_dirs_response_v3,
    4: decode_describe_log_dirs_response_v4,
    5: decode_describe_log_dirs_response_v5,
}

DescribeLogDirsResponse.ENCODERS = {
    1: encode_describe_log_dirs_response_v1,
    2: encode_describe_log_dirs_response_v2,
    3: encode_describe_log_dirs_response_v3,
    4: encode_describe_log_dirs_response_v4,
    5: encode_describe_log_dirs_response_v5,
}

__all__ = [
    "DescribableLogDirTopic", "DescribeLogDirsPartition", "DescribeLogDirsRequest", "DescribeLogDirsResponse",
    "DescribeLogDirsResult", "DescribeLogDirsTopic",
]
