# Generated from schemas/messages/UpdateFeaturesRequest.json and schemas/messages/UpdateFeaturesResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.update_features import (
    FeatureUpdateKey,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
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


def decode_update_features_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[UpdateFeaturesRequest, int]]:
    try:
        yield 1
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("FeatureUpdates")
        if n > end - pos:
            check_count(n, pos, end)
        feature_updates: list[FeatureUpdateKey] = []
        feature_updates_count = n
        for _ in range(feature_updates_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Feature", n)
            if n < 0:
                raise null("Feature")
            feature_updates_feature = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            feature_updates_max_version_level, feature_updates_allow_downgrade = _read_hz(buf, pos)
            pos += 3
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            feature_updates.append(FeatureUpdateKey(feature_updates_feature, feature_updates_max_version_level, feature_updates_allow_downgrade))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = UpdateFeaturesRequest(timeout_ms, feature_updates)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_update_features_request_v1_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[UpdateFeaturesRequest, int]]:
    try:
        yield 1
        timeout_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("FeatureUpdates")
        if n > end - pos:
            check_count(n, pos, end)
        feature_updates: list[FeatureUpdateKey] = []
        feature_updates_count = n
        for _ in range(feature_updates_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Feature", n)
            if n < 0:
                raise null("Feature")
            feature_updates_feature = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            feature_updates_max_version_level, feature_updates_upgrade_type = _read_hb(buf, pos)
            pos += 3
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            feature_updates.append(FeatureUpdateKey(feature_updates_feature, feature_updates_max_version_level, False, feature_updates_upgrade_type))
        validate_only, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = UpdateFeaturesRequest(timeout_ms, feature_updates, validate_only)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_update_features_response_v0_v1(out: bytearray, m: UpdateFeaturesResponse) -> Generator[int, None, None]:
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
        results = m.results
        n = len(results) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_item in results:
            yield 1
            results_feature = results_item.feature
            text = results_feature.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Feature", n - 1)
                write_uvarint(out, n)
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
                    if n > TEXT_MAX + 1:
                        raise too_long("ErrorMessage", n - 1)
                    write_uvarint(out, n)
                out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("UpdateFeaturesResponse", error) from error


def encode_update_features_response_v2(out: bytearray, m: UpdateFeaturesResponse) -> Generator[int, None, None]:
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
        out.append(0)
    except UNFIT as error:
        raise unfit("UpdateFeaturesResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_update_features_request_v0,
    1: decode_update_features_request_v1_v2,
    2: decode_update_features_request_v1_v2,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_update_features_response_v0_v1,
    1: encode_update_features_response_v0_v1,
    2: encode_update_features_response_v2,
}

__all__ = ["DECODERS", "ENCODERS"]
