# Generated from schemas/messages/ConsumerGroupDescribeRequest.json and schemas/messages/ConsumerGroupDescribeResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
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

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack


def decode_consumer_group_describe_request_v0_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ConsumerGroupDescribeRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("GroupIds")
        if n > end - pos:
            check_count(n, pos, end)
        group_ids: list[str] = []
        group_ids_count = n
        for _ in range(group_ids_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("GroupIds", n)
            if n < 0:
                raise null("GroupIds")
            group_ids_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            group_ids.append(group_ids_item)
        include_authorized_operations, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ConsumerGroupDescribeRequest(group_ids, include_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_consumer_group_describe_response_v0(out: bytearray, m: ConsumerGroupDescribeResponse) -> Generator[int, None, None]:
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
            out += _write_h(groups_item.error_code)
            groups_error_message = groups_item.error_message
            if groups_error_message is None:
                out.append(0)
            else:
                text = groups_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
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
            groups_group_state = groups_item.group_state
            text = groups_group_state.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("GroupState", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_ii(groups_item.group_epoch, groups_item.assignment_epoch)
            groups_assignor_name = groups_item.assignor_name
            text = groups_assignor_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("AssignorName", n - 1)
                write_uvarint(out, n)
            out += text
            groups_members = groups_item.members
            n = len(groups_members) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for groups_members_item in groups_members:
                yield 1
                groups_members_member_id = groups_members_item.member_id
                text = groups_members_member_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("MemberId", n - 1)
                    write_uvarint(out, n)
                out += text
                groups_members_instance_id = groups_members_item.instance_id
                if groups_members_instance_id is None:
                    out.append(0)
                else:
                    text = groups_members_instance_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("InstanceId", n - 1)
                        write_uvarint(out, n)
                    out += text
                groups_members_rack_id = groups_members_item.rack_id
                if groups_members_rack_id is None:
                    out.append(0)
                else:
                    text = groups_members_rack_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("RackId", n - 1)
                        write_uvarint(out, n)
                    out += text
                out += _write_i(groups_members_item.member_epoch)
                groups_members_client_id = groups_members_item.client_id
                text = groups_members_client_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ClientId", n - 1)
                    write_uvarint(out, n)
                out += text
                groups_members_client_host = groups_members_item.client_host
                text = groups_members_client_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ClientHost", n - 1)
                    write_uvarint(out, n)
                out += text
                groups_members_subscribed_topic_names = groups_members_item.subscribed_topic_names
                n = len(groups_members_subscribed_topic_names) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_subscribed_topic_names_item in groups_members_subscribed_topic_names:
                    yield 1
                    text = groups_members_subscribed_topic_names_item.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("SubscribedTopicNames", n - 1)
                        write_uvarint(out, n)
                    out += text
                groups_members_subscribed_topic_regex = groups_members_item.subscribed_topic_regex
                if groups_members_subscribed_topic_regex is None:
                    out.append(0)
                else:
                    text = groups_members_subscribed_topic_regex.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("SubscribedTopicRegex", n - 1)
                        write_uvarint(out, n)
                    out += text
                groups_members_assignment = groups_members_item.assignment
                groups_members_assignment_topic_partitions = groups_members_assignment.topic_partitions
                n = len(groups_members_assignment_topic_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_assignment_topic_partitions_item in groups_members_assignment_topic_partitions:
                    yield 1
                    out += _write_u(groups_members_assignment_topic_partitions_item.topic_id)
                    groups_members_assignment_topic_partitions_topic_name = groups_members_assignment_topic_partitions_item.topic_name
                    text = groups_members_assignment_topic_partitions_topic_name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("TopicName", n - 1)
                        write_uvarint(out, n)
                    out += text
                    groups_members_assignment_topic_partitions_partitions = groups_members_assignment_topic_partitions_item.partitions
                    n = len(groups_members_assignment_topic_partitions_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_assignment_topic_partitions_partitions)}i", *groups_members_assignment_topic_partitions_partitions)
                    out.append(0)
                out.append(0)
                groups_members_target_assignment = groups_members_item.target_assignment
                groups_members_target_assignment_topic_partitions = groups_members_target_assignment.topic_partitions
                n = len(groups_members_target_assignment_topic_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_target_assignment_topic_partitions_item in groups_members_target_assignment_topic_partitions:
                    yield 1
                    out += _write_u(groups_members_target_assignment_topic_partitions_item.topic_id)
                    groups_members_target_assignment_topic_partitions_topic_name = groups_members_target_assignment_topic_partitions_item.topic_name
                    text = groups_members_target_assignment_topic_partitions_topic_name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("TopicName", n - 1)
                        write_uvarint(out, n)
                    out += text
                    groups_members_target_assignment_topic_partitions_partitions = groups_members_target_assignment_topic_partitions_item.partitions
                    n = len(groups_members_target_assignment_topic_partitions_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_target_assignment_topic_partitions_partitions)}i", *groups_members_target_assignment_topic_partitions_partitions)
                    out.append(0)
                out.append(0)
                out.append(0)
            out += _write_i(groups_item.authorized_operations)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ConsumerGroupDescribeResponse", error) from error


def encode_consumer_group_describe_response_v1(out: bytearray, m: ConsumerGroupDescribeResponse) -> Generator[int, None, None]:
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
            out += _write_h(groups_item.error_code)
            groups_error_message = groups_item.error_message
            if groups_error_message is None:
                out.append(0)
            else:
                text = groups_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
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
            groups_group_state = groups_item.group_state
            text = groups_group_state.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("GroupState", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_ii(groups_item.group_epoch, groups_item.assignment_epoch)
            groups_assignor_name = groups_item.assignor_name
            text = groups_assignor_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("AssignorName", n - 1)
                write_uvarint(out, n)
            out += text
            groups_members = groups_item.members
            n = len(groups_members) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for groups_members_item in groups_members:
                yield 1
                groups_members_member_id = groups_members_item.member_id
                text = groups_members_member_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("MemberId", n - 1)
                    write_uvarint(out, n)
                out += text
                groups_members_instance_id = groups_members_item.instance_id
                if groups_members_instance_id is None:
                    out.append(0)
                else:
                    text = groups_members_instance_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("InstanceId", n - 1)
                        write_uvarint(out, n)
                    out += text
                groups_members_rack_id = groups_members_item.rack_id
                if groups_members_rack_id is None:
                    out.append(0)
                else:
                    text = groups_members_rack_id.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("RackId", n - 1)
                        write_uvarint(out, n)
                    out += text
                out += _write_i(groups_members_item.member_epoch)
                groups_members_client_id = groups_members_item.client_id
                text = groups_members_client_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ClientId", n - 1)
                    write_uvarint(out, n)
                out += text
                groups_members_client_host = groups_members_item.client_host
                text = groups_members_client_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ClientHost", n - 1)
                    write_uvarint(out, n)
                out += text
                groups_members_subscribed_topic_names = groups_members_item.subscribed_topic_names
                n = len(groups_members_subscribed_topic_names) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_subscribed_topic_names_item in groups_members_subscribed_topic_names:
                    yield 1
                    text = groups_members_subscribed_topic_names_item.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("SubscribedTopicNames", n - 1)
                        write_uvarint(out, n)
                    out += text
                groups_members_subscribed_topic_regex = groups_members_item.subscribed_topic_regex
                if groups_members_subscribed_topic_regex is None:
                    out.append(0)
                else:
                    text = groups_members_subscribed_topic_regex.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("SubscribedTopicRegex", n - 1)
                        write_uvarint(out, n)
                    out += text
                groups_members_assignment = groups_members_item.assignment
                groups_members_assignment_topic_partitions = groups_members_assignment.topic_partitions
                n = len(groups_members_assignment_topic_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_assignment_topic_partitions_item in groups_members_assignment_topic_partitions:
                    yield 1
                    out += _write_u(groups_members_assignment_topic_partitions_item.topic_id)
                    groups_members_assignment_topic_partitions_topic_name = groups_members_assignment_topic_partitions_item.topic_name
                    text = groups_members_assignment_topic_partitions_topic_name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("TopicName", n - 1)
                        write_uvarint(out, n)
                    out += text
                    groups_members_assignment_topic_partitions_partitions = groups_members_assignment_topic_partitions_item.partitions
                    n = len(groups_members_assignment_topic_partitions_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_assignment_topic_partitions_partitions)}i", *groups_members_assignment_topic_partitions_partitions)
                    out.append(0)
                out.append(0)
                groups_members_target_assignment = groups_members_item.target_assignment
                groups_members_target_assignment_topic_partitions = groups_members_target_assignment.topic_partitions
                n = len(groups_members_target_assignment_topic_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_target_assignment_topic_partitions_item in groups_members_target_assignment_topic_partitions:
                    yield 1
                    out += _write_u(groups_members_target_assignment_topic_partitions_item.topic_id)
                    groups_members_target_assignment_topic_partitions_topic_name = groups_members_target_assignment_topic_partitions_item.topic_name
                    text = groups_members_target_assignment_topic_partitions_topic_name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("TopicName", n - 1)
                        write_uvarint(out, n)
                    out += text
                    groups_members_target_assignment_topic_partitions_partitions = groups_members_target_assignment_topic_partitions_item.partitions
                    n = len(groups_members_target_assignment_topic_partitions_partitions) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += struct.pack(f">{len(groups_members_target_assignment_topic_partitions_partitions)}i", *groups_members_target_assignment_topic_partitions_partitions)
                    out.append(0)
                out.append(0)
                out += _write_b(groups_members_item.member_type)
                out.append(0)
            out += _write_i(groups_item.authorized_operations)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ConsumerGroupDescribeResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_consumer_group_describe_request_v0_v1,
    1: decode_consumer_group_describe_request_v0_v1,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_consumer_group_describe_response_v0,
    1: encode_consumer_group_describe_response_v1,
}

__all__ = ["DECODERS", "ENCODERS"]
