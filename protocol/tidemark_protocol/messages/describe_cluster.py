# Generated from schemas/messages/DescribeClusterRequest.json and schemas/messages/DescribeClusterResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_zb = struct.Struct(">?b")
_read_zb = _zb.unpack_from
_write_zb = _zb.pack
_zbz = struct.Struct(">?b?")
_read_zbz = _zbz.unpack_from
_write_zbz = _zbz.pack
_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack


class DescribeClusterRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("IncludeClusterAuthorizedOperations", "include_cluster_authorized_operations", "bool", None),
        ("EndpointType", "endpoint_type", "int8", None),
        ("IncludeFencedBrokers", "include_fenced_brokers", "bool", None),
    )
    NAME: ClassVar = "DescribeClusterRequest"
    API_KEY: ClassVar = 60
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    include_cluster_authorized_operations: bool = False
    endpoint_type: int = 1
    include_fenced_brokers: bool = False


class DescribeClusterBroker(Struct, gc=False):
    FIELDS: ClassVar = (
        ("BrokerId", "broker_id", "int32", None),
        ("Host", "host", "string", None),
        ("Port", "port", "int32", None),
        ("Rack", "rack", "string", None),
        ("IsFenced", "is_fenced", "bool", None),
    )
    broker_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None
    is_fenced: bool = False


class DescribeClusterResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ErrorMessage", "error_message", "string", None),
        ("EndpointType", "endpoint_type", "int8", None),
        ("ClusterId", "cluster_id", "string", None),
        ("ControllerId", "controller_id", "int32", None),
        ("Brokers", "brokers", "[]struct", DescribeClusterBroker),
        ("ClusterAuthorizedOperations", "cluster_authorized_operations", "int32", None),
    )
    NAME: ClassVar = "DescribeClusterResponse"
    API_KEY: ClassVar = 60
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    endpoint_type: int = 1
    cluster_id: str = ""
    controller_id: int = -1
    brokers: list[DescribeClusterBroker] = []
    cluster_authorized_operations: int = -2147483648


def decode_describe_cluster_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeClusterRequest, int]:
    try:
        include_cluster_authorized_operations, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeClusterRequest(include_cluster_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_cluster_request_v0(out: bytearray, m: DescribeClusterRequest) -> None:
    try:
        out += _write_z(m.include_cluster_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeClusterRequest", error) from error


def decode_describe_cluster_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeClusterRequest, int]:
    try:
        include_cluster_authorized_operations, endpoint_type = _read_zb(buf, pos)
        pos += 2
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeClusterRequest(include_cluster_authorized_operations, endpoint_type)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_cluster_request_v1(out: bytearray, m: DescribeClusterRequest) -> None:
    try:
        out += _write_zb(m.include_cluster_authorized_operations, m.endpoint_type)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeClusterRequest", error) from error


def decode_describe_cluster_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeClusterRequest, int]:
    try:
        include_cluster_authorized_operations, endpoint_type, include_fenced_brokers = _read_zbz(buf, pos)
        pos += 3
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeClusterRequest(include_cluster_authorized_operations, endpoint_type, include_fenced_brokers)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_cluster_request_v2(out: bytearray, m: DescribeClusterRequest) -> None:
    try:
        out += _write_zbz(m.include_cluster_authorized_operations, m.endpoint_type, m.include_fenced_brokers)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeClusterRequest", error) from error

DescribeClusterRequest.DECODERS = {
    0: decode_describe_cluster_request_v0,
    1: decode_describe_cluster_request_v1,
    2: decode_describe_cluster_request_v2,
}

DescribeClusterRequest.ENCODERS = {
    0: encode_describe_cluster_request_v0,
    1: encode_describe_cluster_request_v1,
    2: encode_describe_cluster_request_v2,
}



def decode_describe_cluster_response_v0(buf: bytes, pos: int, end: int) -> tuple[DescribeClusterResponse, int]:
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
            n, pos = read_text_length(buf, pos - 1, "ClusterId")
        if n < 0:
            raise null("ClusterId")
        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[DescribeClusterBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_broker_id, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Rack")
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            brokers.append(DescribeClusterBroker(brokers_broker_id, brokers_host, brokers_port, brokers_rack))
        cluster_authorized_operations, = _read_i(buf, pos)
        pos += 4
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeClusterResponse(throttle_time_ms, error_code, error_message, 1, cluster_id, controller_id, brokers, cluster_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_cluster_response_v0(out: bytearray, m: DescribeClusterResponse) -> None:
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
        text = m.cluster_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ClusterId")
        out += text
        out += _write_i(m.controller_id)
        brokers = m.brokers
        n = len(brokers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for brokers_item in brokers:
            out += _write_i(brokers_item.broker_id)
            text = brokers_item.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out.append(0)
            else:
                text = brokers_rack.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Rack")
                out += text
            out.append(0)
        out += _write_i(m.cluster_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeClusterResponse", error) from error


def decode_describe_cluster_response_v1(buf: bytes, pos: int, end: int) -> tuple[DescribeClusterResponse, int]:
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
        endpoint_type, = _read_b(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClusterId")
        if n < 0:
            raise null("ClusterId")
        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[DescribeClusterBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_broker_id, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Rack")
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            brokers.append(DescribeClusterBroker(brokers_broker_id, brokers_host, brokers_port, brokers_rack))
        cluster_authorized_operations, = _read_i(buf, pos)
        pos += 4
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeClusterResponse(throttle_time_ms, error_code, error_message, endpoint_type, cluster_id, controller_id, brokers, cluster_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_cluster_response_v1(out: bytearray, m: DescribeClusterResponse) -> None:
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
        out += _write_b(m.endpoint_type)
        text = m.cluster_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ClusterId")
        out += text
        out += _write_i(m.controller_id)
        brokers = m.brokers
        n = len(brokers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for brokers_item in brokers:
            out += _write_i(brokers_item.broker_id)
            text = brokers_item.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out.append(0)
            else:
                text = brokers_rack.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Rack")
                out += text
            out.append(0)
        out += _write_i(m.cluster_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeClusterResponse", error) from error


def decode_describe_cluster_response_v2(buf: bytes, pos: int, end: int) -> tuple[DescribeClusterResponse, int]:
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
        endpoint_type, = _read_b(buf, pos)
        pos += 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "ClusterId")
        if n < 0:
            raise null("ClusterId")
        cluster_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        controller_id, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Brokers", n, pos, end)
        brokers: list[DescribeClusterBroker] = []
        brokers_count = n
        for _ in range(brokers_count):
            brokers_broker_id, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Host")
            if n < 0:
                raise null("Host")
            brokers_host = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            brokers_port, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Rack")
            brokers_rack: str | None = None
            if n >= 0:
                brokers_rack = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
            brokers_is_fenced, = _read_z(buf, pos)
            pos += 1
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            brokers.append(DescribeClusterBroker(brokers_broker_id, brokers_host, brokers_port, brokers_rack, brokers_is_fenced))
        cluster_authorized_operations, = _read_i(buf, pos)
        pos += 4
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeClusterResponse(throttle_time_ms, error_code, error_message, endpoint_type, cluster_id, controller_id, brokers, cluster_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_cluster_response_v2(out: bytearray, m: DescribeClusterResponse) -> None:
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
        out += _write_b(m.endpoint_type)
        text = m.cluster_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "ClusterId")
        out += text
        out += _write_i(m.controller_id)
        brokers = m.brokers
        n = len(brokers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for brokers_item in brokers:
            out += _write_i(brokers_item.broker_id)
            text = brokers_item.host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Host")
            out += text
            out += _write_i(brokers_item.port)
            brokers_rack = brokers_item.rack
            if brokers_rack is None:
                out.append(0)
            else:
                text = brokers_rack.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Rack")
                out += text
            out += _write_z(brokers_item.is_fenced)
            out.append(0)
        out += _write_i(m.cluster_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeClusterResponse", error) from error

DescribeClusterResponse.DECODERS = {
    0: decode_describe_cluster_response_v0,
    1: decode_describe_cluster_response_v1,
    2: decode_describe_cluster_response_v2,
}

DescribeClusterResponse.ENCODERS = {
    0: encode_describe_cluster_response_v0,
    1: encode_describe_cluster_response_v1,
    2: encode_describe_cluster_response_v2,
}

__all__ = [
    "DescribeClusterBroker", "DescribeClusterRequest", "DescribeClusterResponse",
]
