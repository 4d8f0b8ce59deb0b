# Generated from schemas/messages/ApiVersionsRequest.json and schemas/messages/ApiVersionsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_tag_count, read_text_length,
    read_uvarint, skip_tag, skip_tags, skip_tags_within, too_short, unfit, write_tags, write_text_length,
    write_uvarint, wrong_count,
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


class ApiVersionsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ClientSoftwareName", "client_software_name", "string", None),
        ("ClientSoftwareVersion", "client_software_version", "string", None),
        ("ClusterId", "cluster_id", "string", None),
        ("NodeId", "node_id", "int32", None),
    )
    NAME: ClassVar = "ApiVersionsRequest"
    API_KEY: ClassVar = 18
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 5
    FLEXIBLE_FROM: ClassVar = 3
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    client_software_name: str = ""
    client_software_version: str = ""
    cluster_id: str | None = None
    node_id: int = -1


class ApiVersion(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ApiKey", "api_key", "int16", None),
        ("MinVersion", "min_version", "int16", None),
        ("MaxVersion", "max_version", "int16", None),
    )
    api_key: int = 0
    min_version: int = 0
    max_version: int = 0


class SupportedFeatureKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("MinVersion", "min_version", "int16", None),
        ("MaxVersion", "max_version", "int16", None),
    )
    name: str = ""
    min_version: int = 0
    max_version: int = 0


class FinalizedFeatureKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("MaxVersionLevel", "max_version_level", "int16", None),
        ("MinVersionLevel", "min_version_level", "int16", None),
    )
    name: str = ""
    max_version_level: int = 0
    min_version_level: int = 0


class ApiVersionsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("ApiKeys", "api_keys", "[]struct", ApiVersion),
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("SupportedFeatures", "supported_features", "[]struct", SupportedFeatureKey),
        ("FinalizedFeaturesEpoch", "finalized_features_epoch", "int64", None),
        ("FinalizedFeatures", "finalized_features", "[]struct", FinalizedFeatureKey),
        ("ZkMigrationReady", "zk_migration_ready", "bool", None),
    )
    NAME: ClassVar = "ApiVersionsResponse"
    API_KEY: ClassVar = 18
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 5
    FLEXIBLE_FROM: ClassVar = 3
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    error_code: int = 0
    api_keys: list[ApiVersion] = []
    throttle_time_ms: int = 0
    supported_features: list[SupportedFeatureKey] = []
    finalized_features_epoch: int = -1
    finalized_features: list[FinalizedFeatureKey] = []
    zk_migration_ready: bool = False


def decode_api_versions_request_v0_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ApiVersionsRequest, int]:
    try:
        message = ApiVersionsRequest()
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_api_versions_request_v0_v2(out: bytearray, m: ApiVersionsRequest) -> None:
    return


def decode_api_versions_request_v3_v4(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ApiVersionsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClientSoftwareName")
        if n < 0:
            raise null("ClientSoftwareName")
        client_software_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClientSoftwareVersion")
        if n < 0:
            raise null("ClientSoftwareVersion")
        client_software_version = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ApiVersionsRequest(client_software_name, client_software_version)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_api_versions_request_v3_v4(out: bytearray, m: ApiVersionsRequest) -> None:
    try:
        text = m.client_software_name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ClientSoftwareName")
        out += text
        text = m.client_software_version.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ClientSoftwareVersion")
        out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("ApiVersionsRequest", error) from error


def decode_api_versions_request_v5(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ApiVersionsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClientSoftwareName")
        if n < 0:
            raise null("ClientSoftwareName")
        client_software_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClientSoftwareVersion")
        if n < 0:
            raise null("ClientSoftwareVersion")
        client_software_version = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClusterId")
        cluster_id: str | None = None
        if n >= 0:
            cluster_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        node_id, = _read_i(buf, pos)
        pos += 4
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ApiVersionsRequest(client_software_name, client_software_version, cluster_id, node_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_api_versions_request_v5(out: bytearray, m: ApiVersionsRequest) -> None:
    try:
        text = m.client_software_name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ClientSoftwareName")
        out += text
        text = m.client_software_version.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ClientSoftwareVersion")
        out += text
        cluster_id = m.cluster_id
        if cluster_id is None:
            out.append(0)
        else:
            text = cluster_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "ClusterId")
            out += text
        out += _write_i(m.node_id)
        out.append(0)
    except UNFIT as error:
        raise unfit("ApiVersionsRequest", error) from error

ApiVersionsRequest.DECODERS = {
    0: decode_api_versions_request_v0_v2, 1: decode_api_versions_request_v0_v2,
    2: decode_api_versions_request_v0_v2,
    3: decode_api_versions_request_v3_v4, 4: decode_api_versions_request_v3_v4,
    5: decode_api_versions_request_v5,
}

ApiVersionsRequest.ENCODERS = {
    0: encode_api_versions_request_v0_v2, 1: encode_api_versions_request_v0_v2,
    2: encode_api_versions_request_v0_v2,
    3: encode_api_versions_request_v3_v4, 4: encode_api_versions_request_v3_v4,
    5: encode_api_versions_request_v5,
}



def decode_api_versions_response_v0(buf: bytes, pos: int, end: int) -> tuple[ApiVersionsResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("ApiKeys", n, pos, end)
        api_keys: list[ApiVersion] = []
        api_keys_count = n
        for _ in range(api_keys_count):
            api_keys_api_key, api_keys_min_version, api_keys_max_version = _read_hhh(buf, pos)
            pos += 6
            api_keys.append(ApiVersion(api_keys_api_key, api_keys_min_version, api_keys_max_version))
        message = ApiVersionsResponse(error_code, api_keys)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_api_versions_response_v0(out: bytearray, m: ApiVersionsResponse) -> None:
    try:
        out += _write_h(m.error_code)
        api_keys = m.api_keys
        out += _write_i(len(api_keys))
        for api_keys_item in api_keys:
            out += _write_hhh(api_keys_item.api_key, api_keys_item.min_version, api_keys_item.max_version)
    except UNFIT as error:
        raise unfit("ApiVersionsResponse", error) from error


def decode_api_versions_response_v1_v2(buf: bytes, pos: int, end: int) -> tuple[ApiVersionsResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("ApiKeys", n, pos, end)
        api_keys: list[ApiVersion] = []
        api_keys_count = n
        for _ in range(api_keys_count):
            api_keys_api_key, api_keys_min_version, api_keys_max_version = _read_hhh(buf, pos)
            pos += 6
            api_keys.append(ApiVersion(api_keys_api_key, api_keys_min_version, api_keys_max_version))
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        message = ApiVersionsResponse(error_code, api_keys, throttle_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_api_versions_response_v1_v2(out: bytearray, m: ApiVersionsResponse) -> None:
    try:
        out += _write_h(m.error_code)
        api_keys = m.api_keys
        out += _write_i(len(api_keys))
        for api_keys_item in api_keys:
            out += _write_hhh(api_keys_item.api_key, api_keys_item.min_version, api_keys_item.max_version)
        out += _write_i(m.throttle_time_ms)
    except UNFIT as error:
        raise unfit("ApiVersionsResponse", error) from error


def decode_api_versions_response_v3_v5(buf: bytes, pos: int, end: int) -> tuple[ApiVersionsResponse, int]:
    try:
        error_code, = _read_h(buf, pos)
        pos += 2
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ApiKeys", n, pos, end)
        api_keys: list[ApiVersion] = []
        api_keys_count = n
        for _ in range(api_keys_count):
            api_keys_api_key, api_keys_min_version, api_keys_max_version = _read_hhh(buf, pos)
            pos += 6
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            api_keys.append(ApiVersion(api_keys_api_key, api_keys_min_version, api_keys_max_version))
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        supported_features: list[SupportedFeatureKey] = []
        finalized_features_epoch: int = -1
        finalized_features: list[FinalizedFeatureKey] = []
        zk_migration_ready: bool = False
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("SupportedFeatures", n, pos, end)
                    supported_features = []
                    supported_features_count = n
                    for _ in range(supported_features_count):
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Name")
                        if n < 0:
                            raise null("Name")
                        supported_features_name = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        supported_features_min_version, supported_features_max_version = _read_hh(buf, pos)
                        pos += 4
                        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                        supported_features.append(SupportedFeatureKey(supported_features_name, supported_features_min_version, supported_features_max_version))
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    finalized_features_epoch, = _read_q(buf, pos)
                    pos += 8
                elif tag == 2:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("FinalizedFeatures", n, pos, end)
                    finalized_features = []
                    finalized_features_count = n
                    for _ in range(finalized_features_count):
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Name")
                        if n < 0:
                            raise null("Name")
                        finalized_features_name = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        finalized_features_max_version_level, finalized_features_min_version_level = _read_hh(buf, pos)
                        pos += 4
                        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                        finalized_features.append(FinalizedFeatureKey(finalized_features_name, finalized_features_max_version_level, finalized_features_min_version_level))
                elif tag == 3:
                    _, pos = read_uvarint(buf, pos)
                    zk_migration_ready, = _read_z(buf, pos)
                    pos += 1
                else:
                    pos = skip_tag(buf, pos, end)
        message = ApiVersionsResponse(error_code, api_keys, throttle_time_ms, supported_features, finalized_features_epoch, finalized_features, zk_migration_ready)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_api_versions_response_v3_v5(out: bytearray, m: ApiVersionsResponse) -> None:
    try:
        out += _write_h(m.error_code)
        api_keys = m.api_keys
        n = len(api_keys) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for api_keys_item in api_keys:
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
                text = supported_features_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
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
                text = finalized_features_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
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

ApiVersionsResponse.DECODERS = {
    0: decode_api_versions_response_v0,
    1: decode_api_versions_response_v1_v2, 2: decode_api_versions_response_v1_v2,
    3: decode_api_versions_response_v3_v5, 4: decode_api_versions_response_v3_v5,
    5: decode_api_versions_response_v3_v5,
}

ApiVersionsResponse.ENCODERS = {
    0: encode_api_versions_response_v0,
    1: encode_api_versions_response_v1_v2, 2: encode_api_versions_response_v1_v2,
    3: encode_api_versions_response_v3_v5, 4: encode_api_versions_response_v3_v5,
    5: encode_api_versions_response_v3_v5,
}

__all__ = [
    "ApiVersion", "ApiVersionsRequest", "ApiVersionsResponse", "FinalizedFeatureKey", "SupportedFeatureKey",
]
