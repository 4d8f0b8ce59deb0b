# Generated from schemas/messages/EndTxnRequest.json and schemas/messages/EndTxnResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.end_txn import (
    EndTxnRequest,
    EndTxnResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    check_end,
    null,
    read_uvarint,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_ihqh = struct.Struct(">ihqh")
_read_ihqh = _ihqh.unpack_from
_write_ihqh = _ihqh.pack
_qhz = struct.Struct(">qh?")
_read_qhz = _qhz.unpack_from
_write_qhz = _qhz.pack


def decode_end_txn_request_v0_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[EndTxnRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("TransactionalId")
        transactional_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        producer_id, producer_epoch, committed = _read_qhz(buf, pos)
        pos += 11
        message = EndTxnRequest(transactional_id, producer_id, producer_epoch, committed)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_end_txn_request_v3_v5(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[EndTxnRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("TransactionalId", n)
        if n < 0:
            raise null("TransactionalId")
        transactional_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        producer_id, producer_epoch, committed = _read_qhz(buf, pos)
        pos += 11
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = EndTxnRequest(transactional_id, producer_id, producer_epoch, committed)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_end_txn_response_v0_v2(out: bytearray, m: EndTxnResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
    except UNFIT as error:
        raise unfit("EndTxnResponse", error) from error


def encode_end_txn_response_v3_v4(out: bytearray, m: EndTxnResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        out.append(0)
    except UNFIT as error:
        raise unfit("EndTxnResponse", error) from error


def encode_end_txn_response_v5(out: bytearray, m: EndTxnResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ihqh(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)
        out.append(0)
    except UNFIT as error:
        raise unfit("EndTxnResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_end_txn_request_v0_v2,
    1: decode_end_txn_request_v0_v2,
    2: decode_end_txn_request_v0_v2,
    3: decode_end_txn_request_v3_v5,
    4: decode_end_txn_request_v3_v5,
    5: decode_end_txn_request_v3_v5,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_end_txn_response_v0_v2,
    1: encode_end_txn_response_v0_v2,
    2: encode_end_txn_response_v0_v2,
    3: encode_end_txn_response_v3_v4,
    4: encode_end_txn_response_v3_v4,
    5: encode_end_txn_response_v5,
}

__all__ = ["DECODERS", "ENCODERS"]
