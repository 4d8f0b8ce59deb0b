"""The batches of transactions that group commit writes: records of producers, and markers."""

from __future__ import annotations

import asyncio
import json
import tarfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from kio.records.readers import read_batch

from tests.unit.broker.log.builders import a_log
from tidemark.core.apply import RecordsTooLarge
from tidemark.core.decision import Marker
from tidemark.engine.group_commit import GroupCommit, InternalLog, SyncPolicy
from tidemark.log.partition import PartitionLog
from tidemark_protocol.batch import TRANSACTIONAL, headers, records, set_offset_and_epoch
from tidemark_testing.clock import LoopClock

GOLDEN: Final = Path(__file__).parents[3] / "golden"
PRODUCER: Final = 7
EPOCH: Final = 1
START_MS: Final = 1_795_000_000_000
COORDINATOR_EPOCH: Final = 4
LEADER_EPOCH: Final = 3


def internal(log: PartitionLog, leader_epoch: int = LEADER_EPOCH) -> InternalLog:
    return InternalLog(log, leader_epoch=leader_epoch, base_sequence=0)


def flushed(now_ms: int, add: Callable[[GroupCommit], object]) -> GroupCommit:
    """Return a group commit that has flushed what add has added at this moment."""

    async def run() -> GroupCommit:
        failures: list[BaseException] = []
        clock = LoopClock(wall_ms=now_ms)
        worker = ThreadPoolExecutor(1)
        group_commit = GroupCommit(
            clock, SyncPolicy(), worker, on_durable=lambda: None, failed=failures.append
        )
        add(group_commit)
        await group_commit.close()
        assert not failures
        return group_commit

    return asyncio.run(run())


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
    log, epoch, now_ms = a_log(), golden["partition_leader_epoch"], golden["base_timestamp"]
    flushed(now_ms, lambda commit: commit.end_transaction(internal(log, epoch), marker, now_ms))
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
        log, now_ms = a_log(), header.base_timestamp
        entries = [(record.key, record.value) for record in records(stored, 0, header)]
        added = {internal(log, header.leader_epoch): entries}
        producer = (header.producer_id, header.producer_epoch)
        flushed(now_ms, partial(GroupCommit.add_all, by_log=added, now_ms=now_ms, producer=producer))
        assert at_offset(bytes_of(log), header.base_offset, header.leader_epoch) == stored


def test_batches_are_in_the_order_of_their_records_one_for_each_run_of_a_producer() -> None:
    log = a_log()
    target = internal(log)

    def add(commit: GroupCommit) -> None:
        commit.add(target, b"a", b"1", START_MS)
        commit.add(target, b"b", b"2", START_MS)
        commit.add_all({target: [(b"c", b"3")]}, START_MS, (PRODUCER, EPOCH))
        commit.add_all({target: [(b"d", b"4"), (b"e", b"5")]}, START_MS, (PRODUCER, EPOCH))
        commit.add_all({target: [(b"f", b"6")]}, START_MS, (PRODUCER, EPOCH + 1))
        commit.add(target, b"g", None, START_MS)
        commit.end_transaction(target, Marker(0, PRODUCER, EPOCH + 1, True, COORDINATOR_EPOCH), START_MS)
        commit.add(target, b"h", b"7", START_MS)

    assert flushed(START_MS, add).durable == 8

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
    log = a_log(batch_bytes_max=200)

    def add(commit: GroupCommit) -> None:
        with pytest.raises(RecordsTooLarge):
            commit.add_all({internal(log): [(b"k", b"v" * 200)]}, START_MS, (PRODUCER, EPOCH))
        assert not commit.pending

    assert flushed(START_MS, add).appended == 0
    assert bytes_of(log) == b""
