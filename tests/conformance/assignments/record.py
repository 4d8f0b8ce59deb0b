"""Record what Kafka's classes return, in tests/golden: `python -m tests.conformance.assignments.record`."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from tests.conformance.assignments.expressions import NAMES, expressions
from tests.kafka_oracle import java

HERE: Final = Path(__file__).parent
GOLDEN: Final = HERE.parents[1] / "golden"

# The programs beside this file, with their arguments, by the name of the file with their output.
PROGRAMS: Final = {
    "assignments": ["Groups.java", "1", "220"],
    "hashes": ["Hashes.java", "1", "60"],
    "expressions": ["Expressions.java"],
}


def recorded(name: str) -> list[Any]:
    """Return the recorded lines of a program."""
    with gzip.open(_file(name), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def record(name: str) -> None:
    program, *arguments = PROGRAMS[name]
    asked = json.dumps({"names": NAMES, "expressions": expressions()}).encode()
    told = subprocess.run(java(str(HERE / program), *arguments), input=asked, capture_output=True, check=True)
    _file(name).write_bytes(gzip.compress(told.stdout, 9, mtime=0))


def _file(name: str) -> Path:
    return GOLDEN / f"{name}.jsonl.gz"


def main() -> int:
    for name in PROGRAMS:
        record(name)
        print(f"recorded {_file(name)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
