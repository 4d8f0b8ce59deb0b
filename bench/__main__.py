"""`python -m bench [--quick] [--only NAME] [--baseline FILE]`: prints rows, writes bench/results/*.json."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from bench import beside, commits, consumers, expiry, load, records, scale, scrape, transactions
from bench.authorization import authorization
from bench.compiled import compiled
from bench.console import console
from bench.fixture import fixture
from bench.groups import fresh_groups
from bench.host import set_priority
from bench.on_request import on_request
from bench.perf_tools import perf_tools
from bench.rows import OURS, QUICK, Case, Effort, Row, text_of
from bench.several import several
from bench.start import start
from bench.tls import tls

CASES: Final[dict[str, Case]] = {
    "ceiling": commits.ceiling,
    "start": start,
    **{
        commits.name_of(shape, sync): commits.case(shape, sync)
        for sync in ("never", "always")
        for shape in commits.SHAPES
    },
    "fresh group": fresh_groups,
    "consumer group": consumers.consumer_group,
    "metadata of many topics": consumers.metadata,
    "scrape": scrape.scrape,
    "console": console,
    "several brokers": several,
    "TLS": tls,
    "on request": on_request,
    "authorization": authorization,
    "fixture": fixture,
    "perf tools": perf_tools,
    "records ceiling": records.ceiling,
    **{f"records {size.label}": records.case(size) for size in records.SIZES},
    **scale.CASES,
    **expiry.CASES,
    "compiled": compiled,
    **transactions.OURS,
    **beside.CASES,
    "consumer group of Kafka": consumers.consumer_group_of_kafka,
    "transactions of Kafka": transactions.kafka,
}


def main() -> None:
    arguments = parse()
    if arguments.nice:
        set_priority(arguments.nice)
    effort = QUICK if arguments.quick else Effort()
    earlier = json.loads(arguments.baseline.read_text())["rows"] if arguments.baseline else []
    before = {row["name"]: row for row in earlier if row.get("server", OURS) == OURS}
    load.RESULTS.mkdir(exist_ok=True)
    rows: list[Row] = []
    failed = []
    for name, measure in CASES.items():
        if not any(part in name for part in arguments.only.split(",")):
            continue
        # On the disk of the working tree, because /tmp may be in memory.
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=load.RESULTS))
        try:
            measured = measure(folder, effort)
        except Exception:  # noqa: BLE001 the rows of other cases are kept
            print(f"{name} failed", traceback.format_exc(), sep="\n", file=sys.stderr)
            failed.append(name)
            continue
        finally:
            shutil.rmtree(folder)
        for row in measured:
            print(text_of(row, before.get(row.name) if row.server == OURS else None), flush=True)
        rows += measured
    written = arguments.json or load.RESULTS / time.strftime("%Y%m%d-%H%M%S.json")
    found = {"machine": machine(), "rows": kept(written, rows) + [compact(row) for row in rows]}
    written.write_text(json.dumps(found, indent=1) + "\n")
    print(f"written to {written}")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="measure each case for about a second; the figures are rough"
    )
    parser.add_argument(
        "--only", default="", metavar="NAME",
        help="only cases whose name contains one of these, separated by commas: " + ", ".join(CASES),
    )  # fmt: skip
    parser.add_argument(
        "--baseline", type=Path, metavar="FILE", help="compare with the JSON file of an earlier run"
    )
    parser.add_argument(
        "--nice", type=int, default=0, metavar="N",
        help="priority of all measured processes; use a value below 0 on a busy machine (needs root)",
    )  # fmt: skip
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the rows to this file; rows of other cases are kept"
    )
    return parser.parse_args()


def machine() -> dict[str, Any]:
    """Describe the machine and the commit that are measured."""
    cpu = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return {
        "load": round(os.getloadavg()[1], 1),
        "when": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "commit": commit.stdout.strip(),
        "python": platform.python_version(),
        "kernel": platform.release(),
        "cpu": cpu[0].partition(":")[2].strip() if cpu else platform.machine(),
        "cores": os.cpu_count(),
    }


def kept(path: Path, rows: list[Row]) -> list[dict[str, Any]]:
    """Return the rows in a file of cases that were not run now."""
    if not path.exists():
        return []
    new = {(row.server, row.name) for row in rows}
    earlier: list[dict[str, Any]] = json.loads(path.read_text())["rows"]
    return [row for row in earlier if (row.get("server", OURS), row["name"]) not in new]


def compact(row: Row) -> dict[str, Any]:
    return {name: value for name, value in asdict(row).items() if value not in (None, "")}


if __name__ == "__main__":
    main()
