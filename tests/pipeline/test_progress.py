"""The progress of a command: which step, and the time since its start."""

from __future__ import annotations

import io
import re
from types import SimpleNamespace
from typing import Any

import pytest

from tidemark_pipeline.cli import progress
from tidemark_pipeline.cli.progress import CLEAR_LINE, Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Tracker:
    """Spark's status tracker with two running stages and one that has just ended."""

    def getActiveStageIds(self) -> list[int]:  # noqa: N802 - Spark's name
        return [1, 2, 3]

    def getStageInfo(self, stage: int) -> Any:  # noqa: N802
        return None if stage == 3 else SimpleNamespace(numCompletedTasks=stage, numTasks=10)


def test_it_begins_with_the_start_of_spark_and_names_each_step() -> None:
    at = Progress("removals", io.StringIO())
    assert re.fullmatch(r"removals: starting Spark, \d+ s", at.text())
    at.step("reading")
    assert re.fullmatch(r"removals: reading, \d+ s", at.text())
    at.step("removals")
    assert re.fullmatch(r"removals: \d+ s", at.text())


def test_the_time_does_not_restart_with_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])
    at = Progress("removals", io.StringIO())
    now[0] += 7
    at.step("reading")
    assert at.text() == "removals: reading, 7 s"


def test_running_tasks_are_counted() -> None:
    assert progress.stages(Tracker()) == "3 of 20 tasks, "


def test_a_terminal_has_one_line_that_is_cleared_for_the_rows() -> None:
    terminal = Terminal()
    at = Progress("lag", terminal)
    at.show()
    at.show()
    at.clear()
    at.clear()
    assert terminal.getvalue() == f"{CLEAR_LINE}lag: starting Spark, 0 s" * 2 + CLEAR_LINE
    assert at.every_s < 2  # a first line within two seconds


def test_elsewhere_each_report_is_a_line() -> None:
    stream = io.StringIO()
    at = Progress("lag", stream)
    at.show()
    at.clear()
    assert stream.getvalue() == "lag: starting Spark, 0 s\n"
