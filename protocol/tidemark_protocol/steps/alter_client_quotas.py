# Generated from schemas/messages/AlterClientQuotasRequest.json and schemas/messages/AlterClientQuotasResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasRequestEntityData,
    AlterClientQuotasRequestEntryData,
    AlterClientQuotasResponse,
    OpData,
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


def decode_alter_client_quotas_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[AlterClientQuotasRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Entries")
        if n > end - pos:
            check_count(n, pos, end)
        entries: list[AlterClientQuotasRequestEntryData] = []
        entries_count = n
        for _ in range(entries_count):
            yield 1
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Entity")
            if n > end - pos:
                check_count(n, pos, end)
            entries_entity: list[AlterClientQuotasRequestEntityData] = []
            entries_entity_count = n
            for _ in range(entries_entity_count):
                yield 1
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
            if n < 0:
                raise null("Ops")
            if n > end - pos:
                check_count(n, pos, end)
            entries_ops: list[OpData] = []
            entries_ops_count = n
            for _ in range(entries_ops_count):
                yield 1
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
    check_end(pos, end)
    return message, pos


def decode_alter_client_quotas_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[AlterClientQuotasRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Entries")
        if n > end - pos:
            check_count(n, pos, end)
        entries: list[AlterClientQuotasRequestEntryData] = []
        entries_count = n
        for _ in range(entries_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Entity")
            if n > end - pos:
                check_count(n, pos, end)
            entries_entity: list[AlterClientQuotasRequestEntityData] = []
            entries_entity_count = n
            for _ in range(entries_entity_count):
                yield 1
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                    if n > TEXT_MAX:
                        raise too_long("EntityType", n)
                if n < 0:
                    raise null("EntityType")
                entries_entity_entity_type = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                    if n > TEXT_MAX:
                        raise too_long("EntityName", n)
                entries_entity_entity_name: str | None = None
                if n >= 0:
                    entries_entity_entity_name = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                entries_entity.append(AlterClientQuotasRequestEntityData(entries_entity_entity_type, entries_entity_entity_name))
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Ops")
            if n > end - pos:
                check_count(n, pos, end)
            entries_ops: list[OpData] = []
            entries_ops_count = n
            for _ in range(entries_ops_count):
                yield 1
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                    if n > TEXT_MAX:
                        raise too_long("Key", n)
                if n < 0:
                    raise null("Key")
                entries_ops_key = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                entries_ops_value, entries_ops_remove = _read_dz(buf, pos)
                pos += 9
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                entries_ops.append(OpData(entries_ops_key, entries_ops_value, entries_ops_remove))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            entries.append(AlterClientQuotasRequestEntryData(entries_entity, entries_ops))
        validate_only, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = AlterClientQuotasRequest(entries, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_alter_client_quotas_response_v0(out: bytearray, m: AlterClientQuotasResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        entries = m.entries
        out += _write_i(len(entries))
        for entries_item in entries:
            yield 1
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
                yield 1
                entries_entity_entity_type = entries_entity_item.entity_type
                text = entries_entity_entity_type.encode()
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


def encode_alter_client_quotas_response_v1(out: bytearray, m: AlterClientQuotasResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        entries = m.entries
        n = len(entries) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for entries_item in entries:
            yield 1
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
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
            entries_entity = entries_item.entity
            n = len(entries_entity) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for entries_entity_item in entries_entity:
                yield 1
                entries_entity_entity_type = entries_entity_item.entity_type
                text = entries_entity_entity_type.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("EntityType", n - 1)
                    write_uvarint(out, n)
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
                        if n > TEXT_MAX + 1:
                            raise too_long("EntityName", n - 1)
                        write_uvarint(out, n)
                    out += text
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterClientQuotasResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_alter_client_quotas_request_v0,
    1: decode_alter_client_quotas_request_v1,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_alter_client_quotas_response_v0,
    1: encode_alter_client_quotas_response_v1,
}

__all__ = ["DECODERS", "ENCODERS"]
