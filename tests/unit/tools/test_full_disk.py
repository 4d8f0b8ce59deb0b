"""A full disk: the broker stops. After a start with free space, exactly the acknowledged data is there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.broker_process import environment
from tests.wire import Connection
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.metadata import MetadataRequest

FILE_KIB = 16
WAIT_S = 20


def start(data_dir: Path, *, file_kib: int | None = None) -> subprocess.Popen[str]:
    limit = "unlimited" if file_kib is None else str(file_kib)
    # The limit applies to every file, so Python would truncate its bytecode files, too.
    own = environment() | {"PYTHONDONTWRITEBYTECODE": "1"}
    serve = [sys.executable, "-m", "tidemark", "serve", "--data-dir", str(data_dir), "--http-port", "0"]
    return subprocess.Popen(
        ["bash", "-c", f'ulimit -f {limit}; exec "$@"', "-", *serve, "--set", "listeners=PLAINTEXT://127.0.0.1:0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=own,
    )  # fmt: skip


def connection_to(process: subprocess.Popen[str]) -> Connection:
    assert process.stdout is not None
    return Connection(json.loads(process.stdout.readline())["bootstrap_servers"])


def create(connection: Connection, name: str) -> Any:
    topic = CreatableTopic(name=name, num_partitions=1, replication_factor=1)
    return connection.ask("CreateTopics", 7, CreateTopicsRequest(topics=[topic], timeout_ms=5000))


def topics_that_were_answered(connection: Connection) -> list[str]:
    """Create topics until the broker stops. Return those that it acknowledged."""
    completed = []
    try:
        for number in range(10_000):
            name = f"topic-{number:05}"
            assert create(connection, name).topics[0].error_code == 0
            completed.append(name)
    except ConnectionError:
        return completed
    raise AssertionError("the file grew beyond its limit")


@pytest.mark.slow
def test_a_broker_that_cannot_write_stops_and_keeps_what_it_acknowledged(tmp_path: Path) -> None:
    full = start(tmp_path, file_kib=FILE_KIB)
    try:
        with connection_to(full) as connection:
            completed = topics_that_were_answered(connection)
        _, err = full.communicate(timeout=WAIT_S)
        assert full.returncode == 1
        assert "cannot write, the broker stops" in err
        assert len(completed) > 10
    finally:
        full.kill()
        full.communicate()

    roomy = start(tmp_path)
    try:
        with connection_to(roomy) as connection:
            metadata = connection.ask("Metadata", 12, MetadataRequest(topics=None))
        assert set(completed) <= {topic.name for topic in metadata.topics}
    finally:
        roomy.terminate()
        roomy.communicate(timeout=WAIT_S)
    assert roomy.returncode == 0
