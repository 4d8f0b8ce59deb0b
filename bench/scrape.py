"""A scrape of /metrics with about 2,000 series, over HTTP."""

from __future__ import annotations

import http.client
import time
from pathlib import Path
from typing import Final

from bench.host import cpu_seconds
from bench.rows import Effort, Row, quantile
from bench.scale import ask_all
from bench.servers import Ours, create_topic
from tests.wire import Connection, request
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)

TOPIC: Final = "watched"
PARTITIONS: Final = 10
GROUPS: Final = 60
SCRAPES: Final = 50


def scrape(folder: Path, effort: Effort) -> list[Row]:
    server = Ours(folder, {"tidemark.sync": "never"})
    try:
        create_topic(server, TOPIC, PARTITIONS)
        with Connection(server.bootstrap) as connection:
            ask_all(connection, (commit(group) for group in range(GROUPS)))
        return [scraped(server)]
    finally:
        server.stop()


def commit(group: int, count: int = PARTITIONS) -> bytes:
    partitions = [OffsetCommitRequestPartition(p, 1, committed_metadata="") for p in range(count)]
    topics = [OffsetCommitRequestTopic(name=TOPIC, partitions=partitions)]
    return request("OffsetCommit", 8, OffsetCommitRequest(f"group-{group}", topics=topics))


def scraped(server: Ours) -> Row:
    """Measure scrapes on one connection, as Prometheus makes them."""
    connection = http.client.HTTPConnection(server.process.http)
    taken, series, before = [], 0, cpu_seconds(server.pid)
    for _ in range(SCRAPES):
        began = time.monotonic()
        connection.request("GET", "/metrics")
        page = connection.getresponse().read()
        taken.append((time.monotonic() - began) * 1000)
        series = sum(not line.startswith(b"#") for line in page.splitlines())
    connection.close()
    row = Row("scrape of /metrics", quantile(taken, 0.5), "ms", server.name)
    row.cpu_us = (cpu_seconds(server.pid) - before) / SCRAPES * 1e6
    row.p99_ms = quantile(taken, 0.99)
    row.stall_ms = server.stall_ms()
    row.note = f"{series} series; median of {SCRAPES}"
    return row
