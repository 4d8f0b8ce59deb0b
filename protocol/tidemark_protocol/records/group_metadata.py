# Generated from schemas/records/GroupMetadataKey.json and schemas/records/GroupMetadataValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, read_length, read_text_length, skip_tags, too_short,
    unfit, write_text_length, write_uvarint, wrong_count,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack


class GroupMetadataKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("group", "group", "string", None),
    )
    NAME: ClassVar = "GroupMetadataKey"
    API_KEY: ClassVar = 2
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group: str = ""


class MemberMetadata(Struct, gc=False):
    FIELDS: ClassVar = (
        ("memberId", "member_id", "string", None),
        ("groupInstanceId", "group_instance_id", "string", None),
        ("clientId", "client_id", "string", None),
        ("clientHost", "client_host", "string", None),
        ("rebalanceTimeout", "rebalance_timeout", "int32", None),
        ("sessionTimeout", "session_timeout", "int32", None),
        ("subscription", "subscription", "bytes", None),
        ("assignment", "assignment", "bytes", None),
    )
    member_id: str = ""
    group_instance_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout: int = -1
    session_timeout: int = 0
    subscription: bytes = b""
    assignment: bytes = b""


class GroupMetadataValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("protocolType", "protocol_type", "string", None),
        ("generation", "generation", "int32", None),
        ("protocol", "protocol", "string", None),
        ("leader", "leader", "string", None),
        ("currentStateTimestamp", "current_state_timestamp", "int64", None),
        ("members", "members", "[]struct", MemberMetadata),
    )
    NAME: ClassVar = "GroupMetadataValue"
    API_KEY: ClassVar = 2
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 4
    FLEXIBLE_FROM: ClassVar = 4
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    protocol_type: str = ""
    generation: int = 0
    protocol: str | None = ""
    leader: str | None = ""
    current_state_timestamp: int = -1
    members: list[MemberMetadata] = []


def decode_group_metadata_key_v0(buf: bytes, pos: int, end: int) -> tuple[GroupMetadataKey, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("group")
        group = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = GroupMetadataKey(group)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_group_metadata_key_v0(out: bytearray, m: GroupMetadataKey) -> None:
    try:
        text = m.group.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("GroupMetadataKey", error) from error

GroupMetadataKey.DECODERS = {
    0: decode_group_metadata_key_v0,
}

GroupMetadataKey.ENCODERS = {
    0: encode_group_metadata_key_v0,
}



def decode_group_metadata_value_v0(buf: bytes, pos: int, end: int) -> tuple[GroupMetadataValue, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("protocolType")
        protocol_type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation, = _read_i(buf, pos)
        pos += 4
        n = _read_h(buf, pos)[0]
        pos += 2
        protocol: str | None = None
        if n >= 0:
            protocol = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        leader: str | None = None
        if n >= 0:
            leader = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("members", n, pos, end)
        members: list[MemberMetadata] = []
        members_count = n
        for _ in range(members_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("memberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("clientId")
            members_client_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("clientHost")
            members_client_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            members_session_timeout, = _read_i(buf, pos)
            pos += 4
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("subscription")
            members_subscription = buf[pos : pos + n]
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("assignment")
            members_assignment = buf[pos : pos + n]
            pos += n
            members.append(MemberMetadata(members_member_id, None, members_client_id, members_client_host, -1, members_session_timeout, members_subscription, members_assignment))
        message = GroupMetadataValue(protocol_type, generation, protocol, leader, -1, members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_group_metadata_value_v0(out: bytearray, m: GroupMetadataValue) -> None:
    try:
        text = m.protocol_type.encode()
        out += _write_h(len(text))
        out += text
        out += _write_i(m.generation)
        protocol = m.protocol
        if protocol is None:
            out += _write_h(-1)
        else:
            text = protocol.encode()
            out += _write_h(len(text))
            out += text
        leader = m.leader
        if leader is None:
            out += _write_h(-1)
        else:
            text = leader.encode()
            out += _write_h(len(text))
            out += text
        members = m.members
        out += _write_i(len(members))
        for members_item in members:
            text = members_item.member_id.encode()
            out += _write_h(len(text))
            out += text
            text = members_item.client_id.encode()
            out += _write_h(len(text))
            out += text
            text = members_item.client_host.encode()
            out += _write_h(len(text))
            out += text
            out += _write_i(members_item.session_timeout)
            members_subscription = members_item.subscription
            out += _write_i(len(members_subscription))
            out += members_subscription
            members_assignment = members_item.assignment
            out += _write_i(len(members_assignment))
            out += members_assignment
    except UNFIT as error:
        raise unfit("GroupMetadataValue", error) from error


def decode_group_metadata_value_v1(buf: bytes, pos: int, end: int) -> tuple[GroupMetadataValue, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("protocolType")
        protocol_type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation, = _read_i(buf, pos)
        pos += 4
        n = _read_h(buf, pos)[0]
        pos += 2
        protocol: str | None = None
        if n >= 0:
            protocol = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        leader: str | None = None
        if n >= 0:
            leader = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("members", n, pos, end)
        members: list[MemberMetadata] = []
        members_count = n
        for _ in range(members_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("memberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("clientId")
            members_client_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("clientHost")
            members_client_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            members_rebalance_timeout, members_session_timeout = _read_ii(buf, pos)
            pos += 8
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("subscription")
            members_subscription = buf[pos : pos + n]
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("assignment")
            members_assignment = buf[pos : pos + n]
            pos += n
            members.append(MemberMetadata(members_member_id, None, members_client_id, members_client_host, members_rebalance_timeout, members_session_timeout, members_subscription, members_assignment))
        message = GroupMetadataValue(protocol_type, generation, protocol, leader, -1, members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_group_metadata_value_v1(out: bytearray, m: GroupMetadataValue) -> None:
    try:
        text = m.protocol_type.encode()
        out += _write_h(len(text))
        out += text
        out += _write_i(m.generation)
        protocol = m.protocol
        if protocol is None:
            out += _write_h(-1)
        else:
            text = protocol.encode()
            out += _write_h(len(text))
            out += text
        leader = m.leader
        if leader is None:
            out += _write_h(-1)
        else:
            text = leader.encode()
            out += _write_h(len(text))
            out += text
        members = m.members
        out += _write_i(len(members))
        for members_item in members:
            text = members_item.member_id.encode()
            out += _write_h(len(text))
            out += text
            text = members_item.client_id.encode()
            out += _write_h(len(text))
            out += text
            text = members_item.client_host.encode()
            out += _write_h(len(text))
            out += text
            out += _write_ii(members_item.rebalance_timeout, members_item.session_timeout)
            members_subscription = members_item.subscription
            out += _write_i(len(members_subscription))
            out += members_subscription
            members_assignment = members_item.assignment
            out += _write_i(len(members_assignment))
            out += members_assignment
    except UNFIT as error:
        raise unfit("GroupMetadataValue", error) from error


def decode_group_metadata_value_v2(buf: bytes, pos: int, end: int) -> tuple[GroupMetadataValue, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("protocolType")
        protocol_type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation, = _read_i(buf, pos)
        pos += 4
        n = _read_h(buf, pos)[0]
        pos += 2
        protocol: str | None = None
        if n >= 0:
            protocol = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        leader: str | None = None
        if n >= 0:
            leader = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        current_state_timestamp, = _read_q(buf, pos)
        pos += 8
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("members", n, pos, end)
        members: list[MemberMetadata] = []
        members_count = n
        for _ in range(members_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("memberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("clientId")
            members_client_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("clientHost")
            members_client_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            members_rebalance_timeout, members_session_timeout = _read_ii(buf, pos)
            pos += 8
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("subscription")
            members_subscription = buf[pos : pos + n]
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("assignment")
            members_assignment = buf[pos : pos + n]
            pos += n
            members.append(MemberMetadata(members_member_id, None, members_client_id, members_client_host, members_rebalance_timeout, members_session_timeout, members_subscription, members_assignment))
        message = GroupMetadataValue(protocol_type, generation, protocol, leader, current_state_timestamp, members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_group_metadata_value_v2(out: bytearray, m: GroupMetadataValue) -> None:
    try:
        text = m.protocol_type.encode()
        out += _write_h(len(text))
        out += text
        out += _write_i(m.generation)
        protocol = m.protocol
        if protocol is None:
            out += _write_h(-1)
        else:
            text = protocol.encode()
            out += _write_h(len(text))
            out += text
        leader = m.leader
        if leader is None:
            out += _write_h(-1)
        else:
            text = leader.encode()
            out += _write_h(len(text))
            out += text
        out += _write_q(m.current_state_timestamp)
        members = m.members
        out += _write_i(len(members))
        for members_item in members:
            text = members_item.member_id.encode()
            out += _write_h(len(text))
            out += text
            text = members_item.client_id.encode()
            out += _write_h(len(text))
            out += text
            text = members_item.client_host.encode()
            out += _write_h(len(text))
            out += text
            out += _write_ii(members_item.rebalance_timeout, members_item.session_timeout)
            members_subscription = members_item.subscription
            out += _write_i(len(members_subscription))
            out += members_subscription
            members_assignment = members_item.assignment
            out += _write_i(len(members_assignment))
            out += members_assignment
    except UNFIT as error:
        raise unfit("GroupMetadataValue", error) from error


def decode_group_metadata_value_v3(buf: bytes, pos: int, end: int) -> tuple[GroupMetadataValue, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("protocolType")
        protocol_type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation, = _read_i(buf, pos)
        pos += 4
        n = _read_h(buf, pos)[0]
        pos += 2
        protocol: str | None = None
        if n >= 0:
            protocol = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        leader: str | None = None
        if n >= 0:
            leader = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        current_state_timestamp, = _read_q(buf, pos)
        pos += 8
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("members", n, pos, end)
        members: list[MemberMetadata] = []
        members_count = n
        for _ in range(members_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("memberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            members_group_instance_id: str | None = None
            if n >= 0:
                members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("clientId")
            members_client_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("clientHost")
            members_client_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            members_rebalance_timeout, members_session_timeout = _read_ii(buf, pos)
            pos += 8
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("subscription")
            members_subscription = buf[pos : pos + n]
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("assignment")
            members_assignment = buf[pos : pos + n]
            pos += n
            members.append(MemberMetadata(members_member_id, members_group_instance_id, members_client_id, members_client_host, members_rebalance_timeout, members_session_timeout, members_subscription, members_assignment))
        message = GroupMetadataValue(protocol_type, generation, protocol, leader, current_state_timestamp, members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_group_metadata_value_v3(out: bytearray, m: GroupMetadataValue) -> None:
    try:
        text = m.protocol_type.encode()
        out += _write_h(len(text))
        out += text
        out += _write_i(m.generation)
        protocol = m.protocol
        if protocol is None:
            out += _write_h(-1)
        else:
            text = protocol.encode()
            out += _write_h(len(text))
            out += text
        leader = m.leader
        if leader is None:
            out += _write_h(-1)
        else:
            text = leader.encode()
            out += _write_h(len(text))
            out += text
        out += _write_q(m.current_state_timestamp)
        members = m.members
        out += _write_i(len(members))
        for members_item in members:
            text = members_item.member_id.encode()
            out += _write_h(len(text))
            out += text
            members_group_instance_id = members_item.group_instance_id
            if members_group_instance_id is None:
                out += _write_h(-1)
            else:
                text = members_group_instance_id.encode()
                out += _write_h(len(text))
                out += text
            text = members_item.client_id.encode()
            out += _write_h(len(text))
            out += text
            text = members_item.client_host.encode()
            out += _write_h(len(text))
            out += text
            out += _write_ii(members_item.rebalance_timeout, members_item.session_timeout)
            members_subscription = members_item.subscription
            out += _write_i(len(members_subscription))
            out += members_subscription
            members_assignment = members_item.assignment
            out += _write_i(len(members_assignment))
            out += members_assignment
    except UNFIT as error:
        raise unfit("GroupMetadataValue", error) from error


def decode_group_metadata_value_v4(buf: bytes, pos: int, end: int) -> tuple[GroupMetadataValue, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "protocolType")
        if n < 0:
            raise null("protocolType")
        protocol_type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        generation, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "protocol")
        protocol: str | None = None
        if n >= 0:
            protocol = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "leader")
        leader: str | None = None
        if n >= 0:
            leader = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        current_state_timestamp, = _read_q(buf, pos)
        pos += 8
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("members", n, pos, end)
        members: list[MemberMetadata] = []
        members_count = n
        for _ in range(members_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "memberId")
            if n < 0:
                raise null("memberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "groupInstanceId")
            members_group_instance_id: str | None = None
            if n >= 0:
                members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "clientId")
            if n < 0:
                raise null("clientId")
            members_client_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "clientHost")
            if n < 0:
                raise null("clientHost")
            members_client_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            members_rebalance_timeout, members_session_timeout = _read_ii(buf, pos)
            pos += 8
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if n < 0:
                raise null("subscription")
            members_subscription = buf[pos : pos + n]
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if n < 0:
                raise null("assignment")
            members_assignment = buf[pos : pos + n]
            pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            members.append(MemberMetadata(members_member_id, members_group_instance_id, members_client_id, members_client_host, members_rebalance_timeout, members_session_timeout, members_subscription, members_assignment))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = GroupMetadataValue(protocol_type, generation, protocol, leader, current_state_timestamp, members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_group_metadata_value_v4(out: bytearray, m: GroupMetadataValue) -> None:
    try:
        text = m.protocol_type.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "protocolType")
        out += text
        out += _write_i(m.generation)
        protocol = m.protocol
        if protocol is None:
            out.append(0)
        else:
            text = protocol.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "protocol")
            out += text
        leader = m.leader
        if leader is None:
            out.append(0)
        else:
            text = leader.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "leader")
            out += text
        out += _write_q(m.current_state_timestamp)
        members = m.members
        n = len(members) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for members_item in members:
            text = members_item.member_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "memberId")
            out += text
            members_group_instance_id = members_item.group_instance_id
            if members_group_instance_id is None:
                out.append(0)
            else:
                text = members_group_instance_id.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "groupInstanceId")
                out += text
            text = members_item.client_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "clientId")
            out += text
            text = members_item.client_host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "clientHost")
            out += text
            out += _write_ii(members_item.rebalance_timeout, members_item.session_timeout)
            members_subscription = members_item.subscription
            n = len(members_subscription) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += members_subscription
            members_assignment = members_item.assignment
            n = len(members_assignment) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += members_assignment
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("GroupMetadataValue", error) from error

GroupMetadataValue.DECODERS = {
    0: decode_group_metadata_value_v0,
    1: decode_group_metadata_value_v1,
    2: decode_group_metadata_value_v2,
    3: decode_group_metadata_value_v3,
    4: decode_group_metadata_value_v4,
}

GroupMetadataValue.ENCODERS = {
    0: encode_group_metadata_value_v0,
    1: encode_group_metadata_value_v1,
    2: encode_group_metadata_value_v2,
    3: encode_group_metadata_value_v3,
    4: encode_group_metadata_value_v4,
}

__all__ = [
    "GroupMetadataKey", "GroupMetadataValue", "MemberMetadata",
]
