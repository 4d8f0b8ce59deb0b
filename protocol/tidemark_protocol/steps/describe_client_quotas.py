# Generated from schemas/messages/DescribeClientQuotasRequest.json and schemas/messages/DescribeClientQuotasResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.describe_client_quotas import (
    ComponentData,
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
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


def decode_describe_client_quotas_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeClientQuotasRequest, int]]:
    try:
        yield 1
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("Components")
        if n > end - pos:
            check_count(n, pos, end)
        components: list[ComponentData] = []
        components_count = n
        for _ in range(components_count):
            yield 1
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
    check_end(pos, end)
    return message, pos


def decode_describe_client_quotas_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeClientQuotasRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Components")
        if n > end - pos:
            check_count(n, pos, end)
        components: list[ComponentData] = []
        components_count = n
        for _ in range(components_count):
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
            components_entity_type = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            components_match_type, = _read_b(buf, pos)
            pos += 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Match", n)
            components_match: str | None = None
            if n >= 0:
                components_match = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            components.append(ComponentData(components_entity_type, components_match_type, components_match))
        strict, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DescribeClientQuotasRequest(components, strict)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_describe_client_quotas_response_v0(out: bytearray, m: DescribeClientQuotasResponse) -> Generator[int, None, None]:
    try:
        yield 1
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
                yield 1
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
                entries_values = entries_item.values
                out += _write_i(len(entries_values))
                for entries_values_item in entries_values:
                    yield 1
                    entries_values_key = entries_values_item.key
                    text = entries_values_key.encode()
                    out += _write_h(len(text))
                    out += text
                    out += _write_d(entries_values_item.value)
    except UNFIT as error:
        raise unfit("DescribeClientQuotasResponse", error) from error


def encode_describe_client_quotas_response_v1(out: bytearray, m: DescribeClientQuotasResponse) -> Generator[int, None, None]:
    try:
        yield 1
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
                if n > TEXT_MAX + 1:
                    raise too_long("ErrorMessage", n - 1)
                write_uvarint(out, n)
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
                yield 1
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
                entries_values = entries_item.values
                n = len(entries_values) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for entries_values_item in entries_values:
                    yield 1
                    entries_values_key = entries_values_item.key
                    text = entries_values_key.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("Key", n - 1)
                        write_uvarint(out, n)
                    out += text
                    out += _write_d(entries_values_item.value)
                    out.append(0)
                out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeClientQuotasResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_describe_client_quotas_request_v0,
    1: decode_describe_client_quotas_request_v1,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_describe_client_quotas_response_v0,
    1: encode_describe_client_quotas_response_v1,
}

__all__ = ["DECODERS", "ENCODERS"]
