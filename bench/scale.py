"""Large cases: a million offsets, long logs, ten thousand groups and connections, a compaction."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from bench.commits import WIDEST, commits
from bench.groups import join
from bench.host import children, children_cpu_seconds, cpu_seconds, metric, resident_megabytes, touch_memory
from bench.records import Size, batch_of, produce_frame
from bench.rows import Case, Effort, Row, quantile
from bench.servers import Ours, create_topic
from tests.wire import Connection, request
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)

MILLION: Final = 1_000_000
WIDE: Final = "wide"
WIDE_PARTITIONS: Final = 100
WIDE_GROUPS: Final = MILLION // WIDE_PARTITIONS
IN_FLIGHT: Final = 32
NO_CLEANER: Final = {"log.cleaner.backoff.ms": "86400000"}  # the log is not compacted
SMALL_RECORDS: Final = Size("100 B", 100, 5000)
# With these settings, every closed megabyte starts another compaction of the whole log.
BUSY_CLEANER: Final = {
    "log.cleaner.backoff.ms": "50",
    "log.cleaner.min.cleanable.ratio": "0",
    "offsets.topic.segment.bytes": "1048576",
}
LOAD_TIMEOUT_S: Final = 600
REST_S: Final = 0.5
TURNS: Final = 3
TOPICS_EACH: Final = 100


def million_offsets(folder: Path, effort: Effort) -> list[Row]:
    return commits_loaded(folder, effort.commits_in_millions)


def commits_loaded(folder: Path, millions: int, packages: Path | None = None) -> list[Row]:
    """Measure memory and start-up with a million offsets: 10,000 groups with 100 partitions each.

    Then repeat it with a log of this many million commits to the same offsets.
    """
    server = Ours(folder, {"tidemark.sync": "never", **NO_CLEANER}, packages=packages)
    pid = server.pid
    try:
        create_topic(server, WIDE, WIDE_PARTITIONS)
        idle = resident_megabytes(pid)
        taken = commit_all(server, 1)
        check_stored(server)
        full = resident_megabytes(pid)
        rows = [
            Row(
                "resident, 1 million offsets committed", full, "MB", server.name, note=f"{idle:.0f} MB before"
            ),
            Row("commit of 100 partitions at once, each", taken / MILLION * 1e6, "us", server.name),
            restart(server, "ready, log of 1 million commits"),
            Row("resident, 1 million offsets loaded", resident_megabytes(server.pid), "MB", server.name),
        ]
        check_stored(server)
        if millions > 1:
            for n in range(1, millions):
                commit_all(server, 1 + n)
            rows.append(restart(server, f"ready, log of {millions} million commits"))
        return rows
    finally:
        server.stop()


def check_stored(server: Ours) -> None:
    stored = metric(server.process.http, "tidemark_offsets")
    assert stored == MILLION, f"{stored:,.0f} offsets are stored, not a million"


def commit_all(server: Ours, offset: int) -> float:
    """Commit this offset for every group and partition. Return the CPU seconds that the broker used."""
    before = cpu_seconds(server.pid)
    with Connection(server.bootstrap) as connection:
        ask_all(connection, (wide_commit(group, offset) for group in range(WIDE_GROUPS)))
    return cpu_seconds(server.pid) - before


def wide_commit(group: int, offset: int) -> bytes:
    partitions = [
        OffsetCommitRequestPartition(p, offset, committed_metadata="") for p in range(WIDE_PARTITIONS)
    ]
    topics = [OffsetCommitRequestTopic(name=WIDE, partitions=partitions)]
    return request("OffsetCommit", 8, OffsetCommitRequest(f"group-{group}", topics=topics))


def ask_all(connection: Connection, frames: Iterator[bytes]) -> None:
    """Send every frame, with a bounded number of pending requests."""
    waiting = 0
    for frame in frames:
        connection.send(frame)
        waiting += 1
        if waiting == IN_FLIGHT:
            connection.answer()
            waiting -= 1
    for _ in range(waiting):
        connection.answer()


def restart(server: Ours, name: str, *, kill: bool = False) -> Row:
    """Measure from the start of the process to the ready file, with the existing data directory."""
    process = server.process
    if kill:
        process.kill9()
    else:
        process.stop()
    process.start(LOAD_TIMEOUT_S)
    cpu = cpu_seconds(process.pid)
    how = "kill -9" if kill else "a clean stop"
    return Row(name, process.ready_after_s * 1000, "ms", server.name, note=f"after {how}, {cpu:.1f} s of CPU")


def user_records(folder: Path, effort: Effort) -> list[Row]:
    """Measure start-up with many records of 100 bytes, after a clean stop and after kill -9.

    After kill -9, everything after the recovery point must be checked.
    """
    count = effort.user_records
    touch_memory(count * SMALL_RECORDS.record_bytes // MILLION)
    server = Ours(folder)
    label = f"{count // MILLION} million records"
    try:
        create_topic(server, SMALL_RECORDS.topic, 1)
        frame = produce_frame(SMALL_RECORDS.topic, 0, batch_of(SMALL_RECORDS))
        with Connection(server.bootstrap) as connection:
            ask_all(connection, (frame for _ in range(count // SMALL_RECORDS.each)))
        return [
            restart(server, f"ready, a topic of {label}, killed", kill=True),
            restart(server, f"ready, a topic of {label}"),
        ]
    finally:
        server.stop()


Burden = Callable[[Ours, ExitStack, Effort], None]


def cost(name: str, burden: Burden) -> Case:
    """Measure the cost of a burden per commit. The load alternates between brokers with and without it."""

    def measure(folder: Path, effort: Effort) -> list[Row]:
        with ExitStack() as stack:
            free, burdened = (
                started(stack, folder / side, {"tidemark.sync": "never"}) for side in ("free", "burdened")
            )
            before_mb = resident_megabytes(burdened.pid)
            began = time.monotonic()
            burden(burdened, stack, effort)
            taken = time.monotonic() - began
            grown = resident_megabytes(burdened.pid) - before_mb
            stall = burdened.stall_ms()
            rows = in_turns(name, free, burdened, effort)
        rows[0].note = f"made in {taken:.1f} s, {grown:+.0f} MB, stall meanwhile {stall:.0f} ms"
        return rows

    return measure


def started(stack: ExitStack, folder: Path, settings: dict[str, str]) -> Ours:
    server = Ours(folder, settings)
    stack.callback(server.stop)
    create_topic(server)
    return server


def in_turns(name: str, free: Ours, burdened: Ours, effort: Effort) -> list[Row]:
    """Return the row of the burdened broker, and how much more its commits cost than those of the free one.

    The cost is the median of pairs of short runs, because a shared machine varies over time.
    """
    turn = replace(effort, warmup_ms=effort.warmup_ms // 3, measure_ms=effort.measure_ms // 3)
    pairs = []
    for _ in range(TURNS):
        without = commits(free, WIDEST, turn, "without")
        wait_until_at_rest(free.pid)
        pairs.append((without, commits(burdened, WIDEST, turn, f"commit 64x16, {name}")))
        wait_until_at_rest(burdened.pid)
    more = [(with_.cpu_us or 0) / (without.cpu_us or 1) - 1 for without, with_ in pairs]
    fewer = [1 - with_.value / without.value for without, with_ in pairs]
    row = sorted((with_ for _, with_ in pairs), key=lambda each: each.value)[TURNS // 2]
    cost_row = Row(
        f"cost of {name}", 100 * quantile(more, 0.5), "%",
        note=f"CPU per commit, median of {TURNS}; commits a second {-quantile(fewer, 0.5):+.0%}",
    )  # fmt: skip
    return [row, cost_row]


def wait_until_at_rest(pid: int) -> None:
    """Wait until no compaction has run for a moment."""
    quiet_since = time.monotonic()
    deadline = quiet_since + LOAD_TIMEOUT_S
    while time.monotonic() - quiet_since < REST_S:
        assert time.monotonic() < deadline, "the compaction does not come to its end"
        if children(pid):
            quiet_since = time.monotonic()
        time.sleep(0.05)


def many_groups(server: Ours, stack: ExitStack, effort: Effort) -> None:
    """Create stable groups of one member each."""
    with Connection(server.bootstrap) as connection:
        for n in range(effort.fleet):
            join(connection, f"fleet-{n}")


def many_connections(server: Ours, stack: ExitStack, effort: Effort) -> None:
    """Open connections that are idle after one request."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    for n in range(effort.fleet):
        connection = stack.enter_context(Connection(server.bootstrap))
        connection.ask("FindCoordinator", 1, FindCoordinatorRequest(key=f"idle-{n}"))


def many_topics(server: Ours, stack: ExitStack, effort: Effort) -> None:
    with Connection(server.bootstrap) as connection:
        for first in range(0, effort.fleet // 10, TOPICS_EACH):
            topics = [CreatableTopic(f"topic-{first + n}", 1, 1) for n in range(TOPICS_EACH)]
            made = connection.ask("CreateTopics", 7, CreateTopicsRequest(topics))
            assert all(topic.error_code == 0 for topic in made.topics), made


def compaction(folder: Path, effort: Effort) -> list[Row]:
    """Measure commits to a log of a million offsets, without compaction and with continuous compaction.

    The compacting process has a low priority, and shares the broker's core.
    """
    with ExitStack() as stack:
        free, burdened = (
            started(stack, folder / side, {"tidemark.sync": "never", **settings})
            for side, settings in (("free", NO_CLEANER), ("burdened", BUSY_CLEANER))
        )
        for server in (free, burdened):
            create_topic(server, WIDE, WIDE_PARTITIONS)
            commit_all(server, 1)
            wait_until_at_rest(server.pid)
        before = children_cpu_seconds(burdened.pid)
        row, cost_row = in_turns("a compaction under way", free, burdened, effort)
        taken = children_cpu_seconds(burdened.pid) - before
    row.note = f"compacting took {taken:.1f} s of CPU"
    return [row, cost_row]


CASES: Final[dict[str, Case]] = {
    "million offsets": million_offsets,
    "user records": user_records,
    "10,000 groups": cost("10,000 groups", many_groups),
    "10,000 idle connections": cost("10,000 idle connections", many_connections),
    "1,000 topics": cost("1,000 topics", many_topics),
    "compaction": compaction,
}
