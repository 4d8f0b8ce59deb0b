"""Record the matrix of Apache Kafka: `python -m tests.conformance.permissions.record`. Needs Java."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from tests.broker_process import two_free_ports
from tests.conformance.by_release import changed, write_changed
from tests.conformance.permissions.cells import cells
from tests.conformance.permissions.matrix import SETTINGS, run
from tests.kafka_oracle import KAFKA_VERSION, USUAL, KafkaNode

FOLDER: Final = Path(__file__).parent
FILE: Final = FOLDER / "recorded.json"
Outcomes = list[list[Any]]  # of a cell: [response, names of callers]


def recorded(version: str) -> dict[str, Outcomes]:
    """Return the record of each cell on this version of Kafka."""
    found: dict[str, Outcomes] = json.loads(FILE.read_text("utf-8"))
    return found | {name: cell.responses for name, cell in changed(FOLDER, version).items()}


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="matrix-") as folder:
        node = KafkaNode(Path(folder), two_free_ports(), SETTINGS)
        node.start()
        try:
            found: dict[str, Outcomes] = json.loads(json.dumps(run(node.bootstrap, cells(), together=False)))
        finally:
            node.stop()
    if KAFKA_VERSION == USUAL:
        parts = [f"{json.dumps(name)}: {_lines(outcomes)}" for name, outcomes in found.items()]
        FILE.write_text("{\n " + ",\n ".join(parts) + "\n}\n")
    else:
        write_changed(FOLDER, recorded(USUAL), found, _lines)
    print(f"recorded {sum(len(names) for each in found.values() for _, names in each)} cells in {FOLDER}")
    return 0


def _lines(outcomes: Outcomes) -> str:
    return "[\n  " + ",\n  ".join(json.dumps(each) for each in outcomes) + "\n ]"


if __name__ == "__main__":
    sys.exit(main())
