# Generated from schemas/messages/ListOffsetsRequest.json and schemas/messages/ListOffsetsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
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


class ListOffsetsPartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("CurrentLeaderEpoch", "current_leader_epoch", "int32", None),
        ("Timestamp", "timestamp", "int64", None),
    )
    partition_index: int = 0
    current_leader_epoch: int = -1
    timestamp: int = 0


class ListOffsetsTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", ListOffsetsPartition),
    )
    name: str = ""
    partitions: list[ListOffsetsPartition] = []


class ListOffsetsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ReplicaId", "replica_id", "int32", None),
        ("IsolationLevel", "isolation_level", "int8", None),
        ("Topics", "topics", "[]struct", ListOffsetsTopic),
        ("TimeoutMs", "timeout_ms", "int32", None),
    )
    NAME: ClassVar = "ListOffsetsRequest"
    API_KEY: ClassVar = 2
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 11
    FLEXIBLE_FROM: ClassVar = 6
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    replica_id: int = 0
    isolation_level: int = 0
    topics: list[ListOffsetsTopic] = []
    timeout_ms: int = 0


class ListOffsetsPartitionResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("Timestamp", "timestamp", "int64", None),
        ("Offset", "offset", "int64", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
    )
    partition_index: int = 0
    error_code: int = 0
    timestamp: int = -1
    offset: int = -1
    leader_epoch: int = -1


class ListOffsetsTopicResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", ListOffsetsPartitionResponse),
    )
    name: str = ""
    partitions: list[ListOffsetsPartitionResponse] = []


class ListOffsetsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Topics", "topics", "[]struct", ListOffsetsTopicResponse),
    )
    NAME: ClassVar = "ListOffsetsResponse"
    API_KEY: ClassVar = 2
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 11
    FLEXIBLE_FROM: ClassVar = 6
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    topics: list[ListOffsetsTopicResponse] = []


def decode_list_offsets_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListOffsetsRequest, int]:
    try:
        replica_id, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[ListOffsetsTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[ListOffsetsPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_timestamp = _read_iq(buf, pos)
                pos += 12
                topics_partitions.append(ListOffsetsPartition(topics_partitions_partition_index, -1, topics_partitions_timestamp))
            topics.append(ListOffsetsTopic(topics_name, topics_partitions))
        message = ListOffsetsRequest(replica_id, 0, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_offsets_request_v1(out: bytearray, m: ListOffsetsRequest) -> None:
    try:
        out += _write_i(m.replica_id)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iq(topics_partitions_item.partition_index, topics_partitions_item.timestamp)
    except UNFIT as error:
        raise unfit("ListOffsetsRequest", error) from error


def decode_list_offsets_request_v2_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListOffsetsRequest, int]:
    try:
        replica_id, isolation_level = _read_ib(buf, pos)
        pos += 5
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[ListOffsetsTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[ListOffsetsPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_timestamp = _read_iq(buf, pos)
                pos += 12
                topics_partitions.append(ListOffsetsPartition(topics_partitions_partition_index, -1, topics_partitions_timestamp))
            topics.append(ListOffsetsTopic(topics_name, topics_partitions))
        message = ListOffsetsRequest(replica_id, isolation_level, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_offsets_request_v2_v3(out: bytearray, m: ListOffsetsRequest) -> None:
    try:
        out += _write_ib(m.replica_id, m.isolation_level)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iq(topics_partitions_item.partition_index, topics_partitions_item.timestamp)
    except UNFIT as error:
        raise unfit("ListOffsetsRequest", error) from error


def decode_list_offsets_request_v4_v5(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListOffsetsRequest, int]:
    try:
        replica_id, isolation_level = _read_ib(buf, pos)
        pos += 5
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[ListOffsetsTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[ListOffsetsPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_current_leader_epoch, topics_partitions_timestamp = _read_iiq(buf, pos)
                pos += 16
                topics_partitions.append(ListOffsetsPartition(topics_partitions_partition_index, topics_partitions_current_leader_epoch, topics_partitions_timestamp))
            topics.append(ListOffsetsTopic(topics_name, topics_partitions))
        message = ListOffsetsRequest(replica_id, isolation_level, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_offsets_request_v4_v5(out: bytearray, m: ListOffsetsRequest) -> None:
    try:
        out += _write_ib(m.replica_id, m.isolation_level)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iiq(topics_partitions_item.partition_index, topics_partitions_item.current_leader_epoch, topics_partitions_item.timestamp)
    except UNFIT as error:
        raise unfit("ListOffsetsRequest", error) from error


def decode_list_offsets_request_v6_v9(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListOffsetsRequest, int]:
    try:
        replica_id, isolation_level = _read_ib(buf, pos)
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
        topics: list[ListOffsetsTopic] = []
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
            topics_partitions: list[ListOffsetsPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_current_leader_epoch, topics_partitions_timestamp = _read_iiq(buf, pos)
                pos += 16
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(ListOffsetsPartition(topics_partitions_partition_index, topics_partitions_current_leader_epoch, topics_partitions_timestamp))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(ListOffsetsTopic(topics_name, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ListOffsetsRequest(replica_id, isolation_level, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_offsets_request_v6_v9(out: bytearray, m: ListOffsetsRequest) -> None:
    try:
        out += _write_ib(m.replica_id, m.isolation_level)
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
                out += _write_iiq(topics_partitions_item.partition_index, topics_partitions_item.current_leader_epoch, topics_partitions_item.timestamp)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListOffsetsRequest", error) from error


def decode_list_offsets_request_v10_v11(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListOffsetsRequest, int]:
    try:
        replica_id, isolation_level = _read_ib(buf, pos)
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
        topics: list[ListOffsetsTopic] = []
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
            topics_partitions: list[ListOffsetsPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_current_leader_epoch, topics_partitions_timestamp = _read_iiq(buf, pos)
                pos += 16
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(ListOffsetsPartition(topics_partitions_partition_index, topics_partitions_current_leader_epoch, topics_partitions_timestamp))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(ListOffsetsTopic(topics_name, topics_partitions))
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ListOffsetsRequest(replica_id, isolation_level, topics, timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_offsets_request_v10_v11(out: bytearray, m: ListOffsetsRequest) -> None:
    try:
        out += _write_ib(m.replica_id, m.isolation_level)
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
                out += _write_iiq(topics_partitions_item.partition_index, topics_partitions_item.current_leader_epoch, topics_partitions_item.timestamp)
                out.append(0)
            out.append(0)
        out += _write_i(m.timeout_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListOffsetsRequest", error) from error

ListOffsetsRequest.DECODERS = {
    1: decode_list_offsets_request_v1,
    2: decode_list_offsets_request_v2_v3, 3: decode_list_offsets_request_v2_v3,
    4: decode_list_offsets_request_v4_v5, 5: decode_list_offsets_request_v4_v5,
    6: decode_list_offsets_request_v6_v9, 7: decode_list_offsets_request_v6_v9,
    8: decode_list_offsets_request_v6_v9, 9: decode_list_offsets_request_v6_v9,
    10: decode_list_offsets_request_v10_v11, 11: decode_list_offsets_request_v10_v11,
}

ListOffsetsRequest.ENCODERS = {
    1: encode_list_offsets_request_v1,
    2: encode_list_offsets_request_v2_v3, 3: encode_list_offsets_request_v2_v3,
    4: encode_list_offsets_request_v4_v5, 5: encode_list_offsets_request_v4_v5,
    6: encode_list_offsets_request_v6_v9, 7: encode_list_offsets_request_v6_v9,
    8: encode_list_offsets_request_v6_v9, 9: encode_list_offsets_request_v6_v9,
    10: encode_list_offsets_request_v10_v11, 11: encode_list_offsets_request_v10_v11,
}



def decode_list_offsets_response_v1(buf: bytes, pos: int, end: int) -> tuple[ListOffsetsResponse, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[ListOffsetsTopicResponse] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[ListOffsetsPartitionResponse] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_timestamp, topics_partitions_offset = _read_ihqq(buf, pos)
                pos += 22
                topics_partitions.append(ListOffsetsPartitionResponse(topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_timestamp, topics_partitions_offset))
            topics.append(ListOffsetsTopicResponse(topics_name, topics_partitions))
        message = ListOffsetsResponse(0, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_offsets_response_v1(out: bytearray, m: ListOffsetsResponse) -> None:
    try:
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_ihqq(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.timestamp, topics_partitions_item.offset)
    except UNFIT as error:
        raise unfit("ListOffsetsResponse", error) from error


def decode_list_offsets_response_v2_v3(buf: bytes, pos: int, end: int) -> tuple[ListOffsetsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[ListOffsetsTopicResponse] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[ListOffsetsPartitionResponse] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_timestamp, topics_partitions_offset = _read_ihqq(buf, pos)
                pos += 22
                topics_partitions.append(ListOffsetsPartitionResponse(topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_timestamp, topics_partitions_offset))
            topics.append(ListOffsetsTopicResponse(topics_name, topics_partitions))
        message = ListOffsetsResponse(throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_offsets_response_v2_v3(out: bytearray, m: ListOffsetsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_ihqq(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.timestamp, topics_partitions_item.offset)
    except UNFIT as error:
        raise unfit("ListOffsetsResponse", error) from error


def decode_list_offsets_response_v4_v5(buf: bytes, pos: int, end: int) -> tuple[ListOffsetsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[ListOffsetsTopicResponse] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[ListOffsetsPartitionResponse] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_timestamp, topics_partitions_offset, topics_partitions_leader_epoch = _read_ihqqi(buf, pos)
                pos += 26
                topics_partitions.append(ListOffsetsPartitionResponse(topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_timestamp, topics_partitions_offset, topics_partitions_leader_epoch))
            topics.append(ListOffsetsTopicResponse(topics_name, topics_partitions))
        message = ListOffsetsResponse(throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_offsets_response_v4_v5(out: bytearray, m: ListOffsetsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_ihqqi(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.timestamp, topics_partitions_item.offset, topics_partitions_item.leader_epoch)
    except UNFIT as error:
        raise unfit("ListOffsetsResponse", error) from error


def decode_list_offsets_response_v6_v11(buf: bytes, pos: int, end: int) -> tuple[ListOffsetsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[ListOffsetsTopicResponse] = []
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
            topics_partitions: list[ListOffsetsPartitionResponse] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_timestamp, topics_partitions_offset, topics_partitions_leader_epoch = _read_ihqqi(buf, pos)
                pos += 26
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(ListOffsetsPartitionResponse(topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_timestamp, topics_partitions_offset, topics_partitions_leader_epoch))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(ListOffsetsTopicResponse(topics_name, topics_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ListOffsetsResponse(throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_offsets_response_v6_v11(out: bytearray, m: ListOffsetsResponse) -> None:
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
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_ihqqi(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.timestamp, topics_partitions_item.offset, topics_partitions_item.leader_epoch)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListOffsetsResponse", error) from error

ListOffsetsResponse.DECODERS = {
    1: decode_list_offsets_response_v1,
    2: decode_list_offsets_response_v2_v3, 3: decode_list_offsets_response_v2_v3,
    4: decode_list_offsets_response_v4_v5, 5: decode_list_offsets_response_v4_v5,
    6: decode_list_offsets_response_v6_v11, 7: decode_list_offsets_response_v6_v11,
    8: decode_list_offsets_response_v6_v11, 9: decode_list_offsets_response_v6_v11,
    10: decode_list_offsets_response_v6_v11, 11: decode_list_offsets_response_v6_v11,
}

ListOffsetsResponse.ENCODERS = {
    1: encode_list_offsets_response_v1,
    2: encode_list_offsets_response_v2_v3, 3: encode_list_offsets_response_v2_v3,
    4: encode_list_offsets_response_v4_v5, 5: encode_list_offsets_response_v4_v5,
    6: encode_list_offsets_response_v6_v11, 7: encode_list_offsets_response_v6_v11,
    8: encode_list_offsets_response_v6_v11, 9: encode_list_offsets_response_v6_v11,
    10: encode_list_offsets_response_v6_v11, 11: encode_list_offsets_response_v6_v11,
}

__all__ = [
    "ListOffsetsPartition", "ListOffsetsPartitionResponse", "ListOffsetsRequest", "ListOffsetsResponse",
    "ListOffsetsTopic", "ListOffsetsTopicResponse",
]
