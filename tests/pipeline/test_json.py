"""--json: every command prints its rows or its result for programs, and so does a failure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.pipeline.known_log import DAY, LEFT, RETENTION, STORY, told
from tidemark_pipeline.cli.main import main
from tidemark_pipeline.cli.options import USERS
from tidemark_pipeline.tables.columns import TABLES, names

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

NOW_MS = 1_795_000_000_123
Said = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return told(tmp_path_factory.mktemp("log"), NOW_MS)


@pytest.fixture(autouse=True)
def _session(spark: SparkSession) -> None:
    """Let `main` use the session of the tests."""


def read(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("command", "table", "rows"),
    [
        ("history", "offset_history", len(STORY)),
        ("forecast", "expiry_forecast", len(LEFT)),
        ("removals", "removals", 3),
    ],
)
def test_rows_are_those_of_a_json_file_with_all_columns_and_nulls(
    log: Path, tmp_path: Path, command: str, table: str, rows: int, capsys: Said
) -> None:
    out = tmp_path / "out"
    files = ["--out", str(out), "--format", "json", "--show", "1000"]
    retention = RETENTION if command in USERS["retention-minutes"] else ()
    assert main([command, "--log-dir", str(log), *retention, *files, "--json"]) == 0
    said = capsys.readouterr()
    written = "".join(path.read_text("utf-8") for path in sorted(out.glob("part-*")))
    assert said.out == written
    found = read(said.out)
    assert len(found) == rows
    assert all(list(row) == names(TABLES[table]) for row in found)
    (summary,) = read(said.err)
    assert (summary["command"], summary["exit_code"], summary["records"]) == (command, 0, len(STORY))
    assert (summary["segments"], summary["skipped"], summary["remarks"]) == (1, {}, [])
    assert (summary["as_of_ms"], summary["log_dirs"]) == (NOW_MS - 5 * 60_000, [str(log)])
    wanted = {"history": ([], "not used")}.get(command, ([DAY], "known"))
    assert (summary["retention_ms"], summary["retention_origin"]) == wanted


def test_show_and_columns_select_rows_and_columns(log: Path, capsys: Said) -> None:
    line = ["current", "--log-dir", str(log), "--json", "--show", "2", "--columns", "committed_offset,group"]
    assert main(line) == 0
    assert read(capsys.readouterr().out) == [
        {"committed_offset": 100, "group": "behind"},
        {"committed_offset": 0, "group": "behind"},
    ]


def test_report_prints_the_data_of_the_page(log: Path, capsys: Said) -> None:
    assert main(["report", "--log-dir", str(log), *RETENTION, "--json"]) == 0
    said = capsys.readouterr()
    (report,), (summary,) = read(said.out), read(said.err)
    assert report["subject"]["as_of_ms"] == NOW_MS - 5 * 60_000
    assert report["subject"]["retention"]["origin"] == "known"
    assert sum(cause["offsets"] for cause in report["removed"]["causes"]) == 3
    assert summary["command"] == "report"


def test_follow_and_settle_report_what_they_wrote(log: Path, tmp_path: Path, capsys: Said) -> None:
    out = str(tmp_path / "out")
    assert main(["history", "--log-dir", str(log), "--out", out, "--follow", "--once", "--json"]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    last = read(said.err)[-1]
    assert (last["rows"], last["ended"]) == (len(STORY), True)
    assert main(["history", "--settle", "--out", out, "--json"]) == 0
    (settled,) = read(capsys.readouterr().err)
    assert (settled["out"], settled["orphans"], settled["exit_code"]) == (out, 0, 0)
    assert settled["files"] >= 1


def test_a_failure_is_an_object_with_its_exit_code(tmp_path: Path, capsys: Said) -> None:
    assert main(["lag", "--log-dir", str(tmp_path / "nothing"), "--json"]) == 1
    said = capsys.readouterr()
    (failure,) = read(said.err)
    assert said.out == "" and failure["exit_code"] == 1 and str(tmp_path / "nothing") in failure["error"]
