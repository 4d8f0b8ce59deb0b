"""Record what Kafka's classes return, in tests/golden: `python -m tests.conformance.assignments.record`.

Arguments: names of PROGRAMS; without any, all that this release of Kafka has are recorded.
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
from tests.kafka_oracle import KAFKA_VERSION, NEWEST, USUAL, java

HERE: Final = Path(__file__).parent

# The programs beside this file, with their arguments, by the name of the file with their output.
PROGRAMS: Final = {
    "assignments": ["Groups.java", "1", "220"],
    "share_assignments": ["Shares.java", "1000", "320"],
    "streams_assignments": ["Streams.java", "1", "240"],
    "task_assignments": ["Tasks.java", "1", "120"],
    "moves": ["Moves.java", "1", "240"],
    "hashes": ["Hashes.java", "1", "60"],
    "expressions": ["Expressions.java"],
    "topologies": ["Topologies.java", "1", "300"],
}

# Programs about classes that the other release has in another form, so that they do not compile there.
ONLY: Final = {"streams_assignments": USUAL, "task_assignments": NEWEST}


def recorded(name: str, version: str = KAFKA_VERSION) -> list[Any]:
    """Return the recorded lines of a program."""
    with gzip.open(golden(f"{name}.jsonl.gz", version), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def main(names: Sequence[str] = ()) -> int:
    names = names or [each for each in PROGRAMS if ONLY.get(each, KAFKA_VERSION) == KAFKA_VERSION]
    asked = json.dumps({"names": NAMES, "expressions": expressions()}).encode()
    for name in names:
        program, *arguments = PROGRAMS[name]
        command = java(str(HERE / program), *arguments)
        told = subprocess.run(command, input=asked, stdout=subprocess.PIPE, check=True)
        print(write_golden(f"{name}.jsonl.gz", told.stdout))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
