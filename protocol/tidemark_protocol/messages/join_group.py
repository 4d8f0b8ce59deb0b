# Generated from schemas/messages/JoinGroupRequest.json and schemas/messages/JoinGroupResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_hi = struct.Struct(">hi")
_read_hi = _hi.unpack_from
_write_hi = _hi.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ihi = struct.Struct(">ihi")
_read_ihi = _ihi.unpack_from
_write_ihi = _ihi.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack


class JoinGroupRequestProtocol(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Metadata", "metadata", "bytes", None),
    )
    name: str = ""
    metadata: bytes = b""


class JoinGroupRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
        ("SessionTimeoutMs", "session_timeout_ms", "int32", None),
        ("RebalanceTimeoutMs", "rebalance_timeout_ms", "int32", None),
        ("MemberId", "member_id", "string", None),
        ("GroupInstanceId", "group_instance_id", "string", None),
        ("ProtocolType", "protocol_type", "string", None),
        ("Protocols", "protocols", "[]struct", JoinGroupRequestProtocol),
        ("Reason", "reason", "string", None),
    )
    NAME: ClassVar = "JoinGroupRequest"
    API_KEY: ClassVar = 11
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 9
    FLEXIBLE_FROM: ClassVar = 6
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""
    session_timeout_ms: int = 0
    rebalance_timeout_ms: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    protocol_type: str = ""
    protocols: list[JoinGroupRequestProtocol] = []
    reason: str | None = None


class JoinGroupResponseMember(Struct, gc=False):
    FIELDS: ClassVar = (
        ("MemberId", "member_id", "string", None),
        ("GroupInstanceId", "group_instance_id", "string", None),
        ("Metadata", "metadata", "bytes", None),
    )
    member_id: str = ""
    group_instance_id: str | None = None
    metadata: bytes = b""


class JoinGroupResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("GenerationId", "generation_id", "int32", None),
        ("ProtocolType", "protocol_type", "string", None),
        ("ProtocolName", "protocol_name", "string", None),
        ("Leader", "leader", "string", None),
        ("SkipAssignment", "skip_assignment", "bool", None),
        ("MemberId", "member_id", "string", None),
        ("Members", "members", "[]struct", JoinGroupResponseMember),
    )
    NAME: ClassVar = "JoinGroupResponse"
    API_KEY: ClassVar = 11
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 9
    FLEXIBLE_FROM: ClassVar = 6
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    generation_id: int = -1
    protocol_type: str | None = None
    protocol_name: str | None = ""
    leader: str = ""
    skip_assignment: bool = False
    member_id: str = ""
    members: list[JoinGroupResponseMember] = []


def decode_join_group_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[JoinGroupRequest, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        session_timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("ProtocolType")
        protocol_type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Protocols", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        protocols: list[JoinGroupRequestProtocol] = []
        protocols_count = n
        for _ in range(protocols_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            protocols_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Metadata")
            protocols_metadata = buf[pos : pos + n]
            pos += n
            protocols.append(JoinGroupRequestProtocol(protocols_name, protocols_metadata))
        message = JoinGroupRequest(group_id, session_timeout_ms, -1, member_id, None, protocol_type, protocols)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_join_group_request_v0(out: bytearray, m: JoinGroupRequest) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        out += _write_i(m.session_timeout_ms)
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
        text = m.protocol_type.encode()
        out += _write_h(len(text))
        out += text
        protocols = m.protocols
        out += _write_i(len(protocols))
        for protocols_item in protocols:
            text = protocols_item.name.encode()
            out += _write_h(len(text))
            out += text
            protocols_metadata = protocols_item.metadata
            out += _write_i(len(protocols_metadata))
            out += protocols_metadata
    except UNFIT as error:
        raise unfit("JoinGroupRequest", error) from error


def decode_join_group_request_v1_v4(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[JoinGroupRequest, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        session_timeout_ms, rebalance_timeout_ms = _read_ii(buf, pos)
        pos += 8
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("ProtocolType")
        protocol_type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Protocols", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        protocols: list[JoinGroupRequestProtocol] = []
        protocols_count = n
        for _ in range(protocols_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            protocols_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Metadata")
            protocols_metadata = buf[pos : pos + n]
            pos += n
            protocols.append(JoinGroupRequestProtocol(protocols_name, protocols_metadata))
        message = JoinGroupRequest(group_id, session_timeout_ms, rebalance_timeout_ms, member_id, None, protocol_type, protocols)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_join_group_request_v1_v4(out: bytearray, m: JoinGroupRequest) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        out += _write_ii(m.session_timeout_ms, m.rebalance_timeout_ms)
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
        text = m.protocol_type.encode()
        out += _write_h(len(text))
        out += text
        protocols = m.protocols
        out += _write_i(len(protocols))
        for protocols_item in protocols:
            text = protocols_item.name.encode()
            out += _write_h(len(text))
            out += text
            protocols_metadata = protocols_item.metadata
            out += _write_i(len(protocols_metadata))
            out += protocols_metadata
    except UNFIT as error:
        raise unfit("JoinGroupRequest", error) from error


def decode_join_group_request_v5(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[JoinGroupRequest, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        session_timeout_ms, rebalance_timeout_ms = _read_ii(buf, pos)
        pos += 8
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        group_instance_id: str | None = None
        if n >= 0:
            group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("ProtocolType")
        protocol_type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Protocols", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        protocols: list[JoinGroupRequestProtocol] = []
        protocols_count = n
        for _ in range(protocols_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            protocols_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Metadata")
            protocols_metadata = buf[pos : pos + n]
            pos += n
            protocols.append(JoinGroupRequestProtocol(protocols_name, protocols_metadata))
        message = JoinGroupRequest(group_id, session_timeout_ms, rebalance_timeout_ms, member_id, group_instance_id, protocol_type, protocols)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_join_group_request_v5(out: bytearray, m: JoinGroupRequest) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
        out += _write_ii(m.session_timeout_ms, m.rebalance_timeout_ms)
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
        group_instance_id = m.group_instance_id
        if group_instance_id is None:
            out += _write_h(-1)
        else:
            text = group_instance_id.encode()
            out += _write_h(len(text))
            out += text
        text = m.protocol_type.encode()
        out += _write_h(len(text))
        out += text
        protocols = m.protocols
        out += _write_i(len(protocols))
        for protocols_item in protocols:
            text = protocols_item.name.encode()
            out += _write_h(len(text))
            out += text
            protocols_metadata = protocols_item.metadata
            out += _write_i(len(protocols_metadata))
            out += protocols_metadata
    except UNFIT as error:
        raise unfit("JoinGroupRequest", error) from error


def decode_join_group_request_v6_v7(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[JoinGroupRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupId")
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        session_timeout_ms, rebalance_timeout_ms = _read_ii(buf, pos)
        pos += 8
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
            n, pos = read_text_length(buf, pos - 1, "ProtocolType")
        if n < 0:
            raise null("ProtocolType")
        protocol_type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Protocols", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        protocols: list[JoinGroupRequestProtocol] = []
        protocols_count = n
        for _ in range(protocols_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            protocols_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if n < 0:
                raise null("Metadata")
            protocols_metadata = buf[pos : pos + n]
            pos += n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            protocols.append(JoinGroupRequestProtocol(protocols_name, protocols_metadata))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = JoinGroupRequest(group_id, session_timeout_ms, rebalance_timeout_ms, member_id, group_instance_id, protocol_type, protocols)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_join_group_request_v6_v7(out: bytearray, m: JoinGroupRequest) -> None:
    try:
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        out += _write_ii(m.session_timeout_ms, m.rebalance_timeout_ms)
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
        text = m.protocol_type.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ProtocolType")
        out += text
        protocols = m.protocols
        n = len(protocols) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for protocols_item in protocols:
            text = protocols_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            protocols_metadata = protocols_item.metadata
            n = len(protocols_metadata) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += protocols_metadata
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("JoinGroupRequest", error) from error


def decode_join_group_request_v8_v9(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[JoinGroupRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupId")
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        session_timeout_ms, rebalance_timeout_ms = _read_ii(buf, pos)
        pos += 8
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
            n, pos = read_text_length(buf, pos - 1, "ProtocolType")
        if n < 0:
            raise null("ProtocolType")
        protocol_type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Protocols", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        protocols: list[JoinGroupRequestProtocol] = []
        protocols_count = n
        for _ in range(protocols_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            protocols_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if n < 0:
                raise null("Metadata")
            protocols_metadata = buf[pos : pos + n]
            pos += n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            protocols.append(JoinGroupRequestProtocol(protocols_name, protocols_metadata))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Reason")
        reason: str | None = None
        if n >= 0:
            reason = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = JoinGroupRequest(group_id, session_timeout_ms, rebalance_timeout_ms, member_id, group_instance_id, protocol_type, protocols, reason)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_join_group_request_v8_v9(out: bytearray, m: JoinGroupRequest) -> None:
    try:
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        out += _write_ii(m.session_timeout_ms, m.rebalance_timeout_ms)
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
        text = m.protocol_type.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ProtocolType")
        out += text
        protocols = m.protocols
        n = len(protocols) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for protocols_item in protocols:
            text = protocols_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            protocols_metadata = protocols_item.metadata
            n = len(protocols_metadata) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += protocols_metadata
            out.append(0)
        reason = m.reason
        if reason is None:
            out.append(0)
        else:
            text = reason.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Reason")
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("JoinGroupRequest", error) from error

JoinGroupRequest.DECODERS = {
    0: decode_join_group_request_v0,
    1: decode_join_group_request_v1_v4, 2: decode_join_group_request_v1_v4,
    3: decode_join_group_request_v1_v4, 4: decode_join_group_request_v1_v4,
    5: decode_join_group_request_v5,
    6: decode_join_group_request_v6_v7, 7: decode_join_group_request_v6_v7,
    8: decode_join_group_request_v8_v9, 9: decode_join_group_request_v8_v9,
}

JoinGroupRequest.ENCODERS = {
    0: encode_join_group_request_v0,
    1: encode_join_group_request_v1_v4, 2: encode_join_group_request_v1_v4,
    3: encode_join_group_request_v1_v4, 4: encode_join_group_request_v1_v4,
    5: encode_join_group_request_v5,
    6: encode_join_group_request_v6_v7, 7: encode_join_group_request_v6_v7,
    8: encode_join_group_request_v8_v9, 9: encode_join_group_request_v8_v9,
}



def decode_join_group_response_v0_v1(buf: bytes, pos: int, end: int) -> tuple[JoinGroupResponse, int]:
    try:
        error_code, generation_id = _read_hi(buf, pos)
        pos += 6
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("ProtocolName")
        protocol_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("Leader")
        leader = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Members", n, pos, end)
        members: list[JoinGroupResponseMember] = []
        members_count = n
        for _ in range(members_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("MemberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Metadata")
            members_metadata = buf[pos : pos + n]
            pos += n
            members.append(JoinGroupResponseMember(members_member_id, None, members_metadata))
        message = JoinGroupResponse(0, error_code, generation_id, None, protocol_name, leader, False, member_id, members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_join_group_response_v0_v1(out: bytearray, m: JoinGroupResponse) -> None:
    try:
        out += _write_hi(m.error_code, m.generation_id)
        protocol_name = m.protocol_name
        if protocol_name is None:
            raise null("ProtocolName")
        text = protocol_name.encode()
        out += _write_h(len(text))
        out += text
        text = m.leader.encode()
        out += _write_h(len(text))
        out += text
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
        members = m.members
        out += _write_i(len(members))
        for members_item in members:
            text = members_item.member_id.encode()
            out += _write_h(len(text))
            out += text
            members_metadata = members_item.metadata
            out += _write_i(len(members_metadata))
            out += members_metadata
    except UNFIT as error:
        raise unfit("JoinGroupResponse", error) from error


def decode_join_group_response_v2_v4(buf: bytes, pos: int, end: int) -> tuple[JoinGroupResponse, int]:
    try:
        throttle_time_ms, error_code, generation_id = _read_ihi(buf, pos)
        pos += 10
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("ProtocolName")
        protocol_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("Leader")
        leader = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Members", n, pos, end)
        members: list[JoinGroupResponseMember] = []
        members_count = n
        for _ in range(members_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("MemberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Metadata")
            members_metadata = buf[pos : pos + n]
            pos += n
            members.append(JoinGroupResponseMember(members_member_id, None, members_metadata))
        message = JoinGroupResponse(throttle_time_ms, error_code, generation_id, None, protocol_name, leader, False, member_id, members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_join_group_response_v2_v4(out: bytearray, m: JoinGroupResponse) -> None:
    try:
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
        protocol_name = m.protocol_name
        if protocol_name is None:
            raise null("ProtocolName")
        text = protocol_name.encode()
        out += _write_h(len(text))
        out += text
        text = m.leader.encode()
        out += _write_h(len(text))
        out += text
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
        members = m.members
        out += _write_i(len(members))
        for members_item in members:
            text = members_item.member_id.encode()
            out += _write_h(len(text))
            out += text
            members_metadata = members_item.metadata
            out += _write_i(len(members_metadata))
            out += members_metadata
    except UNFIT as error:
        raise unfit("JoinGroupResponse", error) from error


def decode_join_group_response_v5(buf: bytes, pos: int, end: int) -> tuple[JoinGroupResponse, int]:
    try:
        throttle_time_ms, error_code, generation_id = _read_ihi(buf, pos)
        pos += 10
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("ProtocolName")
        protocol_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("Leader")
        leader = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("MemberId")
        member_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Members", n, pos, end)
        members: list[JoinGroupResponseMember] = []
        members_count = n
        for _ in range(members_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("MemberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            members_group_instance_id: str | None = None
            if n >= 0:
                members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Metadata")
            members_metadata = buf[pos : pos + n]
            pos += n
            members.append(JoinGroupResponseMember(members_member_id, members_group_instance_id, members_metadata))
        message = JoinGroupResponse(throttle_time_ms, error_code, generation_id, None, protocol_name, leader, False, member_id, members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_join_group_response_v5(out: bytearray, m: JoinGroupResponse) -> None:
    try:
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
        protocol_name = m.protocol_name
        if protocol_name is None:
            raise null("ProtocolName")
        text = protocol_name.encode()
        out += _write_h(len(text))
        out += text
        text = m.leader.encode()
        out += _write_h(len(text))
        out += text
        text = m.member_id.encode()
        out += _write_h(len(text))
        out += text
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
            members_metadata = members_item.metadata
            out += _write_i(len(members_metadata))
            out += members_metadata
    except UNFIT as error:
        raise unfit("JoinGroupResponse", error) from error


def decode_join_group_response_v6(buf: bytes, pos: int, end: int) -> tuple[JoinGroupResponse, int]:
    try:
        throttle_time_ms, error_code, generation_id = _read_ihi(buf, pos)
        pos += 10
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ProtocolName")
        if n < 0:
            raise null("ProtocolName")
        protocol_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Leader")
        if n < 0:
            raise null("Leader")
        leader = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
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
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Members", n, pos, end)
        members: list[JoinGroupResponseMember] = []
        members_count = n
        for _ in range(members_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "MemberId")
            if n < 0:
                raise null("MemberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupInstanceId")
            members_group_instance_id: str | None = None
            if n >= 0:
                members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if n < 0:
                raise null("Metadata")
            members_metadata = buf[pos : pos + n]
            pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            members.append(JoinGroupResponseMember(members_member_id, members_group_instance_id, members_metadata))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = JoinGroupResponse(throttle_time_ms, error_code, generation_id, None, protocol_name, leader, False, member_id, members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_join_group_response_v6(out: bytearray, m: JoinGroupResponse) -> None:
    try:
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
        protocol_name = m.protocol_name
        if protocol_name is None:
            raise null("ProtocolName")
        text = protocol_name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ProtocolName")
        out += text
        text = m.leader.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Leader")
        out += text
        text = m.member_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "MemberId")
        out += text
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
                write_text_length(out, n, "MemberId")
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
                    write_text_length(out, n, "GroupInstanceId")
                out += text
            members_metadata = members_item.metadata
            n = len(members_metadata) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += members_metadata
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("JoinGroupResponse", error) from error


def decode_join_group_response_v7_v8(buf: bytes, pos: int, end: int) -> tuple[JoinGroupResponse, int]:
    try:
        throttle_time_ms, error_code, generation_id = _read_ihi(buf, pos)
        pos += 10
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ProtocolType")
        protocol_type: str | None = None
        if n >= 0:
            protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ProtocolName")
        protocol_name: str | None = None
        if n >= 0:
            protocol_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Leader")
        if n < 0:
            raise null("Leader")
        leader = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
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
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Members", n, pos, end)
        members: list[JoinGroupResponseMember] = []
        members_count = n
        for _ in range(members_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "MemberId")
            if n < 0:
                raise null("MemberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupInstanceId")
            members_group_instance_id: str | None = None
            if n >= 0:
                members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if n < 0:
                raise null("Metadata")
            members_metadata = buf[pos : pos + n]
            pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            members.append(JoinGroupResponseMember(members_member_id, members_group_instance_id, members_metadata))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = JoinGroupResponse(throttle_time_ms, error_code, generation_id, protocol_type, protocol_name, leader, False, member_id, members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_join_group_response_v7_v8(out: bytearray, m: JoinGroupResponse) -> None:
    try:
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
        protocol_type = m.protocol_type
        if protocol_type is None:
            out.append(0)
        else:
            text = protocol_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ProtocolType")
            out += text
        protocol_name = m.protocol_name
        if protocol_name is None:
            out.append(0)
        else:
            text = protocol_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ProtocolName")
            out += text
        text = m.leader.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Leader")
        out += text
        text = m.member_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "MemberId")
        out += text
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
                write_text_length(out, n, "MemberId")
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
                    write_text_length(out, n, "GroupInstanceId")
                out += text
            members_metadata = members_item.metadata
            n = len(members_metadata) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += members_metadata
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("JoinGroupResponse", error) from error


def decode_join_group_response_v9(buf: bytes, pos: int, end: int) -> tuple[JoinGroupResponse, int]:
    try:
        throttle_time_ms, error_code, generation_id = _read_ihi(buf, pos)
        pos += 10
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ProtocolType")
        protocol_type: str | None = None
        if n >= 0:
            protocol_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ProtocolName")
        protocol_name: str | None = None
        if n >= 0:
            protocol_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Leader")
        if n < 0:
            raise null("Leader")
        leader = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        skip_assignment, = _read_z(buf, pos)
        pos += 1
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
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Members", n, pos, end)
        members: list[JoinGroupResponseMember] = []
        members_count = n
        for _ in range(members_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "MemberId")
            if n < 0:
                raise null("MemberId")
            members_member_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "GroupInstanceId")
            members_group_instance_id: str | None = None
            if n >= 0:
                members_group_instance_id = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if n < 0:
                raise null("Metadata")
            members_metadata = buf[pos : pos + n]
            pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            members.append(JoinGroupResponseMember(members_member_id, members_group_instance_id, members_metadata))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = JoinGroupResponse(throttle_time_ms, error_code, generation_id, protocol_type, protocol_name, leader, skip_assignment, member_id, members)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_join_group_response_v9(out: bytearray, m: JoinGroupResponse) -> None:
    try:
        out += _write_ihi(m.throttle_time_ms, m.error_code, m.generation_id)
        protocol_type = m.protocol_type
        if protocol_type is None:
            out.append(0)
        else:
            text = protocol_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ProtocolType")
            out += text
        protocol_name = m.protocol_name
        if protocol_name is None:
            out.append(0)
        else:
            text = protocol_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ProtocolName")
            out += text
        text = m.leader.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Leader")
        out += text
        out += _write_z(m.skip_assignment)
        text = m.member_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "MemberId")
        out += text
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
                write_text_length(out, n, "MemberId")
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
                    write_text_length(out, n, "GroupInstanceId")
                out += text
            members_metadata = members_item.metadata
            n = len(members_metadata) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += members_metadata
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("JoinGroupResponse", error) from error

JoinGroupResponse.DECODERS = {
    0: decode_join_group_response_v0_v1, 1: decode_join_group_response_v0_v1,
    2: decode_join_group_response_v2_v4, 3: decode_join_group_response_v2_v4,
    4: decode_join_group_response_v2_v4,
    5: decode_join_group_response_v5,
    6: decode_join_group_response_v6,
    7: decode_join_group_response_v7_v8, 8: decode_join_group_response_v7_v8,
    9: decode_join_group_response_v9,
}

JoinGroupResponse.ENCODERS = {
    0: encode_join_group_response_v0_v1, 1: encode_join_group_response_v0_v1,
    2: encode_join_group_response_v2_v4, 3: encode_join_group_response_v2_v4,
    4: encode_join_group_response_v2_v4,
    5: encode_join_group_response_v5,
    6: encode_join_group_response_v6,
    7: encode_join_group_response_v7_v8, 8: encode_join_group_response_v7_v8,
    9: encode_join_group_response_v9,
}

__all__ = [
    "JoinGroupRequest", "JoinGroupRequestProtocol", "JoinGroupResponse", "JoinGroupResponseMember",
]
