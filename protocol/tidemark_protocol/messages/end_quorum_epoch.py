# Generated from schemas/messages/EndQuorumEpochRequest.json and schemas/messages/EndQuorumEpochResponse.json. Edit that, then run make generate.

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
_iu = struct.Struct(">i16s")
_read_iu = _iu.unpack_from
_write_iu = _iu.pack
_ihii = struct.Struct(">ihii")
_read_ihii = _ihii.unpack_from
_write_ihii = _ihii.pack
_iii = struct.Struct(">iii")
_read_iii = _iii.unpack_from
_write_iii = _iii.pack


class ReplicaInfo(Struct, gc=False):
    FIELDS: ClassVar = (
        ("CandidateId", "candidate_id", "int32", None),
        ("CandidateDirectoryId", "candidate_directory_id", "uuid", None),
    )
    candidate_id: int = 0
    candidate_directory_id: bytes = ZERO_UUID


class EndQuorumEpochRequestPartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("PreferredSuccessors", "preferred_successors", "[]int32", None),
        ("PreferredCandidates", "preferred_candidates", "[]struct", ReplicaInfo),
    )
    partition_index: int = 0
    leader_id: int = 0
    leader_epoch: int = 0
    preferred_successors: list[int] = []
    preferred_candidates: list[ReplicaInfo] = []


class EndQuorumEpochRequestTopicData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
        ("Partitions", "partitions", "[]struct", EndQuorumEpochRequestPartitionData),
    )
    topic_name: str = ""
    partitions: list[EndQuorumEpochRequestPartitionData] = []


class LeaderEndpoint(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Host", "host", "string", None),
        ("Port", "port", "uint16", None),
    )
    name: str = ""
    host: str = ""
    port: int = 0


class EndQuorumEpochRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ClusterId", "cluster_id", "string", None),
        ("Topics", "topics", "[]struct", EndQuorumEpochRequestTopicData),
        ("LeaderEndpoints", "leader_endpoints", "[]struct", LeaderEndpoint),
    )
    NAME: ClassVar = "EndQuorumEpochRequest"
    API_KEY: ClassVar = 54
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 1
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    cluster_id: str | None = None
    topics: list[EndQuorumEpochRequestTopicData] = []
    leader_endpoints: list[LeaderEndpoint] = []


class EndQuorumEpochResponsePartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
    )
    partition_index: int = 0
    error_code: int = 0
    leader_id: int = 0
    leader_epoch: int = 0


class EndQuorumEpochResponseTopicData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicName", "topic_name", "string", None),
        ("Partitions", "partitions", "[]struct", EndQuorumEpochResponsePartitionData),
    )
    topic_name: str = ""
    partitions: list[EndQuorumEpochResponsePartitionData] = []


class NodeEndpoint(Struct, gc=False):
    FIELDS: ClassVar = (
        ("NodeId", "node_id", "int32", None),
        ("Host", "host", "string", None),
        ("Port", "port", "uint16", None),
    )
    node_id: int = 0
    host: str = ""
    port: int = 0


class EndQuorumEpochResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("Topics", "topics", "[]struct", EndQuorumEpochResponseTopicData),
        ("NodeEndpoints", "node_endpoints", "[]struct", NodeEndpoint),
    )
    NAME: ClassVar = "EndQuorumEpochResponse"
    API_KEY: ClassVar = 54
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 1
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    error_code: int = 0
    topics: list[EndQuorumEpochResponseTopicData] = []
    node_endpoints: list[NodeEndpoint] = []


def decode_end_quorum_epoch_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[EndQuorumEpochRequest, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[EndQuorumEpochRequestTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("TopicName")
            topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[EndQuorumEpochRequestPartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_iii(buf, pos)
                pos += 12
                n = _read_i(buf, pos)[0]
                pos += 4
                if n < 0:
                    raise null("PreferredSuccessors")
                if n > end - pos:
                    check_count(n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topics_partitions_preferred_successors: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_partitions.append(EndQuorumEpochRequestPartitionData(topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_preferred_successors))
            topics.append(EndQuorumEpochRequestTopicData(topics_topic_name, topics_partitions))
        message = EndQuorumEpochRequest(cluster_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_end_quorum_epoch_request_v0(out: bytearray, m: EndQuorumEpochRequest) -> None:
    try:
        cluster_id = m.cluster_id
        if cluster_id is None:
            out += _write_h(-1)
        else:
            text = cluster_id.encode()
            out += _write_h(len(text))
            out += text
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            topics_topic_name = topics_item.topic_name
            text = topics_topic_name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iii(topics_partitions_item.partition_index, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch)
                topics_partitions_preferred_successors = topics_partitions_item.preferred_successors
                out += _write_i(len(topics_partitions_preferred_successors))
                out += struct.pack(f">{len(topics_partitions_preferred_successors)}i", *topics_partitions_preferred_successors)
    except UNFIT as error:
        raise unfit("EndQuorumEpochRequest", error) from error


def decode_end_quorum_epoch_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[EndQuorumEpochRequest, int]:
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
        topics: list[EndQuorumEpochRequestTopicData] = []
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
            topics_partitions: list[EndQuorumEpochRequestPartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_iii(buf, pos)
                pos += 12
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                if n < 0:
                    raise null("PreferredCandidates")
                if n > end - pos:
                    check_count(n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topics_partitions_preferred_candidates: list[ReplicaInfo] = []
                topics_partitions_preferred_candidates_count = n
                for _ in range(topics_partitions_preferred_candidates_count):
                    topics_partitions_preferred_candidates_candidate_id, topics_partitions_preferred_candidates_candidate_directory_id = _read_iu(buf, pos)
                    pos += 20
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    topics_partitions_preferred_candidates.append(ReplicaInfo(topics_partitions_preferred_candidates_candidate_id, topics_partitions_preferred_candidates_candidate_directory_id))
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(EndQuorumEpochRequestPartitionData(topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch, [], topics_partitions_preferred_candidates))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(EndQuorumEpochRequestTopicData(topics_topic_name, topics_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("LeaderEndpoints")
        if n > end - pos:
            check_count(n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        leader_endpoints: list[LeaderEndpoint] = []
        leader_endpoints_count = n
        for _ in range(leader_endpoints_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Name", n)
            if n < 0:
                raise null("Name")
            leader_endpoints_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Host", n)
            if n < 0:
                raise null("Host")
            leader_endpoints_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            leader_endpoints_port, = _read_H(buf, pos)
            pos += 2
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            leader_endpoints.append(LeaderEndpoint(leader_endpoints_name, leader_endpoints_host, leader_endpoints_port))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = EndQuorumEpochRequest(cluster_id, topics, leader_endpoints)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_end_quorum_epoch_request_v1(out: bytearray, m: EndQuorumEpochRequest) -> None:
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
                out += _write_iii(topics_partitions_item.partition_index, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch)
                topics_partitions_preferred_candidates = topics_partitions_item.preferred_candidates
                n = len(topics_partitions_preferred_candidates) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_preferred_candidates_item in topics_partitions_preferred_candidates:
                    out += _write_iu(topics_partitions_preferred_candidates_item.candidate_id, topics_partitions_preferred_candidates_item.candidate_directory_id)
                    out.append(0)
                out.append(0)
            out.append(0)
        leader_endpoints = m.leader_endpoints
        n = len(leader_endpoints) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for leader_endpoints_item in leader_endpoints:
            leader_endpoints_name = leader_endpoints_item.name
            text = leader_endpoints_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Name", n - 1)
                write_uvarint(out, n)
            out += text
            leader_endpoints_host = leader_endpoints_item.host
            text = leader_endpoints_host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Host", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_H(leader_endpoints_item.port)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("EndQuorumEpochRequest", error) from error

EndQuorumEpochRequest.DECODERS = {
    0: decode_end_quorum_epoch_request_v0,
    1: decode_end_quorum_epoch_request_v1,
}

EndQuorumEpochRequest.ENCODERS = {
    0: encode_end_quorum_epoch_request_v0,
    1: encode_end_quorum_epoch_request_v1,
}



def decode_end_quorum_epoch_response_v0(buf: bytes, pos: int, end: int) -> tuple[EndQuorumEpochResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[EndQuorumEpochResponseTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("TopicName")
            topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[EndQuorumEpochResponsePartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_ihii(buf, pos)
                pos += 14
                topics_partitions.append(EndQuorumEpochResponsePartitionData(topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_leader_id, topics_partitions_leader_epoch))
            topics.append(EndQuorumEpochResponseTopicData(topics_topic_name, topics_partitions))
        message = EndQuorumEpochResponse(error_code, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_end_quorum_epoch_response_v0(out: bytearray, m: EndQuorumEpochResponse) -> None:
    try:
        out += _write_h(m.error_code)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            topics_topic_name = topics_item.topic_name
            text = topics_topic_name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_ihii(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch)
    except UNFIT as error:
        raise unfit("EndQuorumEpochResponse", error) from error


def decode_end_quorum_epoch_response_v1(buf: bytes, pos: int, end: int) -> tuple[EndQuorumEpochResponse, int]:
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
        topics: list[EndQuorumEpochResponseTopicData] = []
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
            topics_partitions: list[EndQuorumEpochResponsePartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_ihii(buf, pos)
                pos += 14
                if buf[pos]:
                    pos = skip_tags(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(EndQuorumEpochResponsePartitionData(topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_leader_id, topics_partitions_leader_epoch))
            if buf[pos]:
                pos = skip_tags(buf, pos, end)
            else:
                pos += 1
            topics.append(EndQuorumEpochResponseTopicData(topics_topic_name, topics_partitions))
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
        message = EndQuorumEpochResponse(error_code, topics, node_endpoints)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_end_quorum_epoch_response_v1(out: bytearray, m: EndQuorumEpochResponse) -> None:
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
                out += _write_ihii(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch)
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
        raise unfit("EndQuorumEpochResponse", error) from error

EndQuorumEpochResponse.DECODERS = {
    0: decode_end_quorum_epoch_response_v0,
    1: decode_end_quorum_epoch_response_v1,
}

EndQuorumEpochResponse.ENCODERS = {
    0: encode_end_quorum_epoch_response_v0,
    1: encode_end_quorum_epoch_response_v1,
}

__all__ = [
    "EndQuorumEpochRequest",
    "EndQuorumEpochRequestPartitionData",
    "EndQuorumEpochRequestTopicData",
    "EndQuorumEpochResponse",
    "EndQuorumEpochResponsePartitionData",
    "EndQuorumEpochResponseTopicData",
    "LeaderEndpoint",
    "NodeEndpoint",
    "ReplicaInfo",
]
