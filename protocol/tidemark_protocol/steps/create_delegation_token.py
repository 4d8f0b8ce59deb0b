# Generated from schemas/messages/CreateDelegationTokenRequest.json and schemas/messages/CreateDelegationTokenResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.create_delegation_token import (
    CreatableRenewers,
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    check_count,
    check_end,
    null,
    read_uvarint,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
    write_uvarint,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack
_qqq = struct.Struct(">qqq")
_read_qqq = _qqq.unpack_from
_write_qqq = _qqq.pack


def decode_create_delegation_token_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[CreateDelegationTokenRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Renewers")
        if n > end - pos:
            check_count(n, pos, end)
        renewers: list[CreatableRenewers] = []
        renewers_count = n
        for _ in range(renewers_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("PrincipalType")
            renewers_principal_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("PrincipalName")
            renewers_principal_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            renewers.append(CreatableRenewers(renewers_principal_type, renewers_principal_name))
        max_lifetime_ms, = _read_q(buf, pos)
        pos += 8
        message = CreateDelegationTokenRequest("", "", renewers, max_lifetime_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_create_delegation_token_request_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[CreateDelegationTokenRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Renewers")
        if n > end - pos:
            check_count(n, pos, end)
        renewers: list[CreatableRenewers] = []
        renewers_count = n
        for _ in range(renewers_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("PrincipalType", n)
            if n < 0:
                raise null("PrincipalType")
            renewers_principal_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("PrincipalName", n)
            if n < 0:
                raise null("PrincipalName")
            renewers_principal_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            renewers.append(CreatableRenewers(renewers_principal_type, renewers_principal_name))
        max_lifetime_ms, = _read_q(buf, pos)
        pos += 8
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = CreateDelegationTokenRequest("", "", renewers, max_lifetime_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_create_delegation_token_request_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[CreateDelegationTokenRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("OwnerPrincipalType", n)
        owner_principal_type: str | None = None
        if n >= 0:
            owner_principal_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("OwnerPrincipalName", n)
        owner_principal_name: str | None = None
        if n >= 0:
            owner_principal_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Renewers")
        if n > end - pos:
            check_count(n, pos, end)
        renewers: list[CreatableRenewers] = []
        renewers_count = n
        for _ in range(renewers_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("PrincipalType", n)
            if n < 0:
                raise null("PrincipalType")
            renewers_principal_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("PrincipalName", n)
            if n < 0:
                raise null("PrincipalName")
            renewers_principal_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            renewers.append(CreatableRenewers(renewers_principal_type, renewers_principal_name))
        max_lifetime_ms, = _read_q(buf, pos)
        pos += 8
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = CreateDelegationTokenRequest(owner_principal_type, owner_principal_name, renewers, max_lifetime_ms)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_create_delegation_token_response_v1(out: bytearray, m: CreateDelegationTokenResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        principal_type = m.principal_type
        text = principal_type.encode()
        out += _write_h(len(text))
        out += text
        principal_name = m.principal_name
        text = principal_name.encode()
        out += _write_h(len(text))
        out += text
        out += _write_qqq(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms)
        token_id = m.token_id
        text = token_id.encode()
        out += _write_h(len(text))
        out += text
        hmac = m.hmac
        out += _write_i(len(hmac))
        out += hmac
        out += _write_i(m.throttle_time_ms)
    except UNFIT as error:
        raise unfit("CreateDelegationTokenResponse", error) from error


def encode_create_delegation_token_response_v2(out: bytearray, m: CreateDelegationTokenResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        principal_type = m.principal_type
        text = principal_type.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            if n > TEXT_MAX + 1:
                raise too_long("PrincipalType", n - 1)
            write_uvarint(out, n)
        out += text
        principal_name = m.principal_name
        text = principal_name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            if n > TEXT_MAX + 1:
                raise too_long("PrincipalName", n - 1)
            write_uvarint(out, n)
        out += text
        out += _write_qqq(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms)
        token_id = m.token_id
        text = token_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            if n > TEXT_MAX + 1:
                raise too_long("TokenId", n - 1)
            write_uvarint(out, n)
        out += text
        hmac = m.hmac
        n = len(hmac) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += hmac
        out += _write_i(m.throttle_time_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("CreateDelegationTokenResponse", error) from error


def encode_create_delegation_token_response_v3(out: bytearray, m: CreateDelegationTokenResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        principal_type = m.principal_type
        text = principal_type.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            if n > TEXT_MAX + 1:
                raise too_long("PrincipalType", n - 1)
            write_uvarint(out, n)
        out += text
        principal_name = m.principal_name
        text = principal_name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            if n > TEXT_MAX + 1:
                raise too_long("PrincipalName", n - 1)
            write_uvarint(out, n)
        out += text
        token_requester_principal_type = m.token_requester_principal_type
        text = token_requester_principal_type.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            if n > TEXT_MAX + 1:
                raise too_long("TokenRequesterPrincipalType", n - 1)
            write_uvarint(out, n)
        out += text
        token_requester_principal_name = m.token_requester_principal_name
        text = token_requester_principal_name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            if n > TEXT_MAX + 1:
                raise too_long("TokenRequesterPrincipalName", n - 1)
            write_uvarint(out, n)
        out += text
        out += _write_qqq(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms)
        token_id = m.token_id
        text = token_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            if n > TEXT_MAX + 1:
                raise too_long("TokenId", n - 1)
            write_uvarint(out, n)
        out += text
        hmac = m.hmac
        n = len(hmac) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += hmac
        out += _write_i(m.throttle_time_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("CreateDelegationTokenResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    1: decode_create_delegation_token_request_v1,
    2: decode_create_delegation_token_request_v2,
    3: decode_create_delegation_token_request_v3,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    1: encode_create_delegation_token_response_v1,
    2: encode_create_delegation_token_response_v2,
    3: encode_create_delegation_token_response_v3,
}

__all__ = ["DECODERS", "ENCODERS"]
