"""OffsetCommit under load, and the limit of the load generator itself."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from bench import load
from bench.host import disk_text
from bench.rows import Case, Effort, Row, load_row
from bench.servers import PARTITIONS, SERVER_CORE, TOPIC, Ours, Server, create_topic, port_of
from tests.wire import request, response
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)

FRAMES_EACH: Final = 64
RESPONSE_BYTES: Final = 32
SHAPES: Final = ((1, 1), (16, 1), (16, 16), (64, 16))
WIDEST: Final = (64, 16)


def case(shape: tuple[int, int], sync: str) -> Case:
    """Return the case for OffsetCommit v8 in this shape (connections, pending requests of each)."""
    return lambda folder, effort: [on_ours(folder, effort, shape, sync)]


def on_ours(
    folder: Path, effort: Effort, shape: tuple[int, int], sync: str, packages: Path | None = None
) -> Row:
    folder.mkdir(exist_ok=True)
    # Measured for each row, because the disk of a shared machine varies.
    disk = disk_text(folder) if sync == "always" else ""
    server = Ours(folder, {"tidemark.sync": sync}, packages=packages)
    try:
        create_topic(server)
        row = commits(server, shape, effort, name_of(shape, sync))
    finally:
        server.stop()
    row.disk = disk
    return row


def name_of(shape: tuple[int, int], sync: str) -> str:
    return f"commit {shape[0]}x{shape[1]} sync={sync}"


def commits(server: Server, shape: tuple[int, int], effort: Effort, name: str) -> Row:
    """Measure this load on a server that has the topic."""
    wanted = load.Load(*shape, effort.warmup_ms, effort.measure_ms)
    measured = load.run(wanted, port_of(server), server.pid, commit_frames(shape[0]))
    check_commit(measured.first_response)
    row = load_row(name, measured, server.name)
    row.stall_ms = server.stall_ms()
    return row


def ceiling(folder: Path, effort: Effort) -> list[Row]:
    """Measure the generator with a C server that does nothing: the maximum that it can measure."""
    echo = load.Echo(RESPONSE_BYTES, SERVER_CORE)
    try:
        wanted = load.Load(*WIDEST, 200, effort.measure_ms // 2)
        measured = load.run(wanted, echo.port, echo.pid, commit_frames(64))
    finally:
        echo.stop()
    return [load_row("ceiling of the load generator 64x16", measured)]


def commit_frames(connections: int) -> list[list[bytes]]:
    """Return for each connection commits of its own group and partition, with rising offsets."""
    return [[commit_frame(c, n) for n in range(FRAMES_EACH)] for c in range(connections)]


def commit_frame(connection: int, n: int) -> bytes:
    commit = OffsetCommitRequestPartition(connection % PARTITIONS, 1000 + n, committed_metadata="")
    topics = [OffsetCommitRequestTopic(name=TOPIC, partitions=[commit])]
    return request(
        "OffsetCommit", 8, OffsetCommitRequest(f"group-{connection:02}", topics=topics), correlation_id=n
    )


def check_commit(answer: bytes) -> None:
    code = response("OffsetCommit", 8, answer[4:]).topics[0].partitions[0].error_code
    assert code == 0, f"the commits were refused with error {code}"


__all__ = ["SHAPES", "WIDEST", "case", "ceiling", "commits", "name_of"]
