# Generated from schemas/records/RemoteLogSegmentMetadataRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct, field

from tidemark_protocol.wire import (
    Bytes, Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, null, past_end, read_length, read_tag_count,
    read_text_length, read_uvarint, skip_tag, skip_tags, too_short, unfit, write_tags, write_text_length,
    write_uvarint, wrong_count,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_ui = struct.Struct(">16si")
_read_ui = _ui.unpack_from
_write_ui = _ui.pack
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
_qqiqq = struct.Struct(">qqiqq")
_read_qqiqq = _qqiqq.unpack_from
_write_qqiqq = _qqiqq.pack


class TopicIdPartitionEntry(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Id", "id", "uuid", None),
        ("Partition", "partition", "int32", None),
    )
    name: str = ""
    id: bytes = ZERO_UUID
    partition: int = 0


class RemoteLogSegmentIdEntry(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicIdPartition", "topic_id_partition", "struct", TopicIdPartitionEntry),
        ("Id", "id", "uuid", None),
    )
    topic_id_partition: TopicIdPartitionEntry = field(default_factory=TopicIdPartitionEntry)
    id: bytes = ZERO_UUID


class SegmentLeaderEpochEntry(Struct, gc=False):
    FIELDS: ClassVar = (
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("Offset", "offset", "int64", None),
    )
    leader_epoch: int = 0
    offset: int = 0


class RemoteLogSegmentMetadataRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("RemoteLogSegmentId", "remote_log_segment_id", "struct", RemoteLogSegmentIdEntry),
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
    NAME: ClassVar = "RemoteLogSegmentMetadataRecord"
    API_KEY: ClassVar = 0
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    remote_log_segment_id: RemoteLogSegmentIdEntry = field(default_factory=RemoteLogSegmentIdEntry)
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


def decode_remote_log_segment_metadata_record_v0(buf: bytes, pos: int, end: int) -> tuple[RemoteLogSegmentMetadataRecord, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Name")
        if n < 0:
            raise null("Name")
        remote_log_segment_id_topic_id_partition_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        remote_log_segment_id_topic_id_partition_id, remote_log_segment_id_topic_id_partition_partition = _read_ui(buf, pos)
        pos += 20
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        remote_log_segment_id_topic_id_partition = TopicIdPartitionEntry(remote_log_segment_id_topic_id_partition_name, remote_log_segment_id_topic_id_partition_id, remote_log_segment_id_topic_id_partition_partition)
        remote_log_segment_id_id, = _read_u(buf, pos)
        pos += 16
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        remote_log_segment_id = RemoteLogSegmentIdEntry(remote_log_segment_id_topic_id_partition, remote_log_segment_id_id)
        start_offset, end_offset, broker_id, max_timestamp_ms, event_timestamp_ms = _read_qqiqq(buf, pos)
        pos += 36
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
        message = RemoteLogSegmentMetadataRecord(remote_log_segment_id, start_offset, end_offset, broker_id, max_timestamp_ms, event_timestamp_ms, segment_leader_epochs, segment_size_in_bytes, custom_metadata, remote_log_segment_state, txn_index_empty)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_remote_log_segment_metadata_record_v0(out: bytearray, m: RemoteLogSegmentMetadataRecord) -> None:
    try:
        remote_log_segment_id = m.remote_log_segment_id
        remote_log_segment_id_topic_id_partition = remote_log_segment_id.topic_id_partition
        text = remote_log_segment_id_topic_id_partition.name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Name")
        out += text
        out += _write_ui(remote_log_segment_id_topic_id_partition.id, remote_log_segment_id_topic_id_partition.partition)
        out.append(0)
        out += _write_u(remote_log_segment_id.id)
        out.append(0)
        out += _write_qqiqq(m.start_offset, m.end_offset, m.broker_id, m.max_timestamp_ms, m.event_timestamp_ms)
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
        raise unfit("RemoteLogSegmentMetadataRecord", error) from error

RemoteLogSegmentMetadataRecord.DECODERS = {
    0: decode_remote_log_segment_metadata_record_v0,
}

RemoteLogSegmentMetadataRecord.ENCODERS = {
    0: encode_remote_log_segment_metadata_record_v0,
}

__all__ = [
    "RemoteLogSegmentIdEntry", "RemoteLogSegmentMetadataRecord", "SegmentLeaderEpochEntry",
    "TopicIdPartitionEntry",
]
