"""After Ctrl-C, the command says which outputs are complete."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.pipeline.growing_log import GrowingLog
from tidemark_pipeline.cli import outdir
from tidemark_pipeline.cli.main import interrupted, outputs
from tidemark_pipeline.cli.options import parse
from tidemark_pipeline.cli.output import write_file

ROOT: Final = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("as_json", [False, True])
def test_control_c_names_the_output_that_was_not_written(as_json: bool, tmp_path: Path) -> None:
    """A java that does not end stands in for a command that takes long."""
    GrowingLog(tmp_path / "data").commit()
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    os.mkfifo(tmp_path / "begun")
    java.write_text(f"#!/bin/sh\necho > {tmp_path / 'begun'}\nexec sleep 600\n")
    java.chmod(0o755)
    command = [sys.executable, "-m", "tidemark_pipeline", "lag", "--log-dir", str(tmp_path / "data")]
    running = subprocess.Popen(
        [*command, "--out", "lag", *(["--json"] if as_json else [])],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={
            "PATH": "/usr/bin:/bin",
            "JAVA_HOME": str(tmp_path),
            "PYTHONPATH": f"{ROOT / 'pipeline'}:{ROOT / 'protocol'}",
        },
    )
    try:
        (tmp_path / "begun").read_text()  # returns when java has opened it
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=60)[1]
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 130
    if as_json:
        assert json.loads(said) == {"error": "interrupted: lag was not written", "exit_code": 130}
    else:
        assert said == "tidemark-pipeline: interrupted: lag was not written\n"


def test_outputs_are_complete_unchanged_or_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = parse(["removals", "--log-dir", "a", "--out", "table", "--reset-csv", "lost.csv"])
    before = outputs(options)
    assert interrupted(options, before) == "interrupted: table was not written, lost.csv was not written"
    with outdir.replaced(Path("table"), {}):
        pass
    assert interrupted(options, before) == "interrupted: table is complete, lost.csv was not written"
    write_file("lost.csv", "orders,0,5\n")
    before = outputs(options)
    assert interrupted(options, before) == "interrupted: table is unchanged, lost.csv is unchanged"
    with outdir.replaced(Path("table"), {}):
        pass
    write_file("lost.csv", "orders,0,5\n")
    assert interrupted(options, before) == "interrupted: table is complete, lost.csv is complete"


def test_an_interrupt_without_outputs_has_nothing_to_say() -> None:
    options = parse(["lag", "--log-dir", "a"])
    assert interrupted(options, outputs(options)) == "interrupted"


def test_an_output_elsewhere_is_complete_if_it_says_so() -> None:
    options = parse(["lag", "--log-dir", "a", "--out", "s3a://backup/lag"])
    said = "interrupted: s3a://backup/lag is complete only if it has _SUCCESS"
    assert interrupted(options, outputs(options)) == said


def test_follow_continues_after_an_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = parse(["history", "--log-dir", "a", "--out", "table", "--follow"])
    assert interrupted(options, outputs(options)) == "interrupted: table was not written"
    with outdir.replaced(Path("table"), {"follow": True}):
        pass
    said = "interrupted: table keeps its rows, and the same command continues after them"
    assert interrupted(options, outputs(options)) == said
