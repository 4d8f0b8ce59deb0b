"""Record the matrix of Apache Kafka: `python -m tests.conformance.permissions.record`. Needs Java."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from tests.broker_process import two_free_ports
from tests.conformance.permissions.cells import cells
from tests.conformance.permissions.matrix import SETTINGS, run
from tests.kafka_oracle import KafkaNode

FILE: Final = Path(__file__).with_name("recorded.json")


def recorded() -> dict[str, list[list[Any]]]:
    """Return the record of each cell: [response, names of callers]."""
    found: dict[str, list[list[Any]]] = json.loads(FILE.read_text("utf-8"))
    return found


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="matrix-") as folder:
        node = KafkaNode(Path(folder), two_free_ports(), SETTINGS)
        node.start()
        try:
            found = run(node.bootstrap, cells(), together=False)
        finally:
            node.stop()
    parts = []
    for name, outcomes in found.items():
        lines = ",\n  ".join(json.dumps(each) for each in outcomes)
        parts.append(f"{json.dumps(name)}: [\n  {lines}\n ]")
    FILE.write_text("{\n " + ",\n ".join(parts) + "\n}\n")
    print(f"recorded {sum(len(names) for each in found.values() for _, names in each)} cells in {FILE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
