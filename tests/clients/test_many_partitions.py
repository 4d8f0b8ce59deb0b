"""A topic of 3,000 partitions with one record in each: every client library delivers all of them.

librdkafka sends a request for each partition, without waiting for the response to the one before.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle
from tests.broker_process import RunningBroker
from tests.clientenv import client_python
from tests.clients.children import CLIENTS
from tests.wire import Connection
from tidemark_protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tidemark_protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)

pytestmark = [pytest.mark.contract, pytest.mark.slow]

PARTITIONS: Final = 3000
TOPIC: Final = "wide"
LATEST: Final = -1
JAVA: Final = Path(__file__).parent / "java" / "Spreading.java"
SCRIPTS: Final = {
    "confluent-kafka": CLIENTS / "spreading_with_confluent_kafka.py",
    "kafka-python": CLIENTS / "spreading_with_kafka_python.py",
    "aiokafka": CLIENTS / "spreading_with_aiokafka.py",
}
READER: Final = "kafka-python"
NEEDS_JAVA: Final = [
    pytest.mark.java,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or ""),
]


@pytest.mark.parametrize("client", [*SCRIPTS, pytest.param("java", marks=NEEDS_JAVA)])
def test_one_record_in_each_of_3000_partitions_is_delivered_and_read(
    client: str, broker: RunningBroker
) -> None:
    with Connection(broker.bootstrap) as connection:
        topics = [CreatableTopic(TOPIC, PARTITIONS, 1)]
        created = connection.ask("CreateTopics", 7, CreateTopicsRequest(topics, timeout_ms=60_000))
        assert created.topics[0].error_code == 0
        arguments = [broker.bootstrap, TOPIC, str(PARTITIONS)]
        if client == "java":
            assert printed(kafka_oracle.java(str(JAVA), *arguments)) == f"{PARTITIONS}\n"
        else:
            assert printed(python_client(client, "produce", arguments)) == f"{PARTITIONS}\n"
        assert end_offsets(connection) == dict.fromkeys(range(PARTITIONS), 1)
        assert printed(python_client(READER, "consume", arguments)) == f"{PARTITIONS}\n"


def python_client(client: str, action: str, arguments: list[str]) -> list[str]:
    """Return the command line of the client's program."""
    return [str(client_python(client)), str(SCRIPTS[client]), action, *arguments]


def printed(command: list[str]) -> str:
    """Return what the program prints. AssertionError if it fails."""
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def end_offsets(connection: Connection) -> dict[int, int]:
    """Return the end of each partition's log."""
    wanted = [ListOffsetsPartition(partition, timestamp=LATEST) for partition in range(PARTITIONS)]
    requested = ListOffsetsRequest(topics=[ListOffsetsTopic(TOPIC, partitions=wanted)])
    found = connection.ask("ListOffsets", 7, requested).topics[0].partitions
    assert all(each.error_code == 0 for each in found)
    return {each.partition_index: each.offset for each in found}
