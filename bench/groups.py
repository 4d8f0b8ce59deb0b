"""The time that a new group needs until its assignment, and until its first record."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Final

from bench.rows import Effort, Row, quantile
from bench.servers import CLIENTS, Ours, Server, create_topic, wait_for_coordinator
from tests.clientenv import client_python
from tests.wire import Connection
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from tidemark_protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

JOIN_VERSION: Final = 9
SYNC_VERSION: Final = 5
SESSION_TIMEOUT_MS: Final = 1_800_000  # so that no heartbeats are needed
TOPIC: Final = "first-record"
SUBSCRIPTION: Final = b"\0\0" + b"\0\0\0\1" + b"\0\5bench" + b"\xff\xff\xff\xff"
ASSIGNMENT: Final = b"\0\0" + b"\0\0\0\1" + b"\0\5bench" + b"\0\0\0\1\0\0\0\0" + b"\xff\xff\xff\xff"


def fresh_groups(folder: Path, effort: Effort) -> list[Row]:
    """Measure new groups with a rebalance delay of 0, which is the default of our broker."""
    server = Ours(folder)
    try:
        create_topic(server)
        return [assignments(server, effort), *first_records(server, effort)]
    finally:
        server.stop()


def assignments(server: Server, effort: Effort) -> Row:
    """Measure JoinGroup, JoinGroup with the member id, and SyncGroup as leader: raw frames of one member."""
    taken = []
    with Connection(server.bootstrap) as connection:
        for n in range(effort.joins):
            wait_for_coordinator(connection, f"fresh-{n}")
            started = time.monotonic()
            join(connection, f"fresh-{n}")
            taken.append((time.monotonic() - started) * 1000)
    name = "fresh group: JoinGroup to assignment"
    return _row(name, taken, server, f"median of {len(taken)}, raw frames")


def join(connection: Connection, group: str) -> None:
    """Create a group of one member with an assignment."""
    protocols = [JoinGroupRequestProtocol("range", SUBSCRIPTION)]
    joining = JoinGroupRequest(
        group,
        session_timeout_ms=SESSION_TIMEOUT_MS,
        rebalance_timeout_ms=SESSION_TIMEOUT_MS,
        protocol_type="consumer",
        protocols=protocols,
    )
    joined: JoinGroupResponse = connection.ask("JoinGroup", JOIN_VERSION, joining)
    if joined.error_code == ErrorCode.MEMBER_ID_REQUIRED:
        joining.member_id = joined.member_id
        joined = connection.ask("JoinGroup", JOIN_VERSION, joining)
    assert joined.error_code == 0, joined
    sync = SyncGroupRequest(
        group,
        generation_id=joined.generation_id,
        member_id=joined.member_id,
        protocol_type="consumer",
        protocol_name="range",
        assignments=[SyncGroupRequestAssignment(joined.member_id, ASSIGNMENT)],
    )
    synced = connection.ask("SyncGroup", SYNC_VERSION, sync)
    assert synced.error_code == 0, synced


def first_records(server: Server, effort: Effort) -> list[Row]:
    """Measure from the subscription of a consumer in a new group to its first record, by client library."""
    create_topic(server, TOPIC, 1)
    rows = []
    for client in ("aiokafka", "kafka-python", "confluent-kafka"):
        command = [client_python(client), CLIENTS / "first_record.py", client]
        asked = [server.bootstrap, TOPIC, str(effort.first_records)]
        result = subprocess.run([*command, *asked], stdout=subprocess.PIPE, check=True, text=True)
        taken = [seconds * 1000 for seconds in json.loads(result.stdout)]
        rows.append(_row(f"fresh group: first record, {client}", taken, server, f"median of {len(taken)}"))
    return rows


def _row(name: str, taken: list[float], server: Server, note: str) -> Row:
    return Row(
        name, quantile(taken, 0.5), "ms", server=server.name, p50_ms=quantile(taken, 0.5),
        p99_ms=quantile(taken, 0.99), max_ms=max(taken), note=note,
    )  # fmt: skip
