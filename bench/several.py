"""Three brokers in one process beside one: the start, memory, commits, and the move of a leader."""

from __future__ import annotations

import json
import time
import urllib.request
from pathlib import Path
from typing import Final

from bench import load
from bench.commits import check_commit, commit_frames
from bench.host import resident_megabytes
from bench.rows import Effort, Row, load_row, quantile
from bench.servers import PARTITIONS, TOPIC, Ours, wait_for_coordinator
from tests.clients.copiers import any_connection, coordinator_of
from tests.clients.load import batch_of
from tests.wire import Connection
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

COUNTS: Final = (1, 3)
SHAPE: Final = (16, 16)
ROUNDS: Final = 3  # the brokers take turns, because the speed of a shared machine varies
MOVES: Final = 50


def several(folder: Path, effort: Effort) -> list[Row]:
    servers = {count: _started(folder / f"{count}", count) for count in COUNTS}
    try:
        rows = _starts(servers, effort)
        for _ in range(ROUNDS):
            rows += [_commits(servers[count], count, effort) for count in COUNTS]
        return [*rows, _move(servers[3])]
    finally:
        for server in servers.values():
            server.stop()


def _started(folder: Path, count: int) -> Ours:
    factor = f"{count}"
    settings = {"tidemark.brokers": factor, "default.replication.factor": factor, "tidemark.sync": "never"}
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


def _starts(servers: dict[int, Ours], effort: Effort) -> list[Row]:
    rows = []
    for count, server in servers.items():
        again = []
        for _ in range(effort.starts):
            server.process.stop()
            server.process.start()
            again.append(server.process.ready_after_s)
        rows.append(Row(f"ready, {_name(count)}", quantile(again, 0.5) * 1000, "ms"))
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
    note = f"median of {MOVES}; over HTTP, to the first record on the new leader"
    return Row("leader moved", quantile(took, 0.5) * 1000, "ms", note=note)


def _name(count: int) -> str:
    return "1 broker" if count == 1 else f"{count} brokers"
