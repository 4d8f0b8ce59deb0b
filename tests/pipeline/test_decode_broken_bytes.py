"""Unreadable segments: a tail that a broker's recovery truncates is left out, anything else is an error."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from crc32c import crc32c
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.pipeline import oracle
from tests.pipeline.any_log import Log, any_log, logs
from tests.pipeline.test_decode_against_the_oracle import decoded
from tidemark_pipeline.decode import read_records, read_segment, starts
from tidemark_pipeline.logs.batches import hop
from tidemark_pipeline.model import PipelineError, ScanOptions
from tidemark_protocol.batch import (
    HEADER_BYTES,
    BatchBuilder,
    BatchError,
    LogRecord,
    build_batch,
    headers,
)
from tidemark_protocol.compression import Codec, compress
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.stored import CoordinatorCodec
from tidemark_protocol.wire import WireError

LOG = any_log(seed=4, batches=9)
STARTS = [position for position, _ in headers(LOG.data)]
ALL = ScanOptions("raw", transactions="all")
STRICT = ScanOptions("raw", transactions="all", on_error="fail")


def bytes_of(log: Log, data: bytes) -> Log:
    return Log(data, log.markers)


def rows(log: Log, options: ScanOptions = ALL, **kind: Any) -> list[dict[str, Any]]:
    return decoded(log.data, log.task(**kind), options)


def torn(log: Log) -> tuple[int | None, str | None]:
    [counts] = rows(log, ScanOptions("segments"))
    return counts["torn_at"], counts["torn_reason"]


def whole(log: Log, end: int) -> list[dict[str, Any]]:
    """Return the rows of the batches before a byte."""
    return rows(bytes_of(log, log.data[: max(p for p in [*STARTS, len(log.data)] if p <= end)]))


@pytest.mark.parametrize("cut", [*range(STARTS[-1] + 1, len(LOG.data)), STARTS[-1] - 1, STARTS[2] + 30])
def test_a_batch_that_is_cut_is_a_torn_tail(cut: int) -> None:
    log = bytes_of(LOG, LOG.data[:cut])
    assert rows(log) == whole(LOG, cut)
    start = max(start for start in STARTS if start <= cut)
    if any(log.data[start:]):  # zeros could also be preallocated
        assert torn(log)[0] == start
        with pytest.raises(PipelineError, match=rf"^seg, byte {start}: "):
            rows(log, STRICT)
    with pytest.raises(PipelineError, match="further segments follow"):
        rows(log, is_last=False)


@pytest.mark.parametrize("zeros", [1, 11, 12, 60, 61, 5000])
def test_zeros_of_preallocation_are_not_damage(zeros: int) -> None:
    log = bytes_of(LOG, LOG.data + bytes(zeros))
    assert rows(log, STRICT) == rows(LOG)
    assert torn(log) == (None, None)
    with pytest.raises(PipelineError, match=rf"^seg, byte {len(LOG.data)}: .* and further segments follow$"):
        rows(log, is_last=False)


@pytest.mark.parametrize("crc", [True, False])
def test_a_batch_that_was_half_written_into_a_preallocated_file_is_a_torn_tail(crc: bool) -> None:
    """By its length, the batch is complete. Only the CRC or the content shows that it is not."""
    for cut in (STARTS[-2] + 17, STARTS[-2] + HEADER_BYTES, STARTS[-1] - 12):
        log = bytes_of(LOG, LOG.data[:cut] + bytes(3000))
        assert rows(log, ScanOptions("raw", transactions="all", verify_crc=crc)) == whole(LOG, cut)
        assert torn(log)[0] == STARTS[-2]


@pytest.mark.parametrize("on_error", ["fail", "stop_at_tail"])
def test_damage_in_the_middle_is_an_error_that_names_its_place(on_error: Any) -> None:
    for start, following in pairwise(STARTS):
        damaged = bytearray(LOG.data)
        damaged[following - 1] ^= 1
        with pytest.raises(PipelineError, match=rf"^seg, byte {start}: the CRC differs") as caught:
            rows(bytes_of(LOG, bytes(damaged)), ScanOptions("raw", on_error=on_error))
        if on_error == "stop_at_tail":
            assert str(caught.value).endswith(f"and a whole batch stands at byte {following}")


def test_damage_in_the_last_batch_is_a_torn_tail() -> None:
    damaged = bytes_of(LOG, LOG.data[:-1] + bytes([LOG.data[-1] ^ 1]))
    assert rows(damaged) == whole(LOG, STARTS[-1])
    assert torn(damaged) == (STARTS[-1], "the CRC differs")


def test_a_false_length_does_not_hide_later_batches() -> None:
    damaged = bytearray(LOG.data)
    damaged[STARTS[3] + 8 : STARTS[3] + 12] = (1 << 30).to_bytes(4, "big")
    with pytest.raises(PipelineError, match=rf"byte {STARTS[3]}: .* is cut, .* stands at byte {STARTS[4]}$"):
        rows(bytes_of(LOG, bytes(damaged)))


def test_another_magic_is_an_error() -> None:
    damaged = bytearray(LOG.data)
    damaged[16] = 1
    with pytest.raises(PipelineError, match=r"^seg, byte 0: magic 1 in place of 2"):
        rows(bytes_of(LOG, bytes(damaged)), STRICT)


def test_an_empty_segment_has_no_rows() -> None:
    assert rows(bytes_of(LOG, b"")) == []
    assert torn(bytes_of(LOG, b"")) == (None, None)


# Records in complete batches.


def segment_of(key: bytes | None, value: bytes | None, headed: int = 0) -> Log:
    head = BatchBuilder(5)
    head.add(*CoordinatorCodec().encode(OffsetCommitKey("g", "t", 0), OffsetCommitValue()))
    batch = build_batch([LogRecord(1, 5, key, value)])
    return Log(head.build() + batch, {})


FIRST_BYTES = len(segment_of(b"", b"").data) - len(build_batch([LogRecord(1, 5, b"", b"")]))
COMMIT_KEY = b"\0\1\0\2my\0\1t\0\0\0\7"


COMMIT = "the offset of group 'my' for 't-7' cannot be read"
GROUP_KEY = b"\0\2\0\2my"
GROUP = "a record of group 'my' cannot be read"


@pytest.mark.parametrize(
    ("table", "key", "value", "reason"),
    [
        ("offsets", COMMIT_KEY, b"\0\5" + bytes(30), f"{COMMIT}: OffsetCommitValue has no version 5"),
        ("offsets", COMMIT_KEY, b"\0\3" + bytes(4), f"{COMMIT}: the bytes end"),
        ("offsets", COMMIT_KEY, b"", f"{COMMIT}: 0 bytes where a version"),
        (
            "offsets",
            b"\0\0" + COMMIT_KEY[2:],
            b"\0\1" + bytes(30),
            "LegacyOffsetCommitValue has no version 1",
        ),
        ("offsets", COMMIT_KEY[:-1], None, "an offset commit cannot be read: the bytes end"),
        ("offsets", None, b"", "a record whose key has no version"),
        ("groups", b"\0", b"", "a record whose key has no version"),
        ("groups", GROUP_KEY, b"\0\x09", f"{GROUP}: GroupMetadataValue has no version 9"),
        ("groups", GROUP_KEY, b"\0\3\0", f"{GROUP}: the bytes end"),
        ("groups", b"\0\3\0\7my", None, "a group's record cannot be read"),
        ("groups", b"\0\x0b\0\7my", None, "a group's record cannot be read"),
    ],
)
def test_a_record_that_cannot_be_read_is_named(
    table: str, key: bytes | None, value: bytes | None, reason: str
) -> None:
    """Kafka does not load such a partition."""
    with pytest.raises(PipelineError, match=rf"^seg, byte {FIRST_BYTES}, offset 1: .*{reason}") as caught:
        rows(segment_of(key, value), ScanOptions(table))
    assert "\n" not in str(caught.value)


METADATA = (b"", b"m" * 126, b"m" * 127, b"m" * 16_383)


@pytest.mark.parametrize("metadata", METADATA, ids=len)
@pytest.mark.parametrize("version", range(5))
def test_a_value_that_is_cut_anywhere_is_never_half_read(version: int, metadata: bytes) -> None:
    """A decoder returns either the whole value or an error."""
    commit = OffsetCommitValue(7, 3, metadata.decode(), 5, 9, b"an id of a topic")
    body = bytearray(version.to_bytes(2, "big"))
    OffsetCommitValue.ENCODERS[version](body, commit)
    [_, row] = rows(segment_of(COMMIT_KEY, bytes(body)), ScanOptions())
    assert (row["committed_offset"], row["metadata"]) == (7, metadata.decode())
    for cut in {*range(30), *range(len(body) - 30, len(body))} & {*range(len(body))}:
        with pytest.raises(PipelineError, match=COMMIT):
            rows(segment_of(COMMIT_KEY, bytes(body[:cut])), ScanOptions())


def test_an_unreadable_record_of_a_consumer_is_named_by_partition_and_offset() -> None:
    numbers = [pa.array([4], kind) for kind in (pa.int32(), pa.int64(), pa.int64())]
    for key, value in ((COMMIT_KEY, b"\0\5"), (COMMIT_KEY[:-1], None), (b"\0", None), (None, b"")):
        with pytest.raises(PipelineError, match="^log partition 4, offset 4: "):
            read_records(pa.array([key], pa.binary()), pa.array([value], pa.binary()), *numbers)


def test_unknown_types_are_counted_and_skipped() -> None:
    for key in (b"\0\x18", b"\x7f\xff", b"\xff\xff"):
        log = segment_of(key, b"whatever")
        assert [len(rows(log, ScanOptions(table))) for table in ("offsets", "groups", "raw")] == [1, 0, 2]
        [counts] = rows(log, ScanOptions("segments"))
        assert (counts["skipped"], counts["skipped_types"]) == (
            1,
            f"{int.from_bytes(key, 'big', signed=True)}: 1",
        )


def test_a_false_count_needs_no_memory() -> None:
    batch = bytearray(build_batch([LogRecord(0, 5, b"k", b"v")]))
    batch[57:61] = (2**31 - 1).to_bytes(4, "big")
    with pytest.raises(PipelineError, match="2147483647 records in 9 bytes"):
        rows(Log(repaired(batch), {}))


@pytest.mark.parametrize("last_offset_delta", [0, 1])
def test_a_record_with_an_offset_outside_its_batch_is_an_error(last_offset_delta: int) -> None:
    """It would repeat an offset of the next batch, or lie after the end of the log."""
    batch = bytearray(build_batch([LogRecord(offset, 5, b"k", b"v") for offset in range(3)]))
    batch[23:27] = last_offset_delta.to_bytes(4, "big")
    with pytest.raises(PipelineError, match="^seg, byte 0: a record's offset is none of its batch's"):
        rows(Log(repaired(batch), {}))


def of_very_many(records: int, last: bytes) -> Log:
    """Return a small batch of records that are the same except for the last."""
    each = b"\x0c\0\0\0\x01\x01\0"  # seven bytes: no key, no value, offset delta 0
    packed = compress(Codec.ZSTD, each * (records - 1) + last)
    batch = bytearray(build_batch([], next_offset=records, compression=Codec.ZSTD)[:HEADER_BYTES] + packed)
    batch[8:12] = (len(batch) - 12).to_bytes(4, "big")
    batch[57:61] = records.to_bytes(4, "big")
    return Log(repaired(batch), {})


def test_a_small_batch_of_very_many_records_is_read_in_parts() -> None:
    """A batch of a hundred megabytes, which Kafka accepts, would need gigabytes as columns."""
    log = of_very_many(400_000, b"\x0c\0\0\0\x01\x01\0")
    assert len(log.data) < 1000
    tracemalloc.start()
    try:
        [counts] = rows(log, ScanOptions("segments"))
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (counts["records"], counts["batches"], counts["bytes"]) == (400_000, 1, len(log.data))
    assert peak_bytes < 60_000_000


@pytest.mark.parametrize("crc", [True, False])
def test_a_batch_of_many_records_is_read_only_if_all_can_be_read(crc: bool) -> None:
    log = of_very_many(200_000, b"\x0c\0\0\0\x05\x01\0")
    batches = read_segment(log.data, log.task(), ScanOptions("raw", verify_crc=crc))
    with pytest.raises(PipelineError, match="^seg, byte 0: a record's length and its content differ"):
        next(batches)


# Random bytes.


def repaired(data: bytearray) -> bytes:
    """Return the bytes with correct CRCs in all complete batches."""
    for position, header in headers(data):
        crc = crc32c(memoryview(data)[position + 21 : position + header.size])
        data[position + 17 : position + 21] = crc.to_bytes(4, "big")
    return bytes(data)


def mutated(log: Log, places: list[tuple[float, int]]) -> bytearray:
    data = bytearray(log.data)
    for place, byte in places:
        data[int(place * len(data))] = byte
    return data


@pytest.fixture(params=[1, 64])
def _side_by_side(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starts, "SIDE_BY_SIDE_MIN", request.param)


mutations = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4
)


@pytest.mark.usefixtures("_side_by_side")
@pytest.mark.parametrize("table", ["offsets", "groups", "raw", "segments"])
@settings(max_examples=60, deadline=None)
@given(log=logs, places=mutations, crc=st.booleans(), latest=st.booleans(), repair=st.booleans())
def test_changed_bytes_give_rows_or_one_clear_error(
    table: str, log: Log, places: list[tuple[float, int]], crc: bool, latest: bool, repair: bool
) -> None:
    assume(log.data)
    data = mutated(log, places)
    try:
        broken = bytes_of(log, repaired(data) if repair else bytes(data))
    except BatchError:
        broken = bytes_of(log, bytes(data))
    told = "seg, byte"
    try:
        rows(broken, ScanOptions(table, verify_crc=crc, latest_only=latest))
    except PipelineError as error:
        told = str(error)
    assert told.startswith("seg, byte")
    assert "\n" not in told


ORACLES: dict[str, Callable[..., Any]] = {"offsets": oracle.offset_rows, "raw": oracle.raw_rows}


@pytest.mark.usefixtures("_side_by_side")
@pytest.mark.parametrize("table", ORACLES)
@settings(max_examples=120, deadline=None)
@given(log=logs, places=mutations)
def test_changed_records_are_read_as_the_oracle_reads_them(
    table: str, log: Log, places: list[tuple[float, int]]
) -> None:
    """The batches have correct CRCs, and random records."""
    data = mutated(log, places) if log.data else bytearray()
    try:
        broken = bytes_of(log, repaired(data))
        assume(hop(broken.data).reason is None)
    except BatchError:
        assume(False)
    options = ScanOptions(table, transactions="all")
    try:
        expected = ORACLES[table](broken.data, broken.task(), options)
    except (BatchError, WireError):
        with pytest.raises(PipelineError, match="^seg, byte"):
            rows(broken, options)
    else:
        assert rows(broken, options) == expected
