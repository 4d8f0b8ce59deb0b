# Generated from schemas/messages/ShareGroupDescribeRequest.json and schemas/messages/ShareGroupDescribeResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct, field

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
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
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack


class ShareGroupDescribeRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupIds", "group_ids", "[]string", None),
        ("IncludeAuthorizedOperations", "include_authorized_operations", "bool", None),
    )
    NAME: ClassVar = "ShareGroupDescribeRequest"
    API_KEY: ClassVar = 77
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_ids: list[str] = []
    include_authorized_operations: bool = False


class TopicPartitions(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("TopicName", "topic_name", "string", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""
    partitions: list[int] = []


class Assignment(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicPartitions", "topic_partitions", "[]struct", TopicPartitions),
    )
    topic_partitions: list[TopicPartitions] = []


class Member(Struct, gc=False):
    FIELDS: ClassVar = (
        ("MemberId", "member_id", "string", None),
        ("RackId", "rack_id", "string", None),
        ("MemberEpoch", "member_epoch", "int32", None),
        ("ClientId", "client_id", "string", None),
        ("ClientHost", "client_host", "string", None),
        ("SubscribedTopicNames", "subscribed_topic_names", "[]string", None),
        ("Assignment", "assignment", "struct", Assignment),
    )
    member_id: str = ""
    rack_id: str | None = None
    member_epoch: int = 0
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: list[str] = []
    assignment: Assignment = field(default_factory=Assignment)


class DescribedGroup(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("GroupId", "group_id", "string", None),
        ("GroupState", "group_state", "string", None),
        ("GroupEpoch", "group_epoch", "int32", None),
        ("AssignmentEpoch", "assignment_epoch", "int32", None),
        ("AssignorName", "assignor_name", "string", None),
        ("Members", "members", "[]struct", Member),
        ("AuthorizedOperations", "authorized_operations", "int32", None),
    )
    error_code: int = 0
    error_message: str | None = None
    group_id: str = ""
    group_state: str = ""
    group_epoch: int = 0
    assignment_epoch: int = 0
    assignor_name: str = ""
    members: list[Member] = []
    authorized_operations: int = -2147483648


class ShareGroupDescribeResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Groups", "groups", "[]struct", DescribedGroup),
    )
    NAME: ClassVar = "ShareGroupDescribeResponse"
    API_KEY: ClassVar = 77
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    groups: list[DescribedGroup] = []


def decode_share_group_describe_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ShareGroupDescribeRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("GroupIds", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        group_ids: list[str] = []
        group_ids_count = n
        for _ in range(group_ids_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupIds")
            if n < 0:
                raise null("GroupIds")
            group_ids_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            group_ids.append(group_ids_item)
        include_authorized_operations, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ShareGroupDescribeRequest(group_ids, include_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_group_describe_request_v1(out: bytearray, m: ShareGroupDescribeRequest) -> None:
    try:
        group_ids = m.group_ids
        n = len(group_ids) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for group_ids_item in group_ids:
            text = group_ids_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupIds")
            out += text
        out += _write_z(m.include_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("ShareGroupDescribeRequest", error) from error

ShareGroupDescribeRequest.DECODERS = {
    1: decode_share_group_describe_request_v1,
}

ShareGroupDescribeRequest.ENCODERS = {
    1: encode_share_group_describe_request_v1,
}



def decode_share_group_describe_response_v1(buf: bytes, pos: int, end: int) -> tuple[ShareGroupDescribeResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Groups", n, pos, end)
        groups: list[DescribedGroup] = []
        groups_count = n
        for _ in range(groups_count):
            groups_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            groups_error_message: str | None = None
            if n >= 0:
                groups_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupId")
            if n < 0:
                raise null("GroupId")
            groups_group_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupState")
            if n < 0:
                raise null("GroupState")
            groups_group_state = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            groups_group_epoch, groups_assignment_epoch = _read_ii(buf, pos)
            pos += 8
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "AssignorName")
            if n < 0:
                raise null("AssignorName")
            groups_assignor_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Members", n, pos, end)
            groups_members: list[Member] = []
            groups_members_count = n
            for _ in range(groups_members_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "MemberId")
                if n < 0:
                    raise null("MemberId")
                groups_members_member_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "RackId")
                groups_members_rack_id: str | None = None
                if n >= 0:
                    groups_members_rack_id = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                groups_members_member_epoch, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ClientId")
                if n < 0:
                    raise null("ClientId")
                groups_members_client_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ClientHost")
                if n < 0:
                    raise null("ClientHost")
                groups_members_client_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("SubscribedTopicNames", n, pos, end)
                groups_members_subscribed_topic_names: list[str] = []
                groups_members_subscribed_topic_names_count = n
                for _ in range(groups_members_subscribed_topic_names_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "SubscribedTopicNames")
                    if n < 0:
                        raise null("SubscribedTopicNames")
                    groups_members_subscribed_topic_names_item = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    groups_members_subscribed_topic_names.append(groups_members_subscribed_topic_names_item)
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("TopicPartitions", n, pos, end)
                groups_members_assignment_topic_partitions: list[TopicPartitions] = []
                groups_members_assignment_topic_partitions_count = n
                for _ in range(groups_members_assignment_topic_partitions_count):
                    groups_members_assignment_topic_partitions_topic_id, = _read_u(buf, pos)
                    pos += 16
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "TopicName")
                    if n < 0:
                        raise null("TopicName")
                    groups_members_assignment_topic_partitions_topic_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("Partitions", n, pos, end)
                    groups_members_assignment_topic_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                    pos += 4 * n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    groups_members_assignment_topic_partitions.append(TopicPartitions(groups_members_assignment_topic_partitions_topic_id, groups_members_assignment_topic_partitions_topic_name, groups_members_assignment_topic_partitions_partitions))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_members_assignment = Assignment(groups_members_assignment_topic_partitions)
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                groups_members.append(Member(groups_members_member_id, groups_members_rack_id, groups_members_member_epoch, groups_members_client_id, groups_members_client_host, groups_members_subscribed_topic_names, groups_members_assignment))
            groups_authorized_operations, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            groups.append(DescribedGroup(groups_error_code, groups_error_message, groups_group_id, groups_group_state, groups_group_epoch, groups_assignment_epoch, groups_assignor_name, groups_members, groups_authorized_operations))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ShareGroupDescribeResponse(throttle_time_ms, groups)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_group_describe_response_v1(out: bytearray, m: ShareGroupDescribeResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        groups = m.groups
        n = len(groups) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for groups_item in groups:
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
                    write_text_length(out, n, "ErrorMessage")
                out += text
            text = groups_item.group_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupId")
            out += text
            text = groups_item.group_state.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "GroupState")
            out += text
            out += _write_ii(groups_item.group_epoch, groups_item.assignment_epoch)
            text = groups_item.assignor_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "AssignorName")
            out += text
            groups_members = groups_item.members
            n = len(groups_members) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for groups_members_item in groups_members:
                text = groups_members_item.member_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "MemberId")
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
                        write_text_length(out, n, "RackId")
                    out += text
                out += _write_i(groups_members_item.member_epoch)
                text = groups_members_item.client_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ClientId")
                out += text
                text = groups_members_item.client_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ClientHost")
                out += text
                groups_members_subscribed_topic_names = groups_members_item.subscribed_topic_names
                n = len(groups_members_subscribed_topic_names) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_subscribed_topic_names_item in groups_members_subscribed_topic_names:
                    text = groups_members_subscribed_topic_names_item.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "SubscribedTopicNames")
                    out += text
                groups_members_assignment = groups_members_item.assignment
                groups_members_assignment_topic_partitions = groups_members_assignment.topic_partitions
                n = len(groups_members_assignment_topic_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for groups_members_assignment_topic_partitions_item in groups_members_assignment_topic_partitions:
                    out += _write_u(groups_members_assignment_topic_partitions_item.topic_id)
                    text = groups_members_assignment_topic_partitions_item.topic_name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "TopicName")
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
                out.append(0)
            out += _write_i(groups_item.authorized_operations)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ShareGroupDescribeResponse", error) from error

ShareGroupDescribeResponse.DECODERS = {
    1: decode_share_group_describe_response_v1,
}

ShareGroupDescribeResponse.ENCODERS = {
    1: encode_share_group_describe_response_v1,
}

__all__ = [
    "Assignment", "DescribedGroup", "Member", "ShareGroupDescribeRequest", "ShareGroupDescribeResponse",
    "TopicPartitions",
]
