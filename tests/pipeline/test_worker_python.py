"""Spark's workers on this machine run the driver's Python, or one that can read logs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.pipeline.conftest import home_without_zip, submit_arguments
from tests.pipeline.growing_log import GrowingLog

pytest.importorskip("pyspark")

from tidemark_pipeline.source.session import why_not

ROOT: Final = Path(__file__).resolve().parents[2]
CODE: Final = f"{ROOT / 'pipeline'}:{ROOT / 'protocol'}"
COUNT: Final = """
import sys
from pyspark.sql import SparkSession
from tidemark_pipeline import register
spark = SparkSession.builder.master("local[1]").getOrCreate()
register(spark)
print("counted", spark.read.format("tidemark").load(sys.argv[1]).count())
"""


def other_python(folder: Path, script: str) -> str:
    """Return the path of a program that Spark would run as Python."""
    folder.mkdir(exist_ok=True)
    program = folder / "python3"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 2.7", "is Python 2.7, but this is Python 3."),
        (f'exec {sys.executable} -S "$@"', "has no module pyarrow"),
        ("echo no such library >&2; exit 127", "does not run: no such library"),
        ("exit 3", "does not run: exit code 3"),
        (f'exec {sys.executable} "$@"', None),
    ],
)
def test_a_python_that_cannot_read_logs_is_described(
    script: str, said: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", CODE)
    found = why_not(other_python(tmp_path, script))
    assert (found or "") == "" if said is None else (found or "").startswith(said)


def test_a_python_that_does_not_exist_is_described(tmp_path: Path) -> None:
    assert why_not(str(tmp_path / "nothing")) == "cannot be run: No such file or directory"


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.parametrize("chosen", [False, True], ids=["on the PATH", "PYSPARK_PYTHON"])
def test_another_python_is_not_used_on_the_path_and_refused_in_a_sentence_if_chosen(
    chosen: bool, tmp_path: Path
) -> None:
    log = GrowingLog(tmp_path / "data")
    log.commit(3)
    other = other_python(tmp_path / "bin", f'exec {sys.executable} -S "$@"')
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": CODE}
    environment.pop("PYSPARK_PYTHON", None)
    environment["SPARK_HOME"] = str(home_without_zip(tmp_path / "home"))
    environment["PYSPARK_SUBMIT_ARGS"] = f"{submit_arguments()} pyspark-shell"
    if chosen:
        environment["PYSPARK_PYTHON"] = other
    done = subprocess.run(
        [sys.executable, "-c", COUNT, str(tmp_path / "data")], capture_output=True, text=True, env=environment
    )
    if chosen:
        assert done.stderr.splitlines()[-1] == (
            f"tidemark_pipeline.model.PipelineError: PYSPARK_PYTHON is {other}, which has no module pyarrow: "
            f"set it to {sys.executable} before the session starts"
        )
    else:
        assert "counted 3" in done.stdout, done.stderr
