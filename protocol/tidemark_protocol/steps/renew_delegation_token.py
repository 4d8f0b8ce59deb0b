# Generated from schemas/messages/RenewDelegationTokenRequest.json and schemas/messages/RenewDelegationTokenResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    UNFIT,
    check_end,
    null,
    read_uvarint,
    skip_tags_in_steps,
    too_short,
    unfit,
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


def decode_renew_delegation_token_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[RenewDelegationTokenRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Hmac")
        hmac = buf[pos : pos + n]
        pos += n
        renew_period_ms, = _read_q(buf, pos)
        pos += 8
        message = RenewDelegationTokenRequest(hmac, renew_period_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_renew_delegation_token_request_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[RenewDelegationTokenRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Hmac")
        hmac = buf[pos : pos + n]
        pos += n
        renew_period_ms, = _read_q(buf, pos)
        pos += 8
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = RenewDelegationTokenRequest(hmac, renew_period_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_renew_delegation_token_response_v1(out: bytearray, m: RenewDelegationTokenResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_hqi(m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms)
    except UNFIT as error:
        raise unfit("RenewDelegationTokenResponse", error) from error


def encode_renew_delegation_token_response_v2(out: bytearray, m: RenewDelegationTokenResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_hqi(m.error_code, m.expiry_timestamp_ms, m.throttle_time_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("RenewDelegationTokenResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    1: decode_renew_delegation_token_request_v1,
    2: decode_renew_delegation_token_request_v2,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    1: encode_renew_delegation_token_response_v1,
    2: encode_renew_delegation_token_response_v2,
}

__all__ = ["DECODERS", "ENCODERS"]
