"""Record batches are compared with bytes that Kafka, kafka-python, aiokafka and kio wrote and read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.protocol.golden import Line, batches
from tidemark_protocol.batch import (
    APPEND_TIME,
    CONTROL,
    HEADER_BYTES,
    TRANSACTIONAL,
    BatchBuilder,
    BatchError,
    BatchHeader,
    ControlType,
    LogRecord,
    build_batch,
    build_control_batch,
    check_crc,
    control_type,
    headers,
    read_header,
    records,
    set_offset_and_epoch,
    set_timestamps,
    varint,
    varlong,
    zigzag_varint,
)
from tidemark_protocol.compression import Codec

LINES = batches()
GOOD = [line for line in LINES if line["valid"]]
BROKEN_INSIDE = [line for line in LINES if line.get("stage") in ("crc", "header", "records")]


def named(lines: list[Line]) -> dict[str, Any]:
    return {"argvalues": lines, "ids": [line["name"] for line in lines]}


def described(header: BatchHeader) -> dict[str, Any]:
    return {
        "base_offset": header.base_offset,
        "length": header.length,
        "partition_leader_epoch": header.leader_epoch,
        "magic": header.magic,
        "crc": header.crc,
        "attributes": header.attributes,
        "compression": Codec(header.compression).name.lower(),
        "timestamp_type": ("create", "append")[header.timestamp_type],
        "transactional": header.is_transactional,
        "control": header.is_control,
        "delete_horizon": header.delete_horizon_ms is not None,
        "last_offset_delta": header.last_offset_delta,
        "base_timestamp": header.base_timestamp,
        "max_timestamp": header.max_timestamp,
        "producer_id": header.producer_id,
        "producer_epoch": header.producer_epoch,
        "base_sequence": header.base_sequence,
        "count": header.count,
    }


def hexed(value: bytes | None) -> str | None:
    return None if value is None else value.hex()


def as_json(record: LogRecord) -> dict[str, Any]:
    return {
        "offset": record.offset,
        "timestamp": record.timestamp,
        "key": hexed(record.key),
        "value": hexed(record.value),
        "headers": [[name, hexed(value)] for name, value in record.headers],
    }


def as_readers_see(batch: Line) -> list[Line]:
    """With append time, the file has each record's stored timestamp, but a reader reports the batch's."""
    if batch["timestamp_type"] == "create":
        return list(batch["records"])
    return [{**record, "timestamp": batch["max_timestamp"]} for record in batch["records"]]


def each_batch(line: Line) -> Iterator[tuple[bytes, int, BatchHeader, Line]]:
    data = bytes.fromhex(line["hex"])
    found = list(headers(data))
    assert len(found) == len(line["batches"])
    for (pos, header), expected in zip(found, line["batches"], strict=True):
        yield data, pos, header, expected


def rebuilt(found: list[LogRecord], header: BatchHeader) -> bytes:
    return build_batch(
        found,
        base_offset=header.base_offset,
        next_offset=header.next_offset,
        leader_epoch=header.leader_epoch,
        compression=header.compression,
        attributes=header.attributes & ~0x07,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        base_timestamp=header.base_timestamp,
        max_timestamp=header.max_timestamp,
    )


@pytest.mark.parametrize("line", **named(GOOD))
def test_batch_of_other_writers_is_read(line: Line) -> None:
    for data, pos, header, expected in each_batch(line):
        assert described(header) == {name: value for name, value in expected.items() if name != "records"}
        assert check_crc(data, pos, header)
        assert [as_json(record) for record in records(data, pos, header)] == as_readers_see(expected)


@pytest.mark.parametrize("line", **named(GOOD))
def test_views_and_bytearrays_are_read_like_bytes(line: Line) -> None:
    data = bytes.fromhex(line["hex"])
    expected = [records(data, pos, header) for pos, header in headers(data)]
    for buffer in (bytearray(data), memoryview(data), memoryview(bytearray(b"..." + data))[3:]):
        assert all(check_crc(buffer, pos, header) for pos, header in headers(buffer))
        assert [records(buffer, pos, header) for pos, header in headers(buffer)] == expected


@pytest.mark.parametrize("line", **named(GOOD))
def test_batch_that_was_read_can_be_rebuilt(line: Line) -> None:
    """Uncompressed batches are equal to the byte; compressors differ in their output."""
    for data, pos, header, _ in each_batch(line):
        found = records(data, pos, header)
        again = rebuilt(found, header)
        if not header.compression and not header.timestamp_type:
            assert again == data[pos : pos + header.size]
        header_again = read_header(again)
        assert check_crc(again, 0, header_again)
        assert header_again.size == len(again)
        assert records(again, 0, header_again) == found


@pytest.mark.parametrize("line", **named(BROKEN_INSIDE))
def test_broken_batch_is_detected(line: Line) -> None:
    data = bytes.fromhex(line["hex"])
    header = read_header(data)
    if check_crc(data, 0, header):
        with pytest.raises(BatchError):
            records(data, 0, header)
    else:
        assert line["stage"] == "crc"


def test_reading_stops_before_a_truncated_batch() -> None:
    whole = build_batch([LogRecord(0, 1, b"k", b"v")])
    for cut in range(len(whole)):
        assert [pos for pos, _ in headers(whole + whole[:cut])] == [0]
    assert [pos for pos, _ in headers(whole + whole)] == [0, len(whole)]
    assert [pos for pos, _ in headers(b"xy" + whole + whole, 2, 2 + len(whole))] == [2]


@pytest.mark.parametrize(("position", "value"), [(16, b"\x01"), (8, b"\xff\xff\xff\xff"), (8, b"\0\0\0\x30")])
def test_impossible_header_is_refused(position: int, value: bytes) -> None:
    data = bytearray(build_batch([LogRecord(0, 1, b"k", b"v")]))
    data[position : position + len(value)] = value
    with pytest.raises(BatchError):
        read_header(data)
    with pytest.raises(BatchError):
        read_header(data[: HEADER_BYTES - 1])


SIZES = (0, 1, 31, 32, 63, 64, 127, 128, 4094, 4095, 4096, 8191, 8192, 70_000)


@pytest.mark.parametrize("size", SIZES)
def test_the_journals_builder_writes_what_the_general_one_writes(size: int) -> None:
    pairs: list[tuple[bytes | None, bytes | None]] = [
        (b"k" * size, b"v"),
        (b"k", b"v" * size),
        (b"k" * size, None),
        (None, b"v" * size),
        (None, None),
        (b"", b""),
    ]
    builder = BatchBuilder(1_700_000_000_000)
    for key, value in pairs:
        builder.add(key, value)
    built = builder.build(base_offset=77, leader_epoch=3)
    assert builder.count == len(pairs)
    assert len(builder.out) == len(built)
    assert built == build_batch(
        [LogRecord(77 + i, 1_700_000_000_000, key, value) for i, (key, value) in enumerate(pairs)],
        leader_epoch=3,
        base_sequence=0,
    )


def test_a_batch_may_have_more_records_than_the_builders_tables() -> None:
    builder = BatchBuilder(5)
    for _ in range(20_000):
        builder.add(b"k", b"v")
    built = builder.build()
    assert [record.offset for record in records(built, 0, read_header(built))] == list(range(20_000))


@pytest.mark.parametrize("codec", list(Codec))
def test_the_builder_compresses_what_it_holds(codec: Codec) -> None:
    builder = BatchBuilder(5)
    for _ in range(100):
        builder.add(b"key", b"value")
    built = builder.build(9, compression=codec)
    header = read_header(built)
    assert header.compression == codec
    assert check_crc(built, 0, header)
    assert records(built, 0, header) == [LogRecord(9 + i, 5, b"key", b"value") for i in range(100)]
    assert builder.build(9) == build_batch(records(built, 0, header), base_sequence=0), (
        "building changes nothing"
    )


def test_transaction_marker_equals_kafkas() -> None:
    for name, kind in (
        ("kafka-marker-commit", ControlType.COMMIT),
        ("kafka-marker-abort", ControlType.ABORT),
    ):
        line = next(line for line in GOOD if line["name"] == name)
        data = bytes.fromhex(line["hex"])
        header = read_header(data)
        (marker,) = records(data, 0, header)
        assert control_type(marker.key) == kind
        assert marker.value is not None
        assert header.attributes == CONTROL | TRANSACTIONAL
        assert data == build_control_batch(
            kind,
            marker.value,
            header.max_timestamp,
            base_offset=header.base_offset,
            leader_epoch=header.leader_epoch,
            producer_id=header.producer_id,
            producer_epoch=header.producer_epoch,
        )


@pytest.mark.parametrize(
    "kind", ["leader-change", "snapshot-header", "snapshot-footer", "kraft-version", "voters"]
)
def test_control_records_of_kraft_equal_kafkas(kind: str) -> None:
    line = next(line for line in GOOD if line["name"] == f"kafka-{kind}")
    data = bytes.fromhex(line["hex"])
    header = read_header(data)
    (record,) = records(data, 0, header)
    assert record.value is not None
    assert data == build_control_batch(
        control_type(record.key),
        record.value,
        header.max_timestamp,
        base_offset=header.base_offset,
        leader_epoch=header.leader_epoch,
    )


def test_a_control_record_without_a_type_is_refused() -> None:
    for key in (None, b"", b"\0\0\0"):
        with pytest.raises(BatchError):
            control_type(key)


def test_setting_offset_and_epoch_keeps_the_crc() -> None:
    data = bytearray(b"before" + build_batch([LogRecord(0, 1, b"k", b"v")]))
    crc = read_header(data, 6).crc
    set_offset_and_epoch(data, 6, 2**40, 12)
    header = read_header(data, 6)
    assert (header.base_offset, header.leader_epoch, header.crc) == (2**40, 12, crc)
    assert check_crc(data, 6, header)


def test_append_time_applies_to_every_record() -> None:
    data = bytearray(b"before" + build_batch([LogRecord(0, 1, b"k", b"v"), LogRecord(1, 2, b"k", b"v")]))
    set_timestamps(data, 6, read_header(data, 6), 5_000, append_time=True)
    header = read_header(data, 6)
    assert header.attributes == APPEND_TIME
    assert check_crc(data, 6, header)
    assert [record.timestamp for record in records(data, 6, header)] == [5_000, 5_000]
    set_timestamps(data, 6, header, 2, append_time=False)
    assert data[6:] == build_batch([LogRecord(0, 1, b"k", b"v"), LogRecord(1, 2, b"k", b"v")])


def test_a_small_batch_cannot_fill_the_memory() -> None:
    bomb = build_batch([LogRecord(0, 1, None, bytes(10_000_000))], compression=Codec.ZSTD)
    assert len(bomb) < 1000
    with pytest.raises(BatchError, match="more than 1000000 bytes"):
        records(bomb, 0, read_header(bomb), max_bytes=1_000_000)
    assert len(records(bomb, 0, read_header(bomb))[0].value or b"") == 10_000_000


@pytest.mark.parametrize(("value", "data"), [(0, "00"), (-1, "01"), (1, "02"), (-2, "03"), (64, "8001")])
def test_a_signed_varint_is_zigzag(value: int, data: str) -> None:
    assert zigzag_varint(value) == bytes.fromhex(data)


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_int64_survives_a_round_trip(value: int) -> None:
    data = zigzag_varint(value)
    assert len(data) <= 10
    n, end = varlong(data + b"\xff", 0)
    assert ((n >> 1) ^ -(n & 1), end) == (value, len(data))


@pytest.mark.parametrize(
    ("data", "read", "value"),
    [
        ("ffffffffffffffffff7f", varlong, -(2**63)),
        ("ffffffff7f", varint, -(2**31)),
        ("8280808070", varint, 1),
    ],
)
def test_excess_bits_of_a_varint_are_discarded(data: str, read: Any, value: int) -> None:
    """Kafka 4.3.1's ByteUtils reads these bytes in the same way."""
    n, _ = read(bytes.fromhex(data), 0)
    assert (n >> 1) ^ -(n & 1) == value


def test_a_varlong_that_does_not_end_is_refused() -> None:
    with pytest.raises(BatchError):
        varlong(b"\x80" * 11, 0)


def test_sequences_wrap() -> None:
    line = next(line for line in GOOD if line["name"] == "sequence-wraps")
    header = read_header(bytes.fromhex(line["hex"]))
    assert header.base_sequence + header.last_offset_delta > 2**31 - 1
    assert header.last_sequence == header.base_sequence + header.last_offset_delta - 2**31
    assert read_header(build_batch([LogRecord(0, 1, b"k", b"v")])).last_sequence == -1


content = st.none() | st.binary(max_size=200)
header_lists = st.lists(st.tuples(st.text(st.characters(codec="utf-8"), max_size=20), content), max_size=3)
timestamps = st.integers(-(2**63), 2**63 - 1)  # a delta between two may wrap, as Java's long does
any_records = st.lists(st.tuples(timestamps, content, content, header_lists), min_size=1, max_size=20)


@given(any_records, st.sampled_from(Codec), st.integers(0, 2**62))
@example([(-(2**62), None, None, []), (2**62, None, None, [])], Codec.NONE, 0)
@example([(2**63 - 1, None, None, []), (-(2**63), None, None, [])], Codec.NONE, 0)
def test_any_records_survive_a_round_trip(
    given_records: list[tuple[int, bytes | None, bytes | None, list[tuple[str, bytes | None]]]],
    codec: Codec,
    base: int,
) -> None:
    wanted = [
        LogRecord(base + i, timestamp, key, value, found or ())
        for i, (timestamp, key, value, found) in enumerate(given_records)
    ]
    data = build_batch(wanted, compression=codec)
    header = read_header(data)
    assert check_crc(data, 0, header)
    assert records(data, 0, header) == wanted


@given(st.data())
def test_any_bytes_are_read_or_refused(data: st.DataObject) -> None:
    """Without a check of the CRC, BatchError is the only exception."""
    line = data.draw(st.sampled_from(GOOD))
    mutated = bytearray.fromhex(line["hex"])
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(mutated) - 1))
        mutated[position] = data.draw(st.integers(0, 255))
    try:
        for pos, header in headers(mutated):
            records(mutated, pos, header, max_bytes=1_000_000)
    except BatchError:
        pass
