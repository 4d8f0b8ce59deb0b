"""The visible records and the next position of fetched bytes. test_console.py tests the requests."""

from __future__ import annotations

import pytest

from tidemark_protocol.batch import (
    APPEND_TIME,
    TRANSACTIONAL,
    BatchError,
    ControlType,
    LogRecord,
    build_batch,
    build_control_batch,
)
from tidemark_protocol.messages.fetch import AbortedTransaction
from tidemark_tools.client.client import TopicPartition
from tidemark_tools.client.consumer import Chunk, chunk_of
from tidemark_tools.client.membership import Position

PARTITION = TopicPartition("t", 0)


def batch(first: int, *values: bytes, producer_id: int = -1, attributes: int = 0, epoch: int = 3) -> bytes:
    records = [LogRecord(first + n, 1000, None, value) for n, value in enumerate(values)]
    return build_batch(records, producer_id=producer_id, attributes=attributes, leader_epoch=epoch)


def written(first: int, *values: bytes, producer_id: int) -> bytes:
    return batch(first, *values, producer_id=producer_id, attributes=TRANSACTIONAL)


def marker(offset: int, kind: int, producer_id: int) -> bytes:
    return build_control_batch(
        kind, bytes(6), 1000, base_offset=offset, producer_id=producer_id, producer_epoch=0
    )


def chunk(*batches: bytes, at: int = 0, aborted: tuple[AbortedTransaction, ...] = ()) -> Chunk:
    return chunk_of(PARTITION, b"".join(batches), Position(at), aborted)


def values(found: Chunk) -> list[bytes | None]:
    return [record.value for record in found.records]


def test_records_before_the_position_are_left_out() -> None:
    found = chunk(batch(0, b"a", b"b", b"c"), at=1)
    assert values(found) == [b"b", b"c"]
    assert found.following == Position(3, 3)


def test_an_incomplete_batch_is_left_for_the_next_fetch() -> None:
    found = chunk(batch(0, b"a"), batch(1, b"b")[:-1])
    assert values(found) == [b"a"]
    assert found.following == Position(1, 3)


def test_the_next_position_is_after_markers_and_compacted_batches() -> None:
    emptied = build_batch([], base_offset=5, next_offset=9, leader_epoch=4)
    found = chunk(written(3, b"a", producer_id=1), marker(4, ControlType.COMMIT, 1), emptied, at=3)
    assert values(found) == [b"a"]
    assert found.following == Position(9, 4)


def test_aborted_records_are_left_out_until_their_marker() -> None:
    found = chunk(
        written(0, b"aborted", producer_id=1),
        written(1, b"committed", producer_id=2),
        batch(2, b"plain"),
        written(3, b"aborted too", producer_id=1),
        marker(4, ControlType.ABORT, 1),
        marker(5, ControlType.COMMIT, 2),
        written(6, b"next", producer_id=1),
        marker(7, ControlType.COMMIT, 1),
        aborted=(AbortedTransaction(producer_id=1, first_offset=0),),
    )
    assert values(found) == [b"committed", b"plain", b"next"]
    assert found.following.offset == 8


def test_a_producer_may_abort_twice_in_one_fetch() -> None:
    found = chunk(
        written(0, b"1", producer_id=1), marker(1, ControlType.ABORT, 1),
        written(2, b"2", producer_id=1), marker(3, ControlType.COMMIT, 1),
        written(4, b"3", producer_id=1), marker(5, ControlType.ABORT, 1),
        aborted=(
            AbortedTransaction(producer_id=1, first_offset=4),
            AbortedTransaction(producer_id=1, first_offset=0),
        ),
    )  # fmt: skip
    assert values(found) == [b"2"]


def test_read_uncommitted_shows_aborted_records_but_no_markers() -> None:
    found = chunk(written(0, b"aborted", producer_id=1), marker(1, ControlType.ABORT, 1))
    assert values(found) == [b"aborted"]


def test_each_record_has_its_timestamp_type() -> None:
    found = chunk(batch(0, b"a"), batch(1, b"b", b"c", attributes=APPEND_TIME))
    assert found.append_times == [False, True, True]


def test_a_wrong_checksum_is_an_error() -> None:
    bent = bytearray(batch(0, b"a"))
    bent[-1] ^= 1
    with pytest.raises(BatchError, match="offset 0 has a wrong CRC"):
        chunk(bytes(bent))
