# Generated from schemas/records/ConsumerProtocolAssignment.json. Edit that, then run make generate.

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


class ConsumerProtocolAssignment(Struct, gc=False):
    FIELDS: ClassVar = (
        ("AssignedPartitions", "assigned_partitions", "[]struct", TopicPartition),
        ("UserData", "user_data", "bytes", None),
    )
    NAME: ClassVar = "ConsumerProtocolAssignment"
    API_KEY: ClassVar = -1
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    assigned_partitions: list[TopicPartition] = []
    user_data: bytes | None = None


def decode_consumer_protocol_assignment_v0_v3(buf: bytes, pos: int, end: int) -> tuple[ConsumerProtocolAssignment, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("AssignedPartitions", n, pos, end)
        assigned_partitions: list[TopicPartition] = []
        assigned_partitions_count = n
        for _ in range(assigned_partitions_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Topic")
            assigned_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            assigned_partitions_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            assigned_partitions.append(TopicPartition(assigned_partitions_topic, assigned_partitions_partitions))
        n = _read_i(buf, pos)[0]
        pos += 4
        user_data: bytes | None = None
        if n >= 0:
            user_data = buf[pos : pos + n]
            pos += n
        message = ConsumerProtocolAssignment(assigned_partitions, user_data)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_consumer_protocol_assignment_v0_v3(out: bytearray, m: ConsumerProtocolAssignment) -> None:
    try:
        assigned_partitions = m.assigned_partitions
        out += _write_i(len(assigned_partitions))
        for assigned_partitions_item in assigned_partitions:
            text = assigned_partitions_item.topic.encode()
            out += _write_h(len(text))
            out += text
            assigned_partitions_partitions = assigned_partitions_item.partitions
            out += _write_i(len(assigned_partitions_partitions))
            out += struct.pack(f">{len(assigned_partitions_partitions)}i", *assigned_partitions_partitions)
        user_data = m.user_data
        if user_data is None:
            out += _write_i(-1)
        else:
            out += _write_i(len(user_data))
            out += user_data
    except UNFIT as error:
        raise unfit("ConsumerProtocolAssignment", error) from error

ConsumerProtocolAssignment.DECODERS = {
    0: decode_consumer_protocol_assignment_v0_v3, 1: decode_consumer_protocol_assignment_v0_v3,
    2: decode_consumer_protocol_assignment_v0_v3, 3: decode_consumer_protocol_assignment_v0_v3,
}

ConsumerProtocolAssignment.ENCODERS = {
    0: encode_consumer_protocol_assignment_v0_v3, 1: encode_consumer_protocol_assignment_v0_v3,
    2: encode_consumer_protocol_assignment_v0_v3, 3: encode_consumer_protocol_assignment_v0_v3,
}

__all__ = [
    "ConsumerProtocolAssignment", "TopicPartition",
]
