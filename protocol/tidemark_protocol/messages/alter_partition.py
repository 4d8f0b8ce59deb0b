# Generated from schemas/messages/AlterPartitionRequest.json and schemas/messages/AlterPartitionResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from tidemark_protocol.wire import (
    Decoder,
    Encoder,
    SHORT,
    Struct,
    UNBOUNDED,
    UNFIT,
    UNSET,
    ZERO_UUID,
    check_count,
    check_end,
    null,
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


class BrokerState(Struct):
    __slots__ = ("broker_id", "broker_epoch")
    FIELDS = (
        ("BrokerId", "broker_id", "int32", None),
        ("BrokerEpoch", "broker_epoch", "int64", None),
    )

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch


class AlterPartitionRequestPartitionData(Struct):
    __slots__ = ("partition_index", "leader_epoch", "new_isr", "new_isr_with_epochs", "leader_recovery_state", "partition_epoch")
    FIELDS = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("NewIsr", "new_isr", "[]int32", None),
        ("NewIsrWithEpochs", "new_isr_with_epochs", "[]struct", BrokerState),
        ("LeaderRecoveryState", "leader_recovery_state", "int8", None),
        ("PartitionEpoch", "partition_epoch", "int32", None),
    )

    def __init__(
        self,
        partition_index: int = 0,
        leader_epoch: int = 0,
        new_isr: list[int] = UNSET,
        new_isr_with_epochs: list[BrokerState] = UNSET,
        leader_recovery_state: int = 0,
        partition_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.leader_epoch = leader_epoch
        self.new_isr = [] if new_isr is UNSET else new_isr
        self.new_isr_with_epochs = [] if new_isr_with_epochs is UNSET else new_isr_with_epochs
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch


class AlterPartitionRequestTopicData(Struct):
    __slots__ = ("topic_id", "partitions")
    FIELDS = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", AlterPartitionRequestPartitionData),
    )

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[AlterPartitionRequestPartitionData] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class AlterPartitionRequest(Struct):
    __slots__ = ("broker_id", "broker_epoch", "topics")
    FIELDS = (
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

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        topics: list[AlterPartitionRequestTopicData] = UNSET,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.topics = [] if topics is UNSET else topics


class AlterPartitionResponsePartitionData(Struct):
    __slots__ = ("partition_index", "error_code", "leader_id", "leader_epoch", "isr", "leader_recovery_state", "partition_epoch")
    FIELDS = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
        ("Isr", "isr", "[]int32", None),
        ("LeaderRecoveryState", "leader_recovery_state", "int8", None),
        ("PartitionEpoch", "partition_epoch", "int32", None),
    )

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
        isr: list[int] = UNSET,
        leader_recovery_state: int = 0,
        partition_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.isr = [] if isr is UNSET else isr
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch


class AlterPartitionResponseTopicData(Struct):
    __slots__ = ("topic_id", "partitions")
    FIELDS = (
        ("TopicId", "topic_id", "uuid", None),
        ("Partitions", "partitions", "[]struct", AlterPartitionResponsePartitionData),
    )

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[AlterPartitionResponsePartitionData] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class AlterPartitionResponse(Struct):
    __slots__ = ("throttle_time_ms", "error_code", "topics")
    FIELDS = (
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

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        topics: list[AlterPartitionResponseTopicData] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics = [] if topics is UNSET else topics


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
                topics_partitions.append(AlterPartitionRequestPartitionData(topics_partitions_partition_index, topics_partitions_leader_epoch, topics_partitions_new_isr, UNSET, topics_partitions_leader_recovery_state, topics_partitions_partition_epoch))
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
    check_end(pos, end)
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
                topics_partitions.append(AlterPartitionRequestPartitionData(topics_partitions_partition_index, topics_partitions_leader_epoch, UNSET, topics_partitions_new_isr_with_epochs, topics_partitions_leader_recovery_state, topics_partitions_partition_epoch))
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
    check_end(pos, end)
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
    check_end(pos, end)
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
