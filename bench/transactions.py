"""Transactions of ten records in two partitions with an offset, by the producers of client libraries.

No process is pinned to a core, because a client needs more than one.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench.host import disk_text
from bench.perf_tools import JVM
from bench.rows import Case, Effort, Row, quantile
from bench.servers import CLIENTS, Kafka, Ours, Server, create_topic
from tests.clientenv import client_python
from tests.kafka_oracle import jars, missing

TOPIC: Final = "transactions"
PARTITIONS: Final = 2
SHAPES: Final = (("java", 1), ("confluent-kafka", 1), ("java", 8))  # producers at once
WARMUP_MS: Final = 4000  # also of the client, half of whose time is its JIT otherwise
JVM_WARMUP_MS: Final = 20_000  # of Kafka, once
TIMEOUT_S: Final = 120


def ours(sync: str) -> Case:
    def measure(folder: Path, effort: Effort) -> list[Row]:
        # Measured for each row, because the disk of a shared machine varies.
        disk = disk_text(folder) if sync == "always" else ""
        server = Ours(folder, {"tidemark.sync": sync}, pinned=False)
        try:
            rows = transactions(server, effort, sync)
        finally:
            server.stop()
        for row in rows:
            row.disk = disk
        return rows

    return measure


def kafka(folder: Path, effort: Effort) -> list[Row]:
    """Measure Apache Kafka, which does not sync. No rows without Java."""
    if missing() is not None:
        return []
    server = Kafka(folder / "kafka")
    try:
        create_topic(server, TOPIC, PARTITIONS)
        run("java", 8, server, JVM_WARMUP_MS if effort.starts > 3 else JVM_WARMUP_MS // 4, 0)
        return transactions(server, effort, "never")
    finally:
        server.stop()


def transactions(server: Server, effort: Effort, sync: str) -> list[Row]:
    create_topic(server, TOPIC, PARTITIONS)
    rows = []
    for client, producers in SHAPES:
        if client == "java" and missing() is not None:
            continue
        taken = run(client, producers, server, WARMUP_MS, effort.measure_ms)
        name = f"transaction {client} x{producers} sync={sync}"
        row = Row(
            name, len(taken) / effort.measure_ms * 1000, "/s", server.name,
            p50_ms=quantile(taken, 0.5), p99_ms=quantile(taken, 0.99), max_ms=max(taken),
            stall_ms=server.stall_ms(),
        )  # fmt: skip
        rows.append(row)
    return rows


def run(client: str, producers: int, server: Server, warmup_ms: int, measure_ms: int) -> list[float]:
    """Return the milliseconds of each transaction after the warm-up."""
    arguments = [server.bootstrap, TOPIC, str(producers), str(warmup_ms), str(measure_ms)]
    ran = subprocess.run(
        [*PROGRAMS[client](), *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    taken: list[float] = json.loads(ran.stdout.splitlines()[-1])
    return taken


def java() -> list[str]:
    return ["java", *JVM, "-cp", f"{jars()}/*", str(CLIENTS / "Transactions.java")]


def confluent_kafka() -> list[str]:
    return [str(client_python("confluent-kafka")), str(CLIENTS / "transactions.py")]


PROGRAMS: Final[dict[str, Callable[[], list[str]]]] = {"java": java, "confluent-kafka": confluent_kafka}
OURS: Final[dict[str, Case]] = {f"transactions sync={sync}": ours(sync) for sync in ("never", "always")}
