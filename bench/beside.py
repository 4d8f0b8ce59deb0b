"""The same loads in the same run on Apache Kafka 4.3.1 and on librdkafka's built-in mock cluster."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Final

from bench import commits, load
from bench.groups import assignments, first_records
from bench.host import resident_megabytes
from bench.perf_tools import seen_by_tools
from bench.records import SIZES, produce_and_fetch
from bench.rows import Case, Effort, Row
from bench.servers import Kafka, Mock, create_topic, port_of
from tests.kafka_oracle import missing

JVM_WARMUP_MS: Final = 15_000  # with the widest load; it makes the JVM compile the code of the others, too


def kafka(folder: Path, effort: Effort) -> list[Row]:
    """Measure Kafka on all cores with its default settings, so it does not sync. No rows without Java."""
    if missing() is not None:
        return []
    server = Kafka(folder / "kafka")
    try:
        create_topic(server)
        ready = Row(
            "ready, new directory",
            server.ready_after_s * 1000,
            "ms",
            server.name,
            note="formatting not counted",
        )
        time.sleep(1)
        idle = Row("resident when idle", resident_megabytes(server.pid), "MB", server.name)
        rows = [ready, idle]
        warm = load.Load(*commits.WIDEST, 0, JVM_WARMUP_MS if effort.starts > 3 else JVM_WARMUP_MS // 3)
        load.run(warm, port_of(server), server.pid, commits.commit_frames(commits.WIDEST[0]))
        rows += [
            commits.commits(server, shape, effort, commits.name_of(shape, "never"))
            for shape in reversed(commits.SHAPES)
        ]
        rows.append(Row("resident under load", resident_megabytes(server.pid), "MB", server.name))
        rows += [assignments(server, effort), *first_records(server, effort)]
        longer = replace(effort, warmup_ms=3 * effort.warmup_ms)
        for size in SIZES:
            rows += produce_and_fetch(server, size, longer)
        return rows + seen_by_tools(server, effort)
    finally:
        server.stop()


def mock(folder: Path, effort: Effort) -> list[Row]:
    """Measure commits only: the mock's logs hold a few megabytes, and its groups rebalance after 3 s."""
    server = Mock(folder)
    try:
        return [
            commits.commits(server, shape, replace(effort, warmup_ms=500), commits.name_of(shape, "never"))
            for shape in commits.SHAPES
        ]
    finally:
        server.stop()


CASES: Final[dict[str, Case]] = {"librdkafka's mock": mock, "Kafka": kafka}
