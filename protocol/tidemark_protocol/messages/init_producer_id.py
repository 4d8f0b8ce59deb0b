# Generated from schemas/messages/InitProducerIdRequest.json and schemas/messages/InitProducerIdResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, past_end, read_text_length, skip_tags, skip_tags_within,
    too_short, unfit, write_text_length,
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


class InitProducerIdRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TransactionalId", "transactional_id", "string", None),
        ("TransactionTimeoutMs", "transaction_timeout_ms", "int32", None),
        ("ProducerId", "producer_id", "int64", None),
        ("ProducerEpoch", "producer_epoch", "int16", None),
        ("Enable2Pc", "enable2_pc", "bool", None),
        ("KeepPreparedTxn", "keep_prepared_txn", "bool", None),
    )
    NAME: ClassVar = "InitProducerIdRequest"
    API_KEY: ClassVar = 22
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 6
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    transactional_id: str | None = ""
    transaction_timeout_ms: int = 0
    producer_id: int = -1
    producer_epoch: int = -1
    enable2_pc: bool = False
    keep_prepared_txn: bool = False


class InitProducerIdResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ProducerId", "producer_id", "int64", None),
        ("ProducerEpoch", "producer_epoch", "int16", None),
        ("OngoingTxnProducerId", "ongoing_txn_producer_id", "int64", None),
        ("OngoingTxnProducerEpoch", "ongoing_txn_producer_epoch", "int16", None),
    )
    NAME: ClassVar = "InitProducerIdResponse"
    API_KEY: ClassVar = 22
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 6
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id: int = -1
    producer_epoch: int = 0
    ongoing_txn_producer_id: int = -1
    ongoing_txn_producer_epoch: int = -1


def decode_init_producer_id_request_v0_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[InitProducerIdRequest, int]:
    try:
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
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_init_producer_id_request_v0_v1(out: bytearray, m: InitProducerIdRequest) -> None:
    try:
        transactional_id = m.transactional_id
        if transactional_id is None:
            out += _write_h(-1)
        else:
            text = transactional_id.encode()
            out += _write_h(len(text))
            out += text
        out += _write_i(m.transaction_timeout_ms)
    except UNFIT as error:
        raise unfit("InitProducerIdRequest", error) from error


def decode_init_producer_id_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[InitProducerIdRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TransactionalId")
        transactional_id: str | None = None
        if n >= 0:
            transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        transaction_timeout_ms, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = InitProducerIdRequest(transactional_id, transaction_timeout_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_init_producer_id_request_v2(out: bytearray, m: InitProducerIdRequest) -> None:
    try:
        transactional_id = m.transactional_id
        if transactional_id is None:
            out.append(0)
        else:
            text = transactional_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TransactionalId")
            out += text
        out += _write_i(m.transaction_timeout_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("InitProducerIdRequest", error) from error


def decode_init_producer_id_request_v3_v5(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[InitProducerIdRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TransactionalId")
        transactional_id: str | None = None
        if n >= 0:
            transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        transaction_timeout_ms, producer_id, producer_epoch = _read_iqh(buf, pos)
        pos += 14
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = InitProducerIdRequest(transactional_id, transaction_timeout_ms, producer_id, producer_epoch)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_init_producer_id_request_v3_v5(out: bytearray, m: InitProducerIdRequest) -> None:
    try:
        transactional_id = m.transactional_id
        if transactional_id is None:
            out.append(0)
        else:
            text = transactional_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TransactionalId")
            out += text
        out += _write_iqh(m.transaction_timeout_ms, m.producer_id, m.producer_epoch)
        out.append(0)
    except UNFIT as error:
        raise unfit("InitProducerIdRequest", error) from error


def decode_init_producer_id_request_v6(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[InitProducerIdRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TransactionalId")
        transactional_id: str | None = None
        if n >= 0:
            transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        transaction_timeout_ms, producer_id, producer_epoch, enable2_pc, keep_prepared_txn = _read_iqhzz(buf, pos)
        pos += 16
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = InitProducerIdRequest(transactional_id, transaction_timeout_ms, producer_id, producer_epoch, enable2_pc, keep_prepared_txn)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_init_producer_id_request_v6(out: bytearray, m: InitProducerIdRequest) -> None:
    try:
        transactional_id = m.transactional_id
        if transactional_id is None:
            out.append(0)
        else:
            text = transactional_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TransactionalId")
            out += text
        out += _write_iqhzz(m.transaction_timeout_ms, m.producer_id, m.producer_epoch, m.enable2_pc, m.keep_prepared_txn)
        out.append(0)
    except UNFIT as error:
        raise unfit("InitProducerIdRequest", error) from error

InitProducerIdRequest.DECODERS = {
    0: decode_init_producer_id_request_v0_v1, 1: decode_init_producer_id_request_v0_v1,
    2: decode_init_producer_id_request_v2,
    3: decode_init_producer_id_request_v3_v5, 4: decode_init_producer_id_request_v3_v5,
    5: decode_init_producer_id_request_v3_v5,
    6: decode_init_producer_id_request_v6,
}

InitProducerIdRequest.ENCODERS = {
    0: encode_init_producer_id_request_v0_v1, 1: encode_init_producer_id_request_v0_v1,
    2: encode_init_producer_id_request_v2,
    3: encode_init_producer_id_request_v3_v5, 4: encode_init_producer_id_request_v3_v5,
    5: encode_init_producer_id_request_v3_v5,
    6: encode_init_producer_id_request_v6,
}



def decode_init_producer_id_response_v0_v1(buf: bytes, pos: int, end: int) -> tuple[InitProducerIdResponse, int]:
    try:
        throttle_time_ms, error_code, producer_id, producer_epoch = _read_ihqh(buf, pos)
        pos += 16
        message = InitProducerIdResponse(throttle_time_ms, error_code, producer_id, producer_epoch)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_init_producer_id_response_v0_v1(out: bytearray, m: InitProducerIdResponse) -> None:
    try:
        out += _write_ihqh(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)
    except UNFIT as error:
        raise unfit("InitProducerIdResponse", error) from error


def decode_init_producer_id_response_v2_v5(buf: bytes, pos: int, end: int) -> tuple[InitProducerIdResponse, int]:
    try:
        throttle_time_ms, error_code, producer_id, producer_epoch = _read_ihqh(buf, pos)
        pos += 16
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = InitProducerIdResponse(throttle_time_ms, error_code, producer_id, producer_epoch)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_init_producer_id_response_v2_v5(out: bytearray, m: InitProducerIdResponse) -> None:
    try:
        out += _write_ihqh(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)
        out.append(0)
    except UNFIT as error:
        raise unfit("InitProducerIdResponse", error) from error


def decode_init_producer_id_response_v6(buf: bytes, pos: int, end: int) -> tuple[InitProducerIdResponse, int]:
    try:
        throttle_time_ms, error_code, producer_id, producer_epoch, ongoing_txn_producer_id, ongoing_txn_producer_epoch = _read_ihqhqh(buf, pos)
        pos += 26
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = InitProducerIdResponse(throttle_time_ms, error_code, producer_id, producer_epoch, ongoing_txn_producer_id, ongoing_txn_producer_epoch)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_init_producer_id_response_v6(out: bytearray, m: InitProducerIdResponse) -> None:
    try:
        out += _write_ihqhqh(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch, m.ongoing_txn_producer_id, m.ongoing_txn_producer_epoch)
        out.append(0)
    except UNFIT as error:
        raise unfit("InitProducerIdResponse", error) from error

InitProducerIdResponse.DECODERS = {
    0: decode_init_producer_id_response_v0_v1, 1: decode_init_producer_id_response_v0_v1,
    2: decode_init_producer_id_response_v2_v5, 3: decode_init_producer_id_response_v2_v5,
    4: decode_init_producer_id_response_v2_v5, 5: decode_init_producer_id_response_v2_v5,
    6: decode_init_producer_id_response_v6,
}

InitProducerIdResponse.ENCODERS = {
    0: encode_init_producer_id_response_v0_v1, 1: encode_init_producer_id_response_v0_v1,
    2: encode_init_producer_id_response_v2_v5, 3: encode_init_producer_id_response_v2_v5,
    4: encode_init_producer_id_response_v2_v5, 5: encode_init_producer_id_response_v2_v5,
    6: encode_init_producer_id_response_v6,
}

__all__ = [
    "InitProducerIdRequest", "InitProducerIdResponse",
]
