# Generated from schemas/messages/DescribeTransactionsRequest.json and schemas/messages/DescribeTransactionsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iqqh = struct.Struct(">iqqh")
_read_iqqh = _iqqh.unpack_from
_write_iqqh = _iqqh.pack


class DescribeTransactionsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TransactionalIds", "transactional_ids", "[]string", None),
    )
    NAME: ClassVar = "DescribeTransactionsRequest"
    API_KEY: ClassVar = 65
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    transactional_ids: list[str] = []


class TopicData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Topic", "topic", "string", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    topic: str = ""
    partitions: list[int] = []


class TransactionState(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ErrorCode", "error_code", "int16", None),
        ("TransactionalId", "transactional_id", "string", None),
        ("TransactionState", "transaction_state", "string", None),
        ("TransactionTimeoutMs", "transaction_timeout_ms", "int32", None),
        ("TransactionStartTimeMs", "transaction_start_time_ms", "int64", None),
        ("ProducerId", "producer_id", "int64", None),
        ("ProducerEpoch", "producer_epoch", "int16", None),
        ("Topics", "topics", "[]struct", TopicData),
    )
    error_code: int = 0
    transactional_id: str = ""
    transaction_state: str = ""
    transaction_timeout_ms: int = 0
    transaction_start_time_ms: int = 0
    producer_id: int = 0
    producer_epoch: int = 0
    topics: list[TopicData] = []


class DescribeTransactionsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("TransactionStates", "transaction_states", "[]struct", TransactionState),
    )
    NAME: ClassVar = "DescribeTransactionsResponse"
    API_KEY: ClassVar = 65
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 0
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    transaction_states: list[TransactionState] = []


def decode_describe_transactions_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[DescribeTransactionsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("TransactionalIds", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        transactional_ids: list[str] = []
        transactional_ids_count = n
        for _ in range(transactional_ids_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TransactionalIds")
            if n < 0:
                raise null("TransactionalIds")
            transactional_ids_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            transactional_ids.append(transactional_ids_item)
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = DescribeTransactionsRequest(transactional_ids)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_transactions_request_v0(out: bytearray, m: DescribeTransactionsRequest) -> None:
    try:
        transactional_ids = m.transactional_ids
        n = len(transactional_ids) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for transactional_ids_item in transactional_ids:
            text = transactional_ids_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TransactionalIds")
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeTransactionsRequest", error) from error

DescribeTransactionsRequest.DECODERS = {
    0: decode_describe_transactions_request_v0,
}

DescribeTransactionsRequest.ENCODERS = {
    0: encode_describe_transactions_request_v0,
}



def decode_describe_transactions_response_v0(buf: bytes, pos: int, end: int) -> tuple[DescribeTransactionsResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("TransactionStates", n, pos, end)
        transaction_states: list[TransactionState] = []
        transaction_states_count = n
        for _ in range(transaction_states_count):
            transaction_states_error_code, = _read_h(buf, pos)
            pos += 2
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TransactionalId")
            if n < 0:
                raise null("TransactionalId")
            transaction_states_transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TransactionState")
            if n < 0:
                raise null("TransactionState")
            transaction_states_transaction_state = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            transaction_states_transaction_timeout_ms, transaction_states_transaction_start_time_ms, transaction_states_producer_id, transaction_states_producer_epoch = _read_iqqh(buf, pos)
            pos += 22
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Topics", n, pos, end)
            transaction_states_topics: list[TopicData] = []
            transaction_states_topics_count = n
            for _ in range(transaction_states_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Topic")
                if n < 0:
                    raise null("Topic")
                transaction_states_topics_topic = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                transaction_states_topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                transaction_states_topics.append(TopicData(transaction_states_topics_topic, transaction_states_topics_partitions))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            transaction_states.append(TransactionState(transaction_states_error_code, transaction_states_transactional_id, transaction_states_transaction_state, transaction_states_transaction_timeout_ms, transaction_states_transaction_start_time_ms, transaction_states_producer_id, transaction_states_producer_epoch, transaction_states_topics))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = DescribeTransactionsResponse(throttle_time_ms, transaction_states)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_describe_transactions_response_v0(out: bytearray, m: DescribeTransactionsResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        transaction_states = m.transaction_states
        n = len(transaction_states) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for transaction_states_item in transaction_states:
            out += _write_h(transaction_states_item.error_code)
            text = transaction_states_item.transactional_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TransactionalId")
            out += text
            text = transaction_states_item.transaction_state.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TransactionState")
            out += text
            out += _write_iqqh(transaction_states_item.transaction_timeout_ms, transaction_states_item.transaction_start_time_ms, transaction_states_item.producer_id, transaction_states_item.producer_epoch)
            transaction_states_topics = transaction_states_item.topics
            n = len(transaction_states_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for transaction_states_topics_item in transaction_states_topics:
                text = transaction_states_topics_item.topic.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Topic")
                out += text
                transaction_states_topics_partitions = transaction_states_topics_item.partitions
                n = len(transaction_states_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(transaction_states_topics_partitions)}i", *transaction_states_topics_partitions)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeTransactionsResponse", error) from error

DescribeTransactionsResponse.DECODERS = {
    0: decode_describe_transactions_response_v0,
}

DescribeTransactionsResponse.ENCODERS = {
    0: encode_describe_transactions_response_v0,
}

__all__ = [
    "DescribeTransactionsRequest", "DescribeTransactionsResponse", "TopicData", "TransactionState",
]
