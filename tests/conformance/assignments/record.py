"""Record what Kafka's classes return, in tests/golden: `python -m tests.conformance.assignments.record`.

Arguments: names of PROGRAMS; without any, all of them are recorded.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.conformance.assignments.expressions import NAMES, expressions
from tests.conformance.by_release import golden, write_golden
from tests.kafka_oracle import KAFKA_VERSION, java

HERE: Final = Path(__file__).parent

# The programs beside this file, with their arguments, by the name of the file with their output.
PROGRAMS: Final = {
    "assignments": ["Groups.java", "1", "220"],
    "share_assignments": ["Shares.java", "1", "150"],
    # Kafka 4.4 has another assignor of streams groups, for which this program does not compile.
    "streams_assignments": ["Streams.java", "1", "240"],
    "hashes": ["Hashes.java", "1", "60"],
    "expressions": ["Expressions.java"],
    "topologies": ["Topologies.java", "1", "300"],
}


def recorded(name: str, version: str = KAFKA_VERSION) -> list[Any]:
    """Return the recorded lines of a program."""
    with gzip.open(golden(f"{name}.jsonl.gz", version), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def main(names: Sequence[str] = tuple(PROGRAMS)) -> int:
    asked = json.dumps({"names": NAMES, "expressions": expressions()}).encode()
    for name in names:
        program, *arguments = PROGRAMS[name]
        command = java(str(HERE / program), *arguments)
        told = subprocess.run(command, input=asked, stdout=subprocess.PIPE, check=True)
        print(write_golden(f"{name}.jsonl.gz", told.stdout))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or tuple(PROGRAMS)))
