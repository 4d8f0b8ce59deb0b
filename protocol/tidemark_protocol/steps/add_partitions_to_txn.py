# Generated from schemas/messages/AddPartitionsToTxnRequest.json and schemas/messages/AddPartitionsToTxnResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    UNSET,
    check_count,
    check_end,
    null,
    read_uvarint,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
    write_uvarint,
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


def decode_add_partitions_to_txn_request_v0_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[AddPartitionsToTxnRequest, int]]:
    try:
        yield 1
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
        if n < 0:
            raise null("V3AndBelowTopics")
        if n > end - pos:
            check_count(n, pos, end)
        v3_and_below_topics: list[AddPartitionsToTxnTopic] = []
        v3_and_below_topics_count = n
        for _ in range(v3_and_below_topics_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            v3_and_below_topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            yield n
            v3_and_below_topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            v3_and_below_topics.append(AddPartitionsToTxnTopic(v3_and_below_topics_name, v3_and_below_topics_partitions))
        message = AddPartitionsToTxnRequest(UNSET, v3_and_below_transactional_id, v3_and_below_producer_id, v3_and_below_producer_epoch, v3_and_below_topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_add_partitions_to_txn_request_v3(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[AddPartitionsToTxnRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("V3AndBelowTransactionalId", n)
        if n < 0:
            raise null("V3AndBelowTransactionalId")
        v3_and_below_transactional_id = buf[pos : pos + n].decode("utf-8", "java")
        pos += n
        v3_and_below_producer_id, v3_and_below_producer_epoch = _read_qh(buf, pos)
        pos += 10
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("V3AndBelowTopics")
        if n > end - pos:
            check_count(n, pos, end)
        v3_and_below_topics: list[AddPartitionsToTxnTopic] = []
        v3_and_below_topics_count = n
        for _ in range(v3_and_below_topics_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("Name", n)
            if n < 0:
                raise null("Name")
            v3_and_below_topics_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Partitions")
            if n > end - pos:
                check_count(n, pos, end)
            yield n
            v3_and_below_topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
            pos += 4 * n
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            v3_and_below_topics.append(AddPartitionsToTxnTopic(v3_and_below_topics_name, v3_and_below_topics_partitions))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = AddPartitionsToTxnRequest(UNSET, v3_and_below_transactional_id, v3_and_below_producer_id, v3_and_below_producer_epoch, v3_and_below_topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_add_partitions_to_txn_request_v4_v5(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[AddPartitionsToTxnRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Transactions")
        if n > end - pos:
            check_count(n, pos, end)
        transactions: list[AddPartitionsToTxnTransaction] = []
        transactions_count = n
        for _ in range(transactions_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("TransactionalId", n)
            if n < 0:
                raise null("TransactionalId")
            transactions_transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            transactions_producer_id, transactions_producer_epoch, transactions_verify_only = _read_qhz(buf, pos)
            pos += 11
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("Topics")
            if n > end - pos:
                check_count(n, pos, end)
            transactions_topics: list[AddPartitionsToTxnTopic] = []
            transactions_topics_count = n
            for _ in range(transactions_topics_count):
                yield 1
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                    if n > TEXT_MAX:
                        raise too_long("Name", n)
                if n < 0:
                    raise null("Name")
                transactions_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                if n < 0:
                    raise null("Partitions")
                if n > end - pos:
                    check_count(n, pos, end)
                yield n
                transactions_topics_partitions: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                transactions_topics.append(AddPartitionsToTxnTopic(transactions_topics_name, transactions_topics_partitions))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            transactions.append(AddPartitionsToTxnTransaction(transactions_transactional_id, transactions_producer_id, transactions_producer_epoch, transactions_verify_only, transactions_topics))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = AddPartitionsToTxnRequest(transactions)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_add_partitions_to_txn_response_v0_v2(out: bytearray, m: AddPartitionsToTxnResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        results_by_topic_v3_and_below = m.results_by_topic_v3_and_below
        out += _write_i(len(results_by_topic_v3_and_below))
        for results_by_topic_v3_and_below_item in results_by_topic_v3_and_below:
            yield 1
            results_by_topic_v3_and_below_name = results_by_topic_v3_and_below_item.name
            text = results_by_topic_v3_and_below_name.encode()
            out += _write_h(len(text))
            out += text
            results_by_topic_v3_and_below_results_by_partition = results_by_topic_v3_and_below_item.results_by_partition
            out += _write_i(len(results_by_topic_v3_and_below_results_by_partition))
            for results_by_topic_v3_and_below_results_by_partition_item in results_by_topic_v3_and_below_results_by_partition:
                yield 1
                out += _write_ih(results_by_topic_v3_and_below_results_by_partition_item.partition_index, results_by_topic_v3_and_below_results_by_partition_item.partition_error_code)
    except UNFIT as error:
        raise unfit("AddPartitionsToTxnResponse", error) from error


def encode_add_partitions_to_txn_response_v3(out: bytearray, m: AddPartitionsToTxnResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        results_by_topic_v3_and_below = m.results_by_topic_v3_and_below
        n = len(results_by_topic_v3_and_below) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_by_topic_v3_and_below_item in results_by_topic_v3_and_below:
            yield 1
            results_by_topic_v3_and_below_name = results_by_topic_v3_and_below_item.name
            text = results_by_topic_v3_and_below_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Name", n - 1)
                write_uvarint(out, n)
            out += text
            results_by_topic_v3_and_below_results_by_partition = results_by_topic_v3_and_below_item.results_by_partition
            n = len(results_by_topic_v3_and_below_results_by_partition) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_by_topic_v3_and_below_results_by_partition_item in results_by_topic_v3_and_below_results_by_partition:
                yield 1
                out += _write_ih(results_by_topic_v3_and_below_results_by_partition_item.partition_index, results_by_topic_v3_and_below_results_by_partition_item.partition_error_code)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AddPartitionsToTxnResponse", error) from error


def encode_add_partitions_to_txn_response_v4_v5(out: bytearray, m: AddPartitionsToTxnResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        results_by_transaction = m.results_by_transaction
        n = len(results_by_transaction) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for results_by_transaction_item in results_by_transaction:
            yield 1
            results_by_transaction_transactional_id = results_by_transaction_item.transactional_id
            text = results_by_transaction_transactional_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TransactionalId", n - 1)
                write_uvarint(out, n)
            out += text
            results_by_transaction_topic_results = results_by_transaction_item.topic_results
            n = len(results_by_transaction_topic_results) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for results_by_transaction_topic_results_item in results_by_transaction_topic_results:
                yield 1
                results_by_transaction_topic_results_name = results_by_transaction_topic_results_item.name
                text = results_by_transaction_topic_results_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Name", n - 1)
                    write_uvarint(out, n)
                out += text
                results_by_transaction_topic_results_results_by_partition = results_by_transaction_topic_results_item.results_by_partition
                n = len(results_by_transaction_topic_results_results_by_partition) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for results_by_transaction_topic_results_results_by_partition_item in results_by_transaction_topic_results_results_by_partition:
                    yield 1
                    out += _write_ih(results_by_transaction_topic_results_results_by_partition_item.partition_index, results_by_transaction_topic_results_results_by_partition_item.partition_error_code)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("AddPartitionsToTxnResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_add_partitions_to_txn_request_v0_v2,
    1: decode_add_partitions_to_txn_request_v0_v2,
    2: decode_add_partitions_to_txn_request_v0_v2,
    3: decode_add_partitions_to_txn_request_v3,
    4: decode_add_partitions_to_txn_request_v4_v5,
    5: decode_add_partitions_to_txn_request_v4_v5,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_add_partitions_to_txn_response_v0_v2,
    1: encode_add_partitions_to_txn_response_v0_v2,
    2: encode_add_partitions_to_txn_response_v0_v2,
    3: encode_add_partitions_to_txn_response_v3,
    4: encode_add_partitions_to_txn_response_v4_v5,
    5: encode_add_partitions_to_txn_response_v4_v5,
}

__all__ = ["DECODERS", "ENCODERS"]
