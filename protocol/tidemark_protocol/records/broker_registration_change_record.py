# Generated from schemas/records/BrokerRegistrationChangeRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, check_count, past_end, read_length, read_tag_count, read_uvarint,
    skip_tag, too_short, unfit, write_tags, write_uvarint, wrong_count,
)

_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack


class BrokerRegistrationChangeRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("BrokerId", "broker_id", "int32", None),
        ("BrokerEpoch", "broker_epoch", "int64", None),
        ("Fenced", "fenced", "int8", None),
        ("InControlledShutdown", "in_controlled_shutdown", "int8", None),
        ("LogDirs", "log_dirs", "[]uuid", None),
        ("CordonedLogDirs", "cordoned_log_dirs", "[]uuid", None),
    )
    NAME: ClassVar = "BrokerRegistrationChangeRecord"
    API_KEY: ClassVar = 17
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    broker_id: int = 0
    broker_epoch: int = 0
    fenced: int = 0
    in_controlled_shutdown: int = 0
    log_dirs: list[bytes] = []
    cordoned_log_dirs: list[bytes] | None = None


def decode_broker_registration_change_record_v0(buf: bytes, pos: int, end: int) -> tuple[BrokerRegistrationChangeRecord, int]:
    try:
        broker_id, broker_epoch = _read_iq(buf, pos)
        pos += 12
        fenced: int = 0
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    fenced, = _read_b(buf, pos)
                    pos += 1
                else:
                    pos = skip_tag(buf, pos, end)
        message = BrokerRegistrationChangeRecord(broker_id, broker_epoch, fenced)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_broker_registration_change_record_v0(out: bytearray, m: BrokerRegistrationChangeRecord) -> None:
    try:
        out += _write_iq(m.broker_id, m.broker_epoch)
        tags: list[tuple[int, bytearray]] = []
        if m.fenced != 0:
            outer = out
            out = bytearray()
            out += _write_b(m.fenced)
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("BrokerRegistrationChangeRecord", error) from error


def decode_broker_registration_change_record_v1(buf: bytes, pos: int, end: int) -> tuple[BrokerRegistrationChangeRecord, int]:
    try:
        broker_id, broker_epoch = _read_iq(buf, pos)
        pos += 12
        fenced: int = 0
        in_controlled_shutdown: int = 0
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    fenced, = _read_b(buf, pos)
                    pos += 1
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    in_controlled_shutdown, = _read_b(buf, pos)
                    pos += 1
                else:
                    pos = skip_tag(buf, pos, end)
        message = BrokerRegistrationChangeRecord(broker_id, broker_epoch, fenced, in_controlled_shutdown)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_broker_registration_change_record_v1(out: bytearray, m: BrokerRegistrationChangeRecord) -> None:
    try:
        out += _write_iq(m.broker_id, m.broker_epoch)
        tags: list[tuple[int, bytearray]] = []
        if m.fenced != 0:
            outer = out
            out = bytearray()
            out += _write_b(m.fenced)
            tags.append((0, out))
            out = outer
        if m.in_controlled_shutdown != 0:
            outer = out
            out = bytearray()
            out += _write_b(m.in_controlled_shutdown)
            tags.append((1, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("BrokerRegistrationChangeRecord", error) from error


def decode_broker_registration_change_record_v2(buf: bytes, pos: int, end: int) -> tuple[BrokerRegistrationChangeRecord, int]:
    try:
        broker_id, broker_epoch = _read_iq(buf, pos)
        pos += 12
        fenced: int = 0
        in_controlled_shutdown: int = 0
        log_dirs: list[bytes] = []
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    fenced, = _read_b(buf, pos)
                    pos += 1
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    in_controlled_shutdown, = _read_b(buf, pos)
                    pos += 1
                elif tag == 2:
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
        message = BrokerRegistrationChangeRecord(broker_id, broker_epoch, fenced, in_controlled_shutdown, log_dirs)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_broker_registration_change_record_v2(out: bytearray, m: BrokerRegistrationChangeRecord) -> None:
    try:
        out += _write_iq(m.broker_id, m.broker_epoch)
        tags: list[tuple[int, bytearray]] = []
        if m.fenced != 0:
            outer = out
            out = bytearray()
            out += _write_b(m.fenced)
            tags.append((0, out))
            out = outer
        if m.in_controlled_shutdown != 0:
            outer = out
            out = bytearray()
            out += _write_b(m.in_controlled_shutdown)
            tags.append((1, out))
            out = outer
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
            tags.append((2, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("BrokerRegistrationChangeRecord", error) from error


def decode_broker_registration_change_record_v3(buf: bytes, pos: int, end: int) -> tuple[BrokerRegistrationChangeRecord, int]:
    try:
        broker_id, broker_epoch = _read_iq(buf, pos)
        pos += 12
        fenced: int = 0
        in_controlled_shutdown: int = 0
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
                    fenced, = _read_b(buf, pos)
                    pos += 1
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    in_controlled_shutdown, = _read_b(buf, pos)
                    pos += 1
                elif tag == 2:
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
                elif tag == 3:
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
        message = BrokerRegistrationChangeRecord(broker_id, broker_epoch, fenced, in_controlled_shutdown, log_dirs, cordoned_log_dirs)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_broker_registration_change_record_v3(out: bytearray, m: BrokerRegistrationChangeRecord) -> None:
    try:
        out += _write_iq(m.broker_id, m.broker_epoch)
        tags: list[tuple[int, bytearray]] = []
        if m.fenced != 0:
            outer = out
            out = bytearray()
            out += _write_b(m.fenced)
            tags.append((0, out))
            out = outer
        if m.in_controlled_shutdown != 0:
            outer = out
            out = bytearray()
            out += _write_b(m.in_controlled_shutdown)
            tags.append((1, out))
            out = outer
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
            tags.append((2, out))
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
            tags.append((3, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("BrokerRegistrationChangeRecord", error) from error

BrokerRegistrationChangeRecord.DECODERS = {
    0: decode_broker_registration_change_record_v0,
    1: decode_broker_registration_change_record_v1,
    2: decode_broker_registration_change_record_v2,
    3: decode_broker_registration_change_record_v3,
}

BrokerRegistrationChangeRecord.ENCODERS = {
    0: encode_broker_registration_change_record_v0,
    1: encode_broker_registration_change_record_v1,
    2: encode_broker_registration_change_record_v2,
    3: encode_broker_registration_change_record_v3,
}

__all__ = [
    "BrokerRegistrationChangeRecord",
]
