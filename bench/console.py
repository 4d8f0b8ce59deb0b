"""The JSON of the console with 1,000 groups, over HTTP."""

from __future__ import annotations

import http.client
import json
import time
from pathlib import Path
from typing import Final

from bench.host import cpu_seconds
from bench.rows import Effort, Row, quantile
from bench.scale import ask_all
from bench.scrape import TOPIC, commit
from bench.servers import Ours, create_topic
from tests.wire import Connection

GROUPS: Final = 1_000
PARTITIONS: Final = 3
SHOWN: Final = 15  # groups, as on the first page
REQUESTS: Final = 50


def console(folder: Path, effort: Effort) -> list[Row]:
    server = Ours(folder, {"tidemark.sync": "never"})
    try:
        create_topic(server, TOPIC, PARTITIONS)
        with Connection(server.bootstrap) as connection:
            ask_all(connection, (commit(group, PARTITIONS) for group in range(GROUPS)))
        return [requested(server)]
    finally:
        server.stop()


def requested(server: Ours) -> Row:
    """Measure the request that the first page repeats, on one connection, as a browser makes it."""
    connection = http.client.HTTPConnection(server.process.http)
    taken, before = [], cpu_seconds(server.pid)
    for _ in range(REQUESTS):
        began = time.monotonic()
        connection.request("GET", f"/v1/groups/summary?sort=trouble&limit={SHOWN}")
        body = connection.getresponse().read()
        taken.append((time.monotonic() - began) * 1000)
        assert len(json.loads(body)["groups"]) == SHOWN
    connection.close()
    row = Row("console, 1,000 groups", quantile(taken, 0.5), "ms", server.name)
    row.cpu_us = (cpu_seconds(server.pid) - before) / REQUESTS * 1e6
    row.p99_ms = quantile(taken, 0.99)
    row.stall_ms = server.stall_ms()
    row.note = f"{GROUPS * PARTITIONS} offsets; median of {REQUESTS}"
    return row
