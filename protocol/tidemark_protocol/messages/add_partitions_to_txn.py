# Generated from schemas/messages/AddPartitionsToTxnRequest.json and schemas/messages/AddPartitionsToTxnResponse.json. Edit that, then run make generate.

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
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_qh = struct.Struct(">qh")
_read_qh = _qh.unpack_from
_write_qh = _qh.pack
_qhz = struct.Struct(">qh?")
_read_qhz = _qhz.unpack_from
_write_qhz = _qhz.pack


class AddPartitionsToTxnTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]int32", None),
    )
    name: str = ""
    partitions: list[int] = []


class AddPartitionsToTxnTransaction(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TransactionalId", "transactional_id", "string", None),
        ("ProducerId", "producer_id", "int64", None),
        ("ProducerEpoch", "producer_epoch", "int16", None),
        ("VerifyOnly", "verify_only", "bool", None),
        ("Topics", "topics", "[]struct", AddPartitionsToTxnTopic),
    )
    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    verify_only: bool = False
    topics: list[AddPartitionsToTxnTopic] = []


class AddPartitionsToTxnRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Transactions", "transactions", "[]struct", AddPartitionsToTxnTransaction),
        ("V3AndBelowTransactionalId", "v3_and_below_transactional_id", "string", None),
        ("V3AndBelowProducerId", "v3_and_below_producer_id", "int64", None),
        ("V3AndBelowProducerEpoch", "v3_and_below_producer_epoch", "int16", None),
        ("V3AndBelowTopics", "v3_and_below_topics", "[]struct", AddPartitionsToTxnTopic),
    )
    NAME: ClassVar = "AddPartitionsToTxnRequest"
    API_KEY: ClassVar = 24
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 5
    FLEXIBLE_FROM: ClassVar = 3
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    transactions: list[AddPartitionsToTxnTransaction] = []
    v3_and_below_transactional_id: str = ""
    v3_and_below_producer_id: int = 0
    v3_and_below_producer_epoch: int = 0
    v3_and_below_topics: list[AddPartitionsToTxnTopic] = []


class AddPartitionsToTxnPartitionResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("PartitionErrorCode", "partition_error_code", "int16", None),
    )
    partition_index: int = 0
    partition_error_code: int = 0


class AddPartitionsToTxnTopicResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("ResultsByPartition", "results_by_partition", "[]struct", AddPartitionsToTxnPartitionResult),
    )
    name: str = ""
    results_by_partition: list[AddPartitionsToTxnPartitionResult] = []


class AddPartitionsToTxnResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TransactionalId", "transactional_id", "string", None),
        ("TopicResults", "topic_results", "[]struct", AddPartitionsToTxnTopicResult),
    )
    transactional_id: str = ""
    topic_results: list[AddPartitionsToTxnTopicResult] = []


class AddPartitionsToTxnResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("ResultsByTransaction", "results_by_transaction", "[]struct", AddPartitionsToTxnResult),
        ("ResultsByTopicV3AndBelow", "results_by_topic_v3_and_below", "[]struct", AddPartitionsToTxnTopicResult),
    )
    NAME: ClassVar = "AddPartitionsToTxnResponse"
    API_KEY: ClassVar = 24
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 5
    FLEXIBLE_FROM: ClassVar = 3
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    results_by_transaction: list[AddPartitionsToTxnResult] = []
    results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = []


def decode_add_partitions_to_txn_request_v0_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AddPartitionsToTxnRequest, int]:
    try:
        n = _read_h(buf, pos)[0]
        pos += 2
        if n < 0:
            raise null("V3AndBelowTransactionalId")
        v3_and_below_transactional_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        v3_and_below_producer_id, v3_and_below_producer_epoch = _read_qh(buf, pos)
        pos += 10
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("V3AndBelowTopics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        v3_and_below_topics: list[AddPartitionsToTxnTopic] = []
        v3_and_below_topics_count = n
        for _ in range(v3_and_below_topics_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            v3_and_below_topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            v3_and_below_topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            v3_and_below_topics.append(AddPartitionsToTxnTopic(v3_and_below_topics_name, v3_and_below_topics_partitions))
        message = AddPartitionsToTxnRequest([], v3_and_below_transactional_id, v3_and_below_producer_id, v3_and_below_producer_epoch, v3_and_below_topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_add_partitions_to_txn_request_v0_v2(out: bytearray, m: AddPartitionsToTxnRequest) -> None:
    try:
        text = m.v3_and_below_transactional_id.encode()
        out += _write_h(len(text))
        out += text
        out += _write_qh(m.v3_and_below_producer_id, m.v3_and_below_producer_epoch)
        v3_and_below_topics = m.v3_and_below_topics
        out += _write_i(len(v3_and_below_topics))
        for v3_and_below_topics_item in v3_and_below_topics:
            text = v3_and_below_topics_item.name.encode()
            out += _write_h(len(text))
            out += text
            v3_and_below_topics_partitions = v3_and_below_topics_item.partitions
            out += _write_i(len(v3_and_below_topics_partitions))
            out += struct.pack(f">{len(v3_and_below_topics_partitions)}i", *v3_and_below_topics_partitions)
    except UNFIT as error:
        raise unfit("AddPartitionsToTxnRequest", error) from error


def decode_add_partitions_to_txn_request_v3(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AddPartitionsToTxnRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "V3AndBelowTransactionalId")
        if n < 0:
            raise null("V3AndBelowTransactionalId")
        v3_and_below_transactional_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        v3_and_below_producer_id, v3_and_below_producer_epoch = _read_qh(buf, pos)
        pos += 10
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("V3AndBelowTopics", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        v3_and_below_topics: list[AddPartitionsToTxnTopic] = []
        v3_and_below_topics_count = n
        for _ in range(v3_and_below_topics_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            v3_and_below_topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Partitions", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            v3_and_below_topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            v3_and_below_topics.append(AddPartitionsToTxnTopic(v3_and_below_topics_name, v3_and_below_topics_partitions))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AddPartitionsToTxnRequest([], v3_and_below_transactional_id, v3_and_below_producer_id, v3_and_below_producer_epoch, v3_and_below_topics)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_add_partitions_to_txn_request_v3(out: bytearray, m: AddPartitionsToTxnRequest) -> None:
    try:
        text = m.v3_and_below_transactional_id.encode()
        n = len(text) + 1
        if n < 128:
            out.append(n)
        else:
            write_text_length(out, n, "V3AndBelowTransactionalId")
        out += text
        out += _write_qh(m.v3_and_below_producer_id, m.v3_and_below_producer_epoch)
        v3_and_below_topics = m.v3_and_below_topics
        n = len(v3_and_below_topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for v3_and_below_topics_item in v3_and_below_topics:
            text = v3_and_below_topics_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            v3_and_below_topics_partitions = v3_and_below_topics_item.partitions
            n = len(v3_and_below_topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            out += struct.pack(f">{len(v3_and_below_topics_partitions)}i", *v3_and_below_topics_partitions)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AddPartitionsToTxnRequest", error) from error


def decode_add_partitions_to_txn_request_v4_v5(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[AddPartitionsToTxnRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Transactions", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        transactions: list[AddPartitionsToTxnTransaction] = []
        transactions_count = n
        for _ in range(transactions_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TransactionalId")
            if n < 0:
                raise null("TransactionalId")
            transactions_transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            transactions_producer_id, transactions_producer_epoch, transactions_verify_only = _read_qhz(buf, pos)
            pos += 11
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Topics", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            transactions_topics: list[AddPartitionsToTxnTopic] = []
            transactions_topics_count = n
            for _ in range(transactions_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                transactions_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                transactions_topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                transactions_topics.append(AddPartitionsToTxnTopic(transactions_topics_name, transactions_topics_partitions))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            transactions.append(AddPartitionsToTxnTransaction(transactions_transactional_id, transactions_producer_id, transactions_producer_epoch, transactions_verify_only, transactions_topics))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = AddPartitionsToTxnRequest(transactions)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_add_partitions_to_txn_request_v4_v5(out: bytearray, m: AddPartitionsToTxnRequest) -> None:
    try:
        transactions = m.transactions
        n = len(transactions) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for transactions_item in transactions:
            text = transactions_item.transactional_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TransactionalId")
            out += text
            out += _write_qhz(transactions_item.producer_id, transactions_item.producer_epoch, transactions_item.verify_only)
            transactions_topics = transactions_item.topics
            n = len(transactions_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for transactions_topics_item in transactions_topics:
                text = transactions_topics_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                transactions_topics_partitions = transactions_topics_item.partitions
                n = len(transactions_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(transactions_topics_partitions)}i", *transactions_topics_partitions)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AddPartitionsToTxnRequest", error) from error

AddPartitionsToTxnRequest.DECODERS = {
    0: decode_add_partitions_to_txn_request_v0_v2, 1: decode_add_partitions_to_txn_request_v0_v2,
    2: decode_add_partitions_to_txn_request_v0_v2,
    3: decode_add_partitions_to_txn_request_v3,
    4: decode_add_partitions_to_txn_request_v4_v5, 5: decode_add_partitions_to_txn_request_v4_v5,
}

AddPartitionsToTxnRequest.ENCODERS = {
    0: encode_add_partitions_to_txn_request_v0_v2, 1: encode_add_partitions_to_txn_request_v0_v2,
    2: encode_add_partitions_to_txn_request_v0_v2,
    3: encode_add_partitions_to_txn_request_v3,
    4: encode_add_partitions_to_txn_request_v4_v5, 5: encode_add_partitions_to_txn_request_v4_v5,
}



def decode_add_partitions_to_txn_response_v0_v2(buf: bytes, pos: int, end: int) -> tuple[AddPartitionsToTxnResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("ResultsByTopicV3AndBelow", n, pos, end)
        results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = []
        results_by_topic_v3_and_below_count = n
        for _ in range(results_by_topic_v3_and_below_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            results_by_topic_v3_and_below_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("ResultsByPartition", n, pos, end)
            results_by_topic_v3_and_below_results_by_partition: list[AddPartitionsToTxnPartitionResult] = []
            results_by_topic_v3_and_below_results_by_partition_count = n
            for _ in range(results_by_topic_v3_and_below_results_by_partition_count):
                results_by_topic_v3_and_below_results_by_partition_partition_index, results_by_topic_v3_and_below_results_by_partition_partition_error_code = _read_ih(buf, pos)
                pos += 6
                results_by_topic_v3_and_below_results_by_partition.append(AddPartitionsToTxnPartitionResult(results_by_topic_v3_and_below_results_by_partition_partition_index, results_by_topic_v3_and_below_results_by_partition_partition_error_code))
            results_by_topic_v3_and_below.append(AddPartitionsToTxnTopicResult(results_by_topic_v3_and_below_name, results_by_topic_v3_and_below_results_by_partition))
        message = AddPartitionsToTxnResponse(throttle_time_ms, 0, [], results_by_topic_v3_and_below)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_add_partitions_to_txn_response_v0_v2(out: bytearray, m: AddPartitionsToTxnResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        results_by_topic_v3_and_below = m.results_by_topic_v3_and_below
        out += _write_i(len(results_by_topic_v3_and_below))
        for results_by_topic_v3_and_below_item in results_by_topic_v3_and_below:
            text = results_by_topic_v3_and_below_item.name.encode()
            out += _write_h(len(text))
            out += text
            results_by_topic_v3_and_below_results_by_partition = results_by_topic_v3_and_below_item.results_by_partition
            out += _write_i(len(results_by_topic_v3_and_below_results_by_partition))
            for results_by_topic_v3_and_below_results_by_partition_item in results_by_topic_v3_and_below_results_by_partition:
                out += _write_ih(results_by_topic_v3_and_below_results_by_partition_item.partition_index, results_by_topic_v3_and_below_results_by_partition_item.partition_error_code)
    except UNFIT as error:
        raise unfit("AddPartitionsToTxnResponse", error) from error


def decode_add_partitions_to_txn_response_v3(buf: bytes, pos: int, end: int) -> tuple[AddPartitionsToTxnResponse, int]:
    try:
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ResultsByTopicV3AndBelow", n, pos, end)
        results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = []
        results_by_topic_v3_and_below_count = n
        for _ in range(results_by_topic_v3_and_below_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            results_by_topic_v3_and_below_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("ResultsByPartition", n, pos, end)
            results_by_topic_v3_and_below_results_by_partition: list[AddPartitionsToTxnPartitionResult] = []
            results_by_topic_v3_and_below_results_by_partition_count = n
            for _ in range(results_by_topic_v3_and_below_results_by_partition_count):
                results_by_topic_v3_and_below_results_by_partition_partition_index, results_by_topic_v3_and_below_results_by_partition_partition_error_code = _read_ih(buf, pos)
                pos += 6
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                results_by_topic_v3_and_below_results_by_partition.append(AddPartitionsToTxnPartitionResult(results_by_topic_v3_and_below_results_by_partition_partition_index, results_by_topic_v3_and_below_results_by_partition_partition_error_code))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results_by_topic_v3_and_below.append(AddPartitionsToTxnTopicResult(results_by_topic_v3_and_below_name, results_by_topic_v3_and_below_results_by_partition))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = AddPartitionsToTxnResponse(throttle_time_ms, 0, [], results_by_topic_v3_and_below)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_add_partitions_to_txn_response_v3(out: bytearray, m: AddPartitionsToTxnResponse) -> None:
    try:
        out += _write_i(m.throttle_time_ms)
        results_by_topic_v3_and_below = m.results_by_topic_v3_and_below
        n = len(results_by_topic_v3_and_below) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_by_topic_v3_and_below_item in results_by_topic_v3_and_below:
            text = results_by_topic_v3_and_below_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            results_by_topic_v3_and_below_results_by_partition = results_by_topic_v3_and_below_item.results_by_partition
            n = len(results_by_topic_v3_and_below_results_by_partition) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_by_topic_v3_and_below_results_by_partition_item in results_by_topic_v3_and_below_results_by_partition:
                out += _write_ih(results_by_topic_v3_and_below_results_by_partition_item.partition_index, results_by_topic_v3_and_below_results_by_partition_item.partition_error_code)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AddPartitionsToTxnResponse", error) from error


def decode_add_partitions_to_txn_response_v4_v5(buf: bytes, pos: int, end: int) -> tuple[AddPartitionsToTxnResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ResultsByTransaction", n, pos, end)
        results_by_transaction: list[AddPartitionsToTxnResult] = []
        results_by_transaction_count = n
        for _ in range(results_by_transaction_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TransactionalId")
            if n < 0:
                raise null("TransactionalId")
            results_by_transaction_transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("TopicResults", n, pos, end)
            results_by_transaction_topic_results: list[AddPartitionsToTxnTopicResult] = []
            results_by_transaction_topic_results_count = n
            for _ in range(results_by_transaction_topic_results_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                results_by_transaction_topic_results_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("ResultsByPartition", n, pos, end)
                results_by_transaction_topic_results_results_by_partition: list[AddPartitionsToTxnPartitionResult] = []
                results_by_transaction_topic_results_results_by_partition_count = n
                for _ in range(results_by_transaction_topic_results_results_by_partition_count):
                    results_by_transaction_topic_results_results_by_partition_partition_index, results_by_transaction_topic_results_results_by_partition_partition_error_code = _read_ih(buf, pos)
                    pos += 6
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    results_by_transaction_topic_results_results_by_partition.append(AddPartitionsToTxnPartitionResult(results_by_transaction_topic_results_results_by_partition_partition_index, results_by_transaction_topic_results_results_by_partition_partition_error_code))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                results_by_transaction_topic_results.append(AddPartitionsToTxnTopicResult(results_by_transaction_topic_results_name, results_by_transaction_topic_results_results_by_partition))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            results_by_transaction.append(AddPartitionsToTxnResult(results_by_transaction_transactional_id, results_by_transaction_topic_results))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = AddPartitionsToTxnResponse(throttle_time_ms, error_code, results_by_transaction)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_add_partitions_to_txn_response_v4_v5(out: bytearray, m: AddPartitionsToTxnResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        results_by_transaction = m.results_by_transaction
        n = len(results_by_transaction) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_by_transaction_item in results_by_transaction:
            text = results_by_transaction_item.transactional_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TransactionalId")
            out += text
            results_by_transaction_topic_results = results_by_transaction_item.topic_results
            n = len(results_by_transaction_topic_results) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_by_transaction_topic_results_item in results_by_transaction_topic_results:
                text = results_by_transaction_topic_results_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                results_by_transaction_topic_results_results_by_partition = results_by_transaction_topic_results_item.results_by_partition
                n = len(results_by_transaction_topic_results_results_by_partition) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for results_by_transaction_topic_results_results_by_partition_item in results_by_transaction_topic_results_results_by_partition:
                    out += _write_ih(results_by_transaction_topic_results_results_by_partition_item.partition_index, results_by_transaction_topic_results_results_by_partition_item.partition_error_code)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AddPartitionsToTxnResponse", error) from error

AddPartitionsToTxnResponse.DECODERS = {
    0: decode_add_partitions_to_txn_response_v0_v2, 1: decode_add_partitions_to_txn_response_v0_v2,
    2: decode_add_partitions_to_txn_response_v0_v2,
    3: decode_add_partitions_to_txn_response_v3,
    4: decode_add_partitions_to_txn_response_v4_v5, 5: decode_add_partitions_to_txn_response_v4_v5,
}

AddPartitionsToTxnResponse.ENCODERS = {
    0: encode_add_partitions_to_txn_response_v0_v2, 1: encode_add_partitions_to_txn_response_v0_v2,
    2: encode_add_partitions_to_txn_response_v0_v2,
    3: encode_add_partitions_to_txn_response_v3,
    4: encode_add_partitions_to_txn_response_v4_v5, 5: encode_add_partitions_to_txn_response_v4_v5,
}

__all__ = [
    "AddPartitionsToTxnPartitionResult", "AddPartitionsToTxnRequest", "AddPartitionsToTxnResponse",
    "AddPartitionsToTxnResult", "AddPartitionsToTxnTopic", "AddPartitionsToTxnTopicResult",
    "AddPartitionsToTxnTransaction",
]
