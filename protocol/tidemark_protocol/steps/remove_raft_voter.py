# Generated from schemas/messages/RemoveRaftVoterRequest.json and schemas/messages/RemoveRaftVoterResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.remove_raft_voter import (
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    check_end,
    read_uvarint,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
    write_uvarint,
)

_iu = struct.Struct(">i16s")
_read_iu = _iu.unpack_from
_write_iu = _iu.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


def decode_remove_raft_voter_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[RemoveRaftVoterRequest, int]]:
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
        voter_id, voter_directory_id = _read_iu(buf, pos)
        pos += 20
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = RemoveRaftVoterRequest(cluster_id, voter_id, voter_directory_id)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_remove_raft_voter_response_v0(out: bytearray, m: RemoveRaftVoterResponse) -> Generator[int, None, None]:
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
        raise unfit("RemoveRaftVoterResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_remove_raft_voter_request_v0,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_remove_raft_voter_response_v0,
}

__all__ = ["DECODERS", "ENCODERS"]
