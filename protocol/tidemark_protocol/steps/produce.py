# Generated from schemas/messages/ProduceRequest.json and schemas/messages/ProduceResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.produce import (
    LeaderIdAndEpoch,
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from tidemark_protocol.wire import (
    Bytes,
    SHORT,
    StepDecoder,
    StepEncoder,
    TEXT_MAX,
    UNFIT,
    ZERO_UUID,
    check_count,
    check_end,
    null,
    read_uvarint,
    skip_tags_in_steps,
    too_long,
    too_short,
    unfit,
    write_tags,
    write_uvarint,
)

_u = struct.Struct(">16s")
_read_u = _u.unpack_from
_write_u = _u.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_hi = struct.Struct(">hi")
_read_hi = _hi.unpack_from
_write_hi = _hi.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ihqq = struct.Struct(">ihqq")
_read_ihqq = _ihqq.unpack_from
_write_ihqq = _ihqq.pack
_ihqqq = struct.Struct(">ihqqq")
_read_ihqqq = _ihqqq.unpack_from
_write_ihqqq = _ihqqq.pack
_ii = struct.Struct(">ii")
_read_ii = _ii.unpack_from
_write_ii = _ii.pack


def decode_produce_request_v3_v8(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ProduceRequest, int]]:
    try:
        yield 1
        n = _read_h(buf, pos)[0]
        pos += 2
        transactional_id: str | None = None
        if n >= 0:
            transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        acks, timeout_ms = _read_hi(buf, pos)
        pos += 6
        n = _read_i(buf, pos)[0]
        pos += 4
        if n < 0:
            raise null("TopicData")
        if n > end - pos:
            check_count(n, pos, end)
        topic_data: list[TopicProduceData] = []
        topic_data_count = n
        for _ in range(topic_data_count):
            yield 1
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topic_data_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if n < 0:
                raise null("PartitionData")
            if n > end - pos:
                check_count(n, pos, end)
            topic_data_partition_data: list[PartitionProduceData] = []
            topic_data_partition_data_count = n
            for _ in range(topic_data_partition_data_count):
                yield 1
                topic_data_partition_data_index, = _read_i(buf, pos)
                pos += 4
                n = _read_i(buf, pos)[0]
                pos += 4
                topic_data_partition_data_records: Bytes | None = None
                if n >= 0:
                    topic_data_partition_data_records = memoryview(buf)[pos : pos + n]
                    pos += n
                topic_data_partition_data.append(PartitionProduceData(topic_data_partition_data_index, topic_data_partition_data_records))
            topic_data.append(TopicProduceData(topic_data_name, ZERO_UUID, topic_data_partition_data))
        message = ProduceRequest(transactional_id, acks, timeout_ms, topic_data)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_produce_request_v9_v12(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ProduceRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("TransactionalId", n)
        transactional_id: str | None = None
        if n >= 0:
            transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        acks, timeout_ms = _read_hi(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("TopicData")
        if n > end - pos:
            check_count(n, pos, end)
        topic_data: list[TopicProduceData] = []
        topic_data_count = n
        for _ in range(topic_data_count):
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
            topic_data_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("PartitionData")
            if n > end - pos:
                check_count(n, pos, end)
            topic_data_partition_data: list[PartitionProduceData] = []
            topic_data_partition_data_count = n
            for _ in range(topic_data_partition_data_count):
                yield 1
                topic_data_partition_data_index, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                topic_data_partition_data_records: Bytes | None = None
                if n >= 0:
                    topic_data_partition_data_records = memoryview(buf)[pos : pos + n]
                    pos += n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topic_data_partition_data.append(PartitionProduceData(topic_data_partition_data_index, topic_data_partition_data_records))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topic_data.append(TopicProduceData(topic_data_name, ZERO_UUID, topic_data_partition_data))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ProduceRequest(transactional_id, acks, timeout_ms, topic_data)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_produce_request_v13(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[ProduceRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n > TEXT_MAX:
                raise too_long("TransactionalId", n)
        transactional_id: str | None = None
        if n >= 0:
            transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        acks, timeout_ms = _read_hi(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("TopicData")
        if n > end - pos:
            check_count(n, pos, end)
        topic_data: list[TopicProduceData] = []
        topic_data_count = n
        for _ in range(topic_data_count):
            yield 1
            topic_data_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n < 0:
                raise null("PartitionData")
            if n > end - pos:
                check_count(n, pos, end)
            topic_data_partition_data: list[PartitionProduceData] = []
            topic_data_partition_data_count = n
            for _ in range(topic_data_partition_data_count):
                yield 1
                topic_data_partition_data_index, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                topic_data_partition_data_records: Bytes | None = None
                if n >= 0:
                    topic_data_partition_data_records = memoryview(buf)[pos : pos + n]
                    pos += n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topic_data_partition_data.append(PartitionProduceData(topic_data_partition_data_index, topic_data_partition_data_records))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topic_data.append(TopicProduceData("", topic_data_topic_id, topic_data_partition_data))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = ProduceRequest(transactional_id, acks, timeout_ms, topic_data)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_produce_response_v3_v4(out: bytearray, m: ProduceResponse) -> Generator[int, None, None]:
    try:
        yield 1
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            yield 1
            responses_name = responses_item.name
            text = responses_name.encode()
            out += _write_h(len(text))
            out += text
            responses_partition_responses = responses_item.partition_responses
            out += _write_i(len(responses_partition_responses))
            for responses_partition_responses_item in responses_partition_responses:
                yield 1
                out += _write_ihqq(responses_partition_responses_item.index, responses_partition_responses_item.error_code, responses_partition_responses_item.base_offset, responses_partition_responses_item.log_append_time_ms)
        out += _write_i(m.throttle_time_ms)
    except UNFIT as error:
        raise unfit("ProduceResponse", error) from error


def encode_produce_response_v5_v7(out: bytearray, m: ProduceResponse) -> Generator[int, None, None]:
    try:
        yield 1
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            yield 1
            responses_name = responses_item.name
            text = responses_name.encode()
            out += _write_h(len(text))
            out += text
            responses_partition_responses = responses_item.partition_responses
            out += _write_i(len(responses_partition_responses))
            for responses_partition_responses_item in responses_partition_responses:
                yield 1
                out += _write_ihqqq(responses_partition_responses_item.index, responses_partition_responses_item.error_code, responses_partition_responses_item.base_offset, responses_partition_responses_item.log_append_time_ms, responses_partition_responses_item.log_start_offset)
        out += _write_i(m.throttle_time_ms)
    except UNFIT as error:
        raise unfit("ProduceResponse", error) from error


def encode_produce_response_v8(out: bytearray, m: ProduceResponse) -> Generator[int, None, None]:
    try:
        yield 1
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            yield 1
            responses_name = responses_item.name
            text = responses_name.encode()
            out += _write_h(len(text))
            out += text
            responses_partition_responses = responses_item.partition_responses
            out += _write_i(len(responses_partition_responses))
            for responses_partition_responses_item in responses_partition_responses:
                yield 1
                out += _write_ihqqq(responses_partition_responses_item.index, responses_partition_responses_item.error_code, responses_partition_responses_item.base_offset, responses_partition_responses_item.log_append_time_ms, responses_partition_responses_item.log_start_offset)
                responses_partition_responses_record_errors = responses_partition_responses_item.record_errors
                out += _write_i(len(responses_partition_responses_record_errors))
                for responses_partition_responses_record_errors_item in responses_partition_responses_record_errors:
                    yield 1
                    out += _write_i(responses_partition_responses_record_errors_item.batch_index)
                    responses_partition_responses_record_errors_batch_index_error_message = responses_partition_responses_record_errors_item.batch_index_error_message
                    if responses_partition_responses_record_errors_batch_index_error_message is None:
                        out += _write_h(-1)
                    else:
                        text = responses_partition_responses_record_errors_batch_index_error_message.encode()
                        out += _write_h(len(text))
                        out += text
                responses_partition_responses_error_message = responses_partition_responses_item.error_message
                if responses_partition_responses_error_message is None:
                    out += _write_h(-1)
                else:
                    text = responses_partition_responses_error_message.encode()
                    out += _write_h(len(text))
                    out += text
        out += _write_i(m.throttle_time_ms)
    except UNFIT as error:
        raise unfit("ProduceResponse", error) from error


def encode_produce_response_v9(out: bytearray, m: ProduceResponse) -> Generator[int, None, None]:
    try:
        yield 1
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            yield 1
            responses_name = responses_item.name
            text = responses_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Name", n - 1)
                write_uvarint(out, n)
            out += text
            responses_partition_responses = responses_item.partition_responses
            n = len(responses_partition_responses) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partition_responses_item in responses_partition_responses:
                yield 1
                out += _write_ihqqq(responses_partition_responses_item.index, responses_partition_responses_item.error_code, responses_partition_responses_item.base_offset, responses_partition_responses_item.log_append_time_ms, responses_partition_responses_item.log_start_offset)
                responses_partition_responses_record_errors = responses_partition_responses_item.record_errors
                n = len(responses_partition_responses_record_errors) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for responses_partition_responses_record_errors_item in responses_partition_responses_record_errors:
                    yield 1
                    out += _write_i(responses_partition_responses_record_errors_item.batch_index)
                    responses_partition_responses_record_errors_batch_index_error_message = responses_partition_responses_record_errors_item.batch_index_error_message
                    if responses_partition_responses_record_errors_batch_index_error_message is None:
                        out.append(0)
                    else:
                        text = responses_partition_responses_record_errors_batch_index_error_message.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            if n > TEXT_MAX + 1:
                                raise too_long("BatchIndexErrorMessage", n - 1)
                            write_uvarint(out, n)
                        out += text
                    out.append(0)
                responses_partition_responses_error_message = responses_partition_responses_item.error_message
                if responses_partition_responses_error_message is None:
                    out.append(0)
                else:
                    text = responses_partition_responses_error_message.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("ErrorMessage", n - 1)
                        write_uvarint(out, n)
                    out += text
                out.append(0)
            out.append(0)
        out += _write_i(m.throttle_time_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("ProduceResponse", error) from error


def encode_produce_response_v10_v12(out: bytearray, m: ProduceResponse) -> Generator[int, None, None]:
    try:
        yield 1
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            yield 1
            responses_name = responses_item.name
            text = responses_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("Name", n - 1)
                write_uvarint(out, n)
            out += text
            responses_partition_responses = responses_item.partition_responses
            n = len(responses_partition_responses) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partition_responses_item in responses_partition_responses:
                yield 1
                out += _write_ihqqq(responses_partition_responses_item.index, responses_partition_responses_item.error_code, responses_partition_responses_item.base_offset, responses_partition_responses_item.log_append_time_ms, responses_partition_responses_item.log_start_offset)
                responses_partition_responses_record_errors = responses_partition_responses_item.record_errors
                n = len(responses_partition_responses_record_errors) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for responses_partition_responses_record_errors_item in responses_partition_responses_record_errors:
                    yield 1
                    out += _write_i(responses_partition_responses_record_errors_item.batch_index)
                    responses_partition_responses_record_errors_batch_index_error_message = responses_partition_responses_record_errors_item.batch_index_error_message
                    if responses_partition_responses_record_errors_batch_index_error_message is None:
                        out.append(0)
                    else:
                        text = responses_partition_responses_record_errors_batch_index_error_message.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            if n > TEXT_MAX + 1:
                                raise too_long("BatchIndexErrorMessage", n - 1)
                            write_uvarint(out, n)
                        out += text
                    out.append(0)
                responses_partition_responses_error_message = responses_partition_responses_item.error_message
                if responses_partition_responses_error_message is None:
                    out.append(0)
                else:
                    text = responses_partition_responses_error_message.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("ErrorMessage", n - 1)
                        write_uvarint(out, n)
                    out += text
                responses_partition_responses_tags: list[tuple[int, bytearray]] = []
                if responses_partition_responses_item.current_leader is not None and responses_partition_responses_item.current_leader != LeaderIdAndEpoch():
                    responses_partition_responses_outer = out
                    out = bytearray()
                    responses_partition_responses_current_leader = responses_partition_responses_item.current_leader
                    if responses_partition_responses_current_leader is None:
                        raise null("CurrentLeader")
                    out += _write_ii(responses_partition_responses_current_leader.leader_id, responses_partition_responses_current_leader.leader_epoch)
                    out.append(0)
                    responses_partition_responses_tags.append((0, out))
                    out = responses_partition_responses_outer
                write_tags(out, responses_partition_responses_tags)
            out.append(0)
        out += _write_i(m.throttle_time_ms)
        tags: list[tuple[int, bytearray]] = []
        if m.node_endpoints:
            outer = out
            out = bytearray()
            node_endpoints = m.node_endpoints
            n = len(node_endpoints) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for node_endpoints_item in node_endpoints:
                yield 1
                out += _write_i(node_endpoints_item.node_id)
                node_endpoints_host = node_endpoints_item.host
                text = node_endpoints_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Host", n - 1)
                    write_uvarint(out, n)
                out += text
                out += _write_i(node_endpoints_item.port)
                node_endpoints_rack = node_endpoints_item.rack
                if node_endpoints_rack is None:
                    out.append(0)
                else:
                    text = node_endpoints_rack.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("Rack", n - 1)
                        write_uvarint(out, n)
                    out += text
                out.append(0)
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("ProduceResponse", error) from error


def encode_produce_response_v13(out: bytearray, m: ProduceResponse) -> Generator[int, None, None]:
    try:
        yield 1
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            yield 1
            out += _write_u(responses_item.topic_id)
            responses_partition_responses = responses_item.partition_responses
            n = len(responses_partition_responses) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partition_responses_item in responses_partition_responses:
                yield 1
                out += _write_ihqqq(responses_partition_responses_item.index, responses_partition_responses_item.error_code, responses_partition_responses_item.base_offset, responses_partition_responses_item.log_append_time_ms, responses_partition_responses_item.log_start_offset)
                responses_partition_responses_record_errors = responses_partition_responses_item.record_errors
                n = len(responses_partition_responses_record_errors) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for responses_partition_responses_record_errors_item in responses_partition_responses_record_errors:
                    yield 1
                    out += _write_i(responses_partition_responses_record_errors_item.batch_index)
                    responses_partition_responses_record_errors_batch_index_error_message = responses_partition_responses_record_errors_item.batch_index_error_message
                    if responses_partition_responses_record_errors_batch_index_error_message is None:
                        out.append(0)
                    else:
                        text = responses_partition_responses_record_errors_batch_index_error_message.encode()
                        n = len(text) + 1
                        if n < 128:
                            out.append(n)
                        else:
                            if n > TEXT_MAX + 1:
                                raise too_long("BatchIndexErrorMessage", n - 1)
                            write_uvarint(out, n)
                        out += text
                    out.append(0)
                responses_partition_responses_error_message = responses_partition_responses_item.error_message
                if responses_partition_responses_error_message is None:
                    out.append(0)
                else:
                    text = responses_partition_responses_error_message.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("ErrorMessage", n - 1)
                        write_uvarint(out, n)
                    out += text
                responses_partition_responses_tags: list[tuple[int, bytearray]] = []
                if responses_partition_responses_item.current_leader is not None and responses_partition_responses_item.current_leader != LeaderIdAndEpoch():
                    responses_partition_responses_outer = out
                    out = bytearray()
                    responses_partition_responses_current_leader = responses_partition_responses_item.current_leader
                    if responses_partition_responses_current_leader is None:
                        raise null("CurrentLeader")
                    out += _write_ii(responses_partition_responses_current_leader.leader_id, responses_partition_responses_current_leader.leader_epoch)
                    out.append(0)
                    responses_partition_responses_tags.append((0, out))
                    out = responses_partition_responses_outer
                write_tags(out, responses_partition_responses_tags)
            out.append(0)
        out += _write_i(m.throttle_time_ms)
        tags: list[tuple[int, bytearray]] = []
        if m.node_endpoints:
            outer = out
            out = bytearray()
            node_endpoints = m.node_endpoints
            n = len(node_endpoints) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for node_endpoints_item in node_endpoints:
                yield 1
                out += _write_i(node_endpoints_item.node_id)
                node_endpoints_host = node_endpoints_item.host
                text = node_endpoints_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Host", n - 1)
                    write_uvarint(out, n)
                out += text
                out += _write_i(node_endpoints_item.port)
                node_endpoints_rack = node_endpoints_item.rack
                if node_endpoints_rack is None:
                    out.append(0)
                else:
                    text = node_endpoints_rack.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("Rack", n - 1)
                        write_uvarint(out, n)
                    out += text
                out.append(0)
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("ProduceResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    3: decode_produce_request_v3_v8,
    4: decode_produce_request_v3_v8,
    5: decode_produce_request_v3_v8,
    6: decode_produce_request_v3_v8,
    7: decode_produce_request_v3_v8,
    8: decode_produce_request_v3_v8,
    9: decode_produce_request_v9_v12,
    10: decode_produce_request_v9_v12,
    11: decode_produce_request_v9_v12,
    12: decode_produce_request_v9_v12,
    13: decode_produce_request_v13,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    3: encode_produce_response_v3_v4,
    4: encode_produce_response_v3_v4,
    5: encode_produce_response_v5_v7,
    6: encode_produce_response_v5_v7,
    7: encode_produce_response_v5_v7,
    8: encode_produce_response_v8,
    9: encode_produce_response_v9,
    10: encode_produce_response_v10_v12,
    11: encode_produce_response_v10_v12,
    12: encode_produce_response_v10_v12,
    13: encode_produce_response_v13,
}

__all__ = ["DECODERS", "ENCODERS"]
