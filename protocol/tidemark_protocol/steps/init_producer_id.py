# Generated from schemas/messages/InitProducerIdRequest.json and schemas/messages/InitProducerIdResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
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
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ihqh = struct.Struct(">ihqh")
_read_ihqh = _ihqh.unpack_from
_write_ihqh = _ihqh.pack
_ihqhqh = struct.Struct(">ihqhqh")
_read_ihqhqh = _ihqhqh.unpack_from
_write_ihqhqh = _ihqhqh.pack
_iqh = struct.Struct(">iqh")
_read_iqh = _iqh.unpack_from
_write_iqh = _iqh.pack
_iqhzz = struct.Struct(">iqh??")
_read_iqhzz = _iqhzz.unpack_from
_write_iqhzz = _iqhzz.pack


def decode_init_producer_id_request_v0_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[InitProducerIdRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        transactional_id: str | None = None
        if n >= 0:
            transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        transaction_timeout_ms, = _read_i(buf, pos)
        pos += 4
        message = InitProducerIdRequest(transactional_id, transaction_timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_init_producer_id_request_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[InitProducerIdRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("TransactionalId", n)
        transactional_id: str | None = None
        if n >= 0:
            transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        transaction_timeout_ms, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = InitProducerIdRequest(transactional_id, transaction_timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_init_producer_id_request_v3_v5(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[InitProducerIdRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("TransactionalId", n)
        transactional_id: str | None = None
        if n >= 0:
            transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        transaction_timeout_ms, producer_id, producer_epoch = _read_iqh(buf, pos)
        pos += 14
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = InitProducerIdRequest(transactional_id, transaction_timeout_ms, producer_id, producer_epoch)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_init_producer_id_request_v6(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[InitProducerIdRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("TransactionalId", n)
        transactional_id: str | None = None
        if n >= 0:
            transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        transaction_timeout_ms, producer_id, producer_epoch, enable2_pc, keep_prepared_txn = _read_iqhzz(buf, pos)
        pos += 16
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = InitProducerIdRequest(transactional_id, transaction_timeout_ms, producer_id, producer_epoch, enable2_pc, keep_prepared_txn)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_init_producer_id_response_v0_v1(out: bytearray, m: InitProducerIdResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ihqh(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)
    except UNFIT as error:
        raise unfit("InitProducerIdResponse", error) from error


def encode_init_producer_id_response_v2_v5(out: bytearray, m: InitProducerIdResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ihqh(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)
        out.append(0)
    except UNFIT as error:
        raise unfit("InitProducerIdResponse", error) from error


def encode_init_producer_id_response_v6(out: bytearray, m: InitProducerIdResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ihqhqh(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch, m.ongoing_txn_producer_id, m.ongoing_txn_producer_epoch)
        out.append(0)
    except UNFIT as error:
        raise unfit("InitProducerIdResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_init_producer_id_request_v0_v1,
    1: decode_init_producer_id_request_v0_v1,
    2: decode_init_producer_id_request_v2,
    3: decode_init_producer_id_request_v3_v5,
    4: decode_init_producer_id_request_v3_v5,
    5: decode_init_producer_id_request_v3_v5,
    6: decode_init_producer_id_request_v6,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_init_producer_id_response_v0_v1,
    1: encode_init_producer_id_response_v0_v1,
    2: encode_init_producer_id_response_v2_v5,
    3: encode_init_producer_id_response_v2_v5,
    4: encode_init_producer_id_response_v2_v5,
    5: encode_init_producer_id_response_v2_v5,
    6: encode_init_producer_id_response_v6,
}

__all__ = ["DECODERS", "ENCODERS"]
