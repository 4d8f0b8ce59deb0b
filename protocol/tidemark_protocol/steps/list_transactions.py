# Generated from schemas/messages/ListTransactionsRequest.json and schemas/messages/ListTransactionsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
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

_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack


def decode_list_transactions_request_v0(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListTransactionsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("StateFilters")
        if n > end - pos:
            check_count(n, pos, end)
        state_filters: list[str] = []
        state_filters_count = n
        for _ in range(state_filters_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("StateFilters", n)
            if n < 0:
                raise null("StateFilters")
            state_filters_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            state_filters.append(state_filters_item)
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("ProducerIdFilters")
        if n > end - pos:
            check_count(n, pos, end)
        yield n
        producer_id_filters: list[int] = list(struct.unpack_from(f">{n}q", buf, pos))
        pos += 8 * n
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ListTransactionsRequest(state_filters, producer_id_filters)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_list_transactions_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListTransactionsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("StateFilters")
        if n > end - pos:
            check_count(n, pos, end)
        state_filters: list[str] = []
        state_filters_count = n
        for _ in range(state_filters_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("StateFilters", n)
            if n < 0:
                raise null("StateFilters")
            state_filters_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            state_filters.append(state_filters_item)
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("ProducerIdFilters")
        if n > end - pos:
            check_count(n, pos, end)
        yield n
        producer_id_filters: list[int] = list(struct.unpack_from(f">{n}q", buf, pos))
        pos += 8 * n
        duration_filter, = _read_q(buf, pos)
        pos += 8
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ListTransactionsRequest(state_filters, producer_id_filters, duration_filter)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_list_transactions_request_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ListTransactionsRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("StateFilters")
        if n > end - pos:
            check_count(n, pos, end)
        state_filters: list[str] = []
        state_filters_count = n
        for _ in range(state_filters_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("StateFilters", n)
            if n < 0:
                raise null("StateFilters")
            state_filters_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            state_filters.append(state_filters_item)
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("ProducerIdFilters")
        if n > end - pos:
            check_count(n, pos, end)
        yield n
        producer_id_filters: list[int] = list(struct.unpack_from(f">{n}q", buf, pos))
        pos += 8 * n
        duration_filter, = _read_q(buf, pos)
        pos += 8
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("TransactionalIdPattern", n)
        transactional_id_pattern: str | None = None
        if n >= 0:
            transactional_id_pattern = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ListTransactionsRequest(state_filters, producer_id_filters, duration_filter, transactional_id_pattern)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_list_transactions_response_v0_v2(out: bytearray, m: ListTransactionsResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_ih(m.throttle_time_ms, m.error_code)
        unknown_state_filters = m.unknown_state_filters
        n = len(unknown_state_filters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for unknown_state_filters_item in unknown_state_filters:
            yield 1
            text = unknown_state_filters_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("UnknownStateFilters", n - 1)
                write_uvarint(out, n)
            out += text
        transaction_states = m.transaction_states
        n = len(transaction_states) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for transaction_states_item in transaction_states:
            yield 1
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
            out += _write_q(transaction_states_item.producer_id)
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
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListTransactionsResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_list_transactions_request_v0,
    1: decode_list_transactions_request_v1,
    2: decode_list_transactions_request_v2,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_list_transactions_response_v0_v2,
    1: encode_list_transactions_response_v0_v2,
    2: encode_list_transactions_response_v0_v2,
}

__all__ = ["DECODERS", "ENCODERS"]
