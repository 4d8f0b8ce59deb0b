"""`history --follow` continues after a stop, and `--settle` makes its directory readable by any engine."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow.parquet as pq
import pytest

from tests.pipeline.growing_log import GrowingLog
from tidemark_pipeline.cli.main import main
from tidemark_pipeline.cli.outdir import CHECKPOINT, MARKER, told

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

ROOT: Final = Path(__file__).resolve().parents[2]
DEADLINE_S: Final = 240
PRODUCER: Final = 7


def by_spark(spark: SparkSession, out: Path) -> list[int]:
    return sorted(row["committed_offset"] for row in spark.read.parquet(str(out)).collect())


def by_others(out: Path) -> list[int]:
    return sorted(pq.read_table(out).column("committed_offset").to_pylist())


def test_appended_rows_appear_once_and_open_transactions_wait(spark: SparkSession, tmp_path: Path) -> None:
    log = GrowingLog(tmp_path / "data")
    out = tmp_path / "history"
    line = ["history", "--log-dir", str(tmp_path / "data"), "--out", str(out), "--follow", "--once"]
    log.commit(3)
    assert main(line) == 0
    assert by_spark(spark, out) == log.committed
    (out / CHECKPOINT).rename(tmp_path / "gone")
    assert main(line) == 1  # otherwise Spark would not write later rows
    (tmp_path / "gone").rename(out / CHECKPOINT)
    log.roll()
    log.commit(2)
    log.commit(2, PRODUCER)
    before_it_is_committed = list(log.committed)
    assert main(line) == 0
    assert by_spark(spark, out) == before_it_is_committed
    log.end(PRODUCER, commits=True)
    assert main(line) == 0
    assert by_spark(spark, out) == sorted(log.committed)
    assert (told(out) or {})["follow"] is True and (out / CHECKPOINT).is_dir()
    orphan = out / "part-00099-killed.snappy.parquet"
    orphan.write_bytes(next(out.glob("part-*")).read_bytes())  # the state after a run was killed
    assert by_others(out) != sorted(log.committed)
    assert main(["history", "--settle", "--out", str(out)]) == 0
    assert by_others(out) == sorted(log.committed)


def test_a_table_does_not_replace_the_output_of_follow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyspark")
    GrowingLog(tmp_path / "data").commit()
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / MARKER).write_text('{"written_by": "tidemark-pipeline", "follow": true}')
    out = str(tmp_path / "history")
    assert main(["history", "--log-dir", str(tmp_path / "data"), "--out", out]) == 1
    assert "was written with --follow" in capsys.readouterr().err


@pytest.mark.ecosystem
def test_control_c_stops_follow_cleanly(spark: SparkSession, tmp_path: Path) -> None:
    log = GrowingLog(tmp_path / "data")
    log.commit(4)
    out = tmp_path / "history"
    command = [sys.executable, "-m", "tidemark_pipeline", "history", "--follow", "--master", "local[1]"]
    running = subprocess.Popen(
        [*command, "--log-dir", str(tmp_path / "data"), "--out", str(out)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT / "pipeline",
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{ROOT / 'pipeline'}:{ROOT / 'protocol'}"},
    )
    try:
        deadline = time.monotonic() + DEADLINE_S
        while not list((out / "_spark_metadata").glob("[0-9]")):  # a micro-batch is finished
            assert running.poll() is None and time.monotonic() < deadline
            time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=DEADLINE_S)[1]
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 0
    *counts, kept = said.splitlines()
    assert counts[-1].startswith("4 rows in total, ")
    assert all(re.fullmatch(r"\d rows (so far|in total), \d+ s", line) for line in counts), said
    assert kept == f"{out} has them; the same command continues after them"
    assert by_spark(spark, out) == log.committed
