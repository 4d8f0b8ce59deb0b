"""Record the responses of Apache Kafka into recorded/*.json.

Run it as `python -m tests.conformance.record [--only TEXT] [--port N]`.

Needs Java. Cases with the same settings share a node, which is started for them. With --only, only the cases
whose name or module contains the text are recorded; the records of the others do not change.

KAFKA_VERSION=4.4.0 asks this release instead. It records only the cases that differ from the usual release,
so record that one first. Cases that the release cannot record (NOT_RECORDED) are skipped.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

from tests.broker_process import two_free_ports
from tests.conformance.by_release import NOT_RECORDED, write_changed
from tests.conformance.case import Broker, Case, load
from tests.conformance.clusters import kafka_cluster, of_cluster
from tests.conformance.recorded_responses import (
    AT_ONCE,
    DRAWS_MAX,
    MODULES_FOLDER,
    Kept,
    as_lines,
    by_settings,
    outcomes,
    read,
    write,
)
from tests.kafka_oracle import KAFKA_VERSION, USUAL, KafkaNode, short_name

RUNS_MAX: Final = 2  # of a case that differs without drawing anything


def record(cases: list[Case], port: int | None) -> tuple[dict[str, Kept], dict[str, str]]:
    """Return Kafka's responses by case, and the reason for each case that failed.

    On another release than the usual one, a case that differs from what is known of it runs again, on a new
    node and alone. It may have drawn other ids, or the machine was busy.
    """
    known = read()
    responses: dict[str, Kept] = {}
    failures: dict[str, str] = {}
    for settings, together in by_settings(cases):
        found: dict[str, Kept | str] = {}
        again = together
        for run in range(1 if KAFKA_VERSION == USUAL else DRAWS_MAX):
            found |= _outcomes(settings, again, port, AT_ONCE if run == 0 else 1)
            again = [c for c in again if c.name in known and found[c.name] != known[c.name]]
            again = [c for c in again if c.draws or run < RUNS_MAX]
            if not again:
                break
        for name, told in found.items():
            if isinstance(told, str):
                failures[name] = told
            else:
                responses[name] = told
    return responses, failures


def _outcomes(
    settings: dict[str, str], cases: list[Case], port: int | None, at_once: int
) -> dict[str, Kept | str]:
    """Return what the cases kept on a new node or cluster, or why they failed."""
    with tempfile.TemporaryDirectory(prefix="record-") as folder:
        if cases[0].brokers > 1:
            return of_cluster(kafka_cluster(Path(folder), settings), cases, at_once)
        node = KafkaNode(Path(folder), port or two_free_ports(), settings)
        try:
            node.start()
        except RuntimeError as error:  # a release may refuse settings of another one
            return {case.name: str(error) for case in cases}
        try:
            return outcomes(cases, Broker(node.bootstrap), at_once, [partial(_restart, node)])
        finally:
            node.stop()


def _restart(node: KafkaNode) -> None:
    node.stop()
    node.start()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.record", description=__doc__)
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="record only the cases whose name or module contains TEXT"
    )
    parser.add_argument("--port", type=int, help="port of Kafka's broker; the controller uses the next one")
    arguments = parser.parse_args()
    known = load()
    chosen = [c for c in known.values() if arguments.only in c.name or arguments.only in c.module]
    if KAFKA_VERSION == USUAL:
        chosen = [c for c in chosen if not c.is_new]
    skipped = NOT_RECORDED.get(short_name(KAFKA_VERSION), {})
    if missing := sorted(set(skipped) - set(known)):
        parser.error(f"NOT_RECORDED names cases that do not exist: {', '.join(missing)}")
    for case in chosen:
        if case.name in skipped:
            print(f"skipped {case.name}: {skipped[case.name]}")
    chosen = [c for c in chosen if c.name not in skipped]
    responses, failures = record(chosen, arguments.port)
    before = read()  # read after the recording: another recording may have ended in the meantime
    changed = sorted(name for name, told in responses.items() if before.get(name) != told)
    if KAFKA_VERSION == USUAL:
        kept = {name: told for name, told in {**before, **responses}.items() if name in known}
        for module in {c.module for c in chosen}:
            write(module, {name: told for name, told in kept.items() if known[name].module == module})
    else:
        write_changed(MODULES_FOLDER, read(USUAL), responses, as_lines)
    print(f"{len(responses)} cases recorded in {MODULES_FOLDER}, {len(changed)} of them new or changed")
    for name in changed:
        print(f"  {name}")
    for name, reason in sorted(failures.items()):
        print(f"FAILED {name}: {reason}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
