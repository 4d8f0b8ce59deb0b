"""A part of the directory that Kafka wrote: two log partitions, and of each the first segments.

In Spark a task costs more than what it reads here.
"""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.pipeline.kafka_fixture import dump

Line = dict[str, Any]

GROUP: Final = "filler-02"
OTHER: Final = "v8"
LOG_PARTITIONS: Final = {GROUP: 1, OTHER: 2}
SEGMENTS: Final = 2


def small_log(kafkas: Path, place: Path) -> Path:
    """Made at place, out of Kafka's whole directory."""
    shutil.copytree(kafkas / "__cluster_metadata-0", place / "__cluster_metadata-0")
    for log_partition in LOG_PARTITIONS.values():
        directory = place / f"__consumer_offsets-{log_partition}"
        directory.mkdir()
        for segment in sorted((kafkas / directory.name).glob("*.log"))[:SEGMENTS]:
            shutil.copy(segment, directory)
    return place


@cache
def commits() -> list[Line]:
    """Offset commits and their tombstones in Kafka's dump of the whole directory."""
    return [line for line in dump() if line.get("keyVersion") in (0, 1) and "empty" not in line]


@cache
def small_commits() -> list[Line]:
    """The same of the part."""
    first = {
        number: sorted({line["segment"] for line in dump() if line["partition"] == number})[:SEGMENTS]
        for number in LOG_PARTITIONS.values()
    }
    return [line for line in commits() if line["segment"] in first.get(line["partition"], ())]
