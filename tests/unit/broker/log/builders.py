"""Logs and batches for tests, with defaults for everything that does not matter."""

from __future__ import annotations

from typing import Any

from tidemark.log.index import AbortedTransaction
from tidemark.log.load import LogLocation, Start
from tidemark.log.partition import PartitionLog
from tidemark.log.segment import SegmentCache
from tidemark.log.settings import LogSettings
from tidemark.log.storage import Storage
from tidemark_protocol.batch import LogRecord, build_batch, headers, records
from tidemark_testing.storage import MemoryStorage

TOPIC_ID = bytes(range(16))


def a_batch(
    *values: bytes, timestamp_ms: int = 1_000, keys: tuple[bytes | None, ...] = (), **fields: Any
) -> bytes:
    """A batch as a producer sends it: base offset 0, one record a value."""
    found = [
        LogRecord(i, timestamp_ms, keys[i] if i < len(keys) else None, value)
        for i, value in enumerate(values or (b"value",))
    ]
    return build_batch(found, leader_epoch=-1, **fields)


def from_producer(producer_id: int, sequence: int, count: int = 1, *, epoch: int = 0, **fields: Any) -> bytes:
    """A batch of an idempotent producer."""
    return a_batch(
        *[b"v"] * count, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence, **fields
    )


def a_log(
    storage: Storage | None = None,
    *,
    recovery_point: int = 0,
    log_start_offset: int = 0,
    clean: bool = True,
    open_files_max: int = 100,
    now_ms: int = 0,
    accept_corruption: bool = False,
    **settings: Any,
) -> PartitionLog:
    """Open orders-0, and create it if it does not exist."""
    disk = storage if storage is not None else MemoryStorage()
    disk.make_directory("orders-0")
    location = LogLocation(disk, SegmentCache(open_files_max), "orders-0", "orders", 0)
    start = Start(
        recovery_point=recovery_point,
        log_start_offset=log_start_offset,
        clean=clean,
        now_ms=now_ms,
        accept_corruption=accept_corruption,
    )
    return PartitionLog(location, TOPIC_ID, LogSettings(**settings), start)


def put(
    log: PartitionLog, *values: bytes, timestamp_ms: int = 1_000, now_ms: int = 1_000, **fields: Any
) -> int:
    """Append one batch. Return its base offset."""
    batch = a_batch(*values, timestamp_ms=timestamp_ms, **fields)
    return log.append(batch, leader_epoch=0, now_ms=now_ms).base_offset


def values_in(data: bytes) -> list[tuple[int, bytes | None]]:
    """Return offsets and values of all complete batches."""
    return [
        (record.offset, record.value)
        for position, header in headers(data)
        for record in records(data, position, header)
    ]


def all_values(log: PartitionLog) -> list[tuple[int, bytes | None]]:
    """Return offsets and values of all records, with their CRCs checked."""
    found: list[tuple[int, bytes | None]] = []
    for stored in log.batches(log.log_start_offset):
        found += values_in(bytes(stored.buf[stored.start : stored.end]))
    return [entry for entry in found if entry[0] >= log.log_start_offset]


def aborted_transactions(log: PartitionLog, offset: int, up_to: int) -> list[AbortedTransaction]:
    """Return all aborted transactions that have records in this range."""
    aborted: list[AbortedTransaction] = []
    base: int | None = offset
    while base is not None:
        found, base = log.aborted_from(base, offset, up_to)
        aborted += found
    return aborted
