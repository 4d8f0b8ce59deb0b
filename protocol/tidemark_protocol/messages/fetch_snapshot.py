# Generated from schemas/messages/FetchSnapshotRequest.json and schemas/messages/FetchSnapshotResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct, field

from tidemark_protocol.wire import (
    Bytes,
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

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_H = struct.Struct(">H")
_read_H = _H.unpack_from
_write_H = _H.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack
_qi = struct.Struct(">qi")
_read_qi = _qi.unpack_from
_write_qi = _qi.pack
_qq = struct.Struct(">qq")
_read_qq = _qq.unpack_from
_write_qq = _qq.pack


class FetchSnapshotRequestSnapshotId(Struct, gc=False):
    FIELDS: ClassVar = (
        ("EndOffset", "end_offset", "int64", None),
        ("Epoch", "epoch", "int32", None),
    )
    end_offset: int = 0
    epoch: int = 0


class FetchSnapshotRequestPartitionSnapshot(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Partition", "partition", "int32", None),
        ("CurrentLeaderEpoch", "current_leader_epoch", "int32", None),
        ("SnapshotId", "snapshot_id", "struct", FetchSnapshotRequestSnapshotId),
        ("Position", "position", "int64", None),
        ("ReplicaDirectoryId", "replica_directory_id", "uuid", None),
    )
    partition: int = 0
    current_leader_epoch: int = 0
    snapshot_id: FetchSnapshotRequestSnapshotId = field(default_factory=FetchSnapshotRequestSnapshotId)
    position: int = 0
    replica_directory_id: bytes = ZERO_UUID


class FetchSnapshotRequestTopicSnapshot(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", FetchSnapshotRequestPartitionSnapshot),
    )
    name: str = ""
    partitions: list[FetchSnapshotRequestPartitionSnapshot] = []


class FetchSnapshotRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ClusterId", "cluster_id", "string", None),
        ("ReplicaId", "replica_id", "int32", None),
        ("MaxBytes", "max_bytes", "int32", None),
        ("Topics", "topics", "[]struct", FetchSnapshotRequestTopicSnapshot),
    )
    NAME: ClassVar = "FetchSnapshotRequest"
    API_KEY: ClassVar = 59
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    cluster_id: str | None = None
    replica_id: int = -1
    max_bytes: int = 2147483647
    topics: list[FetchSnapshotRequestTopicSnapshot] = []


class FetchSnapshotResponseSnapshotId(Struct, gc=False):
    FIELDS: ClassVar = (
        ("EndOffset", "end_offset", "int64", None),
        ("Epoch", "epoch", "int32", None),
    )
    end_offset: int = 0
    epoch: int = 0


class LeaderIdAndEpoch(Struct, gc=False):
    FIELDS: ClassVar = (
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
    )
    leader_id: int = 0
    leader_epoch: int = 0


class FetchSnapshotResponsePartitionSnapshot(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Index", "index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("SnapshotId", "snapshot_id", "struct", FetchSnapshotResponseSnapshotId),
        ("CurrentLeader", "current_leader", "tagged struct", LeaderIdAndEpoch),
        ("Size", "size", "int64", None),
        ("Position", "position", "int64", None),
        ("UnalignedRecords", "unaligned_records", "records", None),
    )
    index: int = 0
    error_code: int = 0
    snapshot_id: FetchSnapshotResponseSnapshotId = field(default_factory=FetchSnapshotResponseSnapshotId)
    current_leader: LeaderIdAndEpoch | None = None
    size: int = 0
    position: int = 0
    unaligned_records: Bytes = b""


class FetchSnapshotResponseTopicSnapshot(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", FetchSnapshotResponsePartitionSnapshot),
    )
    name: str = ""
    partitions: list[FetchSnapshotResponsePartitionSnapshot] = []


class NodeEndpoint(Struct, gc=False):
    FIELDS: ClassVar = (
        ("NodeId", "node_id", "int32", None),
        ("Host", "host", "string", None),
        ("Port", "port", "uint16", None),
    )
    node_id: int = 0
    host: str = ""
    port: int = 0


class FetchSnapshotResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("Topics", "topics", "[]struct", FetchSnapshotResponseTopicSnapshot),
        ("NodeEndpoints", "node_endpoints", "[]struct", NodeEndpoint),
    )
    NAME: ClassVar = "FetchSnapshotResponse"
    API_KEY: ClassVar = 59
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    topics: list[FetchSnapshotResponseTopicSnapshot] = []
    node_endpoints: list[NodeEndpoint] = []


def decode_fetch_snapshot_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FetchSnapshotRequest, int]:
    try:
        replica_id, max_bytes = _read_ii(buf, pos)
        pos += 8
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
        topics: list[FetchSnapshotRequestTopicSnapshot] = []
        topics_count = n
        for _ in range(topics_count):
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
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[FetchSnapshotRequestPartitionSnapshot] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_current_leader_epoch = _read_ii(buf, pos)
                pos += 8
                topics_partitions_snapshot_id_end_offset, topics_partitions_snapshot_id_epoch = _read_qi(buf, pos)
                pos += 12
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions_snapshot_id = FetchSnapshotRequestSnapshotId(topics_partitions_snapshot_id_end_offset, topics_partitions_snapshot_id_epoch)
                topics_partitions_position, = _read_q(buf, pos)
                pos += 8
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(FetchSnapshotRequestPartitionSnapshot(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_snapshot_id, topics_partitions_position))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(FetchSnapshotRequestTopicSnapshot(topics_name, topics_partitions))
        cluster_id: str | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_uvarint(buf, pos - 1)
            if tag_count > end - pos:
                check_count(tag_count, pos, end)
            left -= max(tag_count, 0)
            if left < 0:
                raise too_many()
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_uvarint(buf, pos - 1)
                        n -= 1
                        if n > TEXT_MAX:
                            raise too_long("ClusterId", n)
                    cluster_id = None
                    if n >= 0:
                        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                else:
                    pos = skip_tag(buf, pos, end)
        message = FetchSnapshotRequest(cluster_id, replica_id, max_bytes, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_snapshot_request_v0(out: bytearray, m: FetchSnapshotRequest) -> None:
    try:
        out += _write_ii(m.replica_id, m.max_bytes)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
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
                out += _write_ii(topics_partitions_item.partition, topics_partitions_item.current_leader_epoch)
                topics_partitions_snapshot_id = topics_partitions_item.snapshot_id
                out += _write_qi(topics_partitions_snapshot_id.end_offset, topics_partitions_snapshot_id.epoch)
                out.append(0)
                out += _write_q(topics_partitions_item.position)
                out.append(0)
            out.append(0)
        tags: list[tuple[int, bytearray]] = []
        if m.cluster_id is not None:
            outer = out
            out = bytearray()
            cluster_id = m.cluster_id
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ClusterId", n - 1)
                write_uvarint(out, n)
            out += text
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("FetchSnapshotRequest", error) from error


def decode_fetch_snapshot_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[FetchSnapshotRequest, int]:
    try:
        replica_id, max_bytes = _read_ii(buf, pos)
        pos += 8
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
        topics: list[FetchSnapshotRequestTopicSnapshot] = []
        topics_count = n
        for _ in range(topics_count):
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
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[FetchSnapshotRequestPartitionSnapshot] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition, topics_partitions_current_leader_epoch = _read_ii(buf, pos)
                pos += 8
                topics_partitions_snapshot_id_end_offset, topics_partitions_snapshot_id_epoch = _read_qi(buf, pos)
                pos += 12
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions_snapshot_id = FetchSnapshotRequestSnapshotId(topics_partitions_snapshot_id_end_offset, topics_partitions_snapshot_id_epoch)
                topics_partitions_position, = _read_q(buf, pos)
                pos += 8
                topics_partitions_replica_directory_id: bytes = ZERO_UUID
                topics_partitions_tag_count = buf[pos]
                pos += 1
                if topics_partitions_tag_count:
                    topics_partitions_tag_count, pos = read_uvarint(buf, pos - 1)
                    if topics_partitions_tag_count > end - pos:
                        check_count(topics_partitions_tag_count, pos, end)
                    left -= max(topics_partitions_tag_count, 0)
                    if left < 0:
                        raise too_many()
                    for _ in range(topics_partitions_tag_count):
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            topics_partitions_replica_directory_id, = _read_u(buf, pos)
                            pos += 16
                        else:
                            pos = skip_tag(buf, pos, end)
                topics_partitions.append(FetchSnapshotRequestPartitionSnapshot(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_snapshot_id, topics_partitions_position, topics_partitions_replica_directory_id))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(FetchSnapshotRequestTopicSnapshot(topics_name, topics_partitions))
        cluster_id: str | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_uvarint(buf, pos - 1)
            if tag_count > end - pos:
                check_count(tag_count, pos, end)
            left -= max(tag_count, 0)
            if left < 0:
                raise too_many()
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_uvarint(buf, pos - 1)
                        n -= 1
                        if n > TEXT_MAX:
                            raise too_long("ClusterId", n)
                    cluster_id = None
                    if n >= 0:
                        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                else:
                    pos = skip_tag(buf, pos, end)
        message = FetchSnapshotRequest(cluster_id, replica_id, max_bytes, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_snapshot_request_v1(out: bytearray, m: FetchSnapshotRequest) -> None:
    try:
        out += _write_ii(m.replica_id, m.max_bytes)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
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
                out += _write_ii(topics_partitions_item.partition, topics_partitions_item.current_leader_epoch)
                topics_partitions_snapshot_id = topics_partitions_item.snapshot_id
                out += _write_qi(topics_partitions_snapshot_id.end_offset, topics_partitions_snapshot_id.epoch)
                out.append(0)
                out += _write_q(topics_partitions_item.position)
                topics_partitions_tags: list[tuple[int, bytearray]] = []
                if topics_partitions_item.replica_directory_id != ZERO_UUID:
                    topics_partitions_outer = out
                    out = bytearray()
                    out += _write_u(topics_partitions_item.replica_directory_id)
                    topics_partitions_tags.append((0, out))
                    out = topics_partitions_outer
                write_tags(out, topics_partitions_tags)
            out.append(0)
        tags: list[tuple[int, bytearray]] = []
        if m.cluster_id is not None:
            outer = out
            out = bytearray()
            cluster_id = m.cluster_id
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ClusterId", n - 1)
                write_uvarint(out, n)
            out += text
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("FetchSnapshotRequest", error) from error

FetchSnapshotRequest.DECODERS = {
    0: decode_fetch_snapshot_request_v0,
    1: decode_fetch_snapshot_request_v1,
}

FetchSnapshotRequest.ENCODERS = {
    0: encode_fetch_snapshot_request_v0,
    1: encode_fetch_snapshot_request_v1,
}



def decode_fetch_snapshot_response_v0(buf: bytes, pos: int, end: int) -> tuple[FetchSnapshotResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[FetchSnapshotResponseTopicSnapshot] = []
        topics_count = n
        for _ in range(topics_count):
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
            topics_partitions: list[FetchSnapshotResponsePartitionSnapshot] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_index, topics_partitions_error_code = _read_ih(buf, pos)
                pos += 6
                topics_partitions_snapshot_id_end_offset, topics_partitions_snapshot_id_epoch = _read_qi(buf, pos)
                pos += 12
                if buf[pos]:
                    pos = skip_tags(buf, pos, end)
                else:
                    pos += 1
                topics_partitions_snapshot_id = FetchSnapshotResponseSnapshotId(topics_partitions_snapshot_id_end_offset, topics_partitions_snapshot_id_epoch)
                topics_partitions_size, topics_partitions_position = _read_qq(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                if n < 0:
                    raise null("UnalignedRecords")
                topics_partitions_unaligned_records = memoryview(buf)[pos : pos + n]
                pos += n
                topics_partitions_current_leader: LeaderIdAndEpoch | None = None
                topics_partitions_tag_count = buf[pos]
                pos += 1
                if topics_partitions_tag_count:
                    topics_partitions_tag_count, pos = read_uvarint(buf, pos - 1)
                    if topics_partitions_tag_count > end - pos:
                        check_count(topics_partitions_tag_count, pos, end)
                    for _ in range(topics_partitions_tag_count):
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            topics_partitions_current_leader_leader_id, topics_partitions_current_leader_leader_epoch = _read_ii(buf, pos)
                            pos += 8
                            if buf[pos]:
                                pos = skip_tags(buf, pos, end)
                            else:
                                pos += 1
                            topics_partitions_current_leader = LeaderIdAndEpoch(topics_partitions_current_leader_leader_id, topics_partitions_current_leader_leader_epoch)
                        else:
                            pos = skip_tag(buf, pos, end)
                topics_partitions.append(FetchSnapshotResponsePartitionSnapshot(topics_partitions_index, topics_partitions_error_code, topics_partitions_snapshot_id, topics_partitions_current_leader, topics_partitions_size, topics_partitions_position, topics_partitions_unaligned_records))
            if buf[pos]:
                pos = skip_tags(buf, pos, end)
            else:
                pos += 1
            topics.append(FetchSnapshotResponseTopicSnapshot(topics_name, topics_partitions))
        if buf[pos]:
            pos = skip_tags(buf, pos, end)
        else:
            pos += 1
        message = FetchSnapshotResponse(throttle_time_ms, error_code, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_snapshot_response_v0(out: bytearray, m: FetchSnapshotResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
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
                out += _write_ih(topics_partitions_item.index, topics_partitions_item.error_code)
                topics_partitions_snapshot_id = topics_partitions_item.snapshot_id
                out += _write_qi(topics_partitions_snapshot_id.end_offset, topics_partitions_snapshot_id.epoch)
                out.append(0)
                out += _write_qq(topics_partitions_item.size, topics_partitions_item.position)
                topics_partitions_unaligned_records = topics_partitions_item.unaligned_records
                n = len(topics_partitions_unaligned_records) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += topics_partitions_unaligned_records
                topics_partitions_tags: list[tuple[int, bytearray]] = []
                if topics_partitions_item.current_leader is not None and topics_partitions_item.current_leader != LeaderIdAndEpoch():
                    topics_partitions_outer = out
                    out = bytearray()
                    topics_partitions_current_leader = topics_partitions_item.current_leader
                    if topics_partitions_current_leader is None:
                        raise null("CurrentLeader")
                    out += _write_ii(topics_partitions_current_leader.leader_id, topics_partitions_current_leader.leader_epoch)
                    out.append(0)
                    topics_partitions_tags.append((0, out))
                    out = topics_partitions_outer
                write_tags(out, topics_partitions_tags)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("FetchSnapshotResponse", error) from error


def decode_fetch_snapshot_response_v1(buf: bytes, pos: int, end: int) -> tuple[FetchSnapshotResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[FetchSnapshotResponseTopicSnapshot] = []
        topics_count = n
        for _ in range(topics_count):
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
            topics_partitions: list[FetchSnapshotResponsePartitionSnapshot] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_index, topics_partitions_error_code = _read_ih(buf, pos)
                pos += 6
                topics_partitions_snapshot_id_end_offset, topics_partitions_snapshot_id_epoch = _read_qi(buf, pos)
                pos += 12
                if buf[pos]:
                    pos = skip_tags(buf, pos, end)
                else:
                    pos += 1
                topics_partitions_snapshot_id = FetchSnapshotResponseSnapshotId(topics_partitions_snapshot_id_end_offset, topics_partitions_snapshot_id_epoch)
                topics_partitions_size, topics_partitions_position = _read_qq(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                if n < 0:
                    raise null("UnalignedRecords")
                topics_partitions_unaligned_records = memoryview(buf)[pos : pos + n]
                pos += n
                topics_partitions_current_leader: LeaderIdAndEpoch | None = None
                topics_partitions_tag_count = buf[pos]
                pos += 1
                if topics_partitions_tag_count:
                    topics_partitions_tag_count, pos = read_uvarint(buf, pos - 1)
                    if topics_partitions_tag_count > end - pos:
                        check_count(topics_partitions_tag_count, pos, end)
                    for _ in range(topics_partitions_tag_count):
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            topics_partitions_current_leader_leader_id, topics_partitions_current_leader_leader_epoch = _read_ii(buf, pos)
                            pos += 8
                            if buf[pos]:
                                pos = skip_tags(buf, pos, end)
                            else:
                                pos += 1
                            topics_partitions_current_leader = LeaderIdAndEpoch(topics_partitions_current_leader_leader_id, topics_partitions_current_leader_leader_epoch)
                        else:
                            pos = skip_tag(buf, pos, end)
                topics_partitions.append(FetchSnapshotResponsePartitionSnapshot(topics_partitions_index, topics_partitions_error_code, topics_partitions_snapshot_id, topics_partitions_current_leader, topics_partitions_size, topics_partitions_position, topics_partitions_unaligned_records))
            if buf[pos]:
                pos = skip_tags(buf, pos, end)
            else:
                pos += 1
            topics.append(FetchSnapshotResponseTopicSnapshot(topics_name, topics_partitions))
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
        message = FetchSnapshotResponse(throttle_time_ms, error_code, topics, node_endpoints)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_fetch_snapshot_response_v1(out: bytearray, m: FetchSnapshotResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
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
                out += _write_ih(topics_partitions_item.index, topics_partitions_item.error_code)
                topics_partitions_snapshot_id = topics_partitions_item.snapshot_id
                out += _write_qi(topics_partitions_snapshot_id.end_offset, topics_partitions_snapshot_id.epoch)
                out.append(0)
                out += _write_qq(topics_partitions_item.size, topics_partitions_item.position)
                topics_partitions_unaligned_records = topics_partitions_item.unaligned_records
                n = len(topics_partitions_unaligned_records) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += topics_partitions_unaligned_records
                topics_partitions_tags: list[tuple[int, bytearray]] = []
                if topics_partitions_item.current_leader is not None and topics_partitions_item.current_leader != LeaderIdAndEpoch():
                    topics_partitions_outer = out
                    out = bytearray()
                    topics_partitions_current_leader = topics_partitions_item.current_leader
                    if topics_partitions_current_leader is None:
                        raise null("CurrentLeader")
                    out += _write_ii(topics_partitions_current_leader.leader_id, topics_partitions_current_leader.leader_epoch)
                    out.append(0)
                    topics_partitions_tags.append((0, out))
                    out = topics_partitions_outer
                write_tags(out, topics_partitions_tags)
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
        raise unfit("FetchSnapshotResponse", error) from error

FetchSnapshotResponse.DECODERS = {
    0: decode_fetch_snapshot_response_v0,
    1: decode_fetch_snapshot_response_v1,
}

FetchSnapshotResponse.ENCODERS = {
    0: encode_fetch_snapshot_response_v0,
    1: encode_fetch_snapshot_response_v1,
}

__all__ = [
    "FetchSnapshotRequest",
    "FetchSnapshotRequestPartitionSnapshot",
    "FetchSnapshotRequestSnapshotId",
    "FetchSnapshotRequestTopicSnapshot",
    "FetchSnapshotResponse",
    "FetchSnapshotResponsePartitionSnapshot",
    "FetchSnapshotResponseSnapshotId",
    "FetchSnapshotResponseTopicSnapshot",
    "LeaderIdAndEpoch",
    "NodeEndpoint",
]
