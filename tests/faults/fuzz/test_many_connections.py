"""Requests that many connections send at the same moment do not delay other clients together."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Final

import pytest

from tests.broker_process import BrokerProcess
from tests.faults.fuzz.probe import Probe
from tests.wire import Connection, request

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

CONNECTIONS: Final = 300
PARTITIONS: Final = 1_000
# Together they need about 2 s. Other tests run on the same cores.
STALL_MS_MAX: Final = 500
QUIET_MS_MAX: Final = 100


def a_commit(group: str) -> bytes:
    rest = {"CommittedOffset": 5, "CommittedMetadata": ""}
    partitions = [{"PartitionIndex": number} | rest for number in range(PARTITIONS)]
    topics = [{"Name": "wide", "Partitions": partitions}]
    return request("OffsetCommit", 8, {"GroupId": group, "Topics": topics})


def test_large_commits_of_many_connections_do_not_stall_other_clients(tmp_path: Path) -> None:
    broker = BrokerProcess(tmp_path, forked=False)
    broker.start()
    try:
        with Connection(broker.bootstrap) as connection:
            topic = {"Name": "wide", "NumPartitions": PARTITIONS, "ReplicationFactor": 1}
            connection.ask("CreateTopics", 7, {"Topics": [topic]})
            connection.ask("FindCoordinator", 4, {"CoordinatorKeys": ["g"]})
        probe = Probe(broker.bootstrap, broker.pid)
        try:
            host, _, port = broker.bootstrap.rpartition(":")
            frames = [a_commit(f"g-{number}") for number in range(CONNECTIONS)]
            clients = [socket.create_connection((host, int(port)), timeout=60) for _ in frames]
            probe.begin()
            clients[0].sendall(frames[0])
            assert clients[0].recv(4)
            control = probe.end()
            probe.begin()
            for client, frame in zip(clients[1:], frames[1:], strict=True):
                client.sendall(frame)
            for client in clients[1:]:
                assert client.recv(4)
            stall = probe.end()
            for client in clients:
                client.close()
        finally:
            probe.stop()
    finally:
        broker.kill9()
    assert stall.ms <= max(STALL_MS_MAX, control.ms + QUIET_MS_MAX)
