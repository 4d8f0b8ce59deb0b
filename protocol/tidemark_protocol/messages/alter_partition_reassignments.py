# Generated from schemas/messages/AlterPartitionReassignmentsRequest.json and schemas/messages/AlterPartitionReassignmentsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, check_count, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iz = struct.Struct(">i?")
_read_iz = _iz.unpack_from
_write_iz = _iz.pack
_izh = struct.Struct(">i?h")
_read_izh = _izh.unpack_from
_write_izh = _izh.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class ReassignablePartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("Replicas", "replicas", "[]int32", None),
    )
    partition_index: int = 0
    replicas: list[int] | None = None


class ReassignableTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", ReassignablePartition),
    )
    name: str = ""
    partitions: list[ReassignablePartition] = []


class AlterPartitionReassignmentsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TimeoutMs", "timeout_ms", "int32", None),
        ("AllowReplicationFactorChange", "allow_replication_factor_change", "bool", None),
        ("Topics", "topics", "[]struct", ReassignableTopic),
    )
    NAME: ClassVar = "AlterPartitionReassignmentsRequest"
    API_KEY: ClassVar = 45
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    timeout_ms: int = 60000
    allow_replication_factor_change: bool = True
    topics: list[ReassignableTopic] = []


class ReassignablePartitionResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = ""


class ReassignableTopicResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", ReassignablePartitionResponse),
    )
    name: str = ""
    partitions: list[ReassignablePartitionResponse] = []


class AlterPartitionReassignmentsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("AllowReplicationFactorChange", "allow_replication_factor_change", "bool", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("Responses", "responses", "[]struct", ReassignableTopicResponse),
    )
    NAME: ClassVar = "AlterPartitionReassignmentsResponse"
    API_KEY: ClassVar = 45
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    allow_replication_factor_change: bool = True
    error_code: int = 0
    error_message: str | None = ""
    responses: list[ReassignableTopicResponse] = []


def decode_alter_partition_reassignments_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AlterPartitionReassignmentsRequest, int]:
    try:
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[ReassignableTopic] = []
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
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[ReassignablePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                topics_partitions_replicas: list[int] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    topics_partitions_replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    topics_partitions_replicas = topics_partitions_replicas_list
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(ReassignablePartition(topics_partitions_partition_index, topics_partitions_replicas))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(ReassignableTopic(topics_name, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AlterPartitionReassignmentsRequest(timeout_ms, True, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_partition_reassignments_request_v0(out: bytearray, m: AlterPartitionReassignmentsRequest) -> None:
    try:
        out += _write_i(m.timeout_ms)
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
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_i(topics_partitions_item.partition_index)
                topics_partitions_replicas = topics_partitions_item.replicas
                if topics_partitions_replicas is None:
                    out.append(0)
                else:
                    n = len(topics_partitions_replicas) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topics_partitions_replicas)}i", *topics_partitions_replicas)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterPartitionReassignmentsRequest", error) from error


def decode_alter_partition_reassignments_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AlterPartitionReassignmentsRequest, int]:
    try:
        timeout_ms, allow_replication_factor_change = _read_iz(buf, pos)
        pos += 5
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[ReassignableTopic] = []
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
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[ReassignablePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                topics_partitions_replicas: list[int] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    topics_partitions_replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    topics_partitions_replicas = topics_partitions_replicas_list
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(ReassignablePartition(topics_partitions_partition_index, topics_partitions_replicas))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(ReassignableTopic(topics_name, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AlterPartitionReassignmentsRequest(timeout_ms, allow_replication_factor_change, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_partition_reassignments_request_v1(out: bytearray, m: AlterPartitionReassignmentsRequest) -> None:
    try:
        out += _write_iz(m.timeout_ms, m.allow_replication_factor_change)
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
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_i(topics_partitions_item.partition_index)
                topics_partitions_replicas = topics_partitions_item.replicas
                if topics_partitions_replicas is None:
                    out.append(0)
                else:
                    n = len(topics_partitions_replicas) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topics_partitions_replicas)}i", *topics_partitions_replicas)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterPartitionReassignmentsRequest", error) from error

AlterPartitionReassignmentsRequest.DECODERS = {
    0: decode_alter_partition_reassignments_request_v0,
    1: decode_alter_partition_reassignments_request_v1,
}

AlterPartitionReassignmentsRequest.ENCODERS = {
    0: encode_alter_partition_reassignments_request_v0,
    1: encode_alter_partition_reassignments_request_v1,
}



def decode_alter_partition_reassignments_response_v0(buf: bytes, pos: int, end: int) -> tuple[AlterPartitionReassignmentsResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
        error_message: str | None = None
        if n >= 0:
            error_message = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[ReassignableTopicResponse] = []
        responses_count = n
        for _ in range(responses_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            responses_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            responses_partitions: list[ReassignablePartitionResponse] = []
            responses_partitions_count = n
            for _ in range(responses_partitions_count):
                responses_partitions_partition_index, responses_partitions_error_code = _read_ih(buf, pos)
                pos += 6
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
                responses_partitions_error_message: str | None = None
                if n >= 0:
                    responses_partitions_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                responses_partitions.append(ReassignablePartitionResponse(responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_error_message))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(ReassignableTopicResponse(responses_name, responses_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = AlterPartitionReassignmentsResponse(throttle_time_ms, True, error_code, error_message, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_partition_reassignments_response_v0(out: bytearray, m: AlterPartitionReassignmentsResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        error_message = m.error_message
        if error_message is None:
            out.append(0)
        else:
            text = error_message.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ErrorMessage")
            out += text
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            text = responses_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            responses_partitions = responses_item.partitions
            n = len(responses_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partitions_item in responses_partitions:
                out += _write_ih(responses_partitions_item.partition_index, responses_partitions_item.error_code)
                responses_partitions_error_message = responses_partitions_item.error_message
                if responses_partitions_error_message is None:
                    out.append(0)
                else:
                    text = responses_partitions_error_message.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "ErrorMessage")
                    out += text
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterPartitionReassignmentsResponse", error) from error


def decode_alter_partition_reassignments_response_v1(buf: bytes, pos: int, end: int) -> tuple[AlterPartitionReassignmentsResponse, int]:
    try:
        throttle_time_ms, allow_replication_factor_change, error_code = _read_izh(buf, pos)
        pos += 7
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
        error_message: str | None = None
        if n >= 0:
            error_message = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[ReassignableTopicResponse] = []
        responses_count = n
        for _ in range(responses_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            responses_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            responses_partitions: list[ReassignablePartitionResponse] = []
            responses_partitions_count = n
            for _ in range(responses_partitions_count):
                responses_partitions_partition_index, responses_partitions_error_code = _read_ih(buf, pos)
                pos += 6
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
                responses_partitions_error_message: str | None = None
                if n >= 0:
                    responses_partitions_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                responses_partitions.append(ReassignablePartitionResponse(responses_partitions_partition_index, responses_partitions_error_code, responses_partitions_error_message))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(ReassignableTopicResponse(responses_name, responses_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = AlterPartitionReassignmentsResponse(throttle_time_ms, allow_replication_factor_change, error_code, error_message, responses)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_partition_reassignments_response_v1(out: bytearray, m: AlterPartitionReassignmentsResponse) -> None:
    try:
        out += _write_izh(m.throttle_time_ms, m.allow_replication_factor_change, m.error_code)
        error_message = m.error_message
        if error_message is None:
            out.append(0)
        else:
            text = error_message.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ErrorMessage")
            out += text
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            text = responses_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            responses_partitions = responses_item.partitions
            n = len(responses_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partitions_item in responses_partitions:
                out += _write_ih(responses_partitions_item.partition_index, responses_partitions_item.error_code)
                responses_partitions_error_message = responses_partitions_item.error_message
                if responses_partitions_error_message is None:
                    out.append(0)
                else:
                    text = responses_partitions_error_message.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "ErrorMessage")
                    out += text
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterPartitionReassignmentsResponse", error) from error

AlterPartitionReassignmentsResponse.DECODERS = {
    0: decode_alter_partition_reassignments_response_v0,
    1: decode_alter_partition_reassignments_response_v1,
}

AlterPartitionReassignmentsResponse.ENCODERS = {
    0: encode_alter_partition_reassignments_response_v0,
    1: encode_alter_partition_reassignments_response_v1,
}

__all__ = [
    "AlterPartitionReassignmentsRequest", "AlterPartitionReassignmentsResponse", "ReassignablePartition",
    "ReassignablePartitionResponse", "ReassignableTopic", "ReassignableTopicResponse",
]
