"""Loading a partition of `__consumer_offsets`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.broker.data_node import a_batch
from tests.unit.broker.log.builders import a_log
from tidemark.engine.recovery import CannotLoad, Loaded, load_metadata, load_offsets
from tidemark.log.partition import PartitionLog
from tidemark_protocol.batch import (
    CONTROL,
    TRANSACTIONAL,
    ControlType,
    LogRecord,
    build_batch,
    build_control_batch,
)
from tidemark_protocol.loading import OffsetCommits, OtherRecordKey
from tidemark_protocol.records.no_op_record import NoOpRecord
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.stored import CoordinatorCodec, encode_metadata

KEY = OffsetCommitKey("g", "orders", 0)
UNKNOWN = b"\x00\x63" + b"whatever"


def committed(offset: int) -> tuple[bytes, bytes | None]:
    return CoordinatorCodec().encode(KEY, OffsetCommitValue(offset, 0, "", 5))


def put(log: PartitionLog, *pairs: tuple[bytes | None, bytes | None], **fields: Any) -> None:
    held = [LogRecord(index, 1_000 + index, key, value) for index, (key, value) in enumerate(pairs)]
    log.append(build_batch(held, **fields), leader_epoch=0, now_ms=0)


class Told:
    """Collects the loaded records in order: (key, value, time), and the producer of pending records."""

    def __init__(self) -> None:
        self.all: list[tuple[Any, ...]] = []

    def record(self, key: Any, value: Any, appended_ms: int) -> None:
        self.all.append((key, value, appended_ms))

    def commits(self, found: OffsetCommits) -> None:
        self.all += [(*found.decode(row), found.timestamp) for row in found.rows]

    def pending(self, key: Any, value: Any, appended_ms: int, producer: tuple[int, int]) -> None:
        self.all.append((key, value, appended_ms, producer))

    def marker(self, producer: tuple[int, int], *, committed: bool) -> None:
        self.all.append((producer, committed))


def loaded(log: PartitionLog) -> tuple[list[tuple[Any, ...]], Loaded]:
    told = Told()
    return told.all, load_offsets(log, told, learn_after=1)


def test_every_record_is_loaded_with_its_append_time() -> None:
    log = a_log()
    put(log, committed(1), committed(2))
    put(log, (committed(0)[0], None))
    told, found = loaded(log)
    first, second = (OffsetCommitValue(offset, 0, "", 5) for offset in (1, 2))
    assert told == [(KEY, first, 1_000), (KEY, second, 1_001), (KEY, None, 1_000)]
    assert (found.records, found.skipped) == (3, {})


def test_unknown_record_types_are_skipped_and_counted() -> None:
    log = a_log()
    put(log, committed(1), (UNKNOWN, b"x"), (UNKNOWN, b"y"), committed(2))
    told, found = loaded(log)
    assert [value.offset for _, value, _ in told] == [1, 2]
    assert (found.records, found.skipped) == (2, {"record type 99": 2})


def test_an_unreadable_record_is_reported_with_its_offset() -> None:
    log = a_log()
    put(log, committed(1))
    put(log, committed(2), (UNKNOWN, b"x"), (committed(3)[0], b"\x00\x03short"), committed(4))
    with pytest.raises(CannotLoad, match="offset 3 "):
        loaded(log)


def test_an_unreadable_batch_is_reported_with_its_first_offset() -> None:
    log = a_log()
    put(log, committed(1))
    log.append(a_batch(2, key=committed(2)[0], said_count=3), leader_epoch=0, now_ms=0)
    with pytest.raises(CannotLoad, match="offset 1 "):
        loaded(log)


def test_unknown_metadata_is_counted_and_unreadable_metadata_is_refused() -> None:
    log = a_log()
    put(log, (None, encode_metadata(NoOpRecord())), (None, b"\x01\xe7\x07\0 later"), base_sequence=-1)
    told: list[Any] = []
    found = load_metadata(log, 0, told.append)
    assert [type(record.value) for record in told] == [NoOpRecord]
    assert found.skipped == {"metadata record type 999": 1}
    put(log, (None, b"\x01\x14\x63"), base_sequence=-1)  # NoOp in a version that does not exist yet
    with pytest.raises(CannotLoad, match="version 99"):
        load_metadata(log, 0, told.append)


def a_marker(kind: int) -> bytes:
    return build_control_batch(kind, bytes(6), 0, producer_id=7, producer_epoch=0)


def test_records_of_a_transaction_are_pending_until_its_marker() -> None:
    log = a_log()
    put(log, committed(1))
    fields = {"producer_id": 7, "producer_epoch": 0, "base_sequence": 0}
    put(log, committed(2), attributes=TRANSACTIONAL, **fields)
    log.append(a_marker(ControlType.COMMIT), leader_epoch=0, now_ms=0)
    log.append(a_marker(ControlType.ABORT), leader_epoch=0, now_ms=0)
    told, found = loaded(log)
    first, second = (OffsetCommitValue(offset, 0, "", 5) for offset in (1, 2))
    assert told == [
        (KEY, first, 1_000), (KEY, second, 1_000, (7, 0)), ((7, 0), True), ((7, 0), False),
    ]  # fmt: skip
    assert found.records == 2


def test_a_control_record_without_a_type_ends_the_load() -> None:
    """Kafka's ControlRecordType.parse refuses a key of less than four bytes, and the load ends there."""
    log = a_log()
    put(log, committed(1))
    put(log, (b"\0\0", bytes(6)), attributes=CONTROL)
    with pytest.raises(CannotLoad, match="the record at offset 1 cannot be read: a control record without"):
        loaded(log)


def test_skipped_records_of_groups_are_returned_with_the_group_name() -> None:
    log = a_log()
    key = b"\0\x12\0\x06shared"  # StreamsGroupPartitionMetadata
    put(log, (key, b"\0\0 what it says"), (key, None))
    told, found = loaded(log)
    assert told == [
        (OtherRecordKey(18, "shared", key), b"\0\0 what it says", 1_000),
        (OtherRecordKey(18, "shared", key), None, 1_001),
    ]
    assert found.skipped == {"StreamsGroupPartitionMetadata": 2}
