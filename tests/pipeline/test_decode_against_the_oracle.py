"""The columnar decoder returns the same rows as the oracle for any segment."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pipeline import oracle
from tests.pipeline.any_log import ALL_OFFSETS, Content, Log, contents, logs, offset_commit
from tidemark_pipeline import schemas
from tidemark_pipeline.decode import chunks, latest, read_records, read_segment, segment, starts
from tidemark_pipeline.model import Marker, ScanOptions, Task, Transactions
from tidemark_protocol.batch import TRANSACTIONAL, LogRecord, build_batch

Rows = list[dict[str, Any]]
ORACLES: dict[str, Callable[[bytes, Task, ScanOptions], Rows]] = {
    "offsets": oracle.offset_rows,
    "raw": oracle.raw_rows,
}


def decoded(data: bytes, task: Task, options: ScanOptions) -> Rows:
    found: Rows = []
    for batch in read_segment(data, task, options):
        batch.validate(full=True)
        assert batch.schema == schemas.TABLES[options.table]
        assert 0 < batch.num_rows <= chunks.CHUNK_ROWS_MAX
        found += batch.to_pylist()
    for row in found:
        row.pop("control_type", None)
    return found


@pytest.fixture(params=[(chunks.CHUNK_ROWS_MAX, 2), (5, 64)], autouse=True, ids=["whole", "in small chunks"])
def _in_both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test twice: the decoder reads many batches at a time, or one by one."""
    rows, side_by_side = request.param
    for module in (chunks, latest, segment):
        monkeypatch.setattr(module, "CHUNK_ROWS_MAX", rows)
    monkeypatch.setattr(starts, "SIDE_BY_SIDE_MIN", side_by_side)


anything = settings(max_examples=100, deadline=None)


@pytest.mark.parametrize("table", ORACLES)
@anything
@given(log=logs, crc=st.booleans(), transactions=st.sampled_from(["committed", "all", "open"]))
def test_rows_of_any_log(table: str, log: Log, crc: bool, transactions: Any) -> None:
    options = ScanOptions(table=table, verify_crc=crc, transactions=transactions)
    assert decoded(log.data, log.task(), options) == ORACLES[table](log.data, log.task(), options)


@pytest.mark.parametrize(
    ("markers", "outcome"),
    [
        ([(11, True)], "committed"),
        ([(11, False)], "aborted"),
        ([], "open"),
        ([(10, True)], "open"),  # of the transaction before
        ([(10, False), (11, True)], "committed"),
        ([(11, False), (12, True)], "aborted"),
        ([(10, True), (2**40, False)], "aborted"),
    ],
)
def test_the_first_marker_after_a_batch_decides(markers: list[tuple[int, bool]], outcome: str) -> None:
    key, value = offset_commit(Random(1))
    record = LogRecord(10, 5, key, value)
    data = build_batch([record], attributes=TRANSACTIONAL, producer_id=7, producer_epoch=0)
    log = Log(data, {7: [Marker(offset, committed, 0) for offset, committed in markers]})
    every: tuple[Transactions, ...] = ("committed", "all", "open")
    found = {wanted: len(decoded(data, log.task(), ScanOptions(transactions=wanted))) for wanted in every}
    assert found == {"committed": outcome == "committed", "all": 1, "open": outcome == "open"}


@given(log=logs, data=st.data())
def test_only_requested_offsets_and_times_are_returned(log: Log, data: st.DataObject) -> None:
    every = oracle.raw_rows(log.data, log.task(), ScanOptions("raw", transactions="all"))
    offsets = st.sampled_from([0, ALL_OFFSETS, *(row["log_offset"] for row in every)])
    task = log.task(data.draw(offsets), data.draw(offsets))
    as_of_ms = data.draw(st.sampled_from([None, *(row["record_timestamp_ms"] for row in every)]))
    for table in ("raw", "offsets"):
        options = ScanOptions(table=table, transactions="all", as_of_ms=as_of_ms)
        assert decoded(log.data, task, options) == ORACLES[table](log.data, task, options)


@given(log=logs, data=st.data())
def test_only_requested_groups_are_returned(log: Log, data: st.DataObject) -> None:
    every = oracle.offset_rows(log.data, log.task(), ScanOptions())
    names = sorted({row["group"] for row in every})
    groups = data.draw(st.frozensets(st.sampled_from([*names, "nobody's"]), min_size=1))
    found = decoded(log.data, log.task(), ScanOptions(groups=groups))
    assert found == [row for row in every if row["group"] in groups]


@given(log=logs)
def test_the_last_row_of_each_key(log: Log) -> None:
    every = oracle.offset_rows(log.data, log.task(), ScanOptions())
    last = {(row["group"], row["topic"], row["partition"]): row for row in every}
    found = decoded(log.data, log.task(), ScanOptions(latest_only=True))
    assert found == sorted(found, key=every.index)
    of_keys = {(row["group"], row["topic"], row["partition"]): row for row in found}
    assert of_keys == last
    # Keys may be equal as text if they are not UTF-8, or of version 0 and 1. No other row repeats.
    assert len(found) <= len(last) + sum("\ufffd" in row["group"] + row["topic"] for row in every) + sum(
        row["value_version"] in (0, None) for row in every
    )


@given(log=logs)
def test_counts_are_those_of_the_oracle(log: Log) -> None:
    every = oracle.raw_rows(log.data, log.task(), ScanOptions("raw", transactions="all"))
    versions = [row["key_version"] for row in every]
    [counts] = decoded(log.data, log.task(), ScanOptions("segments"))
    assert counts["bytes"] == len(log.data)
    assert counts["records"] == len(every)
    assert counts["control"] == versions.count(None)
    assert counts["offsets"] == versions.count(0) + versions.count(1)
    assert counts["groups"] == sum(version is not None and 2 <= version <= 23 for version in versions)
    assert counts["records"] == sum(counts[kind] for kind in ("offsets", "groups", "control", "skipped"))


@given(found=contents, cut=st.integers(0, 3))
def test_records_of_a_consumer_give_the_same_rows(found: list[Content], cut: int) -> None:
    """Sliced as Spark slices them."""
    rows = range(len(found))
    keys = pa.array([key for key, _ in found], pa.binary())
    values = pa.array([value for _, value in found], pa.binary())
    numbers = [pa.array(rows, pa.int32()), pa.array(rows, pa.int64()), pa.array(rows, pa.int64())]
    read = read_records(*(column.slice(cut) for column in (keys, values, *numbers)))
    read.validate(full=True)
    assert read.schema == schemas.OFFSETS
    assert read.to_pylist() == [
        oracle.commit_row(row, key, value)
        for row, (key, value) in enumerate(found)
        if row >= cut and key[:2] in (b"\0\0", b"\0\1")
    ]
