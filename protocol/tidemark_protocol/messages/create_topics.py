# Generated from schemas/messages/CreateTopicsRequest.json and schemas/messages/CreateTopicsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, check_count, null, past_end, read_length,
    read_tag_count, read_text_length, read_uvarint, skip_tag, skip_tags, skip_tags_within, too_many,
    too_short, unfit, write_tags, write_text_length, write_uvarint, wrong_count,
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


class CreatableReplicaAssignment(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("BrokerIds", "broker_ids", "[]int32", None),
    )
    partition_index: int = 0
    broker_ids: list[int] = []


class CreatableTopicConfig(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Value", "value", "string", None),
    )
    name: str = ""
    value: str | None = ""


class CreatableTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("NumPartitions", "num_partitions", "int32", None),
        ("ReplicationFactor", "replication_factor", "int16", None),
        ("Assignments", "assignments", "[]struct", CreatableReplicaAssignment),
        ("Configs", "configs", "[]struct", CreatableTopicConfig),
    )
    name: str = ""
    num_partitions: int = 0
    replication_factor: int = 0
    assignments: list[CreatableReplicaAssignment] = []
    configs: list[CreatableTopicConfig] = []


class CreateTopicsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topics", "topics", "[]struct", CreatableTopic),
        ("timeoutMs", "timeout_ms", "int32", None),
        ("validateOnly", "validate_only", "bool", None),
    )
    NAME: ClassVar = "CreateTopicsRequest"
    API_KEY: ClassVar = 19
    LOWEST: ClassVar = 2
    HIGHEST: ClassVar = 7
    FLEXIBLE_FROM: ClassVar = 5
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topics: list[CreatableTopic] = []
    timeout_ms: int = 60000
    validate_only: bool = False


class CreatableTopicConfigs(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Value", "value", "string", None),
        ("ReadOnly", "read_only", "bool", None),
        ("ConfigSource", "config_source", "int8", None),
        ("IsSensitive", "is_sensitive", "bool", None),
    )
    name: str = ""
    value: str | None = ""
    read_only: bool = False
    config_source: int = -1
    is_sensitive: bool = False


class CreatableTopicResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("TopicConfigErrorCode", "topic_config_error_code", "int16", None),
        ("NumPartitions", "num_partitions", "int32", None),
        ("ReplicationFactor", "replication_factor", "int16", None),
        ("Configs", "configs", "[]struct", CreatableTopicConfigs),
    )
    name: str = ""
    topic_id: bytes = ZERO_UUID
    error_code: int = 0
    error_message: str | None = ""
    topic_config_error_code: int = 0
    num_partitions: int = -1
    replication_factor: int = -1
    configs: list[CreatableTopicConfigs] | None = []


class CreateTopicsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Topics", "topics", "[]struct", CreatableTopicResult),
    )
    NAME: ClassVar = "CreateTopicsResponse"
    API_KEY: ClassVar = 19
    LOWEST: ClassVar = 2
    HIGHEST: ClassVar = 7
    FLEXIBLE_FROM: ClassVar = 5
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    topics: list[CreatableTopicResult] = []


def decode_create_topics_request_v2_v4(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[CreateTopicsRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[CreatableTopic] = []
        topics_count = n
        for _ in range(topics_count):
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
            if not 0 <= n <= end - pos:
                raise wrong_count("Assignments", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_assignments: list[CreatableReplicaAssignment] = []
            topics_assignments_count = n
            for _ in range(topics_assignments_count):
                topics_assignments_partition_index, = _read_i(buf, pos)
                pos += 4
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("BrokerIds", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topics_assignments_broker_ids: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_assignments.append(CreatableReplicaAssignment(topics_assignments_partition_index, topics_assignments_broker_ids))
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Configs", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_configs: list[CreatableTopicConfig] = []
            topics_configs_count = n
            for _ in range(topics_configs_count):
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
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_topics_request_v2_v4(out: bytearray, m: CreateTopicsRequest) -> None:
    try:
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_ih(topics_item.num_partitions, topics_item.replication_factor)
            topics_assignments = topics_item.assignments
            out += _write_i(len(topics_assignments))
            for topics_assignments_item in topics_assignments:
                out += _write_i(topics_assignments_item.partition_index)
                topics_assignments_broker_ids = topics_assignments_item.broker_ids
                out += _write_i(len(topics_assignments_broker_ids))
                out += struct.pack(f">{len(topics_assignments_broker_ids)}i", *topics_assignments_broker_ids)
            topics_configs = topics_item.configs
            out += _write_i(len(topics_configs))
            for topics_configs_item in topics_configs:
                text = topics_configs_item.name.encode()
                out += _write_h(len(text))
                out += text
                topics_configs_value = topics_configs_item.value
                if topics_configs_value is None:
                    out += _write_h(-1)
                else:
                    text = topics_configs_value.encode()
                    out += _write_h(len(text))
                    out += text
        out += _write_iz(m.timeout_ms, m.validate_only)
    except UNFIT as error:
        raise unfit("CreateTopicsRequest", error) from error


def decode_create_topics_request_v5_v7(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[CreateTopicsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[CreatableTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_num_partitions, topics_replication_factor = _read_ih(buf, pos)
            pos += 6
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Assignments", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_assignments: list[CreatableReplicaAssignment] = []
            topics_assignments_count = n
            for _ in range(topics_assignments_count):
                topics_assignments_partition_index, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("BrokerIds", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topics_assignments_broker_ids: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_assignments.append(CreatableReplicaAssignment(topics_assignments_partition_index, topics_assignments_broker_ids))
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Configs", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_configs: list[CreatableTopicConfig] = []
            topics_configs_count = n
            for _ in range(topics_configs_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                topics_configs_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Value")
                topics_configs_value: str | None = None
                if n >= 0:
                    topics_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_configs.append(CreatableTopicConfig(topics_configs_name, topics_configs_value))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(CreatableTopic(topics_name, topics_num_partitions, topics_replication_factor, topics_assignments, topics_configs))
        timeout_ms, validate_only = _read_iz(buf, pos)
        pos += 5
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = CreateTopicsRequest(topics, timeout_ms, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_topics_request_v5_v7(out: bytearray, m: CreateTopicsRequest) -> None:
    try:
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            text = topics_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            out += _write_ih(topics_item.num_partitions, topics_item.replication_factor)
            topics_assignments = topics_item.assignments
            n = len(topics_assignments) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_assignments_item in topics_assignments:
                out += _write_i(topics_assignments_item.partition_index)
                topics_assignments_broker_ids = topics_assignments_item.broker_ids
                n = len(topics_assignments_broker_ids) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_assignments_broker_ids)}i", *topics_assignments_broker_ids)
                out.append(0)
            topics_configs = topics_item.configs
            n = len(topics_configs) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_configs_item in topics_configs:
                text = topics_configs_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
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
                        write_text_length(out, n, "Value")
                    out += text
                out.append(0)
            out.append(0)
        out += _write_iz(m.timeout_ms, m.validate_only)
        out.append(0)
    except UNFIT as error:
        raise unfit("CreateTopicsRequest", error) from error

CreateTopicsRequest.DECODERS = {
    2: decode_create_topics_request_v2_v4, 3: decode_create_topics_request_v2_v4,
    4: decode_create_topics_request_v2_v4,
    5: decode_create_topics_request_v5_v7, 6: decode_create_topics_request_v5_v7,
    7: decode_create_topics_request_v5_v7,
}

CreateTopicsRequest.ENCODERS = {
    2: encode_create_topics_request_v2_v4, 3: encode_create_topics_request_v2_v4,
    4: encode_create_topics_request_v2_v4,
    5: encode_create_topics_request_v5_v7, 6: encode_create_topics_request_v5_v7,
    7: encode_create_topics_request_v5_v7,
}



def decode_create_topics_response_v2_v4(buf: bytes, pos: int, end: int) -> tuple[CreateTopicsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[CreatableTopicResult] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            topics_error_message: str | None = None
            if n >= 0:
                topics_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            topics.append(CreatableTopicResult(topics_name, ZERO_UUID, topics_error_code, topics_error_message))
        message = CreateTopicsResponse(throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_topics_response_v2_v4(out: bytearray, m: CreateTopicsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
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


def decode_create_topics_response_v5_v6(buf: bytes, pos: int, end: int) -> tuple[CreateTopicsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[CreatableTopicResult] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            topics_error_message: str | None = None
            if n >= 0:
                topics_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            topics_num_partitions, topics_replication_factor = _read_ih(buf, pos)
            pos += 6
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            topics_configs: list[CreatableTopicConfigs] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                topics_configs_list: list[CreatableTopicConfigs] = []
                topics_configs_count = n
                for _ in range(topics_configs_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Name")
                    if n < 0:
                        raise null("Name")
                    topics_configs_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Value")
                    topics_configs_value: str | None = None
                    if n >= 0:
                        topics_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    topics_configs_read_only, topics_configs_config_source, topics_configs_is_sensitive = _read_zbz(buf, pos)
                    pos += 3
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    topics_configs_list.append(CreatableTopicConfigs(topics_configs_name, topics_configs_value, topics_configs_read_only, topics_configs_config_source, topics_configs_is_sensitive))
                topics_configs = topics_configs_list
            topics_topic_config_error_code: int = 0
            topics_tag_count = buf[pos]
            pos += 1
            if topics_tag_count:
                topics_tag_count, pos = read_tag_count(buf, pos - 1, end)
                for _ in range(topics_tag_count):
                    tag, pos = read_uvarint(buf, pos)
                    if tag == 0:
                        _, pos = read_uvarint(buf, pos)
                        topics_topic_config_error_code, = _read_h(buf, pos)
                        pos += 2
                    else:
                        pos = skip_tag(buf, pos, end)
            topics.append(CreatableTopicResult(topics_name, ZERO_UUID, topics_error_code, topics_error_message, topics_topic_config_error_code, topics_num_partitions, topics_replication_factor, topics_configs))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = CreateTopicsResponse(throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_topics_response_v5_v6(out: bytearray, m: CreateTopicsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            text = topics_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
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
                    write_text_length(out, n, "ErrorMessage")
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
                    text = topics_configs_item.name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Name")
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
                            write_text_length(out, n, "Value")
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


def decode_create_topics_response_v7(buf: bytes, pos: int, end: int) -> tuple[CreateTopicsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[CreatableTopicResult] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_topic_id, topics_error_code = _read_uh(buf, pos)
            pos += 18
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            topics_error_message: str | None = None
            if n >= 0:
                topics_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            topics_num_partitions, topics_replication_factor = _read_ih(buf, pos)
            pos += 6
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            topics_configs: list[CreatableTopicConfigs] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                topics_configs_list: list[CreatableTopicConfigs] = []
                topics_configs_count = n
                for _ in range(topics_configs_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Name")
                    if n < 0:
                        raise null("Name")
                    topics_configs_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Value")
                    topics_configs_value: str | None = None
                    if n >= 0:
                        topics_configs_value = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    topics_configs_read_only, topics_configs_config_source, topics_configs_is_sensitive = _read_zbz(buf, pos)
                    pos += 3
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    topics_configs_list.append(CreatableTopicConfigs(topics_configs_name, topics_configs_value, topics_configs_read_only, topics_configs_config_source, topics_configs_is_sensitive))
                topics_configs = topics_configs_list
            topics_topic_config_error_code: int = 0
            topics_tag_count = buf[pos]
            pos += 1
            if topics_tag_count:
                topics_tag_count, pos = read_tag_count(buf, pos - 1, end)
                for _ in range(topics_tag_count):
                    tag, pos = read_uvarint(buf, pos)
                    if tag == 0:
                        _, pos = read_uvarint(buf, pos)
                        topics_topic_config_error_code, = _read_h(buf, pos)
                        pos += 2
                    else:
                        pos = skip_tag(buf, pos, end)
            topics.append(CreatableTopicResult(topics_name, topics_topic_id, topics_error_code, topics_error_message, topics_topic_config_error_code, topics_num_partitions, topics_replication_factor, topics_configs))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = CreateTopicsResponse(throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_topics_response_v7(out: bytearray, m: CreateTopicsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            text = topics_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
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
                    write_text_length(out, n, "ErrorMessage")
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
                    text = topics_configs_item.name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Name")
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
                            write_text_length(out, n, "Value")
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

CreateTopicsResponse.DECODERS = {
    2: decode_create_topics_response_v2_v4, 3: decode_create_topics_response_v2_v4,
    4: decode_create_topics_response_v2_v4,
    5: decode_create_topics_response_v5_v6, 6: decode_create_topics_response_v5_v6,
    7: decode_create_topics_response_v7,
}

CreateTopicsResponse.ENCODERS = {
    2: encode_create_topics_response_v2_v4, 3: encode_create_topics_response_v2_v4,
    4: encode_create_topics_response_v2_v4,
    5: encode_create_topics_response_v5_v6, 6: encode_create_topics_response_v5_v6,
    7: encode_create_topics_response_v7,
}

__all__ = [
    "CreatableReplicaAssignment", "CreatableTopic", "CreatableTopicConfig", "CreatableTopicConfigs",
    "CreatableTopicResult", "CreateTopicsRequest", "CreateTopicsResponse",
]
