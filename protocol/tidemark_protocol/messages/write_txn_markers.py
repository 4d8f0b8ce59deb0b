# Generated from schemas/messages/WriteTxnMarkersRequest.json and schemas/messages/WriteTxnMarkersResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from typing import ClassVar, Final

from msgspec import Struct

from tidemark_protocol.wire import (
    Decoder, Encoder, SHORT, UNBOUNDED, UNFIT, null, past_end, read_length, read_text_length, skip_tags,
    skip_tags_within, too_many, too_short, unfit, write_text_length, write_uvarint, wrong_count,
)

_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_ib = struct.Struct(">ib")
_read_ib = _ib.unpack_from
_write_ib = _ib.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_q = struct.Struct(">q")
_read_q = _q.unpack_from
_write_q = _q.pack
_qhz = struct.Struct(">qh?")
_read_qhz = _qhz.unpack_from
_write_qhz = _qhz.pack


class WritableTxnMarkerTopic(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("PartitionIndexes", "partition_indexes", "[]int32", None),
    )
    name: str = ""
    partition_indexes: list[int] = []


class WritableTxnMarker(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ProducerId", "producer_id", "int64", None),
        ("ProducerEpoch", "producer_epoch", "int16", None),
        ("TransactionResult", "transaction_result", "bool", None),
        ("Topics", "topics", "[]struct", WritableTxnMarkerTopic),
        ("CoordinatorEpoch", "coordinator_epoch", "int32", None),
        ("TransactionVersion", "transaction_version", "int8", None),
    )
    producer_id: int = 0
    producer_epoch: int = 0
    transaction_result: bool = False
    topics: list[WritableTxnMarkerTopic] = []
    coordinator_epoch: int = 0
    transaction_version: int = 0


class WriteTxnMarkersRequest(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Markers", "markers", "[]struct", WritableTxnMarker),
    )
    NAME: ClassVar = "WriteTxnMarkersRequest"
    API_KEY: ClassVar = 27
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 1
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    markers: list[WritableTxnMarker] = []


class WritableTxnMarkerPartitionResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("PartitionIndex", "partition_index", "int32", None),
        ("ErrorCode", "error_code", "int16", None),
    )
    partition_index: int = 0
    error_code: int = 0


class WritableTxnMarkerTopicResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Name", "name", "string", None),
        ("Partitions", "partitions", "[]struct", WritableTxnMarkerPartitionResult),
    )
    name: str = ""
    partitions: list[WritableTxnMarkerPartitionResult] = []


class WritableTxnMarkerResult(Struct, gc=False):
    FIELDS: ClassVar = (
        ("ProducerId", "producer_id", "int64", None),
        ("Topics", "topics", "[]struct", WritableTxnMarkerTopicResult),
    )
    producer_id: int = 0
    topics: list[WritableTxnMarkerTopicResult] = []


class WriteTxnMarkersResponse(Struct, gc=False):
    FIELDS: ClassVar = (
        ("Markers", "markers", "[]struct", WritableTxnMarkerResult),
    )
    NAME: ClassVar = "WriteTxnMarkersResponse"
    API_KEY: ClassVar = 27
    LOWEST: ClassVar = 1
    HIGHEST: ClassVar = 2
    FLEXIBLE_FROM: ClassVar = 1
    DECODERS: ClassVar[dict[int, Decoder]]
    ENCODERS: ClassVar[dict[int, Encoder]]
    markers: list[WritableTxnMarkerResult] = []


def decode_write_txn_markers_request_v1(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[WriteTxnMarkersRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Markers", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        markers: list[WritableTxnMarker] = []
        markers_count = n
        for _ in range(markers_count):
            markers_producer_id, markers_producer_epoch, markers_transaction_result = _read_qhz(buf, pos)
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
            markers_topics: list[WritableTxnMarkerTopic] = []
            markers_topics_count = n
            for _ in range(markers_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                markers_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("PartitionIndexes", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                markers_topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                markers_topics.append(WritableTxnMarkerTopic(markers_topics_name, markers_topics_partition_indexes))
            markers_coordinator_epoch, = _read_i(buf, pos)
            pos += 4
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            markers.append(WritableTxnMarker(markers_producer_id, markers_producer_epoch, markers_transaction_result, markers_topics, markers_coordinator_epoch))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = WriteTxnMarkersRequest(markers)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_write_txn_markers_request_v1(out: bytearray, m: WriteTxnMarkersRequest) -> None:
    try:
        markers = m.markers
        n = len(markers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for markers_item in markers:
            out += _write_qhz(markers_item.producer_id, markers_item.producer_epoch, markers_item.transaction_result)
            markers_topics = markers_item.topics
            n = len(markers_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for markers_topics_item in markers_topics:
                text = markers_topics_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                markers_topics_partition_indexes = markers_topics_item.partition_indexes
                n = len(markers_topics_partition_indexes) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(markers_topics_partition_indexes)}i", *markers_topics_partition_indexes)
                out.append(0)
            out += _write_i(markers_item.coordinator_epoch)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("WriteTxnMarkersRequest", error) from error


def decode_write_txn_markers_request_v2(buf: bytes, pos: int, end: int, left: int = UNBOUNDED) -> tuple[WriteTxnMarkersRequest, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Markers", n, pos, end)
        left -= n
        if left < 0:
            raise too_many()
        markers: list[WritableTxnMarker] = []
        markers_count = n
        for _ in range(markers_count):
            markers_producer_id, markers_producer_epoch, markers_transaction_result = _read_qhz(buf, pos)
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
            markers_topics: list[WritableTxnMarkerTopic] = []
            markers_topics_count = n
            for _ in range(markers_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                markers_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("PartitionIndexes", n, pos, end)
                left -= n
                if left < 0:
                    raise too_many()
                markers_topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos, left = skip_tags_within(buf, pos, end, left)
                else:
                    pos += 1
                markers_topics.append(WritableTxnMarkerTopic(markers_topics_name, markers_topics_partition_indexes))
            markers_coordinator_epoch, markers_transaction_version = _read_ib(buf, pos)
            pos += 5
            if buf[pos]:
                pos, left = skip_tags_within(buf, pos, end, left)
            else:
                pos += 1
            markers.append(WritableTxnMarker(markers_producer_id, markers_producer_epoch, markers_transaction_result, markers_topics, markers_coordinator_epoch, markers_transaction_version))
        if buf[pos]:
            pos, left = skip_tags_within(buf, pos, end, left)
        else:
            pos += 1
        message = WriteTxnMarkersRequest(markers)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_write_txn_markers_request_v2(out: bytearray, m: WriteTxnMarkersRequest) -> None:
    try:
        markers = m.markers
        n = len(markers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for markers_item in markers:
            out += _write_qhz(markers_item.producer_id, markers_item.producer_epoch, markers_item.transaction_result)
            markers_topics = markers_item.topics
            n = len(markers_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for markers_topics_item in markers_topics:
                text = markers_topics_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                markers_topics_partition_indexes = markers_topics_item.partition_indexes
                n = len(markers_topics_partition_indexes) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                out += struct.pack(f">{len(markers_topics_partition_indexes)}i", *markers_topics_partition_indexes)
                out.append(0)
            out += _write_ib(markers_item.coordinator_epoch, markers_item.transaction_version)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("WriteTxnMarkersRequest", error) from error

WriteTxnMarkersRequest.DECODERS = {
    1: decode_write_txn_markers_request_v1,
    2: decode_write_txn_markers_request_v2,
}

WriteTxnMarkersRequest.ENCODERS = {
    1: encode_write_txn_markers_request_v1,
    2: encode_write_txn_markers_request_v2,
}



def decode_write_txn_markers_response_v1_v2(buf: bytes, pos: int, end: int) -> tuple[WriteTxnMarkersResponse, int]:
    try:
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_length(buf, pos - 1)
        if not 0 <= n <= end - pos:
            raise wrong_count("Markers", n, pos, end)
        markers: list[WritableTxnMarkerResult] = []
        markers_count = n
        for _ in range(markers_count):
            markers_producer_id, = _read_q(buf, pos)
            pos += 8
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_length(buf, pos - 1)
            if not 0 <= n <= end - pos:
                raise wrong_count("Topics", n, pos, end)
            markers_topics: list[WritableTxnMarkerTopicResult] = []
            markers_topics_count = n
            for _ in range(markers_topics_count):
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_text_length(buf, pos - 1, "Name")
                if n < 0:
                    raise null("Name")
                markers_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_length(buf, pos - 1)
                if not 0 <= n <= end - pos:
                    raise wrong_count("Partitions", n, pos, end)
                markers_topics_partitions: list[WritableTxnMarkerPartitionResult] = []
                markers_topics_partitions_count = n
                for _ in range(markers_topics_partitions_count):
                    markers_topics_partitions_partition_index, markers_topics_partitions_error_code = _read_ih(buf, pos)
                    pos += 6
                    pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                    markers_topics_partitions.append(WritableTxnMarkerPartitionResult(markers_topics_partitions_partition_index, markers_topics_partitions_error_code))
                pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
                markers_topics.append(WritableTxnMarkerTopicResult(markers_topics_name, markers_topics_partitions))
            pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
            markers.append(WritableTxnMarkerResult(markers_producer_id, markers_topics))
        pos = skip_tags(buf, pos, end) if buf[pos] else pos + 1
        message = WriteTxnMarkersResponse(markers)
    except SHORT as error:
        raise too_short(error) from None
    if pos > end:
        raise past_end(pos, end)
    return message, pos


def encode_write_txn_markers_response_v1_v2(out: bytearray, m: WriteTxnMarkersResponse) -> None:
    try:
        markers = m.markers
        n = len(markers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for markers_item in markers:
            out += _write_q(markers_item.producer_id)
            markers_topics = markers_item.topics
            n = len(markers_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for markers_topics_item in markers_topics:
                text = markers_topics_item.name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_text_length(out, n, "Name")
                out += text
                markers_topics_partitions = markers_topics_item.partitions
                n = len(markers_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for markers_topics_partitions_item in markers_topics_partitions:
                    out += _write_ih(markers_topics_partitions_item.partition_index, markers_topics_partitions_item.error_code)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("WriteTxnMarkersResponse", error) from error

WriteTxnMarkersResponse.DECODERS = {
    1: decode_write_txn_markers_response_v1_v2, 2: decode_write_txn_markers_response_v1_v2,
}

WriteTxnMarkersResponse.ENCODERS = {
    1: encode_write_txn_markers_response_v1_v2, 2: encode_write_txn_markers_response_v1_v2,
}

__all__ = [
    "WritableTxnMarker", "WritableTxnMarkerPartitionResult", "WritableTxnMarkerResult",
    "WritableTxnMarkerTopic", "WritableTxnMarkerTopicResult", "WriteTxnMarkersRequest",
    "WriteTxnMarkersResponse",
]
