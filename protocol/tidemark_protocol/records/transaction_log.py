# Generated from schemas/records/TransactionLogKey.json and schemas/records/TransactionLogValue.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNFIT, check_count, null, past_end, read_length, read_tag_count,
    read_text_length, read_uvarint, skip_tag, skip_tags, too_short, unfit, write_tags, write_text_length,
    write_uvarint, wrong_count,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack
_qhib = struct.Struct(">qhib")
_read_qhib = _qhib.unpack_from
_write_qhib = _qhib.pack
_qq = struct.Struct(">qq")
_read_qq = _qq.unpack_from
_write_qq = _qq.pack


class TransactionLogKey(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TransactionalId", "transactional_id", "string", None),
    )
    NAME: ClassVar = "TransactionLogKey"
    API_KEY: ClassVar = 0
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 32768
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    transactional_id: str = ""


class PartitionsSchema(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topic", "topic", "string", None),
        ("PartitionIds", "partition_ids", "[]int32", None),
    )
    topic: str = ""
    partition_ids: list[int] = []


class TransactionLogValue(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ProducerId", "producer_id", "int64", None),
        ("PreviousProducerId", "previous_producer_id", "int64", None),
        ("NextProducerId", "next_producer_id", "int64", None),
        ("ProducerEpoch", "producer_epoch", "int16", None),
        ("NextProducerEpoch", "next_producer_epoch", "int16", None),
        ("TransactionTimeoutMs", "transaction_timeout_ms", "int32", None),
        ("TransactionStatus", "transaction_status", "int8", None),
        ("TransactionPartitions", "transaction_partitions", "[]struct", PartitionsSchema),
        ("TransactionLastUpdateTimestampMs", "transaction_last_update_timestamp_ms", "int64", None),
        ("TransactionStartTimestampMs", "transaction_start_timestamp_ms", "int64", None),
        ("ClientTransactionVersion", "client_transaction_version", "int16", None),
    )
    NAME: ClassVar = "TransactionLogValue"
    API_KEY: ClassVar = 0
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 1
    FLEXIBLE_FROM: ClassVar = 1
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    producer_id: int = 0
    previous_producer_id: int = -1
    next_producer_id: int = -1
    producer_epoch: int = 0
    next_producer_epoch: int = -1
    transaction_timeout_ms: int = 0
    transaction_status: int = 0
    transaction_partitions: list[PartitionsSchema] | None = []
    transaction_last_update_timestamp_ms: int = 0
    transaction_start_timestamp_ms: int = 0
    client_transaction_version: int = 0


def decode_transaction_log_key_v0(buf: bytes, pos: int, end: int) -> tuple[TransactionLogKey, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("TransactionalId")
        transactional_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        message = TransactionLogKey(transactional_id)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_transaction_log_key_v0(out: bytearray, m: TransactionLogKey) -> None:
    try:
        text = m.transactional_id.encode()
        out += _write_h(len(text))
        out += text
    except UNFIT as error:
        raise unfit("TransactionLogKey", error) from error

TransactionLogKey.DECODERS = {
    0: decode_transaction_log_key_v0,
}

TransactionLogKey.ENCODERS = {
    0: encode_transaction_log_key_v0,
}



def decode_transaction_log_value_v0(buf: bytes, pos: int, end: int) -> tuple[TransactionLogValue, int]:
    try:
        producer_id, producer_epoch, transaction_timeout_ms, transaction_status = _read_qhib(buf, pos)
        pos += 15
        n = _read_i(buf, pos)[0]
        pos += 4
        transaction_partitions: list[PartitionsSchema] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            transaction_partitions_list: list[PartitionsSchema] = []
            transaction_partitions_count = n
            for _ in range(transaction_partitions_count):
                n = _read_h(buf, pos)[0]
                pos += 2
                if n < 0:
                    raise null("Topic")
                transaction_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("PartitionIds", n, pos, end)
                transaction_partitions_partition_ids: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                transaction_partitions_list.append(PartitionsSchema(transaction_partitions_topic, transaction_partitions_partition_ids))
            transaction_partitions = transaction_partitions_list
        transaction_last_update_timestamp_ms, transaction_start_timestamp_ms = _read_qq(buf, pos)
        pos += 16
        message = TransactionLogValue(producer_id, -1, -1, producer_epoch, -1, transaction_timeout_ms, transaction_status, transaction_partitions, transaction_last_update_timestamp_ms, transaction_start_timestamp_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_transaction_log_value_v0(out: bytearray, m: TransactionLogValue) -> None:
    try:
        out += _write_qhib(m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status)
        transaction_partitions = m.transaction_partitions
        if transaction_partitions is None:
            out += _write_i(-1)
        else:
            out += _write_i(len(transaction_partitions))
            for transaction_partitions_item in transaction_partitions:
                text = transaction_partitions_item.topic.encode()
                out += _write_h(len(text))
                out += text
                transaction_partitions_partition_ids = transaction_partitions_item.partition_ids
                out += _write_i(len(transaction_partitions_partition_ids))
                out += struct.pack(f">{len(transaction_partitions_partition_ids)}i", *transaction_partitions_partition_ids)
        out += _write_qq(m.transaction_last_update_timestamp_ms, m.transaction_start_timestamp_ms)
    except UNFIT as error:
        raise unfit("TransactionLogValue", error) from error


def decode_transaction_log_value_v1(buf: bytes, pos: int, end: int) -> tuple[TransactionLogValue, int]:
    try:
        producer_id, producer_epoch, transaction_timeout_ms, transaction_status = _read_qhib(buf, pos)
        pos += 15
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        transaction_partitions: list[PartitionsSchema] | None = None
        if n >= 0:
            if n > end - pos:
                check_count(n, pos, end)
            transaction_partitions_list: list[PartitionsSchema] = []
            transaction_partitions_count = n
            for _ in range(transaction_partitions_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Topic")
                if n < 0:
                    raise null("Topic")
                transaction_partitions_topic = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("PartitionIds", n, pos, end)
                transaction_partitions_partition_ids: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                transaction_partitions_list.append(PartitionsSchema(transaction_partitions_topic, transaction_partitions_partition_ids))
            transaction_partitions = transaction_partitions_list
        transaction_last_update_timestamp_ms, transaction_start_timestamp_ms = _read_qq(buf, pos)
        pos += 16
        previous_producer_id: int = -1
        next_producer_id: int = -1
        client_transaction_version: int = 0
        next_producer_epoch: int = -1
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    previous_producer_id, = _read_q(buf, pos)
                    pos += 8
                elif tag == 1:
                    _, pos = read_uvarint(buf, pos)
                    next_producer_id, = _read_q(buf, pos)
                    pos += 8
                elif tag == 2:
                    _, pos = read_uvarint(buf, pos)
                    client_transaction_version, = _read_h(buf, pos)
                    pos += 2
                elif tag == 3:
                    _, pos = read_uvarint(buf, pos)
                    next_producer_epoch, = _read_h(buf, pos)
                    pos += 2
                else:
                    pos = skip_tag(buf, pos, end)
        message = TransactionLogValue(producer_id, previous_producer_id, next_producer_id, producer_epoch, next_producer_epoch, transaction_timeout_ms, transaction_status, transaction_partitions, transaction_last_update_timestamp_ms, transaction_start_timestamp_ms, client_transaction_version)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_transaction_log_value_v1(out: bytearray, m: TransactionLogValue) -> None:
    try:
        out += _write_qhib(m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status)
        transaction_partitions = m.transaction_partitions
        if transaction_partitions is None:
            out.append(0)
        else:
            n = len(transaction_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for transaction_partitions_item in transaction_partitions:
                text = transaction_partitions_item.topic.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Topic")
                out += text
                transaction_partitions_partition_ids = transaction_partitions_item.partition_ids
                n = len(transaction_partitions_partition_ids) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(transaction_partitions_partition_ids)}i", *transaction_partitions_partition_ids)
                out.append(0)
        out += _write_qq(m.transaction_last_update_timestamp_ms, m.transaction_start_timestamp_ms)
        tags: list[tuple[int, bytearray]] = []
        if m.previous_producer_id != -1:
            outer = out
            out = bytearray()
            out += _write_q(m.previous_producer_id)
            tags.append((0, out))
            out = outer
        if m.next_producer_id != -1:
            outer = out
            out = bytearray()
            out += _write_q(m.next_producer_id)
            tags.append((1, out))
            out = outer
        if m.client_transaction_version != 0:
            outer = out
            out = bytearray()
            out += _write_h(m.client_transaction_version)
            tags.append((2, out))
            out = outer
        if m.next_producer_epoch != -1:
            outer = out
            out = bytearray()
            out += _write_h(m.next_producer_epoch)
            tags.append((3, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("TransactionLogValue", error) from error

TransactionLogValue.DECODERS = {
    0: decode_transaction_log_value_v0,
    1: decode_transaction_log_value_v1,
}

TransactionLogValue.ENCODERS = {
    0: encode_transaction_log_value_v0,
    1: encode_transaction_log_value_v1,
}

__all__ = [
    "PartitionsSchema", "TransactionLogKey", "TransactionLogValue",
]
