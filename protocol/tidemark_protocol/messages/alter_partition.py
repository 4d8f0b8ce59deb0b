# Generated from schemas/messages/AlterPartitionRequest.json and schemas/messages/AlterPartitionResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder,
    Encoder,
    SHORT,
    UNBOUNDED,
    UNFIT,
    ZERO_UUID,
    check_count,
    null,
    past_end,
    read_uvarint,
    skip_tags,
    skip_tags_within,
    too_many,
    too_short,
    unfit,
    write_uvarint,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_bi = struct.Struct(">bi")
_read_bi = _bi.unpack_from
_write_bi = _bi.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_ihii = struct.Struct(">ihii")
_read_ihii = _ihii.unpack_from
_write_ihii = _ihii.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack


class BrokerState(Struct, gc=False):
    FIELDS: ClassVar = (
        ("BrokerId", "broker_id", "int32", None),
        ("BrokerEpoch", "broker_epoch", "int64", None),
    )
    broker_id: int = 0
    broker_epoch: int = -1


class AlterPartitionRequestPartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("NewIsr", "new_isr", "[]int32", None),
        ("NewIsrWithEpochs", "new_isr_with_epochs", "[]struct", BrokerState),
        ("LeaderRecoveryState", "leader_recovery_state", "int8", None),
        ("PartitionEpoch", "partition_epoch", "int32", None),
    )
    partition_index: int = 0
    leader_epoch: int = 0
    new_isr: list[int] = []
    new_isr_with_epochs: list[BrokerState] = []
    leader_recovery_state: int = 0
    partition_epoch: int = 0


class AlterPartitionRequestTopicData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", AlterPartitionRequestPartitionData),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[AlterPartitionRequestPartitionData] = []


class AlterPartitionRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("BrokerId", "broker_id", "int32", None),
        ("BrokerEpoch", "broker_epoch", "int64", None),
        ("Topics", "topics", "[]struct", AlterPartitionRequestTopicData),
    )
    NAME: ClassVar = "AlterPartitionRequest"
    API_KEY: ClassVar = 56
    LOWEST: ClassVar = 2
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    broker_id: int = 0
    broker_epoch: int = -1
    topics: list[AlterPartitionRequestTopicData] = []


class AlterPartitionResponsePartitionData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("Isr", "isr", "[]int32", None),
        ("LeaderRecoveryState", "leader_recovery_state", "int8", None),
        ("PartitionEpoch", "partition_epoch", "int32", None),
    )
    partition_index: int = 0
    error_code: int = 0
    leader_id: int = 0
    leader_epoch: int = 0
    isr: list[int] = []
    leader_recovery_state: int = 0
    partition_epoch: int = 0


class AlterPartitionResponseTopicData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", AlterPartitionResponsePartitionData),
    )
    topic_id: bytes = ZERO_UUID
    partitions: list[AlterPartitionResponsePartitionData] = []


class AlterPartitionResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("Topics", "topics", "[]struct", AlterPartitionResponseTopicData),
    )
    NAME: ClassVar = "AlterPartitionResponse"
    API_KEY: ClassVar = 56
    LOWEST: ClassVar = 2
    HIGHEST: ClassVar = 3
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    topics: list[AlterPartitionResponseTopicData] = []


def decode_alter_partition_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AlterPartitionRequest, int]:
    try:
        broker_id, broker_epoch = _read_iq(buf, pos)
        pos += 12
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[AlterPartitionRequestTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[AlterPartitionRequestPartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_leader_epoch = _read_ii(buf, pos)
                pos += 8
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                if n < 0:
                    raise null("NewIsr")
                if n > end - pos:
                    check_count(n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topics_partitions_new_isr: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_partitions_leader_recovery_state, topics_partitions_partition_epoch = _read_bi(buf, pos)
                pos += 5
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(AlterPartitionRequestPartitionData(topics_partitions_partition_index, topics_partitions_leader_epoch, topics_partitions_new_isr, [], topics_partitions_leader_recovery_state, topics_partitions_partition_epoch))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(AlterPartitionRequestTopicData(topics_topic_id, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AlterPartitionRequest(broker_id, broker_epoch, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_partition_request_v2(out: bytearray, m: AlterPartitionRequest) -> None:
    try:
        out += _write_iq(m.broker_id, m.broker_epoch)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_u(topics_item.topic_id)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_ii(topics_partitions_item.partition_index, topics_partitions_item.leader_epoch)
                topics_partitions_new_isr = topics_partitions_item.new_isr
                n = len(topics_partitions_new_isr) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_new_isr)}i", *topics_partitions_new_isr)
                out += _write_bi(topics_partitions_item.leader_recovery_state, topics_partitions_item.partition_epoch)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterPartitionRequest", error) from error


def decode_alter_partition_request_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AlterPartitionRequest, int]:
    try:
        broker_id, broker_epoch = _read_iq(buf, pos)
        pos += 12
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topics: list[AlterPartitionRequestTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topics_partitions: list[AlterPartitionRequestPartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_leader_epoch = _read_ii(buf, pos)
                pos += 8
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                if n < 0:
                    raise null("NewIsrWithEpochs")
                if n > end - pos:
                    check_count(n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                topics_partitions_new_isr_with_epochs: list[BrokerState] = []
                topics_partitions_new_isr_with_epochs_count = n
                for _ in range(topics_partitions_new_isr_with_epochs_count):
                    topics_partitions_new_isr_with_epochs_broker_id, topics_partitions_new_isr_with_epochs_broker_epoch = _read_iq(buf, pos)
                    pos += 12
                    if buf[pos]:
                        pos, left = skip_tags_within(buf, pos, end, left)
                    else:
                        pos += 1
                    topics_partitions_new_isr_with_epochs.append(BrokerState(topics_partitions_new_isr_with_epochs_broker_id, topics_partitions_new_isr_with_epochs_broker_epoch))
                topics_partitions_leader_recovery_state, topics_partitions_partition_epoch = _read_bi(buf, pos)
                pos += 5
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topics_partitions.append(AlterPartitionRequestPartitionData(topics_partitions_partition_index, topics_partitions_leader_epoch, [], topics_partitions_new_isr_with_epochs, topics_partitions_leader_recovery_state, topics_partitions_partition_epoch))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topics.append(AlterPartitionRequestTopicData(topics_topic_id, topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AlterPartitionRequest(broker_id, broker_epoch, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_partition_request_v3(out: bytearray, m: AlterPartitionRequest) -> None:
    try:
        out += _write_iq(m.broker_id, m.broker_epoch)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_u(topics_item.topic_id)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_ii(topics_partitions_item.partition_index, topics_partitions_item.leader_epoch)
                topics_partitions_new_isr_with_epochs = topics_partitions_item.new_isr_with_epochs
                n = len(topics_partitions_new_isr_with_epochs) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_new_isr_with_epochs_item in topics_partitions_new_isr_with_epochs:
                    out += _write_iq(topics_partitions_new_isr_with_epochs_item.broker_id, topics_partitions_new_isr_with_epochs_item.broker_epoch)
                    out.append(0)
                out += _write_bi(topics_partitions_item.leader_recovery_state, topics_partitions_item.partition_epoch)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterPartitionRequest", error) from error

AlterPartitionRequest.DECODERS = {
    2: decode_alter_partition_request_v2,
    3: decode_alter_partition_request_v3,
}

AlterPartitionRequest.ENCODERS = {
    2: encode_alter_partition_request_v2,
    3: encode_alter_partition_request_v3,
}



def decode_alter_partition_response_v2_v3(buf: bytes, pos: int, end: int) -> tuple[AlterPartitionResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[AlterPartitionResponseTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            topics_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            topics_partitions: list[AlterPartitionResponsePartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_leader_id, topics_partitions_leader_epoch = _read_ihii(buf, pos)
                pos += 14
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                if n < 0:
                    raise null("Isr")
                if n > end - pos:
                    check_count(n, pos, end)
                topics_partitions_isr: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                topics_partitions_leader_recovery_state, topics_partitions_partition_epoch = _read_bi(buf, pos)
                pos += 5
                if buf[pos]:
                    pos = skip_tags(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(AlterPartitionResponsePartitionData(topics_partitions_partition_index, topics_partitions_error_code, topics_partitions_leader_id, topics_partitions_leader_epoch, topics_partitions_isr, topics_partitions_leader_recovery_state, topics_partitions_partition_epoch))
            if buf[pos]:
                pos = skip_tags(buf, pos, end)
            else:
                pos += 1
            topics.append(AlterPartitionResponseTopicData(topics_topic_id, topics_partitions))
        if buf[pos]:
            pos = skip_tags(buf, pos, end)
        else:
            pos += 1
        message = AlterPartitionResponse(throttle_time_ms, error_code, topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_alter_partition_response_v2_v3(out: bytearray, m: AlterPartitionResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            out += _write_u(topics_item.topic_id)
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                out += _write_ihii(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch)
                topics_partitions_isr = topics_partitions_item.isr
                n = len(topics_partitions_isr) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(topics_partitions_isr)}i", *topics_partitions_isr)
                out += _write_bi(topics_partitions_item.leader_recovery_state, topics_partitions_item.partition_epoch)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AlterPartitionResponse", error) from error

AlterPartitionResponse.DECODERS = {
    2: decode_alter_partition_response_v2_v3,
    3: decode_alter_partition_response_v2_v3,
}

AlterPartitionResponse.ENCODERS = {
    2: encode_alter_partition_response_v2_v3,
    3: encode_alter_partition_response_v2_v3,
}

__all__ = [
    "AlterPartitionRequest",
    "AlterPartitionRequestPartitionData",
    "AlterPartitionRequestTopicData",
    "AlterPartitionResponse",
    "AlterPartitionResponsePartitionData",
    "AlterPartitionResponseTopicData",
    "BrokerState",
]
