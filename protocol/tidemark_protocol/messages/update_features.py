# Generated from schemas/messages/UpdateFeaturesRequest.json and schemas/messages/UpdateFeaturesResponse.json. Edit that, then run make generate.

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
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_hz = struct.Struct(">h?")
_read_hz = _hz.unpack_from
_write_hz = _hz.pack
_hb = struct.Struct(">hb")
_read_hb = _hb.unpack_from
_write_hb = _hb.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class FeatureUpdateKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Feature", "feature", "string", None),
        ("MaxVersionLevel", "max_version_level", "int16", None),
        ("AllowDowngrade", "allow_downgrade", "bool", None),
        ("UpgradeType", "upgrade_type", "int8", None),
    )
    feature: str = ""
    max_version_level: int = 0
    allow_downgrade: bool = False
    upgrade_type: int = 1


class UpdateFeaturesRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("timeoutMs", "timeout_ms", "int32", None),
        ("FeatureUpdates", "feature_updates", "[]struct", FeatureUpdateKey),
        ("ValidateOnly", "validate_only", "bool", None),
    )
    NAME: ClassVar = "UpdateFeaturesRequest"
    API_KEY: ClassVar = 57
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    timeout_ms: int = 60000
    feature_updates: list[FeatureUpdateKey] = []
    validate_only: bool = False


class UpdatableFeatureResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Feature", "feature", "string", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    feature: str = ""
    error_code: int = 0
    error_message: str | None = ""


class UpdateFeaturesResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("Results", "results", "[]struct", UpdatableFeatureResult),
    )
    NAME: ClassVar = "UpdateFeaturesResponse"
    API_KEY: ClassVar = 57
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    results: list[UpdatableFeatureResult] = []


def decode_update_features_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[UpdateFeaturesRequest, int]:
    try:
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("FeatureUpdates", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        feature_updates: list[FeatureUpdateKey] = []
        feature_updates_count = n
        for _ in range(feature_updates_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Feature")
            if n < 0:
                raise null("Feature")
            feature_updates_feature = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            feature_updates_max_version_level, feature_updates_allow_downgrade = _read_hz(buf, pos)
            pos += 3
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            feature_updates.append(FeatureUpdateKey(feature_updates_feature, feature_updates_max_version_level, feature_updates_allow_downgrade))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = UpdateFeaturesRequest(timeout_ms, feature_updates)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_update_features_request_v0(out: bytearray, m: UpdateFeaturesRequest) -> None:
    try:
        out += _write_i(m.timeout_ms)
        feature_updates = m.feature_updates
        n = len(feature_updates) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for feature_updates_item in feature_updates:
            text = feature_updates_item.feature.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Feature")
            out += text
            out += _write_hz(feature_updates_item.max_version_level, feature_updates_item.allow_downgrade)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("UpdateFeaturesRequest", error) from error


def decode_update_features_request_v1_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[UpdateFeaturesRequest, int]:
    try:
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("FeatureUpdates", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        feature_updates: list[FeatureUpdateKey] = []
        feature_updates_count = n
        for _ in range(feature_updates_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Feature")
            if n < 0:
                raise null("Feature")
            feature_updates_feature = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            feature_updates_max_version_level, feature_updates_upgrade_type = _read_hb(buf, pos)
            pos += 3
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            feature_updates.append(FeatureUpdateKey(feature_updates_feature, feature_updates_max_version_level, False, feature_updates_upgrade_type))
        validate_only, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = UpdateFeaturesRequest(timeout_ms, feature_updates, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_update_features_request_v1_v2(out: bytearray, m: UpdateFeaturesRequest) -> None:
    try:
        out += _write_i(m.timeout_ms)
        feature_updates = m.feature_updates
        n = len(feature_updates) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for feature_updates_item in feature_updates:
            text = feature_updates_item.feature.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Feature")
            out += text
            out += _write_hb(feature_updates_item.max_version_level, feature_updates_item.upgrade_type)
            out.append(0)
        out += _write_z(m.validate_only)
        out.append(0)
    except UNFIT as error:
        raise unfit("UpdateFeaturesRequest", error) from error

UpdateFeaturesRequest.DECODERS = {
    0: decode_update_features_request_v0,
    1: decode_update_features_request_v1_v2, 2: decode_update_features_request_v1_v2,
}

UpdateFeaturesRequest.ENCODERS = {
    0: encode_update_features_request_v0,
    1: encode_update_features_request_v1_v2, 2: encode_update_features_request_v1_v2,
}



def decode_update_features_response_v0_v1(buf: bytes, pos: int, end: int) -> tuple[UpdateFeaturesResponse, int]:
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
        if not 0 <= n <= end - pos:
            raise wrong_count("Results", n, pos, end)
        results: list[UpdatableFeatureResult] = []
        results_count = n
        for _ in range(results_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Feature")
            if n < 0:
                raise null("Feature")
            results_feature = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            results_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
            results_error_message: str | None = None
            if n >= 0:
                results_error_message = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results.append(UpdatableFeatureResult(results_feature, results_error_code, results_error_message))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = UpdateFeaturesResponse(throttle_time_ms, error_code, error_message, results)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_update_features_response_v0_v1(out: bytearray, m: UpdateFeaturesResponse) -> None:
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
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            text = results_item.feature.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Feature")
            out += text
            out += _write_h(results_item.error_code)
            results_error_message = results_item.error_message
            if results_error_message is None:
                out.append(0)
            else:
                text = results_error_message.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "ErrorMessage")
                out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("UpdateFeaturesResponse", error) from error


def decode_update_features_response_v2(buf: bytes, pos: int, end: int) -> tuple[UpdateFeaturesResponse, int]:
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
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = UpdateFeaturesResponse(throttle_time_ms, error_code, error_message)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_update_features_response_v2(out: bytearray, m: UpdateFeaturesResponse) -> None:
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
        out.append(0)
    except UNFIT as error:
        raise unfit("UpdateFeaturesResponse", error) from error

UpdateFeaturesResponse.DECODERS = {
    0: decode_update_features_response_v0_v1, 1: decode_update_features_response_v0_v1,
    2: decode_update_features_response_v2,
}

UpdateFeaturesResponse.ENCODERS = {
    0: encode_update_features_response_v0_v1, 1: encode_update_features_response_v0_v1,
    2: encode_update_features_response_v2,
}

__all__ = [
    "FeatureUpdateKey", "UpdatableFeatureResult", "UpdateFeaturesRequest", "UpdateFeaturesResponse",
]
