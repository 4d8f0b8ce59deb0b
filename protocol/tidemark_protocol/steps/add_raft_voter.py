# Generated from schemas/messages/AddRaftVoterRequest.json and schemas/messages/AddRaftVoterResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.add_raft_voter import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    Listener,
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


def decode_add_raft_voter_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[AddRaftVoterRequest, int]]:
    try:
        yield 1
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
        timeout_ms, voter_id, voter_directory_id = _read_iiu(buf, pos)
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
        listeners: list[Listener] = []
        listeners_count = n
        for _ in range(listeners_count):
            yield 1
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
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            listeners.append(Listener(listeners_name, listeners_host, listeners_port))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = AddRaftVoterRequest(cluster_id, timeout_ms, voter_id, voter_directory_id, listeners)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_add_raft_voter_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[AddRaftVoterRequest, int]]:
    try:
        yield 1
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
        timeout_ms, voter_id, voter_directory_id = _read_iiu(buf, pos)
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
        listeners: list[Listener] = []
        listeners_count = n
        for _ in range(listeners_count):
            yield 1
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
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            listeners.append(Listener(listeners_name, listeners_host, listeners_port))
        ack_when_committed, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = AddRaftVoterRequest(cluster_id, timeout_ms, voter_id, voter_directory_id, listeners, ack_when_committed)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_add_raft_voter_response_v0_v1(out: bytearray, m: AddRaftVoterResponse) -> Generator[int, None, None]:
    try:
        yield 1
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
                if n > TEXT_MAX + 1:
                    raise too_long("ErrorMessage", n - 1)
                write_uvarint(out, n)
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("AddRaftVoterResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_add_raft_voter_request_v0,
    1: decode_add_raft_voter_request_v1,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_add_raft_voter_response_v0_v1,
    1: encode_add_raft_voter_response_v0_v1,
}

__all__ = ["DECODERS", "ENCODERS"]
