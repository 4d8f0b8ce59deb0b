"""The steps of a stream without Spark: look, plan, read, sometimes die, and continue from the checkpoint."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pipeline.growing_log import GrowingLog
from tidemark_pipeline.model import PipelineError
from tidemark_pipeline.source.following import Following
from tidemark_pipeline.source.options import SourceOptions, source_options
from tidemark_pipeline.source.positions import from_json, limited, to_json
from tidemark_pipeline.source.scan import read_task, scan_of
from tidemark_protocol.checkpoints import encode_partition_metadata
from tidemark_protocol.log_files import PARTITION_METADATA


def options(root: Path, **given: str) -> SourceOptions:
    return source_options({"path": str(root), **given})


@dataclass
class Stream:
    """Acts like Spark with a source.

    It stores the end of a micro-batch before reading it, and its completion after storing its rows.
    """

    options: SourceOptions
    planned: list[dict[str, Any]] = field(default_factory=list)
    finished: int = 0
    stored: list[int] = field(default_factory=list)
    following: Following | None = None

    def micro_batch(self, **limits: Any) -> list[int] | None:
        """Return the committed offsets of its rows, stored. None if nothing is new."""
        rows = self.unfinished(**limits)
        if rows is not None:
            self.stored += rows
            self.finished += 1
            self.following.forget(from_json(self.planned[-1]))  # type: ignore[union-attr]
        return rows

    def unfinished(self, **limits: Any) -> list[int] | None:
        """Run a micro-batch as far as possible without storing its rows."""
        self.following = self.following or Following(self.options)
        if len(self.planned) == self.finished:
            start = from_json(self.planned[-1]) if self.planned else self.following.beginning()
            end = self.following.onward(start, **limits)
            if to_json(end) == to_json(start):
                return None
            self.planned.append(to_json(end))
        start = from_json(self.planned[-2]) if self.finished else self.following.beginning()
        end = from_json(self.planned[-1])
        return [
            number
            for piece in self.following.pieces(start, end)
            for task in piece
            for batch in read_task(task, scan_of(self.options))
            for number in batch.column("committed_offset").to_pylist()
        ]

    def die(self) -> None:
        self.following = None


def test_records_appended_after_a_listing_are_in_the_next_micro_batch(tmp_path: Path) -> None:
    log = GrowingLog(tmp_path)
    stream = Stream(options(tmp_path))
    first = log.commit(3)
    assert stream.micro_batch() == first
    assert stream.micro_batch() is None
    log.roll()
    assert stream.micro_batch() is None
    second = log.commit(2)
    assert stream.micro_batch() == second


def test_a_transaction_is_read_when_its_marker_exists_in_any_segment(tmp_path: Path) -> None:
    log = GrowingLog(tmp_path)
    stream = Stream(options(tmp_path))
    log.commit(1)
    pending = log.commit(2, producer_id=7)
    aborted = log.commit(1, producer_id=8)
    log.roll()
    after = log.commit(3)
    assert stream.micro_batch() == log.all[:1]
    log.end(8, commits=False)
    assert stream.micro_batch() is None
    log.roll()
    log.end(7, commits=True)
    assert stream.micro_batch() == [*pending, *after]
    assert not set(aborted) & set(stream.stored)


def test_with_all_transactions_no_outcome_is_awaited(tmp_path: Path) -> None:
    log = GrowingLog(tmp_path)
    log.commit(2, producer_id=7)
    log.commit(1)
    assert Stream(options(tmp_path, transactions="all")).micro_batch() == log.all


def test_an_outcome_may_be_stored_after_the_end_of_the_micro_batch(tmp_path: Path) -> None:
    log = GrowingLog(tmp_path)
    for producer_id, commits in ((7, True), (8, False), (7, False), (8, True)):
        log.commit(3, producer_id)
        log.roll()
        log.end(producer_id, commits=commits)
    stream = Stream(options(tmp_path))
    while stream.micro_batch(offsets_max=1) is not None:
        stream.die()  # so that the markers must be read again
    assert stream.stored == log.committed


def test_a_micro_batch_that_was_planned_before_a_kill_is_read_as_it_was_planned(tmp_path: Path) -> None:
    log = GrowingLog(tmp_path)
    stream = Stream(options(tmp_path))
    first = log.commit(3)
    assert stream.unfinished() == first
    stream.die()
    second = log.commit(2)
    assert stream.micro_batch() == first
    assert stream.micro_batch() == second


def test_a_new_log_partition_is_read_from_its_beginning(tmp_path: Path) -> None:
    log = GrowingLog(tmp_path, 10)
    stream = Stream(options(tmp_path))
    log.commit(1)
    stream.micro_batch()
    other = GrowingLog(tmp_path, 9, count(100))
    assert stream.micro_batch() is not None  # its position is new, though nothing is in it
    other.commit(2)
    assert stream.micro_batch() == [100, 101]
    assert stream.planned[-1] == {"9": 2, "10": 1}
    assert list(stream.planned[-1]) == ["9", "10"]  # Spark compares text


def test_available_now_stops_at_the_end_at_its_start(tmp_path: Path) -> None:
    log = GrowingLog(tmp_path)
    stream = Stream(options(tmp_path))
    log.commit(5)
    before = list(log.committed)
    stream.micro_batch(offsets_max=2)
    assert stream.following is not None
    target = stream.following.newest
    log.commit(5)
    GrowingLog(tmp_path, 1, count(100)).commit(5)
    while stream.micro_batch(offsets_max=2, target=target) is not None:
        log.commit(1)
    assert stream.stored == before


def test_options_prune_a_stream_as_they_do_a_batch(tmp_path: Path) -> None:
    logs = [GrowingLog(tmp_path, number, count(number * 100)) for number in range(3)]
    for log in logs:
        for _ in range(10):
            log.commit(1)
    wanted = options(tmp_path, log_partitions="0-1", offsets='{"0": [4, 6], "1": [8, null]}')
    stream = Stream(wanted)
    assert stream.micro_batch() == [4, 5, 108, 109]
    for log in logs:
        log.commit(1)
    assert stream.micro_batch() == [110]
    assert Stream(options(tmp_path, group="group-3", log_partitions="2")).micro_batch() == [203, 208]


def test_a_range_that_begins_beyond_the_end_of_the_log_waits_for_it(tmp_path: Path) -> None:
    log = GrowingLog(tmp_path)
    log.commit(2)
    stream = Stream(options(tmp_path, offsets='{"0": [5, null]}'))
    assert stream.micro_batch() in (None, [])
    log.commit(2)
    stream.micro_batch()
    log.commit(3)
    stream.micro_batch()
    assert stream.stored == [5, 6]


def test_offsets_deleted_before_they_were_read_are_an_error_or_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = GrowingLog(tmp_path)
    strict, lenient = Stream(options(tmp_path)), Stream(options(tmp_path, failOnDataLoss="false"))
    log.commit(3)
    for stream in (strict, lenient):
        stream.micro_batch()
    log.commit(4)
    log.roll()
    log.delete_closed_segments()
    left = log.commit(2)
    with pytest.raises(
        PipelineError, match="begins at offset 7 now, but was only read up to 3 .*failOnDataLoss"
    ):
        strict.micro_batch()
    assert not caplog.messages
    assert lenient.micro_batch() == left
    assert [message.partition(" ")[2] for message in caplog.messages] == [
        "begins at offset 7 now, but was only read up to 3"
    ]


def test_a_log_that_was_created_again_is_an_error_or_read_from_its_end(tmp_path: Path) -> None:
    log = GrowingLog(tmp_path / "a")
    log.commit(9)
    strict, lenient = (Stream(options(tmp_path / "a", failOnDataLoss=told)) for told in ("true", "false"))
    for stream in (strict, lenient):
        stream.micro_batch()
    log.directory.rename(tmp_path / "old")
    log = GrowingLog(tmp_path / "a", numbers=count(100))
    log.commit(3)
    with pytest.raises(PipelineError, match="ends at offset 3, but was read further"):
        strict.micro_batch()
    lenient.micro_batch()
    log.commit(1)
    assert lenient.micro_batch() == [103]


def with_topic_id(log: GrowingLog, topic_id: bytes) -> GrowingLog:
    (log.directory / PARTITION_METADATA).write_bytes(encode_partition_metadata(topic_id))
    return log


def test_a_topic_that_was_created_again_is_an_error_or_read_from_its_beginning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    root = tmp_path / "a"
    log = with_topic_id(GrowingLog(root), b"an id of a topic")
    log.commit(3)
    strict, lenient, dead = (Stream(options(root, failOnDataLoss=told)) for told in ("true", "false", "true"))
    for stream in (strict, lenient, dead):
        stream.micro_batch()
    assert strict.planned[-1] == {"0": 3, "topic_id": "YW4gaWQgb2YgYSB0b3BpYw"}
    log.commit(1)
    dead.unfinished()
    dead.die()
    log.directory.rename(tmp_path / "old")
    log = with_topic_id(GrowingLog(root, numbers=count(100)), b"the next one's..")
    log.commit(9)
    for stream in (strict, dead):
        with pytest.raises(
            PipelineError, match="created again: .*-0 has topic .* but YW4gaWQgb2.*OnDataLoss"
        ):
            stream.micro_batch()
    assert lenient.micro_batch(offsets_max=5) == [100, 101, 102, 103, 104]
    lenient.die()
    assert lenient.micro_batch() == [105, 106, 107, 108]
    assert len(caplog.messages) == 1


def test_fail_on_data_loss_false_reads_nothing_of_a_deleted_topic(
    tmp_path: Path,
) -> None:
    root = tmp_path / "a"
    log = with_topic_id(GrowingLog(root), b"an id of a topic")
    stream = Stream(options(root, failOnDataLoss="false"))
    log.commit(3)
    stream.unfinished()
    stream.die()
    log.directory.rename(tmp_path / "old")
    with_topic_id(GrowingLog(root, numbers=count(100)), b"the next one's..").commit(9)
    assert stream.micro_batch() == []
    assert stream.micro_batch() == list(range(100, 109))


def test_stream_continues_from_a_checkpoint_without_topic_ids(tmp_path: Path) -> None:
    """Kafka before 2.8 writes directories without topic ids."""
    log = GrowingLog(tmp_path)
    stream = Stream(options(tmp_path))
    log.commit(3)
    stream.micro_batch()
    with_topic_id(log, b"an id of a topic")
    log.commit(1)
    assert stream.micro_batch() == [3]
    assert stream.planned[-1].keys() == {"0", "topic_id"}


def test_a_checkpoint_of_another_source_is_an_error() -> None:
    with pytest.raises(PipelineError, match="is not of the source tidemark: it has {'orders': {'0': 5}}"):
        from_json({"orders": {"0": 5}})


def test_truncation_after_the_read_position_forgets_open_transactions(tmp_path: Path) -> None:
    """Another broker became the leader, and the follower did not have the end of the transaction."""
    log = GrowingLog(tmp_path)
    stream = Stream(options(tmp_path))
    read = log.commit(2)
    log.commit(2, producer_id=7)
    assert stream.micro_batch() == read
    cut = log.path(0).stat().st_size
    log.commit(6)
    assert stream.micro_batch() is None
    os.truncate(log.path(0), cut)
    log.next_offset = 4
    log.end(7, commits=False)
    after = log.commit(2)
    assert stream.micro_batch() == after


def test_a_missing_log_partition_is_an_error_only_if_it_must_be_read(tmp_path: Path) -> None:
    log, other = GrowingLog(tmp_path, 0), GrowingLog(tmp_path, 1, count(100))
    stream = Stream(options(tmp_path))
    log.commit(1)
    stream.micro_batch()
    gone = log.directory.rename(tmp_path / "elsewhere")
    other.commit(1)
    assert stream.micro_batch() == [100]
    gone.rename(log.directory)
    log.commit(1)
    assert stream.unfinished() == [1]
    log.directory.rename(gone)
    stream.die()
    with pytest.raises(PipelineError, match="partition 0 does not exist, but must be read up to offset 2"):
        stream.micro_batch()


def test_a_log_during_a_swap_is_complete(tmp_path: Path) -> None:
    log = GrowingLog(tmp_path)
    for _ in range(3):
        log.commit(3)
        log.roll()
    log.clean(swaps=False)
    log.commit(1)
    stream = Stream(options(tmp_path))
    stream.micro_batch()
    assert sorted(stream.stored) == sorted(set(log.committed) - log.cleaned)


@given(
    st.dictionaries(st.integers(0, 60), st.tuples(st.integers(0, 99), st.integers(0, 99))),
    st.integers(1, 500),
)
def test_a_limit_is_divided_evenly_and_completely(logs: dict[int, tuple[int, int]], offsets_max: int) -> None:
    start = {number: first for number, (first, _) in logs.items()}
    waiting = {number: more for number, (_, more) in logs.items()}
    end = {number: start[number] + waiting[number] for number in logs}
    reached = limited(start, end, offsets_max)
    taken = {number: reached[number] - start[number] for number in logs}
    assert all(0 <= taken[number] <= waiting[number] for number in logs)
    assert sum(taken.values()) == min(offsets_max, sum(waiting.values()))
    held_back = [taken[number] for number in logs if taken[number] < waiting[number]]
    assert max(held_back, default=0) - min(held_back, default=0) <= 1
    assert all(taken[number] <= min(held_back, default=99) + 1 for number in logs)


STEPS = (
    "commit",
    "commit",
    "transaction",
    "end",
    "roll",
    "clean",
    "look",
    "look",
    "kill",
    "late kill",
    "new",
)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_each_row_is_stored_once_despite_log_changes_and_crashes(seed: int, limits: bool) -> None:
    chance = random.Random(seed)
    with TemporaryDirectory() as folder:
        root, numbers = Path(folder), count()
        logs = [GrowingLog(root, 0, numbers)]
        stream = Stream(options(root))
        for _ in range(40):
            step(chance, root, logs, stream, {"offsets_max": chance.randint(1, 9)} if limits else {})
        for log in logs:
            for producer_id in (7, 8):
                log.end(producer_id, commits=chance.random() < 0.5)
        while stream.micro_batch() is not None:
            pass
    stored = Counter(stream.stored)
    assert not [number for number, times in stored.items() if times > 1]
    committed = {number for log in logs for number in log.committed}
    assert stored.keys() <= committed
    assert committed - stored.keys() <= {number for log in logs for number in log.cleaned}


def step(
    chance: random.Random, root: Path, logs: list[GrowingLog], stream: Stream, limits: dict[str, int]
) -> None:
    log = chance.choice(logs)
    match chance.choice(STEPS):
        case "commit":
            log.commit(chance.randint(1, 4))
        case "transaction":
            log.commit(chance.randint(1, 3), producer_id=chance.choice((7, 8)))
        case "end":
            log.end(chance.choice((7, 8)), commits=chance.random() < 0.6)
        case "roll":
            log.roll()
        case "clean":
            log.clean()
        case "half clean":
            log.clean(swaps=False)
        case "look":
            stream.micro_batch(**limits)
        case "kill":
            stream.die()
        case "late kill":
            stream.unfinished(**limits)
            stream.die()
        case "new" if len(logs) < 3:
            logs.append(GrowingLog(root, len(logs), logs[0].numbers))
