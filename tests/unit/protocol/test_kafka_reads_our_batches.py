"""Kafka's own classes read batches in every form that tidemark writes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests import kafka_oracle
from tidemark_protocol.batch import (
    NO_TIMESTAMP,
    BatchBuilder,
    BatchHeader,
    ControlType,
    LogRecord,
    build_batch,
    build_control_batch,
    read_header,
    records,
)
from tidemark_protocol.compression import Codec

READER = Path(__file__).parent / "java" / "ReadBatches.java"
NOW = 1_795_233_800_000
LARGE = os.urandom(40_000) + bytes(100_000)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.java,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or ""),
]


def hexed(value: bytes | None) -> str:
    return "-" if value is None else value.hex()


def as_kafka_says(batch: bytes) -> str:
    header = read_header(batch)
    return "|".join([describe(header), *map(describe_record, records(batch, 0, header))])


def describe(header: BatchHeader) -> str:
    numbers = (
        header.base_offset,
        header.last_offset,
        header.leader_epoch,
        header.producer_id,
        header.producer_epoch,
        header.base_sequence,
        header.max_timestamp,
        header.compression,
    )
    flags = (header.is_transactional, header.is_control)
    return " ".join([*map(str, numbers), *(str(flag).lower() for flag in flags)])


def describe_record(record: LogRecord) -> str:
    parts = [str(record.offset), str(record.timestamp), hexed(record.key), hexed(record.value)]
    return " ".join(parts + [f"{name.encode().hex()}={hexed(value)}" for name, value in record.headers])


def journal(codec: Codec, count: int, value: bytes) -> bytes:
    builder = BatchBuilder(NOW)
    for number in range(count):
        builder.add(b"key %d" % number, value if number % 7 else None)
    return builder.build(10, 3, compression=codec)


def written() -> list[bytes]:
    odd = [
        LogRecord(5, NOW, None, None),
        LogRecord(6, NOW - 5, b"", b"", [("empty", b""), ("null", None), ("ü", b"x" * 300)]),
        LogRecord(9, NO_TIMESTAMP, b"k" * 70_000, LARGE),
    ]
    found = []
    for codec in Codec:
        found += [journal(codec, count, value) for count, value in ((1, b"v"), (5000, b"v" * 60), (2, LARGE))]
        found += [build_batch(odd, compression=codec), build_batch([], next_offset=1)]
        found.append(build_batch(odd, compression=codec, producer_id=7, producer_epoch=2, base_sequence=11))
    found.append(build_control_batch(ControlType.COMMIT, bytes(6), NOW, producer_id=7, producer_epoch=1))
    found.append(build_control_batch(ControlType.SNAPSHOT_HEADER, bytes(11), NOW, base_offset=4))
    return found


def test_kafka_reads_every_batch_correctly() -> None:
    batches = written()
    ran = subprocess.run(
        kafka_oracle.java(str(READER)),
        input="\n".join(batch.hex() for batch in batches),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines() == [as_kafka_says(batch) for batch in batches]
