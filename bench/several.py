"""Three brokers in one process beside one: the start, memory, commits, and the move of a leader."""

from __future__ import annotations

import asyncio
import json
import sys
import time
import urllib.request
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from bench import load
from bench.commits import check_commit, commit_frames
from bench.frames import prepared
from bench.host import resident_megabytes
from bench.rows import Effort, Row, load_row, quantile
from bench.servers import PARTITIONS, TOPIC, Ours, wait_for_coordinator
from tests.clients.copiers import any_connection, coordinator_of
from tests.clients.load import batch_of
from tests.wire import Connection
from tidemark.log.storage import FileStorage
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

COUNTS: Final = (1, 3)
SHAPE: Final = (16, 16)
ROUNDS: Final = 3  # the brokers take turns, because the speed of a shared machine varies
STARTS: Final = 20
CHUNKS: Final = 300  # of requests that are served in this process, by each count of brokers
CHUNK: Final = 200
MOVES: Final = 50


def several(folder: Path, effort: Effort) -> list[Row]:
    servers = {count: _started(folder / f"{count}", count) for count in COUNTS}
    try:
        rows = _starts(servers)
        for _ in range(ROUNDS):
            rows += [_commits(servers[count], count, effort) for count in COUNTS]
        servers[0] = _started(folder / "moves", 3, sync="always")
        rows.append(_move(servers[0]))
    finally:
        for server in servers.values():
            server.stop()
    rows += asyncio.run(_in_process(folder / "in process"))
    return rows


async def _in_process(folder: Path) -> list[Row]:
    rows = []
    for api in ("OffsetCommit", "OffsetFetch", "Heartbeat", "Produce", "Fetch"):
        rows += await _requests(api)
    return [*rows, await _move_in_process(folder)]


async def _requests(api: str) -> list[Row]:
    """Measure the CPU time of a request in this process. The least of many chunks has the least noise."""
    least = dict.fromkeys(COUNTS, sys.maxsize)
    async with AsyncExitStack() as stack:
        brokers = {}
        for count in COUNTS:
            brokers[count] = await stack.enter_async_context(prepared(api, count, tidemark_sync="never"))
        for number in range(CHUNKS):
            for count, (wire, make) in brokers.items():
                chunk = b"".join(make(number * CHUNK + n) for n in range(CHUNK))
                began = time.process_time_ns()
                await wire.serve(chunk, CHUNK)
                least[count] = min(least[count], time.process_time_ns() - began)
    note = f"least of {CHUNKS} chunks; three brokers: {least[3] / least[1] - 1:+.1%}"
    return [
        Row(f"{api} in process, {_name(count)}", ns / CHUNK / 1000, "us", note=note if count == 3 else "")
        for count, ns in least.items()
    ]


async def _move_in_process(folder: Path) -> Row:
    """Measure a move of a leader, which waits for the disk, to the first record on the new one."""
    took = []
    async with prepared("Produce", 3, FileStorage(folder)) as (wire, make):
        for number in range(MOVES):
            began = time.perf_counter()
            await wire.move_leader("orders", 0, 2 + number % 2)
            await wire.serve(make(number), 1)
            took.append(time.perf_counter() - began)
    return _moved("leader moved, in process", took)


def _started(folder: Path, count: int, sync: str = "never") -> Ours:
    factor = f"{count}"
    settings = {"tidemark.brokers": factor, "default.replication.factor": factor, "tidemark.sync": sync}
    folder.mkdir()
    settings |= {
        "tidemark.test.api": "true",
        "tidemark.requests.max": "0",
        "offsets.topic.num.partitions": "1",
    }
    server = Ours(folder, settings)
    with any_connection(server.bootstrap) as connection:
        connection.ask("CreateTopics", 7, CreateTopicsRequest([CreatableTopic(TOPIC, PARTITIONS, -1)]))
    return server


def _starts(servers: dict[int, Ours]) -> list[Row]:
    ready: dict[int, list[float]] = {count: [] for count in servers}
    for _ in range(STARTS):
        for count, server in servers.items():
            server.process.stop()
            server.process.start()
            ready[count].append(server.process.ready_after_s)
    rows = []
    for count, server in servers.items():
        note = f"median of {STARTS}; least {min(ready[count]) * 1000:.0f} ms"
        rows.append(Row(f"ready, {_name(count)}", quantile(ready[count], 0.5) * 1000, "ms", note=note))
        rows.append(Row(f"resident when idle, {_name(count)}", resident_megabytes(server.pid), "MB"))
    return rows


def _commits(server: Ours, count: int, effort: Effort) -> Row:
    """Measure commits on the broker that coordinates the groups: `__consumer_offsets` has one partition."""
    while (coordinator := coordinator_of(server.bootstrap, "group-00")) is None:
        time.sleep(0.05)
    with Connection(coordinator) as connection:
        wait_for_coordinator(connection)
    wanted = load.Load(*SHAPE, effort.warmup_ms, effort.measure_ms)
    port = int(coordinator.rpartition(":")[2])
    measured = load.run(wanted, port, server.pid, commit_frames(SHAPE[0]))
    check_commit(measured.first_response)
    return load_row(f"commit {SHAPE[0]}x{SHAPE[1]}, {_name(count)}", measured)


def _move(server: Ours) -> Row:
    """Measure the time from the HTTP request that moves a leader to the response of a Produce there."""
    addresses = server.bootstrap.split(",")
    data = TopicProduceData(name=TOPIC, partition_data=[PartitionProduceData(0, batch_of([b"value"]))])
    request = ProduceRequest(acks=-1, timeout_ms=1_000, topic_data=[data])
    connections = [Connection(address) for address in addresses]
    took = []
    for number in range(MOVES):
        to = number % len(addresses)
        body = json.dumps({"topic": TOPIC, "partition": 0, "to": to + 1}).encode()
        began = time.perf_counter()
        urllib.request.urlopen(f"http://{server.process.http}/v1/brokers/leader", body, timeout=10).close()
        answer = connections[to].ask("Produce", 9, request)
        took.append(time.perf_counter() - began)
        assert answer.responses[0].partition_responses[0].error_code == 0
    for connection in connections:
        connection.socket.close()
    return _moved("leader moved, over HTTP", took)


def _moved(name: str, took: list[float]) -> Row:
    note = f"median of {MOVES}, to the first record on the new leader; least {min(took) * 1000:.2f} ms"
    return Row(name, quantile(took, 0.5) * 1000, "ms", note=note)


def _name(count: int) -> str:
    return "1 broker" if count == 1 else f"{count} brokers"
