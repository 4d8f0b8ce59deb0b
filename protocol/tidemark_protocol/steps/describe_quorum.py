# Generated from schemas/messages/DescribeQuorumRequest.json and schemas/messages/DescribeQuorumResponse.json. Edit that, then run make generate.

from __future__ import annotations

import struct
from collections.abc import Generator
from typing import Final

from tidemark_protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequestPartitionData,
    DescribeQuorumRequestTopicData,
    DescribeQuorumResponse,
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

_H = struct.Struct(">H")
_read_H = _H.unpack_from
_write_H = _H.pack
_h = struct.Struct(">h")
_read_h = _h.unpack_from
_write_h = _h.pack
_i = struct.Struct(">i")
_read_i = _i.unpack_from
_write_i = _i.pack
_iuqqq = struct.Struct(">i16sqqq")
_read_iuqqq = _iuqqq.unpack_from
_write_iuqqq = _iuqqq.pack
_ih = struct.Struct(">ih")
_read_ih = _ih.unpack_from
_write_ih = _ih.pack
_ihiiq = struct.Struct(">ihiiq")
_read_ihiiq = _ihiiq.unpack_from
_write_ihiiq = _ihiiq.pack
_iiq = struct.Struct(">iiq")
_read_iiq = _iiq.unpack_from
_write_iiq = _iiq.pack
_iq = struct.Struct(">iq")
_read_iq = _iq.unpack_from
_write_iq = _iq.pack
_iqqq = struct.Struct(">iqqq")
_read_iqqq = _iqqq.unpack_from
_write_iqqq = _iqqq.pack


def decode_describe_quorum_request_v0_v2(buf: bytes, pos: int, end: int) -> Generator[int, None, tuple[DescribeQuorumRequest, int]]:
    try:
        yield 1
        n = buf[pos] - 1
        pos += 1
        if n > 126:
            n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n < 0:
            raise null("Topics")
        if n > end - pos:
            check_count(n, pos, end)
        topics: list[DescribeQuorumRequestTopicData] = []
        topics_count = n
        for _ in range(topics_count):
            yield 1
            n = buf[pos] - 1
            pos += 1
            if n > 126:
                n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n > TEXT_MAX:
                    raise too_long("TopicName", n)
            if n < 0:
                raise null("TopicName")
            topics_topic_name = buf[pos : pos + n].decode("utf-8", "java")
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
            topics_partitions: list[DescribeQuorumRequestPartitionData] = []
            topics_partitions_count = n
            for _ in range(topics_partitions_count):
                yield 1
                topics_partitions_partition_index, = _read_i(buf, pos)
                pos += 4
                if buf[pos]:
                    pos = yield from skip_tags_in_steps(buf, pos, end)
                else:
                    pos += 1
                topics_partitions.append(DescribeQuorumRequestPartitionData(topics_partitions_partition_index))
            if buf[pos]:
                pos = yield from skip_tags_in_steps(buf, pos, end)
            else:
                pos += 1
            topics.append(DescribeQuorumRequestTopicData(topics_topic_name, topics_partitions))
        if buf[pos]:
            pos = yield from skip_tags_in_steps(buf, pos, end)
        else:
            pos += 1
        message = DescribeQuorumRequest(topics)
    except SHORT as error:
        raise too_short(error) from None
    check_end(pos, end)
    return message, pos


def encode_describe_quorum_response_v0(out: bytearray, m: DescribeQuorumResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            yield 1
            topics_topic_name = topics_item.topic_name
            text = topics_topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TopicName", n - 1)
                write_uvarint(out, n)
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_ihiiq(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch, topics_partitions_item.high_watermark)
                topics_partitions_current_voters = topics_partitions_item.current_voters
                n = len(topics_partitions_current_voters) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_current_voters_item in topics_partitions_current_voters:
                    yield 1
                    out += _write_iq(topics_partitions_current_voters_item.replica_id, topics_partitions_current_voters_item.log_end_offset)
                    out.append(0)
                topics_partitions_observers = topics_partitions_item.observers
                n = len(topics_partitions_observers) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_observers_item in topics_partitions_observers:
                    yield 1
                    out += _write_iq(topics_partitions_observers_item.replica_id, topics_partitions_observers_item.log_end_offset)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeQuorumResponse", error) from error


def encode_describe_quorum_response_v1(out: bytearray, m: DescribeQuorumResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            yield 1
            topics_topic_name = topics_item.topic_name
            text = topics_topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TopicName", n - 1)
                write_uvarint(out, n)
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_ihiiq(topics_partitions_item.partition_index, topics_partitions_item.error_code, topics_partitions_item.leader_id, topics_partitions_item.leader_epoch, topics_partitions_item.high_watermark)
                topics_partitions_current_voters = topics_partitions_item.current_voters
                n = len(topics_partitions_current_voters) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_current_voters_item in topics_partitions_current_voters:
                    yield 1
                    out += _write_iqqq(topics_partitions_current_voters_item.replica_id, topics_partitions_current_voters_item.log_end_offset, topics_partitions_current_voters_item.last_fetch_timestamp, topics_partitions_current_voters_item.last_caught_up_timestamp)
                    out.append(0)
                topics_partitions_observers = topics_partitions_item.observers
                n = len(topics_partitions_observers) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_observers_item in topics_partitions_observers:
                    yield 1
                    out += _write_iqqq(topics_partitions_observers_item.replica_id, topics_partitions_observers_item.log_end_offset, topics_partitions_observers_item.last_fetch_timestamp, topics_partitions_observers_item.last_caught_up_timestamp)
                    out.append(0)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeQuorumResponse", error) from error


def encode_describe_quorum_response_v2(out: bytearray, m: DescribeQuorumResponse) -> Generator[int, None, None]:
    try:
        yield 1
        out += _write_h(m.error_code)
        error_message = m.error_message
        if error_message is None:
            out.append(0)
        else:
            text = error_message.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("ErrorMessage", n - 1)
                write_uvarint(out, n)
            out += text
        topics = m.topics
        n = len(topics) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for topics_item in topics:
            yield 1
            topics_topic_name = topics_item.topic_name
            text = topics_topic_name.encode()
            n = len(text) + 1
            if n < 128:
                out.append(n)
            else:
                if n > TEXT_MAX + 1:
                    raise too_long("TopicName", n - 1)
                write_uvarint(out, n)
            out += text
            topics_partitions = topics_item.partitions
            n = len(topics_partitions) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for topics_partitions_item in topics_partitions:
                yield 1
                out += _write_ih(topics_partitions_item.partition_index, topics_partitions_item.error_code)
                topics_partitions_error_message = topics_partitions_item.error_message
                if topics_partitions_error_message is None:
                    out.append(0)
                else:
                    text = topics_partitions_error_message.encode()
                    n = len(text) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        if n > TEXT_MAX + 1:
                            raise too_long("ErrorMessage", n - 1)
                        write_uvarint(out, n)
                    out += text
                out += _write_iiq(topics_partitions_item.leader_id, topics_partitions_item.leader_epoch, topics_partitions_item.high_watermark)
                topics_partitions_current_voters = topics_partitions_item.current_voters
                n = len(topics_partitions_current_voters) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_current_voters_item in topics_partitions_current_voters:
                    yield 1
                    out += _write_iuqqq(topics_partitions_current_voters_item.replica_id, topics_partitions_current_voters_item.replica_directory_id, topics_partitions_current_voters_item.log_end_offset, topics_partitions_current_voters_item.last_fetch_timestamp, topics_partitions_current_voters_item.last_caught_up_timestamp)
                    out.append(0)
                topics_partitions_observers = topics_partitions_item.observers
                n = len(topics_partitions_observers) + 1
                if n < 128:
                    out.append(n)
                else:
                    write_uvarint(out, n)
                for topics_partitions_observers_item in topics_partitions_observers:
                    yield 1
                    out += _write_iuqqq(topics_partitions_observers_item.replica_id, topics_partitions_observers_item.replica_directory_id, topics_partitions_observers_item.log_end_offset, topics_partitions_observers_item.last_fetch_timestamp, topics_partitions_observers_item.last_caught_up_timestamp)
                    out.append(0)
                out.append(0)
            out.append(0)
        nodes = m.nodes
        n = len(nodes) + 1
        if n < 128:
            out.append(n)
        else:
            write_uvarint(out, n)
        for nodes_item in nodes:
            yield 1
            out += _write_i(nodes_item.node_id)
            nodes_listeners = nodes_item.listeners
            n = len(nodes_listeners) + 1
            if n < 128:
                out.append(n)
            else:
                write_uvarint(out, n)
            for nodes_listeners_item in nodes_listeners:
                yield 1
                nodes_listeners_name = nodes_listeners_item.name
                text = nodes_listeners_name.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Name", n - 1)
                    write_uvarint(out, n)
                out += text
                nodes_listeners_host = nodes_listeners_item.host
                text = nodes_listeners_host.encode()
                n = len(text) + 1
                if n < 128:
                    out.append(n)
                else:
                    if n > TEXT_MAX + 1:
                        raise too_long("Host", n - 1)
                    write_uvarint(out, n)
                out += text
                out += _write_H(nodes_listeners_item.port)
                out.append(0)
            out.append(0)
        out.append(0)
    except UNFIT as error:
        raise unfit("DescribeQuorumResponse", error) from error


DECODERS: Final[dict[int, StepDecoder]] = {
    0: decode_describe_quorum_request_v0_v2,
    1: decode_describe_quorum_request_v0_v2,
    2: decode_describe_quorum_request_v0_v2,
}

ENCODERS: Final[dict[int, StepEncoder]] = {
    0: encode_describe_quorum_response_v0,
    1: encode_describe_quorum_response_v1,
    2: encode_describe_quorum_response_v2,
}

__all__ = ["DECODERS", "ENCODERS"]
