# Generated from schemas/records/QuorumStateData.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, check_count, null, past_end, read_length, read_text_length,
    skip_tags, too_short, unfit, write_text_length, write_uvarint,
)

_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iiiu = struct.Struct(">iii16s")
_read_iiiu = _iiiu.unpack_from
_write_iiiu = _iiiu.pack
_iiiq = struct.Struct(">iiiq")
_read_iiiq = _iiiq.unpack_from
_write_iiiq = _iiiq.pack


class Voter(Struct, gc=False):
    FIELDS: ClassVar = (
        ("VoterId", "voter_id", "int32", None),
    )
    voter_id: int = 0


class QuorumStateData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ClusterId", "cluster_id", "string", None),
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("VotedId", "voted_id", "int32", None),
        ("VotedDirectoryId", "voted_directory_id", "uuid", None),
        ("AppliedOffset", "applied_offset", "int64", None),
        ("CurrentVoters", "current_voters", "[]struct", Voter),
    )
    NAME: ClassVar = "QuorumStateData"
    API_KEY: ClassVar = -1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    cluster_id: str = ""
    leader_id: int = -1
    leader_epoch: int = -1
    voted_id: int = -1
    voted_directory_id: bytes = ZERO_UUID
    applied_offset: int = 0
    current_voters: list[Voter] | None = []


def decode_quorum_state_data_v0(buf: bytes, pos: int, end: int) -> tuple[QuorumStateData, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClusterId")
        if n < 0:
            raise null("ClusterId")
        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        leader_id, leader_epoch, voted_id, applied_offset = _read_iiiq(buf, pos)
        pos += 20
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        current_voters: list[Voter] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            current_voters_list: list[Voter] = []
            current_voters_count = n
            for _ in range(current_voters_count):
                current_voters_voter_id, = _read_i(buf, pos)
                pos += 4
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                current_voters_list.append(Voter(current_voters_voter_id))
            current_voters = current_voters_list
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = QuorumStateData(cluster_id, leader_id, leader_epoch, voted_id, ZERO_UUID, applied_offset, current_voters)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_quorum_state_data_v0(out: bytearray, m: QuorumStateData) -> None:
    try:
        text = m.cluster_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ClusterId")
        out += text
        out += _write_iiiq(m.leader_id, m.leader_epoch, m.voted_id, m.applied_offset)
        current_voters = m.current_voters
        if current_voters is None:
            out.append(0)
        else:
            n = len(current_voters) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for current_voters_item in current_voters:
                out += _write_i(current_voters_item.voter_id)
                out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("QuorumStateData", error) from error


def decode_quorum_state_data_v1(buf: bytes, pos: int, end: int) -> tuple[QuorumStateData, int]:
    try:
        leader_id, leader_epoch, voted_id, voted_directory_id = _read_iiiu(buf, pos)
        pos += 28
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = QuorumStateData("", leader_id, leader_epoch, voted_id, voted_directory_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_quorum_state_data_v1(out: bytearray, m: QuorumStateData) -> None:
    try:
        out += _write_iiiu(m.leader_id, m.leader_epoch, m.voted_id, m.voted_directory_id)
        out.append(0)
    except UNFIT as error:
        raise unfit("QuorumStateData", error) from error

QuorumStateData.DECODERS = {
    0: decode_quorum_state_data_v0,
    1: decode_quorum_state_data_v1,
}

QuorumStateData.ENCODERS = {
    0: encode_quorum_state_data_v0,
    1: encode_quorum_state_data_v1,
}

__all__ = [
    "QuorumStateData", "Voter",
]
