# Generated from schemas/records/DefaultPrincipalData.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, read_text_length, skip_tags, too_short, unfit,
    write_text_length,
)

_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack


class DefaultPrincipalData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Type", "type", "string", None),
        ("Name", "name", "string", None),
        ("TokenAuthenticated", "token_authenticated", "bool", None),
    )
    NAME: ClassVar = "DefaultPrincipalData"
    API_KEY: ClassVar = -1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    type: str = ""
    name: str = ""
    token_authenticated: bool = False


def decode_default_principal_data_v0(buf: bytes, pos: int, end: int) -> tuple[DefaultPrincipalData, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Type")
        if n < 0:
            raise null("Type")
        type = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Name")
        if n < 0:
            raise null("Name")
        name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        token_authenticated, = _read_z(buf, pos)
        pos += 1
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DefaultPrincipalData(type, name, token_authenticated)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_default_principal_data_v0(out: bytearray, m: DefaultPrincipalData) -> None:
    try:
        text = m.type.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Type")
        out += text
        text = m.name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Name")
        out += text
        out += _write_z(m.token_authenticated)
        out.append(0)
    except UNFIT as error:
        raise unfit("DefaultPrincipalData", error) from error

DefaultPrincipalData.DECODERS = {
    0: decode_default_principal_data_v0,
}

DefaultPrincipalData.ENCODERS = {
    0: encode_default_principal_data_v0,
}

__all__ = [
    "DefaultPrincipalData",
]
