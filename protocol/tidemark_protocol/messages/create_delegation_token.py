# Generated from schemas/messages/CreateDelegationTokenRequest.json and schemas/messages/CreateDelegationTokenResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
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


class CreatableRenewers(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PrincipalType", "principal_type", "string", None),
        ("PrincipalName", "principal_name", "string", None),
    )
    principal_type: str = ""
    principal_name: str = ""


class CreateDelegationTokenRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("OwnerPrincipalType", "owner_principal_type", "string", None),
        ("OwnerPrincipalName", "owner_principal_name", "string", None),
        ("Renewers", "renewers", "[]struct", CreatableRenewers),
        ("MaxLifetimeMs", "max_lifetime_ms", "int64", None),
    )
    NAME: ClassVar = "CreateDelegationTokenRequest"
    API_KEY: ClassVar = 38
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    owner_principal_type: str | None = ""
    owner_principal_name: str | None = ""
    renewers: list[CreatableRenewers] = []
    max_lifetime_ms: int = 0


class CreateDelegationTokenResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("PrincipalType", "principal_type", "string", None),
        ("PrincipalName", "principal_name", "string", None),
        ("TokenRequesterPrincipalType", "token_requester_principal_type", "string", None),
        ("TokenRequesterPrincipalName", "token_requester_principal_name", "string", None),
        ("IssueTimestampMs", "issue_timestamp_ms", "int64", None),
        ("ExpiryTimestampMs", "expiry_timestamp_ms", "int64", None),
        ("MaxTimestampMs", "max_timestamp_ms", "int64", None),
        ("TokenId", "token_id", "string", None),
        ("Hmac", "hmac", "bytes", None),
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
    )
    NAME: ClassVar = "CreateDelegationTokenResponse"
    API_KEY: ClassVar = 38
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    error_code: int = 0
    principal_type: str = ""
    principal_name: str = ""
    token_requester_principal_type: str = ""
    token_requester_principal_name: str = ""
    issue_timestamp_ms: int = 0
    expiry_timestamp_ms: int = 0
    max_timestamp_ms: int = 0
    token_id: str = ""
    hmac: bytes = b""
    throttle_time_ms: int = 0


def decode_create_delegation_token_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[CreateDelegationTokenRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Renewers", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        renewers: list[CreatableRenewers] = []
        renewers_count = n
        for _ in range(renewers_count):
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
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_delegation_token_request_v1(out: bytearray, m: CreateDelegationTokenRequest) -> None:
    try:
        renewers = m.renewers
        out += _write_i(len(renewers))
        for renewers_item in renewers:
            text = renewers_item.principal_type.encode()
            out += _write_h(len(text))
            out += text
            text = renewers_item.principal_name.encode()
            out += _write_h(len(text))
            out += text
        out += _write_q(m.max_lifetime_ms)
    except UNFIT as error:
        raise unfit("CreateDelegationTokenRequest", error) from error


def decode_create_delegation_token_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[CreateDelegationTokenRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Renewers", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        renewers: list[CreatableRenewers] = []
        renewers_count = n
        for _ in range(renewers_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "PrincipalType")
            if n < 0:
                raise null("PrincipalType")
            renewers_principal_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "PrincipalName")
            if n < 0:
                raise null("PrincipalName")
            renewers_principal_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            renewers.append(CreatableRenewers(renewers_principal_type, renewers_principal_name))
        max_lifetime_ms, = _read_q(buf, pos)
        pos += 8
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = CreateDelegationTokenRequest("", "", renewers, max_lifetime_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_delegation_token_request_v2(out: bytearray, m: CreateDelegationTokenRequest) -> None:
    try:
        renewers = m.renewers
        n = len(renewers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for renewers_item in renewers:
            text = renewers_item.principal_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "PrincipalType")
            out += text
            text = renewers_item.principal_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "PrincipalName")
            out += text
            out.append(0)
        out += _write_q(m.max_lifetime_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("CreateDelegationTokenRequest", error) from error


def decode_create_delegation_token_request_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[CreateDelegationTokenRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "OwnerPrincipalType")
        owner_principal_type: str | None = None
        if n >= 0:
            owner_principal_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "OwnerPrincipalName")
        owner_principal_name: str | None = None
        if n >= 0:
            owner_principal_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Renewers", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        renewers: list[CreatableRenewers] = []
        renewers_count = n
        for _ in range(renewers_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "PrincipalType")
            if n < 0:
                raise null("PrincipalType")
            renewers_principal_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "PrincipalName")
            if n < 0:
                raise null("PrincipalName")
            renewers_principal_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            renewers.append(CreatableRenewers(renewers_principal_type, renewers_principal_name))
        max_lifetime_ms, = _read_q(buf, pos)
        pos += 8
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = CreateDelegationTokenRequest(owner_principal_type, owner_principal_name, renewers, max_lifetime_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_delegation_token_request_v3(out: bytearray, m: CreateDelegationTokenRequest) -> None:
    try:
        owner_principal_type = m.owner_principal_type
        if owner_principal_type is None:
            out.append(0)
        else:
            text = owner_principal_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "OwnerPrincipalType")
            out += text
        owner_principal_name = m.owner_principal_name
        if owner_principal_name is None:
            out.append(0)
        else:
            text = owner_principal_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "OwnerPrincipalName")
            out += text
        renewers = m.renewers
        n = len(renewers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for renewers_item in renewers:
            text = renewers_item.principal_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "PrincipalType")
            out += text
            text = renewers_item.principal_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "PrincipalName")
            out += text
            out.append(0)
        out += _write_q(m.max_lifetime_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("CreateDelegationTokenRequest", error) from error

CreateDelegationTokenRequest.DECODERS = {
    1: decode_create_delegation_token_request_v1,
    2: decode_create_delegation_token_request_v2,
    3: decode_create_delegation_token_request_v3,
}

CreateDelegationTokenRequest.ENCODERS = {
    1: encode_create_delegation_token_request_v1,
    2: encode_create_delegation_token_request_v2,
    3: encode_create_delegation_token_request_v3,
}



def decode_create_delegation_token_response_v1(buf: bytes, pos: int, end: int) -> tuple[CreateDelegationTokenResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("PrincipalType")
        principal_type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("PrincipalName")
        principal_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms = _read_qqq(buf, pos)
        pos += 24
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("TokenId")
        token_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Hmac")
        hmac = buf[pos : pos + n]
        pos += n
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        message = CreateDelegationTokenResponse(error_code, principal_type, principal_name, "", "", issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms, token_id, hmac, throttle_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_delegation_token_response_v1(out: bytearray, m: CreateDelegationTokenResponse) -> None:
    try:
        out += _write_h(m.error_code)
        text = m.principal_type.encode()
        out += _write_h(len(text))
        out += text
        text = m.principal_name.encode()
        out += _write_h(len(text))
        out += text
        out += _write_qqq(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms)
        text = m.token_id.encode()
        out += _write_h(len(text))
        out += text
        hmac = m.hmac
        out += _write_i(len(hmac))
        out += hmac
        out += _write_i(m.throttle_time_ms)
    except UNFIT as error:
        raise unfit("CreateDelegationTokenResponse", error) from error


def decode_create_delegation_token_response_v2(buf: bytes, pos: int, end: int) -> tuple[CreateDelegationTokenResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "PrincipalType")
        if n < 0:
            raise null("PrincipalType")
        principal_type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "PrincipalName")
        if n < 0:
            raise null("PrincipalName")
        principal_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms = _read_qqq(buf, pos)
        pos += 24
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TokenId")
        if n < 0:
            raise null("TokenId")
        token_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if n < 0:
            raise null("Hmac")
        hmac = buf[pos : pos + n]
        pos += n
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = CreateDelegationTokenResponse(error_code, principal_type, principal_name, "", "", issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms, token_id, hmac, throttle_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_delegation_token_response_v2(out: bytearray, m: CreateDelegationTokenResponse) -> None:
    try:
        out += _write_h(m.error_code)
        text = m.principal_type.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "PrincipalType")
        out += text
        text = m.principal_name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "PrincipalName")
        out += text
        out += _write_qqq(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms)
        text = m.token_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "TokenId")
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


def decode_create_delegation_token_response_v3(buf: bytes, pos: int, end: int) -> tuple[CreateDelegationTokenResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "PrincipalType")
        if n < 0:
            raise null("PrincipalType")
        principal_type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "PrincipalName")
        if n < 0:
            raise null("PrincipalName")
        principal_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TokenRequesterPrincipalType")
        if n < 0:
            raise null("TokenRequesterPrincipalType")
        token_requester_principal_type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TokenRequesterPrincipalName")
        if n < 0:
            raise null("TokenRequesterPrincipalName")
        token_requester_principal_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms = _read_qqq(buf, pos)
        pos += 24
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TokenId")
        if n < 0:
            raise null("TokenId")
        token_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if n < 0:
            raise null("Hmac")
        hmac = buf[pos : pos + n]
        pos += n
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = CreateDelegationTokenResponse(error_code, principal_type, principal_name, token_requester_principal_type, token_requester_principal_name, issue_timestamp_ms, expiry_timestamp_ms, max_timestamp_ms, token_id, hmac, throttle_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_create_delegation_token_response_v3(out: bytearray, m: CreateDelegationTokenResponse) -> None:
    try:
        out += _write_h(m.error_code)
        text = m.principal_type.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "PrincipalType")
        out += text
        text = m.principal_name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "PrincipalName")
        out += text
        text = m.token_requester_principal_type.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "TokenRequesterPrincipalType")
        out += text
        text = m.token_requester_principal_name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "TokenRequesterPrincipalName")
        out += text
        out += _write_qqq(m.issue_timestamp_ms, m.expiry_timestamp_ms, m.max_timestamp_ms)
        text = m.token_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "TokenId")
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

CreateDelegationTokenResponse.DECODERS = {
    1: decode_create_delegation_token_response_v1,
    2: decode_create_delegation_token_response_v2,
    3: decode_create_delegation_token_response_v3,
}

CreateDelegationTokenResponse.ENCODERS = {
    1: encode_create_delegation_token_response_v1,
    2: encode_create_delegation_token_response_v2,
    3: encode_create_delegation_token_response_v3,
}

__all__ = [
    "CreatableRenewers", "CreateDelegationTokenRequest", "CreateDelegationTokenResponse",
]
