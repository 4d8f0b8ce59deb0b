# Generated from schemas/messages/ControllerRegistrationRequest.json and schemas/messages/ControllerRegistrationResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder,
    Encoder,
    SHORT,
    TEXT_MAX,
    UNBOUNDED,
    UNFIT,
    ZERO_UUID,
    check_count,
    null,
    past_end,
    read_uvarint,
    skip_tags,
    skip_tags_within,
    too_long,
    too_many,
    too_short,
    unfit,
    write_uvarint,
)

_Hh = struct.Struct(">Hh")
_read_Hh = _Hh.unpack_from
_write_Hh = _Hh.pack
_hh = struct.Struct(">hh")
_read_hh = _hh.unpack_from
_write_hh = _hh.pack
_iuz = struct.Struct(">i16s?")
_read_iuz = _iuz.unpack_from
_write_iuz = _iuz.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class Listener(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Host", "host", "string", None),
        ("Port", "port", "uint16", None),
        ("SecurityProtocol", "security_protocol", "int16", None),
    )
    name: str = ""
    host: str = ""
    port: int = 0
    security_protocol: int = 0


class Feature(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("MinSupportedVersion", "min_supported_version", "int16", None),
        ("MaxSupportedVersion", "max_supported_version", "int16", None),
    )
    name: str = ""
    min_supported_version: int = 0
    max_supported_version: int = 0


class ControllerRegistrationRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ControllerId", "controller_id", "int32", None),
        ("IncarnationId", "incarnation_id", "uuid", None),
        ("ZkMigrationReady", "zk_migration_ready", "bool", None),
        ("Listeners", "listeners", "[]struct", Listener),
        ("Features", "features", "[]struct", Feature),
    )
    NAME: ClassVar = "ControllerRegistrationRequest"
    API_KEY: ClassVar = 70
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    controller_id: int = 0
    incarnation_id: bytes = ZERO_UUID
    zk_migration_ready: bool = False
    listeners: list[Listener] = []
    features: list[Feature] = []


class ControllerRegistrationResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
    )
    NAME: ClassVar = "ControllerRegistrationResponse"
    API_KEY: ClassVar = 70
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""


def decode_controller_registration_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ControllerRegistrationRequest, int]:
    try:
        controller_id, incarnation_id, zk_migration_ready = _read_iuz(buf, pos)
        pos += 21
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Listeners")
        if n > end - pos:
            check_count(n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        listeners: list[Listener] = []
        listeners_count = n
        for _ in range(listeners_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Name", n)
            if n < 0:
                raise null("Name")
            listeners_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Host", n)
            if n < 0:
                raise null("Host")
            listeners_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            listeners_port, listeners_security_protocol = _read_Hh(buf, pos)
            pos += 4
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            listeners.append(Listener(listeners_name, listeners_host, listeners_port, listeners_security_protocol))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Features")
        if n > end - pos:
            check_count(n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        features: list[Feature] = []
        features_count = n
        for _ in range(features_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Name", n)
            if n < 0:
                raise null("Name")
            features_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            features_min_supported_version, features_max_supported_version = _read_hh(buf, pos)
            pos += 4
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            features.append(Feature(features_name, features_min_supported_version, features_max_supported_version))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ControllerRegistrationRequest(controller_id, incarnation_id, zk_migration_ready, listeners, features)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_controller_registration_request_v0(out: bytearray, m: ControllerRegistrationRequest) -> None:
    try:
        out += _write_iuz(m.controller_id, m.incarnation_id, m.zk_migration_ready)
        listeners = m.listeners
        n = len(listeners) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for listeners_item in listeners:
            listeners_name = listeners_item.name
            text = listeners_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Name", n - 1)
                write_uvarint(out, n)
            out += text
            listeners_host = listeners_item.host
            text = listeners_host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Host", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_Hh(listeners_item.port, listeners_item.security_protocol)
            out.append(0)
        features = m.features
        n = len(features) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for features_item in features:
            features_name = features_item.name
            text = features_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Name", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_hh(features_item.min_supported_version, features_item.max_supported_version)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ControllerRegistrationRequest", error) from error

ControllerRegistrationRequest.DECODERS = {
    0: decode_controller_registration_request_v0,
}

ControllerRegistrationRequest.ENCODERS = {
    0: encode_controller_registration_request_v0,
}



def decode_controller_registration_response_v0(buf: bytes, pos: int, end: int) -> tuple[ControllerRegistrationResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ErrorMessage", n)
        error_message: str | None = None
        if n >= 0:
            error_message = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        if buf[pos]:
            pos = skip_tags(buf, pos, end)
        else:
            pos += 1
        message = ControllerRegistrationResponse(throttle_time_ms, error_code, error_message)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_controller_registration_response_v0(out: bytearray, m: ControllerRegistrationResponse) -> None:
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
                if n > TEXT_MAX + 1:
                    raise too_long("ErrorMessage", n - 1)
                write_uvarint(out, n)
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("ControllerRegistrationResponse", error) from error

ControllerRegistrationResponse.DECODERS = {
    0: decode_controller_registration_response_v0,
}

ControllerRegistrationResponse.ENCODERS = {
    0: encode_controller_registration_response_v0,
}

__all__ = [
    "ControllerRegistrationRequest",
    "ControllerRegistrationResponse",
    "Feature",
    "Listener",
]
