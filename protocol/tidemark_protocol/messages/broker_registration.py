# Generated from schemas/messages/BrokerRegistrationRequest.json and schemas/messages/BrokerRegistrationResponse.json. Edit that, then run make generate.

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

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_Hh = struct.Struct(">Hh")
_read_Hh = _Hh.unpack_from
_write_Hh = _Hh.pack
_hh = struct.Struct(">hh")
_read_hh = _hh.unpack_from
_write_hh = _hh.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ihq = struct.Struct(">ihq")
_read_ihq = _ihq.unpack_from
_write_ihq = _ihq.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack


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


class BrokerRegistrationRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("BrokerId", "broker_id", "int32", None),
        ("ClusterId", "cluster_id", "string", None),
        ("IncarnationId", "incarnation_id", "uuid", None),
        ("Listeners", "listeners", "[]struct", Listener),
        ("Features", "features", "[]struct", Feature),
        ("Rack", "rack", "string", None),
        ("IsMigratingZkBroker", "is_migrating_zk_broker", "bool", None),
        ("LogDirs", "log_dirs", "[]uuid", None),
        ("PreviousBrokerEpoch", "previous_broker_epoch", "int64", None),
    )
    NAME: ClassVar = "BrokerRegistrationRequest"
    API_KEY: ClassVar = 62
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 4
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    broker_id: int = 0
    cluster_id: str = ""
    incarnation_id: bytes = ZERO_UUID
    listeners: list[Listener] = []
    features: list[Feature] = []
    rack: str | None = ""
    is_migrating_zk_broker: bool = False
    log_dirs: list[bytes] = []
    previous_broker_epoch: int = -1


class BrokerRegistrationResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("BrokerEpoch", "broker_epoch", "int64", None),
    )
    NAME: ClassVar = "BrokerRegistrationResponse"
    API_KEY: ClassVar = 62
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 4
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    broker_epoch: int = -1


def decode_broker_registration_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[BrokerRegistrationRequest, int]:
    try:
        broker_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ClusterId", n)
        if n < 0:
            raise null("ClusterId")
        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        incarnation_id, = _read_u(buf, pos)
        pos += 16
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("Rack", n)
        rack: str | None = None
        if n >= 0:
            rack = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = BrokerRegistrationRequest(broker_id, cluster_id, incarnation_id, listeners, features, rack)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_broker_registration_request_v0(out: bytearray, m: BrokerRegistrationRequest) -> None:
    try:
        out += _write_i(m.broker_id)
        cluster_id = m.cluster_id
        text = cluster_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            if n > TEXT_MAX + 1:
                raise too_long("ClusterId", n - 1)
            write_uvarint(out, n)
        out += text
        out += _write_u(m.incarnation_id)
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
        rack = m.rack
        if rack is None:
            out.append(0)
        else:
            text = rack.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Rack", n - 1)
                write_uvarint(out, n)
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("BrokerRegistrationRequest", error) from error


def decode_broker_registration_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[BrokerRegistrationRequest, int]:
    try:
        broker_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ClusterId", n)
        if n < 0:
            raise null("ClusterId")
        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        incarnation_id, = _read_u(buf, pos)
        pos += 16
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("Rack", n)
        rack: str | None = None
        if n >= 0:
            rack = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        is_migrating_zk_broker, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = BrokerRegistrationRequest(broker_id, cluster_id, incarnation_id, listeners, features, rack, is_migrating_zk_broker)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_broker_registration_request_v1(out: bytearray, m: BrokerRegistrationRequest) -> None:
    try:
        out += _write_i(m.broker_id)
        cluster_id = m.cluster_id
        text = cluster_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            if n > TEXT_MAX + 1:
                raise too_long("ClusterId", n - 1)
            write_uvarint(out, n)
        out += text
        out += _write_u(m.incarnation_id)
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
        rack = m.rack
        if rack is None:
            out.append(0)
        else:
            text = rack.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Rack", n - 1)
                write_uvarint(out, n)
            out += text
        out += _write_z(m.is_migrating_zk_broker)
        out.append(0)
    except UNFIT as error:
        raise unfit("BrokerRegistrationRequest", error) from error


def decode_broker_registration_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[BrokerRegistrationRequest, int]:
    try:
        broker_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ClusterId", n)
        if n < 0:
            raise null("ClusterId")
        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        incarnation_id, = _read_u(buf, pos)
        pos += 16
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("Rack", n)
        rack: str | None = None
        if n >= 0:
            rack = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        is_migrating_zk_broker, = _read_z(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("LogDirs")
        if n > end - pos:
            check_count(n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        log_dirs: list[bytes] = []
        log_dirs_count = n
        for _ in range(log_dirs_count):
            log_dirs.append(buf[pos : pos + 16])
            pos += 16
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = BrokerRegistrationRequest(broker_id, cluster_id, incarnation_id, listeners, features, rack, is_migrating_zk_broker, log_dirs)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_broker_registration_request_v2(out: bytearray, m: BrokerRegistrationRequest) -> None:
    try:
        out += _write_i(m.broker_id)
        cluster_id = m.cluster_id
        text = cluster_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            if n > TEXT_MAX + 1:
                raise too_long("ClusterId", n - 1)
            write_uvarint(out, n)
        out += text
        out += _write_u(m.incarnation_id)
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
        rack = m.rack
        if rack is None:
            out.append(0)
        else:
            text = rack.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Rack", n - 1)
                write_uvarint(out, n)
            out += text
        out += _write_z(m.is_migrating_zk_broker)
        log_dirs = m.log_dirs
        n = len(log_dirs) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for log_dirs_item in log_dirs:
            out += log_dirs_item
        out.append(0)
    except UNFIT as error:
        raise unfit("BrokerRegistrationRequest", error) from error


def decode_broker_registration_request_v3_v4(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[BrokerRegistrationRequest, int]:
    try:
        broker_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("ClusterId", n)
        if n < 0:
            raise null("ClusterId")
        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        incarnation_id, = _read_u(buf, pos)
        pos += 16
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
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("Rack", n)
        rack: str | None = None
        if n >= 0:
            rack = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        is_migrating_zk_broker, = _read_z(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("LogDirs")
        if n > end - pos:
            check_count(n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        log_dirs: list[bytes] = []
        log_dirs_count = n
        for _ in range(log_dirs_count):
            log_dirs.append(buf[pos : pos + 16])
            pos += 16
        previous_broker_epoch, = _read_q(buf, pos)
        pos += 8
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = BrokerRegistrationRequest(broker_id, cluster_id, incarnation_id, listeners, features, rack, is_migrating_zk_broker, log_dirs, previous_broker_epoch)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_broker_registration_request_v3_v4(out: bytearray, m: BrokerRegistrationRequest) -> None:
    try:
        out += _write_i(m.broker_id)
        cluster_id = m.cluster_id
        text = cluster_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            if n > TEXT_MAX + 1:
                raise too_long("ClusterId", n - 1)
            write_uvarint(out, n)
        out += text
        out += _write_u(m.incarnation_id)
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
        rack = m.rack
        if rack is None:
            out.append(0)
        else:
            text = rack.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Rack", n - 1)
                write_uvarint(out, n)
            out += text
        out += _write_z(m.is_migrating_zk_broker)
        log_dirs = m.log_dirs
        n = len(log_dirs) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for log_dirs_item in log_dirs:
            out += log_dirs_item
        out += _write_q(m.previous_broker_epoch)
        out.append(0)
    except UNFIT as error:
        raise unfit("BrokerRegistrationRequest", error) from error

BrokerRegistrationRequest.DECODERS = {
    0: decode_broker_registration_request_v0,
    1: decode_broker_registration_request_v1,
    2: decode_broker_registration_request_v2,
    3: decode_broker_registration_request_v3_v4,
    4: decode_broker_registration_request_v3_v4,
}

BrokerRegistrationRequest.ENCODERS = {
    0: encode_broker_registration_request_v0,
    1: encode_broker_registration_request_v1,
    2: encode_broker_registration_request_v2,
    3: encode_broker_registration_request_v3_v4,
    4: encode_broker_registration_request_v3_v4,
}



def decode_broker_registration_response_v0_v4(buf: bytes, pos: int, end: int) -> tuple[BrokerRegistrationResponse, int]:
    try:
        throttle_time_ms, error_code, broker_epoch = _read_ihq(buf, pos)
        pos += 14
        if buf[pos]:
            pos = skip_tags(buf, pos, end)
        else:
            pos += 1
        message = BrokerRegistrationResponse(throttle_time_ms, error_code, broker_epoch)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_broker_registration_response_v0_v4(out: bytearray, m: BrokerRegistrationResponse) -> None:
    try:
        out += _write_ihq(m.throttle_time_ms, m.error_code, m.broker_epoch)
        out.append(0)
    except UNFIT as error:
        raise unfit("BrokerRegistrationResponse", error) from error

BrokerRegistrationResponse.DECODERS = {
    0: decode_broker_registration_response_v0_v4,
    1: decode_broker_registration_response_v0_v4,
    2: decode_broker_registration_response_v0_v4,
    3: decode_broker_registration_response_v0_v4,
    4: decode_broker_registration_response_v0_v4,
}

BrokerRegistrationResponse.ENCODERS = {
    0: encode_broker_registration_response_v0_v4,
    1: encode_broker_registration_response_v0_v4,
    2: encode_broker_registration_response_v0_v4,
    3: encode_broker_registration_response_v0_v4,
    4: encode_broker_registration_response_v0_v4,
}

__all__ = [
    "BrokerRegistrationRequest",
    "BrokerRegistrationResponse",
    "Feature",
    "Listener",
]
