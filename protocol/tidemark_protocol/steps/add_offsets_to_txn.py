# Generated from schemas/messages/AddOffsetsToTxnRequest.json and schemas/messages/AddOffsetsToTxnResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.add_offsets_to_txn import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
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
_qh = struct.Struct(">qh")
_read_qh = _qh.unpack_from
_write_qh = _qh.pack


def decode_add_offsets_to_txn_request_v0_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[AddOffsetsToTxnRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("TransactionalId")
        transactional_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        producer_id, producer_epoch = _read_qh(buf, pos)
        pos += 10
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = AddOffsetsToTxnRequest(transactional_id, producer_id, producer_epoch, group_id)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_add_offsets_to_txn_request_v3_v4(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[AddOffsetsToTxnRequest, int]]:
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
        producer_id, producer_epoch = _read_qh(buf, pos)
        pos += 10
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("GroupId", n)
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = AddOffsetsToTxnRequest(transactional_id, producer_id, producer_epoch, group_id)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_add_offsets_to_txn_response_v0_v2(out: bytearray, m: AddOffsetsToTxnResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
    except UNFIT as error:
        raise unfit("AddOffsetsToTxnResponse", error) from error


def encode_add_offsets_to_txn_response_v3_v4(out: bytearray, m: AddOffsetsToTxnResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        out.append(0)
    except UNFIT as error:
        raise unfit("AddOffsetsToTxnResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_add_offsets_to_txn_request_v0_v2,
    1: decode_add_offsets_to_txn_request_v0_v2,
    2: decode_add_offsets_to_txn_request_v0_v2,
    3: decode_add_offsets_to_txn_request_v3_v4,
    4: decode_add_offsets_to_txn_request_v3_v4,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_add_offsets_to_txn_response_v0_v2,
    1: encode_add_offsets_to_txn_response_v0_v2,
    2: encode_add_offsets_to_txn_response_v0_v2,
    3: encode_add_offsets_to_txn_response_v3_v4,
    4: encode_add_offsets_to_txn_response_v3_v4,
}

__all__ = ["DECODERS", "ENCODERS"]
