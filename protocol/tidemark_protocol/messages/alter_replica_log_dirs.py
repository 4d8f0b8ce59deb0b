# Generated from schemas/messages/AlterReplicaLogDirsRequest.json and schemas/messages/AlterReplicaLogDirsResponse.json. Edit that, then run make generate.

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
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class AlterReplicaLogDirTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    name: str = ""
    partitions: list[int] = []


class AlterReplicaLogDir(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Path", "path", "string", None),
        ("Topics", "topics", "[]struct", AlterReplicaLogDirTopic),
    )
    path: str = ""
    topics: list[AlterReplicaLogDirTopic] = []


class AlterReplicaLogDirsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Dirs", "dirs", "[]struct", AlterReplicaLogDir),
    )
    NAME: ClassVar = "AlterReplicaLogDirsRequest"
    API_KEY: ClassVar = 34
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    dirs: list[AlterReplicaLogDir] = []


class AlterReplicaLogDirPartitionResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
    )
    partition_index: int = 0
    error_code: int = 0


class AlterReplicaLogDirTopicResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
        ("Partitions", "partitions", "[]struct", AlterReplicaLogDirPartitionResult),
    )
    topic_name: str = ""
    partitions: list[AlterReplicaLogDirPartitionResult] = []


class AlterReplicaLogDirsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Results", "results", "[]struct", AlterReplicaLogDirTopicResult),
    )
    NAME: ClassVar = "AlterReplicaLogDirsResponse"
    API_KEY: ClassVar = 34
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    results: list[AlterReplicaLogDirTopicResult] = []


def decode_alter_replica_log_dirs_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AlterReplicaLogDirsRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Dirs", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        dirs: list[AlterReplicaLogDir] = []
        dirs_count = n
        for _ in range(dirs_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Path")
            dirs_path = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Topics", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            dirs_topics: list[AlterReplicaLogDirTopic] = []
            dirs_topics_count = n
            for _ in range(dirs_topics_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Name")
                dirs_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                dirs_topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                dirs_topics.append(AlterReplicaLogDirTopic(dirs_topics_name, dirs_topics_partitions))
            dirs.append(AlterReplicaLogDir(dirs_path, dirs_topics))
        message = AlterReplicaLogDirsRequest(dirs)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_replica_log_dirs_request_v1(out: bytearray, m: AlterReplicaLogDirsRequest) -> None:
    try:
        dirs = m.dirs
        out += _write_i(len(dirs))
        for dirs_item in dirs:
            text = dirs_item.path.encode()
            out += _write_h(len(text))
            out += text
            dirs_topics = dirs_item.topics
            out += _write_i(len(dirs_topics))
            for dirs_topics_item in dirs_topics:
                text = dirs_topics_item.name.encode()
                out += _write_h(len(text))
                out += text
                dirs_topics_partitions = dirs_topics_item.partitions
                out += _write_i(len(dirs_topics_partitions))
                out += struct.pack(f">{len(dirs_topics_partitions)}i", *dirs_topics_partitions)
    except UNFIT as error:
        raise unfit("AlterReplicaLogDirsRequest", error) from error


def decode_alter_replica_log_dirs_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AlterReplicaLogDirsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Dirs", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        dirs: list[AlterReplicaLogDir] = []
        dirs_count = n
        for _ in range(dirs_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Path")
            if n < 0:
                raise null("Path")
            dirs_path = buf[pos : pos + n].decode("utf-8", "java")
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
            dirs_topics: list[AlterReplicaLogDirTopic] = []
            dirs_topics_count = n
            for _ in range(dirs_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                dirs_topics_name = buf[pos : pos + n].decode("utf-8", "java")
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
                dirs_topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                dirs_topics.append(AlterReplicaLogDirTopic(dirs_topics_name, dirs_topics_partitions))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            dirs.append(AlterReplicaLogDir(dirs_path, dirs_topics))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AlterReplicaLogDirsRequest(dirs)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_replica_log_dirs_request_v2(out: bytearray, m: AlterReplicaLogDirsRequest) -> None:
    try:
        dirs = m.dirs
        n = len(dirs) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for dirs_item in dirs:
            text = dirs_item.path.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Path")
            out += text
            dirs_topics = dirs_item.topics
            n = len(dirs_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for dirs_topics_item in dirs_topics:
                text = dirs_topics_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                dirs_topics_partitions = dirs_topics_item.partitions
                n = len(dirs_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(dirs_topics_partitions)}i", *dirs_topics_partitions)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterReplicaLogDirsRequest", error) from error

AlterReplicaLogDirsRequest.DECODERS = {
    1: decode_alter_replica_log_dirs_request_v1,
    2: decode_alter_replica_log_dirs_request_v2,
}

AlterReplicaLogDirsRequest.ENCODERS = {
    1: encode_alter_replica_log_dirs_request_v1,
    2: encode_alter_replica_log_dirs_request_v2,
}



def decode_alter_replica_log_dirs_response_v1(buf: bytes, pos: int, end: int) -> tuple[AlterReplicaLogDirsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[AlterReplicaLogDirTopicResult] = []
        results_count = n
        for _ in range(results_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("TopicName")
            results_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            results_partitions: list[AlterReplicaLogDirPartitionResult] = []
            results_partitions_count = n
            for _ in range(results_partitions_count):
                results_partitions_partition_index, results_partitions_error_code = _read_ih(buf, pos)
                pos += 6
                results_partitions.append(AlterReplicaLogDirPartitionResult(results_partitions_partition_index, results_partitions_error_code))
            results.append(AlterReplicaLogDirTopicResult(results_topic_name, results_partitions))
        message = AlterReplicaLogDirsResponse(throttle_time_ms, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_replica_log_dirs_response_v1(out: bytearray, m: AlterReplicaLogDirsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        results = m.results
        out += _write_i(len(results))
        for results_item in results:
            text = results_item.topic_name.encode()
            out += _write_h(len(text))
            out += text
            results_partitions = results_item.partitions
            out += _write_i(len(results_partitions))
            for results_partitions_item in results_partitions:
                out += _write_ih(results_partitions_item.partition_index, results_partitions_item.error_code)
    except UNFIT as error:
        raise unfit("AlterReplicaLogDirsResponse", error) from error


def decode_alter_replica_log_dirs_response_v2(buf: bytes, pos: int, end: int) -> tuple[AlterReplicaLogDirsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[AlterReplicaLogDirTopicResult] = []
        results_count = n
        for _ in range(results_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicName")
            if n < 0:
                raise null("TopicName")
            results_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            results_partitions: list[AlterReplicaLogDirPartitionResult] = []
            results_partitions_count = n
            for _ in range(results_partitions_count):
                results_partitions_partition_index, results_partitions_error_code = _read_ih(buf, pos)
                pos += 6
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                results_partitions.append(AlterReplicaLogDirPartitionResult(results_partitions_partition_index, results_partitions_error_code))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results.append(AlterReplicaLogDirTopicResult(results_topic_name, results_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = AlterReplicaLogDirsResponse(throttle_time_ms, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_replica_log_dirs_response_v2(out: bytearray, m: AlterReplicaLogDirsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            text = results_item.topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicName")
            out += text
            results_partitions = results_item.partitions
            n = len(results_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_partitions_item in results_partitions:
                out += _write_ih(results_partitions_item.partition_index, results_partitions_item.error_code)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterReplicaLogDirsResponse", error) from error

AlterReplicaLogDirsResponse.DECODERS = {
    1: decode_alter_replica_log_dirs_response_v1,
    2: decode_alter_replica_log_dirs_response_v2,
}

AlterReplicaLogDirsResponse.ENCODERS = {
    1: encode_alter_replica_log_dirs_response_v1,
    2: encode_alter_replica_log_dirs_response_v2,
}

__all__ = [
    "AlterReplicaLogDir", "AlterReplicaLogDirPartitionResult", "AlterReplicaLogDirTopic",
    "AlterReplicaLogDirTopicResult", "AlterReplicaLogDirsRequest", "AlterReplicaLogDirsResponse",
]
