"""Record the responses of Apache Kafka into recorded/*.json.

Run it as `python -m tests.conformance.record [--only TEXT] [--port N]`.

Needs Java. Cases with the same settings share a node, which is started for them. With --only, only the cases
whose name or module contains the text are recorded; the records of the others do not change.

KAFKA_VERSION=4.4.0 asks this release instead. It records only the cases that differ from the usual release,
so record that one first.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.broker_process import two_free_ports
from tests.conformance.by_release import write_changed
from tests.conformance.case import Broker, Case, load
from tests.conformance.recorded_responses import (
    DRAWS_MAX,
    MODULES_FOLDER,
    Kept,
    as_lines,
    by_settings,
    outcomes,
    read,
    write,
)
from tests.kafka_oracle import KAFKA_VERSION, USUAL, KafkaNode


def record(cases: list[Case], port: int | None) -> tuple[dict[str, Kept], dict[str, str]]:
    """Return Kafka's responses by case, and the reason for each case that failed.

    Another release than the usual one draws until it draws the same, as it can.
    """
    usual = read(USUAL)
    responses: dict[str, Kept] = {}
    failures: dict[str, str] = {}
    for settings, together in by_settings(cases):
        with tempfile.TemporaryDirectory(prefix="record-") as folder:
            node = KafkaNode(Path(folder), port or two_free_ports(), settings)
            try:
                node.start()
            except RuntimeError as error:  # a release may refuse settings of another one
                failures |= {case.name: str(error) for case in together}
                continue
            try:
                found = outcomes(together, Broker(node.bootstrap), restart=partial(_restart, node))
                for _ in range(DRAWS_MAX if KAFKA_VERSION != USUAL else 0):
                    again = [c for c in together if c.draws and found[c.name] != usual.get(c.name)]
                    if not again:
                        break
                    found |= outcomes(again, Broker(node.bootstrap))
            finally:
                node.stop()
        for name, told in found.items():
            if isinstance(told, str):
                failures[name] = told
            else:
                responses[name] = told
    return responses, failures


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
