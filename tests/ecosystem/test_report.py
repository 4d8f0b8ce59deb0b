"""The report in headless Chromium, of a directory that Kafka wrote and of a log with 2,000 groups."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from bench.pipeline.generate import generate
from tests import needs
from tests.clientenv import client_python
from tests.kafkas_directory import unpacked
from tests.pipeline.conftest import missing
from tests.pipeline.kafka_fixture import dump
from tests.pipeline.report_data import DATA, lost_offset
from tidemark_pipeline.report import page
from tidemark_pipeline.report.data import LostGroup

pytestmark = [pytest.mark.ecosystem, pytest.mark.timeout(900)]

SCRIPT: Final = Path(__file__).with_name("report_browser.py")
NAMES: Final = ("kafka", "generated")
LIKELY: Final = "likely"  # a page that report_browser looks at on a phone
REASON: Final = (
    "42 offsets of 9 groups were removed within 2 ms, 10 min after the last such burst, as cleanup passes do"
)
PAGE_BYTES_MAX: Final = 5_000_000
# All commands share one session, because a JVM needs seconds to start. A command is a JSON array.
RUN: Final = """
import json, sys
from tidemark_pipeline.cli.main import main
from tidemark_pipeline.cli.session import session
with session("local[2]", shortly=True):
    sys.exit(max(main(json.loads(command)) for command in sys.argv[1:]))
"""


def removed_by_kafka() -> int:
    """Count the tombstones of offsets in the dump of Kafka's directory."""
    lines = (line for line in dump() if line["log"] == "__consumer_offsets")
    return sum(line.get("keyVersion") in (0, 1) and line["value"] is None for line in lines)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found: Path = tmp_path_factory.mktemp("report")
    return found


@pytest.fixture(scope="module")
def removed(folder: Path) -> dict[str, int]:
    """Make the pages and reset files of both logs. Returns how many offsets were removed in each."""
    lacking = missing()
    if lacking is not None:
        needs.missing(f"Spark is not tested: {lacking} is missing")
    generated = generate(folder / "log", records=60_000, group_count=2_000)
    logs = {"kafka": str(unpacked(folder)), "generated": str(folder / "log")}
    commands = [
        json.dumps([name, "--log-dir", logs[log], *given])
        for log in NAMES
        for name, given in (
            ("report", ["--out", str(folder / f"{log}.html")]),
            ("removals", ["--show", "0", "--reset-csv", str(folder / f"{log}.csv")]),
        )
    ]
    done = subprocess.run(
        [sys.executable, "-c", RUN, *commands],
        capture_output=True,
        text=True,
        env={**os.environ},
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return {"kafka": removed_by_kafka(), "generated": generated.tombstones}


@pytest.fixture(scope="module")
def every(folder: Path, removed: dict[str, int]) -> dict[str, Any]:
    needs.program("chromium", "chromium")
    assert removed
    unknown = lost_offset(cause="unknown", possible=("expired", "group_delete"), likely=REASON)
    data = replace(DATA, lost=[LostGroup("billing", [unknown], "")])
    (folder / f"{LIKELY}.html").write_text(page(data), encoding="utf-8")
    print(f"screenshots: {folder}")
    command = [str(client_python("playwright")), str(SCRIPT), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value


@pytest.fixture(params=NAMES)
def seen(request: pytest.FixtureRequest, every: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return request.param, every[request.param]


def test_the_verdict_is_in_the_first_screen(seen: tuple[str, dict[str, Any]]) -> None:
    for screen, found in seen[1]["screens"].items():
        box = found["verdict"]
        assert box["y"] >= 0 and box["y"] + box["height"] <= 800, screen
        needed, given = found["widths"]
        assert box["x"] >= 0 and box["x"] + box["width"] <= given and needed <= given, screen


def test_the_verdict_counts_the_removals_in_the_log(
    seen: tuple[str, dict[str, Any]], removed: dict[str, int]
) -> None:
    name, found = seen
    assert f"{removed[name]:,} committed offsets were removed between 2026-11-" in found["verdict"]
    assert "assumed" in found["verdict"] or "inferred" in found["verdict"]
    assert "committed offsets are lost" in found["title"]


def test_likely_is_readable_on_a_phone(every: dict[str, Any]) -> None:
    found = every[LIKELY]
    needed, given = found["widths"]
    box = found["box"]
    assert found["text"] == f"Likely expired: {REASON}."
    assert needed <= given == 400 and box["x"] >= 0 and box["x"] + box["width"] <= given


def test_light_and_dark_differ(seen: tuple[str, dict[str, Any]]) -> None:
    colours = {screen.split()[0]: found["colour"] for screen, found in seen[1]["screens"].items()}
    assert colours["light"] != colours["dark"]


def test_search_filters_rows_and_all_rows_can_be_shown(seen: tuple[str, dict[str, Any]]) -> None:
    found = seen[1]["searched"]
    total = found["total"]
    assert total > 25
    assert found["before"] == f"{total:,} rows, the first 25 are shown"
    assert found["name"] in found["found"] and len(found["found"]) < total
    assert found["nothing"] == [[], f"0 of {total:,} rows match"]
    assert [found["again"], found["all"]] == [25, total]


def test_numbers_and_times_are_sorted(seen: tuple[str, dict[str, Any]]) -> None:
    """Numbers by their value: 9 before 10."""
    up, down = ([int(text.replace(",", "")) for text in each] for each in seen[1]["numbers"])
    assert up == sorted(up) and down == sorted(down, reverse=True) and up[0] <= down[-1] < down[0]
    first, last = seen[1]["times"]
    assert first == sorted(first) and last == sorted(last, reverse=True) and first[0] < last[0]


def test_a_row_opens_and_shows_its_partitions(seen: tuple[str, dict[str, Any]]) -> None:
    before, after, partition = seen[1]["opened"]
    assert (before, after) == (False, True)
    assert "-" in partition


def test_the_reset_file_is_that_of_the_command(seen: tuple[str, dict[str, Any]], folder: Path) -> None:
    name, found = seen
    written = (folder / f"{name}.csv").read_bytes().decode()
    every_group, (of_group, rows) = found["downloads"].pop("reset-all.csv"), *found["downloads"].items()
    assert every_group == written and written
    group = of_group.removeprefix("reset-").removesuffix(".csv")
    named = [f"{group},{line}" for line in rows.splitlines()]
    assert named == [line for line in written.splitlines() if line.startswith(f"{group},")]


def test_the_page_makes_no_request_and_no_error(seen: tuple[str, dict[str, Any]]) -> None:
    assert seen[1]["problems"] == []


def test_every_row_is_visible_without_a_script(seen: tuple[str, dict[str, Any]]) -> None:
    assert seen[1]["without a script"]


def test_the_page_has_a_bounded_size(seen: tuple[str, dict[str, Any]], folder: Path) -> None:
    assert (folder / f"{seen[0]}.html").stat().st_size < PAGE_BYTES_MAX
