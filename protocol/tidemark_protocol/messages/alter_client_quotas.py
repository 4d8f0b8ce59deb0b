# Generated from schemas/messages/AlterClientQuotasRequest.json and schemas/messages/AlterClientQuotasResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_dz = struct.Struct(">d?")
_read_dz = _dz.unpack_from
_write_dz = _dz.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class AlterClientQuotasRequestEntityData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("EntityType", "entity_type", "string", None),
        ("EntityName", "entity_name", "string", None),
    )
    entity_type: str = ""
    entity_name: str | None = ""


class OpData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Key", "key", "string", None),
        ("Value", "value", "float64", None),
        ("Remove", "remove", "bool", None),
    )
    key: str = ""
    value: float = 0.0
    remove: bool = False


class AlterClientQuotasRequestEntryData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Entity", "entity", "[]struct", AlterClientQuotasRequestEntityData),
        ("Ops", "ops", "[]struct", OpData),
    )
    entity: list[AlterClientQuotasRequestEntityData] = []
    ops: list[OpData] = []


class AlterClientQuotasRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Entries", "entries", "[]struct", AlterClientQuotasRequestEntryData),
        ("ValidateOnly", "validate_only", "bool", None),
    )
    NAME: ClassVar = "AlterClientQuotasRequest"
    API_KEY: ClassVar = 49
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 1
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    entries: list[AlterClientQuotasRequestEntryData] = []
    validate_only: bool = False


class AlterClientQuotasResponseEntityData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("EntityType", "entity_type", "string", None),
        ("EntityName", "entity_name", "string", None),
    )
    entity_type: str = ""
    entity_name: str | None = ""


class AlterClientQuotasResponseEntryData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("Entity", "entity", "[]struct", AlterClientQuotasResponseEntityData),
    )
    error_code: int = 0
    error_message: str | None = ""
    entity: list[AlterClientQuotasResponseEntityData] = []


class AlterClientQuotasResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("Entries", "entries", "[]struct", AlterClientQuotasResponseEntryData),
    )
    NAME: ClassVar = "AlterClientQuotasResponse"
    API_KEY: ClassVar = 49
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 1
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    entries: list[AlterClientQuotasResponseEntryData] = []


def decode_alter_client_quotas_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AlterClientQuotasRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Entries", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        entries: list[AlterClientQuotasRequestEntryData] = []
        entries_count = n
        for _ in range(entries_count):
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Entity", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            entries_entity: list[AlterClientQuotasRequestEntityData] = []
            entries_entity_count = n
            for _ in range(entries_entity_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("EntityType")
                entries_entity_entity_type = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                entries_entity_entity_name: str | None = None
                if n >= 0:
                    entries_entity_entity_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                entries_entity.append(AlterClientQuotasRequestEntityData(entries_entity_entity_type, entries_entity_entity_name))
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Ops", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            entries_ops: list[OpData] = []
            entries_ops_count = n
            for _ in range(entries_ops_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Key")
                entries_ops_key = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                entries_ops_value, entries_ops_remove = _read_dz(buf, pos)
                pos += 9
                entries_ops.append(OpData(entries_ops_key, entries_ops_value, entries_ops_remove))
            entries.append(AlterClientQuotasRequestEntryData(entries_entity, entries_ops))
        validate_only, = _read_z(buf, pos)
        pos += 1
        message = AlterClientQuotasRequest(entries, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_client_quotas_request_v0(out: bytearray, m: AlterClientQuotasRequest) -> None:
    try:
        entries = m.entries
        out += _write_i(len(entries))
        for entries_item in entries:
            entries_entity = entries_item.entity
            out += _write_i(len(entries_entity))
            for entries_entity_item in entries_entity:
                text = entries_entity_item.entity_type.encode()
                out += _write_h(len(text))
                out += text
                entries_entity_entity_name = entries_entity_item.entity_name
                if entries_entity_entity_name is None:
                    out += _write_h(-1)
                else:
                    text = entries_entity_entity_name.encode()
                    out += _write_h(len(text))
                    out += text
            entries_ops = entries_item.ops
            out += _write_i(len(entries_ops))
            for entries_ops_item in entries_ops:
                text = entries_ops_item.key.encode()
                out += _write_h(len(text))
                out += text
                out += _write_dz(entries_ops_item.value, entries_ops_item.remove)
        out += _write_z(m.validate_only)
    except UNFIT as error:
        raise unfit("AlterClientQuotasRequest", error) from error


def decode_alter_client_quotas_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AlterClientQuotasRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Entries", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        entries: list[AlterClientQuotasRequestEntryData] = []
        entries_count = n
        for _ in range(entries_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Entity", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            entries_entity: list[AlterClientQuotasRequestEntityData] = []
            entries_entity_count = n
            for _ in range(entries_entity_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "EntityType")
                if n < 0:
                    raise null("EntityType")
                entries_entity_entity_type = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "EntityName")
                entries_entity_entity_name: str | None = None
                if n >= 0:
                    entries_entity_entity_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                entries_entity.append(AlterClientQuotasRequestEntityData(entries_entity_entity_type, entries_entity_entity_name))
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Ops", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            entries_ops: list[OpData] = []
            entries_ops_count = n
            for _ in range(entries_ops_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Key")
                if n < 0:
                    raise null("Key")
                entries_ops_key = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                entries_ops_value, entries_ops_remove = _read_dz(buf, pos)
                pos += 9
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                entries_ops.append(OpData(entries_ops_key, entries_ops_value, entries_ops_remove))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            entries.append(AlterClientQuotasRequestEntryData(entries_entity, entries_ops))
        validate_only, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AlterClientQuotasRequest(entries, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_client_quotas_request_v1(out: bytearray, m: AlterClientQuotasRequest) -> None:
    try:
        entries = m.entries
        n = len(entries) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for entries_item in entries:
            entries_entity = entries_item.entity
            n = len(entries_entity) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for entries_entity_item in entries_entity:
                text = entries_entity_item.entity_type.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "EntityType")
                out += text
                entries_entity_entity_name = entries_entity_item.entity_name
                if entries_entity_entity_name is None:
                    out.append(0)
                else:
                    text = entries_entity_entity_name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "EntityName")
                    out += text
                out.append(0)
            entries_ops = entries_item.ops
            n = len(entries_ops) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for entries_ops_item in entries_ops:
                text = entries_ops_item.key.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Key")
                out += text
                out += _write_dz(entries_ops_item.value, entries_ops_item.remove)
                out.append(0)
            out.append(0)
        out += _write_z(m.validate_only)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterClientQuotasRequest", error) from error

AlterClientQuotasRequest.DECODERS = {
    0: decode_alter_client_quotas_request_v0,
    1: decode_alter_client_quotas_request_v1,
}

AlterClientQuotasRequest.ENCODERS = {
    0: encode_alter_client_quotas_request_v0,
    1: encode_alter_client_quotas_request_v1,
}



def decode_alter_client_quotas_response_v0(buf: bytes, pos: int, end: int) -> tuple[AlterClientQuotasResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Entries", n, pos, end)
        entries: list[AlterClientQuotasResponseEntryData] = []
        entries_count = n
        for _ in range(entries_count):
            entries_error_code, = _read_h(buf, pos)
            pos += 2
            n = _read_h(buf, pos)[0]
            pos += 2
            entries_error_message: str | None = None
            if n >= 0:
                entries_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Entity", n, pos, end)
            entries_entity: list[AlterClientQuotasResponseEntityData] = []
            entries_entity_count = n
            for _ in range(entries_entity_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("EntityType")
                entries_entity_entity_type = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_h(buf, pos)[0]
                pos += 2
                entries_entity_entity_name: str | None = None
                if n >= 0:
                    entries_entity_entity_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                entries_entity.append(AlterClientQuotasResponseEntityData(entries_entity_entity_type, entries_entity_entity_name))
            entries.append(AlterClientQuotasResponseEntryData(entries_error_code, entries_error_message, entries_entity))
        message = AlterClientQuotasResponse(throttle_time_ms, entries)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_client_quotas_response_v0(out: bytearray, m: AlterClientQuotasResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        entries = m.entries
        out += _write_i(len(entries))
        for entries_item in entries:
            out += _write_h(entries_item.error_code)
            entries_error_message = entries_item.error_message
            if entries_error_message is None:
                out += _write_h(-1)
            else:
                text = entries_error_message.encode()
                out += _write_h(len(text))
                out += text
            entries_entity = entries_item.entity
            out += _write_i(len(entries_entity))
            for entries_entity_item in entries_entity:
                text = entries_entity_item.entity_type.encode()
                out += _write_h(len(text))
                out += text
                entries_entity_entity_name = entries_entity_item.entity_name
                if entries_entity_entity_name is None:
                    out += _write_h(-1)
                else:
                    text = entries_entity_entity_name.encode()
                    out += _write_h(len(text))
                    out += text
    except UNFIT as error:
        raise unfit("AlterClientQuotasResponse", error) from error


def decode_alter_client_quotas_response_v1(buf: bytes, pos: int, end: int) -> tuple[AlterClientQuotasResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Entries", n, pos, end)
        entries: list[AlterClientQuotasResponseEntryData] = []
        entries_count = n
        for _ in range(entries_count):
            entries_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            entries_error_message: str | None = None
            if n >= 0:
                entries_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Entity", n, pos, end)
            entries_entity: list[AlterClientQuotasResponseEntityData] = []
            entries_entity_count = n
            for _ in range(entries_entity_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "EntityType")
                if n < 0:
                    raise null("EntityType")
                entries_entity_entity_type = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "EntityName")
                entries_entity_entity_name: str | None = None
                if n >= 0:
                    entries_entity_entity_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                entries_entity.append(AlterClientQuotasResponseEntityData(entries_entity_entity_type, entries_entity_entity_name))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            entries.append(AlterClientQuotasResponseEntryData(entries_error_code, entries_error_message, entries_entity))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = AlterClientQuotasResponse(throttle_time_ms, entries)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_client_quotas_response_v1(out: bytearray, m: AlterClientQuotasResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        entries = m.entries
        n = len(entries) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for entries_item in entries:
            out += _write_h(entries_item.error_code)
            entries_error_message = entries_item.error_message
            if entries_error_message is None:
                out.append(0)
            else:
                text = entries_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ErrorMessage")
                out += text
            entries_entity = entries_item.entity
            n = len(entries_entity) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for entries_entity_item in entries_entity:
                text = entries_entity_item.entity_type.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "EntityType")
                out += text
                entries_entity_entity_name = entries_entity_item.entity_name
                if entries_entity_entity_name is None:
                    out.append(0)
                else:
                    text = entries_entity_entity_name.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "EntityName")
                    out += text
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterClientQuotasResponse", error) from error

AlterClientQuotasResponse.DECODERS = {
    0: decode_alter_client_quotas_response_v0,
    1: decode_alter_client_quotas_response_v1,
}

AlterClientQuotasResponse.ENCODERS = {
    0: encode_alter_client_quotas_response_v0,
    1: encode_alter_client_quotas_response_v1,
}

__all__ = [
    "AlterClientQuotasRequest", "AlterClientQuotasRequestEntityData", "AlterClientQuotasRequestEntryData",
    "AlterClientQuotasResponse", "AlterClientQuotasResponseEntityData", "AlterClientQuotasResponseEntryData",
    "OpData",
]
