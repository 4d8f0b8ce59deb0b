# Generated from schemas/messages/DescribeClusterRequest.json and schemas/messages/DescribeClusterResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.describe_cluster import (
    DescribeClusterRequest,
    DescribeClusterResponse,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    check_end,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
    write_uvarint,
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


def decode_describe_cluster_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeClusterRequest, int]]:
    try:
        yield 1
        include_cluster_authorized_operations, = _read_z(buf, pos)
        pos += 1
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DescribeClusterRequest(include_cluster_authorized_operations)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_describe_cluster_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeClusterRequest, int]]:
    try:
        yield 1
        include_cluster_authorized_operations, endpoint_type = _read_zb(buf, pos)
        pos += 2
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DescribeClusterRequest(include_cluster_authorized_operations, endpoint_type)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_describe_cluster_request_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeClusterRequest, int]]:
    try:
        yield 1
        include_cluster_authorized_operations, endpoint_type, include_fenced_brokers = _read_zbz(buf, pos)
        pos += 3
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DescribeClusterRequest(include_cluster_authorized_operations, endpoint_type, include_fenced_brokers)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_describe_cluster_response_v0(out: bytearray, m: DescribeClusterResponse) -> Generator[int, None, None]:
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
        out += _write_i(m.controller_id)
        brokers = m.brokers
        n = len(brokers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for brokers_item in brokers:
            yield 1
            out += _write_i(brokers_item.broker_id)
            brokers_host = brokers_item.host
            text = brokers_host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Host", n - 1)
                write_uvarint(out, n)
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
                    if n > TEXT_MAX + 1:
                        raise too_long("Rack", n - 1)
                    write_uvarint(out, n)
                out += text
            out.append(0)
        out += _write_i(m.cluster_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeClusterResponse", error) from error


def encode_describe_cluster_response_v1(out: bytearray, m: DescribeClusterResponse) -> Generator[int, None, None]:
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
        out += _write_b(m.endpoint_type)
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
        out += _write_i(m.controller_id)
        brokers = m.brokers
        n = len(brokers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for brokers_item in brokers:
            yield 1
            out += _write_i(brokers_item.broker_id)
            brokers_host = brokers_item.host
            text = brokers_host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Host", n - 1)
                write_uvarint(out, n)
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
                    if n > TEXT_MAX + 1:
                        raise too_long("Rack", n - 1)
                    write_uvarint(out, n)
                out += text
            out.append(0)
        out += _write_i(m.cluster_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeClusterResponse", error) from error


def encode_describe_cluster_response_v2(out: bytearray, m: DescribeClusterResponse) -> Generator[int, None, None]:
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
        out += _write_b(m.endpoint_type)
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
        out += _write_i(m.controller_id)
        brokers = m.brokers
        n = len(brokers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for brokers_item in brokers:
            yield 1
            out += _write_i(brokers_item.broker_id)
            brokers_host = brokers_item.host
            text = brokers_host.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Host", n - 1)
                write_uvarint(out, n)
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
                    if n > TEXT_MAX + 1:
                        raise too_long("Rack", n - 1)
                    write_uvarint(out, n)
                out += text
            out += _write_z(brokers_item.is_fenced)
            out.append(0)
        out += _write_i(m.cluster_authorized_operations)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeClusterResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_describe_cluster_request_v0,
    1: decode_describe_cluster_request_v1,
    2: decode_describe_cluster_request_v2,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_describe_cluster_response_v0,
    1: encode_describe_cluster_response_v1,
    2: encode_describe_cluster_response_v2,
}

__all__ = ["DECODERS", "ENCODERS"]
