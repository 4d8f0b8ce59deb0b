# Generated from schemas/messages/AlterReplicaLogDirsRequest.json and schemas/messages/AlterReplicaLogDirsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirTopic,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
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


def decode_alter_replica_log_dirs_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[AlterReplicaLogDirsRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Dirs")
        if n > end - pos:
            check_count(n, pos, end)
        dirs: list[AlterReplicaLogDir] = []
        dirs_count = n
        for _ in range(dirs_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Path")
            dirs_path = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Topics")
            if n > end - pos:
                check_count(n, pos, end)
            dirs_topics: list[AlterReplicaLogDirTopic] = []
            dirs_topics_count = n
            for _ in range(dirs_topics_count):
                yield 1
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Name")
                dirs_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if n < 0:
                    raise null("Partitions")
                if n > end - pos:
                    check_count(n, pos, end)
                yield n
                dirs_topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                dirs_topics.append(AlterReplicaLogDirTopic(dirs_topics_name, dirs_topics_partitions))
            dirs.append(AlterReplicaLogDir(dirs_path, dirs_topics))
        message = AlterReplicaLogDirsRequest(dirs)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_alter_replica_log_dirs_request_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[AlterReplicaLogDirsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Dirs")
        if n > end - pos:
            check_count(n, pos, end)
        dirs: list[AlterReplicaLogDir] = []
        dirs_count = n
        for _ in range(dirs_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Path", n)
            if n < 0:
                raise null("Path")
            dirs_path = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Topics")
            if n > end - pos:
                check_count(n, pos, end)
            dirs_topics: list[AlterReplicaLogDirTopic] = []
            dirs_topics_count = n
            for _ in range(dirs_topics_count):
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
                dirs_topics_name = buf[pos : pos + n].decode("utf-8", "java")
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
                dirs_topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                dirs_topics.append(AlterReplicaLogDirTopic(dirs_topics_name, dirs_topics_partitions))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            dirs.append(AlterReplicaLogDir(dirs_path, dirs_topics))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = AlterReplicaLogDirsRequest(dirs)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_alter_replica_log_dirs_response_v1(out: bytearray, m: AlterReplicaLogDirsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        results = m.results
        out += _write_i(len(results))
        for results_item in results:
            yield 1
            results_topic_name = results_item.topic_name
            text = results_topic_name.encode()
            out += _write_h(len(text))
            out += text
            results_partitions = results_item.partitions
            out += _write_i(len(results_partitions))
            for results_partitions_item in results_partitions:
                yield 1
                out += _write_ih(results_partitions_item.partition_index, results_partitions_item.error_code)
    except UNFIT as error:
        raise unfit("AlterReplicaLogDirsResponse", error) from error


def encode_alter_replica_log_dirs_response_v2(out: bytearray, m: AlterReplicaLogDirsResponse) -> Generator[int, None, None]:
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
            results_topic_name = results_item.topic_name
            text = results_topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TopicName", n - 1)
                write_uvarint(out, n)
            out += text
            results_partitions = results_item.partitions
            n = len(results_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_partitions_item in results_partitions:
                yield 1
                out += _write_ih(results_partitions_item.partition_index, results_partitions_item.error_code)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterReplicaLogDirsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    1: decode_alter_replica_log_dirs_request_v1,
    2: decode_alter_replica_log_dirs_request_v2,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    1: encode_alter_replica_log_dirs_response_v1,
    2: encode_alter_replica_log_dirs_response_v2,
}

__all__ = ["DECODERS", "ENCODERS"]
