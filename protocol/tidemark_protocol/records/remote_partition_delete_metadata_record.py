# Generated from schemas/records/RemotePartitionDeleteMetadataRecord.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct, field

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, null, past_end, read_text_length, skip_tags, too_short, unfit,
    write_text_length,
)

_ui = struct.Struct(">16si")
_read_ui = _ui.unpack_from
_write_ui = _ui.pack
_iqb = struct.Struct(">iqb")
_read_iqb = _iqb.unpack_from
_write_iqb = _iqb.pack


class TopicIdPartitionEntry(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Id", "id", "uuid", None),
        ("Partition", "partition", "int32", None),
    )
    name: str = ""
    id: bytes = ZERO_UUID
    partition: int = 0


class RemotePartitionDeleteMetadataRecord(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicIdPartition", "topic_id_partition", "struct", TopicIdPartitionEntry),
        ("BrokerId", "broker_id", "int32", None),
        ("EventTimestampMs", "event_timestamp_ms", "int64", None),
        ("RemotePartitionDeleteState", "remote_partition_delete_state", "int8", None),
    )
    NAME: ClassVar = "RemotePartitionDeleteMetadataRecord"
    API_KEY: ClassVar = 2
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topic_id_partition: TopicIdPartitionEntry = field(default_factory=TopicIdPartitionEntry)
    broker_id: int = 0
    event_timestamp_ms: int = 0
    remote_partition_delete_state: int = 0


def decode_remote_partition_delete_metadata_record_v0(buf: bytes, pos: int, end: int) -> tuple[RemotePartitionDeleteMetadataRecord, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "Name")
        if n < 0:
            raise null("Name")
        topic_id_partition_name = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        topic_id_partition_id, topic_id_partition_partition = _read_ui(buf, pos)
        pos += 20
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        topic_id_partition = TopicIdPartitionEntry(topic_id_partition_name, topic_id_partition_id, topic_id_partition_partition)
        broker_id, event_timestamp_ms, remote_partition_delete_state = _read_iqb(buf, pos)
        pos += 13
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = RemotePartitionDeleteMetadataRecord(topic_id_partition, broker_id, event_timestamp_ms, remote_partition_delete_state)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_remote_partition_delete_metadata_record_v0(out: bytearray, m: RemotePartitionDeleteMetadataRecord) -> None:
    try:
        topic_id_partition = m.topic_id_partition
        text = topic_id_partition.name.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "Name")
        out += text
        out += _write_ui(topic_id_partition.id, topic_id_partition.partition)
        out.append(0)
        out += _write_iqb(m.broker_id, m.event_timestamp_ms, m.remote_partition_delete_state)
        out.append(0)
    except UNFIT as error:
        raise unfit("RemotePartitionDeleteMetadataRecord", error) from error

RemotePartitionDeleteMetadataRecord.DECODERS = {
    0: decode_remote_partition_delete_metadata_record_v0,
}

RemotePartitionDeleteMetadataRecord.ENCODERS = {
    0: encode_remote_partition_delete_metadata_record_v0,
}

__all__ = [
    "RemotePartitionDeleteMetadataRecord", "TopicIdPartitionEntry",
]
