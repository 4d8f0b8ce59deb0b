"""`python -m bench [--quick] [--only NAME] [--baseline FILE]`: a table, and bench/results/<when>.json."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from bench import load
from bench.host import metric, resident_megabytes, sync_ms
from tests.broker_process import BrokerProcess
from tests.contract.wire import Connection, request, response
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.find_coordinator import FindCoordinatorRequest
from tidemark_protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)

SERVER_CORE: Final = 0
TOPIC: Final = "bench"
PARTITIONS: Final = 16
FRAMES_EACH: Final = 64
REPLY_BYTES: Final = 32
SHAPES: Final = ((1, 1), (16, 1), (16, 16), (64, 16))


@dataclass(slots=True)
class Row:
    """One line of the result. Higher is better where `unit` ends in /s, lower elsewhere."""

    name: str
    value: float
    unit: str
    cpu_us: float | None = None
    core: float | None = None
    p50_ms: float | None = None
    p99_ms: float | None = None
    max_ms: float | None = None
    stall_ms: float | None = None
    disk: str = ""


@dataclass(slots=True)
class Effort:
    """How long everything is measured."""

    warmup_ms: int = 1500
    measure_ms: int = 5000
    starts: int = 7


def commits(shape: tuple[int, int], sync: str) -> Callable[[Path, Effort], list[Row]]:
    """OffsetCommit v8 of one partition, in this shape, under this sync policy."""

    def measure(folder: Path, effort: Effort) -> list[Row]:
        # Measured beside each figure: a disk of a shared machine is not the same twice.
        disk = "fdatasync p50 {:.2f} p99 {:.2f} ms".format(*sync_ms(folder)) if sync == "always" else ""
        broker = BrokerProcess(folder, {"tidemark.sync": sync}, pin_to_core=SERVER_CORE)
        broker.start()
        try:
            prepare(broker)
            port = int(broker.bootstrap.rpartition(":")[2])
            wanted = load.Load(*shape, effort.warmup_ms, effort.measure_ms)
            measured = load.run(wanted, port, broker.pid, commit_frames(shape[0]))
            stall = metric(broker.http, "tidemark_event_loop_stall_max_seconds")
        finally:
            broker.stop()
        check_commit(measured.first_answer)
        row = commit_row(f"commit {shape[0]}x{shape[1]} sync={sync}", measured)
        row.stall_ms = stall * 1000
        row.disk = disk
        return [row]

    return measure


def ceiling(folder: Path, effort: Effort) -> list[Row]:
    """The generator against a C server that does nothing: what it can measure at most."""
    echo = load.Echo(REPLY_BYTES, SERVER_CORE)
    try:
        wanted = load.Load(64, 16, 200, effort.measure_ms // 2)
        measured = load.run(wanted, echo.port, echo.pid, commit_frames(64))
    finally:
        echo.stop()
    return [commit_row("ceiling of the load generator 64x16", measured)]


def start(folder: Path, effort: Effort) -> list[Row]:
    """From the start of the process to the ready file, on a new directory and again; memory when idle."""
    broker = BrokerProcess(folder, pin_to_core=SERVER_CORE)
    broker.start()
    first = broker.ready_after_s
    prepare(broker)
    again = []
    for _ in range(effort.starts):
        broker.stop()
        broker.start()
        again.append(broker.ready_after_s)
    time.sleep(1)
    resident = resident_megabytes(broker.pid)
    started = time.monotonic()
    broker.stop()
    return [
        Row("ready, new directory", first * 1000, "ms"),
        Row("ready, again (median)", sorted(again)[len(again) // 2] * 1000, "ms"),
        Row("resident when idle", resident, "MB"),
        Row("clean stop", (time.monotonic() - started) * 1000, "ms"),
    ]


CASES: Final[dict[str, Callable[[Path, Effort], list[Row]]]] = {
    "ceiling": ceiling,
    "start": start,
    **{
        f"commit {c}x{p} sync={sync}": commits((c, p), sync)
        for sync in ("never", "always")
        for c, p in SHAPES
    },
}


def prepare(broker: BrokerProcess) -> None:
    with Connection(broker.bootstrap) as connection:
        create = CreateTopicsRequest([CreatableTopic(TOPIC, PARTITIONS, 1)])
        connection.ask("CreateTopics", 7, create)
        connection.ask("FindCoordinator", 1, FindCoordinatorRequest(key="group-00"))


def commit_frames(connections: int) -> list[list[bytes]]:
    """For each connection commits of a group and a partition of its own, with rising offsets."""
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


def commit_row(name: str, measured: load.Measured) -> Row:
    return Row(
        name,
        measured.per_second,
        "/s",
        cpu_us=measured.cpu_us,
        core=measured.core,
        p50_ms=measured.p50_us / 1000,
        p99_ms=measured.p99_us / 1000,
        max_ms=measured.max_us / 1000,
    )


def print_row(row: Row, before: dict[str, Any] | None) -> None:
    cells = [f"{row.name:38} {row.value:10,.0f} {row.unit:3}"]
    if row.cpu_us is not None and row.core is not None:
        cells.append(f"cpu {row.cpu_us:6.2f} us, {row.core:4.0%} of a core")
        cells.append(f"p50 {row.p50_ms:6.2f}  p99 {row.p99_ms:6.2f}  max {row.max_ms:5.1f} ms")
    if row.stall_ms is not None:
        cells.append(f"stall {row.stall_ms:5.1f} ms")
    if row.disk:
        cells.append(row.disk)
    if before is not None:
        cells.append(f"before {before['value']:,.0f} ({row.value / before['value'] - 1:+.1%})")
    print("  ".join(cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="about a second each: a glance, not a figure")
    parser.add_argument(
        "--only", default="", metavar="NAME", help="the cases whose name holds this: " + ", ".join(CASES)
    )
    parser.add_argument(
        "--baseline", type=Path, metavar="FILE", help="a JSON file of an earlier run, to compare with"
    )
    arguments = parser.parse_args()
    effort = Effort(500, 1000, 3) if arguments.quick else Effort()
    earlier = json.loads(arguments.baseline.read_text())["rows"] if arguments.baseline else []
    before = {row["name"]: row for row in earlier}
    load.RESULTS.mkdir(exist_ok=True)
    rows: list[Row] = []
    for name, measure in CASES.items():
        if arguments.only not in name:
            continue
        # On the disk of the working tree, not in a /tmp that may be memory.
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=load.RESULTS))
        try:
            measured = measure(folder, effort)
        finally:
            shutil.rmtree(folder)
        for row in measured:
            print_row(row, before.get(row.name))
        rows += measured
    written = load.RESULTS / time.strftime("%Y%m%d-%H%M%S.json")
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    written.write_text(
        json.dumps({"machine": machine, "rows": [asdict(row) for row in rows]}, indent=1) + "\n"
    )
    print(f"written to {written}")


if __name__ == "__main__":
    main()
