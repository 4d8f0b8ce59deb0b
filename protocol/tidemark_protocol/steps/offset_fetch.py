# Generated from schemas/messages/OffsetFetchRequest.json and schemas/messages/OffsetFetchResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    UNSET,
    ZERO_UUID,
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

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack
_iqi = struct.Struct(">iqi")
_read_iqi = _iqi.unpack_from
_write_iqi = _iqi.pack


def decode_offset_fetch_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetFetchRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[OffsetFetchRequestTopic] = []
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
                raise null("PartitionIndexes")
            if n > end - pos:
                check_count(n, pos, end)
            yield n
            topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            topics.append(OffsetFetchRequestTopic(topics_name, topics_partition_indexes))
        message = OffsetFetchRequest(group_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_fetch_request_v2_v5(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetFetchRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        topics: list[OffsetFetchRequestTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            topics_list: list[OffsetFetchRequestTopic] = []
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
                    raise null("PartitionIndexes")
                if n > end - pos:
                    check_count(n, pos, end)
                yield n
                topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_list.append(OffsetFetchRequestTopic(topics_name, topics_partition_indexes))
            topics = topics_list
        message = OffsetFetchRequest(group_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_fetch_request_v6(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetFetchRequest, int]]:
    try:
        yield 1
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        topics: list[OffsetFetchRequestTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            topics_list: list[OffsetFetchRequestTopic] = []
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
                    raise null("PartitionIndexes")
                if n > end - pos:
                    check_count(n, pos, end)
                yield n
                topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_list.append(OffsetFetchRequestTopic(topics_name, topics_partition_indexes))
            topics = topics_list
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = OffsetFetchRequest(group_id, topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_fetch_request_v7(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetFetchRequest, int]]:
    try:
        yield 1
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        topics: list[OffsetFetchRequestTopic] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            topics_list: list[OffsetFetchRequestTopic] = []
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
                    raise null("PartitionIndexes")
                if n > end - pos:
                    check_count(n, pos, end)
                yield n
                topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_list.append(OffsetFetchRequestTopic(topics_name, topics_partition_indexes))
            topics = topics_list
        require_stable, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = OffsetFetchRequest(group_id, topics, UNSET, require_stable)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_fetch_request_v8(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetFetchRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Groups")
        if n > end - pos:
            check_count(n, pos, end)
        groups: list[OffsetFetchRequestGroup] = []
        groups_count = n
        for _ in range(groups_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("GroupId", n)
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            groups_topics: list[OffsetFetchRequestTopics] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                groups_topics_list: list[OffsetFetchRequestTopics] = []
                groups_topics_count = n
                for _ in range(groups_topics_count):
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
                    groups_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_uvarint(buf, pos - 1)
                        n -= 1
                    if n < 0:
                        raise null("PartitionIndexes")
                    if n > end - pos:
                        check_count(n, pos, end)
                    yield n
                    groups_topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    if buf[pos]:
                        pos = yield from skip_tags_in_steps(buf, pos, end)
                    else:
                        pos += 1
                    groups_topics_list.append(OffsetFetchRequestTopics(groups_topics_name, ZERO_UUID, groups_topics_partition_indexes))
                groups_topics = groups_topics_list
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            groups.append(OffsetFetchRequestGroup(groups_group_id, None, -1, groups_topics))
        require_stable, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = OffsetFetchRequest("", UNSET, groups, require_stable)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_fetch_request_v9(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetFetchRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Groups")
        if n > end - pos:
            check_count(n, pos, end)
        groups: list[OffsetFetchRequestGroup] = []
        groups_count = n
        for _ in range(groups_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("GroupId", n)
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("MemberId", n)
            groups_member_id: str | None = None
            if n >= 0:
                groups_member_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            groups_member_epoch, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            groups_topics: list[OffsetFetchRequestTopics] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                groups_topics_list: list[OffsetFetchRequestTopics] = []
                groups_topics_count = n
                for _ in range(groups_topics_count):
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
                    groups_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_uvarint(buf, pos - 1)
                        n -= 1
                    if n < 0:
                        raise null("PartitionIndexes")
                    if n > end - pos:
                        check_count(n, pos, end)
                    yield n
                    groups_topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    if buf[pos]:
                        pos = yield from skip_tags_in_steps(buf, pos, end)
                    else:
                        pos += 1
                    groups_topics_list.append(OffsetFetchRequestTopics(groups_topics_name, ZERO_UUID, groups_topics_partition_indexes))
                groups_topics = groups_topics_list
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            groups.append(OffsetFetchRequestGroup(groups_group_id, groups_member_id, groups_member_epoch, groups_topics))
        require_stable, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = OffsetFetchRequest("", UNSET, groups, require_stable)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_offset_fetch_request_v10(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[OffsetFetchRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Groups")
        if n > end - pos:
            check_count(n, pos, end)
        groups: list[OffsetFetchRequestGroup] = []
        groups_count = n
        for _ in range(groups_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("GroupId", n)
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("MemberId", n)
            groups_member_id: str | None = None
            if n >= 0:
                groups_member_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            groups_member_epoch, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            groups_topics: list[OffsetFetchRequestTopics] | None = None
            if n >= 0:
                if n > end - pos:
                    check_count(n, pos, end)
                groups_topics_list: list[OffsetFetchRequestTopics] = []
                groups_topics_count = n
                for _ in range(groups_topics_count):
                    yield 1
                    groups_topics_topic_id, = _read_u(buf, pos)
                    pos += 16
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_uvarint(buf, pos - 1)
                        n -= 1
                    if n < 0:
                        raise null("PartitionIndexes")
                    if n > end - pos:
                        check_count(n, pos, end)
                    yield n
                    groups_topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    if buf[pos]:
                        pos = yield from skip_tags_in_steps(buf, pos, end)
                    else:
                        pos += 1
                    groups_topics_list.append(OffsetFetchRequestTopics("", groups_topics_topic_id, groups_topics_partition_indexes))
                groups_topics = groups_topics_list
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            groups.append(OffsetFetchRequestGroup(groups_group_id, groups_member_id, groups_member_epoch, groups_topics))
        require_stable, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = OffsetFetchRequest("", UNSET, groups, require_stable)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_offset_fetch_response_v1(out: bytearray, m: OffsetFetchResponse) -> Generator[int, None, None]:
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
                out += _write_iq(topics_partitions_item.partition_index, topics_partitions_item.committed_offset)
                topics_partitions_metadata = topics_partitions_item.metadata
                if topics_partitions_metadata is None:
                    out += _write_h(-1)
                else:
                    text = topics_partitions_metadata.encode()
                    out += _write_h(len(text))
                    out += text
                out += _write_h(topics_partitions_item.error_code)
    except UNFIT as error:
        raise unfit("OffsetFetchResponse", error) from error


def encode_offset_fetch_response_v2(out: bytearray, m: OffsetFetchResponse) -> Generator[int, None, None]:
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
                out += _write_iq(topics_partitions_item.partition_index, topics_partitions_item.committed_offset)
                topics_partitions_metadata = topics_partitions_item.metadata
                if topics_partitions_metadata is None:
                    out += _write_h(-1)
                else:
                    text = topics_partitions_metadata.encode()
                    out += _write_h(len(text))
                    out += text
                out += _write_h(topics_partitions_item.error_code)
        out += _write_h(m.error_code)
    except UNFIT as error:
        raise unfit("OffsetFetchResponse", error) from error


def encode_offset_fetch_response_v3_v4(out: bytearray, m: OffsetFetchResponse) -> Generator[int, None, None]:
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
                out += _write_iq(topics_partitions_item.partition_index, topics_partitions_item.committed_offset)
                topics_partitions_metadata = topics_partitions_item.metadata
                if topics_partitions_metadata is None:
                    out += _write_h(-1)
                else:
                    text = topics_partitions_metadata.encode()
                    out += _write_h(len(text))
                    out += text
                out += _write_h(topics_partitions_item.error_code)
        out += _write_h(m.error_code)
    except UNFIT as error:
        raise unfit("OffsetFetchResponse", error) from error


def encode_offset_fetch_response_v5(out: bytearray, m: OffsetFetchResponse) -> Generator[int, None, None]:
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
                out += _write_iqi(topics_partitions_item.partition_index, topics_partitions_item.committed_offset, topics_partitions_item.committed_leader_epoch)
                topics_partitions_metadata = topics_partitions_item.metadata
                if topics_partitions_metadata is None:
                    out += _write_h(-1)
                else:
                    text = topics_partitions_metadata.encode()
                    out += _write_h(len(text))
                    out += text
                out += _write_h(topics_partitions_item.error_code)
        out += _write_h(m.error_code)
    except UNFIT as error:
        raise unfit("OffsetFetchResponse", error) from error


def encode_offset_fetch_response_v6_v7(out: bytearray, m: OffsetFetchResponse) -> Generator[int, None, None]:
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
                out += _write_iqi(topics_partitions_item.partition_index, topics_partitions_item.committed_offset, topics_partitions_item.committed_leader_epoch)
                topics_partitions_metadata = topics_partitions_item.metadata
                if topics_partitions_metadata is None:
                    out.append(0)
                else:
                    text = topics_partitions_metadata.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("Metadata", n - 1)
                        write_uvarint(out, n)
                    out += text
                out += _write_h(topics_partitions_item.error_code)
                out.append(0)
            out.append(0)
        out += _write_h(m.error_code)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetFetchResponse", error) from error


def encode_offset_fetch_response_v8_v9(out: bytearray, m: OffsetFetchResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            yield 1
            groups_group_id = groups_item.group_id
            text = groups_group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("GroupId", n - 1)
                write_uvarint(out, n)
            out += text
            groups_topics = groups_item.topics
            n = len(groups_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for groups_topics_item in groups_topics:
                yield 1
                groups_topics_name = groups_topics_item.name
                text = groups_topics_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Name", n - 1)
                    write_uvarint(out, n)
                out += text
                groups_topics_partitions = groups_topics_item.partitions
                n = len(groups_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_topics_partitions_item in groups_topics_partitions:
                    yield 1
                    out += _write_iqi(groups_topics_partitions_item.partition_index, groups_topics_partitions_item.committed_offset, groups_topics_partitions_item.committed_leader_epoch)
                    groups_topics_partitions_metadata = groups_topics_partitions_item.metadata
                    if groups_topics_partitions_metadata is None:
                        out.append(0)
                    else:
                        text = groups_topics_partitions_metadata.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            if n > TEXT_MAX + 1:
                                raise too_long("Metadata", n - 1)
                            write_uvarint(out, n)
                        out += text
                    out += _write_h(groups_topics_partitions_item.error_code)
                    out.append(0)
                out.append(0)
            out += _write_h(groups_item.error_code)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetFetchResponse", error) from error


def encode_offset_fetch_response_v10(out: bytearray, m: OffsetFetchResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
            yield 1
            groups_group_id = groups_item.group_id
            text = groups_group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("GroupId", n - 1)
                write_uvarint(out, n)
            out += text
            groups_topics = groups_item.topics
            n = len(groups_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for groups_topics_item in groups_topics:
                yield 1
                out += _write_u(groups_topics_item.topic_id)
                groups_topics_partitions = groups_topics_item.partitions
                n = len(groups_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_topics_partitions_item in groups_topics_partitions:
                    yield 1
                    out += _write_iqi(groups_topics_partitions_item.partition_index, groups_topics_partitions_item.committed_offset, groups_topics_partitions_item.committed_leader_epoch)
                    groups_topics_partitions_metadata = groups_topics_partitions_item.metadata
                    if groups_topics_partitions_metadata is None:
                        out.append(0)
                    else:
                        text = groups_topics_partitions_metadata.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            if n > TEXT_MAX + 1:
                                raise too_long("Metadata", n - 1)
                            write_uvarint(out, n)
                        out += text
                    out += _write_h(groups_topics_partitions_item.error_code)
                    out.append(0)
                out.append(0)
            out += _write_h(groups_item.error_code)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("OffsetFetchResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    1: decode_offset_fetch_request_v1,
    2: decode_offset_fetch_request_v2_v5,
    3: decode_offset_fetch_request_v2_v5,
    4: decode_offset_fetch_request_v2_v5,
    5: decode_offset_fetch_request_v2_v5,
    6: decode_offset_fetch_request_v6,
    7: decode_offset_fetch_request_v7,
    8: decode_offset_fetch_request_v8,
    9: decode_offset_fetch_request_v9,
    10: decode_offset_fetch_request_v10,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    1: encode_offset_fetch_response_v1,
    2: encode_offset_fetch_response_v2,
    3: encode_offset_fetch_response_v3_v4,
    4: encode_offset_fetch_response_v3_v4,
    5: encode_offset_fetch_response_v5,
    6: encode_offset_fetch_response_v6_v7,
    7: encode_offset_fetch_response_v6_v7,
    8: encode_offset_fetch_response_v8_v9,
    9: encode_offset_fetch_response_v8_v9,
    10: encode_offset_fetch_response_v10,
}

__all__ = ["DECODERS", "ENCODERS"]
