"""Unreadable input gives one sentence with file and byte, and exit code 1. Skipped records are counted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.pipeline.made_logs import OFFSETS, T0, segment
from tidemark_pipeline.cli.main import main
from tidemark_protocol.batch import BatchBuilder
from tidemark_protocol.log_files import directory_name
from tidemark_protocol.records.offset_commit import OffsetCommitKey, OffsetCommitValue
from tidemark_protocol.stored import CoordinatorCodec

YEAR_3000_MS = 32_503_680_000_000
NOBODY = 65534
CODEC = CoordinatorCodec()

Record = tuple[bytes, bytes | None]


def commit(partition: int, offset: int) -> Record:
    value = OffsetCommitValue(offset=offset, leader_epoch=-1, metadata="", commit_timestamp=T0)
    return CODEC.encode(OffsetCommitKey(group="billing", topic="orders", partition=partition), value)


def written(records: Sequence[Record], offset: int, at_ms: int = T0) -> bytes:
    builder = BatchBuilder(at_ms)
    for record in records:
        builder.add(*record)
    return builder.build(offset, 0)


def batch(offset: int, at_ms: int = T0) -> bytes:
    """Return a batch with one commit, of the partition that its log offset names."""
    return written([commit(offset, 100 + offset)], offset, at_ms)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Create the directory of a log partition in a log directory."""
    return tmp_path / "data" / directory_name(OFFSETS, 0)


def failed(log: Path, capsys: pytest.CaptureFixture[str], command: str = "current") -> str:
    """Return the command's message about an unreadable log directory."""
    return refused(capsys, command, "--log-dir", str(log.parent))


def refused(capsys: pytest.CaptureFixture[str], *asked: str) -> str:
    assert main(asked) == 1
    said = capsys.readouterr()
    assert said.out == ""
    # But for how far it is.
    lines = [line for line in said.err.splitlines() if not line.startswith(f"{asked[0]}: ")]
    assert len(lines) == 1, said.err
    return lines[0]


# Errors before Spark starts.


@pytest.fixture(autouse=True)
def without_the_extra() -> None:
    pytest.importorskip("pyspark")


def test_missing_path_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = tmp_path / "nowhere"
    assert refused(capsys, "current", "--log-dir", str(nowhere)) == (
        f"tidemark-pipeline: {nowhere}: no such file or directory"
    )


def test_an_empty_directory_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "current", "--log-dir", str(tmp_path))
    assert said == f"tidemark-pipeline: {tmp_path} is empty"


def test_a_directory_of_another_topic_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    segment(tmp_path / "orders-0", 0, batch(0))
    said = refused(capsys, "current", "--log-dir", str(tmp_path))
    assert said == f"tidemark-pipeline: {tmp_path}: nothing of {OFFSETS} is there, only orders"


def test_a_file_as_log_directory_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "00000000000000000000.log"
    file.write_bytes(batch(0))
    said = refused(capsys, "current", "--log-dir", str(file))
    assert str(file) in said and "directory" in said


def test_an_unreadable_segment_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        path = segment(Path(place, directory_name(OFFSETS, 0)), 0, batch(0))
        path.chmod(0)
        refused(
            capsys, "current", "--log-dir", f"{place}/nowhere"
        )  # imports modules that the user "nobody" may not read
        with no_privileges():
            said = refused(capsys, "current", "--log-dir", place)
    assert said == f"tidemark-pipeline: {path}: Permission denied"


@contextmanager
def no_privileges() -> Iterator[None]:
    """Drop privileges, because root ignores permissions."""
    was = os.geteuid()
    if was == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(was)


def test_damage_between_two_batches_is_an_error(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = batch(0)
    path = segment(log, 0, whole, bytes(40), batch(2))
    said = failed(log, capsys)
    assert f"{path}, byte {len(whole)}: " in said or f"{path}: byte {len(whole)}: " in said


def test_a_truncated_segment_before_the_last_one_is_an_error(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = segment(log, 0, batch(0), batch(1)[:-1])
    segment(log, 2, batch(2))
    said = failed(log, capsys)
    assert str(path) in said and str(len(batch(0))) in said


def test_an_output_that_is_not_ours_is_left_alone(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    segment(log, 0, batch(0))
    out = log.parent
    said = refused(capsys, "current", "--log-dir", str(out), "--out", str(out))
    assert said.endswith("name another directory")
    assert sorted(path.name for path in out.iterdir()) == [log.name]


def test_a_newest_timestamp_outside_the_calendar_is_an_error(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    segment(log, 0, batch(0), batch(1, 2**63 - 1))
    said = failed(log, capsys)
    assert "9223372036854775807" in said and "--as-of" in said


# Errors in a Spark worker.


@pytest.mark.slow
@pytest.mark.java
def test_a_wrong_crc_is_an_error(log: Path, capsys: pytest.CaptureFixture[str], spark: object) -> None:
    broken = bytearray(batch(1))
    broken[-1] ^= 1
    path = segment(log, 0, batch(0), bytes(broken), batch(2))
    said = failed(log, capsys)
    assert str(path) in said and str(len(batch(0))) in said and "CRC" in said.upper()


@pytest.mark.slow
@pytest.mark.java
def test_group_metadata_that_cannot_be_parsed_is_an_error(
    log: Path, capsys: pytest.CaptureFixture[str], spark: object
) -> None:
    """Kafka does not load such a partition."""
    key = b"\x00\x02\x00\x05sales"
    path = segment(log, 0, batch(0), written([(key, b"\x00\x03\x00\x08consum")], 1))
    said = failed(log, capsys, "timeline")
    assert "'sales'" in said and str(path) in said


@pytest.mark.slow
@pytest.mark.java
def test_skipped_records_and_torn_tails_are_counted(
    log: Path, capsys: pytest.CaptureFixture[str], spark: object
) -> None:
    unknown = written(
        [(b"\x00\x18who knows", b"x"), (b"\x00\x18who knows", None), (b"\x00\x4dlater", b"x")], 1
    )
    torn = segment(log, 0, batch(0), unknown, batch(4)[:-7])
    assert main(["current", "--log-dir", str(log.parent)]) == 0
    said = capsys.readouterr()
    assert [line.split()[:4] for line in said.out.splitlines()[1:]] == [["billing", "orders", "0", "100"]]
    assert "4 records in 1 segment" in said.err
    assert "skipped: 2 records of unknown key version 24\n" in said.err
    assert "skipped: 1 record of unknown key version 77\n" in said.err
    assert f"torn tail ignored: {torn}, from byte {len(batch(0)) + len(unknown)}: " in said.err


@pytest.mark.slow
@pytest.mark.java
def test_a_time_in_the_far_future_is_the_clock_and_a_warning(
    log: Path, capsys: pytest.CaptureFixture[str], spark: object
) -> None:
    segment(log, 0, batch(0), batch(1, YEAR_3000_MS))
    assert main(["current", "--log-dir", str(log.parent)]) == 0
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 3
    assert "as of 3000-01-01T00:00:00.000Z (the newest record), " in said.err
    assert "warning: that is ahead of this computer's clock" in said.err
