# Generated from schemas/messages/BrokerHeartbeatRequest.json and schemas/messages/BrokerHeartbeatResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder,
    Encoder,
    SHORT,
    UNBOUNDED,
    UNFIT,
    check_count,
    null,
    past_end,
    read_uvarint,
    skip_tag,
    skip_tags,
    skip_tags_within,
    too_many,
    too_short,
    unfit,
    write_tags,
    write_uvarint,
)

_ihzzz = struct.Struct(">ih???")
_read_ihzzz = _ihzzz.unpack_from
_write_ihzzz = _ihzzz.pack
_iqqzz = struct.Struct(">iqq??")
_read_iqqzz = _iqqzz.unpack_from
_write_iqqzz = _iqqzz.pack


class BrokerHeartbeatRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("BrokerId", "broker_id", "int32", None),
        ("BrokerEpoch", "broker_epoch", "int64", None),
        ("CurrentMetadataOffset", "current_metadata_offset", "int64", None),
        ("WantFence", "want_fence", "bool", None),
        ("WantShutDown", "want_shut_down", "bool", None),
        ("OfflineLogDirs", "offline_log_dirs", "[]uuid", None),
        ("CordonedLogDirs", "cordoned_log_dirs", "[]uuid", None),
    )
    NAME: ClassVar = "BrokerHeartbeatRequest"
    API_KEY: ClassVar = 63
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    broker_id: int = 0
    broker_epoch: int = -1
    current_metadata_offset: int = 0
    want_fence: bool = False
    want_shut_down: bool = False
    offline_log_dirs: list[bytes] = []
    cordoned_log_dirs: list[bytes] | None = None


class BrokerHeartbeatResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("IsCaughtUp", "is_caught_up", "bool", None),
        ("IsFenced", "is_fenced", "bool", None),
        ("ShouldShutDown", "should_shut_down", "bool", None),
    )
    NAME: ClassVar = "BrokerHeartbeatResponse"
    API_KEY: ClassVar = 63
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    is_caught_up: bool = False
    is_fenced: bool = True
    should_shut_down: bool = False


def decode_broker_heartbeat_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[BrokerHeartbeatRequest, int]:
    try:
        broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down = _read_iqqzz(buf, pos)
        pos += 22
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = BrokerHeartbeatRequest(broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_broker_heartbeat_request_v0(out: bytearray, m: BrokerHeartbeatRequest) -> None:
    try:
        out += _write_iqqzz(m.broker_id, m.broker_epoch, m.current_metadata_offset, m.want_fence, m.want_shut_down)
        out.append(0)
    except UNFIT as error:
        raise unfit("BrokerHeartbeatRequest", error) from error


def decode_broker_heartbeat_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[BrokerHeartbeatRequest, int]:
    try:
        broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down = _read_iqqzz(buf, pos)
        pos += 22
        offline_log_dirs: list[bytes] = []
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_uvarint(buf, pos - 1)
            if tag_count > end - pos:
                check_count(tag_count, pos, end)
            left -= max(tag_count, 0)
            if left < 0:
                raise too_many()
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_uvarint(buf, pos - 1)
                        n -= 1
                    if n < 0:
                        raise null("OfflineLogDirs")
                    if n > end - pos:
                        check_count(n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    offline_log_dirs = []
                    offline_log_dirs_count = n
                    for _ in range(offline_log_dirs_count):
                        offline_log_dirs.append(buf[pos : pos + 16])
                        pos += 16
                else:
                    pos = skip_tag(buf, pos, end)
        message = BrokerHeartbeatRequest(broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down, offline_log_dirs)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_broker_heartbeat_request_v1(out: bytearray, m: BrokerHeartbeatRequest) -> None:
    try:
        out += _write_iqqzz(m.broker_id, m.broker_epoch, m.current_metadata_offset, m.want_fence, m.want_shut_down)
        tags: list[tuple[int, bytearray]] = []
        if m.offline_log_dirs:
            outer = out
            out = bytearray()
            offline_log_dirs = m.offline_log_dirs
            n = len(offline_log_dirs) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for offline_log_dirs_item in offline_log_dirs:
                out += offline_log_dirs_item
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("BrokerHeartbeatRequest", error) from error


def decode_broker_heartbeat_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[BrokerHeartbeatRequest, int]:
    try:
        broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down = _read_iqqzz(buf, pos)
        pos += 22
        offline_log_dirs: list[bytes] = []
        cordoned_log_dirs: list[bytes] | None = None
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_uvarint(buf, pos - 1)
            if tag_count > end - pos:
                check_count(tag_count, pos, end)
            left -= max(tag_count, 0)
            if left < 0:
                raise too_many()
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_uvarint(buf, pos - 1)
                        n -= 1
                    if n < 0:
                        raise null("OfflineLogDirs")
                    if n > end - pos:
                        check_count(n, pos, end)
                    left -= n
                    if left < 0:
                        raise too_many()
                    offline_log_dirs = []
                    offline_log_dirs_count = n
                    for _ in range(offline_log_dirs_count):
                        offline_log_dirs.append(buf[pos : pos + 16])
                        pos += 16
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_uvarint(buf, pos - 1)
                        n -= 1
                    cordoned_log_dirs = None
                    if n >= 0:
                        if n > end - pos:
                            check_count(n, pos, end)
                        left -= n
                        if left < 0:
                            raise too_many()
                        cordoned_log_dirs_list: list[bytes] = []
                        cordoned_log_dirs_count = n
                        for _ in range(cordoned_log_dirs_count):
                            cordoned_log_dirs_list.append(buf[pos : pos + 16])
                            pos += 16
                        cordoned_log_dirs = cordoned_log_dirs_list
                else:
                    pos = skip_tag(buf, pos, end)
        message = BrokerHeartbeatRequest(broker_id, broker_epoch, current_metadata_offset, want_fence, want_shut_down, offline_log_dirs, cordoned_log_dirs)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_broker_heartbeat_request_v2(out: bytearray, m: BrokerHeartbeatRequest) -> None:
    try:
        out += _write_iqqzz(m.broker_id, m.broker_epoch, m.current_metadata_offset, m.want_fence, m.want_shut_down)
        tags: list[tuple[int, bytearray]] = []
        if m.offline_log_dirs:
            outer = out
            out = bytearray()
            offline_log_dirs = m.offline_log_dirs
            n = len(offline_log_dirs) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for offline_log_dirs_item in offline_log_dirs:
                out += offline_log_dirs_item
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
        raise unfit("BrokerHeartbeatRequest", error) from error

BrokerHeartbeatRequest.DECODERS = {
    0: decode_broker_heartbeat_request_v0,
    1: decode_broker_heartbeat_request_v1,
    2: decode_broker_heartbeat_request_v2,
}

BrokerHeartbeatRequest.ENCODERS = {
    0: encode_broker_heartbeat_request_v0,
    1: encode_broker_heartbeat_request_v1,
    2: encode_broker_heartbeat_request_v2,
}



def decode_broker_heartbeat_response_v0_v2(buf: bytes, pos: int, end: int) -> tuple[BrokerHeartbeatResponse, int]:
    try:
        throttle_time_ms, error_code, is_caught_up, is_fenced, should_shut_down = _read_ihzzz(buf, pos)
        pos += 9
        if buf[pos]:
            pos = skip_tags(buf, pos, end)
        else:
            pos += 1
        message = BrokerHeartbeatResponse(throttle_time_ms, error_code, is_caught_up, is_fenced, should_shut_down)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_broker_heartbeat_response_v0_v2(out: bytearray, m: BrokerHeartbeatResponse) -> None:
    try:
        out += _write_ihzzz(m.throttle_time_ms, m.error_code, m.is_caught_up, m.is_fenced, m.should_shut_down)
        out.append(0)
    except UNFIT as error:
        raise unfit("BrokerHeartbeatResponse", error) from error

BrokerHeartbeatResponse.DECODERS = {
    0: decode_broker_heartbeat_response_v0_v2,
    1: decode_broker_heartbeat_response_v0_v2,
    2: decode_broker_heartbeat_response_v0_v2,
}

BrokerHeartbeatResponse.ENCODERS = {
    0: encode_broker_heartbeat_response_v0_v2,
    1: encode_broker_heartbeat_response_v0_v2,
    2: encode_broker_heartbeat_response_v0_v2,
}

__all__ = [
    "BrokerHeartbeatRequest",
    "BrokerHeartbeatResponse",
]
