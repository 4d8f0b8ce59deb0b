# Generated from schemas/records/AccessControlEntryRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, null, past_end, read_text_length, skip_tags, too_short, unfit,
    write_text_length,
)

_ub = struct.Struct(">16sb")
_read_ub = _ub.unpack_from
_write_ub = _ub.pack
_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_bb = struct.Struct(">bb")
_read_bb = _bb.unpack_from
_write_bb = _bb.pack


class AccessControlEntryRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Id", "id", "uuid", None),
        ("ResourceType", "resource_type", "int8", None),
        ("ResourceName", "resource_name", "string", None),
        ("PatternType", "pattern_type", "int8", None),
        ("Principal", "principal", "string", None),
        ("Host", "host", "string", None),
        ("Operation", "operation", "int8", None),
        ("PermissionType", "permission_type", "int8", None),
    )
    NAME: ClassVar = "AccessControlEntryRecord"
    API_KEY: ClassVar = 18
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    id: bytes = ZERO_UUID
    resource_type: int = 0
    resource_name: str = ""
    pattern_type: int = 0
    principal: str = ""
    host: str = ""
    operation: int = 0
    permission_type: int = 0


def decode_access_control_entry_record_v0(buf: bytes, pos: int, end: int) -> tuple[AccessControlEntryRecord, int]:
    try:
        id, resource_type = _read_ub(buf, pos)
        pos += 17
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ResourceName")
        if n < 0:
            raise null("ResourceName")
        resource_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        pattern_type, = _read_b(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Principal")
        if n < 0:
            raise null("Principal")
        principal = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Host")
        if n < 0:
            raise null("Host")
        host = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        operation, permission_type = _read_bb(buf, pos)
        pos += 2
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = AccessControlEntryRecord(id, resource_type, resource_name, pattern_type, principal, host, operation, permission_type)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_access_control_entry_record_v0(out: bytearray, m: AccessControlEntryRecord) -> None:
    try:
        out += _write_ub(m.id, m.resource_type)
        text = m.resource_name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ResourceName")
        out += text
        out += _write_b(m.pattern_type)
        text = m.principal.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Principal")
        out += text
        text = m.host.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Host")
        out += text
        out += _write_bb(m.operation, m.permission_type)
        out.append(0)
    except UNFIT as error:
        raise unfit("AccessControlEntryRecord", error) from error

AccessControlEntryRecord.DECODERS = {
    0: decode_access_control_entry_record_v0,
}

AccessControlEntryRecord.ENCODERS = {
    0: encode_access_control_entry_record_v0,
}

__all__ = [
    "AccessControlEntryRecord",
]
