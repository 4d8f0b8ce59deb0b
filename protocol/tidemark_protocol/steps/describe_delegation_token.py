# Generated from schemas/messages/DescribeDelegationTokenRequest.json and schemas/messages/DescribeDelegationTokenResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.describe_delegation_token import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
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
_qqq = struct.Struct(">qqq")
_read_qqq = _qqq.unpack_from
_write_qqq = _qqq.pack


def decode_describe_delegation_token_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeDelegationTokenRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        owners: list[DescribeDelegationTokenOwner] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            owners_list: list[DescribeDelegationTokenOwner] = []
            owners_count = n
            for _ in range(owners_count):
                yield 1
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
    check_end(pos, end)
    return message, pos


def decode_describe_delegation_token_request_v2_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeDelegationTokenRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        owners: list[DescribeDelegationTokenOwner] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            owners_list: list[DescribeDelegationTokenOwner] = []
            owners_count = n
            for _ in range(owners_count):
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
                owners_principal_type = buf[pos : pos + n].decode("utf-8", "java")
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
                owners_principal_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                owners_list.append(DescribeDelegationTokenOwner(owners_principal_type, owners_principal_name))
            owners = owners_list
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DescribeDelegationTokenRequest(owners)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_describe_delegation_token_response_v1(out: bytearray, m: DescribeDelegationTokenResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        tokens = m.tokens
        out += _write_i(len(tokens))
        for tokens_item in tokens:
            yield 1
            tokens_principal_type = tokens_item.principal_type
            text = tokens_principal_type.encode()
            out += _write_h(len(text))
            out += text
            tokens_principal_name = tokens_item.principal_name
            text = tokens_principal_name.encode()
            out += _write_h(len(text))
            out += text
            out += _write_qqq(tokens_item.issue_timestamp, tokens_item.expiry_timestamp, tokens_item.max_timestamp)
            tokens_token_id = tokens_item.token_id
            text = tokens_token_id.encode()
            out += _write_h(len(text))
            out += text
            tokens_hmac = tokens_item.hmac
            out += _write_i(len(tokens_hmac))
            out += tokens_hmac
            tokens_renewers = tokens_item.renewers
            out += _write_i(len(tokens_renewers))
            for tokens_renewers_item in tokens_renewers:
                yield 1
                tokens_renewers_principal_type = tokens_renewers_item.principal_type
                text = tokens_renewers_principal_type.encode()
                out += _write_h(len(text))
                out += text
                tokens_renewers_principal_name = tokens_renewers_item.principal_name
                text = tokens_renewers_principal_name.encode()
                out += _write_h(len(text))
                out += text
        out += _write_i(m.throttle_time_ms)
    except UNFIT as error:
        raise unfit("DescribeDelegationTokenResponse", error) from error


def encode_describe_delegation_token_response_v2(out: bytearray, m: DescribeDelegationTokenResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        tokens = m.tokens
        n = len(tokens) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for tokens_item in tokens:
            yield 1
            tokens_principal_type = tokens_item.principal_type
            text = tokens_principal_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("PrincipalType", n - 1)
                write_uvarint(out, n)
            out += text
            tokens_principal_name = tokens_item.principal_name
            text = tokens_principal_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("PrincipalName", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_qqq(tokens_item.issue_timestamp, tokens_item.expiry_timestamp, tokens_item.max_timestamp)
            tokens_token_id = tokens_item.token_id
            text = tokens_token_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TokenId", n - 1)
                write_uvarint(out, n)
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
                yield 1
                tokens_renewers_principal_type = tokens_renewers_item.principal_type
                text = tokens_renewers_principal_type.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("PrincipalType", n - 1)
                    write_uvarint(out, n)
                out += text
                tokens_renewers_principal_name = tokens_renewers_item.principal_name
                text = tokens_renewers_principal_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("PrincipalName", n - 1)
                    write_uvarint(out, n)
                out += text
                out.append(0)
            out.append(0)
        out += _write_i(m.throttle_time_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeDelegationTokenResponse", error) from error


def encode_describe_delegation_token_response_v3(out: bytearray, m: DescribeDelegationTokenResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        tokens = m.tokens
        n = len(tokens) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for tokens_item in tokens:
            yield 1
            tokens_principal_type = tokens_item.principal_type
            text = tokens_principal_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("PrincipalType", n - 1)
                write_uvarint(out, n)
            out += text
            tokens_principal_name = tokens_item.principal_name
            text = tokens_principal_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("PrincipalName", n - 1)
                write_uvarint(out, n)
            out += text
            tokens_token_requester_principal_type = tokens_item.token_requester_principal_type
            text = tokens_token_requester_principal_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TokenRequesterPrincipalType", n - 1)
                write_uvarint(out, n)
            out += text
            tokens_token_requester_principal_name = tokens_item.token_requester_principal_name
            text = tokens_token_requester_principal_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TokenRequesterPrincipalName", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_qqq(tokens_item.issue_timestamp, tokens_item.expiry_timestamp, tokens_item.max_timestamp)
            tokens_token_id = tokens_item.token_id
            text = tokens_token_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TokenId", n - 1)
                write_uvarint(out, n)
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
                yield 1
                tokens_renewers_principal_type = tokens_renewers_item.principal_type
                text = tokens_renewers_principal_type.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("PrincipalType", n - 1)
                    write_uvarint(out, n)
                out += text
                tokens_renewers_principal_name = tokens_renewers_item.principal_name
                text = tokens_renewers_principal_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("PrincipalName", n - 1)
                    write_uvarint(out, n)
                out += text
                out.append(0)
            out.append(0)
        out += _write_i(m.throttle_time_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeDelegationTokenResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    1: decode_describe_delegation_token_request_v1,
    2: decode_describe_delegation_token_request_v2_v3,
    3: decode_describe_delegation_token_request_v2_v3,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    1: encode_describe_delegation_token_response_v1,
    2: encode_describe_delegation_token_response_v2,
    3: encode_describe_delegation_token_response_v3,
}

__all__ = ["DECODERS", "ENCODERS"]
