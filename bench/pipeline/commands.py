"""Whole commands, each in a fresh process, by the current code and by that of an earlier commit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.aims import Aim, at_most
from bench.pipeline import processes
from bench.pipeline.cases import Bench
from bench.pipeline.processes import Cost
from bench.rows import OTHERS_SHOWN, Row, figure
from bench.table import line

ROOT: Final = Path(__file__).resolve().parents[2]
BEFORE: Final = "4fe225e6"  # before small logs were read without Python workers
TABLES: Final = (
    "history", "groups", "current", "timeline", "forecast", "removals", "lag", "rates", "rewinds",
)  # fmt: skip
REPORT: Final = "report"
RECORDS: Final = {2: 20_000, 20: 200_000, 200: 2_000_000}  # by megabytes
AIMS_S: Final = {2: (8, 12), 20: (10, 20)}  # a table, the report
ARCHIVE_S: Final = 300.0  # until the first command's process in the background is expected to be done
HEAD: Final = ("command", "log", "before", "CPU", "now", "CPU", "peak", "aim")
LARGE_REPORT: Final = (60.0, 2_000.0)  # seconds and megabytes


def within(ours: Row, _: Row | None) -> bool:
    seconds, megabytes = LARGE_REPORT
    return isinstance(ours, CommandRow) and ours.value <= seconds and ours.peak_mb <= megabytes


AIMS: Final = (
    *(Aim(f"{command}, {size} MB", f"{of_report if command == REPORT else of_table} s",
          at_most(of_report if command == REPORT else of_table))
      for size, (of_table, of_report) in AIMS_S.items()
      for command in (*TABLES, REPORT)),
    Aim("removals, 200 MB", "30 s", at_most(30)),
    Aim("report, 200 MB", "60 s, 2 GB", within),
)  # fmt: skip


@dataclass(slots=True)
class CommandRow(Row):
    """A command by the current code (value: elapsed seconds) and by the earlier one."""

    cpu_s: float = 0.0
    peak_mb: float = 0.0
    before_s: float | None = None
    before_cpu_s: float | None = None


@dataclass(slots=True, frozen=True)
class Code:
    """A checkout of the code, and the folder in which its commands cache."""

    root: Path
    cache: Path

    def cost(self, log_dir: Path, command: str) -> Cost:
        """Return the cost of one run. Raises CalledProcessError if it fails."""
        paths = [str(self.root / name) for name in ("pipeline", "protocol")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "XDG_CACHE_HOME": str(self.cache)}
        arguments = [sys.executable, "-m", "tidemark_pipeline", command, "--log-dir", str(log_dir)]
        if command == REPORT:
            arguments += ["--out", str(self.cache / "report.html")]
        return processes.cost(
            lambda: subprocess.run(
                arguments, env=environment, check=True, capture_output=True, stdin=subprocess.DEVNULL
            )
        )

    def archived(self) -> None:
        """Wait until the first command's process has archived Java's classes."""
        until = time.monotonic() + ARCHIVE_S
        while not list(self.cache.glob("tidemark/*.jsa")) and time.monotonic() < until:
            time.sleep(0.5)


def commands(bench: Bench, sizes: list[int], before: str) -> Iterator[Row]:
    """Run every command. before: a commit, or "" for none. A row for each command and size."""
    now = Code(ROOT, _folder(bench, "now"))
    yield _row("first command ever: history, 2 MB", now.cost(bench.log(RECORDS[2]).directory, "history"))
    now.archived()
    with _checked_out(before, bench) as earlier:
        for size in sizes:
            log_dir = bench.log(RECORDS[size]).directory
            for command in (*TABLES, REPORT):
                old = None if earlier is None else earlier.cost(log_dir, command)
                yield _row(f"{command}, {size} MB", now.cost(log_dir, command), old)


def _row(name: str, now: Cost, before: Cost | None = None) -> CommandRow:
    note = f"CPU {now.cpu_s:.1f} s, peak {now.peak_mb:,.0f} MB"
    if before is not None:
        note += f"; before {before.wall_s:.1f} s, CPU {before.cpu_s:.1f} s"
    return CommandRow(
        name,
        now.wall_s,
        "s",
        others=max(now.others, 0.0 if before is None else before.others),
        note=note,
        cpu_s=now.cpu_s,
        peak_mb=now.peak_mb,
        before_s=None if before is None else before.wall_s,
        before_cpu_s=None if before is None else before.cpu_s,
    )


@contextmanager
def _checked_out(commit: str, bench: Bench) -> Iterator[Code | None]:
    if not commit:
        yield None
        return
    place = bench.folder / "before"
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(place), commit], check=True)
    try:
        yield Code(place, _folder(bench, "cache-before"))
    finally:
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([*git, "prune"], check=True)


def _folder(bench: Bench, name: str) -> Path:
    folder = bench.folder / name
    folder.mkdir()
    return folder


def table(rows: list[CommandRow], aim: dict[str, tuple[str, bool]]) -> str:
    """Return the table as Markdown. aim: the text of each row's aim, and whether it is met."""
    lines = [line(HEAD), line("---" for _ in HEAD)]
    for row in rows:
        command, _, size = row.name.rpartition(", ")
        text, met = aim.get(row.name, ("", True))
        told = f"{text}: {'met' if met else '**missed**'}" if text else ""
        busy = row.others is not None and row.others > OTHERS_SHOWN
        others = f" (others: {row.others:.1f} cores)" if busy else ""
        seconds = (row.before_s, row.before_cpu_s, row.value, row.cpu_s)
        cells = ["" if each is None else f"{figure(each)} s" for each in seconds]
        lines.append(line([command, size, *cells, f"{row.peak_mb:,.0f} MB", (told + others).strip()]))
    return "\n".join(lines) + "\n"
