"""The results of Kafka's own kafka-producer-perf-test and kafka-consumer-perf-test. Needs Java.

No process is pinned to a core, because the tools use more than one.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Final

from bench.host import cpu_seconds, touch_memory
from bench.rows import Effort, Row
from bench.servers import Ours, Server, create_topic
from tests.kafka_oracle import jars, missing

PRODUCER: Final = "org.apache.kafka.tools.ProducerPerformance"
CONSUMER: Final = "org.apache.kafka.tools.ConsumerPerformance"
JVM: Final = ("-Xmx512m", "-Dlog4j2.level=ERROR")  # like kafka-run-class.sh, but with more memory
SMALL_BYTES: Final = 200
LARGE_BYTES: Final = 60_000
SMALL_FOR_EACH_LARGE: Final = 100
TIMEOUT_S: Final = 300


def perf_tools(folder: Path, effort: Effort) -> list[Row]:
    if missing() is not None:
        return []
    server = Ours(folder, pinned=False)
    try:
        return seen_by_tools(server, effort)
    finally:
        server.stop()


def seen_by_tools(server: Server, effort: Effort) -> list[Row]:
    """Measure producing and consuming small and large records with the clients' default settings."""
    small, large = effort.perf_records, effort.perf_records // SMALL_FOR_EACH_LARGE
    touch_memory((small * SMALL_BYTES + large * LARGE_BYTES) // 1_000_000)
    rows = []
    for label, size, count in (("200 B", SMALL_BYTES, small), ("60 kB", LARGE_BYTES, large)):
        topic = f"perf-{size}"
        create_topic(server, topic, 1)
        rows.append(_produce(server, topic, count, size, f"producer-perf-test {label}"))
        rows.append(_consume(server, topic, count, size, f"consumer-perf-test {label}"))
    return rows


def _produce(server: Server, topic: str, count: int, size: int, name: str) -> Row:
    before = cpu_seconds(server.pid)
    output = _java(
        PRODUCER, "--bootstrap-server", server.bootstrap, "--topic", topic, "--num-records", str(count),
        "--record-size", str(size), "--throughput", "-1",
    )  # fmt: skip
    found = re.findall(
        r"^\d+ records sent, ([\d.]+) records/sec .*?([\d.]+) ms 50th.*?([\d.]+) ms 99th",
        output,
        re.MULTILINE,
    )
    assert found, output
    each, p50, p99 = map(float, found[-1])
    row = _row(server, name, each, size, (cpu_seconds(server.pid) - before) / count)
    row.p50_ms, row.p99_ms = p50, p99
    return row


def _consume(server: Server, topic: str, count: int, size: int, name: str) -> Row:
    before = cpu_seconds(server.pid)
    output = _java(
        CONSUMER, "--bootstrap-server", server.bootstrap, "--topic", topic, "--num-records", str(count),
        "--hide-header",
    )  # fmt: skip
    # start, end, MB, MB/s, records, records/s, rebalance ms, fetch ms, fetch MB/s, fetch records/s
    cells = [cell.strip() for cell in output.strip().splitlines()[-1].split(",")]
    assert int(cells[4]) >= count, output
    return _row(server, name, float(cells[9]), size, (cpu_seconds(server.pid) - before) / count)


def _row(server: Server, name: str, each: float, size: int, cpu_s: float) -> Row:
    return Row(
        name, each, "/s", server=server.name, cpu_us=cpu_s * 1e6, core=cpu_s * each,
        mb_per_cpu_s=size / (cpu_s * 1e6) if cpu_s else None, note=f"{each * size / 1e6:,.0f} MB/s",
    )  # fmt: skip


def _java(*arguments: str) -> str:
    ran = subprocess.run(
        ["java", *JVM, "-cp", f"{jars()}/*", *arguments],
        capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
