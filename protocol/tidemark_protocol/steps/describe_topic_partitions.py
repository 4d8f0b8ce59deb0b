# Generated from schemas/messages/DescribeTopicPartitionsRequest.json and schemas/messages/DescribeTopicPartitionsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsRequestCursor,
    DescribeTopicPartitionsResponse,
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
    write_tags,
    write_uvarint,
)

_uz = struct.Struct(">16s?")
_read_uz = _uz.unpack_from
_write_uz = _uz.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_hiii = struct.Struct(">hiii")
_read_hiii = _hiii.unpack_from
_write_hiii = _hiii.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack


def decode_describe_topic_partitions_request_v0_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeTopicPartitionsRequest, int]]:
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
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(TopicRequest(topics_name))
        response_partition_limit, = _read_i(buf, pos)
        pos += 4
        mark = buf[pos]
        pos += 1
        cursor: DescribeTopicPartitionsRequestCursor | None = None
        if mark < 128:
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("TopicName", n)
            if n < 0:
                raise null("TopicName")
            cursor_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            cursor_partition_index, = _read_i(buf, pos)
            pos += 4
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            cursor = DescribeTopicPartitionsRequestCursor(cursor_topic_name, cursor_partition_index)
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DescribeTopicPartitionsRequest(topics, response_partition_limit, cursor)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_describe_topic_partitions_response_v0(out: bytearray, m: DescribeTopicPartitionsResponse) -> Generator[int, None, None]:
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
            out += _write_h(topics_item.error_code)
            topics_name = topics_item.name
            if topics_name is None:
                out.append(0)
            else:
                text = topics_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Name", n - 1)
                    write_uvarint(out, n)
                out += text
            out += _write_uz(topics_item.topic_id, topics_item.is_internal)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_hiii(topics_partitions_item.error_code, topics_partitions_item.partition_index, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch)
                topics_partitions_replica_nodes = topics_partitions_item.replica_nodes
                n = len(topics_partitions_replica_nodes) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_replica_nodes)}i", *topics_partitions_replica_nodes)
                topics_partitions_isr_nodes = topics_partitions_item.isr_nodes
                n = len(topics_partitions_isr_nodes) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_isr_nodes)}i", *topics_partitions_isr_nodes)
                topics_partitions_eligible_leader_replicas = topics_partitions_item.eligible_leader_replicas
                if topics_partitions_eligible_leader_replicas is None:
                    out.append(0)
                else:
                    n = len(topics_partitions_eligible_leader_replicas) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topics_partitions_eligible_leader_replicas)}i", *topics_partitions_eligible_leader_replicas)
                topics_partitions_last_known_elr = topics_partitions_item.last_known_elr
                if topics_partitions_last_known_elr is None:
                    out.append(0)
                else:
                    n = len(topics_partitions_last_known_elr) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topics_partitions_last_known_elr)}i", *topics_partitions_last_known_elr)
                topics_partitions_offline_replicas = topics_partitions_item.offline_replicas
                n = len(topics_partitions_offline_replicas) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_offline_replicas)}i", *topics_partitions_offline_replicas)
                out.append(0)
            out += _write_i(topics_item.topic_authorized_operations)
            out.append(0)
        next_cursor = m.next_cursor
        if next_cursor is None:
            out.append(255)
        else:
            out.append(1)
            next_cursor_topic_name = next_cursor.topic_name
            text = next_cursor_topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TopicName", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_i(next_cursor.partition_index)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeTopicPartitionsResponse", error) from error


def encode_describe_topic_partitions_response_v1(out: bytearray, m: DescribeTopicPartitionsResponse) -> Generator[int, None, None]:
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
            out += _write_h(topics_item.error_code)
            topics_name = topics_item.name
            if topics_name is None:
                out.append(0)
            else:
                text = topics_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Name", n - 1)
                    write_uvarint(out, n)
                out += text
            out += _write_uz(topics_item.topic_id, topics_item.is_internal)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_hiii(topics_partitions_item.error_code, topics_partitions_item.partition_index, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch)
                topics_partitions_replica_nodes = topics_partitions_item.replica_nodes
                n = len(topics_partitions_replica_nodes) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_replica_nodes)}i", *topics_partitions_replica_nodes)
                topics_partitions_isr_nodes = topics_partitions_item.isr_nodes
                n = len(topics_partitions_isr_nodes) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_isr_nodes)}i", *topics_partitions_isr_nodes)
                topics_partitions_eligible_leader_replicas = topics_partitions_item.eligible_leader_replicas
                if topics_partitions_eligible_leader_replicas is None:
                    out.append(0)
                else:
                    n = len(topics_partitions_eligible_leader_replicas) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topics_partitions_eligible_leader_replicas)}i", *topics_partitions_eligible_leader_replicas)
                topics_partitions_last_known_elr = topics_partitions_item.last_known_elr
                if topics_partitions_last_known_elr is None:
                    out.append(0)
                else:
                    n = len(topics_partitions_last_known_elr) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(topics_partitions_last_known_elr)}i", *topics_partitions_last_known_elr)
                topics_partitions_offline_replicas = topics_partitions_item.offline_replicas
                n = len(topics_partitions_offline_replicas) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_offline_replicas)}i", *topics_partitions_offline_replicas)
                topics_partitions_tags: list[tuple[int, bytearray]] = []
                if topics_partitions_item.creation_time_ms != -1:
                    topics_partitions_outer = out
                    out = bytearray()
                    out += _write_q(topics_partitions_item.creation_time_ms)
                    topics_partitions_tags.append((0, out))
                    out = topics_partitions_outer
                write_tags(out, topics_partitions_tags)
            out += _write_i(topics_item.topic_authorized_operations)
            out.append(0)
        next_cursor = m.next_cursor
        if next_cursor is None:
            out.append(255)
        else:
            out.append(1)
            next_cursor_topic_name = next_cursor.topic_name
            text = next_cursor_topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TopicName", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_i(next_cursor.partition_index)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeTopicPartitionsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_describe_topic_partitions_request_v0_v1,
    1: decode_describe_topic_partitions_request_v0_v1,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_describe_topic_partitions_response_v0,
    1: encode_describe_topic_partitions_response_v1,
}

__all__ = ["DECODERS", "ENCODERS"]
