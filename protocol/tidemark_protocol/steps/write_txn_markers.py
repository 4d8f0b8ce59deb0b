# Generated from schemas/messages/WriteTxnMarkersRequest.json and schemas/messages/WriteTxnMarkersResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
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


def decode_write_txn_markers_request_v1(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[WriteTxnMarkersRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Markers")
        if n > end - pos:
            check_count(n, pos, end)
        markers: list[WritableTxnMarker] = []
        markers_count = n
        for _ in range(markers_count):
            yield 1
            markers_producer_id, markers_producer_epoch, markers_transaction_result = _read_qhz(buf, pos)
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
            markers_topics: list[WritableTxnMarkerTopic] = []
            markers_topics_count = n
            for _ in range(markers_topics_count):
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
                markers_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                if n < 0:
                    raise null("PartitionIndexes")
                if n > end - pos:
                    check_count(n, pos, end)
                yield n
                markers_topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                markers_topics.append(WritableTxnMarkerTopic(markers_topics_name, markers_topics_partition_indexes))
            markers_coordinator_epoch, = _read_i(buf, pos)
            pos += 4
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            markers.append(WritableTxnMarker(markers_producer_id, markers_producer_epoch, markers_transaction_result, markers_topics, markers_coordinator_epoch))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = WriteTxnMarkersRequest(markers)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def decode_write_txn_markers_request_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[WriteTxnMarkersRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Markers")
        if n > end - pos:
            check_count(n, pos, end)
        markers: list[WritableTxnMarker] = []
        markers_count = n
        for _ in range(markers_count):
            yield 1
            markers_producer_id, markers_producer_epoch, markers_transaction_result = _read_qhz(buf, pos)
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
            markers_topics: list[WritableTxnMarkerTopic] = []
            markers_topics_count = n
            for _ in range(markers_topics_count):
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
                markers_topics_name = buf[pos : pos + n].decode("utf-8", "java")
                pos += n
                n = buf[pos] - 1
                pos += 1
                if n > 126:
                    n, pos = read_uvarint(buf, pos - 1)
                    n -= 1
                if n < 0:
                    raise null("PartitionIndexes")
                if n > end - pos:
                    check_count(n, pos, end)
                yield n
                markers_topics_partition_indexes: list[int] = list(struct.unpack_from(f">{n}i", buf, pos))
                pos += 4 * n
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                markers_topics.append(WritableTxnMarkerTopic(markers_topics_name, markers_topics_partition_indexes))
            markers_coordinator_epoch, markers_transaction_version = _read_ib(buf, pos)
            pos += 5
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            markers.append(WritableTxnMarker(markers_producer_id, markers_producer_epoch, markers_transaction_result, markers_topics, markers_coordinator_epoch, markers_transaction_version))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = WriteTxnMarkersRequest(markers)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_write_txn_markers_response_v1_v2(out: bytearray, m: WriteTxnMarkersResponse) -> Generator[int, None, None]:
    try:
        yield 1
        markers = m.markers
        n = len(markers) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for markers_item in markers:
            yield 1
            out += _write_q(markers_item.producer_id)
            markers_topics = markers_item.topics
            n = len(markers_topics) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for markers_topics_item in markers_topics:
                yield 1
                markers_topics_name = markers_topics_item.name
                text = markers_topics_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Name", n - 1)
                    write_uvarint(out, n)
                out += text
                markers_topics_partitions = markers_topics_item.partitions
                n = len(markers_topics_partitions) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for markers_topics_partitions_item in markers_topics_partitions:
                    yield 1
                    out += _write_ih(markers_topics_partitions_item.partition_index, markers_topics_partitions_item.error_code)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("WriteTxnMarkersResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    1: decode_write_txn_markers_request_v1,
    2: decode_write_txn_markers_request_v2,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    1: encode_write_txn_markers_response_v1_v2,
    2: encode_write_txn_markers_response_v1_v2,
}

__all__ = ["DECODERS", "ENCODERS"]
