# Generated from schemas/messages/ConsumerGroupHeartbeatRequest.json and schemas/messages/ConsumerGroupHeartbeatResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
    ConsumerGroupHeartbeatResponse,
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
    write_tags,
    write_uvarint,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack


def decode_consumer_group_heartbeat_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ConsumerGroupHeartbeatRequest, int]]:
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
            if n > TEXT_MAX:
                raise too_long("MemberId", n)
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        member_epoch, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("InstanceId", n)
        instance_id: str | None = None
        if n >= 0:
            instance_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("RackId", n)
        rack_id: str | None = None
        if n >= 0:
            rack_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        rebalance_timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        subscribed_topic_names: list[str] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            subscribed_topic_names_list: list[str] = []
            subscribed_topic_names_count = n
            for _ in range(subscribed_topic_names_count):
                yield 1
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                    if n > TEXT_MAX:
                        raise too_long("SubscribedTopicNames", n)
                if n < 0:
                    raise null("SubscribedTopicNames")
                subscribed_topic_names_item = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                subscribed_topic_names_list.append(subscribed_topic_names_item)
            subscribed_topic_names = subscribed_topic_names_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ServerAssignor", n)
        server_assignor: str | None = None
        if n >= 0:
            server_assignor = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        topic_partitions: list[ConsumerGroupHeartbeatRequestTopicPartitions] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            topic_partitions_list: list[ConsumerGroupHeartbeatRequestTopicPartitions] = []
            topic_partitions_count = n
            for _ in range(topic_partitions_count):
                yield 1
                topic_partitions_topic_id, = _read_u(buf, pos)
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
                topic_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topic_partitions_list.append(ConsumerGroupHeartbeatRequestTopicPartitions(topic_partitions_topic_id, topic_partitions_partitions))
            topic_partitions = topic_partitions_list
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ConsumerGroupHeartbeatRequest(group_id, member_id, member_epoch, instance_id, rack_id, rebalance_timeout_ms, subscribed_topic_names, None, server_assignor, topic_partitions)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_consumer_group_heartbeat_request_v1_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ConsumerGroupHeartbeatRequest, int]]:
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
            if n > TEXT_MAX:
                raise too_long("MemberId", n)
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        member_epoch, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("InstanceId", n)
        instance_id: str | None = None
        if n >= 0:
            instance_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("RackId", n)
        rack_id: str | None = None
        if n >= 0:
            rack_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        rebalance_timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        subscribed_topic_names: list[str] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            subscribed_topic_names_list: list[str] = []
            subscribed_topic_names_count = n
            for _ in range(subscribed_topic_names_count):
                yield 1
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                    if n > TEXT_MAX:
                        raise too_long("SubscribedTopicNames", n)
                if n < 0:
                    raise null("SubscribedTopicNames")
                subscribed_topic_names_item = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                subscribed_topic_names_list.append(subscribed_topic_names_item)
            subscribed_topic_names = subscribed_topic_names_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("SubscribedTopicRegex", n)
        subscribed_topic_regex: str | None = None
        if n >= 0:
            subscribed_topic_regex = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ServerAssignor", n)
        server_assignor: str | None = None
        if n >= 0:
            server_assignor = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        topic_partitions: list[ConsumerGroupHeartbeatRequestTopicPartitions] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            topic_partitions_list: list[ConsumerGroupHeartbeatRequestTopicPartitions] = []
            topic_partitions_count = n
            for _ in range(topic_partitions_count):
                yield 1
                topic_partitions_topic_id, = _read_u(buf, pos)
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
                topic_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topic_partitions_list.append(ConsumerGroupHeartbeatRequestTopicPartitions(topic_partitions_topic_id, topic_partitions_partitions))
            topic_partitions = topic_partitions_list
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ConsumerGroupHeartbeatRequest(group_id, member_id, member_epoch, instance_id, rack_id, rebalance_timeout_ms, subscribed_topic_names, subscribed_topic_regex, server_assignor, topic_partitions)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_consumer_group_heartbeat_response_v0_v1(out: bytearray, m: ConsumerGroupHeartbeatResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        error_message = m.error_message
        if error_message is None:
            out.append(0)
        else:
            text = error_message.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ErrorMessage", n - 1)
                write_uvarint(out, n)
            out += text
        member_id = m.member_id
        if member_id is None:
            out.append(0)
        else:
            text = member_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("MemberId", n - 1)
                write_uvarint(out, n)
            out += text
        out += _write_ii(m.member_epoch, m.heartbeat_interval_ms)
        assignment = m.assignment
        if assignment is None:
            out.append(255)
        else:
            out.append(1)
            assignment_topic_partitions = assignment.topic_partitions
            n = len(assignment_topic_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for assignment_topic_partitions_item in assignment_topic_partitions:
                yield 1
                out += _write_u(assignment_topic_partitions_item.topic_id)
                assignment_topic_partitions_partitions = assignment_topic_partitions_item.partitions
                n = len(assignment_topic_partitions_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(assignment_topic_partitions_partitions)}i", *assignment_topic_partitions_partitions)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ConsumerGroupHeartbeatResponse", error) from error


def encode_consumer_group_heartbeat_response_v2(out: bytearray, m: ConsumerGroupHeartbeatResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        error_message = m.error_message
        if error_message is None:
            out.append(0)
        else:
            text = error_message.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ErrorMessage", n - 1)
                write_uvarint(out, n)
            out += text
        member_id = m.member_id
        if member_id is None:
            out.append(0)
        else:
            text = member_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("MemberId", n - 1)
                write_uvarint(out, n)
            out += text
        out += _write_ii(m.member_epoch, m.heartbeat_interval_ms)
        assignment = m.assignment
        if assignment is None:
            out.append(255)
        else:
            out.append(1)
            assignment_topic_partitions = assignment.topic_partitions
            n = len(assignment_topic_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for assignment_topic_partitions_item in assignment_topic_partitions:
                yield 1
                out += _write_u(assignment_topic_partitions_item.topic_id)
                assignment_topic_partitions_partitions = assignment_topic_partitions_item.partitions
                n = len(assignment_topic_partitions_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(assignment_topic_partitions_partitions)}i", *assignment_topic_partitions_partitions)
                assignment_topic_partitions_tags: list[tuple[int, bytearray]] = []
                if assignment_topic_partitions_item.new_partitions:
                    assignment_topic_partitions_outer = out
                    out = bytearray()
                    assignment_topic_partitions_new_partitions = assignment_topic_partitions_item.new_partitions
                    n = len(assignment_topic_partitions_new_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(assignment_topic_partitions_new_partitions)}i", *assignment_topic_partitions_new_partitions)
                    assignment_topic_partitions_tags.append((0, out))
                    out = assignment_topic_partitions_outer
                write_tags(out, assignment_topic_partitions_tags)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ConsumerGroupHeartbeatResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_consumer_group_heartbeat_request_v0,
    1: decode_consumer_group_heartbeat_request_v1_v2,
    2: decode_consumer_group_heartbeat_request_v1_v2,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_consumer_group_heartbeat_response_v0_v1,
    1: encode_consumer_group_heartbeat_response_v0_v1,
    2: encode_consumer_group_heartbeat_response_v2,
}

__all__ = ["DECODERS", "ENCODERS"]
