# Generated from schemas/messages/DescribeUserScramCredentialsRequest.json and schemas/messages/DescribeUserScramCredentialsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, check_count, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
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


class UserName(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
    )
    name: str = ""


class DescribeUserScramCredentialsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Users", "users", "[]struct", UserName),
    )
    NAME: ClassVar = "DescribeUserScramCredentialsRequest"
    API_KEY: ClassVar = 50
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    users: list[UserName] | None = []


class CredentialInfo(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Mechanism", "mechanism", "int8", None),
        ("Iterations", "iterations", "int32", None),
    )
    mechanism: int = 0
    iterations: int = 0


class DescribeUserScramCredentialsResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("User", "user", "string", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("CredentialInfos", "credential_infos", "[]struct", CredentialInfo),
    )
    user: str = ""
    error_code: int = 0
    error_message: str | None = ""
    credential_infos: list[CredentialInfo] = []


class DescribeUserScramCredentialsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("Results", "results", "[]struct", DescribeUserScramCredentialsResult),
    )
    NAME: ClassVar = "DescribeUserScramCredentialsResponse"
    API_KEY: ClassVar = 50
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    results: list[DescribeUserScramCredentialsResult] = []


def decode_describe_user_scram_credentials_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeUserScramCredentialsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        users: list[UserName] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            users_list: list[UserName] = []
            users_count = n
            for _ in range(users_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                users_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                users_list.append(UserName(users_name))
            users = users_list
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeUserScramCredentialsRequest(users)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_user_scram_credentials_request_v0(out: bytearray, m: DescribeUserScramCredentialsRequest) -> None:
    try:
        users = m.users
        if users is None:
            out.append(0)
        else:
            n = len(users) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for users_item in users:
                text = users_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeUserScramCredentialsRequest", error) from error

DescribeUserScramCredentialsRequest.DECODERS = {
    0: decode_describe_user_scram_credentials_request_v0,
}

DescribeUserScramCredentialsRequest.ENCODERS = {
    0: encode_describe_user_scram_credentials_request_v0,
}



def decode_describe_user_scram_credentials_response_v0(buf: bytes, pos: int, end: int) -> tuple[DescribeUserScramCredentialsResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
        error_message: str | None = None
        if n >= 0:
            error_message = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[DescribeUserScramCredentialsResult] = []
        results_count = n
        for _ in range(results_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "User")
            if n < 0:
                raise null("User")
            results_user = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            results_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            results_error_message: str | None = None
            if n >= 0:
                results_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("CredentialInfos", n, pos, end)
            results_credential_infos: list[CredentialInfo] = []
            results_credential_infos_count = n
            for _ in range(results_credential_infos_count):
                results_credential_infos_mechanism, results_credential_infos_iterations = _read_bi(buf, pos)
                pos += 5
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                results_credential_infos.append(CredentialInfo(results_credential_infos_mechanism, results_credential_infos_iterations))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results.append(DescribeUserScramCredentialsResult(results_user, results_error_code, results_error_message, results_credential_infos))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeUserScramCredentialsResponse(throttle_time_ms, error_code, error_message, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_user_scram_credentials_response_v0(out: bytearray, m: DescribeUserScramCredentialsResponse) -> None:
    try:
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
                write_text_length(out, n, "ErrorMessage")
            out += text
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            text = results_item.user.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "User")
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
                    write_text_length(out, n, "ErrorMessage")
                out += text
            results_credential_infos = results_item.credential_infos
            n = len(results_credential_infos) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_credential_infos_item in results_credential_infos:
                out += _write_bi(results_credential_infos_item.mechanism, results_credential_infos_item.iterations)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeUserScramCredentialsResponse", error) from error

DescribeUserScramCredentialsResponse.DECODERS = {
    0: decode_describe_user_scram_credentials_response_v0,
}

DescribeUserScramCredentialsResponse.ENCODERS = {
    0: encode_describe_user_scram_credentials_response_v0,
}

__all__ = [
    "CredentialInfo", "DescribeUserScramCredentialsRequest", "DescribeUserScramCredentialsResponse",
    "DescribeUserScramCredentialsResult", "UserName",
]
