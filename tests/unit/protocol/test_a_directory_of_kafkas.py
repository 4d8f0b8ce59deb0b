"""Every batch and record of a directory of Kafka 4.3.1 is read, and written again to the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kafkas_directory import unpacked
from tests.unit.protocol.any_message import MESSAGES
from tests.unit.protocol.test_batch import rebuilt
from tidemark_protocol import decode, encode, stored
from tidemark_protocol.batch import BatchHeader, LogRecord, check_crc, headers, records

# Key type -> name, in __consumer_offsets. Share state and transactions have numbers of their own.
GROUP_RECORDS = {
    message.api_key: message.name.removesuffix("Key")
    for message in MESSAGES.values()
    if message.type == "coordinator-key"
    and message.name not in ("TransactionLogKey", "ShareSnapshotKey", "ShareUpdateKey")
}

Batch = tuple[bytes, int, BatchHeader, list[LogRecord]]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kafka")
    return unpacked(folder)


def batches_of(directory: Path, pattern: str) -> Iterator[Batch]:
    files = sorted(directory.glob(pattern))
    assert files, pattern
    for path in files:
        data = path.read_bytes()
        pos = 0
        for pos, header in headers(data):
            yield data, pos, header, records(data, pos, header)


def test_every_batch_is_read_and_written_again(directory: Path) -> None:
    seen = 0
    for data, pos, header, found in batches_of(directory, "*/*.log"):
        seen += 1
        assert check_crc(data, pos, header)
        assert len(found) == header.count
        if not header.compression and not header.timestamp_type:
            assert rebuilt(found, header) == data[pos : pos + header.size]
    assert seen > 1000


def test_every_group_record_is_read_and_written_again(directory: Path) -> None:
    types = set()
    codec = stored.CoordinatorCodec()
    for _, _, header, found in batches_of(directory, "__consumer_offsets-*/*.log"):
        for record in found if not header.is_control else ():
            assert record.key is not None
            key_type = int.from_bytes(record.key[:2], "big")
            types.add(key_type)
            name = GROUP_RECORDS[key_type]
            key = decode(f"{name}Key", MESSAGES[f"{name}Key"].valid.high, record.key[2:])
            assert codec.encode(key, None)[0] == record.key
            if record.value is not None:
                version = int.from_bytes(record.value[:2], "big")
                value = decode(f"{name}Value", version, record.value[2:])
                assert encode(f"{name}Value", version, value) == record.value[2:]
                if key_type in stored.COORDINATOR:
                    assert stored.decode_coordinator(record.key, record.value) == (key, value)
    assert {1, 2, 3, 5, 6, 7, 8} <= types


def test_records_written_as_kafka_have_kafkas_versions(directory: Path) -> None:
    """`--as 4.3` chooses the versions that Kafka 4.3.1 chose."""
    codec = stored.CoordinatorCodec(stored.VERSIONS_OF["4.3"])
    for _, _, header, found in batches_of(directory, "__consumer_offsets-*/*.log"):
        for record in found if not header.is_control else ():
            assert record.key is not None
            try:
                key, value = stored.decode_coordinator(record.key, record.value)
            except stored.UnknownRecordType:
                continue
            assert codec.encode(key, value) == (record.key, record.value)


def test_every_metadata_record_is_read_and_written_again(directory: Path) -> None:
    names = set()
    for _, _, header, found in batches_of(directory, "__cluster_metadata-0/*.log"):
        for record in found if not header.is_control else ():
            assert record.value is not None
            decoded = stored.decode_metadata(record.value)
            names.add(decoded.NAME)
            assert stored.encode_metadata(decoded, record.value[2]) == record.value
    assert {"TopicRecord", "PartitionRecord", "ConfigRecord", "FeatureLevelRecord"} <= names
