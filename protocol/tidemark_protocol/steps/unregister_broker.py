# Generated from schemas/messages/UnregisterBrokerRequest.json and schemas/messages/UnregisterBrokerResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.unregister_broker import (
    UnregisterBrokerRequest,
    UnregisterBrokerResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    check_end,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
    write_uvarint,
)

_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


def decode_unregister_broker_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[UnregisterBrokerRequest, int]]:
    try:
        yield 1
        broker_id, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = UnregisterBrokerRequest(broker_id)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_unregister_broker_response_v0(out: bytearray, m: UnregisterBrokerResponse) -> Generator[int, None, None]:
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
        raise unfit("UnregisterBrokerResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_unregister_broker_request_v0,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_unregister_broker_response_v0,
}

__all__ = ["DECODERS", "ENCODERS"]
