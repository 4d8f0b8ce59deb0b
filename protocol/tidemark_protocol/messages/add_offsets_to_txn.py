# Generated from schemas/messages/AddOffsetsToTxnRequest.json and schemas/messages/AddOffsetsToTxnResponse.json. Edit that, then run make generate.

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
_qh = struct.Struct(">qh")
_read_qh = _qh.unpack_from
_write_qh = _qh.pack


class AddOffsetsToTxnRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TransactionalId", "transactional_id", "string", None),
        ("ProducerId", "producer_id", "int64", None),
        ("ProducerEpoch", "producer_epoch", "int16", None),
        ("GroupId", "group_id", "string", None),
    )
    NAME: ClassVar = "AddOffsetsToTxnRequest"
    API_KEY: ClassVar = 25
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 4
    FLEXIBLE_FROM: ClassVar = 3
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    group_id: str = ""


class AddOffsetsToTxnResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
    )
    NAME: ClassVar = "AddOffsetsToTxnResponse"
    API_KEY: ClassVar = 25
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 4
    FLEXIBLE_FROM: ClassVar = 3
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0


def decode_add_offsets_to_txn_request_v0_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AddOffsetsToTxnRequest, int]:
    try:
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
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_add_offsets_to_txn_request_v0_v2(out: bytearray, m: AddOffsetsToTxnRequest) -> None:
    try:
        text = m.transactional_id.encode()
        out += _write_h(len(text))
        out += text
        out += _write_qh(m.producer_id, m.producer_epoch)
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("AddOffsetsToTxnRequest", error) from error


def decode_add_offsets_to_txn_request_v3_v4(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AddOffsetsToTxnRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TransactionalId")
        if n < 0:
            raise null("TransactionalId")
        transactional_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        producer_id, producer_epoch = _read_qh(buf, pos)
        pos += 10
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "GroupId")
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AddOffsetsToTxnRequest(transactional_id, producer_id, producer_epoch, group_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_add_offsets_to_txn_request_v3_v4(out: bytearray, m: AddOffsetsToTxnRequest) -> None:
    try:
        text = m.transactional_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "TransactionalId")
        out += text
        out += _write_qh(m.producer_id, m.producer_epoch)
        text = m.group_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "GroupId")
        out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("AddOffsetsToTxnRequest", error) from error

AddOffsetsToTxnRequest.DECODERS = {
    0: decode_add_offsets_to_txn_request_v0_v2, 1: decode_add_offsets_to_txn_request_v0_v2,
    2: decode_add_offsets_to_txn_request_v0_v2,
    3: decode_add_offsets_to_txn_request_v3_v4, 4: decode_add_offsets_to_txn_request_v3_v4,
}

AddOffsetsToTxnRequest.ENCODERS = {
    0: encode_add_offsets_to_txn_request_v0_v2, 1: encode_add_offsets_to_txn_request_v0_v2,
    2: encode_add_offsets_to_txn_request_v0_v2,
    3: encode_add_offsets_to_txn_request_v3_v4, 4: encode_add_offsets_to_txn_request_v3_v4,
}



def decode_add_offsets_to_txn_response_v0_v2(buf: bytes, pos: int, end: int) -> tuple[AddOffsetsToTxnResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        message = AddOffsetsToTxnResponse(throttle_time_ms, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_add_offsets_to_txn_response_v0_v2(out: bytearray, m: AddOffsetsToTxnResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
    except UNFIT as error:
        raise unfit("AddOffsetsToTxnResponse", error) from error


def decode_add_offsets_to_txn_response_v3_v4(buf: bytes, pos: int, end: int) -> tuple[AddOffsetsToTxnResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = AddOffsetsToTxnResponse(throttle_time_ms, error_code)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_add_offsets_to_txn_response_v3_v4(out: bytearray, m: AddOffsetsToTxnResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        out.append(0)
    except UNFIT as error:
        raise unfit("AddOffsetsToTxnResponse", error) from error

AddOffsetsToTxnResponse.DECODERS = {
    0: decode_add_offsets_to_txn_response_v0_v2, 1: decode_add_offsets_to_txn_response_v0_v2,
    2: decode_add_offsets_to_txn_response_v0_v2,
    3: decode_add_offsets_to_txn_response_v3_v4, 4: decode_add_offsets_to_txn_response_v3_v4,
}

AddOffsetsToTxnResponse.ENCODERS = {
    0: encode_add_offsets_to_txn_response_v0_v2, 1: encode_add_offsets_to_txn_response_v0_v2,
    2: encode_add_offsets_to_txn_response_v0_v2,
    3: encode_add_offsets_to_txn_response_v3_v4, 4: encode_add_offsets_to_txn_response_v3_v4,
}

__all__ = [
    "AddOffsetsToTxnRequest", "AddOffsetsToTxnResponse",
]
