# Generated from schemas/records/ConsumerGroupPartitionMetadataKey.json and schemas/records/ConsumerGroupPartitionMetadataValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, ZERO_UUID, null, past_end, read_length, read_text_length, skip_tags,
    too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class ConsumerGroupPartitionMetadataKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
    )
    NAME: ClassVar = "ConsumerGroupPartitionMetadataKey"
    API_KEY: ClassVar = 4
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""


class PartitionMetadata(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Partition", "partition", "int32", None),
        ("Racks", "racks", "[]string", None),
    )
    partition: int = 0
    racks: list[str] = []


class TopicMetadata(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("TopicName", "topic_name", "string", None),
        ("NumPartitions", "num_partitions", "int32", None),
        ("PartitionMetadata", "partition_metadata", "[]struct", PartitionMetadata),
    )
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""
    num_partitions: int = 0
    partition_metadata: list[PartitionMetadata] = []


class ConsumerGroupPartitionMetadataValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topics", "topics", "[]struct", TopicMetadata),
    )
    NAME: ClassVar = "ConsumerGroupPartitionMetadataValue"
    API_KEY: ClassVar = 4
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topics: list[TopicMetadata] = []


def decode_consumer_group_partition_metadata_key_v0(buf: bytes, pos: int, end: int) -> tuple[ConsumerGroupPartitionMetadataKey, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = ConsumerGroupPartitionMetadataKey(group_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_group_partition_metadata_key_v0(out: bytearray, m: ConsumerGroupPartitionMetadataKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("ConsumerGroupPartitionMetadataKey", error) from error

ConsumerGroupPartitionMetadataKey.DECODERS = {
    0: decode_consumer_group_partition_metadata_key_v0,
}

ConsumerGroupPartitionMetadataKey.ENCODERS = {
    0: encode_consumer_group_partition_metadata_key_v0,
}



def decode_consumer_group_partition_metadata_value_v0(buf: bytes, pos: int, end: int) -> tuple[ConsumerGroupPartitionMetadataValue, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[TopicMetadata] = []
        topics_count = n
        for _ in range(topics_count):
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicName")
            if n < 0:
                raise null("TopicName")
            topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics_num_partitions, = _read_i(buf, pos)
            pos += 4
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("PartitionMetadata", n, pos, end)
            topics_partition_metadata: list[PartitionMetadata] = []
            topics_partition_metadata_count = n
            for _ in range(topics_partition_metadata_count):
                topics_partition_metadata_partition, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Racks", n, pos, end)
                topics_partition_metadata_racks: list[str] = []
                topics_partition_metadata_racks_count = n
                for _ in range(topics_partition_metadata_racks_count):
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "Racks")
                    if n < 0:
                        raise null("Racks")
                    topics_partition_metadata_racks_item = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                    topics_partition_metadata_racks.append(topics_partition_metadata_racks_item)
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                topics_partition_metadata.append(PartitionMetadata(topics_partition_metadata_partition, topics_partition_metadata_racks))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            topics.append(TopicMetadata(topics_topic_id, topics_topic_name, topics_num_partitions, topics_partition_metadata))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ConsumerGroupPartitionMetadataValue(topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_group_partition_metadata_value_v0(out: bytearray, m: ConsumerGroupPartitionMetadataValue) -> None:
    try:
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_u(topics_item.topic_id)
            text = topics_item.topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicName")
            out += text
            out += _write_i(topics_item.num_partitions)
            topics_partition_metadata = topics_item.partition_metadata
            n = len(topics_partition_metadata) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partition_metadata_item in topics_partition_metadata:
                out += _write_i(topics_partition_metadata_item.partition)
                topics_partition_metadata_racks = topics_partition_metadata_item.racks
                n = len(topics_partition_metadata_racks) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partition_metadata_racks_item in topics_partition_metadata_racks:
                    text = topics_partition_metadata_racks_item.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_text_length(out, n, "Racks")
                    out += text
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ConsumerGroupPartitionMetadataValue", error) from error

ConsumerGroupPartitionMetadataValue.DECODERS = {
    0: decode_consumer_group_partition_metadata_value_v0,
}

ConsumerGroupPartitionMetadataValue.ENCODERS = {
    0: encode_consumer_group_partition_metadata_value_v0,
}

__all__ = [
    "ConsumerGroupPartitionMetadataKey", "ConsumerGroupPartitionMetadataValue", "PartitionMetadata",
    "TopicMetadata",
]
