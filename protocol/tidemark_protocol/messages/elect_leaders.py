# Generated from schemas/messages/ElectLeadersRequest.json and schemas/messages/ElectLeadersResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, check_count, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class TopicPartitions(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topic", "topic", "string", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    topic: str = ""
    partitions: list[int] = []


class ElectLeadersRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ElectionType", "election_type", "int8", None),
        ("TopicPartitions", "topic_partitions", "[]struct", TopicPartitions),
        ("TimeoutMs", "timeout_ms", "int32", None),
    )
    NAME: ClassVar = "ElectLeadersRequest"
    API_KEY: ClassVar = 43
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    election_type: int = 0
    topic_partitions: list[TopicPartitions] | None = []
    timeout_ms: int = 60000


class PartitionResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionId", "partition_id", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    partition_id: int = 0
    error_code: int = 0
    error_message: str | None = ""


class ReplicaElectionResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topic", "topic", "string", None),
        ("PartitionResult", "partition_result", "[]struct", PartitionResult),
    )
    topic: str = ""
    partition_result: list[PartitionResult] = []


class ElectLeadersResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ReplicaElectionResults", "replica_election_results", "[]struct", ReplicaElectionResult),
    )
    NAME: ClassVar = "ElectLeadersResponse"
    API_KEY: ClassVar = 43
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    replica_election_results: list[ReplicaElectionResult] = []


def decode_elect_leaders_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ElectLeadersRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        topic_partitions: list[TopicPartitions] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topic_partitions_list: list[TopicPartitions] = []
            topic_partitions_count = n
            for _ in range(topic_partitions_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Topic")
                topic_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topic_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topic_partitions_list.append(TopicPartitions(topic_partitions_topic, topic_partitions_partitions))
            topic_partitions = topic_partitions_list
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        message = ElectLeadersRequest(0, topic_partitions, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_elect_leaders_request_v0(out: bytearray, m: ElectLeadersRequest) -> None:
    try:
        topic_partitions = m.topic_partitions
        if topic_partitions is None:
            out += _write_i(-1)
        else:
            out += _write_i(len(topic_partitions))
            for topic_partitions_item in topic_partitions:
                text = topic_partitions_item.topic.encode()
                out += _write_h(len(text))
                out += text
                topic_partitions_partitions = topic_partitions_item.partitions
                out += _write_i(len(topic_partitions_partitions))
                out += struct.pack(f">{len(topic_partitions_partitions)}i", *topic_partitions_partitions)
        out += _write_i(m.timeout_ms)
    except UNFIT as error:
        raise unfit("ElectLeadersRequest", error) from error


def decode_elect_leaders_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ElectLeadersRequest, int]:
    try:
        election_type, = _read_b(buf, pos)
        pos += 1
        n = _read_i(buf, pos)[0]
        pos += 4
        topic_partitions: list[TopicPartitions] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topic_partitions_list: list[TopicPartitions] = []
            topic_partitions_count = n
            for _ in range(topic_partitions_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Topic")
                topic_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topic_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topic_partitions_list.append(TopicPartitions(topic_partitions_topic, topic_partitions_partitions))
            topic_partitions = topic_partitions_list
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        message = ElectLeadersRequest(election_type, topic_partitions, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_elect_leaders_request_v1(out: bytearray, m: ElectLeadersRequest) -> None:
    try:
        out += _write_b(m.election_type)
        topic_partitions = m.topic_partitions
        if topic_partitions is None:
            out += _write_i(-1)
        else:
            out += _write_i(len(topic_partitions))
            for topic_partitions_item in topic_partitions:
                text = topic_partitions_item.topic.encode()
                out += _write_h(len(text))
                out += text
                topic_partitions_partitions = topic_partitions_item.partitions
                out += _write_i(len(topic_partitions_partitions))
                out += struct.pack(f">{len(topic_partitions_partitions)}i", *topic_partitions_partitions)
        out += _write_i(m.timeout_ms)
    except UNFIT as error:
        raise unfit("ElectLeadersRequest", error) from error


def decode_elect_leaders_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ElectLeadersRequest, int]:
    try:
        election_type, = _read_b(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        topic_partitions: list[TopicPartitions] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topic_partitions_list: list[TopicPartitions] = []
            topic_partitions_count = n
            for _ in range(topic_partitions_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Topic")
                if n < 0:
                    raise null("Topic")
                topic_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
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
                topic_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topic_partitions_list.append(TopicPartitions(topic_partitions_topic, topic_partitions_partitions))
            topic_partitions = topic_partitions_list
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ElectLeadersRequest(election_type, topic_partitions, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_elect_leaders_request_v2(out: bytearray, m: ElectLeadersRequest) -> None:
    try:
        out += _write_b(m.election_type)
        topic_partitions = m.topic_partitions
        if topic_partitions is None:
            out.append(0)
        else:
            n = len(topic_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topic_partitions_item in topic_partitions:
                text = topic_partitions_item.topic.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Topic")
                out += text
                topic_partitions_partitions = topic_partitions_item.partitions
                n = len(topic_partitions_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topic_partitions_partitions)}i", *topic_partitions_partitions)
                out.append(0)
        out += _write_i(m.timeout_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("ElectLeadersRequest", error) from error

ElectLeadersRequest.DECODERS = {
    0: decode_elect_leaders_request_v0,
    1: decode_elect_leaders_request_v1,
    2: decode_elect_leaders_request_v2,
}

ElectLeadersRequest.ENCODERS = {
    0: encode_elect_leaders_request_v0,
    1: encode_elect_leaders_request_v1,
    2: encode_elect_leaders_request_v2,
}



def decode_elect_leaders_response_v0(buf: bytes, pos: int, end: int) -> tuple[ElectLeadersResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("ReplicaElectionResults", n, pos, end)
        replica_election_results: list[ReplicaElectionResult] = []
        replica_election_results_count = n
        for _ in range(replica_election_results_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            replica_election_results_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("PartitionResult", n, pos, end)
            replica_election_results_partition_result: list[PartitionResult] = []
            replica_election_results_partition_result_count = n
            for _ in range(replica_election_results_partition_result_count):
                replica_election_results_partition_result_partition_id, replica_election_results_partition_result_error_code = _read_ih(buf, pos)
                pos += 6
                n = _read_h(buf, pos)[0]
                pos += 2
                replica_election_results_partition_result_error_message: str | None = None
                if n >= 0:
                    replica_election_results_partition_result_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                replica_election_results_partition_result.append(PartitionResult(replica_election_results_partition_result_partition_id, replica_election_results_partition_result_error_code, replica_election_results_partition_result_error_message))
            replica_election_results.append(ReplicaElectionResult(replica_election_results_topic, replica_election_results_partition_result))
        message = ElectLeadersResponse(throttle_time_ms, 0, replica_election_results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_elect_leaders_response_v0(out: bytearray, m: ElectLeadersResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        replica_election_results = m.replica_election_results
        out += _write_i(len(replica_election_results))
        for replica_election_results_item in replica_election_results:
            text = replica_election_results_item.topic.encode()
            out += _write_h(len(text))
            out += text
            replica_election_results_partition_result = replica_election_results_item.partition_result
            out += _write_i(len(replica_election_results_partition_result))
            for replica_election_results_partition_result_item in replica_election_results_partition_result:
                out += _write_ih(replica_election_results_partition_result_item.partition_id, replica_election_results_partition_result_item.error_code)
                replica_election_results_partition_result_error_message = replica_election_results_partition_result_item.error_message
                if replica_election_results_partition_result_error_message is None:
                    out += _write_h(-1)
                else:
                    text = replica_election_results_partition_result_error_message.encode()
                    out += _write_h(len(text))
                    out += text
    except UNFIT as error:
        raise unfit("ElectLeadersResponse", error) from error


def decode_elect_leaders_response_v1(buf: bytes, pos: int, end: int) -> tuple[ElectLeadersResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("ReplicaElectionResults", n, pos, end)
        replica_election_results: list[ReplicaElectionResult] = []
        replica_election_results_count = n
        for _ in range(replica_election_results_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            replica_election_results_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("PartitionResult", n, pos, end)
            replica_election_results_partition_result: list[PartitionResult] = []
            replica_election_results_partition_result_count = n
            for _ in range(replica_election_results_partition_result_count):
                replica_election_results_partition_result_partition_id, replica_election_results_partition_result_error_code = _read_ih(buf, pos)
                pos += 6
                n = _read_h(buf, pos)[0]
                pos += 2
                replica_election_results_partition_result_error_message: str | None = None
                if n >= 0:
                    replica_election_results_partition_result_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                replica_election_results_partition_result.append(PartitionResult(replica_election_results_partition_result_partition_id, replica_election_results_partition_result_error_code, replica_election_results_partition_result_error_message))
            replica_election_results.append(ReplicaElectionResult(replica_election_results_topic, replica_election_results_partition_result))
        message = ElectLeadersResponse(throttle_time_ms, error_code, replica_election_results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_elect_leaders_response_v1(out: bytearray, m: ElectLeadersResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        replica_election_results = m.replica_election_results
        out += _write_i(len(replica_election_results))
        for replica_election_results_item in replica_election_results:
            text = replica_election_results_item.topic.encode()
            out += _write_h(len(text))
            out += text
            replica_election_results_partition_result = replica_election_results_item.partition_result
            out += _write_i(len(replica_election_results_partition_result))
            for replica_election_results_partition_result_item in replica_election_results_partition_result:
                out += _write_ih(replica_election_results_partition_result_item.partition_id, replica_election_results_partition_result_item.error_code)
                replica_election_results_partition_result_error_message = replica_election_results_partition_result_item.error_message
                if replica_election_results_partition_result_error_message is None:
                    out += _write_h(-1)
                else:
                    text = replica_election_results_partition_result_error_message.encode()
                    out += _write_h(len(text))
                    out += text
    except UNFIT as error:
        raise unfit("ElectLeadersResponse", error) from error


def decode_elect_leaders_response_v2(buf: bytes, pos: int, end: int) -> tuple[ElectLeadersResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ReplicaElectionResults", n, pos, end)
        replica_election_results: list[ReplicaElectionResult] = []
        replica_election_results_count = n
        for _ in range(replica_election_results_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Topic")
            if n < 0:
                raise null("Topic")
            replica_election_results_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("PartitionResult", n, pos, end)
            replica_election_results_partition_result: list[PartitionResult] = []
            replica_election_results_partition_result_count = n
            for _ in range(replica_election_results_partition_result_count):
                replica_election_results_partition_result_partition_id, replica_election_results_partition_result_error_code = _read_ih(buf, pos)
                pos += 6
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
                replica_election_results_partition_result_error_message: str | None = None
                if n >= 0:
                    replica_election_results_partition_result_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                replica_election_results_partition_result.append(PartitionResult(replica_election_results_partition_result_partition_id, replica_election_results_partition_result_error_code, replica_election_results_partition_result_error_message))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            replica_election_results.append(ReplicaElectionResult(replica_election_results_topic, replica_election_results_partition_result))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ElectLeadersResponse(throttle_time_ms, error_code, replica_election_results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_elect_leaders_response_v2(out: bytearray, m: ElectLeadersResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        replica_election_results = m.replica_election_results
        n = len(replica_election_results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for replica_election_results_item in replica_election_results:
            text = replica_election_results_item.topic.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Topic")
            out += text
            replica_election_results_partition_result = replica_election_results_item.partition_result
            n = len(replica_election_results_partition_result) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for replica_election_results_partition_result_item in replica_election_results_partition_result:
                out += _write_ih(replica_election_results_partition_result_item.partition_id, replica_election_results_partition_result_item.error_code)
                replica_election_results_partition_result_error_message = replica_election_results_partition_result_item.error_message
                if replica_election_results_partition_result_error_message is None:
                    out.append(0)
                else:
                    text = replica_election_results_partition_result_error_message.encode()
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
        raise unfit("ElectLeadersResponse", error) from error

ElectLeadersResponse.DECODERS = {
    0: decode_elect_leaders_response_v0,
    1: decode_elect_leaders_response_v1,
    2: decode_elect_leaders_response_v2,
}

ElectLeadersResponse.ENCODERS = {
    0: encode_elect_leaders_response_v0,
    1: encode_elect_leaders_response_v1,
    2: encode_elect_leaders_response_v2,
}

__all__ = [
    "ElectLeadersRequest", "ElectLeadersResponse", "PartitionResult", "ReplicaElectionResult",
    "TopicPartitions",
]
