# Generated from schemas/messages/VoteRequest.json and schemas/messages/VoteResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder,
    Encoder,
    SHORT,
    TEXT_MAX,
    UNBOUNDED,
    UNFIT,
    ZERO_UUID,
    check_count,
    null,
    past_end,
    read_uvarint,
    skip_tag,
    skip_tags,
    skip_tags_within,
    too_long,
    too_many,
    too_short,
    unfit,
    write_tags,
    write_uvarint,
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
_ihiiz = struct.Struct(">ihii?")
_read_ihiiz = _ihiiz.unpack_from
_write_ihiiz = _ihiiz.pack
_iiiuuiq = struct.Struct(">iii16s16siq")
_read_iiiuuiq = _iiiuuiq.unpack_from
_write_iiiuuiq = _iiiuuiq.pack
_iiiuuiqz = struct.Struct(">iii16s16siq?")
_read_iiiuuiqz = _iiiuuiqz.unpack_from
_write_iiiuuiqz = _iiiuuiqz.pack
_iiiiq = struct.Struct(">iiiiq")
_read_iiiiq = _iiiiq.unpack_from
_write_iiiiq = _iiiiq.pack


class VoteRequestPartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ReplicaEpoch", "replica_epoch", "int32", None),
        ("ReplicaId", "replica_id", "int32", None),
        ("ReplicaDirectoryId", "replica_directory_id", "uuid", None),
        ("VoterDirectoryId", "voter_directory_id", "uuid", None),
        ("LastOffsetEpoch", "last_offset_epoch", "int32", None),
        ("LastOffset", "last_offset", "int64", None),
        ("PreVote", "pre_vote", "bool", None),
    )
    partition_index: int = 0
    replica_epoch: int = 0
    replica_id: int = 0
    replica_directory_id: bytes = ZERO_UUID
    voter_directory_id: bytes = ZERO_UUID
    last_offset_epoch: int = 0
    last_offset: int = 0
    pre_vote: bool = False


class VoteRequestTopicData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
        ("Partitions", "partitions", "[]struct", VoteRequestPartitionData),
    )
    topic_name: str = ""
    partitions: list[VoteRequestPartitionData] = []


class VoteRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ClusterId", "cluster_id", "string", None),
        ("VoterId", "voter_id", "int32", None),
        ("Topics", "topics", "[]struct", VoteRequestTopicData),
    )
    NAME: ClassVar = "VoteRequest"
    API_KEY: ClassVar = 52
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    cluster_id: str | None = None
    voter_id: int = -1
    topics: list[VoteRequestTopicData] = []


class VoteResponsePartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("VoteGranted", "vote_granted", "bool", None),
    )
    partition_index: int = 0
    error_code: int = 0
    leader_id: int = 0
    leader_epoch: int = 0
    vote_granted: bool = False


class VoteResponseTopicData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
        ("Partitions", "partitions", "[]struct", VoteResponsePartitionData),
    )
    topic_name: str = ""
    partitions: list[VoteResponsePartitionData] = []


class NodeEndpoint(Struct, gc=False):
    FIELDS: ClassVar = (
        ("NodeId", "node_id", "int32", None),
        ("Host", "host", "string", None),
        ("Port", "port", "uint16", None),
    )
    node_id: int = 0
    host: str = ""
    port: int = 0


class VoteResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("Topics", "topics", "[]struct", VoteResponseTopicData),
        ("NodeEndpoints", "node_endpoints", "[]struct", NodeEndpoint),
    )
    NAME: ClassVar = "VoteResponse"
    API_KEY: ClassVar = 52
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    error_code: int = 0
    topics: list[VoteResponseTopicData] = []
    node_endpoints: list[NodeEndpoint] = []


def decode_vote_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[VoteRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ClusterId", n)
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[VoteRequestTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("TopicName", n)
            if n < 0:
                raise null("TopicName")
            topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
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
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[VoteRequestPartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_replica_epoch, topics_partitions_replica_id, topics_partitions_last_offset_epoch, topics_partitions_last_offset = _read_iiiiq(buf, pos)
                pos += 24
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(VoteRequestPartitionData(topics_partitions_partition_index, topics_partitions_replica_epoch, topics_partitions_replica_id, ZERO_UUID, ZERO_UUID, topics_partitions_last_offset_epoch, topics_partitions_last_offset))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(VoteRequestTopicData(topics_topic_name, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = VoteRequest(cluster_id, -1, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_vote_request_v0(out: bytearray, m: VoteRequest) -> None:
    try:
        cluster_id = m.cluster_id
        if cluster_id is None:
            out.append(0)
        else:
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ClusterId", n - 1)
                write_uvarint(out, n)
            out += text
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            topics_topic_name = topics_item.topic_name
            text = topics_topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TopicName", n - 1)
                write_uvarint(out, n)
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_iiiiq(topics_partitions_item.partition_index, topics_partitions_item.replica_epoch, topics_partitions_item.replica_id, topics_partitions_item.last_offset_epoch, topics_partitions_item.last_offset)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("VoteRequest", error) from error


def decode_vote_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[VoteRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ClusterId", n)
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        voter_id, = _read_i(buf, pos)
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
        left -= n
        if left < 0:
            raise too_many()
        topics: list[VoteRequestTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("TopicName", n)
            if n < 0:
                raise null("TopicName")
            topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
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
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[VoteRequestPartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_replica_epoch, topics_partitions_replica_id, topics_partitions_replica_directory_id, topics_partitions_voter_directory_id, topics_partitions_last_offset_epoch, topics_partitions_last_offset = _read_iiiuuiq(buf, pos)
                pos += 56
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(VoteRequestPartitionData(topics_partitions_partition_index, topics_partitions_replica_epoch, topics_partitions_replica_id, topics_partitions_replica_directory_id, topics_partitions_voter_directory_id, topics_partitions_last_offset_epoch, topics_partitions_last_offset))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(VoteRequestTopicData(topics_topic_name, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = VoteRequest(cluster_id, voter_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_vote_request_v1(out: bytearray, m: VoteRequest) -> None:
    try:
        cluster_id = m.cluster_id
        if cluster_id is None:
            out.append(0)
        else:
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ClusterId", n - 1)
                write_uvarint(out, n)
            out += text
        out += _write_i(m.voter_id)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            topics_topic_name = topics_item.topic_name
            text = topics_topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TopicName", n - 1)
                write_uvarint(out, n)
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_iiiuuiq(topics_partitions_item.partition_index, topics_partitions_item.replica_epoch, topics_partitions_item.replica_id, topics_partitions_item.replica_directory_id, topics_partitions_item.voter_directory_id, topics_partitions_item.last_offset_epoch, topics_partitions_item.last_offset)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("VoteRequest", error) from error


def decode_vote_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[VoteRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ClusterId", n)
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        voter_id, = _read_i(buf, pos)
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
        left -= n
        if left < 0:
            raise too_many()
        topics: list[VoteRequestTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("TopicName", n)
            if n < 0:
                raise null("TopicName")
            topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
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
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[VoteRequestPartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_replica_epoch, topics_partitions_replica_id, topics_partitions_replica_directory_id, topics_partitions_voter_directory_id, topics_partitions_last_offset_epoch, topics_partitions_last_offset, topics_partitions_pre_vote = _read_iiiuuiqz(buf, pos)
                pos += 57
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(VoteRequestPartitionData(topics_partitions_partition_index, topics_partitions_replica_epoch, topics_partitions_replica_id, topics_partitions_replica_directory_id, topics_partitions_voter_directory_id, topics_partitions_last_offset_epoch, topics_partitions_last_offset, topics_partitions_pre_vote))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(VoteRequestTopicData(topics_topic_name, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = VoteRequest(cluster_id, voter_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_vote_request_v2(out: bytearray, m: VoteRequest) -> None:
    try:
        cluster_id = m.cluster_id
        if cluster_id is None:
            out.append(0)
        else:
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ClusterId", n - 1)
                write_uvarint(out, n)
            out += text
        out += _write_i(m.voter_id)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            topics_topic_name = topics_item.topic_name
            text = topics_topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TopicName", n - 1)
                write_uvarint(out, n)
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_iiiuuiqz(topics_partitions_item.partition_index, topics_partitions_item.replica_epoch, topics_partitions_item.replica_id, topics_partitions_item.replica_directory_id, topics_partitions_item.voter_directory_id, topics_partitions_item.last_offset_epoch, topics_partitions_item.last_offset, topics_partitions_item.pre_vote)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("VoteRequest", error) from error

VoteRequest.DECODERS = {
    0: decode_vote_request_v0,
    1: decode_vote_request_v1,
    2: decode_vote_request_v2,
}

VoteRequest.ENCODERS = {
    0: encode_vote_request_v0,
    1: encode_vote_request_v1,
    2: encode_vote_request_v2,
}



def decode_vote_response_v0(buf: bytes, pos: int, end: int) -> tuple[VoteResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[VoteResponseTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("TopicName", n)
            if n < 0:
                raise null("TopicName")
            topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
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
            topics_partitions: list[VoteResponsePartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_vote_granted = _read_ihiiz(buf, pos)
                pos += 15
                if buf[pos]:
                    pos = skip_tags(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(VoteResponsePartitionData(topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_vote_granted))
            if buf[pos]:
                pos = skip_tags(buf, pos, end)
            else:
                pos += 1
            topics.append(VoteResponseTopicData(topics_topic_name, topics_partitions))
        if buf[pos]:
            pos = skip_tags(buf, pos, end)
        else:
            pos += 1
        message = VoteResponse(error_code, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_vote_response_v0(out: bytearray, m: VoteResponse) -> None:
    try:
        out += _write_h(m.error_code)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            topics_topic_name = topics_item.topic_name
            text = topics_topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TopicName", n - 1)
                write_uvarint(out, n)
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_ihiiz(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch, topics_partitions_item.vote_granted)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("VoteResponse", error) from error


def decode_vote_response_v1_v2(buf: bytes, pos: int, end: int) -> tuple[VoteResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[VoteResponseTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("TopicName", n)
            if n < 0:
                raise null("TopicName")
            topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
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
            topics_partitions: list[VoteResponsePartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_vote_granted = _read_ihiiz(buf, pos)
                pos += 15
                if buf[pos]:
                    pos = skip_tags(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(VoteResponsePartitionData(topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_vote_granted))
            if buf[pos]:
                pos = skip_tags(buf, pos, end)
            else:
                pos += 1
            topics.append(VoteResponseTopicData(topics_topic_name, topics_partitions))
        node_endpoints: list[NodeEndpoint] = []
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_uvarint(buf, pos - 1)
            if tag_count > end - pos:
                check_count(tag_count, pos, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_uvarint(buf, pos - 1)
                        n -= 1
                    if n < 0:
                        raise null("NodeEndpoints")
                    if n > end - pos:
                        check_count(n, pos, end)
                    node_endpoints = []
                    node_endpoints_count = n
                    for _ in range(node_endpoints_count):
                        node_endpoints_node_id, = _read_i(buf, pos)
                        pos += 4
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_uvarint(buf, pos - 1)
                            n -= 1
                            if n > TEXT_MAX:
                                raise too_long("Host", n)
                        if n < 0:
                            raise null("Host")
                        node_endpoints_host = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        node_endpoints_port, = _read_H(buf, pos)
                        pos += 2
                        if buf[pos]:
                            pos = skip_tags(buf, pos, end)
                        else:
                            pos += 1
                        node_endpoints.append(NodeEndpoint(node_endpoints_node_id, node_endpoints_host, node_endpoints_port))
                else:
                    pos = skip_tag(buf, pos, end)
        message = VoteResponse(error_code, topics, node_endpoints)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_vote_response_v1_v2(out: bytearray, m: VoteResponse) -> None:
    try:
        out += _write_h(m.error_code)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            topics_topic_name = topics_item.topic_name
            text = topics_topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TopicName", n - 1)
                write_uvarint(out, n)
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_ihiiz(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch, topics_partitions_item.vote_granted)
                out.append(0)
            out.append(0)
        tags: list[tuple[int, bytearray]] = []
        if m.node_endpoints:
            outer = out
            out = bytearray()
            node_endpoints = m.node_endpoints
            n = len(node_endpoints) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for node_endpoints_item in node_endpoints:
                out += _write_i(node_endpoints_item.node_id)
                node_endpoints_host = node_endpoints_item.host
                text = node_endpoints_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Host", n - 1)
                    write_uvarint(out, n)
                out += text
                out += _write_H(node_endpoints_item.port)
                out.append(0)
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("VoteResponse", error) from error

VoteResponse.DECODERS = {
    0: decode_vote_response_v0,
    1: decode_vote_response_v1_v2,
    2: decode_vote_response_v1_v2,
}

VoteResponse.ENCODERS = {
    0: encode_vote_response_v0,
    1: encode_vote_response_v1_v2,
    2: encode_vote_response_v1_v2,
}

__all__ = [
    "NodeEndpoint",
    "VoteRequest",
    "VoteRequestPartitionData",
    "VoteRequestTopicData",
    "VoteResponse",
    "VoteResponsePartitionData",
    "VoteResponseTopicData",
]
