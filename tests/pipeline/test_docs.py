"""Run the commands of docs/pipeline.md as written, and compare their output with the page."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

from tests import needs
from tests.pipeline.conftest import submit_arguments
from tidemark_pipeline.cli.options import parse

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "docs" / "pipeline.md").read_text("utf-8")
SECONDS: Final = re.compile(r", \d+\.\d s$", re.MULTILINE)
PROGRESS: Final = re.compile(r"^\w+: ([a-zS ]+, )?(\d+ of \d+ tasks, )?\d+ s\n", re.MULTILINE)


def page_section(title: str) -> str:
    """Return the section of the page below a heading of any level, to the next one of the same level."""
    marks, rest = re.split(rf"^(#+) {re.escape(title)}\n", PAGE, maxsplit=1, flags=re.MULTILINE)[1:]
    return re.split(rf"^{marks} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


EXAMPLE: Final = page_section("An example")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which the commands run, with the files of a checkout that they name."""
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(tmp_path)
    subprocess.run(commands(EXAMPLE)[0][0], shell=True, check=True)
    return tmp_path


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def commands(text: str) -> list[tuple[str, str]]:
    """Return each command of the console blocks, with the output below it."""
    return [
        (command, shown)
        for block in blocks(text, "console")
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]


def without_times(said: str) -> str:
    return SECONDS.sub(", ... s", PROGRESS.sub("", said))


def printed(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the output: our command runs in this process, any other one in a shell."""
    from tidemark_pipeline.cli import main as pipeline
    from tidemark_tools import main as tools

    program, *arguments = shlex.split(command)
    if program not in ("tidemark", "tidemark-pipeline"):
        return subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout
    assert (tools if program == "tidemark" else pipeline).main(arguments) == 0
    said = capsys.readouterr()
    return said.out + said.err


def test_the_example_prints_what_the_page_shows(
    spark: SparkSession, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = commands(EXAMPLE)[1:]
    assert len(shown) >= 4
    for command, output in shown:
        assert without_times(printed(command, capsys)) == without_times(output), command


def test_explain_log_prints_what_the_page_shows(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (command, output), *_ = commands(page_section("Without Java"))
    assert printed(command, capsys) == output


def test_the_python_of_the_page_runs(
    spark: SparkSession, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, object] = {}
    for block in blocks(page_section("In Python"), "python"):
        exec(block.replace('"data"', f'"{place}/data"'), names)  # Spark runs elsewhere
    said = capsys.readouterr().out
    assert said.startswith("3142 records in 19 segments\n")
    assert said.count("+\n") == 4 * 3  # four tables


def test_the_notebook_of_the_page_runs_in_a_session_that_exists(spark: SparkSession, place: Path) -> None:
    (cell,) = blocks(page_section("In a notebook"), "python")
    tables: list[DataFrame] = []
    pages: list[str] = []
    names = {"spark": spark, "display": tables.append, "displayHTML": pages.append}
    exec(cell.replace("/Volumes/main/default/kafka-backup", f"{place}/data"), names)
    assert tables[0].columns[:3] == ["group", "topic", "partition"]
    assert pages[0].startswith("<!doctype html>")


def test_follow_and_settle_work_as_documented(
    spark: SparkSession, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    section = page_section("Following a log")
    follow, settle = (command for command, _ in commands(section))
    assert follow.endswith("--follow")
    for command in (f"{follow} --once", settle):
        printed(command.replace("/var/lib/kafka", "data").replace("/data/history", "history"), capsys)
    assert list((place / "history").glob("part-*"))


def test_check_and_json_print_what_the_page_shows(
    spark: SparkSession, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tidemark_pipeline.cli.main import main

    code = None
    shown = [each for name in ("For cron and CI", "JSON") for each in commands(section(name))]
    assert len(shown) >= 3
    for command, output in shown:
        if command == "echo $?":
            assert output == f"{code}\n"
            continue
        code = main(shlex.split(command.removesuffix(" 2>/dev/null"))[1:])
        assert capsys.readouterr().out == output, command


def test_the_examples_for_cron_and_github_are_command_lines(tmp_path: Path) -> None:
    (tmp_path / "server.properties").write_text("offsets.retention.minutes=1440\n")
    ((crontab,), (workflow, _)) = (blocks(section("For cron and CI"), kind) for kind in ("crontab", "yaml"))
    for line in (crontab.split(maxsplit=5)[5], yaml.safe_load(workflow)[0]["run"]):
        arguments = line.replace("/etc/kafka/", f"{tmp_path}/").split()[1:]
        assert parse(arguments).command == "check"


def test_the_example_of_alerts_passes_promtool(tmp_path: Path) -> None:
    needs.program("promtool", "prometheus")
    (tmp_path / "rules.yml").write_text(blocks(section("For cron and CI"), "yaml")[1])
    checked = subprocess.run(
        ["promtool", "check", "rules", str(tmp_path / "rules.yml")],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert checked.returncode == 0 and "2 rules found" in checked.stdout, checked.stdout + checked.stderr


def section(name: str) -> str:
    return PAGE.split(f"\n## {name}\n")[1].split("\n## ")[0]


@pytest.mark.ecosystem
def test_submitting_zip_and_job_to_a_cluster_works_as_documented(place: Path) -> None:
    pytest.importorskip("pyspark")
    section = page_section("On a cluster")
    (place / "job.py").write_text(blocks(section, "python")[0])
    for command in here(command for command, _ in commands(section)):
        subprocess.run(command, shell=True, check=True, env=environment(), timeout=240)
    made = json.loads((place / "forecast" / "_tidemark.json").read_text())
    table = parquet.read_table(place / "forecast")
    assert made["command"] == "forecast" and table.num_rows
    assert table.schema.field("expires_at").type == pa.timestamp("us", "UTC")


def here(section: Iterator[str]) -> Iterator[str]:
    """Replace the names of a cluster by what exists here."""
    for command in section:
        command = command.replace("--master yarn", f"--master 'local[2]' {submit_arguments()}")
        command = command.replace("s3a://backup/kafka", "data").replace("s3a://backup/", "")
        yield command.replace("python -m", f"{sys.executable} -m")


def environment() -> dict[str, str]:
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    code = os.pathsep.join(str(ROOT / name) for name in ("pipeline", "protocol"))
    return {**os.environ, "PATH": tools, "PYTHONPATH": code, "PYSPARK_PYTHON": sys.executable}
