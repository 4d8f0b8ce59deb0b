# Generated from schemas/messages/DescribeQuorumRequest.json and schemas/messages/DescribeQuorumResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_H = struct.Struct(">H")
_read_H = _H.unpack_from
_write_H = _H.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iuqqq = struct.Struct(">i16sqqq")
_read_iuqqq = _iuqqq.unpack_from
_write_iuqqq = _iuqqq.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_ihiiq = struct.Struct(">ihiiq")
_read_ihiiq = _ihiiq.unpack_from
_write_ihiiq = _ihiiq.pack
_iiq = struct.Struct(">iiq")
_read_iiq = _iiq.unpack_from
_write_iiq = _iiq.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack
_iqqq = struct.Struct(">iqqq")
_read_iqqq = _iqqq.unpack_from
_write_iqqq = _iqqq.pack


class DescribeQuorumRequestPartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
    )
    partition_index: int = 0


class DescribeQuorumRequestTopicData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
        ("Partitions", "partitions", "[]struct", DescribeQuorumRequestPartitionData),
    )
    topic_name: str = ""
    partitions: list[DescribeQuorumRequestPartitionData] = []


class DescribeQuorumRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topics", "topics", "[]struct", DescribeQuorumRequestTopicData),
    )
    NAME: ClassVar = "DescribeQuorumRequest"
    API_KEY: ClassVar = 55
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topics: list[DescribeQuorumRequestTopicData] = []


class ReplicaState(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ReplicaId", "replica_id", "int32", None),
        ("ReplicaDirectoryId", "replica_directory_id", "uuid", None),
        ("LogEndOffset", "log_end_offset", "int64", None),
        ("LastFetchTimestamp", "last_fetch_timestamp", "int64", None),
        ("LastCaughtUpTimestamp", "last_caught_up_timestamp", "int64", None),
    )
    replica_id: int = 0
    replica_directory_id: bytes = ZERO_UUID
    log_end_offset: int = 0
    last_fetch_timestamp: int = -1
    last_caught_up_timestamp: int = -1


class DescribeQuorumResponsePartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("HighWatermark", "high_watermark", "int64", None),
        ("CurrentVoters", "current_voters", "[]struct", ReplicaState),
        ("Observers", "observers", "[]struct", ReplicaState),
    )
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = ""
    leader_id: int = 0
    leader_epoch: int = 0
    high_watermark: int = 0
    current_voters: list[ReplicaState] = []
    observers: list[ReplicaState] = []


class DescribeQuorumResponseTopicData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
        ("Partitions", "partitions", "[]struct", DescribeQuorumResponsePartitionData),
    )
    topic_name: str = ""
    partitions: list[DescribeQuorumResponsePartitionData] = []


class Listener(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Host", "host", "string", None),
        ("Port", "port", "uint16", None),
    )
    name: str = ""
    host: str = ""
    port: int = 0


class Node(Struct, gc=False):
    FIELDS: ClassVar = (
        ("NodeId", "node_id", "int32", None),
        ("Listeners", "listeners", "[]struct", Listener),
    )
    node_id: int = 0
    listeners: list[Listener] = []


class DescribeQuorumResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("Topics", "topics", "[]struct", DescribeQuorumResponseTopicData),
        ("Nodes", "nodes", "[]struct", Node),
    )
    NAME: ClassVar = "DescribeQuorumResponse"
    API_KEY: ClassVar = 55
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    error_code: int = 0
    error_message: str | None = ""
    topics: list[DescribeQuorumResponseTopicData] = []
    nodes: list[Node] = []


def decode_describe_quorum_request_v0_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeQuorumRequest, int]:
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
        topics: list[DescribeQuorumRequestTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicName")
            if n < 0:
                raise null("TopicName")
            topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
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
            topics_partitions: list[DescribeQuorumRequestPartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, = _read_i(buf, pos)
                pos += 4
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(DescribeQuorumRequestPartitionData(topics_partitions_partition_index))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(DescribeQuorumRequestTopicData(topics_topic_name, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeQuorumRequest(topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_quorum_request_v0_v2(out: bytearray, m: DescribeQuorumRequest) -> None:
    try:
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            text = topics_item.topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicName")
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_i(topics_partitions_item.partition_index)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeQuorumRequest", error) from error

DescribeQuorumRequest.DECODERS = {
    0: decode_describe_quorum_request_v0_v2, 1: decode_describe_quorum_request_v0_v2,
    2: decode_describe_quorum_request_v0_v2,
}

DescribeQuorumRequest.ENCODERS = {
    0: encode_describe_quorum_request_v0_v2, 1: encode_describe_quorum_request_v0_v2,
    2: encode_describe_quorum_request_v0_v2,
}



def decode_describe_quorum_response_v0(buf: bytes, pos: int, end: int) -> tuple[DescribeQuorumResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[DescribeQuorumResponseTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicName")
            if n < 0:
                raise null("TopicName")
            topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[DescribeQuorumResponsePartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_high_watermark = _read_ihiiq(buf, pos)
                pos += 22
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("CurrentVoters", n, pos, end)
                topics_partitions_current_voters: list[ReplicaState] = []
                topics_partitions_current_voters_count = n
                for _ in range(topics_partitions_current_voters_count):
                    topics_partitions_current_voters_replica_id, topics_partitions_current_voters_log_end_offset = _read_iq(buf, pos)
                    pos += 12
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    topics_partitions_current_voters.append(ReplicaState(topics_partitions_current_voters_replica_id, ZERO_UUID, topics_partitions_current_voters_log_end_offset))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Observers", n, pos, end)
                topics_partitions_observers: list[ReplicaState] = []
                topics_partitions_observers_count = n
                for _ in range(topics_partitions_observers_count):
                    topics_partitions_observers_replica_id, topics_partitions_observers_log_end_offset = _read_iq(buf, pos)
                    pos += 12
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    topics_partitions_observers.append(ReplicaState(topics_partitions_observers_replica_id, ZERO_UUID, topics_partitions_observers_log_end_offset))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(DescribeQuorumResponsePartitionData(topics_partitions_partition_index, topics_partitions_error_code, "", topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_high_watermark, topics_partitions_current_voters, topics_partitions_observers))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(DescribeQuorumResponseTopicData(topics_topic_name, topics_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeQuorumResponse(error_code, "", topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_quorum_response_v0(out: bytearray, m: DescribeQuorumResponse) -> None:
    try:
        out += _write_h(m.error_code)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            text = topics_item.topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicName")
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_ihiiq(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch, topics_partitions_item.high_watermark)
                topics_partitions_current_voters = topics_partitions_item.current_voters
                n = len(topics_partitions_current_voters) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_current_voters_item in topics_partitions_current_voters:
                    out += _write_iq(topics_partitions_current_voters_item.replica_id, topics_partitions_current_voters_item.log_end_offset)
                    out.append(0)
                topics_partitions_observers = topics_partitions_item.observers
                n = len(topics_partitions_observers) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_observers_item in topics_partitions_observers:
                    out += _write_iq(topics_partitions_observers_item.replica_id, topics_partitions_observers_item.log_end_offset)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeQuorumResponse", error) from error


def decode_describe_quorum_response_v1(buf: bytes, pos: int, end: int) -> tuple[DescribeQuorumResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[DescribeQuorumResponseTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicName")
            if n < 0:
                raise null("TopicName")
            topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[DescribeQuorumResponsePartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_high_watermark = _read_ihiiq(buf, pos)
                pos += 22
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("CurrentVoters", n, pos, end)
                topics_partitions_current_voters: list[ReplicaState] = []
                topics_partitions_current_voters_count = n
                for _ in range(topics_partitions_current_voters_count):
                    topics_partitions_current_voters_replica_id, topics_partitions_current_voters_log_end_offset, topics_partitions_current_voters_last_fetch_timestamp, topics_partitions_current_voters_last_caught_up_timestamp = _read_iqqq(buf, pos)
                    pos += 28
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    topics_partitions_current_voters.append(ReplicaState(topics_partitions_current_voters_replica_id, ZERO_UUID, topics_partitions_current_voters_log_end_offset, topics_partitions_current_voters_last_fetch_timestamp, topics_partitions_current_voters_last_caught_up_timestamp))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Observers", n, pos, end)
                topics_partitions_observers: list[ReplicaState] = []
                topics_partitions_observers_count = n
                for _ in range(topics_partitions_observers_count):
                    topics_partitions_observers_replica_id, topics_partitions_observers_log_end_offset, topics_partitions_observers_last_fetch_timestamp, topics_partitions_observers_last_caught_up_timestamp = _read_iqqq(buf, pos)
                    pos += 28
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    topics_partitions_observers.append(ReplicaState(topics_partitions_observers_replica_id, ZERO_UUID, topics_partitions_observers_log_end_offset, topics_partitions_observers_last_fetch_timestamp, topics_partitions_observers_last_caught_up_timestamp))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(DescribeQuorumResponsePartitionData(topics_partitions_partition_index, topics_partitions_error_code, "", topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_high_watermark, topics_partitions_current_voters, topics_partitions_observers))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(DescribeQuorumResponseTopicData(topics_topic_name, topics_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeQuorumResponse(error_code, "", topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_quorum_response_v1(out: bytearray, m: DescribeQuorumResponse) -> None:
    try:
        out += _write_h(m.error_code)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            text = topics_item.topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicName")
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_ihiiq(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch, topics_partitions_item.high_watermark)
                topics_partitions_current_voters = topics_partitions_item.current_voters
                n = len(topics_partitions_current_voters) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_current_voters_item in topics_partitions_current_voters:
                    out += _write_iqqq(topics_partitions_current_voters_item.replica_id, topics_partitions_current_voters_item.log_end_offset, topics_partitions_current_voters_item.last_fetch_timestamp, topics_partitions_current_voters_item.last_caught_up_timestamp)
                    out.append(0)
                topics_partitions_observers = topics_partitions_item.observers
                n = len(topics_partitions_observers) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_observers_item in topics_partitions_observers:
                    out += _write_iqqq(topics_partitions_observers_item.replica_id, topics_partitions_observers_item.log_end_offset, topics_partitions_observers_item.last_fetch_timestamp, topics_partitions_observers_item.last_caught_up_timestamp)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeQuorumResponse", error) from error


def decode_describe_quorum_response_v2(buf: bytes, pos: int, end: int) -> tuple[DescribeQuorumResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
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
            raise wrong_count("Topics", n, pos, end)
        topics: list[DescribeQuorumResponseTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicName")
            if n < 0:
                raise null("TopicName")
            topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[DescribeQuorumResponsePartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code = _read_ih(buf, pos)
                pos += 6
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
                topics_partitions_error_message: str | None = None
                if n >= 0:
                    topics_partitions_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_high_watermark = _read_iiq(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("CurrentVoters", n, pos, end)
                topics_partitions_current_voters: list[ReplicaState] = []
                topics_partitions_current_voters_count = n
                for _ in range(topics_partitions_current_voters_count):
                    topics_partitions_current_voters_replica_id, topics_partitions_current_voters_replica_directory_id, topics_partitions_current_voters_log_end_offset, topics_partitions_current_voters_last_fetch_timestamp, topics_partitions_current_voters_last_caught_up_timestamp = _read_iuqqq(buf, pos)
                    pos += 44
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    topics_partitions_current_voters.append(ReplicaState(topics_partitions_current_voters_replica_id, topics_partitions_current_voters_replica_directory_id, topics_partitions_current_voters_log_end_offset, topics_partitions_current_voters_last_fetch_timestamp, topics_partitions_current_voters_last_caught_up_timestamp))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Observers", n, pos, end)
                topics_partitions_observers: list[ReplicaState] = []
                topics_partitions_observers_count = n
                for _ in range(topics_partitions_observers_count):
                    topics_partitions_observers_replica_id, topics_partitions_observers_replica_directory_id, topics_partitions_observers_log_end_offset, topics_partitions_observers_last_fetch_timestamp, topics_partitions_observers_last_caught_up_timestamp = _read_iuqqq(buf, pos)
                    pos += 44
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    topics_partitions_observers.append(ReplicaState(topics_partitions_observers_replica_id, topics_partitions_observers_replica_directory_id, topics_partitions_observers_log_end_offset, topics_partitions_observers_last_fetch_timestamp, topics_partitions_observers_last_caught_up_timestamp))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(DescribeQuorumResponsePartitionData(topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_error_message, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_high_watermark, topics_partitions_current_voters, topics_partitions_observers))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(DescribeQuorumResponseTopicData(topics_topic_name, topics_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Nodes", n, pos, end)
        nodes: list[Node] = []
        nodes_count = n
        for _ in range(nodes_count):
            nodes_node_id, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Listeners", n, pos, end)
            nodes_listeners: list[Listener] = []
            nodes_listeners_count = n
            for _ in range(nodes_listeners_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                nodes_listeners_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Host")
                if n < 0:
                    raise null("Host")
                nodes_listeners_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                nodes_listeners_port, = _read_H(buf, pos)
                pos += 2
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                nodes_listeners.append(Listener(nodes_listeners_name, nodes_listeners_host, nodes_listeners_port))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            nodes.append(Node(nodes_node_id, nodes_listeners))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeQuorumResponse(error_code, error_message, topics, nodes)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_quorum_response_v2(out: bytearray, m: DescribeQuorumResponse) -> None:
    try:
        out += _write_h(m.error_code)
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
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            text = topics_item.topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicName")
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_ih(topics_partitions_item.partition_index, topics_partitions_item.error_code)
                topics_partitions_error_message = topics_partitions_item.error_message
                if topics_partitions_error_message is None:
                    out.append(0)
                else:
                    text = topics_partitions_error_message.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "ErrorMessage")
                    out += text
                out += _write_iiq(topics_partitions_item.leader_id, topics_partitions_item.leader_epoch, topics_partitions_item.high_watermark)
                topics_partitions_current_voters = topics_partitions_item.current_voters
                n = len(topics_partitions_current_voters) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_current_voters_item in topics_partitions_current_voters:
                    out += _write_iuqqq(topics_partitions_current_voters_item.replica_id, topics_partitions_current_voters_item.replica_directory_id, topics_partitions_current_voters_item.log_end_offset, topics_partitions_current_voters_item.last_fetch_timestamp, topics_partitions_current_voters_item.last_caught_up_timestamp)
                    out.append(0)
                topics_partitions_observers = topics_partitions_item.observers
                n = len(topics_partitions_observers) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_observers_item in topics_partitions_observers:
                    out += _write_iuqqq(topics_partitions_observers_item.replica_id, topics_partitions_observers_item.replica_directory_id, topics_partitions_observers_item.log_end_offset, topics_partitions_observers_item.last_fetch_timestamp, topics_partitions_observers_item.last_caught_up_timestamp)
                    out.append(0)
                out.append(0)
            out.append(0)
        nodes = m.nodes
        n = len(nodes) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for nodes_item in nodes:
            out += _write_i(nodes_item.node_id)
            nodes_listeners = nodes_item.listeners
            n = len(nodes_listeners) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for nodes_listeners_item in nodes_listeners:
                text = nodes_listeners_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                text = nodes_listeners_item.host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Host")
                out += text
                out += _write_H(nodes_listeners_item.port)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeQuorumResponse", error) from error

DescribeQuorumResponse.DECODERS = {
    0: decode_describe_quorum_response_v0,
    1: decode_describe_quorum_response_v1,
    2: decode_describe_quorum_response_v2,
}

DescribeQuorumResponse.ENCODERS = {
    0: encode_describe_quorum_response_v0,
    1: encode_describe_quorum_response_v1,
    2: encode_describe_quorum_response_v2,
}

__all__ = [
    "DescribeQuorumRequest", "DescribeQuorumRequestPartitionData", "DescribeQuorumRequestTopicData",
    "DescribeQuorumResponse", "DescribeQuorumResponsePartitionData", "DescribeQuorumResponseTopicData",
    "Listener", "Node", "ReplicaState",
]
