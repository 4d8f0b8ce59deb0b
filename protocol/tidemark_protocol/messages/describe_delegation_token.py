# Generated from schemas/messages/DescribeDelegationTokenRequest.json and schemas/messages/DescribeDelegationTokenResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, check_count, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_qqq = struct.Struct(">qqq")
_read_qqq = _qqq.unpack_from
_write_qqq = _qqq.pack


class DescribeDelegationTokenOwner(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PrincipalType", "principal_type", "string", None),
        ("PrincipalName", "principal_name", "string", None),
    )
    principal_type: str = ""
    principal_name: str = ""


class DescribeDelegationTokenRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Owners", "owners", "[]struct", DescribeDelegationTokenOwner),
    )
    NAME: ClassVar = "DescribeDelegationTokenRequest"
    API_KEY: ClassVar = 41
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    owners: list[DescribeDelegationTokenOwner] | None = []


class DescribedDelegationTokenRenewer(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PrincipalType", "principal_type", "string", None),
        ("PrincipalName", "principal_name", "string", None),
    )
    principal_type: str = ""
    principal_name: str = ""


class DescribedDelegationToken(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PrincipalType", "principal_type", "string", None),
        ("PrincipalName", "principal_name", "string", None),
        ("TokenRequesterPrincipalType", "token_requester_principal_type", "string", None),
        ("TokenRequesterPrincipalName", "token_requester_principal_name", "string", None),
        ("IssueTimestamp", "issue_timestamp", "int64", None),
        ("ExpiryTimestamp", "expiry_timestamp", "int64", None),
        ("MaxTimestamp", "max_timestamp", "int64", None),
        ("TokenId", "token_id", "string", None),
        ("Hmac", "hmac", "bytes", None),
        ("Renewers", "renewers", "[]struct", DescribedDelegationTokenRenewer),
    )
    principal_type: str = ""
    principal_name: str = ""
    token_requester_principal_type: str = ""
    token_requester_principal_name: str = ""
    issue_timestamp: int = 0
    expiry_timestamp: int = 0
    max_timestamp: int = 0
    token_id: str = ""
    hmac: bytes = b""
    renewers: list[DescribedDelegationTokenRenewer] = []


class DescribeDelegationTokenResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("Tokens", "tokens", "[]struct", DescribedDelegationToken),
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
    )
    NAME: ClassVar = "DescribeDelegationTokenResponse"
    API_KEY: ClassVar = 41
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 2
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    error_code: int = 0
    tokens: list[DescribedDelegationToken] = []
    throttle_time_ms: int = 0


def decode_describe_delegation_token_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeDelegationTokenRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        owners: list[DescribeDelegationTokenOwner] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            owners_list: list[DescribeDelegationTokenOwner] = []
            owners_count = n
            for _ in range(owners_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("PrincipalType")
                owners_principal_type = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("PrincipalName")
                owners_principal_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                owners_list.append(DescribeDelegationTokenOwner(owners_principal_type, owners_principal_name))
            owners = owners_list
        message = DescribeDelegationTokenRequest(owners)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_delegation_token_request_v1(out: bytearray, m: DescribeDelegationTokenRequest) -> None:
    try:
        owners = m.owners
        if owners is None:
            out += _write_i(-1)
        else:
            out += _write_i(len(owners))
            for owners_item in owners:
                text = owners_item.principal_type.encode()
                out += _write_h(len(text))
                out += text
                text = owners_item.principal_name.encode()
                out += _write_h(len(text))
                out += text
    except UNFIT as error:
        raise unfit("DescribeDelegationTokenRequest", error) from error


def decode_describe_delegation_token_request_v2_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeDelegationTokenRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        owners: list[DescribeDelegationTokenOwner] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            owners_list: list[DescribeDelegationTokenOwner] = []
            owners_count = n
            for _ in range(owners_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "PrincipalType")
                if n < 0:
                    raise null("PrincipalType")
                owners_principal_type = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "PrincipalName")
                if n < 0:
                    raise null("PrincipalName")
                owners_principal_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                owners_list.append(DescribeDelegationTokenOwner(owners_principal_type, owners_principal_name))
            owners = owners_list
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeDelegationTokenRequest(owners)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_delegation_token_request_v2_v3(out: bytearray, m: DescribeDelegationTokenRequest) -> None:
    try:
        owners = m.owners
        if owners is None:
            out.append(0)
        else:
            n = len(owners) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for owners_item in owners:
                text = owners_item.principal_type.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "PrincipalType")
                out += text
                text = owners_item.principal_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "PrincipalName")
                out += text
                out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeDelegationTokenRequest", error) from error

DescribeDelegationTokenRequest.DECODERS = {
    1: decode_describe_delegation_token_request_v1,
    2: decode_describe_delegation_token_request_v2_v3, 3: decode_describe_delegation_token_request_v2_v3,
}

DescribeDelegationTokenRequest.ENCODERS = {
    1: encode_describe_delegation_token_request_v1,
    2: encode_describe_delegation_token_request_v2_v3, 3: encode_describe_delegation_token_request_v2_v3,
}



def decode_describe_delegation_token_response_v1(buf: bytes, pos: int, end: int) -> tuple[DescribeDelegationTokenResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Tokens", n, pos, end)
        tokens: list[DescribedDelegationToken] = []
        tokens_count = n
        for _ in range(tokens_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("PrincipalType")
            tokens_principal_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("PrincipalName")
            tokens_principal_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            tokens_issue_timestamp, tokens_expiry_timestamp, tokens_max_timestamp = _read_qqq(buf, pos)
            pos += 24
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("TokenId")
            tokens_token_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Hmac")
            tokens_hmac = buf[pos : pos + n]
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Renewers", n, pos, end)
            tokens_renewers: list[DescribedDelegationTokenRenewer] = []
            tokens_renewers_count = n
            for _ in range(tokens_renewers_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("PrincipalType")
                tokens_renewers_principal_type = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("PrincipalName")
                tokens_renewers_principal_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                tokens_renewers.append(DescribedDelegationTokenRenewer(tokens_renewers_principal_type, tokens_renewers_principal_name))
            tokens.append(DescribedDelegationToken(tokens_principal_type, tokens_principal_name, "", "", tokens_issue_timestamp, tokens_expiry_timestamp, tokens_max_timestamp, tokens_token_id, tokens_hmac, tokens_renewers))
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        message = DescribeDelegationTokenResponse(error_code, tokens, throttle_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_delegation_token_response_v1(out: bytearray, m: DescribeDelegationTokenResponse) -> None:
    try:
        out += _write_h(m.error_code)
        tokens = m.tokens
        out += _write_i(len(tokens))
        for tokens_item in tokens:
            text = tokens_item.principal_type.encode()
            out += _write_h(len(text))
            out += text
            text = tokens_item.principal_name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_qqq(tokens_item.issue_timestamp, tokens_item.expiry_timestamp, tokens_item.max_timestamp)
            text = tokens_item.token_id.encode()
            out += _write_h(len(text))
            out += text
            tokens_hmac = tokens_item.hmac
            out += _write_i(len(tokens_hmac))
            out += tokens_hmac
            tokens_renewers = tokens_item.renewers
            out += _write_i(len(tokens_renewers))
            for tokens_renewers_item in tokens_renewers:
                text = tokens_renewers_item.principal_type.encode()
                out += _write_h(len(text))
                out += text
                text = tokens_renewers_item.principal_name.encode()
                out += _write_h(len(text))
                out += text
        out += _write_i(m.throttle_time_ms)
    except UNFIT as error:
        raise unfit("DescribeDelegationTokenResponse", error) from error


def decode_describe_delegation_token_response_v2(buf: bytes, pos: int, end: int) -> tuple[DescribeDelegationTokenResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Tokens", n, pos, end)
        tokens: list[DescribedDelegationToken] = []
        tokens_count = n
        for _ in range(tokens_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "PrincipalType")
            if n < 0:
                raise null("PrincipalType")
            tokens_principal_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "PrincipalName")
            if n < 0:
                raise null("PrincipalName")
            tokens_principal_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            tokens_issue_timestamp, tokens_expiry_timestamp, tokens_max_timestamp = _read_qqq(buf, pos)
            pos += 24
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TokenId")
            if n < 0:
                raise null("TokenId")
            tokens_token_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if n < 0:
                raise null("Hmac")
            tokens_hmac = buf[pos : pos + n]
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Renewers", n, pos, end)
            tokens_renewers: list[DescribedDelegationTokenRenewer] = []
            tokens_renewers_count = n
            for _ in range(tokens_renewers_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "PrincipalType")
                if n < 0:
                    raise null("PrincipalType")
                tokens_renewers_principal_type = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "PrincipalName")
                if n < 0:
                    raise null("PrincipalName")
                tokens_renewers_principal_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                tokens_renewers.append(DescribedDelegationTokenRenewer(tokens_renewers_principal_type, tokens_renewers_principal_name))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            tokens.append(DescribedDelegationToken(tokens_principal_type, tokens_principal_name, "", "", tokens_issue_timestamp, tokens_expiry_timestamp, tokens_max_timestamp, tokens_token_id, tokens_hmac, tokens_renewers))
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeDelegationTokenResponse(error_code, tokens, throttle_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_delegation_token_response_v2(out: bytearray, m: DescribeDelegationTokenResponse) -> None:
    try:
        out += _write_h(m.error_code)
        tokens = m.tokens
        n = len(tokens) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for tokens_item in tokens:
            text = tokens_item.principal_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "PrincipalType")
            out += text
            text = tokens_item.principal_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "PrincipalName")
            out += text
            out += _write_qqq(tokens_item.issue_timestamp, tokens_item.expiry_timestamp, tokens_item.max_timestamp)
            text = tokens_item.token_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TokenId")
            out += text
            tokens_hmac = tokens_item.hmac
            n = len(tokens_hmac) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += tokens_hmac
            tokens_renewers = tokens_item.renewers
            n = len(tokens_renewers) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for tokens_renewers_item in tokens_renewers:
                text = tokens_renewers_item.principal_type.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "PrincipalType")
                out += text
                text = tokens_renewers_item.principal_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "PrincipalName")
                out += text
                out.append(0)
            out.append(0)
        out += _write_i(m.throttle_time_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeDelegationTokenResponse", error) from error


def decode_describe_delegation_token_response_v3(buf: bytes, pos: int, end: int) -> tuple[DescribeDelegationTokenResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Tokens", n, pos, end)
        tokens: list[DescribedDelegationToken] = []
        tokens_count = n
        for _ in range(tokens_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "PrincipalType")
            if n < 0:
                raise null("PrincipalType")
            tokens_principal_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "PrincipalName")
            if n < 0:
                raise null("PrincipalName")
            tokens_principal_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TokenRequesterPrincipalType")
            if n < 0:
                raise null("TokenRequesterPrincipalType")
            tokens_token_requester_principal_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TokenRequesterPrincipalName")
            if n < 0:
                raise null("TokenRequesterPrincipalName")
            tokens_token_requester_principal_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            tokens_issue_timestamp, tokens_expiry_timestamp, tokens_max_timestamp = _read_qqq(buf, pos)
            pos += 24
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TokenId")
            if n < 0:
                raise null("TokenId")
            tokens_token_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if n < 0:
                raise null("Hmac")
            tokens_hmac = buf[pos : pos + n]
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Renewers", n, pos, end)
            tokens_renewers: list[DescribedDelegationTokenRenewer] = []
            tokens_renewers_count = n
            for _ in range(tokens_renewers_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "PrincipalType")
                if n < 0:
                    raise null("PrincipalType")
                tokens_renewers_principal_type = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "PrincipalName")
                if n < 0:
                    raise null("PrincipalName")
                tokens_renewers_principal_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                tokens_renewers.append(DescribedDelegationTokenRenewer(tokens_renewers_principal_type, tokens_renewers_principal_name))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            tokens.append(DescribedDelegationToken(tokens_principal_type, tokens_principal_name, tokens_token_requester_principal_type, tokens_token_requester_principal_name, tokens_issue_timestamp, tokens_expiry_timestamp, tokens_max_timestamp, tokens_token_id, tokens_hmac, tokens_renewers))
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeDelegationTokenResponse(error_code, tokens, throttle_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_delegation_token_response_v3(out: bytearray, m: DescribeDelegationTokenResponse) -> None:
    try:
        out += _write_h(m.error_code)
        tokens = m.tokens
        n = len(tokens) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for tokens_item in tokens:
            text = tokens_item.principal_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "PrincipalType")
            out += text
            text = tokens_item.principal_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "PrincipalName")
            out += text
            text = tokens_item.token_requester_principal_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TokenRequesterPrincipalType")
            out += text
            text = tokens_item.token_requester_principal_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TokenRequesterPrincipalName")
            out += text
            out += _write_qqq(tokens_item.issue_timestamp, tokens_item.expiry_timestamp, tokens_item.max_timestamp)
            text = tokens_item.token_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TokenId")
            out += text
            tokens_hmac = tokens_item.hmac
            n = len(tokens_hmac) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += tokens_hmac
            tokens_renewers = tokens_item.renewers
            n = len(tokens_renewers) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for tokens_renewers_item in tokens_renewers:
                text = tokens_renewers_item.principal_type.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "PrincipalType")
                out += text
                text = tokens_renewers_item.principal_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "PrincipalName")
                out += text
                out.append(0)
            out.append(0)
        out += _write_i(m.throttle_time_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeDelegationTokenResponse", error) from error

DescribeDelegationTokenResponse.DECODERS = {
    1: decode_describe_delegation_token_response_v1,
    2: decode_describe_delegation_token_response_v2,
    3: decode_describe_delegation_token_response_v3,
}

DescribeDelegationTokenResponse.ENCODERS = {
    1: encode_describe_delegation_token_response_v1,
    2: encode_describe_delegation_token_response_v2,
    3: encode_describe_delegation_token_response_v3,
}

__all__ = [
    "DescribeDelegationTokenOwner", "DescribeDelegationTokenRequest", "DescribeDelegationTokenResponse",
    "DescribedDelegationToken", "DescribedDelegationTokenRenewer",
]
