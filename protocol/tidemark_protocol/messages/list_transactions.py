# Generated from schemas/messages/ListTransactionsRequest.json and schemas/messages/ListTransactionsResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack


class ListTransactionsRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("StateFilters", "state_filters", "[]string", None),
        ("ProducerIdFilters", "producer_id_filters", "[]int64", None),
        ("DurationFilter", "duration_filter", "int64", None),
        ("TransactionalIdPattern", "transactional_id_pattern", "string", None),
    )
    NAME: ClassVar = "ListTransactionsRequest"
    API_KEY: ClassVar = 66
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    state_filters: list[str] = []
    producer_id_filters: list[int] = []
    duration_filter: int = -1
    transactional_id_pattern: str | None = None


class TransactionState(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TransactionalId", "transactional_id", "string", None),
        ("ProducerId", "producer_id", "int64", None),
        ("TransactionState", "transaction_state", "string", None),
    )
    transactional_id: str = ""
    producer_id: int = 0
    transaction_state: str = ""


class ListTransactionsResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("UnknownStateFilters", "unknown_state_filters", "[]string", None),
        ("TransactionStates", "transaction_states", "[]struct", TransactionState),
    )
    NAME: ClassVar = "ListTransactionsResponse"
    API_KEY: ClassVar = 66
    LOWEST: ClassVar = 0
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 0
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    throttle_time_ms: int = 0
    error_code: int = 0
    unknown_state_filters: list[str] = []
    transaction_states: list[TransactionState] = []


def decode_list_transactions_request_v0(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListTransactionsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("StateFilters", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        state_filters: list[str] = []
        state_filters_count = n
        for _ in range(state_filters_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "StateFilters")
            if n < 0:
                raise null("StateFilters")
            state_filters_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            state_filters.append(state_filters_item)
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ProducerIdFilters", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        producer_id_filters: list[int] = list(struct.unpack_from(f">{n}q", buf, pos))
        pos += 8 * n
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ListTransactionsRequest(state_filters, producer_id_filters)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_transactions_request_v0(out: bytearray, m: ListTransactionsRequest) -> None:
    try:
        state_filters = m.state_filters
        n = len(state_filters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for state_filters_item in state_filters:
            text = state_filters_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "StateFilters")
            out += text
        producer_id_filters = m.producer_id_filters
        n = len(producer_id_filters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(producer_id_filters)}q", *producer_id_filters)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListTransactionsRequest", error) from error


def decode_list_transactions_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListTransactionsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("StateFilters", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        state_filters: list[str] = []
        state_filters_count = n
        for _ in range(state_filters_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "StateFilters")
            if n < 0:
                raise null("StateFilters")
            state_filters_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            state_filters.append(state_filters_item)
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ProducerIdFilters", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        producer_id_filters: list[int] = list(struct.unpack_from(f">{n}q", buf, pos))
        pos += 8 * n
        duration_filter, = _read_q(buf, pos)
        pos += 8
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ListTransactionsRequest(state_filters, producer_id_filters, duration_filter)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_transactions_request_v1(out: bytearray, m: ListTransactionsRequest) -> None:
    try:
        state_filters = m.state_filters
        n = len(state_filters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for state_filters_item in state_filters:
            text = state_filters_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "StateFilters")
            out += text
        producer_id_filters = m.producer_id_filters
        n = len(producer_id_filters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(producer_id_filters)}q", *producer_id_filters)
        out += _write_q(m.duration_filter)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListTransactionsRequest", error) from error


def decode_list_transactions_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ListTransactionsRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("StateFilters", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        state_filters: list[str] = []
        state_filters_count = n
        for _ in range(state_filters_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "StateFilters")
            if n < 0:
                raise null("StateFilters")
            state_filters_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            state_filters.append(state_filters_item)
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("ProducerIdFilters", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        producer_id_filters: list[int] = list(struct.unpack_from(f">{n}q", buf, pos))
        pos += 8 * n
        duration_filter, = _read_q(buf, pos)
        pos += 8
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TransactionalIdPattern")
        transactional_id_pattern: str | None = None
        if n >= 0:
            transactional_id_pattern = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ListTransactionsRequest(state_filters, producer_id_filters, duration_filter, transactional_id_pattern)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_transactions_request_v2(out: bytearray, m: ListTransactionsRequest) -> None:
    try:
        state_filters = m.state_filters
        n = len(state_filters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for state_filters_item in state_filters:
            text = state_filters_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "StateFilters")
            out += text
        producer_id_filters = m.producer_id_filters
        n = len(producer_id_filters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        out += struct.pack(f">{len(producer_id_filters)}q", *producer_id_filters)
        out += _write_q(m.duration_filter)
        transactional_id_pattern = m.transactional_id_pattern
        if transactional_id_pattern is None:
            out.append(0)
        else:
            text = transactional_id_pattern.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TransactionalIdPattern")
            out += text
        out.append(0)
    except UNFIT as error:
        raise unfit("ListTransactionsRequest", error) from error

ListTransactionsRequest.DECODERS = {
    0: decode_list_transactions_request_v0,
    1: decode_list_transactions_request_v1,
    2: decode_list_transactions_request_v2,
}

ListTransactionsRequest.ENCODERS = {
    0: encode_list_transactions_request_v0,
    1: encode_list_transactions_request_v1,
    2: encode_list_transactions_request_v2,
}



def decode_list_transactions_response_v0_v2(buf: bytes, pos: int, end: int) -> tuple[ListTransactionsResponse, int]:
    try:
        throttle_time_ms, error_code = _read_ih(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("UnknownStateFilters", n, pos, end)
        unknown_state_filters: list[str] = []
        unknown_state_filters_count = n
        for _ in range(unknown_state_filters_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "UnknownStateFilters")
            if n < 0:
                raise null("UnknownStateFilters")
            unknown_state_filters_item = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            unknown_state_filters.append(unknown_state_filters_item)
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("TransactionStates", n, pos, end)
        transaction_states: list[TransactionState] = []
        transaction_states_count = n
        for _ in range(transaction_states_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TransactionalId")
            if n < 0:
                raise null("TransactionalId")
            transaction_states_transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            transaction_states_producer_id, = _read_q(buf, pos)
            pos += 8
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "TransactionState")
            if n < 0:
                raise null("TransactionState")
            transaction_states_transaction_state = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            transaction_states.append(TransactionState(transaction_states_transactional_id, transaction_states_producer_id, transaction_states_transaction_state))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ListTransactionsResponse(throttle_time_ms, error_code, unknown_state_filters, transaction_states)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_list_transactions_response_v0_v2(out: bytearray, m: ListTransactionsResponse) -> None:
    try:
        out += _write_ih(m.throttle_time_ms, m.error_code)
        unknown_state_filters = m.unknown_state_filters
        n = len(unknown_state_filters) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for unknown_state_filters_item in unknown_state_filters:
            text = unknown_state_filters_item.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "UnknownStateFilters")
            out += text
        transaction_states = m.transaction_states
        n = len(transaction_states) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for transaction_states_item in transaction_states:
            text = transaction_states_item.transactional_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TransactionalId")
            out += text
            out += _write_q(transaction_states_item.producer_id)
            text = transaction_states_item.transaction_state.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TransactionState")
            out += text
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ListTransactionsResponse", error) from error

ListTransactionsResponse.DECODERS = {
    0: decode_list_transactions_response_v0_v2, 1: decode_list_transactions_response_v0_v2,
    2: decode_list_transactions_response_v0_v2,
}

ListTransactionsResponse.ENCODERS = {
    0: encode_list_transactions_response_v0_v2, 1: encode_list_transactions_response_v0_v2,
    2: encode_list_transactions_response_v0_v2,
}

__all__ = [
    "ListTransactionsRequest", "ListTransactionsResponse", "TransactionState",
]
