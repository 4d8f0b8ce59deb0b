# Generated from schemas/records/UserScramCredentialRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, read_length, read_text_length, skip_tags, too_short,
    unfit, write_text_length, write_uvarint,
)

_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class UserScramCredentialRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Mechanism", "mechanism", "int8", None),
        ("Salt", "salt", "bytes", None),
        ("StoredKey", "stored_key", "bytes", None),
        ("ServerKey", "server_key", "bytes", None),
        ("Iterations", "iterations", "int32", None),
    )
    NAME: ClassVar = "UserScramCredentialRecord"
    API_KEY: ClassVar = 11
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    name: str = ""
    mechanism: int = 0
    salt: bytes = b""
    stored_key: bytes = b""
    server_key: bytes = b""
    iterations: int = 0


def decode_user_scram_credential_record_v0(buf: bytes, pos: int, end: int) -> tuple[UserScramCredentialRecord, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Name")
        if n < 0:
            raise null("Name")
        name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        mechanism, = _read_b(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if n < 0:
            raise null("Salt")
        salt = buf[pos : pos + n]
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if n < 0:
            raise null("StoredKey")
        stored_key = buf[pos : pos + n]
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if n < 0:
            raise null("ServerKey")
        server_key = buf[pos : pos + n]
        pos += n
        iterations, = _read_i(buf, pos)
        pos += 4
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = UserScramCredentialRecord(name, mechanism, salt, stored_key, server_key, iterations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_user_scram_credential_record_v0(out: bytearray, m: UserScramCredentialRecord) -> None:
    try:
        text = m.name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Name")
        out += text
        out += _write_b(m.mechanism)
        salt = m.salt
        n = len(salt) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += salt
        stored_key = m.stored_key
        n = len(stored_key) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += stored_key
        server_key = m.server_key
        n = len(server_key) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += server_key
        out += _write_i(m.iterations)
        out.append(0)
    except UNFIT as error:
        raise unfit("UserScramCredentialRecord", error) from error

UserScramCredentialRecord.DECODERS = {
    0: decode_user_scram_credential_record_v0,
}

UserScramCredentialRecord.ENCODERS = {
    0: encode_user_scram_credential_record_v0,
}

__all__ = [
    "UserScramCredentialRecord",
]
