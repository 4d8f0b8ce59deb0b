# Generated from schemas/messages/AlterPartitionReassignmentsRequest.json and schemas/messages/AlterPartitionReassignmentsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignableTopic,
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
_iz = struct.Struct(">i?")
_read_iz = _iz.unpack_from
_write_iz = _iz.pack
_izh = struct.Struct(">i?h")
_read_izh = _izh.unpack_from
_write_izh = _izh.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


def decode_alter_partition_reassignments_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[AlterPartitionReassignmentsRequest, int]]:
    try:
        yield 1
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[ReassignableTopic] = []
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
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[ReassignablePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                topics_partitions_replicas: list[int] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    yield n
                    topics_partitions_replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    topics_partitions_replicas = topics_partitions_replicas_list
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(ReassignablePartition(topics_partitions_partition_index, topics_partitions_replicas))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(ReassignableTopic(topics_name, topics_partitions))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = AlterPartitionReassignmentsRequest(timeout_ms, True, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_alter_partition_reassignments_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[AlterPartitionReassignmentsRequest, int]]:
    try:
        yield 1
        timeout_ms, allow_replication_factor_change = _read_iz(buf, pos)
        pos += 5
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[ReassignableTopic] = []
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
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[ReassignablePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                topics_partitions_replicas: list[int] | None = None
                if n >= 0:
                    if n > end - pos:
                        check_count(n, pos, end)
                    yield n
                    topics_partitions_replicas_list: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    topics_partitions_replicas = topics_partitions_replicas_list
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(ReassignablePartition(topics_partitions_partition_index, topics_partitions_replicas))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(ReassignableTopic(topics_name, topics_partitions))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = AlterPartitionReassignmentsRequest(timeout_ms, allow_replication_factor_change, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_alter_partition_reassignments_response_v0(out: bytearray, m: AlterPartitionReassignmentsResponse) -> Generator[int, None, None]:
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
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            yield 1
            responses_name = responses_item.name
            text = responses_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Name", n - 1)
                write_uvarint(out, n)
            out += text
            responses_partitions = responses_item.partitions
            n = len(responses_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partitions_item in responses_partitions:
                yield 1
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
                        if n > TEXT_MAX + 1:
                            raise too_long("ErrorMessage", n - 1)
                        write_uvarint(out, n)
                    out += text
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterPartitionReassignmentsResponse", error) from error


def encode_alter_partition_reassignments_response_v1(out: bytearray, m: AlterPartitionReassignmentsResponse) -> Generator[int, None, None]:
    try:
        yield 1
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
                if n > TEXT_MAX + 1:
                    raise too_long("ErrorMessage", n - 1)
                write_uvarint(out, n)
            out += text
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            yield 1
            responses_name = responses_item.name
            text = responses_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Name", n - 1)
                write_uvarint(out, n)
            out += text
            responses_partitions = responses_item.partitions
            n = len(responses_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partitions_item in responses_partitions:
                yield 1
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
                        if n > TEXT_MAX + 1:
                            raise too_long("ErrorMessage", n - 1)
                        write_uvarint(out, n)
                    out += text
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterPartitionReassignmentsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_alter_partition_reassignments_request_v0,
    1: decode_alter_partition_reassignments_request_v1,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_alter_partition_reassignments_response_v0,
    1: encode_alter_partition_reassignments_response_v1,
}

__all__ = ["DECODERS", "ENCODERS"]
