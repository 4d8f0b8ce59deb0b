# Generated from schemas/records/RemoteLogSegmentMetadataSnapshotRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Bytes, Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, past_end, read_length, read_tag_count, read_uvarint,
    skip_tag, skip_tags, too_short, unfit, write_tags, write_uvarint, wrong_count,
)

_uqqiqq = struct.Struct(">16sqqiqq")
_read_uqqiqq = _uqqiqq.unpack_from
_write_uqqiqq = _uqqiqq.pack
_z = struct.Struct(">?")
_read_z = _z.unpack_from
_write_z = _z.pack
_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack


class SegmentLeaderEpochEntry(Struct, gc=False):
    FIELDS: ClassVar = (
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("Offset", "offset", "int64", None),
    )
    leader_epoch: int = 0
    offset: int = 0


class RemoteLogSegmentMetadataSnapshotRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("SegmentId", "segment_id", "uuid", None),
        ("StartOffset", "start_offset", "int64", None),
        ("EndOffset", "end_offset", "int64", None),
        ("BrokerId", "broker_id", "int32", None),
        ("MaxTimestampMs", "max_timestamp_ms", "int64", None),
        ("EventTimestampMs", "event_timestamp_ms", "int64", None),
        ("SegmentLeaderEpochs", "segment_leader_epochs", "[]struct", SegmentLeaderEpochEntry),
        ("SegmentSizeInBytes", "segment_size_in_bytes", "int32", None),
        ("CustomMetadata", "custom_metadata", "bytes", None),
        ("RemoteLogSegmentState", "remote_log_segment_state", "int8", None),
        ("TxnIndexEmpty", "txn_index_empty", "bool", None),
    )
    NAME: ClassVar = "RemoteLogSegmentMetadataSnapshotRecord"
    API_KEY: ClassVar = 3
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    segment_id: bytes = ZERO_UUID
    start_offset: int = 0
    end_offset: int = 0
    broker_id: int = 0
    max_timestamp_ms: int = 0
    event_timestamp_ms: int = 0
    segment_leader_epochs: list[SegmentLeaderEpochEntry] = []
    segment_size_in_bytes: int = 0
    custom_metadata: bytes | None = None
    remote_log_segment_state: int = 0
    txn_index_empty: bool = False


def decode_remote_log_segment_metadata_snapshot_record_v0(buf: bytes, pos: int, end: int) -> tuple[RemoteLogSegmentMetadataSnapshotRecord, int]:
    try:
        segment_id, start_offset, end_offset, broker_id, max_timestamp_ms, event_timestamp_ms = _read_uqqiqq(buf, pos)
        pos += 52
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("SegmentLeaderEpochs", n, pos, end)
        segment_leader_epochs: list[SegmentLeaderEpochEntry] = []
        segment_leader_epochs_count = n
        for _ in range(segment_leader_epochs_count):
            segment_leader_epochs_leader_epoch, segment_leader_epochs_offset = _read_iq(buf, pos)
            pos += 12
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            segment_leader_epochs.append(SegmentLeaderEpochEntry(segment_leader_epochs_leader_epoch, segment_leader_epochs_offset))
        segment_size_in_bytes, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        custom_metadata: bytes | None = None
        if n >= 0:
            custom_metadata = buf[pos : pos + n]
            pos += n
        remote_log_segment_state, = _read_b(buf, pos)
        pos += 1
        txn_index_empty: bool = False
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    txn_index_empty, = _read_z(buf, pos)
                    pos += 1
                else:
                    pos = skip_tag(buf, pos, end)
        message = RemoteLogSegmentMetadataSnapshotRecord(segment_id, start_offset, end_offset, broker_id, max_timestamp_ms, event_timestamp_ms, segment_leader_epochs, segment_size_in_bytes, custom_metadata, remote_log_segment_state, txn_index_empty)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_remote_log_segment_metadata_snapshot_record_v0(out: bytearray, m: RemoteLogSegmentMetadataSnapshotRecord) -> None:
    try:
        out += _write_uqqiqq(m.segment_id, m.start_offset, m.end_offset, m.broker_id, m.max_timestamp_ms, m.event_timestamp_ms)
        segment_leader_epochs = m.segment_leader_epochs
        n = len(segment_leader_epochs) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for segment_leader_epochs_item in segment_leader_epochs:
            out += _write_iq(segment_leader_epochs_item.leader_epoch, segment_leader_epochs_item.offset)
            out.append(0)
        out += _write_i(m.segment_size_in_bytes)
        custom_metadata = m.custom_metadata
        if custom_metadata is None:
            out.append(0)
        else:
            n = len(custom_metadata) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += custom_metadata
        out += _write_b(m.remote_log_segment_state)
        tags: list[tuple[int, bytearray]] = []
        if m.txn_index_empty:
            outer = out
            out = bytearray()
            out += _write_z(m.txn_index_empty)
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("RemoteLogSegmentMetadataSnapshotRecord", error) from error

RemoteLogSegmentMetadataSnapshotRecord.DECODERS = {
    0: decode_remote_log_segment_metadata_snapshot_record_v0,
}

RemoteLogSegmentMetadataSnapshotRecord.ENCODERS = {
    0: encode_remote_log_segment_metadata_snapshot_record_v0,
}

__all__ = [
    "RemoteLogSegmentMetadataSnapshotRecord", "SegmentLeaderEpochEntry",
]
