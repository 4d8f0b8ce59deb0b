# Generated from schemas/records/ProducerSnapshot.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, past_end, too_short, unfit, wrong_count,
)

_I = struct.Struct(">I")
_read_I = _I.unpack_from
_write_I = _I.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_qhiqiqiq = struct.Struct(">qhiqiqiq")
_read_qhiqiqiq = _qhiqiqiq.unpack_from
_write_qhiqiqiq = _qhiqiqiq.pack


class ProducerEntry(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ProducerId", "producer_id", "int64", None),
        ("Epoch", "epoch", "int16", None),
        ("LastSequence", "last_sequence", "int32", None),
        ("LastOffset", "last_offset", "int64", None),
        ("OffsetDelta", "offset_delta", "int32", None),
        ("Timestamp", "timestamp", "int64", None),
        ("CoordinatorEpoch", "coordinator_epoch", "int32", None),
        ("CurrentTxnFirstOffset", "current_txn_first_offset", "int64", None),
    )
    producer_id: int = 0
    epoch: int = 0
    last_sequence: int = 0
    last_offset: int = 0
    offset_delta: int = 0
    timestamp: int = 0
    coordinator_epoch: int = 0
    current_txn_first_offset: int = 0


class ProducerSnapshot(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Crc", "crc", "uint32", None),
        ("ProducerEntries", "producer_entries", "[]struct", ProducerEntry),
    )
    NAME: ClassVar = "ProducerSnapshot"
    API_KEY: ClassVar = -1
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    crc: int = 0
    producer_entries: list[ProducerEntry] = []


def decode_producer_snapshot_v1(buf: bytes, pos: int, end: int) -> tuple[ProducerSnapshot, int]:
    try:
        crc, = _read_I(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("ProducerEntries", n, pos, end)
        producer_entries: list[ProducerEntry] = []
        producer_entries_count = n
        for _ in range(producer_entries_count):
            producer_entries_producer_id, producer_entries_epoch, producer_entries_last_sequence, producer_entries_last_offset, producer_entries_offset_delta, producer_entries_timestamp, producer_entries_coordinator_epoch, producer_entries_current_txn_first_offset = _read_qhiqiqiq(buf, pos)
            pos += 46
            producer_entries.append(ProducerEntry(producer_entries_producer_id, producer_entries_epoch, producer_entries_last_sequence, producer_entries_last_offset, producer_entries_offset_delta, producer_entries_timestamp, producer_entries_coordinator_epoch, producer_entries_current_txn_first_offset))
        message = ProducerSnapshot(crc, producer_entries)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_producer_snapshot_v1(out: bytearray, m: ProducerSnapshot) -> None:
    try:
        out += _write_I(m.crc)
        producer_entries = m.producer_entries
        out += _write_i(len(producer_entries))
        for producer_entries_item in producer_entries:
            out += _write_qhiqiqiq(producer_entries_item.producer_id, producer_entries_item.epoch, producer_entries_item.last_sequence, producer_entries_item.last_offset, producer_entries_item.offset_delta, producer_entries_item.timestamp, producer_entries_item.coordinator_epoch, producer_entries_item.current_txn_first_offset)
    except UNFIT as error:
        raise unfit("ProducerSnapshot", error) from error

ProducerSnapshot.DECODERS = {
    1: decode_producer_snapshot_v1,
}

ProducerSnapshot.ENCODERS = {
    1: encode_producer_snapshot_v1,
}

__all__ = [
    "ProducerEntry", "ProducerSnapshot",
]
