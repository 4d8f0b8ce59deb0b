"""`python -m bench.table [RESULT.json]`: writes the table of a run, by default the newest, to performance.md.

The table is between `<!-- measured -->` and `<!-- measured: end -->`. "before" is bench/baseline.json.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from bench.aims import AIMS, STALL_MS
from bench.load import RESULTS
from bench.rows import OTHERS_SHOWN, OURS, Row, figure
from bench.servers import COMPILED, KAFKA, MOCK

HERE: Final = Path(__file__).parent
BASELINE: Final = HERE / "baseline.json"
DOCUMENT: Final = HERE.parent / "docs" / "performance.md"
PLACE: Final = re.compile(r"(<!-- measured -->\n).*?(<!-- measured: end -->)", re.DOTALL)
HEAD: Final = (
    "what", "ours", "CPU", "p50, p99 ms", "stall ms", "before", "compiled", "the mock", "Kafka",
    "ours to Kafka", "aim",
)  # fmt: skip
HIGHER_IS_BETTER: Final = ("/s", "MB/s")
SECTIONS: Final = (
    ("Commits", re.compile(r"commit \d+x\d+ sync|ceiling of the load generator 64x16")),
    ("Transactions", re.compile(r"transaction ")),
    ("Records", re.compile(r"produce|fetch|consumer-perf|ceiling")),
    ("Start, memory, groups", re.compile(r"ready|resident|clean stop|fresh group|commit of")),
    (
        "Tests, dashboards, permissions",
        re.compile(r"fixture|scrape|console|authorization|cost of 1,000 ACLs"),
    ),
    ("Much of everything", re.compile(r"")),
)
Found = dict[str, dict[str, Row]]  # server, name


def read(path: Path) -> tuple[dict[str, Any], Found]:
    """Return the machine and the rows of a run."""
    result = json.loads(path.read_text())
    found: Found = {}
    for each in result["rows"]:
        row = Row(**each)
        found.setdefault(row.server, {})[row.name] = row
    return result["machine"], found


def tables(machine: dict[str, Any], found: Found, before: Found) -> str:
    """Return Markdown with one table for each section."""
    rows = list(found.get(OURS, {}).values())
    lines = [caption(machine, rows), ""]
    for title, belongs in SECTIONS:
        mine = [row for row in rows if belongs.match(row.name)]
        rows = [row for row in rows if not belongs.match(row.name)]
        if mine:
            lines += [f"### {title}", "", line(HEAD), line("---" for _ in HEAD)]
            lines += [line(cells(row, found, before)) for row in mine] + [""]
    return "\n".join(lines)


def caption(machine: dict[str, Any], rows: list[Row]) -> str:
    disks = [row.disk.removeprefix("fdatasync ") for row in rows if row.disk]
    text = (
        f"Recorded {machine['when']} at {machine['commit'] or 'no commit'}, on {machine['cores']} cores of"
        f" {machine['cpu']}, Linux {machine['kernel']}, Python {machine['python']}, load average"
        f" {machine['load']}."
    )
    return text + (
        f" The disk's own fdatasync beside the figures with sync: {'; '.join(disks)}." if disks else ""
    )


def cells(row: Row, found: Found, before: Found) -> Iterable[str]:
    unsynced = row.name.replace("sync=always", "sync=never")  # the other servers do not sync
    kafka = found.get(KAFKA, {}).get(unsynced)
    mock = found.get(MOCK, {}).get(unsynced)
    compiled = found.get(COMPILED, {}).get(row.name)
    yield row.name + (f" ({row.note})" if row.note else "")
    yield value_of(row)
    yield cpu_of(row)
    yield "" if row.p50_ms is None or row.p99_ms is None else f"{row.p50_ms:.2f}, {row.p99_ms:.2f}"
    yield stall_of(row)
    for other in (before.get(OURS, {}).get(row.name), compiled, mock, kafka):
        yield "" if other is None else ", ".join(filter(None, (value_of(other), cpu_of(other))))
    yield (
        ""
        if kafka is None
        else ratio(row, kafka) + ("" if compiled is None else f"; {ratio(compiled, kafka)}")
    )
    yield aim_of(row, compiled, kafka)


def stall_of(row: Row) -> str:
    if row.stall_ms is None:
        return ""
    return f"**{row.stall_ms:.0f}**" if row.stall_ms > STALL_MS else f"{row.stall_ms:.0f}"


def value_of(row: Row) -> str:
    return f"{figure(row.value)} {row.unit}" + (
        f" (others: {row.others:.1f} cores)" if disturbed(row) else ""
    )


def cpu_of(row: Row) -> str:
    if row.mb_per_cpu_s is not None:
        return f"{figure(row.mb_per_cpu_s)} MB/CPU s"
    return "" if row.cpu_us is None else f"{row.cpu_us:.1f} us"


def ratio(ours: Row, kafka: Row) -> str:
    """Return how many times better we are: in the measured value, and in CPU time."""
    better = ours.value / kafka.value
    text = f"{better if ours.unit in HIGHER_IS_BETTER else 1 / better:.2f}"
    if ours.cpu_us and kafka.cpu_us:
        text += f", CPU {kafka.cpu_us / ours.cpu_us:.1f}"
    return text


def aim_of(row: Row, compiled: Row | None, kafka: Row | None) -> str:
    for aim in AIMS:
        if aim.row == row.name:
            text = f"{aim.text}: {_met(aim.holds(row, kafka))}{undisturbed(row)}"
            return text if compiled is None else f"{text}; compiled {_met(aim.holds(compiled, kafka))}"
    return ""


def undisturbed(row: Row) -> str:
    """Return the rate of a whole core at this CPU time per request, if other processes used the core."""
    if not disturbed(row) or row.unit != "/s" or not row.cpu_us:
        return ""
    return f" ({row.cpu_us:.1f} us are {1e6 / row.cpu_us:,.0f}/s of a whole core)"


def disturbed(row: Row) -> bool:
    return row.others is not None and row.others > OTHERS_SHOWN


def _met(holds: bool) -> str:
    return "met" if holds else "**missed**"


def line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main(arguments: list[str]) -> None:
    newest = max(RESULTS.glob("*.json"), key=lambda path: path.stat().st_mtime, default=None)
    source = Path(arguments[0]) if arguments else newest
    assert source is not None, "there is no result yet: python -m bench"
    before = read(BASELINE)[1] if BASELINE.exists() else {}
    made = tables(*read(source), before)
    text = DOCUMENT.read_text()
    DOCUMENT.write_text(PLACE.sub(lambda place: place[1] + made + place[2], text))
    print(f"{source} is the table in {DOCUMENT}")


if __name__ == "__main__":
    main(sys.argv[1:])
