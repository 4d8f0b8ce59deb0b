# Generated from schemas/messages/UpdateRaftVoterRequest.json and schemas/messages/UpdateRaftVoterResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct, field

from tidemark_protocol.wire import (
    Decoder,
    Encoder,
    SHORT,
    TEXT_MAX,
    UNBOUNDED,
    UNFIT,
    ZERO_UUID,
    check_count,
    null,
    past_end,
    read_uvarint,
    skip_tag,
    skip_tags,
    skip_tags_within,
    too_long,
    too_many,
    too_short,
    unfit,
    write_tags,
    write_uvarint,
)

_H = struct.Struct(">H")
_read_H = _H.unpack_from
_write_H = _H.pack
_hh = struct.Struct(">hh")
_read_hh = _hh.unpack_from
_write_hh = _hh.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack
_iiu = struct.Struct(">ii16s")
_read_iiu = _iiu.unpack_from
_write_iiu = _iiu.pack


class Listener(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Host", "host", "string", None),
        ("Port", "port", "uint16", None),
    )
    name: str = ""
    host: str = ""
    port: int = 0


class KRaftVersionFeature(Struct, gc=False):
    FIELDS: ClassVar = (
        ("MinSupportedVersion", "min_supported_version", "int16", None),
        ("MaxSupportedVersion", "max_supported_version", "int16", None),
    )
    min_supported_version: int = 0
    max_supported_version: int = 0


class UpdateRaftVoterRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ClusterId", "cluster_id", "string", None),
        ("CurrentLeaderEpoch", "current_leader_epoch", "int32", None),
        ("VoterId", "voter_id", "int32", None),
        ("VoterDirectoryId", "voter_directory_id", "uuid", None),
        ("Listeners", "listeners", "[]struct", Listener),
        ("KRaftVersionFeature", "k_raft_version_feature", "struct", KRaftVersionFeature),
    )
    NAME: ClassVar = "UpdateRaftVoterRequest"
    API_KEY: ClassVar = 82
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    cluster_id: str | None = ""
    current_leader_epoch: int = 0
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID
    listeners: list[Listener] = []
    k_raft_version_feature: KRaftVersionFeature = field(default_factory=KRaftVersionFeature)


class CurrentLeader(Struct, gc=False):
    FIELDS: ClassVar = (
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("Host", "host", "string", None),
        ("Port", "port", "int32", None),
    )
    leader_id: int = -1
    leader_epoch: int = -1
    host: str = ""
    port: int = 0


class UpdateRaftVoterResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("CurrentLeader", "current_leader", "tagged struct", CurrentLeader),
    )
    NAME: ClassVar = "UpdateRaftVoterResponse"
    API_KEY: ClassVar = 82
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    current_leader: CurrentLeader | None = None


def decode_update_raft_voter_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[UpdateRaftVoterRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ClusterId", n)
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        current_leader_epoch, voter_id, voter_directory_id = _read_iiu(buf, pos)
        pos += 24
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Listeners")
        if n > end - pos:
            check_count(n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        listeners: list[Listener] = []
        listeners_count = n
        for _ in range(listeners_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Name", n)
            if n < 0:
                raise null("Name")
            listeners_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Host", n)
            if n < 0:
                raise null("Host")
            listeners_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            listeners_port, = _read_H(buf, pos)
            pos += 2
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            listeners.append(Listener(listeners_name, listeners_host, listeners_port))
        k_raft_version_feature_min_supported_version, k_raft_version_feature_max_supported_version = _read_hh(buf, pos)
        pos += 4
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        k_raft_version_feature = KRaftVersionFeature(k_raft_version_feature_min_supported_version, k_raft_version_feature_max_supported_version)
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = UpdateRaftVoterRequest(cluster_id, current_leader_epoch, voter_id, voter_directory_id, listeners, k_raft_version_feature)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_update_raft_voter_request_v0(out: bytearray, m: UpdateRaftVoterRequest) -> None:
    try:
        cluster_id = m.cluster_id
        if cluster_id is None:
            out.append(0)
        else:
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ClusterId", n - 1)
                write_uvarint(out, n)
            out += text
        out += _write_iiu(m.current_leader_epoch, m.voter_id, m.voter_directory_id)
        listeners = m.listeners
        n = len(listeners) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for listeners_item in listeners:
            listeners_name = listeners_item.name
            text = listeners_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Name", n - 1)
                write_uvarint(out, n)
            out += text
            listeners_host = listeners_item.host
            text = listeners_host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Host", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_H(listeners_item.port)
            out.append(0)
        k_raft_version_feature = m.k_raft_version_feature
        out += _write_hh(k_raft_version_feature.min_supported_version, k_raft_version_feature.max_supported_version)
        out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("UpdateRaftVoterRequest", error) from error

UpdateRaftVoterRequest.DECODERS = {
    0: decode_update_raft_voter_request_v0,
}

UpdateRaftVoterRequest.ENCODERS = {
    0: encode_update_raft_voter_request_v0,
}



def decode_update_raft_voter_response_v0(buf: bytes, pos: int, end: int) -> tuple[UpdateRaftVoterResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        current_leader: CurrentLeader | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_uvarint(buf, pos - 1)
            if tag_count > end - pos:
                check_count(tag_count, pos, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    current_leader_leader_id, current_leader_leader_epoch = _read_ii(buf, pos)
                    pos += 8
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_uvarint(buf, pos - 1)
                        n -= 1
                        if n > TEXT_MAX:
                            raise too_long("Host", n)
                    if n < 0:
                        raise null("Host")
                    current_leader_host = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    current_leader_port, = _read_i(buf, pos)
                    pos += 4
                    if buf[pos]:
                        pos = skip_tags(buf, pos, end)
                    else:
                        pos += 1
                    current_leader = CurrentLeader(current_leader_leader_id, current_leader_leader_epoch, current_leader_host, current_leader_port)
                else:
                    pos = skip_tag(buf, pos, end)
        message = UpdateRaftVoterResponse(throttle_time_ms, error_code, current_leader)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_update_raft_voter_response_v0(out: bytearray, m: UpdateRaftVoterResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        tags: list[tuple[int, bytearray]] = []
        if m.current_leader is not None and m.current_leader != CurrentLeader():
            outer = out
            out = bytearray()
            current_leader = m.current_leader
            if current_leader is None:
                raise null("CurrentLeader")
            out += _write_ii(current_leader.leader_id, current_leader.leader_epoch)
            current_leader_host = current_leader.host
            text = current_leader_host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Host", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_i(current_leader.port)
            out.append(0)
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("UpdateRaftVoterResponse", error) from error

UpdateRaftVoterResponse.DECODERS = {
    0: decode_update_raft_voter_response_v0,
}

UpdateRaftVoterResponse.ENCODERS = {
    0: encode_update_raft_voter_response_v0,
}

__all__ = [
    "CurrentLeader",
    "KRaftVersionFeature",
    "Listener",
    "UpdateRaftVoterRequest",
    "UpdateRaftVoterResponse",
]
