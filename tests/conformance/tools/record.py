"""Record the output of Kafka's tools: `python -m tests.conformance.tools.record [--only TEXT] [--ours]`.

With --only, only the cases whose name contains the text are recorded. With --ours nothing is recorded: the
cases run against tidemark, and the differences are printed.
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.conformance.tools.jvm import ToolJvm
from tests.conformance.tools.recorded import FILE, Brokers, kafka_brokers, our_brokers, read, write
from tests.conformance.tools.terminal import Printed, ToolCase, load, outcome
from tests.kafka_oracle import KAFKA_VERSION, USUAL

SHOWN_LINES_MAX: Final = 80  # of the difference in one case


def outcomes(cases: list[ToolCase], brokers: Brokers, folder: Path) -> dict[str, list[Printed]]:
    """Return the output of the tools in each case."""
    found = {}
    with ToolJvm(folder) as jvm:
        for case in cases:
            files = folder / case.name
            files.mkdir()
            found[case.name] = outcome(case, brokers.of(case), jvm, files)
    return found


def record(port: int | None = None, only: str = "") -> list[str]:
    """Record the cases whose name contains `only`. Return the names of those that are new or changed."""
    known = load()
    before = read()
    chosen = [case for case in known.values() if only in case.name]
    if not chosen:
        return []
    with (
        tempfile.TemporaryDirectory(prefix="record-") as made,
        kafka_brokers(Path(made, "kafka"), port) as brokers,
    ):
        found = outcomes(chosen, brokers, Path(made))
    write({name: told for name, told in {**before, **found}.items() if name in known})
    return sorted(name for name, told in found.items() if before.get(name) != told)


def show_ours(only: str) -> None:
    """Run the cases against tidemark and print the differences from the recorded output."""
    recorded = read()
    with (
        tempfile.TemporaryDirectory(prefix="record-") as made,
        our_brokers(Path(made, "broker")) as brokers,
    ):
        found = outcomes([c for c in load().values() if only in c.name], brokers, Path(made))
    for name, ours in found.items():
        theirs, here = _lines(recorded.get(name)), _lines(ours)
        diff = list(difflib.unified_diff(theirs, here, "kafka", "ours", lineterm="", n=2))
        if diff:
            print("\n".join([f"== {name}", *diff[:SHOWN_LINES_MAX]]))
    print(f"{len(found)} cases, {sum(recorded.get(name) != ours for name, ours in found.items())} differ")


def _lines(printed: list[Printed] | None) -> list[str]:
    return json.dumps(printed, indent=1, ensure_ascii=False).splitlines()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.tools.record", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="the cases whose name holds this")
    parser.add_argument("--port", type=int, help="Kafka's port; its successor is the controller's")
    parser.add_argument("--ours", action="store_true", help="run against tidemark and show the differences")
    arguments = parser.parse_args()
    if arguments.ours:
        show_ours(arguments.only)
        return 0
    if KAFKA_VERSION != USUAL:
        print(f"skipped: the tools are those of {USUAL}")
        return 0
    changed = record(arguments.port, arguments.only)
    print(f"recorded in {FILE}, {len(changed)} cases new or changed")
    for name in changed:
        print(f"  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
