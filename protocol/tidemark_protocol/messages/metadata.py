# Generated from schemas/messages/MetadataRequest.json and schemas/messages/MetadataResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, check_count, null, past_end, read_length,
    read_tag_count, read_text_length, read_uvarint, skip_tag, skip_tags, skip_tags_within, too_many,
    too_short, unfit, write_tags, write_text_length, write_uvarint, wrong_count,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_uz = struct.Struct(">16s?")
_read_uz = _uz.unpack_from
_write_uz = _uz.pack
_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_zz = struct.Struct(">??")
_read_zz = _zz.unpack_from
_write_zz = _zz.pack
_zzz = struct.Struct(">???")
_read_zzz = _zzz.unpack_from
_write_zzz = _zzz.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_hii = struct.Struct(">hii")
_read_hii = _hii.unpack_from
_write_hii = _hii.pack
_hiii = struct.Struct(">hiii")
_read_hiii = _hiii.unpack_from
_write_hiii = _hiii.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack


class MetadataRequestTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Name", "name", "string", None),
    )
    topic_id: bytes = ZERO_UUID
    name: str | None = ""


class MetadataRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topics", "topics", "[]struct", MetadataRequestTopic),
        ("AllowAutoTopicCreation", "allow_auto_topic_creation", "bool", None),
        ("IncludeClusterAuthorizedOperations", "include_cluster_authorized_operations", "bool", None),
        ("IncludeTopicAuthorizedOperations", "include_topic_authorized_operations", "bool", None),
    )
    NAME: ClassVar = "MetadataRequest"
    API_KEY: ClassVar = 3
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 14
    FLEXIBLE_FROM: ClassVar = 9
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topics: list[MetadataRequestTopic] | None = []
    allow_auto_topic_creation: bool = True
    include_cluster_authorized_operations: bool = False
    include_topic_authorized_operations: bool = False


class MetadataResponseBroker(Struct, gc=False):
    FIELDS: ClassVar = (
        ("NodeId", "node_id", "int32", None),
        ("Host", "host", "string", None),
        ("Port", "port", "int32", None),
        ("Rack", "rack", "string", None),
    )
    node_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None


class MetadataResponsePartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("PartitionIndex", "partition_index", "int32", None),
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("ReplicaNodes", "replica_nodes", "[]int32", None),
        ("IsrNodes", "isr_nodes", "[]int32", None),
        ("OfflineReplicas", "offline_replicas", "[]int32", None),
        ("PartitionAgeMs", "partition_age_ms", "int64", None),
    )
    error_code: int = 0
    partition_index: int = 0
    leader_id: int = 0
    leader_epoch: int = -1
    replica_nodes: list[int] = []
    isr_nodes: list[int] = []
    offline_replicas: list[int] = []
    partition_age_ms: int = -1


class MetadataResponseTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("Name", "name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("IsInternal", "is_internal", "bool", None),
        ("Partitions", "partitions", "[]struct", MetadataResponsePartition),
        ("TopicAuthorizedOperations", "topic_authorized_operations", "int32", None),
    )
    error_code: int = 0
    name: str | None = ""
    topic_id: bytes = ZERO_UUID
    is_internal: bool = False
    partitions: list[MetadataResponsePartition] = []
    topic_authorized_operations: int = -2147483648


class MetadataResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Brokers", "brokers", "[]struct", MetadataResponseBroker),
        ("ClusterId", "cluster_id", "string", None),
        ("ControllerId", "controller_id", "int32", None),
        ("Topics", "topics", "[]struct", MetadataResponseTopic),
        ("ClusterAuthorizedOperations", "cluster_authorized_operations", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
    )
    NAME: ClassVar = "MetadataResponse"
    API_KEY: ClassVar = 3
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 14
    FLEXIBLE_FROM: ClassVar = 9
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    brokers: list[MetadataResponseBroker] = []
    cluster_id: str | None = None
    controller_id: int = -1
    topics: list[MetadataResponseTopic] = []
    cluster_authorized_operations: int = -2147483648
    error_code: int = 0


def decode_metadata_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[MetadataRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[MetadataRequestTopic] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics.append(MetadataRequestTopic(ZERO_UUID, topics_name))
        message = MetadataRequest(topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_request_v0(out: bytearray, m: MetadataRequest) -> None:
    try:
        topics = m.topics
        if topics is None:
            raise null("Topics")
        out += _write_i(len(topics))
        for topics_item in topics:
            topics_name = topics_item.name
            if topics_name is None:
                raise null("Name")
            text = topics_name.encode()
            out += _write_h(len(text))
            out += text
    except UNFIT as error:
        raise unfit("MetadataRequest", error) from error


def decode_metadata_request_v1_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[MetadataRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        topics: list[MetadataRequestTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_list: list[MetadataRequestTopic] = []
            topics_count = n
            for _ in range(topics_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Name")
                topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                topics_list.append(MetadataRequestTopic(ZERO_UUID, topics_name))
            topics = topics_list
        message = MetadataRequest(topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_request_v1_v3(out: bytearray, m: MetadataRequest) -> None:
    try:
        topics = m.topics
        if topics is None:
            out += _write_i(-1)
        else:
            out += _write_i(len(topics))
            for topics_item in topics:
                topics_name = topics_item.name
                if topics_name is None:
                    raise null("Name")
                text = topics_name.encode()
                out += _write_h(len(text))
                out += text
    except UNFIT as error:
        raise unfit("MetadataRequest", error) from error


def decode_metadata_request_v4_v7(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[MetadataRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        topics: list[MetadataRequestTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_list: list[MetadataRequestTopic] = []
            topics_count = n
            for _ in range(topics_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Name")
                topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                topics_list.append(MetadataRequestTopic(ZERO_UUID, topics_name))
            topics = topics_list
        allow_auto_topic_creation, = _read_z(buf, pos)
        pos += 1
        message = MetadataRequest(topics, allow_auto_topic_creation)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_request_v4_v7(out: bytearray, m: MetadataRequest) -> None:
    try:
        topics = m.topics
        if topics is None:
            out += _write_i(-1)
        else:
            out += _write_i(len(topics))
            for topics_item in topics:
                topics_name = topics_item.name
                if topics_name is None:
                    raise null("Name")
                text = topics_name.encode()
                out += _write_h(len(text))
                out += text
        out += _write_z(m.allow_auto_topic_creation)
    except UNFIT as error:
        raise unfit("MetadataRequest", error) from error


def decode_metadata_request_v8(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[MetadataRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        topics: list[MetadataRequestTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_list: list[MetadataRequestTopic] = []
            topics_count = n
            for _ in range(topics_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Name")
                topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                topics_list.append(MetadataRequestTopic(ZERO_UUID, topics_name))
            topics = topics_list
        allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations = _read_zzz(buf, pos)
        pos += 3
        message = MetadataRequest(topics, allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_request_v8(out: bytearray, m: MetadataRequest) -> None:
    try:
        topics = m.topics
        if topics is None:
            out += _write_i(-1)
        else:
            out += _write_i(len(topics))
            for topics_item in topics:
                topics_name = topics_item.name
                if topics_name is None:
                    raise null("Name")
                text = topics_name.encode()
                out += _write_h(len(text))
                out += text
        out += _write_zzz(m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations)
    except UNFIT as error:
        raise unfit("MetadataRequest", error) from error


def decode_metadata_request_v9(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[MetadataRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        topics: list[MetadataRequestTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_list: list[MetadataRequestTopic] = []
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
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_list.append(MetadataRequestTopic(ZERO_UUID, topics_name))
            topics = topics_list
        allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations = _read_zzz(buf, pos)
        pos += 3
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = MetadataRequest(topics, allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_request_v9(out: bytearray, m: MetadataRequest) -> None:
    try:
        topics = m.topics
        if topics is None:
            out.append(0)
        else:
            n = len(topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_item in topics:
                topics_name = topics_item.name
                if topics_name is None:
                    raise null("Name")
                text = topics_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                out.append(0)
        out += _write_zzz(m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("MetadataRequest", error) from error


def decode_metadata_request_v10(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[MetadataRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        topics: list[MetadataRequestTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_list: list[MetadataRequestTopic] = []
            topics_count = n
            for _ in range(topics_count):
                topics_topic_id, = _read_u(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                topics_name: str | None = None
                if n >= 0:
                    topics_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_list.append(MetadataRequestTopic(topics_topic_id, topics_name))
            topics = topics_list
        allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations = _read_zzz(buf, pos)
        pos += 3
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = MetadataRequest(topics, allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_request_v10(out: bytearray, m: MetadataRequest) -> None:
    try:
        topics = m.topics
        if topics is None:
            out.append(0)
        else:
            n = len(topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_item in topics:
                out += _write_u(topics_item.topic_id)
                topics_name = topics_item.name
                if topics_name is None:
                    out.append(0)
                else:
                    text = topics_name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Name")
                    out += text
                out.append(0)
        out += _write_zzz(m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("MetadataRequest", error) from error


def decode_metadata_request_v11_v14(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[MetadataRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        topics: list[MetadataRequestTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_list: list[MetadataRequestTopic] = []
            topics_count = n
            for _ in range(topics_count):
                topics_topic_id, = _read_u(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                topics_name: str | None = None
                if n >= 0:
                    topics_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_list.append(MetadataRequestTopic(topics_topic_id, topics_name))
            topics = topics_list
        allow_auto_topic_creation, include_topic_authorized_operations = _read_zz(buf, pos)
        pos += 2
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = MetadataRequest(topics, allow_auto_topic_creation, False, include_topic_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_request_v11_v14(out: bytearray, m: MetadataRequest) -> None:
    try:
        topics = m.topics
        if topics is None:
            out.append(0)
        else:
            n = len(topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_item in topics:
                out += _write_u(topics_item.topic_id)
                topics_name = topics_item.name
                if topics_name is None:
                    out.append(0)
                else:
                    text = topics_name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Name")
                    out += text
                out.append(0)
        out += _write_zz(m.allow_auto_topic_creation, m.include_topic_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("MetadataRequest", error) from error

MetadataRequest.DECODERS = {
    0: decode_metadata_request_v0,
    1: decode_metadata_request_v1_v3, 2: decode_metadata_request_v1_v3, 3: decode_metadata_request_v1_v3,
    4: decode_metadata_request_v4_v7, 5: decode_metadata_request_v4_v7, 6: decode_metadata_request_v4_v7,
    7: decode_metadata_request_v4_v7,
    8: decode_metadata_request_v8,
    9: decode_metadata_request_v9,
    10: decode_metadata_request_v10,
    11: decode_metadata_request_v11_v14, 12: decode_metadata_request_v11_v14,
    13: decode_metadata_request_v11_v14, 14: decode_metadata_request_v11_v14,
}

MetadataRequest.ENCODERS = {
    0: encode_metadata_request_v0,
    1: encode_metadata_request_v1_v3, 2: encode_metadata_request_v1_v3, 3: encode_metadata_request_v1_v3,
    4: encode_metadata_request_v4_v7, 5: encode_metadata_request_v4_v7, 6: encode_metadata_request_v4_v7,
    7: encode_metadata_request_v4_v7,
    8: encode_metadata_request_v8,
    9: encode_metadata_request_v9,
    10: encode_metadata_request_v10,
    11: encode_metadata_request_v11_v14, 12: encode_metadata_request_v11_v14,
    13: encode_metadata_request_v11_v14, 14: encode_metadata_request_v11_v14,
}



def decode_metadata_response_v0(buf: bytes, pos: int, end: int) -> tuple[MetadataResponse, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[MetadataResponseBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_node_id, = _read_i(buf, pos)
            pos += 4
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            brokers.append(MetadataResponseBroker(brokers_node_id, brokers_host, brokers_port))
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[MetadataResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
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
            topics_partitions: list[MetadataResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id = _read_hii(buf, pos)
                pos += 10
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_partitions.append(MetadataResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, -1, topics_partitions_replica_nodes, topics_partitions_isr_nodes))
            topics.append(MetadataResponseTopic(topics_error_code, topics_name, ZERO_UUID, False, topics_partitions))
        message = MetadataResponse(0, brokers, None, -1, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_response_v0(out: bytearray, m: MetadataResponse) -> None:
    try:
        brokers = m.brokers
        out += _write_i(len(brokers))
        for brokers_item in brokers:
            out += _write_i(brokers_item.node_id)
            text = brokers_item.host.encode()
            out += _write_h(len(text))
            out += text
            out += _write_i(brokers_item.port)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            out += _write_h(topics_item.error_code)
            topics_name = topics_item.name
            if topics_name is None:
                raise null("Name")
            text = topics_name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_hii(topics_partitions_item.error_code, topics_partitions_item.partition_index, topics_partitions_item.leader_id)
                topics_partitions_replica_nodes = topics_partitions_item.replica_nodes
                out += _write_i(len(topics_partitions_replica_nodes))
                out += struct.pack(f">{len(topics_partitions_replica_nodes)}i", *topics_partitions_replica_nodes)
                topics_partitions_isr_nodes = topics_partitions_item.isr_nodes
                out += _write_i(len(topics_partitions_isr_nodes))
                out += struct.pack(f">{len(topics_partitions_isr_nodes)}i", *topics_partitions_isr_nodes)
    except UNFIT as error:
        raise unfit("MetadataResponse", error) from error


def decode_metadata_response_v1(buf: bytes, pos: int, end: int) -> tuple[MetadataResponse, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[MetadataResponseBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_node_id, = _read_i(buf, pos)
            pos += 4
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = _read_h(buf, pos)[0]
            pos += 2
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            brokers.append(MetadataResponseBroker(brokers_node_id, brokers_host, brokers_port, brokers_rack))
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[MetadataResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_is_internal, = _read_z(buf, pos)
            pos += 1
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[MetadataResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id = _read_hii(buf, pos)
                pos += 10
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_partitions.append(MetadataResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, -1, topics_partitions_replica_nodes, topics_partitions_isr_nodes))
            topics.append(MetadataResponseTopic(topics_error_code, topics_name, ZERO_UUID, topics_is_internal, topics_partitions))
        message = MetadataResponse(0, brokers, None, controller_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_response_v1(out: bytearray, m: MetadataResponse) -> None:
    try:
        brokers = m.brokers
        out += _write_i(len(brokers))
        for brokers_item in brokers:
            out += _write_i(brokers_item.node_id)
            text = brokers_item.host.encode()
            out += _write_h(len(text))
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out += _write_h(-1)
            else:
                text = brokers_rack.encode()
                out += _write_h(len(text))
                out += text
        out += _write_i(m.controller_id)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            out += _write_h(topics_item.error_code)
            topics_name = topics_item.name
            if topics_name is None:
                raise null("Name")
            text = topics_name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_z(topics_item.is_internal)
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_hii(topics_partitions_item.error_code, topics_partitions_item.partition_index, topics_partitions_item.leader_id)
                topics_partitions_replica_nodes = topics_partitions_item.replica_nodes
                out += _write_i(len(topics_partitions_replica_nodes))
                out += struct.pack(f">{len(topics_partitions_replica_nodes)}i", *topics_partitions_replica_nodes)
                topics_partitions_isr_nodes = topics_partitions_item.isr_nodes
                out += _write_i(len(topics_partitions_isr_nodes))
                out += struct.pack(f">{len(topics_partitions_isr_nodes)}i", *topics_partitions_isr_nodes)
    except UNFIT as error:
        raise unfit("MetadataResponse", error) from error


def decode_metadata_response_v2(buf: bytes, pos: int, end: int) -> tuple[MetadataResponse, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[MetadataResponseBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_node_id, = _read_i(buf, pos)
            pos += 4
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = _read_h(buf, pos)[0]
            pos += 2
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            brokers.append(MetadataResponseBroker(brokers_node_id, brokers_host, brokers_port, brokers_rack))
        n = _read_h(buf, pos)[0]
        pos += 2
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[MetadataResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_is_internal, = _read_z(buf, pos)
            pos += 1
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[MetadataResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id = _read_hii(buf, pos)
                pos += 10
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_partitions.append(MetadataResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, -1, topics_partitions_replica_nodes, topics_partitions_isr_nodes))
            topics.append(MetadataResponseTopic(topics_error_code, topics_name, ZERO_UUID, topics_is_internal, topics_partitions))
        message = MetadataResponse(0, brokers, cluster_id, controller_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_response_v2(out: bytearray, m: MetadataResponse) -> None:
    try:
        brokers = m.brokers
        out += _write_i(len(brokers))
        for brokers_item in brokers:
            out += _write_i(brokers_item.node_id)
            text = brokers_item.host.encode()
            out += _write_h(len(text))
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out += _write_h(-1)
            else:
                text = brokers_rack.encode()
                out += _write_h(len(text))
                out += text
        cluster_id = m.cluster_id
        if cluster_id is None:
            out += _write_h(-1)
        else:
            text = cluster_id.encode()
            out += _write_h(len(text))
            out += text
        out += _write_i(m.controller_id)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            out += _write_h(topics_item.error_code)
            topics_name = topics_item.name
            if topics_name is None:
                raise null("Name")
            text = topics_name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_z(topics_item.is_internal)
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_hii(topics_partitions_item.error_code, topics_partitions_item.partition_index, topics_partitions_item.leader_id)
                topics_partitions_replica_nodes = topics_partitions_item.replica_nodes
                out += _write_i(len(topics_partitions_replica_nodes))
                out += struct.pack(f">{len(topics_partitions_replica_nodes)}i", *topics_partitions_replica_nodes)
                topics_partitions_isr_nodes = topics_partitions_item.isr_nodes
                out += _write_i(len(topics_partitions_isr_nodes))
                out += struct.pack(f">{len(topics_partitions_isr_nodes)}i", *topics_partitions_isr_nodes)
    except UNFIT as error:
        raise unfit("MetadataResponse", error) from error


def decode_metadata_response_v3_v4(buf: bytes, pos: int, end: int) -> tuple[MetadataResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[MetadataResponseBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_node_id, = _read_i(buf, pos)
            pos += 4
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = _read_h(buf, pos)[0]
            pos += 2
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            brokers.append(MetadataResponseBroker(brokers_node_id, brokers_host, brokers_port, brokers_rack))
        n = _read_h(buf, pos)[0]
        pos += 2
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[MetadataResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_is_internal, = _read_z(buf, pos)
            pos += 1
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[MetadataResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id = _read_hii(buf, pos)
                pos += 10
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_partitions.append(MetadataResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, -1, topics_partitions_replica_nodes, topics_partitions_isr_nodes))
            topics.append(MetadataResponseTopic(topics_error_code, topics_name, ZERO_UUID, topics_is_internal, topics_partitions))
        message = MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_response_v3_v4(out: bytearray, m: MetadataResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        brokers = m.brokers
        out += _write_i(len(brokers))
        for brokers_item in brokers:
            out += _write_i(brokers_item.node_id)
            text = brokers_item.host.encode()
            out += _write_h(len(text))
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out += _write_h(-1)
            else:
                text = brokers_rack.encode()
                out += _write_h(len(text))
                out += text
        cluster_id = m.cluster_id
        if cluster_id is None:
            out += _write_h(-1)
        else:
            text = cluster_id.encode()
            out += _write_h(len(text))
            out += text
        out += _write_i(m.controller_id)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            out += _write_h(topics_item.error_code)
            topics_name = topics_item.name
            if topics_name is None:
                raise null("Name")
            text = topics_name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_z(topics_item.is_internal)
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_hii(topics_partitions_item.error_code, topics_partitions_item.partition_index, topics_partitions_item.leader_id)
                topics_partitions_replica_nodes = topics_partitions_item.replica_nodes
                out += _write_i(len(topics_partitions_replica_nodes))
                out += struct.pack(f">{len(topics_partitions_replica_nodes)}i", *topics_partitions_replica_nodes)
                topics_partitions_isr_nodes = topics_partitions_item.isr_nodes
                out += _write_i(len(topics_partitions_isr_nodes))
                out += struct.pack(f">{len(topics_partitions_isr_nodes)}i", *topics_partitions_isr_nodes)
    except UNFIT as error:
        raise unfit("MetadataResponse", error) from error


def decode_metadata_response_v5_v6(buf: bytes, pos: int, end: int) -> tuple[MetadataResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[MetadataResponseBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_node_id, = _read_i(buf, pos)
            pos += 4
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = _read_h(buf, pos)[0]
            pos += 2
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            brokers.append(MetadataResponseBroker(brokers_node_id, brokers_host, brokers_port, brokers_rack))
        n = _read_h(buf, pos)[0]
        pos += 2
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[MetadataResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_is_internal, = _read_z(buf, pos)
            pos += 1
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[MetadataResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id = _read_hii(buf, pos)
                pos += 10
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("OfflineReplicas", n, pos, end)
                topics_partitions_offline_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_partitions.append(MetadataResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, -1, topics_partitions_replica_nodes, topics_partitions_isr_nodes, topics_partitions_offline_replicas))
            topics.append(MetadataResponseTopic(topics_error_code, topics_name, ZERO_UUID, topics_is_internal, topics_partitions))
        message = MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_response_v5_v6(out: bytearray, m: MetadataResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        brokers = m.brokers
        out += _write_i(len(brokers))
        for brokers_item in brokers:
            out += _write_i(brokers_item.node_id)
            text = brokers_item.host.encode()
            out += _write_h(len(text))
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out += _write_h(-1)
            else:
                text = brokers_rack.encode()
                out += _write_h(len(text))
                out += text
        cluster_id = m.cluster_id
        if cluster_id is None:
            out += _write_h(-1)
        else:
            text = cluster_id.encode()
            out += _write_h(len(text))
            out += text
        out += _write_i(m.controller_id)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            out += _write_h(topics_item.error_code)
            topics_name = topics_item.name
            if topics_name is None:
                raise null("Name")
            text = topics_name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_z(topics_item.is_internal)
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_hii(topics_partitions_item.error_code, topics_partitions_item.partition_index, topics_partitions_item.leader_id)
                topics_partitions_replica_nodes = topics_partitions_item.replica_nodes
                out += _write_i(len(topics_partitions_replica_nodes))
                out += struct.pack(f">{len(topics_partitions_replica_nodes)}i", *topics_partitions_replica_nodes)
                topics_partitions_isr_nodes = topics_partitions_item.isr_nodes
                out += _write_i(len(topics_partitions_isr_nodes))
                out += struct.pack(f">{len(topics_partitions_isr_nodes)}i", *topics_partitions_isr_nodes)
                topics_partitions_offline_replicas = topics_partitions_item.offline_replicas
                out += _write_i(len(topics_partitions_offline_replicas))
                out += struct.pack(f">{len(topics_partitions_offline_replicas)}i", *topics_partitions_offline_replicas)
    except UNFIT as error:
        raise unfit("MetadataResponse", error) from error


def decode_metadata_response_v7(buf: bytes, pos: int, end: int) -> tuple[MetadataResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[MetadataResponseBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_node_id, = _read_i(buf, pos)
            pos += 4
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = _read_h(buf, pos)[0]
            pos += 2
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            brokers.append(MetadataResponseBroker(brokers_node_id, brokers_host, brokers_port, brokers_rack))
        n = _read_h(buf, pos)[0]
        pos += 2
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[MetadataResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_is_internal, = _read_z(buf, pos)
            pos += 1
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[MetadataResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_hiii(buf, pos)
                pos += 14
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("OfflineReplicas", n, pos, end)
                topics_partitions_offline_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_partitions.append(MetadataResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_replica_nodes, topics_partitions_isr_nodes, topics_partitions_offline_replicas))
            topics.append(MetadataResponseTopic(topics_error_code, topics_name, ZERO_UUID, topics_is_internal, topics_partitions))
        message = MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_response_v7(out: bytearray, m: MetadataResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        brokers = m.brokers
        out += _write_i(len(brokers))
        for brokers_item in brokers:
            out += _write_i(brokers_item.node_id)
            text = brokers_item.host.encode()
            out += _write_h(len(text))
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out += _write_h(-1)
            else:
                text = brokers_rack.encode()
                out += _write_h(len(text))
                out += text
        cluster_id = m.cluster_id
        if cluster_id is None:
            out += _write_h(-1)
        else:
            text = cluster_id.encode()
            out += _write_h(len(text))
            out += text
        out += _write_i(m.controller_id)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            out += _write_h(topics_item.error_code)
            topics_name = topics_item.name
            if topics_name is None:
                raise null("Name")
            text = topics_name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_z(topics_item.is_internal)
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_hiii(topics_partitions_item.error_code, topics_partitions_item.partition_index, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch)
                topics_partitions_replica_nodes = topics_partitions_item.replica_nodes
                out += _write_i(len(topics_partitions_replica_nodes))
                out += struct.pack(f">{len(topics_partitions_replica_nodes)}i", *topics_partitions_replica_nodes)
                topics_partitions_isr_nodes = topics_partitions_item.isr_nodes
                out += _write_i(len(topics_partitions_isr_nodes))
                out += struct.pack(f">{len(topics_partitions_isr_nodes)}i", *topics_partitions_isr_nodes)
                topics_partitions_offline_replicas = topics_partitions_item.offline_replicas
                out += _write_i(len(topics_partitions_offline_replicas))
                out += struct.pack(f">{len(topics_partitions_offline_replicas)}i", *topics_partitions_offline_replicas)
    except UNFIT as error:
        raise unfit("MetadataResponse", error) from error


def decode_metadata_response_v8(buf: bytes, pos: int, end: int) -> tuple[MetadataResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[MetadataResponseBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_node_id, = _read_i(buf, pos)
            pos += 4
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = _read_h(buf, pos)[0]
            pos += 2
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            brokers.append(MetadataResponseBroker(brokers_node_id, brokers_host, brokers_port, brokers_rack))
        n = _read_h(buf, pos)[0]
        pos += 2
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[MetadataResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_is_internal, = _read_z(buf, pos)
            pos += 1
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[MetadataResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_hiii(buf, pos)
                pos += 14
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("OfflineReplicas", n, pos, end)
                topics_partitions_offline_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_partitions.append(MetadataResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_replica_nodes, topics_partitions_isr_nodes, topics_partitions_offline_replicas))
            topics_topic_authorized_operations, = _read_i(buf, pos)
            pos += 4
            topics.append(MetadataResponseTopic(topics_error_code, topics_name, ZERO_UUID, topics_is_internal, topics_partitions, topics_topic_authorized_operations))
        cluster_authorized_operations, = _read_i(buf, pos)
        pos += 4
        message = MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, cluster_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_response_v8(out: bytearray, m: MetadataResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        brokers = m.brokers
        out += _write_i(len(brokers))
        for brokers_item in brokers:
            out += _write_i(brokers_item.node_id)
            text = brokers_item.host.encode()
            out += _write_h(len(text))
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out += _write_h(-1)
            else:
                text = brokers_rack.encode()
                out += _write_h(len(text))
                out += text
        cluster_id = m.cluster_id
        if cluster_id is None:
            out += _write_h(-1)
        else:
            text = cluster_id.encode()
            out += _write_h(len(text))
            out += text
        out += _write_i(m.controller_id)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            out += _write_h(topics_item.error_code)
            topics_name = topics_item.name
            if topics_name is None:
                raise null("Name")
            text = topics_name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_z(topics_item.is_internal)
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_hiii(topics_partitions_item.error_code, topics_partitions_item.partition_index, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch)
                topics_partitions_replica_nodes = topics_partitions_item.replica_nodes
                out += _write_i(len(topics_partitions_replica_nodes))
                out += struct.pack(f">{len(topics_partitions_replica_nodes)}i", *topics_partitions_replica_nodes)
                topics_partitions_isr_nodes = topics_partitions_item.isr_nodes
                out += _write_i(len(topics_partitions_isr_nodes))
                out += struct.pack(f">{len(topics_partitions_isr_nodes)}i", *topics_partitions_isr_nodes)
                topics_partitions_offline_replicas = topics_partitions_item.offline_replicas
                out += _write_i(len(topics_partitions_offline_replicas))
                out += struct.pack(f">{len(topics_partitions_offline_replicas)}i", *topics_partitions_offline_replicas)
            out += _write_i(topics_item.topic_authorized_operations)
        out += _write_i(m.cluster_authorized_operations)
    except UNFIT as error:
        raise unfit("MetadataResponse", error) from error


def decode_metadata_response_v9(buf: bytes, pos: int, end: int) -> tuple[MetadataResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[MetadataResponseBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_node_id, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Rack")
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            brokers.append(MetadataResponseBroker(brokers_node_id, brokers_host, brokers_port, brokers_rack))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClusterId")
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[MetadataResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_is_internal, = _read_z(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[MetadataResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_hiii(buf, pos)
                pos += 14
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("OfflineReplicas", n, pos, end)
                topics_partitions_offline_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(MetadataResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_replica_nodes, topics_partitions_isr_nodes, topics_partitions_offline_replicas))
            topics_topic_authorized_operations, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(MetadataResponseTopic(topics_error_code, topics_name, ZERO_UUID, topics_is_internal, topics_partitions, topics_topic_authorized_operations))
        cluster_authorized_operations, = _read_i(buf, pos)
        pos += 4
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, cluster_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_response_v9(out: bytearray, m: MetadataResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        brokers = m.brokers
        n = len(brokers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for brokers_item in brokers:
            out += _write_i(brokers_item.node_id)
            text = brokers_item.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out.append(0)
            else:
                text = brokers_rack.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Rack")
                out += text
            out.append(0)
        cluster_id = m.cluster_id
        if cluster_id is None:
            out.append(0)
        else:
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ClusterId")
            out += text
        out += _write_i(m.controller_id)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_h(topics_item.error_code)
            topics_name = topics_item.name
            if topics_name is None:
                raise null("Name")
            text = topics_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            out += _write_z(topics_item.is_internal)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
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
        out += _write_i(m.cluster_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("MetadataResponse", error) from error


def decode_metadata_response_v10(buf: bytes, pos: int, end: int) -> tuple[MetadataResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[MetadataResponseBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_node_id, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Rack")
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            brokers.append(MetadataResponseBroker(brokers_node_id, brokers_host, brokers_port, brokers_rack))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClusterId")
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[MetadataResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_topic_id, topics_is_internal = _read_uz(buf, pos)
            pos += 17
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[MetadataResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_hiii(buf, pos)
                pos += 14
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("OfflineReplicas", n, pos, end)
                topics_partitions_offline_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(MetadataResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_replica_nodes, topics_partitions_isr_nodes, topics_partitions_offline_replicas))
            topics_topic_authorized_operations, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(MetadataResponseTopic(topics_error_code, topics_name, topics_topic_id, topics_is_internal, topics_partitions, topics_topic_authorized_operations))
        cluster_authorized_operations, = _read_i(buf, pos)
        pos += 4
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, cluster_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_response_v10(out: bytearray, m: MetadataResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        brokers = m.brokers
        n = len(brokers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for brokers_item in brokers:
            out += _write_i(brokers_item.node_id)
            text = brokers_item.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out.append(0)
            else:
                text = brokers_rack.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Rack")
                out += text
            out.append(0)
        cluster_id = m.cluster_id
        if cluster_id is None:
            out.append(0)
        else:
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ClusterId")
            out += text
        out += _write_i(m.controller_id)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_h(topics_item.error_code)
            topics_name = topics_item.name
            if topics_name is None:
                raise null("Name")
            text = topics_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            out += _write_uz(topics_item.topic_id, topics_item.is_internal)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
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
        out += _write_i(m.cluster_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("MetadataResponse", error) from error


def decode_metadata_response_v11(buf: bytes, pos: int, end: int) -> tuple[MetadataResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[MetadataResponseBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_node_id, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Rack")
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            brokers.append(MetadataResponseBroker(brokers_node_id, brokers_host, brokers_port, brokers_rack))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClusterId")
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[MetadataResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_topic_id, topics_is_internal = _read_uz(buf, pos)
            pos += 17
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[MetadataResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_hiii(buf, pos)
                pos += 14
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("OfflineReplicas", n, pos, end)
                topics_partitions_offline_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(MetadataResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_replica_nodes, topics_partitions_isr_nodes, topics_partitions_offline_replicas))
            topics_topic_authorized_operations, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(MetadataResponseTopic(topics_error_code, topics_name, topics_topic_id, topics_is_internal, topics_partitions, topics_topic_authorized_operations))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_response_v11(out: bytearray, m: MetadataResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        brokers = m.brokers
        n = len(brokers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for brokers_item in brokers:
            out += _write_i(brokers_item.node_id)
            text = brokers_item.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out.append(0)
            else:
                text = brokers_rack.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Rack")
                out += text
            out.append(0)
        cluster_id = m.cluster_id
        if cluster_id is None:
            out.append(0)
        else:
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ClusterId")
            out += text
        out += _write_i(m.controller_id)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_h(topics_item.error_code)
            topics_name = topics_item.name
            if topics_name is None:
                raise null("Name")
            text = topics_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            out += _write_uz(topics_item.topic_id, topics_item.is_internal)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
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
        out.append(0)
    except UNFIT as error:
        raise unfit("MetadataResponse", error) from error


def decode_metadata_response_v12(buf: bytes, pos: int, end: int) -> tuple[MetadataResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[MetadataResponseBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_node_id, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Rack")
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            brokers.append(MetadataResponseBroker(brokers_node_id, brokers_host, brokers_port, brokers_rack))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClusterId")
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[MetadataResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            topics_name: str | None = None
            if n >= 0:
                topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            topics_topic_id, topics_is_internal = _read_uz(buf, pos)
            pos += 17
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[MetadataResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_hiii(buf, pos)
                pos += 14
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("OfflineReplicas", n, pos, end)
                topics_partitions_offline_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(MetadataResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_replica_nodes, topics_partitions_isr_nodes, topics_partitions_offline_replicas))
            topics_topic_authorized_operations, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(MetadataResponseTopic(topics_error_code, topics_name, topics_topic_id, topics_is_internal, topics_partitions, topics_topic_authorized_operations))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_response_v12(out: bytearray, m: MetadataResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        brokers = m.brokers
        n = len(brokers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for brokers_item in brokers:
            out += _write_i(brokers_item.node_id)
            text = brokers_item.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out.append(0)
            else:
                text = brokers_rack.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Rack")
                out += text
            out.append(0)
        cluster_id = m.cluster_id
        if cluster_id is None:
            out.append(0)
        else:
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ClusterId")
            out += text
        out += _write_i(m.controller_id)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
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
                    write_text_length(out, n, "Name")
                out += text
            out += _write_uz(topics_item.topic_id, topics_item.is_internal)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
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
        out.append(0)
    except UNFIT as error:
        raise unfit("MetadataResponse", error) from error


def decode_metadata_response_v13(buf: bytes, pos: int, end: int) -> tuple[MetadataResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[MetadataResponseBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_node_id, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Rack")
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            brokers.append(MetadataResponseBroker(brokers_node_id, brokers_host, brokers_port, brokers_rack))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClusterId")
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[MetadataResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            topics_name: str | None = None
            if n >= 0:
                topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            topics_topic_id, topics_is_internal = _read_uz(buf, pos)
            pos += 17
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[MetadataResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_hiii(buf, pos)
                pos += 14
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("OfflineReplicas", n, pos, end)
                topics_partitions_offline_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(MetadataResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_replica_nodes, topics_partitions_isr_nodes, topics_partitions_offline_replicas))
            topics_topic_authorized_operations, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(MetadataResponseTopic(topics_error_code, topics_name, topics_topic_id, topics_is_internal, topics_partitions, topics_topic_authorized_operations))
        error_code, = _read_h(buf, pos)
        pos += 2
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, -2147483648, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_response_v13(out: bytearray, m: MetadataResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        brokers = m.brokers
        n = len(brokers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for brokers_item in brokers:
            out += _write_i(brokers_item.node_id)
            text = brokers_item.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out.append(0)
            else:
                text = brokers_rack.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Rack")
                out += text
            out.append(0)
        cluster_id = m.cluster_id
        if cluster_id is None:
            out.append(0)
        else:
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ClusterId")
            out += text
        out += _write_i(m.controller_id)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
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
                    write_text_length(out, n, "Name")
                out += text
            out += _write_uz(topics_item.topic_id, topics_item.is_internal)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
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
        out += _write_h(m.error_code)
        out.append(0)
    except UNFIT as error:
        raise unfit("MetadataResponse", error) from error


def decode_metadata_response_v14(buf: bytes, pos: int, end: int) -> tuple[MetadataResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[MetadataResponseBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_node_id, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Rack")
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            brokers.append(MetadataResponseBroker(brokers_node_id, brokers_host, brokers_port, brokers_rack))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClusterId")
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[MetadataResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            topics_name: str | None = None
            if n >= 0:
                topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            topics_topic_id, topics_is_internal = _read_uz(buf, pos)
            pos += 17
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[MetadataResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_hiii(buf, pos)
                pos += 14
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ReplicaNodes", n, pos, end)
                topics_partitions_replica_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("IsrNodes", n, pos, end)
                topics_partitions_isr_nodes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("OfflineReplicas", n, pos, end)
                topics_partitions_offline_replicas: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_partitions_partition_age_ms: int = -1
                topics_partitions_tag_count = buf[pos]
                pos += 1
                if topics_partitions_tag_count:
                    topics_partitions_tag_count, pos = read_tag_count(buf, pos - 1, end)
                    for _ in range(topics_partitions_tag_count):
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            topics_partitions_partition_age_ms, = _read_q(buf, pos)
                            pos += 8
                        else:
                            pos = skip_tag(buf, pos, end)
                topics_partitions.append(MetadataResponsePartition(topics_partitions_error_code, topics_partitions_partition_index, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_replica_nodes, topics_partitions_isr_nodes, topics_partitions_offline_replicas, topics_partitions_partition_age_ms))
            topics_topic_authorized_operations, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(MetadataResponseTopic(topics_error_code, topics_name, topics_topic_id, topics_is_internal, topics_partitions, topics_topic_authorized_operations))
        error_code, = _read_h(buf, pos)
        pos += 2
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, -2147483648, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_metadata_response_v14(out: bytearray, m: MetadataResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        brokers = m.brokers
        n = len(brokers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for brokers_item in brokers:
            out += _write_i(brokers_item.node_id)
            text = brokers_item.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out.append(0)
            else:
                text = brokers_rack.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Rack")
                out += text
            out.append(0)
        cluster_id = m.cluster_id
        if cluster_id is None:
            out.append(0)
        else:
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ClusterId")
            out += text
        out += _write_i(m.controller_id)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
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
                    write_text_length(out, n, "Name")
                out += text
            out += _write_uz(topics_item.topic_id, topics_item.is_internal)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
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
                topics_partitions_offline_replicas = topics_partitions_item.offline_replicas
                n = len(topics_partitions_offline_replicas) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_offline_replicas)}i", *topics_partitions_offline_replicas)
                topics_partitions_tags: list[tuple[int, bytearray]] = []
                if topics_partitions_item.partition_age_ms != -1:
                    topics_partitions_outer = out
                    out = bytearray()
                    out += _write_q(topics_partitions_item.partition_age_ms)
                    topics_partitions_tags.append((0, out))
                    out = topics_partitions_outer
                write_tags(out, topics_partitions_tags)
            out += _write_i(topics_item.topic_authorized_operations)
            out.append(0)
        out += _write_h(m.error_code)
        out.append(0)
    except UNFIT as error:
        raise unfit("MetadataResponse", error) from error

MetadataResponse.DECODERS = {
    0: decode_metadata_response_v0,
    1: decode_metadata_response_v1,
    2: decode_metadata_response_v2,
    3: decode_metadata_response_v3_v4, 4: decode_metadata_response_v3_v4,
    5: decode_metadata_response_v5_v6, 6: decode_metadata_response_v5_v6,
    7: decode_metadata_response_v7,
    8: decode_metadata_response_v8,
    9: decode_metadata_response_v9,
    10: decode_metadata_response_v10,
    11: decode_metadata_response_v11,
    12: decode_metadata_response_v12,
    13: decode_metadata_response_v13,
    14: decode_metadata_response_v14,
}

MetadataResponse.ENCODERS = {
    0: encode_metadata_response_v0,
    1: encode_metadata_response_v1,
    2: encode_metadata_response_v2,
    3: encode_metadata_response_v3_v4, 4: encode_metadata_response_v3_v4,
    5: encode_metadata_response_v5_v6, 6: encode_metadata_response_v5_v6,
    7: encode_metadata_response_v7,
    8: encode_metadata_response_v8,
    9: encode_metadata_response_v9,
    10: encode_metadata_response_v10,
    11: encode_metadata_response_v11,
    12: encode_metadata_response_v12,
    13: encode_metadata_response_v13,
    14: encode_metadata_response_v14,
}

__all__ = [
    "MetadataRequest", "MetadataRequestTopic", "MetadataResponse", "MetadataResponseBroker",
    "MetadataResponsePartition", "MetadataResponseTopic",
]
