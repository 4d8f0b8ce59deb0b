# Generated from schemas/messages/ListOffsetsRequest.json and schemas/messages/ListOffsetsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
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
_ib = struct.Struct(">ib")
_read_ib = _ib.unpack_from
_write_ib = _ib.pack
_ihqq = struct.Struct(">ihqq")
_read_ihqq = _ihqq.unpack_from
_write_ihqq = _ihqq.pack
_ihqqi = struct.Struct(">ihqqi")
_read_ihqqi = _ihqqi.unpack_from
_write_ihqqi = _ihqqi.pack
_iiq = struct.Struct(">iiq")
_read_iiq = _iiq.unpack_from
_write_iiq = _iiq.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack


def decode_list_offsets_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListOffsetsRequest, int]]:
    try:
        yield 1
        replica_id, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[ListOffsetsTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[ListOffsetsPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_timestamp = _read_iq(buf, pos)
                pos += 12
                topics_partitions.append(ListOffsetsPartition(topics_partitions_partition_index, -1, topics_partitions_timestamp))
            topics.append(ListOffsetsTopic(topics_name, topics_partitions))
        message = ListOffsetsRequest(replica_id, 0, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_list_offsets_request_v2_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListOffsetsRequest, int]]:
    try:
        yield 1
        replica_id, isolation_level = _read_ib(buf, pos)
        pos += 5
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[ListOffsetsTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[ListOffsetsPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_timestamp = _read_iq(buf, pos)
                pos += 12
                topics_partitions.append(ListOffsetsPartition(topics_partitions_partition_index, -1, topics_partitions_timestamp))
            topics.append(ListOffsetsTopic(topics_name, topics_partitions))
        message = ListOffsetsRequest(replica_id, isolation_level, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_list_offsets_request_v4_v5(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListOffsetsRequest, int]]:
    try:
        yield 1
        replica_id, isolation_level = _read_ib(buf, pos)
        pos += 5
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[ListOffsetsTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[ListOffsetsPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_current_leader_epoch, topics_partitions_timestamp = _read_iiq(buf, pos)
                pos += 16
                topics_partitions.append(ListOffsetsPartition(topics_partitions_partition_index, topics_partitions_current_leader_epoch, topics_partitions_timestamp))
            topics.append(ListOffsetsTopic(topics_name, topics_partitions))
        message = ListOffsetsRequest(replica_id, isolation_level, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_list_offsets_request_v6_v9(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListOffsetsRequest, int]]:
    try:
        yield 1
        replica_id, isolation_level = _read_ib(buf, pos)
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
        topics: list[ListOffsetsTopic] = []
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
            topics_partitions: list[ListOffsetsPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_current_leader_epoch, topics_partitions_timestamp = _read_iiq(buf, pos)
                pos += 16
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(ListOffsetsPartition(topics_partitions_partition_index, topics_partitions_current_leader_epoch, topics_partitions_timestamp))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(ListOffsetsTopic(topics_name, topics_partitions))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ListOffsetsRequest(replica_id, isolation_level, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_list_offsets_request_v10_v11(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListOffsetsRequest, int]]:
    try:
        yield 1
        replica_id, isolation_level = _read_ib(buf, pos)
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
        topics: list[ListOffsetsTopic] = []
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
            topics_partitions: list[ListOffsetsPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_current_leader_epoch, topics_partitions_timestamp = _read_iiq(buf, pos)
                pos += 16
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(ListOffsetsPartition(topics_partitions_partition_index, topics_partitions_current_leader_epoch, topics_partitions_timestamp))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(ListOffsetsTopic(topics_name, topics_partitions))
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ListOffsetsRequest(replica_id, isolation_level, topics, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_list_offsets_response_v1(out: bytearray, m: ListOffsetsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            yield 1
            topics_name = topics_item.name
            text = topics_name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_ihqq(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.timestamp, topics_partitions_item.offset)
    except UNFIT as error:
        raise unfit("ListOffsetsResponse", error) from error


def encode_list_offsets_response_v2_v3(out: bytearray, m: ListOffsetsResponse) -> Generator[int, None, None]:
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
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_ihqq(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.timestamp, topics_partitions_item.offset)
    except UNFIT as error:
        raise unfit("ListOffsetsResponse", error) from error


def encode_list_offsets_response_v4_v5(out: bytearray, m: ListOffsetsResponse) -> Generator[int, None, None]:
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
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_ihqqi(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.timestamp, topics_partitions_item.offset, topics_partitions_item.leader_epoch)
    except UNFIT as error:
        raise unfit("ListOffsetsResponse", error) from error


def encode_list_offsets_response_v6_v11(out: bytearray, m: ListOffsetsResponse) -> Generator[int, None, None]:
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
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_ihqqi(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.timestamp, topics_partitions_item.offset, topics_partitions_item.leader_epoch)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListOffsetsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    1: decode_list_offsets_request_v1,
    2: decode_list_offsets_request_v2_v3,
    3: decode_list_offsets_request_v2_v3,
    4: decode_list_offsets_request_v4_v5,
    5: decode_list_offsets_request_v4_v5,
    6: decode_list_offsets_request_v6_v9,
    7: decode_list_offsets_request_v6_v9,
    8: decode_list_offsets_request_v6_v9,
    9: decode_list_offsets_request_v6_v9,
    10: decode_list_offsets_request_v10_v11,
    11: decode_list_offsets_request_v10_v11,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    1: encode_list_offsets_response_v1,
    2: encode_list_offsets_response_v2_v3,
    3: encode_list_offsets_response_v2_v3,
    4: encode_list_offsets_response_v4_v5,
    5: encode_list_offsets_response_v4_v5,
    6: encode_list_offsets_response_v6_v11,
    7: encode_list_offsets_response_v6_v11,
    8: encode_list_offsets_response_v6_v11,
    9: encode_list_offsets_response_v6_v11,
    10: encode_list_offsets_response_v6_v11,
    11: encode_list_offsets_response_v6_v11,
}

__all__ = ["DECODERS", "ENCODERS"]
