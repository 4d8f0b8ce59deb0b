"""Record the decisions of Kafka's StandardAuthorizer: `python -m tests.conformance.authorizer.record`."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.conformance.authorizer.worlds import worlds
from tests.conformance.by_release import golden, write_golden
from tests.kafka_oracle import java

NAME: Final = "authorizer.jsonl.gz"


def recorded() -> list[str]:
    """Return the decisions about each world: a text with 1 (allowed) or 0 for each question."""
    with gzip.open(golden(NAME), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def main() -> int:
    program = str(Path(__file__).parent / "Decisions.java")
    told = subprocess.run(
        java(program), input=json.dumps(worlds()).encode(), stdout=subprocess.PIPE, check=True
    )
    print(write_golden(NAME, told.stdout))
    return 0


if __name__ == "__main__":
    sys.exit(main())
