# Generated from schemas/messages/TxnOffsetCommitRequest.json and schemas/messages/TxnOffsetCommitResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
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


def decode_txn_offset_commit_request_v0_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[TxnOffsetCommitRequest, int]]:
    try:
        yield 1
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
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[TxnOffsetCommitRequestTopic] = []
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
            topics_partitions: list[TxnOffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_committed_offset = _read_iq(buf, pos)
                pos += 12
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions.append(TxnOffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, -1, topics_partitions_committed_metadata))
            topics.append(TxnOffsetCommitRequestTopic(topics_name, topics_partitions))
        message = TxnOffsetCommitRequest(transactional_id, group_id, producer_id, producer_epoch, -1, "", None, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_txn_offset_commit_request_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[TxnOffsetCommitRequest, int]]:
    try:
        yield 1
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
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[TxnOffsetCommitRequestTopic] = []
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
            topics_partitions: list[TxnOffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch = _read_iqi(buf, pos)
                pos += 16
                n = _read_h(buf, pos)[0]
                pos += 2
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                topics_partitions.append(TxnOffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch, topics_partitions_committed_metadata))
            topics.append(TxnOffsetCommitRequestTopic(topics_name, topics_partitions))
        message = TxnOffsetCommitRequest(transactional_id, group_id, producer_id, producer_epoch, -1, "", None, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_txn_offset_commit_request_v3_v5(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[TxnOffsetCommitRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("TransactionalId", n)
        if n < 0:
            raise null("TransactionalId")
        transactional_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("GroupId", n)
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        producer_id, producer_epoch, generation_id = _read_qhi(buf, pos)
        pos += 14
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("MemberId", n)
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("GroupInstanceId", n)
        group_instance_id: str | None = None
        if n >= 0:
            group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
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
        topics: list[TxnOffsetCommitRequestTopic] = []
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
            topics_partitions: list[TxnOffsetCommitRequestPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch = _read_iqi(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                    if n > TEXT_MAX:
                        raise too_long("CommittedMetadata", n)
                topics_partitions_committed_metadata: str | None = None
                if n >= 0:
                    topics_partitions_committed_metadata = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(TxnOffsetCommitRequestPartition(topics_partitions_partition_index, topics_partitions_committed_offset, topics_partitions_committed_leader_epoch, topics_partitions_committed_metadata))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(TxnOffsetCommitRequestTopic(topics_name, topics_partitions))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = TxnOffsetCommitRequest(transactional_id, group_id, producer_id, producer_epoch, generation_id, member_id, group_instance_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_txn_offset_commit_response_v0_v2(out: bytearray, m: TxnOffsetCommitResponse) -> Generator[int, None, None]:
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
                out += _write_ih(topics_partitions_item.partition_index, topics_partitions_item.error_code)
    except UNFIT as error:
        raise unfit("TxnOffsetCommitResponse", error) from error


def encode_txn_offset_commit_response_v3_v5(out: bytearray, m: TxnOffsetCommitResponse) -> Generator[int, None, None]:
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
                out += _write_ih(topics_partitions_item.partition_index, topics_partitions_item.error_code)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("TxnOffsetCommitResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_txn_offset_commit_request_v0_v1,
    1: decode_txn_offset_commit_request_v0_v1,
    2: decode_txn_offset_commit_request_v2,
    3: decode_txn_offset_commit_request_v3_v5,
    4: decode_txn_offset_commit_request_v3_v5,
    5: decode_txn_offset_commit_request_v3_v5,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_txn_offset_commit_response_v0_v2,
    1: encode_txn_offset_commit_response_v0_v2,
    2: encode_txn_offset_commit_response_v0_v2,
    3: encode_txn_offset_commit_response_v3_v5,
    4: encode_txn_offset_commit_response_v3_v5,
    5: encode_txn_offset_commit_response_v3_v5,
}

__all__ = ["DECODERS", "ENCODERS"]
