"""The batches of transactions that the journal writes: records of producers, and markers."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any, Final

import pytest
from kio.records.readers import read_batch

from tests.broker.log.builders import a_log
from tidemark.core.apply import RecordsTooLarge
from tidemark.core.result import Marker
from tidemark.log.partition import PartitionLog
from tidemark.runtime.journal import Journal, JournaledLog
from tidemark_protocol.batch import TRANSACTIONAL, headers, records, set_offset_and_epoch

GOLDEN: Final = Path(__file__).parents[2] / "golden"
PRODUCER: Final = 7
EPOCH: Final = 1
START_MS: Final = 1_795_000_000_000
COORDINATOR_EPOCH: Final = 4
LEADER_EPOCH: Final = 3


def journaled(log: PartitionLog, leader_epoch: int = LEADER_EPOCH) -> JournaledLog:
    return JournaledLog(log, leader_epoch=leader_epoch, base_sequence=0)


def bytes_of(log: PartitionLog) -> bytes:
    return b"".join(bytes(stored.buf[stored.start : stored.end]) for stored in log.batches())


def at_offset(batch: bytes, base_offset: int, leader_epoch: int) -> bytes:
    """Return the batch with another base offset, which no CRC covers."""
    moved = bytearray(batch)
    set_offset_and_epoch(moved, 0, base_offset, leader_epoch)
    return bytes(moved)


def markers_of_kafka() -> list[Any]:
    lines = map(json.loads, (GOLDEN / "record_batches.jsonl").read_text().splitlines())
    batches = [(bytes.fromhex(line["hex"]), line["batches"][0]) for line in lines if "batches" in line]
    found = [each for each in batches if each[1]["control"] and each[1]["transactional"]]
    assert len(found) >= 4
    return found


@pytest.mark.parametrize("place", range(4))
def test_a_marker_has_the_bytes_that_kafka_writes(place: int) -> None:
    stored, golden = markers_of_kafka()[place]
    record = golden["records"][0]
    marker = Marker(
        0,
        golden["producer_id"],
        golden["producer_epoch"],
        committed=record["key"] == "00000001",
        coordinator_epoch=int(record["value"][4:], 16),
    )
    log, journal = a_log(), Journal()
    epoch = golden["partition_leader_epoch"]
    journal.end_transaction(journaled(log, epoch), marker, golden["base_timestamp"])
    journal.write(golden["base_timestamp"])
    assert at_offset(bytes_of(log), golden["base_offset"], epoch) == stored


def transactional_batches_of_kafka() -> list[tuple[bytes, Any]]:
    found = []
    with tarfile.open(GOLDEN / "kafka-4.3.1" / "data.tar.gz") as archive:
        for member in archive:
            if member.name.startswith("data/__consumer_offsets-") and member.name.endswith(".log"):
                data = archive.extractfile(member).read()  # type: ignore[union-attr]
                found += [
                    (data[position : position + header.size], header)
                    for position, header in headers(data)
                    if header.attributes == TRANSACTIONAL and header.count  # compaction leaves empty batches
                ]
    return found


def test_records_of_a_transaction_have_the_bytes_that_kafka_writes() -> None:
    batches = transactional_batches_of_kafka()
    assert max(header.count for _, header in batches) > 1
    for stored, header in batches:
        log, journal = a_log(), Journal()
        target = journaled(log, header.leader_epoch)
        entries = [(record.key, record.value) for record in records(stored, 0, header)]
        journal.add_all({target: entries}, header.base_timestamp, (header.producer_id, header.producer_epoch))
        journal.write(header.base_timestamp)
        assert at_offset(bytes_of(log), header.base_offset, header.leader_epoch) == stored


def test_batches_are_in_the_order_of_their_records_one_for_each_run_of_a_producer() -> None:
    log, journal = a_log(), Journal()
    target = journaled(log)
    journal.add(target, b"a", b"1", START_MS)
    journal.add(target, b"b", b"2", START_MS)
    journal.add_all({target: [(b"c", b"3")]}, START_MS, (PRODUCER, EPOCH))
    journal.add_all({target: [(b"d", b"4"), (b"e", b"5")]}, START_MS, (PRODUCER, EPOCH))
    journal.add_all({target: [(b"f", b"6")]}, START_MS, (PRODUCER, EPOCH + 1))
    journal.add(target, b"g", None, START_MS)
    journal.end_transaction(target, Marker(0, PRODUCER, EPOCH + 1, True, COORDINATOR_EPOCH), START_MS)
    journal.add(target, b"h", b"7", START_MS)
    assert journal.write(START_MS) == [log]
    assert journal.appended == 8

    data = bytes_of(log)
    found, position = [], 0
    while position < len(data):
        batch, size = read_batch(data, position)
        transactional, control = bool(batch.attributes & 0x10), bool(batch.attributes & 0x20)
        keys = [record.key for record in batch.records]
        found.append((batch.producer_id, batch.producer_epoch, transactional, control, keys))
        position += size
    assert found == [
        (-1, -1, False, False, [b"a", b"b"]),
        (PRODUCER, EPOCH, True, False, [b"c", b"d", b"e"]),
        (PRODUCER, EPOCH + 1, True, False, [b"f"]),
        (-1, -1, False, False, [b"g"]),
        (PRODUCER, EPOCH + 1, True, True, [b"\0\0\0\1"]),
        (-1, -1, False, False, [b"h"]),
    ]


def test_records_of_a_transaction_that_are_too_large_change_nothing() -> None:
    log, journal = a_log(batch_bytes_max=200), Journal()
    with pytest.raises(RecordsTooLarge):
        journal.add_all({journaled(log): [(b"k", b"v" * 200)]}, START_MS, (PRODUCER, EPOCH))
    assert not journal.pending
