# Generated from schemas/messages/DescribeTransactionsRequest.json and schemas/messages/DescribeTransactionsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TransactionState,
)
from tidemark_protocol.wire import (
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
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
_iqqh = struct.Struct(">iqqh")
_read_iqqh = _iqqh.unpack_from
_write_iqqh = _iqqh.pack


def decode_describe_transactions_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeTransactionsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("TransactionalIds")
        if n > end - pos:
            check_count(n, pos, end)
        transactional_ids: list[str] = []
        transactional_ids_count = n
        for _ in range(transactional_ids_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("TransactionalIds", n)
            if n < 0:
                raise null("TransactionalIds")
            transactional_ids_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            transactional_ids.append(transactional_ids_item)
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DescribeTransactionsRequest(transactional_ids)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_describe_transactions_response_v0(out: bytearray, m: DescribeTransactionsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_i(m.throttle_time_ms)
        transaction_states = m.transaction_states
        n = len(transaction_states) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for transaction_states_item in transaction_states:
            yield 1
            out += _write_h(transaction_states_item.error_code)
            transaction_states_transactional_id = transaction_states_item.transactional_id
            text = transaction_states_transactional_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TransactionalId", n - 1)
                write_uvarint(out, n)
            out += text
            transaction_states_transaction_state = transaction_states_item.transaction_state
            text = transaction_states_transaction_state.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TransactionState", n - 1)
                write_uvarint(out, n)
            out += text
            out += _write_iqqh(transaction_states_item.transaction_timeout_ms, transaction_states_item.transaction_start_time_ms, transaction_states_item.producer_id, transaction_states_item.producer_epoch)
            transaction_states_topics = transaction_states_item.topics
            n = len(transaction_states_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for transaction_states_topics_item in transaction_states_topics:
                yield 1
                transaction_states_topics_topic = transaction_states_topics_item.topic
                text = transaction_states_topics_topic.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Topic", n - 1)
                    write_uvarint(out, n)
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


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_describe_transactions_request_v0,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_describe_transactions_response_v0,
}

__all__ = ["DECODERS", "ENCODERS"]
