# Generated from schemas/records/RemoveUserScramCredentialRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, read_text_length, skip_tags, too_short, unfit,
    write_text_length,
)

_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack


class RemoveUserScramCredentialRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Mechanism", "mechanism", "int8", None),
    )
    NAME: ClassVar = "RemoveUserScramCredentialRecord"
    API_KEY: ClassVar = 22
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    name: str = ""
    mechanism: int = 0


def decode_remove_user_scram_credential_record_v0(buf: bytes, pos: int, end: int) -> tuple[RemoveUserScramCredentialRecord, int]:
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
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = RemoveUserScramCredentialRecord(name, mechanism)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_remove_user_scram_credential_record_v0(out: bytearray, m: RemoveUserScramCredentialRecord) -> None:
    try:
        text = m.name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Name")
        out += text
        out += _write_b(m.mechanism)
        out.append(0)
    except UNFIT as error:
        raise unfit("RemoveUserScramCredentialRecord", error) from error

RemoveUserScramCredentialRecord.DECODERS = {
    0: decode_remove_user_scram_credential_record_v0,
}

RemoveUserScramCredentialRecord.ENCODERS = {
    0: encode_remove_user_scram_credential_record_v0,
}

__all__ = [
    "RemoveUserScramCredentialRecord",
]
