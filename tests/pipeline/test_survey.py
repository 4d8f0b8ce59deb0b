"""The survey of batch headers.

The expectations are Kafka's responses about its directory, or a simple walk over the same batches.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kafkas_directory import unpacked
from tests.pipeline import made_logs
from tests.pipeline.kafka_fixture import dump, truth
from tests.pipeline.made_logs import OFFSETS, T0, batch, emptied, gapped, marker
from tidemark_pipeline.logs.directories import Found, find_logs
from tidemark_pipeline.logs.survey import survey, survey_all, tasks
from tidemark_pipeline.model import Marker, OffsetsLog, PipelineError, Survey
from tidemark_protocol.batch import CONTROL, TRANSACTIONAL, LogRecord, build_batch
from tidemark_protocol.compression import Codec


@pytest.fixture(scope="module")
def kafkas(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return find_logs([str(unpacked(tmp_path_factory.mktemp("kafka")))])


@pytest.fixture(scope="module")
def surveys(kafkas: Found) -> dict[int, Survey]:
    return survey_all(kafkas.logs.values(), on_error="fail")


def test_the_ends_are_those_that_kafka_reported(surveys: dict[int, Survey]) -> None:
    for told in truth()["beforeShutdown"]["topics"][OFFSETS]["partitions"]:
        found = surveys[told["partition"]]
        assert found.next_offset == told["logEndOffset"]
        assert found.last_stable_offset == told["lastStableOffset"]
        assert found.newest_timestamp_ms == told["maxTimestamp"]


def test_the_open_transactions_are_those_that_kafka_reported(surveys: dict[int, Survey]) -> None:
    said = truth()["beforeShutdown"]["producersOfConsumerOffsets"]
    for partition, producers in said.items():
        open_there = {
            each["producerId"]: each["currentTransactionStartOffset"]
            for each in producers
            if "currentTransactionStartOffset" in each
        }
        assert surveys[int(partition)].open_transactions == open_there


def test_no_record_is_missing_after_complete_from(surveys: dict[int, Survey]) -> None:
    for partition, found in surveys.items():
        there = {row["offset"] for row in dump() if row["partition"] == partition and not row.get("empty")}
        gone = set(range(found.next_offset)) - there
        assert found.complete_from == (max(gone) + 1 if gone else 0)
        assert found.first_offset == min(row["baseOffset"] for row in dump() if row["partition"] == partition)
    assert any(found.complete_from for found in surveys.values())


def test_the_tasks_hold_every_record_once_and_each_transactions_outcome(
    kafkas: Found, surveys: dict[int, Survey]
) -> None:
    for partition, log in kafkas.logs.items():
        planned = tasks(log, surveys[partition])
        assert [task.segment for task in planned] == list(log.segments)
        assert planned[0].first_offset == 0 and planned[-1].end_offset == log.end_offset
        assert all(a.end_offset == b.first_offset for a, b in pairwise(planned))
        for row in dump():
            if row["partition"] == partition and row["isTransactional"] and not row["isControl"]:
                task = next(each for each in planned if each.end_offset > row["baseOffset"])
                assert outcome(task.markers, row) == outcome(surveys[partition].markers, row)


def outcome(markers: object, row: dict[str, object]) -> bool | None:
    assert isinstance(markers, dict)
    later = [each for each in markers.get(row["producerId"], ()) if each.offset > row["baseOffset"]]
    return later[0].committed if later else None


def test_a_transaction_is_decided_in_a_later_segment(tmp_path: Path) -> None:
    log = made_logs.log(
        tmp_path,
        {
            0: [batch(0, producer=7), batch(1, producer=8)],
            2: [marker(2, 7, commits=True), batch(3, producer=7)],
            4: [marker(4, 8, commits=False)],
        },
    )
    found = survey(log)
    assert found.markers == {7: (Marker(2, True, T0, 0),), 8: (Marker(4, False, T0, 1),)}
    assert found.open_transactions == {7: 3} and found.last_stable_offset == 3
    first, second, third = tasks(log, found)
    assert first.markers == found.markers
    assert 7 not in second.markers and third.markers == {}, "nothing of producer 7 is decided in them"


def test_markers_that_have_nothing_to_decide_are_left_out(tmp_path: Path) -> None:
    log = made_logs.log(
        tmp_path, {0: [marker(0, 7, commits=True), emptied(1, 7), marker(5, 7, commits=False)]}
    )
    found = survey(log)
    assert found.markers == {} and found.open_transactions == {} and found.last_stable_offset == 6


def test_a_transaction_is_open_as_of_a_time_before_its_marker(tmp_path: Path) -> None:
    log = made_logs.log(
        tmp_path,
        {
            0: [
                batch(0, producer=7),
                marker(1, 7, commits=True, at_ms=T0 + 10),
                batch(2, producer=7, at_ms=T0 + 20),
                marker(3, 7, commits=False, at_ms=T0 + 5),  # the broker's clock was set back
            ]
        },
    )
    assert survey(log, as_of_ms=T0 + 10) == survey(log)
    before = survey(log, as_of_ms=T0 + 9)
    assert before.markers == {} and before.open_transactions == {7: 0} and before.last_stable_offset == 0


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        (b"\0\0\0", "the end of a transaction cannot be read: a control record without version and type"),
        (b"\0\0\0\2", "control record of type 2 of a transaction"),
    ],
)
def test_a_marker_that_cannot_be_read_is_an_error(tmp_path: Path, key: bytes, reason: str) -> None:
    broken = build_batch(
        [LogRecord(1, T0, key, bytes(6))], producer_id=7, producer_epoch=0, attributes=CONTROL | TRANSACTIONAL
    )
    log = made_logs.log(tmp_path, {0: [batch(0, producer=7), broken]})
    with pytest.raises(PipelineError, match=rf"byte {len(batch(0, producer=7))}: {reason}"):
        survey(log)


@pytest.mark.parametrize(("records", "size"), [(2, 6), (1, 1_000_000)])
def test_a_marker_that_is_compressed_does_not_fill_the_memory(
    tmp_path: Path, records: int, size: int
) -> None:
    """A broker writes one record of a few bytes, and does not compress it."""
    large = build_batch(
        [LogRecord(offset, T0, b"\0\0\0\1", bytes(size)) for offset in range(1, 1 + records)],
        compression=Codec.ZSTD,
        producer_id=7,
        producer_epoch=0,
        attributes=CONTROL | TRANSACTIONAL,
    )
    log = made_logs.log(tmp_path, {0: [batch(0, producer=7), large]})
    with pytest.raises(PipelineError, match="the end of a transaction cannot be read: (2 records|more than)"):
        survey(log)


def test_only_records_below_the_high_watermark_are_read(tmp_path: Path) -> None:
    log = made_logs.log(tmp_path, {0: [batch(0, producer=7), batch(1, 4)], 5: [marker(5, 7, commits=True)]})
    found = survey(replace(log, read_below=5))
    assert found.next_offset == 5 and found.last_stable_offset == 0 and found.markers == {}
    assert [task.end_offset for task in tasks(log, found)] == [5]
    later = survey(replace(log, read_below=6), cached=found)
    assert later == replace(survey(log), end=later.end)


def test_records_before_the_log_start_are_not_read(tmp_path: Path) -> None:
    log = made_logs.log(tmp_path, {0: [batch(0, 3), batch(3, 3)], 6: [batch(6)]})
    found = survey(replace(log, start_offset=4))
    assert (found.first_offset, found.complete_from) == (4, 4)
    assert [(task.first_offset, task.end_offset) for task in tasks(replace(log, start_offset=4), found)] == [
        (4, 6),
        (6, 7),
    ]


def test_segments_without_requested_offsets_have_no_task(tmp_path: Path) -> None:
    log = made_logs.log(tmp_path, {0: [batch(0, 3)], 3: [batch(3, 3)], 6: [batch(6, 3)], 9: []})
    found = survey(log)
    assert found.next_offset == 9
    assert [(t.first_offset, t.end_offset) for t in tasks(log, found, 4, 7)] == [(4, 6), (6, 7)]
    assert tasks(log, found, 9) == tasks(log, found, 5, 5) == []


def test_an_empty_log_has_nothing(tmp_path: Path) -> None:
    found = survey(made_logs.log(tmp_path, {17: []}))
    assert (found.next_offset, found.last_stable_offset, found.first_offset) == (17, 17, None)
    assert found.newest_timestamp_ms == -1 and found.complete_from is None


@pytest.mark.parametrize(
    "content",
    [
        {0: [batch(0, 5), batch(5, 5)], 5: [batch(5, 2)]},
        {0: [batch(100, 5)], 50: [batch(50)]},
        {0: [batch(2**40)]},
    ],
    ids=["into the next one", "behind the next one", "where no index reaches"],
)
def test_a_segment_that_overlaps_the_next_is_an_error(
    tmp_path: Path, content: dict[int, list[bytes]]
) -> None:
    log = made_logs.log(tmp_path, content)
    with pytest.raises(PipelineError, match=rf"{0:020d}\.log reaches to offset \d+, and should end before"):
        survey(log)


def test_complete_from_is_after_the_last_gap(tmp_path: Path) -> None:
    times = [T0 + number for number in range(4)]
    log = made_logs.log(
        tmp_path,
        {
            0: [batch(0, at_ms=times[0]), gapped(1, (1, 3), reaches=5, at_ms=times[1])],
            5: [batch(5, at_ms=times[2]), batch(6, 2, at_ms=times[3])],
        },
    )
    found = survey(log)
    assert (found.complete_from, found.complete_from_ms) == (5, times[1])
    assert (found.first_offset, found.first_timestamp_ms, found.newest_timestamp_ms) == (
        0,
        times[0],
        times[3],
    )


Step = tuple[str, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["data", "data", "plain", "commit", "abort", "empty", "gap"]), st.integers(1, 3)
    ),
    max_size=40,
)


def batches_of(steps: list[Step]) -> Iterator[tuple[int, str, int, bytes]]:
    """(offset, kind, producer, bytes)"""
    offset = 0
    for kind, producer in steps:
        if kind == "gap":
            offset += producer
            continue
        made = {
            "data": lambda at, by: batch(at, 2, producer=by),
            "plain": lambda at, by: batch(at, 2),
            "commit": lambda at, by: marker(at, by, commits=True),
            "abort": lambda at, by: marker(at, by, commits=False),
            "empty": emptied,
        }[kind](offset, producer)
        yield offset, kind, producer, made
        offset += 2 if kind in ("data", "plain") else 1


@settings(max_examples=60, deadline=None)
@given(STEPS, st.lists(st.integers(0, 80), max_size=3), st.integers(0, 40))
def test_any_log_is_surveyed_as_by_a_walk_over_it(steps: list[Step], rolls: list[int], seen: int) -> None:
    made = list(batches_of(steps))
    with TemporaryDirectory() as directory:
        log = written(Path(directory), made, rolls)
        found = survey(log)
        assert open_by_walk(made) == found.open_transactions
        for offset, kind, producer, _ in made:
            if kind == "data":
                decided = outcome_by_walk(made, offset, producer)
                row = {"producerId": producer, "baseOffset": offset}
                assert outcome(found.markers, row) == decided
                task = next(
                    each for each in tasks(log, found) if each.first_offset <= offset < each.end_offset
                )
                assert outcome(task.markers, row) == decided
    with TemporaryDirectory() as directory:
        earlier = survey(written(Path(directory), made[:seen], rolls))
        log = written(Path(directory), made, rolls)
        assert replace(survey(log, cached=earlier), end=None) == replace(survey(log), end=None)


def written(directory: Path, made: list[tuple[int, str, int, bytes]], rolls: list[int]) -> OffsetsLog:
    bases = sorted({0, *rolls} & {0, *(offset for offset, *_ in made)})
    content: dict[int, list[bytes]] = {base: [] for base in bases}
    for offset, _, _, data in made:
        content[bases[bisect_right(bases, offset) - 1]].append(data)
    return made_logs.log(directory, content)


def outcome_by_walk(made: list[tuple[int, str, int, bytes]], offset: int, producer: int) -> bool | None:
    for at, kind, by, _ in made:
        if at > offset and by == producer and kind in ("commit", "abort"):
            return kind == "commit"
    return None


def open_by_walk(made: list[tuple[int, str, int, bytes]]) -> dict[int, int]:
    still = [(by, at) for at, kind, by, _ in made if kind == "data" and outcome_by_walk(made, at, by) is None]
    return {by: min(at for other, at in still if other == by) for by, _ in still}
