"""Every message and version is compared with bytes that Kafka reads and writes."""

from __future__ import annotations

import math
from typing import Any

import pytest

import tidemark_protocol
import tidemark_protocol.index
from tests.unit.protocol.golden import (
    Line,
    body,
    has_unknown_tags,
    only_fields_of,
    vectors,
    without_unknown_tags,
)
from tests.unit.protocol.not_in_kafka import DRAFTED, NOT_RELEASED, REMOVED
from tidemark_protocol import stored
from tidemark_protocol.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatResponse,
    ConsumerGroupHeartbeatResponseTopicPartitions,
)
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tidemark_protocol.records.consumer_group_metadata import ConsumerGroupMetadataValue
from tidemark_protocol.wire import read_uvarint

VECTORS = vectors()
COORDINATOR = {
    f"{stem}{end}": key_type for key_type, (_, stem) in stored.COORDINATOR.items() for end in ("Key", "Value")
}


def name(line: Line) -> str:
    return f"{line['message']} v{line['version']} {line['case']}"


def no_nan(value: Any) -> Any:
    """Return the value with NaN as text, because NaN is not equal to itself."""
    if isinstance(value, dict):
        return {key: no_nan(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [no_nan(inner) for inner in value]
    return "NaN" if isinstance(value, float) and math.isnan(value) else value


@pytest.mark.parametrize("message", VECTORS)
def test_decoding_returns_every_field(message: str) -> None:
    for line in VECTORS[message]:
        expected = without_unknown_tags(line["value"])
        decoded = tidemark_protocol.to_dict(tidemark_protocol.decode(message, line["version"], body(line)))
        assert no_nan(only_fields_of(expected, decoded)) == no_nan(expected), name(line)


@pytest.mark.parametrize("message", VECTORS)
def test_encoding_returns_the_bytes(message: str) -> None:
    for line in VECTORS[message]:
        value = tidemark_protocol.from_dict(message, without_unknown_tags(line["value"]))
        encoded = tidemark_protocol.encode(message, line["version"], value)
        if has_unknown_tags(line["value"]):
            assert tidemark_protocol.decode(message, line["version"], encoded) == value, name(line)
        else:
            assert encoded.hex() == body(line).hex(), name(line)


@pytest.mark.parametrize("message", VECTORS)
def test_message_is_read_at_its_position_in_a_buffer(message: str) -> None:
    decoders = tidemark_protocol.message_class(message).DECODERS
    for line in VECTORS[message]:
        data = body(line)
        decoded, pos = decoders[line["version"]](b"\xff\xff" + data + b"\xff\xff\xff", 2, 2 + len(data))
        assert pos == 2 + len(data), name(line)
        assert decoded == tidemark_protocol.decode(message, line["version"], data) or "NaN" in str(
            no_nan(line["value"])
        ), name(line)


def test_every_message_and_version_has_a_vector() -> None:
    claimed = {
        (message, version)
        for message in tidemark_protocol.index.MODULES
        for version in tidemark_protocol.message_class(message).DECODERS
    }
    shown = {(line["message"], line["version"]) for lines in VECTORS.values() for line in lines}
    assert claimed - shown == REMOVED | NOT_RELEASED - DRAFTED  # tests of their own are below
    assert shown - claimed == set()


def test_heartbeat_v2_has_the_new_partitions_as_tag_0_of_each_topic() -> None:
    head = "00000000" + "0000" + "00" + "00" + "00000002" + "00001388"
    topic_id, partitions = "0b" * 16, "03" + "00000000" + "00000001"
    new = "01" + "00" + "05" + "02" + "00000001"
    data = bytes.fromhex(head + "01" + "02" + topic_id + partitions + new + "00" + "00")
    response = tidemark_protocol.decode("ConsumerGroupHeartbeatResponse", 2, data)
    assigned = ConsumerGroupHeartbeatResponseTopicPartitions(bytes.fromhex(topic_id), [0, 1], [1])
    assert response == ConsumerGroupHeartbeatResponse(
        member_epoch=2, heartbeat_interval_ms=5000, assignment=Assignment([assigned])
    )
    assert tidemark_protocol.encode("ConsumerGroupHeartbeatResponse", 2, response) == data
    without = bytes.fromhex(head + "01" + "02" + topic_id + partitions + "00" + "00" + "00")
    assert tidemark_protocol.encode("ConsumerGroupHeartbeatResponse", 1, response) == without


def test_creation_time_of_a_consumer_group_is_tag_1_of_its_record() -> None:
    data = bytes.fromhex("00000002" + "01" + "01" + "08" + "0000000000000400")
    value = tidemark_protocol.decode("ConsumerGroupMetadataValue", 0, data)
    assert value == ConsumerGroupMetadataValue(2, 0, 1024)
    assert tidemark_protocol.encode("ConsumerGroupMetadataValue", 0, value) == data


def test_offset_commit_v0_has_the_group_and_its_offsets() -> None:
    data = bytes.fromhex(
        "0001 67" + "00000001" + "0002 7473" + "00000001" + "00000003" + "000000000000002a" + "0001 6d"
    )
    request = tidemark_protocol.decode("OffsetCommitRequest", 0, data)
    assert request == OffsetCommitRequest(
        "g",
        topics=[
            OffsetCommitRequestTopic(
                "ts", partitions=[OffsetCommitRequestPartition(3, 42, committed_metadata="m")]
            )
        ],
    )
    assert tidemark_protocol.encode("OffsetCommitRequest", 0, request) == data


def test_offset_commit_v1_adds_generation_member_and_a_timestamp_per_partition() -> None:
    data = bytes.fromhex(
        "0001 67" + "00000005" + "0001 78" + "00000001" + "0002 7473" + "00000001"
        + "00000003" + "000000000000002a" + "0000000000000007" + "ffff"
    )  # fmt: skip
    request = tidemark_protocol.decode("OffsetCommitRequest", 1, data)
    partition = OffsetCommitRequestPartition(3, 42, commit_timestamp=7, committed_metadata=None)
    assert request == OffsetCommitRequest(
        "g", 5, "x", topics=[OffsetCommitRequestTopic("ts", partitions=[partition])]
    )
    assert tidemark_protocol.encode("OffsetCommitRequest", 1, request) == data


@pytest.mark.parametrize("message", [m for m in VECTORS if m in COORDINATOR])
def test_version_precedes_a_coordinator_record(message: str) -> None:
    for line in VECTORS[message]:
        data = bytes.fromhex(line["hex"])
        version = int.from_bytes(data[:2], "big")
        decoded = tidemark_protocol.decode(message, line["version"], body(line))
        if message.endswith("Key"):
            assert version == COORDINATOR[message], name(line)
        else:
            assert version == line["version"], name(line)
            assert stored._decode_value(type(decoded), data) == decoded, name(line)


@pytest.mark.parametrize(
    "message", [m for m in VECTORS if m in COORDINATOR and m.endswith("Key") and "Legacy" not in m]
)
def test_coordinator_keys_are_read_and_written_as_kafka_does(message: str) -> None:
    codec = stored.CoordinatorCodec()
    for line in VECTORS[message]:
        data = bytes.fromhex(line["hex"])
        key, value = stored.decode_coordinator(data, None)
        assert key == tidemark_protocol.decode(message, line["version"], body(line)), name(line)
        assert value is None
        assert codec.encode(key, None) == (data, None), name(line)
        assert codec.encode(key, None) == (data, None), "the kept key is the same"


FRAMED = [m for m, lines in VECTORS.items() if "framed" in lines[0]]


@pytest.mark.parametrize("message", [m for m in FRAMED if not m.startswith("Remote")])
def test_metadata_records_have_a_frame(message: str) -> None:
    for line in VECTORS[message]:
        framed = bytes.fromhex(line["framed"])
        record = tidemark_protocol.decode(message, line["version"], body(line))
        assert stored.decode_metadata(framed) == record, name(line)
        if not has_unknown_tags(line["value"]):
            assert stored.encode_metadata(record, line["version"]) == framed, name(line)


@pytest.mark.parametrize("message", [m for m in FRAMED if m.startswith("Remote")])
def test_remote_log_records_have_the_same_frame_and_their_own_api_keys(message: str) -> None:
    for line in VECTORS[message]:
        framed = bytes.fromhex(line["framed"])
        numbers = []
        pos = 0
        for _ in range(3):
            number, pos = read_uvarint(framed, pos)
            numbers.append(number)
        assert numbers == [1, tidemark_protocol.message_class(message).API_KEY, line["version"]], name(line)
        assert framed[pos:] == body(line), name(line)
