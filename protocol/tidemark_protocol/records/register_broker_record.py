# Generated from schemas/records/RegisterBrokerRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, check_count, null, past_end, read_length, read_tag_count,
    read_text_length, read_uvarint, skip_tag, skip_tags, too_short, unfit, write_tags, write_text_length,
    write_uvarint, wrong_count,
)

_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_zz = struct.Struct(">??")
_read_zz = _zz.unpack_from
_write_zz = _zz.pack
_Hh = struct.Struct(">Hh")
_read_Hh = _Hh.unpack_from
_write_Hh = _Hh.pack
_hh = struct.Struct(">hh")
_read_hh = _hh.unpack_from
_write_hh = _hh.pack
_iuq = struct.Struct(">i16sq")
_read_iuq = _iuq.unpack_from
_write_iuq = _iuq.pack
_izuq = struct.Struct(">i?16sq")
_read_izuq = _izuq.unpack_from
_write_izuq = _izuq.pack


class BrokerEndpoint(Struct, gc=False):
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


class BrokerFeature(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("MinSupportedVersion", "min_supported_version", "int16", None),
        ("MaxSupportedVersion", "max_supported_version", "int16", None),
    )
    name: str = ""
    min_supported_version: int = 0
    max_supported_version: int = 0


class RegisterBrokerRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("BrokerId", "broker_id", "int32", None),
        ("IsMigratingZkBroker", "is_migrating_zk_broker", "bool", None),
        ("IncarnationId", "incarnation_id", "uuid", None),
        ("BrokerEpoch", "broker_epoch", "int64", None),
        ("EndPoints", "end_points", "[]struct", BrokerEndpoint),
        ("Features", "features", "[]struct", BrokerFeature),
        ("Rack", "rack", "string", None),
        ("Fenced", "fenced", "bool", None),
        ("InControlledShutdown", "in_controlled_shutdown", "bool", None),
        ("LogDirs", "log_dirs", "[]uuid", None),
        ("CordonedLogDirs", "cordoned_log_dirs", "[]uuid", None),
    )
    NAME: ClassVar = "RegisterBrokerRecord"
    API_KEY: ClassVar = 0
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 4
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    broker_id: int = 0
    is_migrating_zk_broker: bool = False
    incarnation_id: bytes = ZERO_UUID
    broker_epoch: int = 0
    end_points: list[BrokerEndpoint] = []
    features: list[BrokerFeature] = []
    rack: str | None = ""
    fenced: bool = True
    in_controlled_shutdown: bool = False
    log_dirs: list[bytes] = []
    cordoned_log_dirs: list[bytes] | None = None


def decode_register_broker_record_v0(buf: bytes, pos: int, end: int) -> tuple[RegisterBrokerRecord, int]:
    try:
        broker_id, incarnation_id, broker_epoch = _read_iuq(buf, pos)
        pos += 28
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("EndPoints", n, pos, end)
        end_points: list[BrokerEndpoint] = []
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
            end_points.append(BrokerEndpoint(end_points_name, end_points_host, end_points_port, end_points_security_protocol))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Features", n, pos, end)
        features: list[BrokerFeature] = []
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
            features.append(BrokerFeature(features_name, features_min_supported_version, features_max_supported_version))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Rack")
        rack: str | None = None
        if n >= 0:
            rack = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        fenced, = _read_z(buf, pos)
        pos += 1
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = RegisterBrokerRecord(broker_id, False, incarnation_id, broker_epoch, end_points, features, rack, fenced)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_register_broker_record_v0(out: bytearray, m: RegisterBrokerRecord) -> None:
    try:
        out += _write_iuq(m.broker_id, m.incarnation_id, m.broker_epoch)
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
        rack = m.rack
        if rack is None:
            out.append(0)
        else:
            text = rack.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Rack")
            out += text
        out += _write_z(m.fenced)
        out.append(0)
    except UNFIT as error:
        raise unfit("RegisterBrokerRecord", error) from error


def decode_register_broker_record_v1(buf: bytes, pos: int, end: int) -> tuple[RegisterBrokerRecord, int]:
    try:
        broker_id, incarnation_id, broker_epoch = _read_iuq(buf, pos)
        pos += 28
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("EndPoints", n, pos, end)
        end_points: list[BrokerEndpoint] = []
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
            end_points.append(BrokerEndpoint(end_points_name, end_points_host, end_points_port, end_points_security_protocol))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Features", n, pos, end)
        features: list[BrokerFeature] = []
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
            features.append(BrokerFeature(features_name, features_min_supported_version, features_max_supported_version))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Rack")
        rack: str | None = None
        if n >= 0:
            rack = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        fenced, in_controlled_shutdown = _read_zz(buf, pos)
        pos += 2
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = RegisterBrokerRecord(broker_id, False, incarnation_id, broker_epoch, end_points, features, rack, fenced, in_controlled_shutdown)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_register_broker_record_v1(out: bytearray, m: RegisterBrokerRecord) -> None:
    try:
        out += _write_iuq(m.broker_id, m.incarnation_id, m.broker_epoch)
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
        rack = m.rack
        if rack is None:
            out.append(0)
        else:
            text = rack.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Rack")
            out += text
        out += _write_zz(m.fenced, m.in_controlled_shutdown)
        out.append(0)
    except UNFIT as error:
        raise unfit("RegisterBrokerRecord", error) from error


def decode_register_broker_record_v2(buf: bytes, pos: int, end: int) -> tuple[RegisterBrokerRecord, int]:
    try:
        broker_id, is_migrating_zk_broker, incarnation_id, broker_epoch = _read_izuq(buf, pos)
        pos += 29
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("EndPoints", n, pos, end)
        end_points: list[BrokerEndpoint] = []
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
            end_points.append(BrokerEndpoint(end_points_name, end_points_host, end_points_port, end_points_security_protocol))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Features", n, pos, end)
        features: list[BrokerFeature] = []
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
            features.append(BrokerFeature(features_name, features_min_supported_version, features_max_supported_version))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Rack")
        rack: str | None = None
        if n >= 0:
            rack = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        fenced, in_controlled_shutdown = _read_zz(buf, pos)
        pos += 2
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = RegisterBrokerRecord(broker_id, is_migrating_zk_broker, incarnation_id, broker_epoch, end_points, features, rack, fenced, in_controlled_shutdown)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_register_broker_record_v2(out: bytearray, m: RegisterBrokerRecord) -> None:
    try:
        out += _write_izuq(m.broker_id, m.is_migrating_zk_broker, m.incarnation_id, m.broker_epoch)
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
        rack = m.rack
        if rack is None:
            out.append(0)
        else:
            text = rack.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Rack")
            out += text
        out += _write_zz(m.fenced, m.in_controlled_shutdown)
        out.append(0)
    except UNFIT as error:
        raise unfit("RegisterBrokerRecord", error) from error


def decode_register_broker_record_v3(buf: bytes, pos: int, end: int) -> tuple[RegisterBrokerRecord, int]:
    try:
        broker_id, is_migrating_zk_broker, incarnation_id, broker_epoch = _read_izuq(buf, pos)
        pos += 29
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("EndPoints", n, pos, end)
        end_points: list[BrokerEndpoint] = []
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
            end_points.append(BrokerEndpoint(end_points_name, end_points_host, end_points_port, end_points_security_protocol))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Features", n, pos, end)
        features: list[BrokerFeature] = []
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
            features.append(BrokerFeature(features_name, features_min_supported_version, features_max_supported_version))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Rack")
        rack: str | None = None
        if n >= 0:
            rack = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        fenced, in_controlled_shutdown = _read_zz(buf, pos)
        pos += 2
        log_dirs: list[bytes] = []
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
                        raise wrong_count("LogDirs", n, pos, end)
                    log_dirs = []
                    log_dirs_count = n
                    for _ in range(log_dirs_count):
                        log_dirs.append(buf[pos : pos + 16])
                        pos += 16
                else:
                    pos = skip_tag(buf, pos, end)
        message = RegisterBrokerRecord(broker_id, is_migrating_zk_broker, incarnation_id, broker_epoch, end_points, features, rack, fenced, in_controlled_shutdown, log_dirs)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_register_broker_record_v3(out: bytearray, m: RegisterBrokerRecord) -> None:
    try:
        out += _write_izuq(m.broker_id, m.is_migrating_zk_broker, m.incarnation_id, m.broker_epoch)
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
        rack = m.rack
        if rack is None:
            out.append(0)
        else:
            text = rack.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Rack")
            out += text
        out += _write_zz(m.fenced, m.in_controlled_shutdown)
        tags: list[tuple[int, bytearray]] = []
        if m.log_dirs:
            outer = out
            out = bytearray()
            log_dirs = m.log_dirs
            n = len(log_dirs) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for log_dirs_item in log_dirs:
                out += log_dirs_item
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("RegisterBrokerRecord", error) from error


def decode_register_broker_record_v4(buf: bytes, pos: int, end: int) -> tuple[RegisterBrokerRecord, int]:
    try:
        broker_id, is_migrating_zk_broker, incarnation_id, broker_epoch = _read_izuq(buf, pos)
        pos += 29
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("EndPoints", n, pos, end)
        end_points: list[BrokerEndpoint] = []
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
            end_points.append(BrokerEndpoint(end_points_name, end_points_host, end_points_port, end_points_security_protocol))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Features", n, pos, end)
        features: list[BrokerFeature] = []
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
            features.append(BrokerFeature(features_name, features_min_supported_version, features_max_supported_version))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Rack")
        rack: str | None = None
        if n >= 0:
            rack = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        fenced, in_controlled_shutdown = _read_zz(buf, pos)
        pos += 2
        log_dirs: list[bytes] = []
        cordoned_log_dirs: list[bytes] | None = None
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
                        raise wrong_count("LogDirs", n, pos, end)
                    log_dirs = []
                    log_dirs_count = n
                    for _ in range(log_dirs_count):
                        log_dirs.append(buf[pos : pos + 16])
                        pos += 16
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    cordoned_log_dirs = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        cordoned_log_dirs_list: list[bytes] = []
                        cordoned_log_dirs_count = n
                        for _ in range(cordoned_log_dirs_count):
                            cordoned_log_dirs_list.append(buf[pos : pos + 16])
                            pos += 16
                        cordoned_log_dirs = cordoned_log_dirs_list
                else:
                    pos = skip_tag(buf, pos, end)
        message = RegisterBrokerRecord(broker_id, is_migrating_zk_broker, incarnation_id, broker_epoch, end_points, features, rack, fenced, in_controlled_shutdown, log_dirs, cordoned_log_dirs)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_register_broker_record_v4(out: bytearray, m: RegisterBrokerRecord) -> None:
    try:
        out += _write_izuq(m.broker_id, m.is_migrating_zk_broker, m.incarnation_id, m.broker_epoch)
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
        rack = m.rack
        if rack is None:
            out.append(0)
        else:
            text = rack.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Rack")
            out += text
        out += _write_zz(m.fenced, m.in_controlled_shutdown)
        tags: list[tuple[int, bytearray]] = []
        if m.log_dirs:
            outer = out
            out = bytearray()
            log_dirs = m.log_dirs
            n = len(log_dirs) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for log_dirs_item in log_dirs:
                out += log_dirs_item
            tags.append((0, out))
            out = outer
        if m.cordoned_log_dirs is not None:
            outer = out
            out = bytearray()
            cordoned_log_dirs = m.cordoned_log_dirs
            n = len(cordoned_log_dirs) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for cordoned_log_dirs_item in cordoned_log_dirs:
                out += cordoned_log_dirs_item
            tags.append((1, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("RegisterBrokerRecord", error) from error

RegisterBrokerRecord.DECODERS = {
    0: decode_register_broker_record_v0,
    1: decode_register_broker_record_v1,
    2: decode_register_broker_record_v2,
    3: decode_register_broker_record_v3,
    4: decode_register_broker_record_v4,
}

RegisterBrokerRecord.ENCODERS = {
    0: encode_register_broker_record_v0,
    1: encode_register_broker_record_v1,
    2: encode_register_broker_record_v2,
    3: encode_register_broker_record_v3,
    4: encode_register_broker_record_v4,
}

__all__ = [
    "BrokerEndpoint", "BrokerFeature", "RegisterBrokerRecord",
]
