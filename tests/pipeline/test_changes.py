"""Commits that only continue the ones before them can be left out: the verdicts stay the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.pipeline.generate import generate
from tests.kafkas_directory import unpacked
from tidemark_pipeline.cli import explain_log, reading
from tidemark_pipeline.cli.explain_log import told
from tidemark_pipeline.cli.options import parse
from tidemark_pipeline.source import arrow_tables
from tidemark_pipeline.source.arrow_tables import arrow_table, changes


@pytest.fixture(scope="module", params=["generated", "kafka"])
def log_dir(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.param == "kafka":
        return unpacked(tmp_path_factory.mktemp("kafka"))
    place = tmp_path_factory.mktemp("generated") / "data"
    generate(place, records=20_000, segments=8, group_count=20)
    return place


def verdicts(log_dir: Path) -> list[Any]:
    found = told(reading.begin(parse(["removals", "--log-dir", str(log_dir), "--as-of", "log"]), now_ms=0))
    said = [(each.headline, each.events, each.now) for each in map(found.of_group, names(log_dir))]
    return [found.retention, [each.row() for each in found.removed], said]


def names(log_dir: Path) -> list[str]:
    return sorted(set().union(*arrow_tables.group_names([str(log_dir)])))


@pytest.mark.parametrize("sieved_bytes", [0, arrow_tables.SIEVED_BYTES])
def test_the_changes_have_all_removals_and_events(
    log_dir: Path, monkeypatch: pytest.MonkeyPatch, sieved_bytes: int
) -> None:
    monkeypatch.setattr(arrow_tables, "SIEVED_BYTES", sieved_bytes)
    few = verdicts(log_dir)
    monkeypatch.setattr(explain_log, "changes", arrow_table)
    assert verdicts(log_dir) == few


def test_the_changes_are_few(log_dir: Path) -> None:
    every, few = (table([str(log_dir)], "offsets") for table in (arrow_table, changes))
    assert every is not None and few is not None
    assert few.num_rows < every.num_rows
    assert set(few["log_offset"].to_pylist()) <= set(every["log_offset"].to_pylist())
