# Generated from schemas/records/ShareGroupStatePartitionMetadataKey.json and schemas/records/ShareGroupStatePartitionMetadataValue.json. Edit that, then run make generate.

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


class ShareGroupStatePartitionMetadataKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("GroupId", "group_id", "string", None),
    )
    NAME: ClassVar = "ShareGroupStatePartitionMetadataKey"
    API_KEY: ClassVar = 15
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    group_id: str = ""


class TopicPartitionsInfo(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("TopicName", "topic_name", "string", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""
    partitions: list[int] = []


class TopicInfo(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("TopicName", "topic_name", "string", None),
    )
    topic_id: bytes = ZERO_UUID
    topic_name: str = ""


class ShareGroupStatePartitionMetadataValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("InitializingTopics", "initializing_topics", "[]struct", TopicPartitionsInfo),
        ("InitializedTopics", "initialized_topics", "[]struct", TopicPartitionsInfo),
        ("DeletingTopics", "deleting_topics", "[]struct", TopicInfo),
    )
    NAME: ClassVar = "ShareGroupStatePartitionMetadataValue"
    API_KEY: ClassVar = 15
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    initializing_topics: list[TopicPartitionsInfo] = []
    initialized_topics: list[TopicPartitionsInfo] = []
    deleting_topics: list[TopicInfo] = []


def decode_share_group_state_partition_metadata_key_v0(buf: bytes, pos: int, end: int) -> tuple[ShareGroupStatePartitionMetadataKey, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("GroupId")
        group_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = ShareGroupStatePartitionMetadataKey(group_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_group_state_partition_metadata_key_v0(out: bytearray, m: ShareGroupStatePartitionMetadataKey) -> None:
    try:
        text = m.group_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("ShareGroupStatePartitionMetadataKey", error) from error

ShareGroupStatePartitionMetadataKey.DECODERS = {
    0: decode_share_group_state_partition_metadata_key_v0,
}

ShareGroupStatePartitionMetadataKey.ENCODERS = {
    0: encode_share_group_state_partition_metadata_key_v0,
}



def decode_share_group_state_partition_metadata_value_v0(buf: bytes, pos: int, end: int) -> tuple[ShareGroupStatePartitionMetadataValue, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("InitializingTopics", n, pos, end)
        initializing_topics: list[TopicPartitionsInfo] = []
        initializing_topics_count = n
        for _ in range(initializing_topics_count):
            initializing_topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicName")
            if n < 0:
                raise null("TopicName")
            initializing_topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            initializing_topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            initializing_topics.append(TopicPartitionsInfo(initializing_topics_topic_id, initializing_topics_topic_name, initializing_topics_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("InitializedTopics", n, pos, end)
        initialized_topics: list[TopicPartitionsInfo] = []
        initialized_topics_count = n
        for _ in range(initialized_topics_count):
            initialized_topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicName")
            if n < 0:
                raise null("TopicName")
            initialized_topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            initialized_topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            initialized_topics.append(TopicPartitionsInfo(initialized_topics_topic_id, initialized_topics_topic_name, initialized_topics_partitions))
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("DeletingTopics", n, pos, end)
        deleting_topics: list[TopicInfo] = []
        deleting_topics_count = n
        for _ in range(deleting_topics_count):
            deleting_topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TopicName")
            if n < 0:
                raise null("TopicName")
            deleting_topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            deleting_topics.append(TopicInfo(deleting_topics_topic_id, deleting_topics_topic_name))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ShareGroupStatePartitionMetadataValue(initializing_topics, initialized_topics, deleting_topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_share_group_state_partition_metadata_value_v0(out: bytearray, m: ShareGroupStatePartitionMetadataValue) -> None:
    try:
        initializing_topics = m.initializing_topics
        n = len(initializing_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for initializing_topics_item in initializing_topics:
            out += _write_u(initializing_topics_item.topic_id)
            text = initializing_topics_item.topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicName")
            out += text
            initializing_topics_partitions = initializing_topics_item.partitions
            n = len(initializing_topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(initializing_topics_partitions)}i", *initializing_topics_partitions)
            out.append(0)
        initialized_topics = m.initialized_topics
        n = len(initialized_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for initialized_topics_item in initialized_topics:
            out += _write_u(initialized_topics_item.topic_id)
            text = initialized_topics_item.topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicName")
            out += text
            initialized_topics_partitions = initialized_topics_item.partitions
            n = len(initialized_topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(initialized_topics_partitions)}i", *initialized_topics_partitions)
            out.append(0)
        deleting_topics = m.deleting_topics
        n = len(deleting_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for deleting_topics_item in deleting_topics:
            out += _write_u(deleting_topics_item.topic_id)
            text = deleting_topics_item.topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TopicName")
            out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ShareGroupStatePartitionMetadataValue", error) from error

ShareGroupStatePartitionMetadataValue.DECODERS = {
    0: decode_share_group_state_partition_metadata_value_v0,
}

ShareGroupStatePartitionMetadataValue.ENCODERS = {
    0: encode_share_group_state_partition_metadata_value_v0,
}

__all__ = [
    "ShareGroupStatePartitionMetadataKey", "ShareGroupStatePartitionMetadataValue", "TopicInfo",
    "TopicPartitionsInfo",
]
