# Generated from schemas/messages/ConsumerGroupHeartbeatRequest.json and schemas/messages/ConsumerGroupHeartbeatResponse.json. Edit that, then run make generate.

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
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack


class ConsumerGroupHeartbeatRequestTopicPartitions(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []


class ConsumerGroupHeartbeatRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("MemberId", "member_id", "string", None),
        ("MemberEpoch", "member_epoch", "int32", None),
        ("InstanceId", "instance_id", "string", None),
        ("RackId", "rack_id", "string", None),
        ("RebalanceTimeoutMs", "rebalance_timeout_ms", "int32", None),
        ("SubscribedTopicNames", "subscribed_topic_names", "[]string", None),
        ("SubscribedTopicRegex", "subscribed_topic_regex", "string", None),
        ("ServerAssignor", "server_assignor", "string", None),
        ("TopicPartitions", "topic_partitions", "[]struct", ConsumerGroupHeartbeatRequestTopicPartitions),
    )
    NAME: ClassVar = "ConsumerGroupHeartbeatRequest"
    API_KEY: ClassVar = 68
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    member_id: str = ""
    member_epoch: int = 0
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    subscribed_topic_names: list[str] | None = None
    subscribed_topic_regex: str | None = None
    server_assignor: str | None = None
    topic_partitions: list[ConsumerGroupHeartbeatRequestTopicPartitions] | None = None


class ConsumerGroupHeartbeatResponseTopicPartitions(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]int32", None),
        ("NewPartitions", "new_partitions", "[]int32", None),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[int] = []
    new_partitions: list[int] = []


class Assignment(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicPartitions", "topic_partitions", "[]struct", ConsumerGroupHeartbeatResponseTopicPartitions),
    )
    topic_partitions: list[ConsumerGroupHeartbeatResponseTopicPartitions] = []


class ConsumerGroupHeartbeatResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("MemberId", "member_id", "string", None),
        ("MemberEpoch", "member_epoch", "int32", None),
        ("HeartbeatIntervalMs", "heartbeat_interval_ms", "int32", None),
        ("Assignment", "assignment", "struct", Assignment),
    )
    NAME: ClassVar = "ConsumerGroupHeartbeatResponse"
    API_KEY: ClassVar = 68
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    member_id: str | None = None
    member_epoch: int = 0
    heartbeat_interval_ms: int = 0
    assignment: Assignment | None = None


def decode_consumer_group_heartbeat_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ConsumerGroupHeartbeatRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupId")
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "MemberId")
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        member_epoch, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "InstanceId")
        instance_id: str | None = None
        if n >= 0:
            instance_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "RackId")
        rack_id: str | None = None
        if n >= 0:
            rack_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        rebalance_timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        subscribed_topic_names: list[str] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            subscribed_topic_names_list: list[str] = []
            subscribed_topic_names_count = n
            for _ in range(subscribed_topic_names_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SubscribedTopicNames")
                if n < 0:
                    raise null("SubscribedTopicNames")
                subscribed_topic_names_item = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                subscribed_topic_names_list.append(subscribed_topic_names_item)
            subscribed_topic_names = subscribed_topic_names_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ServerAssignor")
        server_assignor: str | None = None
        if n >= 0:
            server_assignor = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        topic_partitions: list[ConsumerGroupHeartbeatRequestTopicPartitions] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topic_partitions_list: list[ConsumerGroupHeartbeatRequestTopicPartitions] = []
            topic_partitions_count = n
            for _ in range(topic_partitions_count):
                topic_partitions_topic_id, = _read_u(buf, pos)
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
                topic_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topic_partitions_list.append(ConsumerGroupHeartbeatRequestTopicPartitions(topic_partitions_topic_id, topic_partitions_partitions))
            topic_partitions = topic_partitions_list
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ConsumerGroupHeartbeatRequest(group_id, member_id, member_epoch, instance_id, rack_id, rebalance_timeout_ms, subscribed_topic_names, None, server_assignor, topic_partitions)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_group_heartbeat_request_v0(out: bytearray, m: ConsumerGroupHeartbeatRequest) -> None:
    try:
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        text = m.member_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "MemberId")
        out += text
        out += _write_i(m.member_epoch)
        instance_id = m.instance_id
        if instance_id is None:
            out.append(0)
        else:
            text = instance_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "InstanceId")
            out += text
        rack_id = m.rack_id
        if rack_id is None:
            out.append(0)
        else:
            text = rack_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "RackId")
            out += text
        out += _write_i(m.rebalance_timeout_ms)
        subscribed_topic_names = m.subscribed_topic_names
        if subscribed_topic_names is None:
            out.append(0)
        else:
            n = len(subscribed_topic_names) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for subscribed_topic_names_item in subscribed_topic_names:
                text = subscribed_topic_names_item.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SubscribedTopicNames")
                out += text
        server_assignor = m.server_assignor
        if server_assignor is None:
            out.append(0)
        else:
            text = server_assignor.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ServerAssignor")
            out += text
        topic_partitions = m.topic_partitions
        if topic_partitions is None:
            out.append(0)
        else:
            n = len(topic_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topic_partitions_item in topic_partitions:
                out += _write_u(topic_partitions_item.topic_id)
                topic_partitions_partitions = topic_partitions_item.partitions
                n = len(topic_partitions_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topic_partitions_partitions)}i", *topic_partitions_partitions)
                out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ConsumerGroupHeartbeatRequest", error) from error


def decode_consumer_group_heartbeat_request_v1_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ConsumerGroupHeartbeatRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupId")
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "MemberId")
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        member_epoch, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "InstanceId")
        instance_id: str | None = None
        if n >= 0:
            instance_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "RackId")
        rack_id: str | None = None
        if n >= 0:
            rack_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        rebalance_timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        subscribed_topic_names: list[str] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            subscribed_topic_names_list: list[str] = []
            subscribed_topic_names_count = n
            for _ in range(subscribed_topic_names_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "SubscribedTopicNames")
                if n < 0:
                    raise null("SubscribedTopicNames")
                subscribed_topic_names_item = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                subscribed_topic_names_list.append(subscribed_topic_names_item)
            subscribed_topic_names = subscribed_topic_names_list
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "SubscribedTopicRegex")
        subscribed_topic_regex: str | None = None
        if n >= 0:
            subscribed_topic_regex = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ServerAssignor")
        server_assignor: str | None = None
        if n >= 0:
            server_assignor = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        topic_partitions: list[ConsumerGroupHeartbeatRequestTopicPartitions] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topic_partitions_list: list[ConsumerGroupHeartbeatRequestTopicPartitions] = []
            topic_partitions_count = n
            for _ in range(topic_partitions_count):
                topic_partitions_topic_id, = _read_u(buf, pos)
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
                topic_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topic_partitions_list.append(ConsumerGroupHeartbeatRequestTopicPartitions(topic_partitions_topic_id, topic_partitions_partitions))
            topic_partitions = topic_partitions_list
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ConsumerGroupHeartbeatRequest(group_id, member_id, member_epoch, instance_id, rack_id, rebalance_timeout_ms, subscribed_topic_names, subscribed_topic_regex, server_assignor, topic_partitions)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_group_heartbeat_request_v1_v2(out: bytearray, m: ConsumerGroupHeartbeatRequest) -> None:
    try:
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        text = m.member_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "MemberId")
        out += text
        out += _write_i(m.member_epoch)
        instance_id = m.instance_id
        if instance_id is None:
            out.append(0)
        else:
            text = instance_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "InstanceId")
            out += text
        rack_id = m.rack_id
        if rack_id is None:
            out.append(0)
        else:
            text = rack_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "RackId")
            out += text
        out += _write_i(m.rebalance_timeout_ms)
        subscribed_topic_names = m.subscribed_topic_names
        if subscribed_topic_names is None:
            out.append(0)
        else:
            n = len(subscribed_topic_names) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for subscribed_topic_names_item in subscribed_topic_names:
                text = subscribed_topic_names_item.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "SubscribedTopicNames")
                out += text
        subscribed_topic_regex = m.subscribed_topic_regex
        if subscribed_topic_regex is None:
            out.append(0)
        else:
            text = subscribed_topic_regex.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "SubscribedTopicRegex")
            out += text
        server_assignor = m.server_assignor
        if server_assignor is None:
            out.append(0)
        else:
            text = server_assignor.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ServerAssignor")
            out += text
        topic_partitions = m.topic_partitions
        if topic_partitions is None:
            out.append(0)
        else:
            n = len(topic_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topic_partitions_item in topic_partitions:
                out += _write_u(topic_partitions_item.topic_id)
                topic_partitions_partitions = topic_partitions_item.partitions
                n = len(topic_partitions_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topic_partitions_partitions)}i", *topic_partitions_partitions)
                out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ConsumerGroupHeartbeatRequest", error) from error

ConsumerGroupHeartbeatRequest.DECODERS = {
    0: decode_consumer_group_heartbeat_request_v0,
    1: decode_consumer_group_heartbeat_request_v1_v2, 2: decode_consumer_group_heartbeat_request_v1_v2,
}

ConsumerGroupHeartbeatRequest.ENCODERS = {
    0: encode_consumer_group_heartbeat_request_v0,
    1: encode_consumer_group_heartbeat_request_v1_v2, 2: encode_consumer_group_heartbeat_request_v1_v2,
}



def decode_consumer_group_heartbeat_response_v0_v1(buf: bytes, pos: int, end: int) -> tuple[ConsumerGroupHeartbeatResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
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
            n, pos = read_text_length(buf, pos - 1, "MemberId")
        member_id: str | None = None
        if n >= 0:
            member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        member_epoch, heartbeat_interval_ms = _read_ii(buf, pos)
        pos += 8
        mark = buf[pos]
        pos += 1
        assignment: Assignment | None = None
        if mark < 128:
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("TopicPartitions", n, pos, end)
            assignment_topic_partitions: list[ConsumerGroupHeartbeatResponseTopicPartitions] = []
            assignment_topic_partitions_count = n
            for _ in range(assignment_topic_partitions_count):
                assignment_topic_partitions_topic_id, = _read_u(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                assignment_topic_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                assignment_topic_partitions.append(ConsumerGroupHeartbeatResponseTopicPartitions(assignment_topic_partitions_topic_id, assignment_topic_partitions_partitions))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            assignment = Assignment(assignment_topic_partitions)
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ConsumerGroupHeartbeatResponse(throttle_time_ms, error_code, error_message, member_id, member_epoch, heartbeat_interval_ms, assignment)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_group_heartbeat_response_v0_v1(out: bytearray, m: ConsumerGroupHeartbeatResponse) -> None:
    try:
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
                write_text_length(out, n, "ErrorMessage")
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
                write_text_length(out, n, "MemberId")
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


def decode_consumer_group_heartbeat_response_v2(buf: bytes, pos: int, end: int) -> tuple[ConsumerGroupHeartbeatResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
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
            n, pos = read_text_length(buf, pos - 1, "MemberId")
        member_id: str | None = None
        if n >= 0:
            member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        member_epoch, heartbeat_interval_ms = _read_ii(buf, pos)
        pos += 8
        mark = buf[pos]
        pos += 1
        assignment: Assignment | None = None
        if mark < 128:
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("TopicPartitions", n, pos, end)
            assignment_topic_partitions: list[ConsumerGroupHeartbeatResponseTopicPartitions] = []
            assignment_topic_partitions_count = n
            for _ in range(assignment_topic_partitions_count):
                assignment_topic_partitions_topic_id, = _read_u(buf, pos)
                pos += 16
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                assignment_topic_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                assignment_topic_partitions_new_partitions: list[int] = []
                assignment_topic_partitions_tag_count = buf[pos]
                pos += 1
                if assignment_topic_partitions_tag_count:
                    assignment_topic_partitions_tag_count, pos = read_tag_count(buf, pos - 1, end)
                    for _ in range(assignment_topic_partitions_tag_count):
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            n = buf[pos] - 1
                            pos += 1
                            if n > 126:
                                n, pos = read_length(buf, pos - 1)
                            if not 0 <= n <= end - pos:
                                raise wrong_count("NewPartitions", n, pos, end)
                            assignment_topic_partitions_new_partitions = list(struct.unpack_from(f">{n}i", buf, pos))
                            pos += 4 * n
                        else:
                            pos = skip_tag(buf, pos, end)
                assignment_topic_partitions.append(ConsumerGroupHeartbeatResponseTopicPartitions(assignment_topic_partitions_topic_id, assignment_topic_partitions_partitions, assignment_topic_partitions_new_partitions))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            assignment = Assignment(assignment_topic_partitions)
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ConsumerGroupHeartbeatResponse(throttle_time_ms, error_code, error_message, member_id, member_epoch, heartbeat_interval_ms, assignment)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_group_heartbeat_response_v2(out: bytearray, m: ConsumerGroupHeartbeatResponse) -> None:
    try:
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
                write_text_length(out, n, "ErrorMessage")
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
                write_text_length(out, n, "MemberId")
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

ConsumerGroupHeartbeatResponse.DECODERS = {
    0: decode_consumer_group_heartbeat_response_v0_v1, 1: decode_consumer_group_heartbeat_response_v0_v1,
    2: decode_consumer_group_heartbeat_response_v2,
}

ConsumerGroupHeartbeatResponse.ENCODERS = {
    0: encode_consumer_group_heartbeat_response_v0_v1, 1: encode_consumer_group_heartbeat_response_v0_v1,
    2: encode_consumer_group_heartbeat_response_v2,
}

__all__ = [
    "Assignment", "ConsumerGroupHeartbeatRequest", "ConsumerGroupHeartbeatRequestTopicPartitions",
    "ConsumerGroupHeartbeatResponse", "ConsumerGroupHeartbeatResponseTopicPartitions",
]
