"""The command from the outside: what it writes and shows of a directory that Kafka wrote, held against what
Kafka said of it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.kafka_fixture import dump, truth, unpacked
from tidemark_pipeline.main import main
from tidemark_pipeline.outdir import MARKER

pytestmark = [pytest.mark.slow, pytest.mark.java, pytest.mark.usefixtures("spark")]

Offset = tuple[str, str, int, int, str]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("kafka"))


def fetched() -> set[Offset]:
    """What OffsetFetch said, after a restart on a copy of the directory."""
    return {
        (group, row["topic"], row["partition"], row["offset"], row["metadata"])
        for group, answer in truth()["afterRestartOnCopy"]["offsetFetch"].items()
        for row in answer["offsets"]
    }


def commits() -> list[dict[str, Any]]:
    """The records of offset commits and their tombstones, all of them."""
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


def quoted(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
