# Generated from schemas/messages/FetchRequest.json and schemas/messages/FetchResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.fetch import (
    EpochEndOffset,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
    LeaderIdAndEpoch,
    ReplicaState,
    SnapshotId,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    ZERO_UUID,
    check_count,
    check_end,
    null,
    read_uvarint,
    skip_tag,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
    write_tags,
    write_uvarint,
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
_ihi = struct.Struct(">ihi")
_read_ihi = _ihi.unpack_from
_write_ihi = _ihi.pack
_ihqq = struct.Struct(">ihqq")
_read_ihqq = _ihqq.unpack_from
_write_ihqq = _ihqq.pack
_ihqqq = struct.Struct(">ihqqq")
_read_ihqqq = _ihqqq.unpack_from
_write_ihqqq = _ihqqq.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack
_iiibii = struct.Struct(">iiibii")
_read_iiibii = _iiibii.unpack_from
_write_iiibii = _iiibii.pack
_iiiib = struct.Struct(">iiiib")
_read_iiiib = _iiiib.unpack_from
_write_iiiib = _iiiib.pack
_iiiibii = struct.Struct(">iiiibii")
_read_iiiibii = _iiiibii.unpack_from
_write_iiiibii = _iiiibii.pack
_iiqiqi = struct.Struct(">iiqiqi")
_read_iiqiqi = _iiqiqi.unpack_from
_write_iiqiqi = _iiqiqi.pack
_iiqqi = struct.Struct(">iiqqi")
_read_iiqqi = _iiqqi.unpack_from
_write_iiqqi = _iiqqi.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack
_iqi = struct.Struct(">iqi")
_read_iqi = _iqi.unpack_from
_write_iqi = _iqi.pack
_iqqi = struct.Struct(">iqqi")
_read_iqqi = _iqqi.unpack_from
_write_iqqi = _iqqi.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack
_qi = struct.Struct(">qi")
_read_qi = _qi.unpack_from
_write_qi = _qi.pack
_qq = struct.Struct(">qq")
_read_qq = _qq.unpack_from
_write_qq = _qq.pack


def decode_fetch_request_v4(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[FetchRequest, int]]:
    try:
        yield 1
        replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level = _read_iiiib(buf, pos)
        pos += 17
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition, topics_partitions_fetch_offset, topics_partitions_partition_max_bytes = _read_iqi(buf, pos)
                pos += 16
                topics_partitions.append(FetchPartition(topics_partitions_partition, -1, topics_partitions_fetch_offset, -1, -1, topics_partitions_partition_max_bytes))
            topics.append(FetchTopic(topics_topic, ZERO_UUID, topics_partitions))
        message = FetchRequest(None, replica_id, None, max_wait_ms, min_bytes, max_bytes, isolation_level, 0, -1, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_fetch_request_v5_v6(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[FetchRequest, int]]:
    try:
        yield 1
        replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level = _read_iiiib(buf, pos)
        pos += 17
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition, topics_partitions_fetch_offset, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iqqi(buf, pos)
                pos += 24
                topics_partitions.append(FetchPartition(topics_partitions_partition, -1, topics_partitions_fetch_offset, -1, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes))
            topics.append(FetchTopic(topics_topic, ZERO_UUID, topics_partitions))
        message = FetchRequest(None, replica_id, None, max_wait_ms, min_bytes, max_bytes, isolation_level, 0, -1, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_fetch_request_v7_v8(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[FetchRequest, int]]:
    try:
        yield 1
        replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiiibii(buf, pos)
        pos += 25
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition, topics_partitions_fetch_offset, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iqqi(buf, pos)
                pos += 24
                topics_partitions.append(FetchPartition(topics_partitions_partition, -1, topics_partitions_fetch_offset, -1, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes))
            topics.append(FetchTopic(topics_topic, ZERO_UUID, topics_partitions))
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("ForgottenTopicsData")
        if n > end - pos:
            check_count(n, pos, end)
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            forgotten_topics_data_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            yield n
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            forgotten_topics_data.append(ForgottenTopic(forgotten_topics_data_topic, ZERO_UUID, forgotten_topics_data_partitions))
        message = FetchRequest(None, replica_id, None, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_fetch_request_v9_v10(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[FetchRequest, int]]:
    try:
        yield 1
        replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiiibii(buf, pos)
        pos += 25
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iiqqi(buf, pos)
                pos += 28
                topics_partitions.append(FetchPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, -1, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes))
            topics.append(FetchTopic(topics_topic, ZERO_UUID, topics_partitions))
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("ForgottenTopicsData")
        if n > end - pos:
            check_count(n, pos, end)
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            forgotten_topics_data_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            yield n
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            forgotten_topics_data.append(ForgottenTopic(forgotten_topics_data_topic, ZERO_UUID, forgotten_topics_data_partitions))
        message = FetchRequest(None, replica_id, None, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_fetch_request_v11(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[FetchRequest, int]]:
    try:
        yield 1
        replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiiibii(buf, pos)
        pos += 25
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iiqqi(buf, pos)
                pos += 28
                topics_partitions.append(FetchPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, -1, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes))
            topics.append(FetchTopic(topics_topic, ZERO_UUID, topics_partitions))
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("ForgottenTopicsData")
        if n > end - pos:
            check_count(n, pos, end)
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            forgotten_topics_data_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            yield n
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            forgotten_topics_data.append(ForgottenTopic(forgotten_topics_data_topic, ZERO_UUID, forgotten_topics_data_partitions))
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("RackId")
        rack_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = FetchRequest(None, replica_id, None, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_fetch_request_v12(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[FetchRequest, int]]:
    try:
        yield 1
        replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiiibii(buf, pos)
        pos += 25
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Topic", n)
            if n < 0:
                raise null("Topic")
            topics_topic = buf[pos : pos + n].decode("utf-8", "java")
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
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iiqiqi(buf, pos)
                pos += 32
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(FetchPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(FetchTopic(topics_topic, ZERO_UUID, topics_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("ForgottenTopicsData")
        if n > end - pos:
            check_count(n, pos, end)
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Topic", n)
            if n < 0:
                raise null("Topic")
            forgotten_topics_data_topic = buf[pos : pos + n].decode("utf-8", "java")
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
            yield n
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            forgotten_topics_data.append(ForgottenTopic(forgotten_topics_data_topic, ZERO_UUID, forgotten_topics_data_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("RackId", n)
        if n < 0:
            raise null("RackId")
        rack_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        cluster_id: str | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_uvarint(buf, pos - 1)
            if tag_count > end - pos:
                check_count(tag_count, pos, end)
            for _ in range(tag_count):
                yield 1
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
        message = FetchRequest(cluster_id, replica_id, None, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_fetch_request_v13_v14(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[FetchRequest, int]]:
    try:
        yield 1
        replica_id, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiiibii(buf, pos)
        pos += 25
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iiqiqi(buf, pos)
                pos += 32
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(FetchPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(FetchTopic("", topics_topic_id, topics_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("ForgottenTopicsData")
        if n > end - pos:
            check_count(n, pos, end)
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            yield 1
            forgotten_topics_data_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            yield n
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            forgotten_topics_data.append(ForgottenTopic("", forgotten_topics_data_topic_id, forgotten_topics_data_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("RackId", n)
        if n < 0:
            raise null("RackId")
        rack_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        cluster_id: str | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_uvarint(buf, pos - 1)
            if tag_count > end - pos:
                check_count(tag_count, pos, end)
            for _ in range(tag_count):
                yield 1
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
        message = FetchRequest(cluster_id, replica_id, None, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_fetch_request_v15_v16(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[FetchRequest, int]]:
    try:
        yield 1
        max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiibii(buf, pos)
        pos += 21
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iiqiqi(buf, pos)
                pos += 32
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(FetchPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(FetchTopic("", topics_topic_id, topics_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("ForgottenTopicsData")
        if n > end - pos:
            check_count(n, pos, end)
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            yield 1
            forgotten_topics_data_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            yield n
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            forgotten_topics_data.append(ForgottenTopic("", forgotten_topics_data_topic_id, forgotten_topics_data_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("RackId", n)
        if n < 0:
            raise null("RackId")
        rack_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        cluster_id: str | None = None
        replica_state: ReplicaState | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_uvarint(buf, pos - 1)
            if tag_count > end - pos:
                check_count(tag_count, pos, end)
            for _ in range(tag_count):
                yield 1
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
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    replica_state_replica_id, replica_state_replica_epoch = _read_iq(buf, pos)
                    pos += 12
                    if buf[pos]:
                        pos = yield from skip_tags_in_steps(buf, pos, end)
                    else:
                        pos += 1
                    replica_state = ReplicaState(replica_state_replica_id, replica_state_replica_epoch)
                else:
                    pos = skip_tag(buf, pos, end)
        message = FetchRequest(cluster_id, -1, replica_state, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_fetch_request_v17(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[FetchRequest, int]]:
    try:
        yield 1
        max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiibii(buf, pos)
        pos += 21
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iiqiqi(buf, pos)
                pos += 32
                topics_partitions_replica_directory_id: bytes = ZERO_UUID
                topics_partitions_tag_count = buf[pos]
                pos += 1
                if topics_partitions_tag_count:
                    topics_partitions_tag_count, pos = read_uvarint(buf, pos - 1)
                    if topics_partitions_tag_count > end - pos:
                        check_count(topics_partitions_tag_count, pos, end)
                    for _ in range(topics_partitions_tag_count):
                        yield 1
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            topics_partitions_replica_directory_id, = _read_u(buf, pos)
                            pos += 16
                        else:
                            pos = skip_tag(buf, pos, end)
                topics_partitions.append(FetchPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes, topics_partitions_replica_directory_id))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(FetchTopic("", topics_topic_id, topics_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("ForgottenTopicsData")
        if n > end - pos:
            check_count(n, pos, end)
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            yield 1
            forgotten_topics_data_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            yield n
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            forgotten_topics_data.append(ForgottenTopic("", forgotten_topics_data_topic_id, forgotten_topics_data_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("RackId", n)
        if n < 0:
            raise null("RackId")
        rack_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        cluster_id: str | None = None
        replica_state: ReplicaState | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_uvarint(buf, pos - 1)
            if tag_count > end - pos:
                check_count(tag_count, pos, end)
            for _ in range(tag_count):
                yield 1
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
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    replica_state_replica_id, replica_state_replica_epoch = _read_iq(buf, pos)
                    pos += 12
                    if buf[pos]:
                        pos = yield from skip_tags_in_steps(buf, pos, end)
                    else:
                        pos += 1
                    replica_state = ReplicaState(replica_state_replica_id, replica_state_replica_epoch)
                else:
                    pos = skip_tag(buf, pos, end)
        message = FetchRequest(cluster_id, -1, replica_state, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_fetch_request_v18(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[FetchRequest, int]]:
    try:
        yield 1
        max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch = _read_iiibii(buf, pos)
        pos += 21
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[FetchTopic] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[FetchPartition] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes = _read_iiqiqi(buf, pos)
                pos += 32
                topics_partitions_replica_directory_id: bytes = ZERO_UUID
                topics_partitions_high_watermark: int = 9223372036854775807
                topics_partitions_tag_count = buf[pos]
                pos += 1
                if topics_partitions_tag_count:
                    topics_partitions_tag_count, pos = read_uvarint(buf, pos - 1)
                    if topics_partitions_tag_count > end - pos:
                        check_count(topics_partitions_tag_count, pos, end)
                    for _ in range(topics_partitions_tag_count):
                        yield 1
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            topics_partitions_replica_directory_id, = _read_u(buf, pos)
                            pos += 16
                        elif tag == 1:
                            _, pos = read_uvarint(buf, pos)
                            topics_partitions_high_watermark, = _read_q(buf, pos)
                            pos += 8
                        else:
                            pos = skip_tag(buf, pos, end)
                topics_partitions.append(FetchPartition(topics_partitions_partition, topics_partitions_current_leader_epoch, topics_partitions_fetch_offset, topics_partitions_last_fetched_epoch, topics_partitions_log_start_offset, topics_partitions_partition_max_bytes, topics_partitions_replica_directory_id, topics_partitions_high_watermark))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(FetchTopic("", topics_topic_id, topics_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("ForgottenTopicsData")
        if n > end - pos:
            check_count(n, pos, end)
        forgotten_topics_data: list[ForgottenTopic] = []
        forgotten_topics_data_count = n
        for _ in range(forgotten_topics_data_count):
            yield 1
            forgotten_topics_data_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            yield n
            forgotten_topics_data_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            forgotten_topics_data.append(ForgottenTopic("", forgotten_topics_data_topic_id, forgotten_topics_data_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("RackId", n)
        if n < 0:
            raise null("RackId")
        rack_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        cluster_id: str | None = None
        replica_state: ReplicaState | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_uvarint(buf, pos - 1)
            if tag_count > end - pos:
                check_count(tag_count, pos, end)
            for _ in range(tag_count):
                yield 1
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
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    replica_state_replica_id, replica_state_replica_epoch = _read_iq(buf, pos)
                    pos += 12
                    if buf[pos]:
                        pos = yield from skip_tags_in_steps(buf, pos, end)
                    else:
                        pos += 1
                    replica_state = ReplicaState(replica_state_replica_id, replica_state_replica_epoch)
                else:
                    pos = skip_tag(buf, pos, end)
        message = FetchRequest(cluster_id, -1, replica_state, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id, session_epoch, topics, forgotten_topics_data, rack_id)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_fetch_response_v4(out: bytearray, m: FetchResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            yield 1
            responses_topic = responses_item.topic
            text = responses_topic.encode()
            out += _write_h(len(text))
            out += text
            responses_partitions = responses_item.partitions
            out += _write_i(len(responses_partitions))
            for responses_partitions_item in responses_partitions:
                yield 1
                out += _write_ihqq(responses_partitions_item.partition_index, responses_partitions_item.error_code, responses_partitions_item.high_watermark, responses_partitions_item.last_stable_offset)
                responses_partitions_aborted_transactions = responses_partitions_item.aborted_transactions
                if responses_partitions_aborted_transactions is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_aborted_transactions))
                    for responses_partitions_aborted_transactions_item in responses_partitions_aborted_transactions:
                        yield 1
                        out += _write_qq(responses_partitions_aborted_transactions_item.producer_id, responses_partitions_aborted_transactions_item.first_offset)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_records))
                    out += responses_partitions_records
    except UNFIT as error:
        raise unfit("FetchResponse", error) from error


def encode_fetch_response_v5_v6(out: bytearray, m: FetchResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            yield 1
            responses_topic = responses_item.topic
            text = responses_topic.encode()
            out += _write_h(len(text))
            out += text
            responses_partitions = responses_item.partitions
            out += _write_i(len(responses_partitions))
            for responses_partitions_item in responses_partitions:
                yield 1
                out += _write_ihqqq(responses_partitions_item.partition_index, responses_partitions_item.error_code, responses_partitions_item.high_watermark, responses_partitions_item.last_stable_offset, responses_partitions_item.log_start_offset)
                responses_partitions_aborted_transactions = responses_partitions_item.aborted_transactions
                if responses_partitions_aborted_transactions is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_aborted_transactions))
                    for responses_partitions_aborted_transactions_item in responses_partitions_aborted_transactions:
                        yield 1
                        out += _write_qq(responses_partitions_aborted_transactions_item.producer_id, responses_partitions_aborted_transactions_item.first_offset)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_records))
                    out += responses_partitions_records
    except UNFIT as error:
        raise unfit("FetchResponse", error) from error


def encode_fetch_response_v7_v10(out: bytearray, m: FetchResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            yield 1
            responses_topic = responses_item.topic
            text = responses_topic.encode()
            out += _write_h(len(text))
            out += text
            responses_partitions = responses_item.partitions
            out += _write_i(len(responses_partitions))
            for responses_partitions_item in responses_partitions:
                yield 1
                out += _write_ihqqq(responses_partitions_item.partition_index, responses_partitions_item.error_code, responses_partitions_item.high_watermark, responses_partitions_item.last_stable_offset, responses_partitions_item.log_start_offset)
                responses_partitions_aborted_transactions = responses_partitions_item.aborted_transactions
                if responses_partitions_aborted_transactions is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_aborted_transactions))
                    for responses_partitions_aborted_transactions_item in responses_partitions_aborted_transactions:
                        yield 1
                        out += _write_qq(responses_partitions_aborted_transactions_item.producer_id, responses_partitions_aborted_transactions_item.first_offset)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_records))
                    out += responses_partitions_records
    except UNFIT as error:
        raise unfit("FetchResponse", error) from error


def encode_fetch_response_v11(out: bytearray, m: FetchResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            yield 1
            responses_topic = responses_item.topic
            text = responses_topic.encode()
            out += _write_h(len(text))
            out += text
            responses_partitions = responses_item.partitions
            out += _write_i(len(responses_partitions))
            for responses_partitions_item in responses_partitions:
                yield 1
                out += _write_ihqqq(responses_partitions_item.partition_index, responses_partitions_item.error_code, responses_partitions_item.high_watermark, responses_partitions_item.last_stable_offset, responses_partitions_item.log_start_offset)
                responses_partitions_aborted_transactions = responses_partitions_item.aborted_transactions
                if responses_partitions_aborted_transactions is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_aborted_transactions))
                    for responses_partitions_aborted_transactions_item in responses_partitions_aborted_transactions:
                        yield 1
                        out += _write_qq(responses_partitions_aborted_transactions_item.producer_id, responses_partitions_aborted_transactions_item.first_offset)
                out += _write_i(responses_partitions_item.preferred_read_replica)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(responses_partitions_records))
                    out += responses_partitions_records
    except UNFIT as error:
        raise unfit("FetchResponse", error) from error


def encode_fetch_response_v12(out: bytearray, m: FetchResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            yield 1
            responses_topic = responses_item.topic
            text = responses_topic.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Topic", n - 1)
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
                out += _write_ihqqq(responses_partitions_item.partition_index, responses_partitions_item.error_code, responses_partitions_item.high_watermark, responses_partitions_item.last_stable_offset, responses_partitions_item.log_start_offset)
                responses_partitions_aborted_transactions = responses_partitions_item.aborted_transactions
                if responses_partitions_aborted_transactions is None:
                    out.append(0)
                else:
                    n = len(responses_partitions_aborted_transactions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for responses_partitions_aborted_transactions_item in responses_partitions_aborted_transactions:
                        yield 1
                        out += _write_qq(responses_partitions_aborted_transactions_item.producer_id, responses_partitions_aborted_transactions_item.first_offset)
                        out.append(0)
                out += _write_i(responses_partitions_item.preferred_read_replica)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    out.append(0)
                else:
                    n = len(responses_partitions_records) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += responses_partitions_records
                responses_partitions_tags: list[tuple[int, bytearray]] = []
                if responses_partitions_item.diverging_epoch is not None and responses_partitions_item.diverging_epoch != EpochEndOffset():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_diverging_epoch = responses_partitions_item.diverging_epoch
                    if responses_partitions_diverging_epoch is None:
                        raise null("DivergingEpoch")
                    out += _write_iq(responses_partitions_diverging_epoch.epoch, responses_partitions_diverging_epoch.end_offset)
                    out.append(0)
                    responses_partitions_tags.append((0, out))
                    out = responses_partitions_outer
                if responses_partitions_item.current_leader is not None and responses_partitions_item.current_leader != LeaderIdAndEpoch():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_current_leader = responses_partitions_item.current_leader
                    if responses_partitions_current_leader is None:
                        raise null("CurrentLeader")
                    out += _write_ii(responses_partitions_current_leader.leader_id, responses_partitions_current_leader.leader_epoch)
                    out.append(0)
                    responses_partitions_tags.append((1, out))
                    out = responses_partitions_outer
                if responses_partitions_item.snapshot_id is not None and responses_partitions_item.snapshot_id != SnapshotId():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_snapshot_id = responses_partitions_item.snapshot_id
                    if responses_partitions_snapshot_id is None:
                        raise null("SnapshotId")
                    out += _write_qi(responses_partitions_snapshot_id.end_offset, responses_partitions_snapshot_id.epoch)
                    out.append(0)
                    responses_partitions_tags.append((2, out))
                    out = responses_partitions_outer
                write_tags(out, responses_partitions_tags)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("FetchResponse", error) from error


def encode_fetch_response_v13_v15(out: bytearray, m: FetchResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            yield 1
            out += _write_u(responses_item.topic_id)
            responses_partitions = responses_item.partitions
            n = len(responses_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partitions_item in responses_partitions:
                yield 1
                out += _write_ihqqq(responses_partitions_item.partition_index, responses_partitions_item.error_code, responses_partitions_item.high_watermark, responses_partitions_item.last_stable_offset, responses_partitions_item.log_start_offset)
                responses_partitions_aborted_transactions = responses_partitions_item.aborted_transactions
                if responses_partitions_aborted_transactions is None:
                    out.append(0)
                else:
                    n = len(responses_partitions_aborted_transactions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for responses_partitions_aborted_transactions_item in responses_partitions_aborted_transactions:
                        yield 1
                        out += _write_qq(responses_partitions_aborted_transactions_item.producer_id, responses_partitions_aborted_transactions_item.first_offset)
                        out.append(0)
                out += _write_i(responses_partitions_item.preferred_read_replica)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    out.append(0)
                else:
                    n = len(responses_partitions_records) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += responses_partitions_records
                responses_partitions_tags: list[tuple[int, bytearray]] = []
                if responses_partitions_item.diverging_epoch is not None and responses_partitions_item.diverging_epoch != EpochEndOffset():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_diverging_epoch = responses_partitions_item.diverging_epoch
                    if responses_partitions_diverging_epoch is None:
                        raise null("DivergingEpoch")
                    out += _write_iq(responses_partitions_diverging_epoch.epoch, responses_partitions_diverging_epoch.end_offset)
                    out.append(0)
                    responses_partitions_tags.append((0, out))
                    out = responses_partitions_outer
                if responses_partitions_item.current_leader is not None and responses_partitions_item.current_leader != LeaderIdAndEpoch():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_current_leader = responses_partitions_item.current_leader
                    if responses_partitions_current_leader is None:
                        raise null("CurrentLeader")
                    out += _write_ii(responses_partitions_current_leader.leader_id, responses_partitions_current_leader.leader_epoch)
                    out.append(0)
                    responses_partitions_tags.append((1, out))
                    out = responses_partitions_outer
                if responses_partitions_item.snapshot_id is not None and responses_partitions_item.snapshot_id != SnapshotId():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_snapshot_id = responses_partitions_item.snapshot_id
                    if responses_partitions_snapshot_id is None:
                        raise null("SnapshotId")
                    out += _write_qi(responses_partitions_snapshot_id.end_offset, responses_partitions_snapshot_id.epoch)
                    out.append(0)
                    responses_partitions_tags.append((2, out))
                    out = responses_partitions_outer
                write_tags(out, responses_partitions_tags)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("FetchResponse", error) from error


def encode_fetch_response_v16_v18(out: bytearray, m: FetchResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.session_id)
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            yield 1
            out += _write_u(responses_item.topic_id)
            responses_partitions = responses_item.partitions
            n = len(responses_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partitions_item in responses_partitions:
                yield 1
                out += _write_ihqqq(responses_partitions_item.partition_index, responses_partitions_item.error_code, responses_partitions_item.high_watermark, responses_partitions_item.last_stable_offset, responses_partitions_item.log_start_offset)
                responses_partitions_aborted_transactions = responses_partitions_item.aborted_transactions
                if responses_partitions_aborted_transactions is None:
                    out.append(0)
                else:
                    n = len(responses_partitions_aborted_transactions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    for responses_partitions_aborted_transactions_item in responses_partitions_aborted_transactions:
                        yield 1
                        out += _write_qq(responses_partitions_aborted_transactions_item.producer_id, responses_partitions_aborted_transactions_item.first_offset)
                        out.append(0)
                out += _write_i(responses_partitions_item.preferred_read_replica)
                responses_partitions_records = responses_partitions_item.records
                if responses_partitions_records is None:
                    out.append(0)
                else:
                    n = len(responses_partitions_records) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += responses_partitions_records
                responses_partitions_tags: list[tuple[int, bytearray]] = []
                if responses_partitions_item.diverging_epoch is not None and responses_partitions_item.diverging_epoch != EpochEndOffset():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_diverging_epoch = responses_partitions_item.diverging_epoch
                    if responses_partitions_diverging_epoch is None:
                        raise null("DivergingEpoch")
                    out += _write_iq(responses_partitions_diverging_epoch.epoch, responses_partitions_diverging_epoch.end_offset)
                    out.append(0)
                    responses_partitions_tags.append((0, out))
                    out = responses_partitions_outer
                if responses_partitions_item.current_leader is not None and responses_partitions_item.current_leader != LeaderIdAndEpoch():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_current_leader = responses_partitions_item.current_leader
                    if responses_partitions_current_leader is None:
                        raise null("CurrentLeader")
                    out += _write_ii(responses_partitions_current_leader.leader_id, responses_partitions_current_leader.leader_epoch)
                    out.append(0)
                    responses_partitions_tags.append((1, out))
                    out = responses_partitions_outer
                if responses_partitions_item.snapshot_id is not None and responses_partitions_item.snapshot_id != SnapshotId():
                    responses_partitions_outer = out
                    out = bytearray()
                    responses_partitions_snapshot_id = responses_partitions_item.snapshot_id
                    if responses_partitions_snapshot_id is None:
                        raise null("SnapshotId")
                    out += _write_qi(responses_partitions_snapshot_id.end_offset, responses_partitions_snapshot_id.epoch)
                    out.append(0)
                    responses_partitions_tags.append((2, out))
                    out = responses_partitions_outer
                write_tags(out, responses_partitions_tags)
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
                yield 1
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
                out += _write_i(node_endpoints_item.port)
                node_endpoints_rack = node_endpoints_item.rack
                if node_endpoints_rack is None:
                    out.append(0)
                else:
                    text = node_endpoints_rack.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("Rack", n - 1)
                        write_uvarint(out, n)
                    out += text
                out.append(0)
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("FetchResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    4: decode_fetch_request_v4,
    5: decode_fetch_request_v5_v6,
    6: decode_fetch_request_v5_v6,
    7: decode_fetch_request_v7_v8,
    8: decode_fetch_request_v7_v8,
    9: decode_fetch_request_v9_v10,
    10: decode_fetch_request_v9_v10,
    11: decode_fetch_request_v11,
    12: decode_fetch_request_v12,
    13: decode_fetch_request_v13_v14,
    14: decode_fetch_request_v13_v14,
    15: decode_fetch_request_v15_v16,
    16: decode_fetch_request_v15_v16,
    17: decode_fetch_request_v17,
    18: decode_fetch_request_v18,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    4: encode_fetch_response_v4,
    5: encode_fetch_response_v5_v6,
    6: encode_fetch_response_v5_v6,
    7: encode_fetch_response_v7_v10,
    8: encode_fetch_response_v7_v10,
    9: encode_fetch_response_v7_v10,
    10: encode_fetch_response_v7_v10,
    11: encode_fetch_response_v11,
    12: encode_fetch_response_v12,
    13: encode_fetch_response_v13_v15,
    14: encode_fetch_response_v13_v15,
    15: encode_fetch_response_v13_v15,
    16: encode_fetch_response_v16_v18,
    17: encode_fetch_response_v16_v18,
    18: encode_fetch_response_v16_v18,
}

__all__ = ["DECODERS", "ENCODERS"]
