# Generated from schemas/messages/ElectLeadersRequest.json and schemas/messages/ElectLeadersResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    TopicPartitions,
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


def decode_elect_leaders_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ElectLeadersRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        topic_partitions: list[TopicPartitions] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            topic_partitions_list: list[TopicPartitions] = []
            topic_partitions_count = n
            for _ in range(topic_partitions_count):
                yield 1
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Topic")
                topic_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if n < 0:
                    raise null("Partitions")
                if n > end - pos:
                    check_count(n, pos, end)
                yield n
                topic_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topic_partitions_list.append(TopicPartitions(topic_partitions_topic, topic_partitions_partitions))
            topic_partitions = topic_partitions_list
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        message = ElectLeadersRequest(0, topic_partitions, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_elect_leaders_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ElectLeadersRequest, int]]:
    try:
        yield 1
        election_type, = _read_b(buf, pos)
        pos += 1
        n = _read_i(buf, pos)[0]
        pos += 4
        topic_partitions: list[TopicPartitions] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            topic_partitions_list: list[TopicPartitions] = []
            topic_partitions_count = n
            for _ in range(topic_partitions_count):
                yield 1
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Topic")
                topic_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if n < 0:
                    raise null("Partitions")
                if n > end - pos:
                    check_count(n, pos, end)
                yield n
                topic_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topic_partitions_list.append(TopicPartitions(topic_partitions_topic, topic_partitions_partitions))
            topic_partitions = topic_partitions_list
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        message = ElectLeadersRequest(election_type, topic_partitions, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_elect_leaders_request_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ElectLeadersRequest, int]]:
    try:
        yield 1
        election_type, = _read_b(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        topic_partitions: list[TopicPartitions] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            topic_partitions_list: list[TopicPartitions] = []
            topic_partitions_count = n
            for _ in range(topic_partitions_count):
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
                topic_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
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
                topic_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topic_partitions_list.append(TopicPartitions(topic_partitions_topic, topic_partitions_partitions))
            topic_partitions = topic_partitions_list
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ElectLeadersRequest(election_type, topic_partitions, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_elect_leaders_response_v0(out: bytearray, m: ElectLeadersResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        replica_election_results = m.replica_election_results
        out += _write_i(len(replica_election_results))
        for replica_election_results_item in replica_election_results:
            yield 1
            replica_election_results_topic = replica_election_results_item.topic
            text = replica_election_results_topic.encode()
            out += _write_h(len(text))
            out += text
            replica_election_results_partition_result = replica_election_results_item.partition_result
            out += _write_i(len(replica_election_results_partition_result))
            for replica_election_results_partition_result_item in replica_election_results_partition_result:
                yield 1
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


def encode_elect_leaders_response_v1(out: bytearray, m: ElectLeadersResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        replica_election_results = m.replica_election_results
        out += _write_i(len(replica_election_results))
        for replica_election_results_item in replica_election_results:
            yield 1
            replica_election_results_topic = replica_election_results_item.topic
            text = replica_election_results_topic.encode()
            out += _write_h(len(text))
            out += text
            replica_election_results_partition_result = replica_election_results_item.partition_result
            out += _write_i(len(replica_election_results_partition_result))
            for replica_election_results_partition_result_item in replica_election_results_partition_result:
                yield 1
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


def encode_elect_leaders_response_v2(out: bytearray, m: ElectLeadersResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        replica_election_results = m.replica_election_results
        n = len(replica_election_results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for replica_election_results_item in replica_election_results:
            yield 1
            replica_election_results_topic = replica_election_results_item.topic
            text = replica_election_results_topic.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Topic", n - 1)
                write_uvarint(out, n)
            out += text
            replica_election_results_partition_result = replica_election_results_item.partition_result
            n = len(replica_election_results_partition_result) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for replica_election_results_partition_result_item in replica_election_results_partition_result:
                yield 1
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
                        if n > TEXT_MAX + 1:
                            raise too_long("ErrorMessage", n - 1)
                        write_uvarint(out, n)
                    out += text
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ElectLeadersResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_elect_leaders_request_v0,
    1: decode_elect_leaders_request_v1,
    2: decode_elect_leaders_request_v2,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_elect_leaders_response_v0,
    1: encode_elect_leaders_response_v1,
    2: encode_elect_leaders_response_v2,
}

__all__ = ["DECODERS", "ENCODERS"]
