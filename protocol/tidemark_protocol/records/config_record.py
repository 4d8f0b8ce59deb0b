# Generated from schemas/records/ConfigRecord.json. Edit that, then run make generate.

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


class ConfigRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ResourceType", "resource_type", "int8", None),
        ("ResourceName", "resource_name", "string", None),
        ("Name", "name", "string", None),
        ("Value", "value", "string", None),
    )
    NAME: ClassVar = "ConfigRecord"
    API_KEY: ClassVar = 4
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    resource_type: int = 0
    resource_name: str = ""
    name: str = ""
    value: str | None = ""


def decode_config_record_v0(buf: bytes, pos: int, end: int) -> tuple[ConfigRecord, int]:
    try:
        resource_type, = _read_b(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ResourceName")
        if n < 0:
            raise null("ResourceName")
        resource_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Name")
        if n < 0:
            raise null("Name")
        name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Value")
        value: str | None = None
        if n >= 0:
            value = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ConfigRecord(resource_type, resource_name, name, value)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_config_record_v0(out: bytearray, m: ConfigRecord) -> None:
    try:
        out += _write_b(m.resource_type)
        text = m.resource_name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ResourceName")
        out += text
        text = m.name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Name")
        out += text
        value = m.value
        if value is None:
            out.append(0)
        else:
            text = value.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Value")
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("ConfigRecord", error) from error

ConfigRecord.DECODERS = {
    0: decode_config_record_v0,
}

ConfigRecord.ENCODERS = {
    0: encode_config_record_v0,
}

__all__ = [
    "ConfigRecord",
]
