# Generated from schemas/messages/EndTxnRequest.json and schemas/messages/EndTxnResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_text_length, skip_tags, skip_tags_within,
    too_short, unfit, write_text_length,
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


class EndTxnRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TransactionalId", "transactional_id", "string", None),
        ("ProducerId", "producer_id", "int64", None),
        ("ProducerEpoch", "producer_epoch", "int16", None),
        ("Committed", "committed", "bool", None),
    )
    NAME: ClassVar = "EndTxnRequest"
    API_KEY: ClassVar = 26
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 5
    FLEXIBLE_FROM: ClassVar = 3
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    committed: bool = False


class EndTxnResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ProducerId", "producer_id", "int64", None),
        ("ProducerEpoch", "producer_epoch", "int16", None),
    )
    NAME: ClassVar = "EndTxnResponse"
    API_KEY: ClassVar = 26
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 5
    FLEXIBLE_FROM: ClassVar = 3
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id: int = -1
    producer_epoch: int = -1


def decode_end_txn_request_v0_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[EndTxnRequest, int]:
    try:
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
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_end_txn_request_v0_v2(out: bytearray, m: EndTxnRequest) -> None:
    try:
        text = m.transactional_id.encode()
        out += _write_h(len(text))
        out += text
        out += _write_qhz(m.producer_id, m.producer_epoch, m.committed)
    except UNFIT as error:
        raise unfit("EndTxnRequest", error) from error


def decode_end_txn_request_v3_v5(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[EndTxnRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TransactionalId")
        if n < 0:
            raise null("TransactionalId")
        transactional_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        producer_id, producer_epoch, committed = _read_qhz(buf, pos)
        pos += 11
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = EndTxnRequest(transactional_id, producer_id, producer_epoch, committed)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_end_txn_request_v3_v5(out: bytearray, m: EndTxnRequest) -> None:
    try:
        text = m.transactional_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "TransactionalId")
        out += text
        out += _write_qhz(m.producer_id, m.producer_epoch, m.committed)
        out.append(0)
    except UNFIT as error:
        raise unfit("EndTxnRequest", error) from error

EndTxnRequest.DECODERS = {
    0: decode_end_txn_request_v0_v2, 1: decode_end_txn_request_v0_v2, 2: decode_end_txn_request_v0_v2,
    3: decode_end_txn_request_v3_v5, 4: decode_end_txn_request_v3_v5, 5: decode_end_txn_request_v3_v5,
}

EndTxnRequest.ENCODERS = {
    0: encode_end_txn_request_v0_v2, 1: encode_end_txn_request_v0_v2, 2: encode_end_txn_request_v0_v2,
    3: encode_end_txn_request_v3_v5, 4: encode_end_txn_request_v3_v5, 5: encode_end_txn_request_v3_v5,
}



def decode_end_txn_response_v0_v2(buf: bytes, pos: int, end: int) -> tuple[EndTxnResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        message = EndTxnResponse(throttle_time_ms, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_end_txn_response_v0_v2(out: bytearray, m: EndTxnResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
    except UNFIT as error:
        raise unfit("EndTxnResponse", error) from error


def decode_end_txn_response_v3_v4(buf: bytes, pos: int, end: int) -> tuple[EndTxnResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = EndTxnResponse(throttle_time_ms, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_end_txn_response_v3_v4(out: bytearray, m: EndTxnResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        out.append(0)
    except UNFIT as error:
        raise unfit("EndTxnResponse", error) from error


def decode_end_txn_response_v5(buf: bytes, pos: int, end: int) -> tuple[EndTxnResponse, int]:
    try:
        throttle_time_ms, error_code, producer_id, producer_epoch = _read_ihqh(buf, pos)
        pos += 16
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = EndTxnResponse(throttle_time_ms, error_code, producer_id, producer_epoch)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_end_txn_response_v5(out: bytearray, m: EndTxnResponse) -> None:
    try:
        out += _write_ihqh(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)
        out.append(0)
    except UNFIT as error:
        raise unfit("EndTxnResponse", error) from error

EndTxnResponse.DECODERS = {
    0: decode_end_txn_response_v0_v2, 1: decode_end_txn_response_v0_v2, 2: decode_end_txn_response_v0_v2,
    3: decode_end_txn_response_v3_v4, 4: decode_end_txn_response_v3_v4,
    5: decode_end_txn_response_v5,
}

EndTxnResponse.ENCODERS = {
    0: encode_end_txn_response_v0_v2, 1: encode_end_txn_response_v0_v2, 2: encode_end_txn_response_v0_v2,
    3: encode_end_txn_response_v3_v4, 4: encode_end_txn_response_v3_v4,
    5: encode_end_txn_response_v5,
}

__all__ = [
    "EndTxnRequest", "EndTxnResponse",
]
