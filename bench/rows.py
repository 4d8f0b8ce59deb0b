"""The rows of a case, and how they are printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.load import Measured

OURS: Final = "ours"
OTHERS_SHOWN: Final = 0.05  # other processes are mentioned if they used at least this many cores


@dataclass(slots=True)
class Effort:
    """The duration of measurements, and the size of the large cases."""

    warmup_ms: int = 1500
    measure_ms: int = 5000
    starts: int = 7
    record_ms: int = 2000  # shorter, because a gigabyte per second must fit in the page cache
    perf_records: int = 2_000_000
    joins: int = 100
    first_records: int = 15
    commits_in_millions: int = 10
    user_records: int = 10_000_000
    fleet: int = 10_000


QUICK: Final = Effort(
    warmup_ms=500,
    measure_ms=1000,
    starts=3,
    record_ms=700,
    perf_records=300_000,
    joins=30,
    first_records=5,
    commits_in_millions=1,
    user_records=1_000_000,
)


@dataclass(slots=True)
class Row:
    """One measurement of one server. Higher is better if `unit` ends in /s, else lower is."""

    name: str
    value: float
    unit: str
    server: str = OURS
    cpu_us: float | None = None  # of the server, per request
    core: float | None = None  # the server's share of a core
    others: float | None = None  # cores that processes other than server and generator used
    mb_per_cpu_s: float | None = None
    p50_ms: float | None = None
    p99_ms: float | None = None
    max_ms: float | None = None
    stall_ms: float | None = None
    disk: str = ""
    note: str = ""


Case = Callable[[Path, Effort], list[Row]]  # each case gets its own folder


def load_row(name: str, measured: Measured, server: str = OURS) -> Row:
    """Return the row for requests per second and their latencies."""
    return Row(
        name,
        measured.per_second,
        "/s",
        server=server,
        cpu_us=measured.cpu_us,
        core=measured.core,
        others=measured.others,
        p50_ms=measured.p50_us / 1000,
        p99_ms=measured.p99_us / 1000,
        max_ms=measured.max_us / 1000,
    )


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def text_of(row: Row, before: dict[str, Any] | None) -> str:
    """Return a row as a line of text. before: the same row of an earlier run."""
    name = row.name if row.server == OURS else f"{row.name} [{row.server}]"
    cells = [f"{name:46} {figure(row.value):>10} {row.unit:4}"]
    if row.mb_per_cpu_s is not None:
        cells.append(f"{row.mb_per_cpu_s:6,.0f} MB per CPU second")
    if row.cpu_us is not None and row.core is not None:
        cells.append(f"cpu {row.cpu_us:6.2f} us, {row.core:4.0%} of a core")
    if row.p50_ms is not None and row.p99_ms is not None:
        cells.append(f"p50 {row.p50_ms:6.2f}  p99 {row.p99_ms:6.2f}")
    if row.max_ms is not None:
        cells.append(f"max {row.max_ms:5.1f} ms")
    if row.stall_ms is not None:
        cells.append(f"stall {row.stall_ms:4.0f} ms")
    if row.others is not None and row.others > OTHERS_SHOWN:
        cells.append(f"others took {row.others:.2f} cores")
    cells += [text for text in (row.disk, row.note) if text]
    if before is not None and before["value"]:
        change = "" if row.unit == "%" else f" ({row.value / before['value'] - 1:+.1%})"
        cells.append(f"before {figure(before['value'])}{change}")
    return "  ".join(cells)


def figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.1f}" if abs(value) >= 10 else f"{value:,.2f}"
