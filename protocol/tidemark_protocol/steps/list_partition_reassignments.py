# Generated from schemas/messages/ListPartitionReassignmentsRequest.json and schemas/messages/ListPartitionReassignmentsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    ListPartitionReassignmentsTopics,
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

_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


def decode_list_partition_reassignments_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListPartitionReassignmentsRequest, int]]:
    try:
        yield 1
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        topics: list[ListPartitionReassignmentsTopics] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            topics_list: list[ListPartitionReassignmentsTopics] = []
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
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                if n < 0:
                    raise null("PartitionIndexes")
                if n > end - pos:
                    check_count(n, pos, end)
                yield n
                topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_list.append(ListPartitionReassignmentsTopics(topics_name, topics_partition_indexes))
            topics = topics_list
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ListPartitionReassignmentsRequest(timeout_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_list_partition_reassignments_response_v0(out: bytearray, m: ListPartitionReassignmentsResponse) -> Generator[int, None, None]:
    try:
        yield 1
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
                if n > TEXT_MAX + 1:
                    raise too_long("ErrorMessage", n - 1)
                write_uvarint(out, n)
            out += text
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
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_i(topics_partitions_item.partition_index)
                topics_partitions_replicas = topics_partitions_item.replicas
                n = len(topics_partitions_replicas) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_replicas)}i", *topics_partitions_replicas)
                topics_partitions_adding_replicas = topics_partitions_item.adding_replicas
                n = len(topics_partitions_adding_replicas) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_adding_replicas)}i", *topics_partitions_adding_replicas)
                topics_partitions_removing_replicas = topics_partitions_item.removing_replicas
                n = len(topics_partitions_removing_replicas) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_removing_replicas)}i", *topics_partitions_removing_replicas)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListPartitionReassignmentsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_list_partition_reassignments_request_v0,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_list_partition_reassignments_response_v0,
}

__all__ = ["DECODERS", "ENCODERS"]
