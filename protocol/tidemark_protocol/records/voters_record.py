# Generated from schemas/records/VotersRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct, field

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, null, past_end, read_length, read_text_length, skip_tags,
    too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_H = struct.Struct(">H")
_read_H = _H.unpack_from
_write_H = _H.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_hh = struct.Struct(">hh")
_read_hh = _hh.unpack_from
_write_hh = _hh.pack
_iu = struct.Struct(">i16s")
_read_iu = _iu.unpack_from
_write_iu = _iu.pack


class Endpoint(Struct, gc=False):
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


class Voter(Struct, gc=False):
    FIELDS: ClassVar = (
        ("VoterId", "voter_id", "int32", None),
        ("VoterDirectoryId", "voter_directory_id", "uuid", None),
        ("Endpoints", "endpoints", "[]struct", Endpoint),
        ("KRaftVersionFeature", "k_raft_version_feature", "struct", KRaftVersionFeature),
    )
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID
    endpoints: list[Endpoint] = []
    k_raft_version_feature: KRaftVersionFeature = field(default_factory=KRaftVersionFeature)


class VotersRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Version", "version", "int16", None),
        ("Voters", "voters", "[]struct", Voter),
    )
    NAME: ClassVar = "VotersRecord"
    API_KEY: ClassVar = -1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    version: int = 0
    voters: list[Voter] = []


def decode_voters_record_v0(buf: bytes, pos: int, end: int) -> tuple[VotersRecord, int]:
    try:
        version, = _read_h(buf, pos)
        pos += 2
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
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Endpoints", n, pos, end)
            voters_endpoints: list[Endpoint] = []
            voters_endpoints_count = n
            for _ in range(voters_endpoints_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                voters_endpoints_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Host")
                if n < 0:
                    raise null("Host")
                voters_endpoints_host = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                voters_endpoints_port, = _read_H(buf, pos)
                pos += 2
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                voters_endpoints.append(Endpoint(voters_endpoints_name, voters_endpoints_host, voters_endpoints_port))
            voters_k_raft_version_feature_min_supported_version, voters_k_raft_version_feature_max_supported_version = _read_hh(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            voters_k_raft_version_feature = KRaftVersionFeature(voters_k_raft_version_feature_min_supported_version, voters_k_raft_version_feature_max_supported_version)
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            voters.append(Voter(voters_voter_id, voters_voter_directory_id, voters_endpoints, voters_k_raft_version_feature))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = VotersRecord(version, voters)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_voters_record_v0(out: bytearray, m: VotersRecord) -> None:
    try:
        out += _write_h(m.version)
        voters = m.voters
        n = len(voters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for voters_item in voters:
            out += _write_iu(voters_item.voter_id, voters_item.voter_directory_id)
            voters_endpoints = voters_item.endpoints
            n = len(voters_endpoints) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for voters_endpoints_item in voters_endpoints:
                text = voters_endpoints_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                text = voters_endpoints_item.host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Host")
                out += text
                out += _write_H(voters_endpoints_item.port)
                out.append(0)
            voters_k_raft_version_feature = voters_item.k_raft_version_feature
            out += _write_hh(voters_k_raft_version_feature.min_supported_version, voters_k_raft_version_feature.max_supported_version)
            out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("VotersRecord", error) from error

VotersRecord.DECODERS = {
    0: decode_voters_record_v0,
}

VotersRecord.ENCODERS = {
    0: encode_voters_record_v0,
}

__all__ = [
    "Endpoint", "KRaftVersionFeature", "Voter", "VotersRecord",
]
