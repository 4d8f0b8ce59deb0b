# Generated from schemas/messages/ProduceRequest.json and schemas/messages/ProduceResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Bytes, Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, ZERO_UUID, null, past_end, read_length, read_tag_count,
    read_text_length, read_uvarint, skip_tag, skip_tags, skip_tags_within, too_many, too_short, unfit,
    write_tags, write_text_length, write_uvarint, wrong_count,
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


class PartitionProduceData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Index", "index", "int32", None),
        ("Records", "records", "records", None),
    )
    index: int = 0
    records: Bytes | None = b""


class TopicProduceData(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("PartitionData", "partition_data", "[]struct", PartitionProduceData),
    )
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partition_data: list[PartitionProduceData] = []


class ProduceRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("TransactionalId", "transactional_id", "string", None),
        ("Acks", "acks", "int16", None),
        ("TimeoutMs", "timeout_ms", "int32", None),
        ("TopicData", "topic_data", "[]struct", TopicProduceData),
    )
    NAME: ClassVar = "ProduceRequest"
    API_KEY: ClassVar = 0
    LOWEST: ClassVar = 3
    HIGHEST: ClassVar = 13
    FLEXIBLE_FROM: ClassVar = 9
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    transactional_id: str | None = None
    acks: int = 0
    timeout_ms: int = 0
    topic_data: list[TopicProduceData] = []


class BatchIndexAndErrorMessage(Struct, gc=False):
    FIELDS: ClassVar = (
        ("BatchIndex", "batch_index", "int32", None),
        ("BatchIndexErrorMessage", "batch_index_error_message", "string", None),
    )
    batch_index: int = 0
    batch_index_error_message: str | None = None


class LeaderIdAndEpoch(Struct, gc=False):
    FIELDS: ClassVar = (
        ("LeaderId", "leader_id", "int32", None),
        ("LeaderEpoch", "leader_epoch", "int32", None),
    )
    leader_id: int = -1
    leader_epoch: int = -1


class PartitionProduceResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Index", "index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
        ("BaseOffset", "base_offset", "int64", None),
        ("LogAppendTimeMs", "log_append_time_ms", "int64", None),
        ("LogStartOffset", "log_start_offset", "int64", None),
        ("RecordErrors", "record_errors", "[]struct", BatchIndexAndErrorMessage),
        ("ErrorMessage", "error_message", "string", None),
        ("CurrentLeader", "current_leader", "tagged struct", LeaderIdAndEpoch),
    )
    index: int = 0
    error_code: int = 0
    base_offset: int = 0
    log_append_time_ms: int = -1
    log_start_offset: int = -1
    record_errors: list[BatchIndexAndErrorMessage] = []
    error_message: str | None = None
    current_leader: LeaderIdAndEpoch | None = None


class TopicProduceResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("TopicId", "topic_id", "uuid", None),
        ("PartitionResponses", "partition_responses", "[]struct", PartitionProduceResponse),
    )
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partition_responses: list[PartitionProduceResponse] = []


class NodeEndpoint(Struct, gc=False):
    FIELDS: ClassVar = (
        ("NodeId", "node_id", "int32", None),
        ("Host", "host", "string", None),
        ("Port", "port", "int32", None),
        ("Rack", "rack", "string", None),
    )
    node_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None


class ProduceResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Responses", "responses", "[]struct", TopicProduceResponse),
        ("ThrottleTimeMs", "throttle_time_ms", "int32", None),
        ("NodeEndpoints", "node_endpoints", "[]struct", NodeEndpoint),
    )
    NAME: ClassVar = "ProduceResponse"
    API_KEY: ClassVar = 0
    LOWEST: ClassVar = 3
    HIGHEST: ClassVar = 13
    FLEXIBLE_FROM: ClassVar = 9
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    responses: list[TopicProduceResponse] = []
    throttle_time_ms: int = 0
    node_endpoints: list[NodeEndpoint] = []


def decode_produce_request_v3_v8(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ProduceRequest, int]:
    try:
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
        if not 0 <= n <= end - pos:
            raise wrong_count("TopicData", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topic_data: list[TopicProduceData] = []
        topic_data_count = n
        for _ in range(topic_data_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            topic_data_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("PartitionData", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topic_data_partition_data: list[PartitionProduceData] = []
            topic_data_partition_data_count = n
            for _ in range(topic_data_partition_data_count):
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
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_produce_request_v3_v8(out: bytearray, m: ProduceRequest) -> None:
    try:
        transactional_id = m.transactional_id
        if transactional_id is None:
            out += _write_h(-1)
        else:
            text = transactional_id.encode()
            out += _write_h(len(text))
            out += text
        out += _write_hi(m.acks, m.timeout_ms)
        topic_data = m.topic_data
        out += _write_i(len(topic_data))
        for topic_data_item in topic_data:
            text = topic_data_item.name.encode()
            out += _write_h(len(text))
            out += text
            topic_data_partition_data = topic_data_item.partition_data
            out += _write_i(len(topic_data_partition_data))
            for topic_data_partition_data_item in topic_data_partition_data:
                out += _write_i(topic_data_partition_data_item.index)
                topic_data_partition_data_records = topic_data_partition_data_item.records
                if topic_data_partition_data_records is None:
                    out += _write_i(-1)
                else:
                    out += _write_i(len(topic_data_partition_data_records))
                    out += topic_data_partition_data_records
    except UNFIT as error:
        raise unfit("ProduceRequest", error) from error


def decode_produce_request_v9_v12(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ProduceRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TransactionalId")
        transactional_id: str | None = None
        if n >= 0:
            transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        acks, timeout_ms = _read_hi(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("TopicData", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topic_data: list[TopicProduceData] = []
        topic_data_count = n
        for _ in range(topic_data_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            topic_data_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("PartitionData", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topic_data_partition_data: list[PartitionProduceData] = []
            topic_data_partition_data_count = n
            for _ in range(topic_data_partition_data_count):
                topic_data_partition_data_index, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                topic_data_partition_data_records: Bytes | None = None
                if n >= 0:
                    topic_data_partition_data_records = memoryview(buf)[pos : pos + n]
                    pos += n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topic_data_partition_data.append(PartitionProduceData(topic_data_partition_data_index, topic_data_partition_data_records))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topic_data.append(TopicProduceData(topic_data_name, ZERO_UUID, topic_data_partition_data))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ProduceRequest(transactional_id, acks, timeout_ms, topic_data)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_produce_request_v9_v12(out: bytearray, m: ProduceRequest) -> None:
    try:
        transactional_id = m.transactional_id
        if transactional_id is None:
            out.append(0)
        else:
            text = transactional_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TransactionalId")
            out += text
        out += _write_hi(m.acks, m.timeout_ms)
        topic_data = m.topic_data
        n = len(topic_data) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topic_data_item in topic_data:
            text = topic_data_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            topic_data_partition_data = topic_data_item.partition_data
            n = len(topic_data_partition_data) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topic_data_partition_data_item in topic_data_partition_data:
                out += _write_i(topic_data_partition_data_item.index)
                topic_data_partition_data_records = topic_data_partition_data_item.records
                if topic_data_partition_data_records is None:
                    out.append(0)
                else:
                    n = len(topic_data_partition_data_records) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += topic_data_partition_data_records
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ProduceRequest", error) from error


def decode_produce_request_v13(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[ProduceRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_text_length(buf, pos - 1, "TransactionalId")
        transactional_id: str | None = None
        if n >= 0:
            transactional_id = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
        acks, timeout_ms = _read_hi(buf, pos)
        pos += 6
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("TopicData", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        topic_data: list[TopicProduceData] = []
        topic_data_count = n
        for _ in range(topic_data_count):
            topic_data_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("PartitionData", n, pos, end)
            left -= n
            if left < 0:
                raise too_many()
            topic_data_partition_data: list[PartitionProduceData] = []
            topic_data_partition_data_count = n
            for _ in range(topic_data_partition_data_count):
                topic_data_partition_data_index, = _read_i(buf, pos)
                pos += 4
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                topic_data_partition_data_records: Bytes | None = None
                if n >= 0:
                    topic_data_partition_data_records = memoryview(buf)[pos : pos + n]
                    pos += n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                topic_data_partition_data.append(PartitionProduceData(topic_data_partition_data_index, topic_data_partition_data_records))
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            topic_data.append(TopicProduceData("", topic_data_topic_id, topic_data_partition_data))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = ProduceRequest(transactional_id, acks, timeout_ms, topic_data)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_produce_request_v13(out: bytearray, m: ProduceRequest) -> None:
    try:
        transactional_id = m.transactional_id
        if transactional_id is None:
            out.append(0)
        else:
            text = transactional_id.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "TransactionalId")
            out += text
        out += _write_hi(m.acks, m.timeout_ms)
        topic_data = m.topic_data
        n = len(topic_data) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topic_data_item in topic_data:
            out += _write_u(topic_data_item.topic_id)
            topic_data_partition_data = topic_data_item.partition_data
            n = len(topic_data_partition_data) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topic_data_partition_data_item in topic_data_partition_data:
                out += _write_i(topic_data_partition_data_item.index)
                topic_data_partition_data_records = topic_data_partition_data_item.records
                if topic_data_partition_data_records is None:
                    out.append(0)
                else:
                    n = len(topic_data_partition_data_records) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        write_uvarint(out, n)
                    out += topic_data_partition_data_records
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("ProduceRequest", error) from error

ProduceRequest.DECODERS = {
    3: decode_produce_request_v3_v8, 4: decode_produce_request_v3_v8, 5: decode_produce_request_v3_v8,
    6: decode_produce_request_v3_v8, 7: decode_produce_request_v3_v8, 8: decode_produce_request_v3_v8,
    9: decode_produce_request_v9_v12, 10: decode_produce_request_v9_v12, 11: decode_produce_request_v9_v12,
    12: decode_produce_request_v9_v12,
    13: decode_produce_request_v13,
}

ProduceRequest.ENCODERS = {
    3: encode_produce_request_v3_v8, 4: encode_produce_request_v3_v8, 5: encode_produce_request_v3_v8,
    6: encode_produce_request_v3_v8, 7: encode_produce_request_v3_v8, 8: encode_produce_request_v3_v8,
    9: encode_produce_request_v9_v12, 10: encode_produce_request_v9_v12, 11: encode_produce_request_v9_v12,
    12: encode_produce_request_v9_v12,
    13: encode_produce_request_v13,
}



def decode_produce_response_v3_v4(buf: bytes, pos: int, end: int) -> tuple[ProduceResponse, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[TopicProduceResponse] = []
        responses_count = n
        for _ in range(responses_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            responses_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("PartitionResponses", n, pos, end)
            responses_partition_responses: list[PartitionProduceResponse] = []
            responses_partition_responses_count = n
            for _ in range(responses_partition_responses_count):
                responses_partition_responses_index, responses_partition_responses_error_code, responses_partition_responses_base_offset, responses_partition_responses_log_append_time_ms = _read_ihqq(buf, pos)
                pos += 22
                responses_partition_responses.append(PartitionProduceResponse(responses_partition_responses_index, responses_partition_responses_error_code, responses_partition_responses_base_offset, responses_partition_responses_log_append_time_ms))
            responses.append(TopicProduceResponse(responses_name, ZERO_UUID, responses_partition_responses))
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        message = ProduceResponse(responses, throttle_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_produce_response_v3_v4(out: bytearray, m: ProduceResponse) -> None:
    try:
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            text = responses_item.name.encode()
            out += _write_h(len(text))
            out += text
            responses_partition_responses = responses_item.partition_responses
            out += _write_i(len(responses_partition_responses))
            for responses_partition_responses_item in responses_partition_responses:
                out += _write_ihqq(responses_partition_responses_item.index, responses_partition_responses_item.error_code, responses_partition_responses_item.base_offset, responses_partition_responses_item.log_append_time_ms)
        out += _write_i(m.throttle_time_ms)
    except UNFIT as error:
        raise unfit("ProduceResponse", error) from error


def decode_produce_response_v5_v7(buf: bytes, pos: int, end: int) -> tuple[ProduceResponse, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[TopicProduceResponse] = []
        responses_count = n
        for _ in range(responses_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            responses_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("PartitionResponses", n, pos, end)
            responses_partition_responses: list[PartitionProduceResponse] = []
            responses_partition_responses_count = n
            for _ in range(responses_partition_responses_count):
                responses_partition_responses_index, responses_partition_responses_error_code, responses_partition_responses_base_offset, responses_partition_responses_log_append_time_ms, responses_partition_responses_log_start_offset = _read_ihqqq(buf, pos)
                pos += 30
                responses_partition_responses.append(PartitionProduceResponse(responses_partition_responses_index, responses_partition_responses_error_code, responses_partition_responses_base_offset, responses_partition_responses_log_append_time_ms, responses_partition_responses_log_start_offset))
            responses.append(TopicProduceResponse(responses_name, ZERO_UUID, responses_partition_responses))
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        message = ProduceResponse(responses, throttle_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_produce_response_v5_v7(out: bytearray, m: ProduceResponse) -> None:
    try:
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            text = responses_item.name.encode()
            out += _write_h(len(text))
            out += text
            responses_partition_responses = responses_item.partition_responses
            out += _write_i(len(responses_partition_responses))
            for responses_partition_responses_item in responses_partition_responses:
                out += _write_ihqqq(responses_partition_responses_item.index, responses_partition_responses_item.error_code, responses_partition_responses_item.base_offset, responses_partition_responses_item.log_append_time_ms, responses_partition_responses_item.log_start_offset)
        out += _write_i(m.throttle_time_ms)
    except UNFIT as error:
        raise unfit("ProduceResponse", error) from error


def decode_produce_response_v8(buf: bytes, pos: int, end: int) -> tuple[ProduceResponse, int]:
    try:
        n = _read_i(buf, pos)[0]
        pos += 4
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[TopicProduceResponse] = []
        responses_count = n
        for _ in range(responses_count):
            n = _read_h(buf, pos)[0]
            pos += 2
            if n < 0:
                raise null("Name")
            responses_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = _read_i(buf, pos)[0]
            pos += 4
            if not 0 <= n <= end - pos:
                raise wrong_count("PartitionResponses", n, pos, end)
            responses_partition_responses: list[PartitionProduceResponse] = []
            responses_partition_responses_count = n
            for _ in range(responses_partition_responses_count):
                responses_partition_responses_index, responses_partition_responses_error_code, responses_partition_responses_base_offset, responses_partition_responses_log_append_time_ms, responses_partition_responses_log_start_offset = _read_ihqqq(buf, pos)
                pos += 30
                n = _read_i(buf, pos)[0]
                pos += 4
                if not 0 <= n <= end - pos:
                    raise wrong_count("RecordErrors", n, pos, end)
                responses_partition_responses_record_errors: list[BatchIndexAndErrorMessage] = []
                responses_partition_responses_record_errors_count = n
                for _ in range(responses_partition_responses_record_errors_count):
                    responses_partition_responses_record_errors_batch_index, = _read_i(buf, pos)
                    pos += 4
                    n = _read_h(buf, pos)[0]
                    pos += 2
                    responses_partition_responses_record_errors_batch_index_error_message: str | None = None
                    if n >= 0:
                        responses_partition_responses_record_errors_batch_index_error_message = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    responses_partition_responses_record_errors.append(BatchIndexAndErrorMessage(responses_partition_responses_record_errors_batch_index, responses_partition_responses_record_errors_batch_index_error_message))
                n = _read_h(buf, pos)[0]
                pos += 2
                responses_partition_responses_error_message: str | None = None
                if n >= 0:
                    responses_partition_responses_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                responses_partition_responses.append(PartitionProduceResponse(responses_partition_responses_index, responses_partition_responses_error_code, responses_partition_responses_base_offset, responses_partition_responses_log_append_time_ms, responses_partition_responses_log_start_offset, responses_partition_responses_record_errors, responses_partition_responses_error_message))
            responses.append(TopicProduceResponse(responses_name, ZERO_UUID, responses_partition_responses))
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        message = ProduceResponse(responses, throttle_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_produce_response_v8(out: bytearray, m: ProduceResponse) -> None:
    try:
        responses = m.responses
        out += _write_i(len(responses))
        for responses_item in responses:
            text = responses_item.name.encode()
            out += _write_h(len(text))
            out += text
            responses_partition_responses = responses_item.partition_responses
            out += _write_i(len(responses_partition_responses))
            for responses_partition_responses_item in responses_partition_responses:
                out += _write_ihqqq(responses_partition_responses_item.index, responses_partition_responses_item.error_code, responses_partition_responses_item.base_offset, responses_partition_responses_item.log_append_time_ms, responses_partition_responses_item.log_start_offset)
                responses_partition_responses_record_errors = responses_partition_responses_item.record_errors
                out += _write_i(len(responses_partition_responses_record_errors))
                for responses_partition_responses_record_errors_item in responses_partition_responses_record_errors:
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


def decode_produce_response_v9(buf: bytes, pos: int, end: int) -> tuple[ProduceResponse, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[TopicProduceResponse] = []
        responses_count = n
        for _ in range(responses_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            responses_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("PartitionResponses", n, pos, end)
            responses_partition_responses: list[PartitionProduceResponse] = []
            responses_partition_responses_count = n
            for _ in range(responses_partition_responses_count):
                responses_partition_responses_index, responses_partition_responses_error_code, responses_partition_responses_base_offset, responses_partition_responses_log_append_time_ms, responses_partition_responses_log_start_offset = _read_ihqqq(buf, pos)
                pos += 30
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("RecordErrors", n, pos, end)
                responses_partition_responses_record_errors: list[BatchIndexAndErrorMessage] = []
                responses_partition_responses_record_errors_count = n
                for _ in range(responses_partition_responses_record_errors_count):
                    responses_partition_responses_record_errors_batch_index, = _read_i(buf, pos)
                    pos += 4
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "BatchIndexErrorMessage")
                    responses_partition_responses_record_errors_batch_index_error_message: str | None = None
                    if n >= 0:
                        responses_partition_responses_record_errors_batch_index_error_message = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    responses_partition_responses_record_errors.append(BatchIndexAndErrorMessage(responses_partition_responses_record_errors_batch_index, responses_partition_responses_record_errors_batch_index_error_message))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
                responses_partition_responses_error_message: str | None = None
                if n >= 0:
                    responses_partition_responses_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                responses_partition_responses.append(PartitionProduceResponse(responses_partition_responses_index, responses_partition_responses_error_code, responses_partition_responses_base_offset, responses_partition_responses_log_append_time_ms, responses_partition_responses_log_start_offset, responses_partition_responses_record_errors, responses_partition_responses_error_message))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(TopicProduceResponse(responses_name, ZERO_UUID, responses_partition_responses))
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = ProduceResponse(responses, throttle_time_ms)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_produce_response_v9(out: bytearray, m: ProduceResponse) -> None:
    try:
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            text = responses_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            responses_partition_responses = responses_item.partition_responses
            n = len(responses_partition_responses) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partition_responses_item in responses_partition_responses:
                out += _write_ihqqq(responses_partition_responses_item.index, responses_partition_responses_item.error_code, responses_partition_responses_item.base_offset, responses_partition_responses_item.log_append_time_ms, responses_partition_responses_item.log_start_offset)
                responses_partition_responses_record_errors = responses_partition_responses_item.record_errors
                n = len(responses_partition_responses_record_errors) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for responses_partition_responses_record_errors_item in responses_partition_responses_record_errors:
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
                            write_text_length(out, n, "BatchIndexErrorMessage")
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
                        write_text_length(out, n, "ErrorMessage")
                    out += text
                out.append(0)
            out.append(0)
        out += _write_i(m.throttle_time_ms)
        out.append(0)
    except UNFIT as error:
        raise unfit("ProduceResponse", error) from error


def decode_produce_response_v10_v12(buf: bytes, pos: int, end: int) -> tuple[ProduceResponse, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[TopicProduceResponse] = []
        responses_count = n
        for _ in range(responses_count):
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_text_length(buf, pos - 1, "Name")
            if n < 0:
                raise null("Name")
            responses_name = buf[pos : pos + n].decode("utf-8", "java")
            pos += n
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("PartitionResponses", n, pos, end)
            responses_partition_responses: list[PartitionProduceResponse] = []
            responses_partition_responses_count = n
            for _ in range(responses_partition_responses_count):
                responses_partition_responses_index, responses_partition_responses_error_code, responses_partition_responses_base_offset, responses_partition_responses_log_append_time_ms, responses_partition_responses_log_start_offset = _read_ihqqq(buf, pos)
                pos += 30
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("RecordErrors", n, pos, end)
                responses_partition_responses_record_errors: list[BatchIndexAndErrorMessage] = []
                responses_partition_responses_record_errors_count = n
                for _ in range(responses_partition_responses_record_errors_count):
                    responses_partition_responses_record_errors_batch_index, = _read_i(buf, pos)
                    pos += 4
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "BatchIndexErrorMessage")
                    responses_partition_responses_record_errors_batch_index_error_message: str | None = None
                    if n >= 0:
                        responses_partition_responses_record_errors_batch_index_error_message = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    responses_partition_responses_record_errors.append(BatchIndexAndErrorMessage(responses_partition_responses_record_errors_batch_index, responses_partition_responses_record_errors_batch_index_error_message))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
                responses_partition_responses_error_message: str | None = None
                if n >= 0:
                    responses_partition_responses_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                responses_partition_responses_current_leader: LeaderIdAndEpoch | None = None
                responses_partition_responses_tag_count = buf[pos]
                pos += 1
                if responses_partition_responses_tag_count:
                    responses_partition_responses_tag_count, pos = read_tag_count(buf, pos - 1, end)
                    for _ in range(responses_partition_responses_tag_count):
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            responses_partition_responses_current_leader_leader_id, responses_partition_responses_current_leader_leader_epoch = _read_ii(buf, pos)
                            pos += 8
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            responses_partition_responses_current_leader = LeaderIdAndEpoch(responses_partition_responses_current_leader_leader_id, responses_partition_responses_current_leader_leader_epoch)
                        else:
                            pos = skip_tag(buf, pos, end)
                responses_partition_responses.append(PartitionProduceResponse(responses_partition_responses_index, responses_partition_responses_error_code, responses_partition_responses_base_offset, responses_partition_responses_log_append_time_ms, responses_partition_responses_log_start_offset, responses_partition_responses_record_errors, responses_partition_responses_error_message, responses_partition_responses_current_leader))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(TopicProduceResponse(responses_name, ZERO_UUID, responses_partition_responses))
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        node_endpoints: list[NodeEndpoint] = []
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("NodeEndpoints", n, pos, end)
                    node_endpoints = []
                    node_endpoints_count = n
                    for _ in range(node_endpoints_count):
                        node_endpoints_node_id, = _read_i(buf, pos)
                        pos += 4
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Host")
                        if n < 0:
                            raise null("Host")
                        node_endpoints_host = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        node_endpoints_port, = _read_i(buf, pos)
                        pos += 4
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Rack")
                        node_endpoints_rack: str | None = None
                        if n >= 0:
                            node_endpoints_rack = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                        node_endpoints.append(NodeEndpoint(node_endpoints_node_id, node_endpoints_host, node_endpoints_port, node_endpoints_rack))
                else:
                    pos = skip_tag(buf, pos, end)
        message = ProduceResponse(responses, throttle_time_ms, node_endpoints)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_produce_response_v10_v12(out: bytearray, m: ProduceResponse) -> None:
    try:
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            text = responses_item.name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                write_text_length(out, n, "Name")
            out += text
            responses_partition_responses = responses_item.partition_responses
            n = len(responses_partition_responses) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partition_responses_item in responses_partition_responses:
                out += _write_ihqqq(responses_partition_responses_item.index, responses_partition_responses_item.error_code, responses_partition_responses_item.base_offset, responses_partition_responses_item.log_append_time_ms, responses_partition_responses_item.log_start_offset)
                responses_partition_responses_record_errors = responses_partition_responses_item.record_errors
                n = len(responses_partition_responses_record_errors) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for responses_partition_responses_record_errors_item in responses_partition_responses_record_errors:
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
                            write_text_length(out, n, "BatchIndexErrorMessage")
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
                        write_text_length(out, n, "ErrorMessage")
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
                out += _write_i(node_endpoints_item.node_id)
                text = node_endpoints_item.host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Host")
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
                        write_text_length(out, n, "Rack")
                    out += text
                out.append(0)
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("ProduceResponse", error) from error


def decode_produce_response_v13(buf: bytes, pos: int, end: int) -> tuple[ProduceResponse, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Responses", n, pos, end)
        responses: list[TopicProduceResponse] = []
        responses_count = n
        for _ in range(responses_count):
            responses_topic_id, = _read_u(buf, pos)
            pos += 16
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("PartitionResponses", n, pos, end)
            responses_partition_responses: list[PartitionProduceResponse] = []
            responses_partition_responses_count = n
            for _ in range(responses_partition_responses_count):
                responses_partition_responses_index, responses_partition_responses_error_code, responses_partition_responses_base_offset, responses_partition_responses_log_append_time_ms, responses_partition_responses_log_start_offset = _read_ihqqq(buf, pos)
                pos += 30
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("RecordErrors", n, pos, end)
                responses_partition_responses_record_errors: list[BatchIndexAndErrorMessage] = []
                responses_partition_responses_record_errors_count = n
                for _ in range(responses_partition_responses_record_errors_count):
                    responses_partition_responses_record_errors_batch_index, = _read_i(buf, pos)
                    pos += 4
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_text_length(buf, pos - 1, "BatchIndexErrorMessage")
                    responses_partition_responses_record_errors_batch_index_error_message: str | None = None
                    if n >= 0:
                        responses_partition_responses_record_errors_batch_index_error_message = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    responses_partition_responses_record_errors.append(BatchIndexAndErrorMessage(responses_partition_responses_record_errors_batch_index, responses_partition_responses_record_errors_batch_index_error_message))
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "ErrorMessage")
                responses_partition_responses_error_message: str | None = None
                if n >= 0:
                    responses_partition_responses_error_message = buf[pos : pos + n].decode("utf-8", "java")
                    pos += n
                responses_partition_responses_current_leader: LeaderIdAndEpoch | None = None
                responses_partition_responses_tag_count = buf[pos]
                pos += 1
                if responses_partition_responses_tag_count:
                    responses_partition_responses_tag_count, pos = read_tag_count(buf, pos - 1, end)
                    for _ in range(responses_partition_responses_tag_count):
                        tag, pos = read_uvarint(buf, pos)
                        if tag == 0:
                            _, pos = read_uvarint(buf, pos)
                            responses_partition_responses_current_leader_leader_id, responses_partition_responses_current_leader_leader_epoch = _read_ii(buf, pos)
                            pos += 8
                            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                            responses_partition_responses_current_leader = LeaderIdAndEpoch(responses_partition_responses_current_leader_leader_id, responses_partition_responses_current_leader_leader_epoch)
                        else:
                            pos = skip_tag(buf, pos, end)
                responses_partition_responses.append(PartitionProduceResponse(responses_partition_responses_index, responses_partition_responses_error_code, responses_partition_responses_base_offset, responses_partition_responses_log_append_time_ms, responses_partition_responses_log_start_offset, responses_partition_responses_record_errors, responses_partition_responses_error_message, responses_partition_responses_current_leader))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            responses.append(TopicProduceResponse("", responses_topic_id, responses_partition_responses))
        throttle_time_ms, = _read_i(buf, pos)
        pos += 4
        node_endpoints: list[NodeEndpoint] = []
        tag_count = buf[pos]
        pos += 1
        if tag_count:
            tag_count, pos = read_tag_count(buf, pos - 1, end)
            for _ in range(tag_count):
                tag, pos = read_uvarint(buf, pos)
                if tag == 0:
                    _, pos = read_uvarint(buf, pos)
                    n = buf[pos] - 1
                    pos += 1
                    if n > 126:
                        n, pos = read_length(buf, pos - 1)
                    if not 0 <= n <= end - pos:
                        raise wrong_count("NodeEndpoints", n, pos, end)
                    node_endpoints = []
                    node_endpoints_count = n
                    for _ in range(node_endpoints_count):
                        node_endpoints_node_id, = _read_i(buf, pos)
                        pos += 4
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Host")
                        if n < 0:
                            raise null("Host")
                        node_endpoints_host = buf[pos : pos + n].decode("utf-8", "java")
                        pos += n
                        node_endpoints_port, = _read_i(buf, pos)
                        pos += 4
                        n = buf[pos] - 1
                        pos += 1
                        if n > 126:
                            n, pos = read_text_length(buf, pos - 1, "Rack")
                        node_endpoints_rack: str | None = None
                        if n >= 0:
                            node_endpoints_rack = buf[pos : pos + n].decode("utf-8", "java")
                            pos += n
                        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                        node_endpoints.append(NodeEndpoint(node_endpoints_node_id, node_endpoints_host, node_endpoints_port, node_endpoints_rack))
                else:
                    pos = skip_tag(buf, pos, end)
        message = ProduceResponse(responses, throttle_time_ms, node_endpoints)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_produce_response_v13(out: bytearray, m: ProduceResponse) -> None:
    try:
        responses = m.responses
        n = len(responses) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for responses_item in responses:
            out += _write_u(responses_item.topic_id)
            responses_partition_responses = responses_item.partition_responses
            n = len(responses_partition_responses) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for responses_partition_responses_item in responses_partition_responses:
                out += _write_ihqqq(responses_partition_responses_item.index, responses_partition_responses_item.error_code, responses_partition_responses_item.base_offset, responses_partition_responses_item.log_append_time_ms, responses_partition_responses_item.log_start_offset)
                responses_partition_responses_record_errors = responses_partition_responses_item.record_errors
                n = len(responses_partition_responses_record_errors) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for responses_partition_responses_record_errors_item in responses_partition_responses_record_errors:
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
                            write_text_length(out, n, "BatchIndexErrorMessage")
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
                        write_text_length(out, n, "ErrorMessage")
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
                out += _write_i(node_endpoints_item.node_id)
                text = node_endpoints_item.host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Host")
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
                        write_text_length(out, n, "Rack")
                    out += text
                out.append(0)
            tags.append((0, out))
            out = outer
        write_tags(out, tags)
    except UNFIT as error:
        raise unfit("ProduceResponse", error) from error

ProduceResponse.DECODERS = {
    3: decode_produce_response_v3_v4, 4: decode_produce_response_v3_v4,
    5: decode_produce_response_v5_v7, 6: decode_produce_response_v5_v7, 7: decode_produce_response_v5_v7,
    8: decode_produce_response_v8,
    9: decode_produce_response_v9,
    10: decode_produce_response_v10_v12, 11: decode_produce_response_v10_v12,
    12: decode_produce_response_v10_v12,
    13: decode_produce_response_v13,
}

ProduceResponse.ENCODERS = {
    3: encode_produce_response_v3_v4, 4: encode_produce_response_v3_v4,
    5: encode_produce_response_v5_v7, 6: encode_produce_response_v5_v7, 7: encode_produce_response_v5_v7,
    8: encode_produce_response_v8,
    9: encode_produce_response_v9,
    10: encode_produce_response_v10_v12, 11: encode_produce_response_v10_v12,
    12: encode_produce_response_v10_v12,
    13: encode_produce_response_v13,
}

__all__ = [
    "BatchIndexAndErrorMessage", "LeaderIdAndEpoch", "NodeEndpoint", "PartitionProduceData",
    "PartitionProduceResponse", "ProduceRequest", "ProduceResponse", "TopicProduceData",
    "TopicProduceResponse",
]
