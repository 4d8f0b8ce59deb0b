# Generated from schemas/messages/DescribeClientQuotasRequest.json and schemas/messages/DescribeClientQuotasResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, check_count, null, past_end, read_length, read_text_length,
    skip_tags, skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_d = struct.Struct(">d")
_read_d = _d.unpack_from
_write_d = _d.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class ComponentData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("EntityType", "entity_type", "string", None),
        ("MatchType", "match_type", "int8", None),
        ("Match", "match", "string", None),
    )
    entity_type: str = ""
    match_type: int = 0
    match: str | None = ""


class DescribeClientQuotasRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Components", "components", "[]struct", ComponentData),
        ("Strict", "strict", "bool", None),
    )
    NAME: ClassVar = "DescribeClientQuotasRequest"
    API_KEY: ClassVar = 48
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 1
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    components: list[ComponentData] = []
    strict: bool = False


class EntityData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("EntityType", "entity_type", "string", None),
        ("EntityName", "entity_name", "string", None),
    )
    entity_type: str = ""
    entity_name: str | None = ""


class ValueData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Key", "key", "string", None),
        ("Value", "value", "float64", None),
    )
    key: str = ""
    value: float = 0.0


class EntryData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Entity", "entity", "[]struct", EntityData),
        ("Values", "values", "[]struct", ValueData),
    )
    entity: list[EntityData] = []
    values: list[ValueData] = []


class DescribeClientQuotasResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("Entries", "entries", "[]struct", EntryData),
    )
    NAME: ClassVar = "DescribeClientQuotasResponse"
    API_KEY: ClassVar = 48
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 1
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    entries: list[EntryData] | None = []


def decode_describe_client_quotas_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeClientQuotasRequest, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Components", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        components: list[ComponentData] = []
        components_count = n
        for _ in range(components_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("EntityType")
            components_entity_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            components_match_type, = _read_b(buf, pos)
            pos += 1
            n = _read_h(buf, pos)[0]
            pos += 2
            components_match: str | None = None
            if n >= 0:
                components_match = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            components.append(ComponentData(components_entity_type, components_match_type, components_match))
        strict, = _read_z(buf, pos)
        pos += 1
        message = DescribeClientQuotasRequest(components, strict)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_client_quotas_request_v0(out: bytearray, m: DescribeClientQuotasRequest) -> None:
    try:
        components = m.components
        out += _write_i(len(components))
        for components_item in components:
            text = components_item.entity_type.encode()
            out += _write_h(len(text))
            out += text
            out += _write_b(components_item.match_type)
            components_match = components_item.match
            if components_match is None:
                out += _write_h(-1)
            else:
                text = components_match.encode()
                out += _write_h(len(text))
                out += text
        out += _write_z(m.strict)
    except UNFIT as error:
        raise unfit("DescribeClientQuotasRequest", error) from error


def decode_describe_client_quotas_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeClientQuotasRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Components", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        components: list[ComponentData] = []
        components_count = n
        for _ in range(components_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "EntityType")
            if n < 0:
                raise null("EntityType")
            components_entity_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            components_match_type, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Match")
            components_match: str | None = None
            if n >= 0:
                components_match = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            components.append(ComponentData(components_entity_type, components_match_type, components_match))
        strict, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeClientQuotasRequest(components, strict)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_client_quotas_request_v1(out: bytearray, m: DescribeClientQuotasRequest) -> None:
    try:
        components = m.components
        n = len(components) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for components_item in components:
            text = components_item.entity_type.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "EntityType")
            out += text
            out += _write_b(components_item.match_type)
            components_match = components_item.match
            if components_match is None:
                out.append(0)
            else:
                text = components_match.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Match")
                out += text
            out.append(0)
        out += _write_z(m.strict)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeClientQuotasRequest", error) from error

DescribeClientQuotasRequest.DECODERS = {
    0: decode_describe_client_quotas_request_v0,
    1: decode_describe_client_quotas_request_v1,
}

DescribeClientQuotasRequest.ENCODERS = {
    0: encode_describe_client_quotas_request_v0,
    1: encode_describe_client_quotas_request_v1,
}



def decode_describe_client_quotas_response_v0(buf: bytes, pos: int, end: int) -> tuple[DescribeClientQuotasResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = _read_h(buf, pos)[0]
        pos += 2
        error_message: str | None = None
        if n >= 0:
            error_message = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        entries: list[EntryData] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            entries_list: list[EntryData] = []
            entries_count = n
            for _ in range(entries_count):
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("Entity", n, pos, end)
                entries_entity: list[EntityData] = []
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
                    entries_entity.append(EntityData(entries_entity_entity_type, entries_entity_entity_name))
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("Values", n, pos, end)
                entries_values: list[ValueData] = []
                entries_values_count = n
                for _ in range(entries_values_count):
                    n = _read_h(buf, pos)[0]
                    pos += 2
                    if n < 0:
                        raise null("Key")
                    entries_values_key = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    entries_values_value, = _read_d(buf, pos)
                    pos += 8
                    entries_values.append(ValueData(entries_values_key, entries_values_value))
                entries_list.append(EntryData(entries_entity, entries_values))
            entries = entries_list
        message = DescribeClientQuotasResponse(throttle_time_ms, error_code, error_message, entries)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_client_quotas_response_v0(out: bytearray, m: DescribeClientQuotasResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        error_message = m.error_message
        if error_message is None:
            out += _write_h(-1)
        else:
            text = error_message.encode()
            out += _write_h(len(text))
            out += text
        entries = m.entries
        if entries is None:
            out += _write_i(-1)
        else:
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
                entries_values = entries_item.values
                out += _write_i(len(entries_values))
                for entries_values_item in entries_values:
                    text = entries_values_item.key.encode()
                    out += _write_h(len(text))
                    out += text
                    out += _write_d(entries_values_item.value)
    except UNFIT as error:
        raise unfit("DescribeClientQuotasResponse", error) from error


def decode_describe_client_quotas_response_v1(buf: bytes, pos: int, end: int) -> tuple[DescribeClientQuotasResponse, int]:
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
        entries: list[EntryData] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            entries_list: list[EntryData] = []
            entries_count = n
            for _ in range(entries_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Entity", n, pos, end)
                entries_entity: list[EntityData] = []
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
                    entries_entity.append(EntityData(entries_entity_entity_type, entries_entity_entity_name))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Values", n, pos, end)
                entries_values: list[ValueData] = []
                entries_values_count = n
                for _ in range(entries_values_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Key")
                    if n < 0:
                        raise null("Key")
                    entries_values_key = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    entries_values_value, = _read_d(buf, pos)
                    pos += 8
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    entries_values.append(ValueData(entries_values_key, entries_values_value))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                entries_list.append(EntryData(entries_entity, entries_values))
            entries = entries_list
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeClientQuotasResponse(throttle_time_ms, error_code, error_message, entries)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_client_quotas_response_v1(out: bytearray, m: DescribeClientQuotasResponse) -> None:
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
        entries = m.entries
        if entries is None:
            out.append(0)
        else:
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
                entries_values = entries_item.values
                n = len(entries_values) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for entries_values_item in entries_values:
                    text = entries_values_item.key.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Key")
                    out += text
                    out += _write_d(entries_values_item.value)
                    out.append(0)
                out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeClientQuotasResponse", error) from error

DescribeClientQuotasResponse.DECODERS = {
    0: decode_describe_client_quotas_response_v0,
    1: decode_describe_client_quotas_response_v1,
}

DescribeClientQuotasResponse.ENCODERS = {
    0: encode_describe_client_quotas_response_v0,
    1: encode_describe_client_quotas_response_v1,
}

__all__ = [
    "ComponentData", "DescribeClientQuotasRequest", "DescribeClientQuotasResponse", "EntityData", "EntryData",
    "ValueData",
]
