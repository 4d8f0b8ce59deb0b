# Generated from schemas/messages/AlterUserScramCredentialsRequest.json and schemas/messages/AlterUserScramCredentialsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_bi = struct.Struct(">bi")
_read_bi = _bi.unpack_from
_write_bi = _bi.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class ScramCredentialDeletion(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Mechanism", "mechanism", "int8", None),
    )
    name: str = ""
    mechanism: int = 0


class ScramCredentialUpsertion(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Mechanism", "mechanism", "int8", None),
        ("Iterations", "iterations", "int32", None),
        ("Salt", "salt", "bytes", None),
        ("SaltedPassword", "salted_password", "bytes", None),
    )
    name: str = ""
    mechanism: int = 0
    iterations: int = 0
    salt: bytes = b""
    salted_password: bytes = b""


class AlterUserScramCredentialsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Deletions", "deletions", "[]struct", ScramCredentialDeletion),
        ("Upsertions", "upsertions", "[]struct", ScramCredentialUpsertion),
    )
    NAME: ClassVar = "AlterUserScramCredentialsRequest"
    API_KEY: ClassVar = 51
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    deletions: list[ScramCredentialDeletion] = []
    upsertions: list[ScramCredentialUpsertion] = []


class AlterUserScramCredentialsResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("User", "user", "string", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    user: str = ""
    error_code: int = 0
    error_message: str | None = ""


class AlterUserScramCredentialsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Results", "results", "[]struct", AlterUserScramCredentialsResult),
    )
    NAME: ClassVar = "AlterUserScramCredentialsResponse"
    API_KEY: ClassVar = 51
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    results: list[AlterUserScramCredentialsResult] = []


def decode_alter_user_scram_credentials_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AlterUserScramCredentialsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Deletions", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        deletions: list[ScramCredentialDeletion] = []
        deletions_count = n
        for _ in range(deletions_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            deletions_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            deletions_mechanism, = _read_b(buf, pos)
            pos += 1
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            deletions.append(ScramCredentialDeletion(deletions_name, deletions_mechanism))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Upsertions", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        upsertions: list[ScramCredentialUpsertion] = []
        upsertions_count = n
        for _ in range(upsertions_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            upsertions_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            upsertions_mechanism, upsertions_iterations = _read_bi(buf, pos)
            pos += 5
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if n < 0:
                raise null("Salt")
            upsertions_salt = buf[pos : pos + n]
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if n < 0:
                raise null("SaltedPassword")
            upsertions_salted_password = buf[pos : pos + n]
            pos += n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            upsertions.append(ScramCredentialUpsertion(upsertions_name, upsertions_mechanism, upsertions_iterations, upsertions_salt, upsertions_salted_password))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AlterUserScramCredentialsRequest(deletions, upsertions)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_user_scram_credentials_request_v0(out: bytearray, m: AlterUserScramCredentialsRequest) -> None:
    try:
        deletions = m.deletions
        n = len(deletions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for deletions_item in deletions:
            text = deletions_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            out += _write_b(deletions_item.mechanism)
            out.append(0)
        upsertions = m.upsertions
        n = len(upsertions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for upsertions_item in upsertions:
            text = upsertions_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            out += _write_bi(upsertions_item.mechanism, upsertions_item.iterations)
            upsertions_salt = upsertions_item.salt
            n = len(upsertions_salt) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += upsertions_salt
            upsertions_salted_password = upsertions_item.salted_password
            n = len(upsertions_salted_password) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += upsertions_salted_password
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterUserScramCredentialsRequest", error) from error

AlterUserScramCredentialsRequest.DECODERS = {
    0: decode_alter_user_scram_credentials_request_v0,
}

AlterUserScramCredentialsRequest.ENCODERS = {
    0: encode_alter_user_scram_credentials_request_v0,
}



def decode_alter_user_scram_credentials_response_v0(buf: bytes, pos: int, end: int) -> tuple[AlterUserScramCredentialsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[AlterUserScramCredentialsResult] = []
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
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results.append(AlterUserScramCredentialsResult(results_user, results_error_code, results_error_message))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = AlterUserScramCredentialsResponse(throttle_time_ms, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_user_scram_credentials_response_v0(out: bytearray, m: AlterUserScramCredentialsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
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
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterUserScramCredentialsResponse", error) from error

AlterUserScramCredentialsResponse.DECODERS = {
    0: decode_alter_user_scram_credentials_response_v0,
}

AlterUserScramCredentialsResponse.ENCODERS = {
    0: encode_alter_user_scram_credentials_response_v0,
}

__all__ = [
    "AlterUserScramCredentialsRequest", "AlterUserScramCredentialsResponse",
    "AlterUserScramCredentialsResult", "ScramCredentialDeletion", "ScramCredentialUpsertion",
]
