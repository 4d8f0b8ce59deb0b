# Generated from schemas/records/ClientQuotaRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, read_length, read_text_length, skip_tags, too_short,
    unfit, write_text_length, write_uvarint, wrong_count,
)

_dz = struct.Struct(">d?")
_read_dz = _dz.unpack_from
_write_dz = _dz.pack


class EntityData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("EntityType", "entity_type", "string", None),
        ("EntityName", "entity_name", "string", None),
    )
    entity_type: str = ""
    entity_name: str | None = ""


class ClientQuotaRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Entity", "entity", "[]struct", EntityData),
        ("Key", "key", "string", None),
        ("Value", "value", "float64", None),
        ("Remove", "remove", "bool", None),
    )
    NAME: ClassVar = "ClientQuotaRecord"
    API_KEY: ClassVar = 14
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    entity: list[EntityData] = []
    key: str = ""
    value: float = 0.0
    remove: bool = False


def decode_client_quota_record_v0(buf: bytes, pos: int, end: int) -> tuple[ClientQuotaRecord, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Entity", n, pos, end)
        entity: list[EntityData] = []
        entity_count = n
        for _ in range(entity_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "EntityType")
            if n < 0:
                raise null("EntityType")
            entity_entity_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "EntityName")
            entity_entity_name: str | None = None
            if n >= 0:
                entity_entity_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            entity.append(EntityData(entity_entity_type, entity_entity_name))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Key")
        if n < 0:
            raise null("Key")
        key = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        value, remove = _read_dz(buf, pos)
        pos += 9
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ClientQuotaRecord(entity, key, value, remove)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_client_quota_record_v0(out: bytearray, m: ClientQuotaRecord) -> None:
    try:
        entity = m.entity
        n = len(entity) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for entity_item in entity:
            text = entity_item.entity_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "EntityType")
            out += text
            entity_entity_name = entity_item.entity_name
            if entity_entity_name is None:
                out.append(0)
            else:
                text = entity_entity_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "EntityName")
                out += text
            out.append(0)
        text = m.key.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Key")
        out += text
        out += _write_dz(m.value, m.remove)
        out.append(0)
    except UNFIT as error:
        raise unfit("ClientQuotaRecord", error) from error

ClientQuotaRecord.DECODERS = {
    0: decode_client_quota_record_v0,
}

ClientQuotaRecord.ENCODERS = {
    0: encode_client_quota_record_v0,
}

__all__ = [
    "ClientQuotaRecord", "EntityData",
]
