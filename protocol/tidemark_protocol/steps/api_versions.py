# Generated from schemas/messages/ApiVersionsRequest.json and schemas/messages/ApiVersionsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.api_versions import (
    ApiVersionsRequest,
    ApiVersionsResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    check_end,
    null,
    read_uvarint,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
    write_tags,
    write_uvarint,
)

_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_hh = struct.Struct(">hh")
_read_hh = _hh.unpack_from
_write_hh = _hh.pack
_hhh = struct.Struct(">hhh")
_read_hhh = _hhh.unpack_from
_write_hhh = _hhh.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack


def decode_api_versions_request_v0_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ApiVersionsRequest, int]]:
    try:
        yield 1
        message = ApiVersionsRequest()
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_api_versions_request_v3_v4(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ApiVersionsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ClientSoftwareName", n)
        if n < 0:
            raise null("ClientSoftwareName")
        client_software_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ClientSoftwareVersion", n)
        if n < 0:
            raise null("ClientSoftwareVersion")
        client_software_version = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ApiVersionsRequest(client_software_name, client_software_version)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_api_versions_response_v0(out: bytearray, m: ApiVersionsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        api_keys = m.api_keys
        out += _write_i(len(api_keys))
        for api_keys_item in api_keys:
            yield 1
            out += _write_hhh(api_keys_item.api_key, api_keys_item.min_version, api_keys_item.max_version)
    except UNFIT as error:
        raise unfit("ApiVersionsResponse", error) from error


def encode_api_versions_response_v1_v2(out: bytearray, m: ApiVersionsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        api_keys = m.api_keys
        out += _write_i(len(api_keys))
        for api_keys_item in api_keys:
            yield 1
            out += _write_hhh(api_keys_item.api_key, api_keys_item.min_version, api_keys_item.max_version)
        out += _write_i(m.throttle_time_ms)
    except UNFIT as error:
        raise unfit("ApiVersionsResponse", error) from error


def encode_api_versions_response_v3_v4(out: bytearray, m: ApiVersionsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        api_keys = m.api_keys
        n = len(api_keys) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for api_keys_item in api_keys:
            yield 1
            out += _write_hhh(api_keys_item.api_key, api_keys_item.min_version, api_keys_item.max_version)
            out.append(0)
        out += _write_i(m.throttle_time_ms)
        tags: list[tuple[int, bytearray]] = []
        if m.supported_features:
            outer = out
            out = bytearray()
            supported_features = m.supported_features
            n = len(supported_features) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for supported_features_item in supported_features:
                yield 1
                supported_features_name = supported_features_item.name
                text = supported_features_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Name", n - 1)
                    write_uvarint(out, n)
                out += text
                out += _write_hh(supported_features_item.min_version, supported_features_item.max_version)
                out.append(0)
            tags.append((0, out))
            out = outer
        if m.finalized_features_epoch != -1:
            outer = out
            out = bytearray()
            out += _write_q(m.finalized_features_epoch)
            tags.append((1, out))
            out = outer
        if m.finalized_features:
            outer = out
            out = bytearray()
            finalized_features = m.finalized_features
            n = len(finalized_features) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for finalized_features_item in finalized_features:
                yield 1
                finalized_features_name = finalized_features_item.name
                text = finalized_features_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Name", n - 1)
                    write_uvarint(out, n)
                out += text
                out += _write_hh(finalized_features_item.max_version_level, finalized_features_item.min_version_level)
                out.append(0)
            tags.append((2, out))
            out = outer
        if m.zk_migration_ready:
            outer = out
            out = bytearray()
            out += _write_z(m.zk_migration_ready)
            tags.append((3, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("ApiVersionsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_api_versions_request_v0_v2,
    1: decode_api_versions_request_v0_v2,
    2: decode_api_versions_request_v0_v2,
    3: decode_api_versions_request_v3_v4,
    4: decode_api_versions_request_v3_v4,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_api_versions_response_v0,
    1: encode_api_versions_response_v1_v2,
    2: encode_api_versions_response_v1_v2,
    3: encode_api_versions_response_v3_v4,
    4: encode_api_versions_response_v3_v4,
}

__all__ = ["DECODERS", "ENCODERS"]
