# Generated from schemas/messages/CreateTopicsRequest.json and schemas/messages/CreateTopicsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
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
    write_tags,
    write_uvarint,
)

_uh = struct.Struct(">16sh")
_read_uh = _uh.unpack_from
_write_uh = _uh.pack
_zbz = struct.Struct(">?b?")
_read_zbz = _zbz.unpack_from
_write_zbz = _zbz.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iz = struct.Struct(">i?")
_read_iz = _iz.unpack_from
_write_iz = _iz.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


def decode_create_topics_request_v2_v4(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[CreateTopicsRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[CreatableTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_num_partitions, topics_replication_factor = _read_ih(buf, pos)
            pos += 6
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Assignments")
            if n > end - pos:
                check_count(n, pos, end)
            topics_assignments: list[CreatableReplicaAssignment] = []
            topics_assignments_count = n
            for _ in range(topics_assignments_count):
                yield 1
                topics_assignments_partition_index, = _read_i(buf, pos)
                pos += 4
                n = _read_i(buf, pos)[0]
                pos += 4
                if n < 0:
                    raise null("BrokerIds")
                if n > end - pos:
                    check_count(n, pos, end)
                yield n
                topics_assignments_broker_ids: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_assignments.append(CreatableReplicaAssignment(topics_assignments_partition_index, topics_assignments_broker_ids))
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Configs")
            if n > end - pos:
                check_count(n, pos, end)
            topics_configs: list[CreatableTopicConfig] = []
            topics_configs_count = n
            for _ in range(topics_configs_count):
                yield 1
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Name")
                topics_configs_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_configs_value: str | None = None
                if n >= 0:
                    topics_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_configs.append(CreatableTopicConfig(topics_configs_name, topics_configs_value))
            topics.append(CreatableTopic(topics_name, topics_num_partitions, topics_replication_factor, topics_assignments, topics_configs))
        timeout_ms, validate_only = _read_iz(buf, pos)
        pos += 5
        message = CreateTopicsRequest(topics, timeout_ms, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_create_topics_request_v5_v7(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[CreateTopicsRequest, int]]:
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
        topics: list[CreatableTopic] = []
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
            topics_num_partitions, topics_replication_factor = _read_ih(buf, pos)
            pos += 6
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Assignments")
            if n > end - pos:
                check_count(n, pos, end)
            topics_assignments: list[CreatableReplicaAssignment] = []
            topics_assignments_count = n
            for _ in range(topics_assignments_count):
                yield 1
                topics_assignments_partition_index, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                if n < 0:
                    raise null("BrokerIds")
                if n > end - pos:
                    check_count(n, pos, end)
                yield n
                topics_assignments_broker_ids: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_assignments.append(CreatableReplicaAssignment(topics_assignments_partition_index, topics_assignments_broker_ids))
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Configs")
            if n > end - pos:
                check_count(n, pos, end)
            topics_configs: list[CreatableTopicConfig] = []
            topics_configs_count = n
            for _ in range(topics_configs_count):
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
                topics_configs_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                    if n > TEXT_MAX:
                        raise too_long("Value", n)
                topics_configs_value: str | None = None
                if n >= 0:
                    topics_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_configs.append(CreatableTopicConfig(topics_configs_name, topics_configs_value))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(CreatableTopic(topics_name, topics_num_partitions, topics_replication_factor, topics_assignments, topics_configs))
        timeout_ms, validate_only = _read_iz(buf, pos)
        pos += 5
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = CreateTopicsRequest(topics, timeout_ms, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_create_topics_response_v2_v4(out: bytearray, m: CreateTopicsResponse) -> Generator[int, None, None]:
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
            out += _write_h(topics_item.error_code)
            topics_error_message = topics_item.error_message
            if topics_error_message is None:
                out += _write_h(-1)
            else:
                text = topics_error_message.encode()
                out += _write_h(len(text))
                out += text
    except UNFIT as error:
        raise unfit("CreateTopicsResponse", error) from error


def encode_create_topics_response_v5_v6(out: bytearray, m: CreateTopicsResponse) -> Generator[int, None, None]:
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
            out += _write_h(topics_item.error_code)
            topics_error_message = topics_item.error_message
            if topics_error_message is None:
                out.append(0)
            else:
                text = topics_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
            out += _write_ih(topics_item.num_partitions, topics_item.replication_factor)
            topics_configs = topics_item.configs
            if topics_configs is None:
                out.append(0)
            else:
                n = len(topics_configs) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_configs_item in topics_configs:
                    yield 1
                    topics_configs_name = topics_configs_item.name
                    text = topics_configs_name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("Name", n - 1)
                        write_uvarint(out, n)
                    out += text
                    topics_configs_value = topics_configs_item.value
                    if topics_configs_value is None:
                        out.append(0)
                    else:
                        text = topics_configs_value.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            if n > TEXT_MAX + 1:
                                raise too_long("Value", n - 1)
                            write_uvarint(out, n)
                        out += text
                    out += _write_zbz(topics_configs_item.read_only, topics_configs_item.config_source, topics_configs_item.is_sensitive)
                    out.append(0)
            topics_tags: list[tuple[int, bytearray]] = []
            if topics_item.topic_config_error_code != 0:
                topics_outer = out
                out = bytearray()
                out += _write_h(topics_item.topic_config_error_code)
                topics_tags.append((0, out))
                out = topics_outer
            write_tags(out, topics_tags)
        out.append(0)
    except UNFIT as error:
        raise unfit("CreateTopicsResponse", error) from error


def encode_create_topics_response_v7(out: bytearray, m: CreateTopicsResponse) -> Generator[int, None, None]:
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
            out += _write_uh(topics_item.topic_id, topics_item.error_code)
            topics_error_message = topics_item.error_message
            if topics_error_message is None:
                out.append(0)
            else:
                text = topics_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
            out += _write_ih(topics_item.num_partitions, topics_item.replication_factor)
            topics_configs = topics_item.configs
            if topics_configs is None:
                out.append(0)
            else:
                n = len(topics_configs) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_configs_item in topics_configs:
                    yield 1
                    topics_configs_name = topics_configs_item.name
                    text = topics_configs_name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("Name", n - 1)
                        write_uvarint(out, n)
                    out += text
                    topics_configs_value = topics_configs_item.value
                    if topics_configs_value is None:
                        out.append(0)
                    else:
                        text = topics_configs_value.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            if n > TEXT_MAX + 1:
                                raise too_long("Value", n - 1)
                            write_uvarint(out, n)
                        out += text
                    out += _write_zbz(topics_configs_item.read_only, topics_configs_item.config_source, topics_configs_item.is_sensitive)
                    out.append(0)
            topics_tags: list[tuple[int, bytearray]] = []
            if topics_item.topic_config_error_code != 0:
                topics_outer = out
                out = bytearray()
                out += _write_h(topics_item.topic_config_error_code)
                topics_tags.append((0, out))
                out = topics_outer
            write_tags(out, topics_tags)
        out.append(0)
    except UNFIT as error:
        raise unfit("CreateTopicsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    2: decode_create_topics_request_v2_v4,
    3: decode_create_topics_request_v2_v4,
    4: decode_create_topics_request_v2_v4,
    5: decode_create_topics_request_v5_v7,
    6: decode_create_topics_request_v5_v7,
    7: decode_create_topics_request_v5_v7,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    2: encode_create_topics_response_v2_v4,
    3: encode_create_topics_response_v2_v4,
    4: encode_create_topics_response_v2_v4,
    5: encode_create_topics_response_v5_v6,
    6: encode_create_topics_response_v5_v6,
    7: encode_create_topics_response_v7,
}

__all__ = ["DECODERS", "ENCODERS"]
