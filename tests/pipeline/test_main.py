"""Run the command on a directory that Kafka wrote, and compare its files and output with Kafka's."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.kafkas_directory import unpacked
from tests.pipeline.kafka_fixture import dump, truth
from tidemark_pipeline.cli.main import main
from tidemark_pipeline.cli.outdir import MARKER
from tidemark_pipeline.cli.output import write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java, pytest.mark.usefixtures("spark")]

ROOT: Final = Path(__file__).resolve().parents[2]
Offset = tuple[str, str, int, int, str]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("kafka"))


def fetched() -> set[Offset]:
    """Return the responses to OffsetFetch, after a restart on a copy of the directory."""
    return {
        (group, row["topic"], row["partition"], row["offset"], row["metadata"])
        for group, answer in truth()["afterRestartOnCopy"]["offsetFetch"].items()
        for row in answer["offsets"]
    }


def commits() -> list[dict[str, Any]]:
    """Return all records of offset commits and their tombstones."""
    return [
        line for line in dump() if line["log"] == "__consumer_offsets" and line.get("keyVersion") in (0, 1)
    ]


def json_rows(out: Path) -> list[dict[str, Any]]:
    text = "".join(path.read_text("utf-8") for path in sorted(out.glob("part-*")))
    return [json.loads(line) for line in text.split("\n") if line]


def csv_rows(out: Path) -> Iterator[dict[str, str]]:
    for path in sorted(out.glob("part-*")):
        with path.open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)


def test_current_is_what_kafka_answers_to_offset_fetch(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "current"
    assert (
        main(["current", "--log-dir", str(data), "--out", str(out), "--format", "json", "--show", "2"]) == 0
    )
    columns = ("group", "topic", "partition", "committed_offset", "metadata")
    rows = json_rows(out)
    assert {tuple(row[name] for name in columns) for row in rows} == fetched()
    assert rows == sorted(rows, key=lambda row: (row["group"], row["topic"], row["partition"]))
    said = capsys.readouterr()
    newest = max(
        line["timestamp"] for line in dump() if line["log"] == "__consumer_offsets" and "timestamp" in line
    )
    told = json.loads((out / MARKER).read_text())
    assert (told["command"], told["as_of_ms"], told["log_dirs"]) == ("current", newest, [str(data)])
    assert f"as of {told['as_of']} (the newest record)" in said.err
    records = sum(line["log"] == "__consumer_offsets" and "offset" in line for line in dump())
    assert f"\n{records:,} records in ".replace(",", " ") in "\n" + said.err
    shown = said.out.splitlines()
    assert shown[0].split()[:4] == ["group", "topic", "partition", "committed_offset"]
    assert shown[1].startswith('"" ')  # the group with the empty name
    assert shown[-1] == "(the first 2 rows; --show N shows more)"


def test_history_as_csv_is_the_dump_and_no_cell_is_a_formula(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "history"
    line = ["history", "--log-dir", str(data), "--transactions", "all", "--out", str(out), "--format", "csv"]
    assert main(line) == 0
    found = [
        (
            int(row["log_partition"]),
            int(row["log_offset"]),
            row["group"],
            row["committed_offset"],
            row["metadata"],
        )
        for row in csv_rows(out)
    ]
    assert sorted(found) == sorted(
        (
            line["partition"],
            line["offset"],
            quoted(line["key"]["group"]),
            "" if line["value"] is None else str(line["value"]["offset"]),
            "" if line["value"] is None else quoted(line["value"]["metadata"]),
        )
        for line in commits()
    )


@pytest.mark.parametrize("given", [[], ["--retention-minutes", "10080"]], ids=["assumed", "known"])
def test_the_report_and_the_forecast_say_which_retention_is_assumed(
    data: Path, tmp_path: Path, given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Only this distinguishes an assumption from a known value."""
    directory = ["--log-dir", str(data), *given]
    assert (
        main(["forecast", *directory, "--out", str(tmp_path / "rows"), "--format", "json", "--show", "1"])
        == 0
    )
    shown = capsys.readouterr()
    assert main(["report", *directory, "--out", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text("utf-8")
    said = capsys.readouterr().err
    facts = json.loads((tmp_path / "rows" / MARKER).read_text("utf-8"))
    origins = {facts["retention_origin"], *(row["retention_origin"] for row in json_rows(tmp_path / "rows"))}
    assert origins == {"known" if given else "assumed"}
    for text, place in (
        (shown.err, "=10080 (assumed: "),
        (said, "=10080 (assumed: "),
        (page, "10080 (7 d), assumed"),
    ):
        assert (place in text) == (not given), place
    assert ("=10080 (given)" in said) == bool(given)
    removed = sum(line["value"] is None for line in commits())
    assert f"{removed} committed offsets were removed between 2026-11-21 02:17 and" in page
    origin = r"offsets\.retention\.minutes=10080(?: \(7 d\))?[, (]*(assumed|known)?"
    named = re.findall(origin, page + shown.out)
    assert len(named) > 5 and set(named) <= ({"", "known"} if given else {"assumed"})


def quoted(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def test_a_cell_of_csv_is_text_or_json_or_a_number_and_never_a_formula(
    spark: SparkSession, tmp_path: Path
) -> None:
    texts = [
        "=1+1",
        "+1",
        "-1",
        "@x",
        "\t=1",
        "\r=1",
        "a=1",
        "",
        None,
        'say ""',
        "a,b",
        "two\nlines",
        " x ",
        "\\",
    ]
    row = ["=x", None]
    nested = "array<struct<name: string, part: int>>"
    schema = f"number bigint, text string, nested {nested}, octets binary, list array<string>"
    table = spark.createDataFrame([(-1, text, [("=n", None)], b"\x00\xff", row) for text in texts], schema)
    write(table.coalesce(1), str(tmp_path / "out"), "csv", {})
    found = list(csv_rows(tmp_path / "out"))
    assert [row["text"] for row in found] == [quoted(text or "") for text in texts]
    assert {(row["number"], row["nested"], row["octets"], row["list"]) for row in found} == {
        ("-1", '[{"name":"=n","part":null}]', "AP8=", '["=x",null]')
    }
    (part,) = (tmp_path / "out").glob("part-*")
    lines = part.read_bytes().split(b"\n")
    assert lines[0] == b"number,text,nested,octets,list"
    assert lines[8].startswith(b'-1,"",') and lines[9].startswith(b"-1,,")  # empty, and nothing


def test_output_on_a_terminal_is_the_table_and_two_lines(data: Path, tmp_path: Path) -> None:
    """Neither Java nor Spark prints anything, and the current folder stays empty."""
    code = f"{ROOT / 'pipeline'}:{ROOT / 'protocol'}"
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "tidemark_pipeline",
            "current",
            "--log-dir",
            str(data),
            "--group",
            "b*",
            "--show",
            "1",
        ],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": code},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert run.returncode == 0, run.stderr
    assert [line.split()[0] for line in run.stdout.splitlines()] == ["group", "became-managed", "(the"]
    said = [line for line in run.stderr.splitlines() if not line.startswith("current: ")]
    assert [re.sub(r"\d", "", line).split(" ")[-2:] for line in said] == [
        [".", "s"],
        ["not", "used"],
    ], said
    assert not list(tmp_path.iterdir())
