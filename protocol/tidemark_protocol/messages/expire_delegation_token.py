# Generated from schemas/messages/ExpireDelegationTokenRequest.json and schemas/messages/ExpireDelegationTokenResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, skip_tags, skip_tags_within,
    too_short, unfit, write_uvarint,
)

_hqi = struct.Struct(">hqi")
_read_hqi = _hqi.unpack_from
_write_hqi = _hqi.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack


class ExpireDelegationTokenRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Hmac", "hmac", "bytes", None),
        ("ExpiryTimePeriodMs", "expiry_time_period_ms", "int64", None),
    )
    NAME: ClassVar = "ExpireDelegationTokenRequest"
    API_KEY: ClassVar = 40
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    hmac: bytes = b""
    expiry_time_period_ms: int = 0


class ExpireDelegationTokenResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("ExpiryTimestampMs", "expiry_timestamp_ms", "int64", None),
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
    )
    NAME: ClassVar = "ExpireDelegationTokenResponse"
    API_KEY: ClassVar = 40
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    error_code: int = 0
    expiry_timestamp_ms: int = 0
    throttle_time_ms: int = 0


def decode_expire_delegation_token_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ExpireDelegationTokenRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Hmac")
        hmac = buf[pos : pos + n]
        pos += n
        expiry_time_period_ms, = _read_q(buf, pos)
        pos += 8
        message = ExpireDelegationTokenRequest(hmac, expiry_time_period_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_expire_delegation_token_request_v1(out: bytearray, m: ExpireDelegationTokenRequest) -> None:
    try:
        hmac = m.hmac
        out += _write_i(len(hmac))
        out += hmac
        out += _write_q(m.expiry_time_period_ms)
    except UNFIT as error:
        raise unfit("ExpireDelegationTokenRequest", error) from error


def decode_expire_delegation_token_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ExpireDelegationTokenRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if n < 0:
            raise null("Hmac")
        hmac = buf[pos : pos + n]
        pos += n
        expiry_time_period_ms, = _read_q(buf, pos)
        pos += 8
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ExpireDelegationTokenRequest(hmac, expiry_time_period_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_expire_delegation_token_request_v2(out: bytearray, m: ExpireDelegationTokenRequest) -> None:
    try:
        hmac = m.hmac
        n = len(hmac) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += hmac
        out += _write_q(m.expiry_time_period_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("ExpireDelegationTokenRequest", error) from error

ExpireDelegationTokenRequest.DECODERS = {
    1: decode_expire_delegation_token_request_v1,
    2: decode_expire_delegation_token_request_v2,
}

ExpireDelegationTokenRequest.ENCODERS = {
    1: encode_expire_delegation_token_request_v1,
    2: encode_expire_delegation_token_request_v2,
}



def decode_expire_delegation_token_response_v1(buf: bytes, pos: int, end: int) -> tuple[ExpireDelegationTokenResponse, int]:
    try:
        error_code, expiry_timestamp_ms, throttle_time_ms = _read_hqi(buf, pos)
        pos += 14
        message = ExpireDelegationTokenResponse(error_code, expiry_timestamp_ms, throttle_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_expire_delegation_token_response_v1(out: bytearray, m: ExpireDelegationTokenResponse) -> None:
    try:
        out += _write_hqi(m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms)
    except UNFIT as error:
        raise unfit("ExpireDelegationTokenResponse", error) from error


def decode_expire_delegation_token_response_v2(buf: bytes, pos: int, end: int) -> tuple[ExpireDelegationTokenResponse, int]:
    try:
        error_code, expiry_timestamp_ms, throttle_time_ms = _read_hqi(buf, pos)
        pos += 14
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ExpireDelegationTokenResponse(error_code, expiry_timestamp_ms, throttle_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_expire_delegation_token_response_v2(out: bytearray, m: ExpireDelegationTokenResponse) -> None:
    try:
        out += _write_hqi(m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("ExpireDelegationTokenResponse", error) from error

ExpireDelegationTokenResponse.DECODERS = {
    1: decode_expire_delegation_token_response_v1,
    2: decode_expire_delegation_token_response_v2,
}

ExpireDelegationTokenResponse.ENCODERS = {
    1: encode_expire_delegation_token_response_v1,
    2: encode_expire_delegation_token_response_v2,
}

__all__ = [
    "ExpireDelegationTokenRequest", "ExpireDelegationTokenResponse",
]
