# Generated from schemas/records/LeaderChangeMessage.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, past_end, read_length, skip_tags, too_short, unfit,
    write_uvarint, wrong_count,
)

_hi = struct.Struct(">hi")
_read_hi = _hi.unpack_from
_write_hi = _hi.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iu = struct.Struct(">i16s")
_read_iu = _iu.unpack_from
_write_iu = _iu.pack


class Voter(Struct, gc=False):
    FIELDS: ClassVar = (
        ("VoterId", "voter_id", "int32", None),
        ("VoterDirectoryId", "voter_directory_id", "uuid", None),
    )
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID


class LeaderChangeMessage(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Version", "version", "int16", None),
        ("LeaderId", "leader_id", "int32", None),
        ("Voters", "voters", "[]struct", Voter),
        ("GrantingVoters", "granting_voters", "[]struct", Voter),
    )
    NAME: ClassVar = "LeaderChangeMessage"
    API_KEY: ClassVar = -1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    version: int = 0
    leader_id: int = 0
    voters: list[Voter] = []
    granting_voters: list[Voter] = []


def decode_leader_change_message_v0(buf: bytes, pos: int, end: int) -> tuple[LeaderChangeMessage, int]:
    try:
        version, leader_id = _read_hi(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Voters", n, pos, end)
        voters: list[Voter] = []
        voters_count = n
        for _ in range(voters_count):
            voters_voter_id, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            voters.append(Voter(voters_voter_id))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("GrantingVoters", n, pos, end)
        granting_voters: list[Voter] = []
        granting_voters_count = n
        for _ in range(granting_voters_count):
            granting_voters_voter_id, = _read_i(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            granting_voters.append(Voter(granting_voters_voter_id))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = LeaderChangeMessage(version, leader_id, voters, granting_voters)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_leader_change_message_v0(out: bytearray, m: LeaderChangeMessage) -> None:
    try:
        out += _write_hi(m.version, m.leader_id)
        voters = m.voters
        n = len(voters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for voters_item in voters:
            out += _write_i(voters_item.voter_id)
            out.append(0)
        granting_voters = m.granting_voters
        n = len(granting_voters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for granting_voters_item in granting_voters:
            out += _write_i(granting_voters_item.voter_id)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("LeaderChangeMessage", error) from error


def decode_leader_change_message_v1(buf: bytes, pos: int, end: int) -> tuple[LeaderChangeMessage, int]:
    try:
        version, leader_id = _read_hi(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Voters", n, pos, end)
        voters: list[Voter] = []
        voters_count = n
        for _ in range(voters_count):
            voters_voter_id, voters_voter_directory_id = _read_iu(buf, pos)
            pos += 20
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            voters.append(Voter(voters_voter_id, voters_voter_directory_id))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("GrantingVoters", n, pos, end)
        granting_voters: list[Voter] = []
        granting_voters_count = n
        for _ in range(granting_voters_count):
            granting_voters_voter_id, granting_voters_voter_directory_id = _read_iu(buf, pos)
            pos += 20
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            granting_voters.append(Voter(granting_voters_voter_id, granting_voters_voter_directory_id))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = LeaderChangeMessage(version, leader_id, voters, granting_voters)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_leader_change_message_v1(out: bytearray, m: LeaderChangeMessage) -> None:
    try:
        out += _write_hi(m.version, m.leader_id)
        voters = m.voters
        n = len(voters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for voters_item in voters:
            out += _write_iu(voters_item.voter_id, voters_item.voter_directory_id)
            out.append(0)
        granting_voters = m.granting_voters
        n = len(granting_voters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for granting_voters_item in granting_voters:
            out += _write_iu(granting_voters_item.voter_id, granting_voters_item.voter_directory_id)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("LeaderChangeMessage", error) from error

LeaderChangeMessage.DECODERS = {
    0: decode_leader_change_message_v0,
    1: decode_leader_change_message_v1,
}

LeaderChangeMessage.ENCODERS = {
    0: encode_leader_change_message_v0,
    1: encode_leader_change_message_v1,
}

__all__ = [
    "LeaderChangeMessage", "Voter",
]
