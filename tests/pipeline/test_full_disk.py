"""A disk that is full while --out is written: one sentence, the old output unchanged, no leftovers."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pipeline.growing_log import GrowingLog
from tidemark_pipeline.cli import output
from tidemark_pipeline.cli.main import main
from tidemark_pipeline.model import PipelineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

ROWS = 20_000


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of 128 KB."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "none", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("this machine does not let us mount a tmpfs")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


@pytest.fixture
def log(tmp_path: Path) -> GrowingLog:
    grown = GrowingLog(tmp_path / "data")
    grown.commit(ROWS)
    return grown


def content(place: Path) -> dict[str, bytes]:
    files = (path for path in place.rglob("*") if path.is_file())
    return {str(path.relative_to(place)): path.read_bytes() for path in files}


@pytest.mark.parametrize("form", ["parquet", "csv", "json"])
def test_table_that_does_not_fit_leaves_the_old_one(
    spark: SparkSession, log: GrowingLog, small: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = small / "out"
    line = ["--log-dir", str(log.directory), "--out", str(out), "--format", form]
    assert main(["current", *line]) == 0
    before = content(small)
    capsys.readouterr()
    assert main(["history", *line]) == 1
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == f"tidemark-pipeline: {out} cannot be written: No space left on device"
    assert content(small) == before
    assert sorted(path.name for path in small.iterdir()) == ["out"]


def test_follow_continues_when_there_is_space_again(
    spark: SparkSession, log: GrowingLog, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = small / "out"
    line = ["history", "--log-dir", str(log.directory), "--out", str(out), "--follow", "--once"]
    assert main(line) == 1
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == f"tidemark-pipeline: {out} cannot be written: No space left on device"
    subprocess.run(["mount", "-o", "remount,size=50m", small], check=True)
    assert main(line) == 0
    assert sorted(row["committed_offset"] for row in spark.read.parquet(str(out)).collect()) == log.committed


def test_page_that_does_not_fit_leaves_the_old_one(small: Path) -> None:
    page = small / "report.html"
    output.write_file(str(page), "old")
    with pytest.raises(PipelineError) as raised:
        output.write_file(str(page), "new" * 100_000)
    assert str(raised.value) == f"{page} cannot be written: No space left on device"
    assert content(small) == {"report.html": b"old"}
