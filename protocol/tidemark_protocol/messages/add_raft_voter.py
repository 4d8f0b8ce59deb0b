# Generated from schemas/messages/AddRaftVoterRequest.json and schemas/messages/AddRaftVoterResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_H = struct.Struct(">H")
_read_H = _H.unpack_from
_write_H = _H.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
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


class AddRaftVoterRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ClusterId", "cluster_id", "string", None),
        ("TimeoutMs", "timeout_ms", "int32", None),
        ("VoterId", "voter_id", "int32", None),
        ("VoterDirectoryId", "voter_directory_id", "uuid", None),
        ("Listeners", "listeners", "[]struct", Listener),
        ("AckWhenCommitted", "ack_when_committed", "bool", None),
    )
    NAME: ClassVar = "AddRaftVoterRequest"
    API_KEY: ClassVar = 80
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    cluster_id: str | None = ""
    timeout_ms: int = 0
    voter_id: int = 0
    voter_directory_id: bytes = ZERO_UUID
    listeners: list[Listener] = []
    ack_when_committed: bool = True


class AddRaftVoterResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    NAME: ClassVar = "AddRaftVoterResponse"
    API_KEY: ClassVar = 80
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""


def decode_add_raft_voter_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AddRaftVoterRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClusterId")
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        timeout_ms, voter_id, voter_directory_id = _read_iiu(buf, pos)
        pos += 24
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Listeners", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        listeners: list[Listener] = []
        listeners_count = n
        for _ in range(listeners_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            listeners_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
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
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AddRaftVoterRequest(cluster_id, timeout_ms, voter_id, voter_directory_id, listeners)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_add_raft_voter_request_v0(out: bytearray, m: AddRaftVoterRequest) -> None:
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
        out += _write_iiu(m.timeout_ms, m.voter_id, m.voter_directory_id)
        listeners = m.listeners
        n = len(listeners) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for listeners_item in listeners:
            text = listeners_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            text = listeners_item.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_H(listeners_item.port)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AddRaftVoterRequest", error) from error


def decode_add_raft_voter_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AddRaftVoterRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClusterId")
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        timeout_ms, voter_id, voter_directory_id = _read_iiu(buf, pos)
        pos += 24
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Listeners", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        listeners: list[Listener] = []
        listeners_count = n
        for _ in range(listeners_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            listeners_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
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
        ack_when_committed, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AddRaftVoterRequest(cluster_id, timeout_ms, voter_id, voter_directory_id, listeners, ack_when_committed)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_add_raft_voter_request_v1(out: bytearray, m: AddRaftVoterRequest) -> None:
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
        out += _write_iiu(m.timeout_ms, m.voter_id, m.voter_directory_id)
        listeners = m.listeners
        n = len(listeners) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for listeners_item in listeners:
            text = listeners_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            text = listeners_item.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_H(listeners_item.port)
            out.append(0)
        out += _write_z(m.ack_when_committed)
        out.append(0)
    except UNFIT as error:
        raise unfit("AddRaftVoterRequest", error) from error

AddRaftVoterRequest.DECODERS = {
    0: decode_add_raft_voter_request_v0,
    1: decode_add_raft_voter_request_v1,
}

AddRaftVoterRequest.ENCODERS = {
    0: encode_add_raft_voter_request_v0,
    1: encode_add_raft_voter_request_v1,
}



def decode_add_raft_voter_response_v0_v1(buf: bytes, pos: int, end: int) -> tuple[AddRaftVoterResponse, int]:
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
        message = AddRaftVoterResponse(throttle_time_ms, error_code, error_message)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_add_raft_voter_response_v0_v1(out: bytearray, m: AddRaftVoterResponse) -> None:
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
        raise unfit("AddRaftVoterResponse", error) from error

AddRaftVoterResponse.DECODERS = {
    0: decode_add_raft_voter_response_v0_v1, 1: decode_add_raft_voter_response_v0_v1,
}

AddRaftVoterResponse.ENCODERS = {
    0: encode_add_raft_voter_response_v0_v1, 1: encode_add_raft_voter_response_v0_v1,
}

__all__ = [
    "AddRaftVoterRequest", "AddRaftVoterResponse", "Listener",
]
