# Generated from schemas/messages/TxnOffsetCommitRequest.json and schemas/messages/TxnOffsetCommitResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack
_iqi = struct.Struct(">iqi")
_read_iqi = _iqi.unpack_from
_write_iqi = _iqi.pack
_qh = struct.Struct(">qh")
_read_qh = _qh.unpack_from
_write_qh = _qh.pack
_qhi = struct.Struct(">qhi")
_read_qhi = _qhi.unpack_from
_write_qhi = _qhi.pack


class TxnOffsetCommitRequestPartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("CommittedOffset", "committed_offset", "int64", None),
        ("CommittedLeaderEpoch", "committed_leader_epoch", "int32", None),
        ("CommittedMetadata", "committed_metadata", "string", None),
    )
    partition_index: int = 0
    committed_offset: int = 0
    committed_leader_epoch: int = -1
    committed_metadata: str | None = ""


class TxnOffsetCommitRequestTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", TxnOffsetCommitRequestPartition),
    )
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[TxnOffsetCommitRequestPartition] = []


class TxnOffsetCommitRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TransactionalId", "transactional_id", "string", None),
        ("GroupId", "group_id", "string", None),
        ("ProducerId", "producer_id", "int64", None),
        ("ProducerEpoch", "producer_epoch", "int16", None),
        ("GenerationId", "generation_id", "int32", None),
        ("MemberId", "member_id", "string", None),
        ("GroupInstanceId", "group_instance_id", "string", None),
        ("Topics", "topics", "[]struct", TxnOffsetCommitRequestTopic),
    )
    NAME: ClassVar = "TxnOffsetCommitRequest"
    API_KEY: ClassVar = 28
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 6
    FLEXIBLE_FROM: ClassVar = 3
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    transactional_id: str = ""
    group_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    generation_id: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    topics: list[TxnOffsetCommitRequestTopic] = []


class TxnOffsetCommitResponsePartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
    )
    partition_index: int = 0
    error_code: int = 0


class TxnOffsetCommitResponseTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", TxnOffsetCommitResponsePartition),
    )
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[TxnOffsetCommitResponsePartition] = []


class TxnOffsetCommitResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Topics", "topics", "[]struct", TxnOffsetCommitResponseTopic),
    )
    NAME: ClassVar = "TxnOffsetCommitResponse"
    API_KEY: ClassVar = 28
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 6
    FLEXIBLE_FROM: ClassVar = 3
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    topics: list[TxnOffsetCommitResponseTopic] = []


def decode_txn_offset_commit_request_v0_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[TxnOffsetCommitRequest, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("TransactionalId")
        transactional_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        producer_id, producer_epoch = _read_qh(buf, pos)
        pos += 10
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[TxnOffsetCommitRequestTopic] = []
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
            topics_partitions: list[TxnOffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_committed_offset = _read_iq(buf, pos)
                pos += 12
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions.append(TxnOffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, -1, topics_partitions_committed_metadata))
            topics.append(TxnOffsetCommitRequestTopic(topics_name, ZERO_UUID, topics_partitions))
        message = TxnOffsetCommitRequest(transactional_id, group_id, producer_id, producer_epoch, -1, "", None, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_txn_offset_commit_request_v0_v1(out: bytearray, m: TxnOffsetCommitRequest) -> None:
    try:
        text = m.transactional_id.encode()
        out += _write_h(len(text))
        out += text
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        out += _write_qh(m.producer_id, m.producer_epoch)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iq(topics_partitions_item.partition_index, topics_partitions_item.committed_offset)
                topics_partitions_committed_metadata = topics_partitions_item.committed_metadata
                if topics_partitions_committed_metadata is None:
                    out += _write_h(-1)
                else:
                    text = topics_partitions_committed_metadata.encode()
                    out += _write_h(len(text))
                    out += text
    except UNFIT as error:
        raise unfit("TxnOffsetCommitRequest", error) from error


def decode_txn_offset_commit_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[TxnOffsetCommitRequest, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("TransactionalId")
        transactional_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        producer_id, producer_epoch = _read_qh(buf, pos)
        pos += 10
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[TxnOffsetCommitRequestTopic] = []
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
            topics_partitions: list[TxnOffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch = _read_iqi(buf, pos)
                pos += 16
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions.append(TxnOffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch, topics_partitions_committed_metadata))
            topics.append(TxnOffsetCommitRequestTopic(topics_name, ZERO_UUID, topics_partitions))
        message = TxnOffsetCommitRequest(transactional_id, group_id, producer_id, producer_epoch, -1, "", None, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_txn_offset_commit_request_v2(out: bytearray, m: TxnOffsetCommitRequest) -> None:
    try:
        text = m.transactional_id.encode()
        out += _write_h(len(text))
        out += text
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        out += _write_qh(m.producer_id, m.producer_epoch)
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            topics_partitions = topics_item.partitions
            out += _write_i(len(topics_partitions))
            for topics_partitions_item in topics_partitions:
                out += _write_iqi(topics_partitions_item.partition_index, topics_partitions_item.committed_offset, topics_partitions_item.committed_leader_epoch)
                topics_partitions_committed_metadata = topics_partitions_item.committed_metadata
                if topics_partitions_committed_metadata is None:
                    out += _write_h(-1)
                else:
                    text = topics_partitions_committed_metadata.encode()
                    out += _write_h(len(text))
                    out += text
    except UNFIT as error:
        raise unfit("TxnOffsetCommitRequest", error) from error


def decode_txn_offset_commit_request_v3_v5(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[TxnOffsetCommitRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TransactionalId")
        if n < 0:
            raise null("TransactionalId")
        transactional_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupId")
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        producer_id, producer_epoch, generation_id = _read_qhi(buf, pos)
        pos += 14
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "MemberId")
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupInstanceId")
        group_instance_id: str | None = None
        if n >= 0:
            group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[TxnOffsetCommitRequestTopic] = []
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
            topics_partitions: list[TxnOffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch = _read_iqi(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "CommittedMetadata")
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(TxnOffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch, topics_partitions_committed_metadata))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(TxnOffsetCommitRequestTopic(topics_name, ZERO_UUID, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = TxnOffsetCommitRequest(transactional_id, group_id, producer_id, producer_epoch, generation_id, member_id, group_instance_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_txn_offset_commit_request_v3_v5(out: bytearray, m: TxnOffsetCommitRequest) -> None:
    try:
        text = m.transactional_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "TransactionalId")
        out += text
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        out += _write_qhi(m.producer_id, m.producer_epoch, m.generation_id)
        text = m.member_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "MemberId")
        out += text
        group_instance_id = m.group_instance_id
        if group_instance_id is None:
            out.append(0)
        else:
            text = group_instance_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupInstanceId")
            out += text
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
                out += _write_iqi(topics_partitions_item.partition_index, topics_partitions_item.committed_offset, topics_partitions_item.committed_leader_epoch)
                topics_partitions_committed_metadata = topics_partitions_item.committed_metadata
                if topics_partitions_committed_metadata is None:
                    out.append(0)
                else:
                    text = topics_partitions_committed_metadata.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "CommittedMetadata")
                    out += text
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("TxnOffsetCommitRequest", error) from error


def decode_txn_offset_commit_request_v6(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[TxnOffsetCommitRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TransactionalId")
        if n < 0:
            raise null("TransactionalId")
        transactional_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupId")
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        producer_id, producer_epoch, generation_id = _read_qhi(buf, pos)
        pos += 14
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "MemberId")
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupInstanceId")
        group_instance_id: str | None = None
        if n >= 0:
            group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[TxnOffsetCommitRequestTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[TxnOffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch = _read_iqi(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "CommittedMetadata")
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(TxnOffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch, topics_partitions_committed_metadata))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(TxnOffsetCommitRequestTopic("", topics_topic_id, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = TxnOffsetCommitRequest(transactional_id, group_id, producer_id, producer_epoch, generation_id, member_id, group_instance_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_txn_offset_commit_request_v6(out: bytearray, m: TxnOffsetCommitRequest) -> None:
    try:
        text = m.transactional_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "TransactionalId")
        out += text
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        out += _write_qhi(m.producer_id, m.producer_epoch, m.generation_id)
        text = m.member_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "MemberId")
        out += text
        group_instance_id = m.group_instance_id
        if group_instance_id is None:
            out.append(0)
        else:
            text = group_instance_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupInstanceId")
            out += text
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_u(topics_item.topic_id)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_iqi(topics_partitions_item.partition_index, topics_partitions_item.committed_offset, topics_partitions_item.committed_leader_epoch)
                topics_partitions_committed_metadata = topics_partitions_item.committed_metadata
                if topics_partitions_committed_metadata is None:
                    out.append(0)
                else:
                    text = topics_partitions_committed_metadata.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "CommittedMetadata")
                    out += text
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("TxnOffsetCommitRequest", error) from error

TxnOffsetCommitRequest.DECODERS = {
    0: decode_txn_offset_commit_request_v0_v1, 1: decode_txn_offset_commit_request_v0_v1,
    2: decode_txn_offset_commit_request_v2,
    3: decode_txn_offset_commit_request_v3_v5, 4: decode_txn_offset_commit_request_v3_v5,
    5: decode_txn_offset_commit_request_v3_v5,
    6: decode_txn_offset_commit_request_v6,
}

TxnOffsetCommitRequest.ENCODERS = {
    0: encode_txn_offset_commit_request_v0_v1, 1: encode_txn_offset_commit_request_v0_v1,
    2: encode_txn_offset_commit_request_v2,
    3: encode_txn_offset_commit_request_v3_v5, 4: encode_txn_offset_commit_request_v3_v5,
    5: encode_txn_offset_commit_request_v3_v5,
    6: encode_txn_offset_commit_request_v6,
}



def decode_txn_offset_commit_response_v0_v2(buf: bytes, pos: int, end: int) -> tuple[TxnOffsetCommitResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[TxnOffsetCommitResponseTopic] = []
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
            topics_partitions: list[TxnOffsetCommitResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code = _read_ih(buf, pos)
                pos += 6
                topics_partitions.append(TxnOffsetCommitResponsePartition(topics_partitions_partition_index, topics_partitions_error_code))
            topics.append(TxnOffsetCommitResponseTopic(topics_name, ZERO_UUID, topics_partitions))
        message = TxnOffsetCommitResponse(throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_txn_offset_commit_response_v0_v2(out: bytearray, m: TxnOffsetCommitResponse) -> None:
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
                out += _write_ih(topics_partitions_item.partition_index, topics_partitions_item.error_code)
    except UNFIT as error:
        raise unfit("TxnOffsetCommitResponse", error) from error


def decode_txn_offset_commit_response_v3_v5(buf: bytes, pos: int, end: int) -> tuple[TxnOffsetCommitResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[TxnOffsetCommitResponseTopic] = []
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
            topics_partitions: list[TxnOffsetCommitResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code = _read_ih(buf, pos)
                pos += 6
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(TxnOffsetCommitResponsePartition(topics_partitions_partition_index, topics_partitions_error_code))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(TxnOffsetCommitResponseTopic(topics_name, ZERO_UUID, topics_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = TxnOffsetCommitResponse(throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_txn_offset_commit_response_v3_v5(out: bytearray, m: TxnOffsetCommitResponse) -> None:
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
                out += _write_ih(topics_partitions_item.partition_index, topics_partitions_item.error_code)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("TxnOffsetCommitResponse", error) from error


def decode_txn_offset_commit_response_v6(buf: bytes, pos: int, end: int) -> tuple[TxnOffsetCommitResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[TxnOffsetCommitResponseTopic] = []
        topics_count = n
        for _ in range(topics_count):
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            topics_partitions: list[TxnOffsetCommitResponsePartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code = _read_ih(buf, pos)
                pos += 6
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partitions.append(TxnOffsetCommitResponsePartition(topics_partitions_partition_index, topics_partitions_error_code))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(TxnOffsetCommitResponseTopic("", topics_topic_id, topics_partitions))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = TxnOffsetCommitResponse(throttle_time_ms, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_txn_offset_commit_response_v6(out: bytearray, m: TxnOffsetCommitResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_u(topics_item.topic_id)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_ih(topics_partitions_item.partition_index, topics_partitions_item.error_code)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("TxnOffsetCommitResponse", error) from error

TxnOffsetCommitResponse.DECODERS = {
    0: decode_txn_offset_commit_response_v0_v2, 1: decode_txn_offset_commit_response_v0_v2,
    2: decode_txn_offset_commit_response_v0_v2,
    3: decode_txn_offset_commit_response_v3_v5, 4: decode_txn_offset_commit_response_v3_v5,
    5: decode_txn_offset_commit_response_v3_v5,
    6: decode_txn_offset_commit_response_v6,
}

TxnOffsetCommitResponse.ENCODERS = {
    0: encode_txn_offset_commit_response_v0_v2, 1: encode_txn_offset_commit_response_v0_v2,
    2: encode_txn_offset_commit_response_v0_v2,
    3: encode_txn_offset_commit_response_v3_v5, 4: encode_txn_offset_commit_response_v3_v5,
    5: encode_txn_offset_commit_response_v3_v5,
    6: encode_txn_offset_commit_response_v6,
}

__all__ = [
    "TxnOffsetCommitRequest", "TxnOffsetCommitRequestPartition", "TxnOffsetCommitRequestTopic",
    "TxnOffsetCommitResponse", "TxnOffsetCommitResponsePartition", "TxnOffsetCommitResponseTopic",
]
