# Generated from schemas/records/ConsumerProtocolSubscription.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, null, past_end, too_short, unfit, wrong_count,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack


class TopicPartition(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topic", "topic", "string", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    topic: str = ""
    partitions: list[int] = []


class ConsumerProtocolSubscription(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topics", "topics", "[]string", None),
        ("UserData", "user_data", "bytes", None),
        ("OwnedPartitions", "owned_partitions", "[]struct", TopicPartition),
        ("GenerationId", "generation_id", "int32", None),
        ("RackId", "rack_id", "string", None),
    )
    NAME: ClassVar = "ConsumerProtocolSubscription"
    API_KEY: ClassVar = -1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    topics: list[str] = []
    user_data: bytes | None = None
    owned_partitions: list[TopicPartition] = []
    generation_id: int = -1
    rack_id: str | None = None


def decode_consumer_protocol_subscription_v0(buf: bytes, pos: int, end: int) -> tuple[ConsumerProtocolSubscription, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[str] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topics")
            topics_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics.append(topics_item)
        n = _read_i(buf, pos)[0]
        pos += 4
        user_data: bytes | None = None
        if n >= 0:
            user_data = buf[pos : pos + n]
            pos += n
        message = ConsumerProtocolSubscription(topics, user_data)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_protocol_subscription_v0(out: bytearray, m: ConsumerProtocolSubscription) -> None:
    try:
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.encode()
            out += _write_h(len(text))
            out += text
        user_data = m.user_data
        if user_data is None:
            out += _write_i(-1)
        else:
            out += _write_i(len(user_data))
            out += user_data
    except UNFIT as error:
        raise unfit("ConsumerProtocolSubscription", error) from error


def decode_consumer_protocol_subscription_v1(buf: bytes, pos: int, end: int) -> tuple[ConsumerProtocolSubscription, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[str] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topics")
            topics_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics.append(topics_item)
        n = _read_i(buf, pos)[0]
        pos += 4
        user_data: bytes | None = None
        if n >= 0:
            user_data = buf[pos : pos + n]
            pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("OwnedPartitions", n, pos, end)
        owned_partitions: list[TopicPartition] = []
        owned_partitions_count = n
        for _ in range(owned_partitions_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            owned_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            owned_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            owned_partitions.append(TopicPartition(owned_partitions_topic, owned_partitions_partitions))
        message = ConsumerProtocolSubscription(topics, user_data, owned_partitions)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_protocol_subscription_v1(out: bytearray, m: ConsumerProtocolSubscription) -> None:
    try:
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.encode()
            out += _write_h(len(text))
            out += text
        user_data = m.user_data
        if user_data is None:
            out += _write_i(-1)
        else:
            out += _write_i(len(user_data))
            out += user_data
        owned_partitions = m.owned_partitions
        out += _write_i(len(owned_partitions))
        for owned_partitions_item in owned_partitions:
            text = owned_partitions_item.topic.encode()
            out += _write_h(len(text))
            out += text
            owned_partitions_partitions = owned_partitions_item.partitions
            out += _write_i(len(owned_partitions_partitions))
            out += struct.pack(f">{len(owned_partitions_partitions)}i", *owned_partitions_partitions)
    except UNFIT as error:
        raise unfit("ConsumerProtocolSubscription", error) from error


def decode_consumer_protocol_subscription_v2(buf: bytes, pos: int, end: int) -> tuple[ConsumerProtocolSubscription, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[str] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topics")
            topics_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics.append(topics_item)
        n = _read_i(buf, pos)[0]
        pos += 4
        user_data: bytes | None = None
        if n >= 0:
            user_data = buf[pos : pos + n]
            pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("OwnedPartitions", n, pos, end)
        owned_partitions: list[TopicPartition] = []
        owned_partitions_count = n
        for _ in range(owned_partitions_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            owned_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            owned_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            owned_partitions.append(TopicPartition(owned_partitions_topic, owned_partitions_partitions))
        generation_id, = _read_i(buf, pos)
        pos += 4
        message = ConsumerProtocolSubscription(topics, user_data, owned_partitions, generation_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_protocol_subscription_v2(out: bytearray, m: ConsumerProtocolSubscription) -> None:
    try:
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.encode()
            out += _write_h(len(text))
            out += text
        user_data = m.user_data
        if user_data is None:
            out += _write_i(-1)
        else:
            out += _write_i(len(user_data))
            out += user_data
        owned_partitions = m.owned_partitions
        out += _write_i(len(owned_partitions))
        for owned_partitions_item in owned_partitions:
            text = owned_partitions_item.topic.encode()
            out += _write_h(len(text))
            out += text
            owned_partitions_partitions = owned_partitions_item.partitions
            out += _write_i(len(owned_partitions_partitions))
            out += struct.pack(f">{len(owned_partitions_partitions)}i", *owned_partitions_partitions)
        out += _write_i(m.generation_id)
    except UNFIT as error:
        raise unfit("ConsumerProtocolSubscription", error) from error


def decode_consumer_protocol_subscription_v3(buf: bytes, pos: int, end: int) -> tuple[ConsumerProtocolSubscription, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Topics", n, pos, end)
        topics: list[str] = []
        topics_count = n
        for _ in range(topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topics")
            topics_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            topics.append(topics_item)
        n = _read_i(buf, pos)[0]
        pos += 4
        user_data: bytes | None = None
        if n >= 0:
            user_data = buf[pos : pos + n]
            pos += n
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("OwnedPartitions", n, pos, end)
        owned_partitions: list[TopicPartition] = []
        owned_partitions_count = n
        for _ in range(owned_partitions_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            owned_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            owned_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            owned_partitions.append(TopicPartition(owned_partitions_topic, owned_partitions_partitions))
        generation_id, = _read_i(buf, pos)
        pos += 4
        n = _read_h(buf, pos)[0]
        pos += 2
        rack_id: str | None = None
        if n >= 0:
            rack_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        message = ConsumerProtocolSubscription(topics, user_data, owned_partitions, generation_id, rack_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_protocol_subscription_v3(out: bytearray, m: ConsumerProtocolSubscription) -> None:
    try:
        topics = m.topics
        out += _write_i(len(topics))
        for topics_item in topics:
            text = topics_item.encode()
            out += _write_h(len(text))
            out += text
        user_data = m.user_data
        if user_data is None:
            out += _write_i(-1)
        else:
            out += _write_i(len(user_data))
            out += user_data
        owned_partitions = m.owned_partitions
        out += _write_i(len(owned_partitions))
        for owned_partitions_item in owned_partitions:
            text = owned_partitions_item.topic.encode()
            out += _write_h(len(text))
            out += text
            owned_partitions_partitions = owned_partitions_item.partitions
            out += _write_i(len(owned_partitions_partitions))
            out += struct.pack(f">{len(owned_partitions_partitions)}i", *owned_partitions_partitions)
        out += _write_i(m.generation_id)
        rack_id = m.rack_id
        if rack_id is None:
            out += _write_h(-1)
        else:
            text = rack_id.encode()
            out += _write_h(len(text))
            out += text
    except UNFIT as error:
        raise unfit("ConsumerProtocolSubscription", error) from error

ConsumerProtocolSubscription.DECODERS = {
    0: decode_consumer_protocol_subscription_v0,
    1: decode_consumer_protocol_subscription_v1,
    2: decode_consumer_protocol_subscription_v2,
    3: decode_consumer_protocol_subscription_v3,
}

ConsumerProtocolSubscription.ENCODERS = {
    0: encode_consumer_protocol_subscription_v0,
    1: encode_consumer_protocol_subscription_v1,
    2: encode_consumer_protocol_subscription_v2,
    3: encode_consumer_protocol_subscription_v3,
}

__all__ = [
    "ConsumerProtocolSubscription", "TopicPartition",
]
