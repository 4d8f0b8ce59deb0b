# Generated from schemas/records/RemoteLogSegmentMetadataUpdateRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct, field

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, null, past_end, read_length, read_text_length, skip_tags,
    too_short, unfit, write_text_length, write_uvarint,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_ui = struct.Struct(">16si")
_read_ui = _ui.unpack_from
_write_ui = _ui.pack
_b = struct.Struct(">b")
_read_b = _b.unpack_from
_write_b = _b.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack


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


class RemoteLogSegmentMetadataUpdateRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("RemoteLogSegmentId", "remote_log_segment_id", "struct", RemoteLogSegmentIdEntry),
        ("BrokerId", "broker_id", "int32", None),
        ("EventTimestampMs", "event_timestamp_ms", "int64", None),
        ("CustomMetadata", "custom_metadata", "bytes", None),
        ("RemoteLogSegmentState", "remote_log_segment_state", "int8", None),
    )
    NAME: ClassVar = "RemoteLogSegmentMetadataUpdateRecord"
    API_KEY: ClassVar = 1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    remote_log_segment_id: RemoteLogSegmentIdEntry = field(default_factory=RemoteLogSegmentIdEntry)
    broker_id: int = 0
    event_timestamp_ms: int = 0
    custom_metadata: bytes | None = None
    remote_log_segment_state: int = 0


def decode_remote_log_segment_metadata_update_record_v0(buf: bytes, pos: int, end: int) -> tuple[RemoteLogSegmentMetadataUpdateRecord, int]:
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
        broker_id, event_timestamp_ms = _read_iq(buf, pos)
        pos += 12
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
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = RemoteLogSegmentMetadataUpdateRecord(remote_log_segment_id, broker_id, event_timestamp_ms, custom_metadata, remote_log_segment_state)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_remote_log_segment_metadata_update_record_v0(out: bytearray, m: RemoteLogSegmentMetadataUpdateRecord) -> None:
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
        out += _write_iq(m.broker_id, m.event_timestamp_ms)
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
        out.append(0)
    except UNFIT as error:
        raise unfit("RemoteLogSegmentMetadataUpdateRecord", error) from error

RemoteLogSegmentMetadataUpdateRecord.DECODERS = {
    0: decode_remote_log_segment_metadata_update_record_v0,
}

RemoteLogSegmentMetadataUpdateRecord.ENCODERS = {
    0: encode_remote_log_segment_metadata_update_record_v0,
}

__all__ = [
    "RemoteLogSegmentIdEntry", "RemoteLogSegmentMetadataUpdateRecord", "TopicIdPartitionEntry",
]
