# Generated from schemas/messages/RemoveRaftVoterRequest.json and schemas/messages/RemoveRaftVoterResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, past_end, read_text_length, skip_tags,
    skip_tags_within, too_short, unfit, write_text_length,
)

_iu = struct.Struct(">i16s")
_read_iu = _iu.unpack_from
_write_iu = _iu.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class RemoveRaftVoterRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ClusterId", "cluster_id", "string", None),
        ("VoterId", "voter_id", "int32", None),
        ("VoterDirectoryId", "voter_directory_id", "uuid", None),
    )
    NAME: ClassVar = "RemoveRaftVoterRequest"
    API_KEY: ClassVar = 81
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    cluster_id: str | None = ""
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID


class RemoveRaftVoterResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    NAME: ClassVar = "RemoveRaftVoterResponse"
    API_KEY: ClassVar = 81
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""


def decode_remove_raft_voter_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[RemoveRaftVoterRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClusterId")
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        voter_id, voter_directory_id = _read_iu(buf, pos)
        pos += 20
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = RemoveRaftVoterRequest(cluster_id, voter_id, voter_directory_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_remove_raft_voter_request_v0(out: bytearray, m: RemoveRaftVoterRequest) -> None:
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
                write_text_length(out, n, "ClusterId")
            out += text
        out += _write_iu(m.voter_id, m.voter_directory_id)
        out.append(0)
    except UNFIT as error:
        raise unfit("RemoveRaftVoterRequest", error) from error

RemoveRaftVoterRequest.DECODERS = {
    0: decode_remove_raft_voter_request_v0,
}

RemoveRaftVoterRequest.ENCODERS = {
    0: encode_remove_raft_voter_request_v0,
}



def decode_remove_raft_voter_response_v0(buf: bytes, pos: int, end: int) -> tuple[RemoveRaftVoterResponse, int]:
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
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = RemoveRaftVoterResponse(throttle_time_ms, error_code, error_message)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_remove_raft_voter_response_v0(out: bytearray, m: RemoveRaftVoterResponse) -> None:
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
        out.append(0)
    except UNFIT as error:
        raise unfit("RemoveRaftVoterResponse", error) from error

RemoveRaftVoterResponse.DECODERS = {
    0: decode_remove_raft_voter_response_v0,
}

RemoveRaftVoterResponse.ENCODERS = {
    0: encode_remove_raft_voter_response_v0,
}

__all__ = [
    "RemoveRaftVoterRequest", "RemoveRaftVoterResponse",
]
