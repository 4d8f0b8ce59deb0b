# Generated from schemas/messages/DescribeUserScramCredentialsRequest.json and schemas/messages/DescribeUserScramCredentialsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    UserName,
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

_bi = struct.Struct(">bi")
_read_bi = _bi.unpack_from
_write_bi = _bi.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


def decode_describe_user_scram_credentials_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeUserScramCredentialsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        users: list[UserName] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            users_list: list[UserName] = []
            users_count = n
            for _ in range(users_count):
                yield 1
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                    if n > TEXT_MAX:
                        raise too_long("Name", n)
                if n < 0:
                    raise null("Name")
                users_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                users_list.append(UserName(users_name))
            users = users_list
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DescribeUserScramCredentialsRequest(users)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_describe_user_scram_credentials_response_v0(out: bytearray, m: DescribeUserScramCredentialsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        error_message = m.error_message
        if error_message is None:
            out.append(0)
        else:
            text = error_message.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ErrorMessage", n - 1)
                write_uvarint(out, n)
            out += text
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            yield 1
            results_user = results_item.user
            text = results_user.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("User", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_h(results_item.error_code)
            results_error_message = results_item.error_message
            if results_error_message is None:
                out.append(0)
            else:
                text = results_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
            results_credential_infos = results_item.credential_infos
            n = len(results_credential_infos) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_credential_infos_item in results_credential_infos:
                yield 1
                out += _write_bi(results_credential_infos_item.mechanism, results_credential_infos_item.iterations)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeUserScramCredentialsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_describe_user_scram_credentials_request_v0,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_describe_user_scram_credentials_response_v0,
}

__all__ = ["DECODERS", "ENCODERS"]
