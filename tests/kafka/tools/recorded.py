"""Read and write the recorded output of Kafka's tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from tests.kafka.tools.terminal import Printed

FILE: Final = Path(__file__).with_name("recorded.json")

# Settings of both brokers. kafka_oracle.NODE_SETTINGS contains some of them already.
SETTINGS: Final = {
    "node.id": "1",
    "offsets.topic.num.partitions": "4",
    "offsets.topic.replication.factor": "1",
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "1000",
}
OURS: Final = {**SETTINGS, "tidemark.as": "4.3"}


def read() -> dict[str, list[Printed]]:
    """Return every recorded case."""
    found: dict[str, list[Printed]] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return found


def write(cases: dict[str, list[Printed]]) -> None:
    """Write a line for each printed line, so that diffs are readable."""
    FILE.write_text(json.dumps(dict(sorted(cases.items())), indent=1, ensure_ascii=False) + "\n")
