"""Tables of Delta Lake and Iceberg: readers without Spark find each row once, also after kill -9."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq
import pytest

from tests.broker_process import ROOT
from tests.clientenv import client_python
from tests.pipeline.growing_log import GrowingLog
from tidemark_pipeline.cli import delta, iceberg, outdir

pytestmark = [pytest.mark.ecosystem, pytest.mark.slow, pytest.mark.java, pytest.mark.timeout(1800)]

HERE: Final = Path(__file__).parent
CODE: Final = os.pathsep.join(str(ROOT / name) for name in ("pipeline", "protocol"))
DEADLINE_S: Final = 300
APPEND_EVERY_S: Final = 0.05
PRODUCER: Final = 7
NEWEST: Final = {"delta": delta.newest_batch, "iceberg": iceberg.newest_batch}


def python_for(form: str) -> str:
    """Return a Python whose PySpark the engine supports: an older one for Delta Lake, ours for Iceberg."""
    pytest.importorskip("pyspark")
    return str(client_python("lakes")) if form == "delta" else sys.executable


def started(form: str, said: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a Python, with stdout and stderr in said."""
    environment = {**os.environ, "PYTHONPATH": CODE}
    environment.pop("SPARK_HOME", None)  # tests of the pipeline set that of our PySpark
    with said.open("wb") as file:
        return subprocess.Popen(
            [python_for(form), *arguments],
            env=environment,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )


def finished(child: subprocess.Popen[bytes], said: Path) -> str:
    try:
        code = child.wait(DEADLINE_S)
    finally:
        kill_all(child)
    text = said.read_text()
    assert code == 0, text
    return text


def kill_all(child: subprocess.Popen[bytes]) -> None:
    """Kill the process, its JVM and its Python workers: all that is in its session."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == child.pid:
            try:
                os.kill(int(stat.parent.name), signal.SIGKILL)
            except ProcessLookupError:
                continue
    child.wait()


class Followed:
    """A log that grows, and `history --follow` that writes it to a table."""

    def __init__(self, place: Path, form: str) -> None:
        self.log = GrowingLog(place / "data")
        self.form = form
        self.out = place / "table"
        self.said = place / "said"
        self.log_dir = str(place / "data")
        self.line = [
            "history",
            "--log-dir",
            self.log_dir,
            "--out",
            str(self.out),
            "--format",
            form,
            "--follow",
        ]

    def follow(self) -> subprocess.Popen[bytes]:
        more = ("--master", "local[1]", "--every-seconds", "1")
        return started(self.form, self.said, "-m", "tidemark_pipeline", *self.line, *more)

    def newest(self) -> int:
        recorded = NEWEST[self.form](self.out)
        return -1 if recorded is None else recorded[1]

    def grown_until_batch(self, child: subprocess.Popen[bytes], number: int) -> None:
        """Append until the table has this micro-batch."""
        append_at = time.monotonic()
        deadline = append_at + DEADLINE_S
        commits = outdir.commits(self.out, self.form)
        while True:
            if outdir.commits(self.out, self.form) != commits:
                commits = outdir.commits(self.out, self.form)
                if self.newest() >= number:
                    return
            assert child.poll() is None, self.said.read_text()
            assert time.monotonic() < deadline
            if time.monotonic() >= append_at:
                self.log.commit(3)
                append_at = time.monotonic() + APPEND_EVERY_S
            time.sleep(0.002)

    def forget_the_end_of_the_last_batch(self) -> None:
        """Restore the state between the commit of the table and that of the checkpoint, which is short."""
        newest = self.newest()
        for name in ("commits", "offsets"):
            for path in (self.out / "_checkpoint" / name).glob("[0-9]*"):
                if int(path.name) > newest or (int(path.name) == newest and name == "commits"):
                    path.unlink()
        assert (self.out / "_checkpoint" / "offsets" / str(newest)).exists()


@pytest.fixture(params=["delta", "iceberg"])
def followed(request: pytest.FixtureRequest, tmp_path: Path) -> Followed:
    return Followed(tmp_path, request.param)


def test_two_kills_lose_and_repeat_nothing(followed: Followed, tmp_path: Path) -> None:
    log = followed.log
    log.commit(50)
    for in_the_middle in (True, False):
        child = followed.follow()
        try:
            followed.grown_until_batch(child, followed.newest() + 2)
            if in_the_middle:  # the next micro-batch has begun, or begins
                planned = followed.out / "_checkpoint" / "offsets" / str(followed.newest() + 1)
                wait_for_file(planned, child, log)
        finally:
            kill_all(child)
    followed.forget_the_end_of_the_last_batch()
    log.roll()
    log.commit(40, PRODUCER)
    log.end(PRODUCER, commits=True)
    log.commit(9, PRODUCER + 1)  # stays open
    history = tmp_path / "history"
    lines = [[*followed.line, "--once"], ["history", "--log-dir", followed.log_dir, "--out", str(history)]]
    assert [each["code"] for each in commands(followed.form, lines, tmp_path, tmp_path)] == [0, 0]
    expected = [dict(row) for row in pq.read_table(history).to_pylist()]
    assert sorted(row["committed_offset"] for row in expected) == log.committed
    assert counted(read(followed.form, followed.out, tmp_path)) == counted(expected)


def wait_for_file(path: Path, child: subprocess.Popen[bytes], log: GrowingLog) -> None:
    deadline = time.monotonic() + DEADLINE_S
    log.commit(3)
    while not path.exists():
        assert child.poll() is None and time.monotonic() < deadline
        time.sleep(0.002)


def read(form: str, table: Path, tmp_path: Path) -> list[dict[str, Any]]:
    """Return the rows as a reader without Spark returns them."""
    file = tmp_path / "read.parquet"
    reader = [client_python("lakes"), HERE / "lake_reader.py", form, table, file]
    subprocess.run(reader, check=True, timeout=DEADLINE_S)
    return [dict(row) for row in pq.read_table(file).to_pylist()]


def counted(rows: list[dict[str, Any]]) -> Counter[str]:
    return Counter(json.dumps(row, default=str, sort_keys=True) for row in rows)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB."""
    place = tmp_path / "small"
    place.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "none", place], capture_output=True, check=False
    ).returncode:
        pytest.skip("this machine does not let us mount a tmpfs")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_full_disk_leaves_the_old_table(small: Path, tmp_path: Path, form: str) -> None:
    log = GrowingLog(tmp_path / "data")
    log.commit(20_000)
    out = small / "out"
    to_table = ["--log-dir", str(tmp_path / "data"), "--out", str(out), "--format", form]
    lines = [
        ["current", *to_table],
        ["fill", str(small)],
        ["history", *to_table],
        ["free", str(small)],
        ["history", *to_table],
        ["history", *to_table[:-1], "parquet"],
    ]
    first, _, failed, _, later, other_format = commands(form, lines, small, tmp_path)
    assert (first["code"], later["code"]) == (0, 0)
    assert failed["code"] == 1
    assert failed["said"].splitlines()[-1] == (
        f"tidemark-pipeline: {out} cannot be written: No space left on device"
    )
    assert failed["files"] == first["files"]
    assert sorted(row["committed_offset"] for row in read(form, out, tmp_path)) == log.committed
    assert "cannot replace it" in other_format["said"]
    assert other_format["files"] == later["files"]


def commands(form: str, lines: list[list[str]], place: Path, tmp_path: Path) -> list[dict[str, Any]]:
    """Return what each command line of lake_commands.py has led to."""
    asked, said = tmp_path / "lines.json", tmp_path / "results"
    asked.write_text(json.dumps(lines))
    script = str(HERE / "lake_commands.py")
    results = finished(started(form, said, script, form, str(asked), str(place)), said)
    return list(json.loads(results.splitlines()[-1]))
