"""A part of the directory that Kafka wrote: the first segments of two log partitions.

A Spark task takes longer than reading it.
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
    """Copy it from Kafka's directory."""
    shutil.copytree(kafkas / "__cluster_metadata-0", place / "__cluster_metadata-0")
    for log_partition in LOG_PARTITIONS.values():
        directory = place / f"__consumer_offsets-{log_partition}"
        directory.mkdir()
        for segment in sorted((kafkas / directory.name).glob("*.log"))[:SEGMENTS]:
            shutil.copy(segment, directory)
    return place


@cache
def commits() -> list[Line]:
    """Return offset commits and tombstones in Kafka's dump of the whole directory."""
    return [line for line in dump() if line.get("keyVersion") in (0, 1) and "empty" not in line]


@cache
def small_commits() -> list[Line]:
    """Return those of the part."""
    first = {
        number: sorted({line["segment"] for line in dump() if line["partition"] == number})[:SEGMENTS]
        for number in LOG_PARTITIONS.values()
    }
    return [line for line in commits() if line["segment"] in first.get(line["partition"], ())]
