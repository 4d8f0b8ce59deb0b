# Generated from schemas/messages/AlterUserScramCredentialsRequest.json and schemas/messages/AlterUserScramCredentialsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
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


def decode_alter_user_scram_credentials_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[AlterUserScramCredentialsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Deletions")
        if n > end - pos:
            check_count(n, pos, end)
        deletions: list[ScramCredentialDeletion] = []
        deletions_count = n
        for _ in range(deletions_count):
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
            deletions_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            deletions_mechanism, = _read_b(buf, pos)
            pos += 1
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            deletions.append(ScramCredentialDeletion(deletions_name, deletions_mechanism))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Upsertions")
        if n > end - pos:
            check_count(n, pos, end)
        upsertions: list[ScramCredentialUpsertion] = []
        upsertions_count = n
        for _ in range(upsertions_count):
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
            upsertions_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            upsertions_mechanism, upsertions_iterations = _read_bi(buf, pos)
            pos += 5
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Salt")
            upsertions_salt = buf[pos : pos + n]
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("SaltedPassword")
            upsertions_salted_password = buf[pos : pos + n]
            pos += n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            upsertions.append(ScramCredentialUpsertion(upsertions_name, upsertions_mechanism, upsertions_iterations, upsertions_salt, upsertions_salted_password))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = AlterUserScramCredentialsRequest(deletions, upsertions)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_alter_user_scram_credentials_response_v0(out: bytearray, m: AlterUserScramCredentialsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
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
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterUserScramCredentialsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_alter_user_scram_credentials_request_v0,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_alter_user_scram_credentials_response_v0,
}

__all__ = ["DECODERS", "ENCODERS"]
