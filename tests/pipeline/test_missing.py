"""Copies of Kafka's directory that lack files are noticed; complete directories are not suspected."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kafkas_directory import unpacked
from tests.pipeline.growing_log import GrowingLog
from tests.pipeline.made_logs import OFFSETS, batch, checkpoint, gapped, segment
from tidemark_pipeline.cli.options import parse
from tidemark_pipeline.cli.reading import begin
from tidemark_protocol.log_files import (
    CLEANER_OFFSETS,
    HIGH_WATERMARKS,
    LOG_STARTS,
    TIDEMARK_PROPERTIES,
    directory_name,
    offset_of,
)

NEVER_CLEANED = 1  # its segments begin at 0, 380, 762, 914; those of 0 were cleaned up to offset 800


@pytest.fixture
def kafkas(tmp_path: Path) -> Path:
    return unpacked(tmp_path)


def partition(data: Path, number: int) -> Path:
    return data / directory_name(OFFSETS, number)


def bases(directory: Path) -> list[int]:
    return sorted(base for path in directory.iterdir() if (base := offset_of(path.name, ".log")) is not None)


def remove(directory: Path, base: int, *suffixes: str) -> None:
    for path in directory.glob(f"{base:020d}.*"):
        if not suffixes or path.suffix in suffixes:
            path.unlink()


def missing_in(data: Path) -> list[str]:
    """Return the sentences, without the directory of the log partition."""
    said = begin(parse(["current", "--log-dir", str(data)]), 0).missing
    return [sentence.removeprefix(f"{data}/{OFFSETS}-") for sentence in said]


def test_nothing_is_missing_in_kafkas_directory(kafkas: Path) -> None:
    """Three of its logs were cleaned. Indexes are not needed."""
    assert missing_in(kafkas) == []
    for path in kafkas.glob(f"{OFFSETS}-*/*.*index"):
        path.unlink()
    assert missing_in(kafkas) == []


def test_a_missing_middle_segment_is_noticed_where_the_cleaner_has_not_been(kafkas: Path) -> None:
    remove(partition(kafkas, NEVER_CLEANED), 380)
    (said,) = missing_in(kafkas)
    assert said.startswith("1: no segment has the offsets 380 to 761, ")


def test_a_missing_middle_segment_is_noticed_by_its_index_also_where_the_cleaner_has_been(
    kafkas: Path,
) -> None:
    cleaned = partition(kafkas, 0)
    middle = bases(cleaned)[1]
    remove(cleaned, middle, ".log")
    assert missing_in(kafkas) == [f"0: the index of the segment {middle:020d} is there, and its .log is not"]


def test_a_missing_first_segment_is_noticed(kafkas: Path) -> None:
    directory = partition(kafkas, NEVER_CLEANED)
    remove(directory, 0)
    (said,) = missing_in(kafkas)
    assert said == "1: the log begins at offset 380: earlier segments were deleted, or are missing"
    checkpoint(kafkas, LOG_STARTS, {(OFFSETS, NEVER_CLEANED): 400})  # as DeleteRecords leaves it
    assert missing_in(kafkas) == []


def test_a_missing_end_is_noticed(kafkas: Path) -> None:
    directory = partition(kafkas, NEVER_CLEANED)
    last = directory / f"{bases(directory)[-1]:020d}.log"
    last.write_bytes(last.read_bytes()[:-1])
    (said,) = missing_in(kafkas)
    assert said.startswith("1: the log ends at offset 1060, ") and said.endswith("records up to 1061")
    remove(directory, 914)
    (said,) = missing_in(kafkas)
    assert said.startswith("1: the log ends at offset 914, ")


def test_segments_between_which_the_cleaner_removed_records_are_complete(tmp_path: Path) -> None:
    directory = partition(tmp_path, 0)
    segment(directory, 0, batch(0, 10))
    segment(directory, 20, gapped(20, [29], reaches=30))
    segment(directory, 30, batch(30))
    said = "0: no segment has the offsets 10 to 19, "
    for cleaned, expected in (({(OFFSETS, 0): 30}, []), ({}, [])):
        checkpoint(tmp_path, CLEANER_OFFSETS, cleaned)
        assert missing_in(tmp_path) == expected  # {}: a new replica, which has a copy of a cleaned log
    segment(directory, 20, batch(20, 10))
    (found,) = missing_in(tmp_path)
    assert found.startswith(said)
    (tmp_path / CLEANER_OFFSETS).unlink()
    assert missing_in(tmp_path) == []
    checkpoint(tmp_path, CLEANER_OFFSETS, {})
    (tmp_path / TIDEMARK_PROPERTIES).touch()
    assert missing_in(tmp_path) == []


def test_a_running_broker_is_not_suspected(tmp_path: Path) -> None:
    """Its files are renamed one by one, and its checkpoints are older than its logs."""
    log = GrowingLog(tmp_path)
    for _ in range(3):
        log.commit(3)
        log.roll()
        (log.directory / f"{log.next_offset:020d}.index").touch()
    checkpoint(tmp_path, HIGH_WATERMARKS, {(OFFSETS, 0): log.next_offset})
    checkpoint(tmp_path, CLEANER_OFFSETS, {(OFFSETS, 0): log.next_offset})
    log.commit(3)
    log.clean(swaps=False)
    assert sorted(path.suffix for path in log.directory.iterdir()) == [
        *[".deleted"] * 2, *[".index"] * 3, ".log", ".log", ".swap",
    ]  # fmt: skip
    assert missing_in(tmp_path) == []
    log.swap()
    assert missing_in(tmp_path) == []
