"""Start-up time, from the start of the process to the ready file, and memory when idle."""

from __future__ import annotations

import time
from pathlib import Path

from bench.host import resident_megabytes
from bench.rows import Effort, Row, quantile
from bench.servers import Ours, create_topic


def start(folder: Path, effort: Effort) -> list[Row]:
    """Measure a start on a new directory, a restart, memory when idle, and a clean stop."""
    server = Ours(folder)
    process = server.process
    first = process.ready_after_s
    create_topic(server)
    again = []
    for _ in range(effort.starts):
        process.stop()
        process.start()
        again.append(process.ready_after_s)
    time.sleep(1)
    resident = resident_megabytes(process.pid)
    started = time.monotonic()
    process.stop()
    return [
        Row("ready, new directory", first * 1000, "ms"),
        Row("ready, again", quantile(again, 0.5) * 1000, "ms", note=f"median of {len(again)}"),
        Row("resident when idle", resident, "MB"),
        Row("clean stop", (time.monotonic() - started) * 1000, "ms"),
    ]
