"""The cleanup pass over committed offsets.

It measures the cost when nothing is due, the sharing of the event loop when many offsets are due, and the
time of an explanation.
"""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from bench.commits import WIDEST, commits
from bench.host import metric
from bench.rows import Case, Effort, Row, quantile
from bench.scale import NO_CLEANER, WIDE, WIDE_PARTITIONS, ask_all, check_stored, commit_all
from bench.servers import Ours, create_topic
from tests.wire import Connection, request
from tidemark_protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)

SETTINGS: Final = {
    "tidemark.test.api": "true",
    "offsets.retention.check.interval.ms": "86400000",
    **NO_CLEANER,
}
HOUR_MS: Final = 3_600_000
DUE: Final = 100_000
ONE_BY_ONE: Final = (1, 1)
PASSES: Final = 15
ASKED: Final = 200


def expiry(folder: Path, effort: Effort) -> list[Row]:
    server = Ours(folder, SETTINGS)
    try:
        create_topic(server)
        create_topic(server, WIDE, WIDE_PARTITIONS)
        commit_all(server, 1)
        rows = [pass_row(server, "pass, 1 million offsets, first", 1)]
        server.process.stop()
        server.process.start(600)
        check_stored(server)
        rows += [
            pass_row(server, "pass, 1 million offsets, first after a load", 1),
            pass_row(server, "pass, 1 million offsets, none due", PASSES),
            explained(server),
            alone(server),
        ]
        for shape in (WIDEST, ONE_BY_ONE):
            rows += meanwhile(server, shape, effort)
        return rows
    finally:
        server.stop()


def post(server: Ours, path: str, body: dict[str, Any]) -> tuple[float, bytes]:
    """Return the seconds until the response begins, at which point all of it is durable, and the response."""
    data = json.dumps(body).encode()
    asked = urllib.request.Request(f"http://{address(server)}/v1/{path}", data, method="POST")
    began = time.monotonic()
    with urllib.request.urlopen(asked) as page:
        taken = time.monotonic() - began
        return taken, page.read()


def address(server: Ours) -> str:
    return server.process.http.removeprefix("http://")


def pass_row(server: Ours, name: str, times: int) -> Row:
    """Measure a pass by the broker's own metric, in whole milliseconds; the note has the time over HTTP."""
    before = metric(server.process.http, "tidemark_offset_cleanup_duration_seconds_sum")
    over_http = [post(server, "cleanup", {})[0] * 1000 for _ in range(times)]
    taken = metric(server.process.http, "tidemark_offset_cleanup_duration_seconds_sum") - before
    note = f"{quantile(over_http, 0.5):.1f} ms over HTTP, its median of {times}"
    return Row(name, taken / times * 1000, "ms", server.name, note=note)


def explained(server: Ours) -> Row:
    url = f"http://{address(server)}/v1/offsets?group=group-7&topic={WIDE}&limit=1"
    taken = []
    for _ in range(ASKED):
        began = time.monotonic()
        with urllib.request.urlopen(url) as page:
            page.read()
        taken.append((time.monotonic() - began) * 1000)
    note = f"a connection each; median of {ASKED}"
    return Row("explain of one offset, over HTTP", quantile(taken, 0.5), "ms", server.name, note=note)


def alone(server: Ours) -> Row:
    """Measure a pass over 100,000 due offsets without other load."""
    make_due(server)
    with Probe(server) as probe:
        taken, response = post(server, "clock/advance", {"ms": HOUR_MS})
    check(response)
    return pass_of_many("100,000 due, until durable", taken, probe)


def meanwhile(server: Ours, shape: tuple[int, int], effort: Effort) -> list[Row]:
    """Measure a pass over 100,000 due offsets under a load of commits, and the effect on the commits."""
    name = "commit {}x{}".format(*shape)
    before = commits(server, shape, effort, f"{name}, before")
    make_due(server)
    with Probe(server) as probe, Moving(server) as moving:
        brief = replace(effort, warmup_ms=200, measure_ms=500)
        during = commits(server, shape, brief, f"{name}, 100,000 offsets expire")
        still = not moving.is_over
    check(moving.response)
    during.note = f"{during.value / before.value:.0%} of before" + (
        "" if still else ", but the pass was over"
    )
    return [before, during, pass_of_many(f"100,000 due under {name}", moving.taken, probe)]


def pass_of_many(name: str, taken: float, probe: Probe) -> Row:
    row = Row(name, taken * 1000, "ms", note=f"ListOffsets meanwhile: p99 {probe.p99_ms:.1f} ms")
    row.max_ms = probe.max_ms
    return row


def make_due(server: Ours) -> None:
    """Commit offsets that expire in an hour."""
    with Connection(server.bootstrap) as connection:
        ask_all(connection, due_commits())


def due_commits() -> Iterator[bytes]:
    partitions = [OffsetCommitRequestPartition(p, 1, committed_metadata="") for p in range(WIDE_PARTITIONS)]
    for group in range(DUE // WIDE_PARTITIONS):
        topics = [OffsetCommitRequestTopic(name=WIDE, partitions=partitions)]
        asked = OffsetCommitRequest(f"group-{group}", topics=topics, retention_time_ms=HOUR_MS)
        yield request("OffsetCommit", 4, asked)


def check(response: bytes) -> None:
    gone = len(json.loads(response)["offsets"])
    assert gone == DUE, f"{gone} offsets are gone, not {DUE}"


class InThread:
    """Runs work() in a thread from the start of the with block, and waits for it at the end."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._thread = threading.Thread(target=work)

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def __enter__(self) -> Any:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()


class Moving(InThread):
    """Moves time by an hour once the load has started."""

    AFTER_S: Final = 0.3

    def __init__(self, server: Ours) -> None:
        super().__init__(self._move)
        self._server = server
        self.taken = 0.0
        self.response = b""

    def _move(self) -> None:
        time.sleep(self.AFTER_S)
        self.taken, self.response = post(self._server, "clock/advance", {"ms": HOUR_MS})


class Probe(InThread):
    """Lists a topic's end offset again and again, to measure how long the event loop delays a request.

    The response waits for no disk.
    """

    EVERY_S: Final = 0.0005

    def __init__(self, server: Ours) -> None:
        super().__init__(self._ask)
        host, _, port = server.bootstrap.rpartition(":")
        self._socket = socket.create_connection((host, int(port)))
        topics = [ListOffsetsTopic(WIDE, [ListOffsetsPartition(0, timestamp=-1)])]
        self._frame = request("ListOffsets", 1, ListOffsetsRequest(-1, topics=topics))
        self._ended = threading.Event()
        self._taken: list[float] = []

    @property
    def max_ms(self) -> float:
        return max(self._taken)

    @property
    def p99_ms(self) -> float:
        return quantile(self._taken, 0.99)

    def _ask(self) -> None:
        while not self._ended.wait(self.EVERY_S):
            began = time.monotonic()
            self._socket.sendall(self._frame)
            self._socket.recv(65_536)
            self._taken.append((time.monotonic() - began) * 1000)

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        super().__exit__()
        self._socket.close()


CASES: Final[dict[str, Case]] = {"expiry": expiry}
