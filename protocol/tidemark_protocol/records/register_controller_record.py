# Generated from schemas/records/RegisterControllerRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, null, past_end, read_length, read_text_length, skip_tags,
    too_short, unfit, write_text_length, write_uvarint, wrong_count,
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


class ControllerEndpoint(Struct, gc=False):
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


class ControllerFeature(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("MinSupportedVersion", "min_supported_version", "int16", None),
        ("MaxSupportedVersion", "max_supported_version", "int16", None),
    )
    name: str = ""
    min_supported_version: int = 0
    max_supported_version: int = 0


class RegisterControllerRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ControllerId", "controller_id", "int32", None),
        ("IncarnationId", "incarnation_id", "uuid", None),
        ("ZkMigrationReady", "zk_migration_ready", "bool", None),
        ("EndPoints", "end_points", "[]struct", ControllerEndpoint),
        ("Features", "features", "[]struct", ControllerFeature),
    )
    NAME: ClassVar = "RegisterControllerRecord"
    API_KEY: ClassVar = 27
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    controller_id: int = 0
    incarnation_id: bytes = ZERO_UUID
    zk_migration_ready: bool = False
    end_points: list[ControllerEndpoint] = []
    features: list[ControllerFeature] = []


def decode_register_controller_record_v0(buf: bytes, pos: int, end: int) -> tuple[RegisterControllerRecord, int]:
    try:
        controller_id, incarnation_id, zk_migration_ready = _read_iuz(buf, pos)
        pos += 21
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("EndPoints", n, pos, end)
        end_points: list[ControllerEndpoint] = []
        end_points_count = n
        for _ in range(end_points_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            end_points_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
            if n < 0:
                raise null("Host")
            end_points_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            end_points_port, end_points_security_protocol = _read_Hh(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            end_points.append(ControllerEndpoint(end_points_name, end_points_host, end_points_port, end_points_security_protocol))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Features", n, pos, end)
        features: list[ControllerFeature] = []
        features_count = n
        for _ in range(features_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            features_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            features_min_supported_version, features_max_supported_version = _read_hh(buf, pos)
            pos += 4
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            features.append(ControllerFeature(features_name, features_min_supported_version, features_max_supported_version))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = RegisterControllerRecord(controller_id, incarnation_id, zk_migration_ready, end_points, features)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_register_controller_record_v0(out: bytearray, m: RegisterControllerRecord) -> None:
    try:
        out += _write_iuz(m.controller_id, m.incarnation_id, m.zk_migration_ready)
        end_points = m.end_points
        n = len(end_points) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for end_points_item in end_points:
            text = end_points_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            text = end_points_item.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_Hh(end_points_item.port, end_points_item.security_protocol)
            out.append(0)
        features = m.features
        n = len(features) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for features_item in features:
            text = features_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            out += _write_hh(features_item.min_supported_version, features_item.max_supported_version)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("RegisterControllerRecord", error) from error

RegisterControllerRecord.DECODERS = {
    0: decode_register_controller_record_v0,
}

RegisterControllerRecord.ENCODERS = {
    0: encode_register_controller_record_v0,
}

__all__ = [
    "ControllerEndpoint", "ControllerFeature", "RegisterControllerRecord",
]
