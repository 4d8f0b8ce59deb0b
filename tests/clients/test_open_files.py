"""A broker that needs more files and connections than it may have open serves its clients all the same.

The limit (RLIMIT_NOFILE) is small here, so that little work exceeds it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broker_process import BrokerProcess
from tests.clients.test_bad_transactions import Client
from tests.wire import Connection
from tidemark_protocol.batch import LogRecord, build_batch, headers
from tidemark_protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from tidemark_protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tidemark_protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

LIMIT: Final = 160
MORE: Final = 2 * LIMIT
DEADLINE_S: Final = 60

pytestmark = [pytest.mark.contract, pytest.mark.slow]


@pytest.fixture(params=["uvloop", "asyncio"])
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BrokerProcess]:
    pytest.importorskip(request.param)
    settings = {"transaction.state.log.num.partitions": "1", "tidemark.event.loop": request.param}
    running = BrokerProcess(tmp_path, settings, open_files_max=LIMIT)
    running.start()
    yield running
    running.stop()
    assert "cannot write" not in running.said()


Connect = Callable[[], Connection]


@pytest.fixture
def connect(broker: BrokerProcess) -> Iterator[Connect]:
    """Return a function that opens a connection, until the end of the test."""
    with contextlib.ExitStack() as opened:

        def connect() -> Connection:
            connection = Connection(broker.bootstrap)
            opened.callback(connection.socket.close)
            return connection

        yield connect


def created(connection: Connection, name: str, partitions: int, **settings: str) -> None:
    configs = [CreatableTopicConfig(key.replace("_", "."), value) for key, value in settings.items()]
    topic = CreatableTopic(name, partitions, 1, configs=configs)
    (result,) = connection.ask("CreateTopics", 7, CreateTopicsRequest([topic])).topics
    assert result.error_code == 0


def produced(connection: Connection, topic: str, partitions: range, timestamp_ms: int = 1_000) -> set[int]:
    """Send one Produce with a record for each partition. Return the error codes."""
    records = build_batch([LogRecord(0, timestamp_ms, None, b"x")])
    data = [
        TopicProduceData(topic, partition_data=[PartitionProduceData(each, records) for each in partitions])
    ]
    (answer,) = connection.ask("Produce", 9, ProduceRequest(None, -1, 5000, data)).responses
    return {each.error_code for each in answer.partition_responses}


def fetched(connection: Connection, topic: str, partitions: range, *, committed: bool = False) -> list[Any]:
    """Return the response for each partition, from offset 0."""
    wanted = [FetchPartition(each, fetch_offset=0, partition_max_bytes=1 << 20) for each in partitions]
    asked = FetchRequest(
        max_wait_ms=0,
        min_bytes=1,
        max_bytes=1 << 30,
        isolation_level=int(committed),
        topics=[FetchTopic(topic, partitions=wanted)],
    )
    (answer,) = connection.ask("Fetch", 11, asked).responses
    return sorted(answer.partitions, key=lambda each: each.partition_index)


def records_in(data: bytes) -> int:
    return sum(header.last_offset_delta + 1 for _, header in headers(data) if not header.is_control)


def test_more_logs_than_open_files_are_written_and_read(broker: BrokerProcess, connect: Connect) -> None:
    connection = connect()
    created(connection, "wide", MORE)
    for _ in range(2):
        assert produced(connection, "wide", range(MORE)) == {0}
    broker.kill9()
    broker.restart()
    again = connect()
    found = fetched(again, "wide", range(MORE))
    assert {each.error_code for each in found} == {0}
    assert {records_in(each.records) for each in found} == {2}
    assert produced(again, "wide", range(MORE)) == {0}


def test_more_segments_than_open_files_are_written_and_read(broker: BrokerProcess, connect: Connect) -> None:
    connection = connect()
    created(connection, "long", 1, segment_ms="1")
    for number in range(MORE):
        assert produced(connection, "long", range(1), 1_000 + 10 * number) == {0}
    assert len(list((broker.data_dir / "long-0").glob("*.log"))) == MORE
    for _ in range(2):
        (found,) = fetched(connection, "long", range(1))
        assert found.error_code == 0
        assert found.high_watermark == MORE
        broker.kill9()
        broker.restart()
        connection = connect()


def test_connections_are_refused_while_the_broker_can_still_open_files(
    broker: BrokerProcess, connect: Connect
) -> None:
    served = connect()
    created(served, "orders", MORE)
    idle = []
    for _ in range(2 * LIMIT):
        with contextlib.suppress(ConnectionError):
            idle.append(connect())
    assert produced(served, "orders", range(MORE)) == {0}
    assert "connection refused" in broker.said()
    for connection in idle:
        connection.socket.close()
    next_client = connected(connect)
    assert produced(next_client, "orders", range(1)) == {0}


def connected(connect: Connect) -> Connection:
    """Connect, and try again while the broker closes connections."""
    until = time.monotonic() + DEADLINE_S
    while True:
        connection = connect()
        try:
            fetched(connection, "orders", range(1))
        except ConnectionError:
            assert time.monotonic() < until
            time.sleep(0.05)
        else:
            return connection


@pytest.mark.parametrize("committed", [True, False])
def test_a_transaction_with_more_partitions_than_open_files_ends(
    broker: BrokerProcess, committed: bool
) -> None:
    client = Client(broker, "many").ready()
    topic = client.create("many", MORE)
    assert {*client.add(topic, *range(MORE))} == {0}
    for partition in range(MORE):
        assert client.produce(topic, partition) == 0
    assert client.end(committed=committed) == 0
    client.close()
    broker.kill9()  # it may owe markers
    for _ in range(2):
        broker.restart()
        client = Client(broker, "many")
        until = time.monotonic() + DEADLINE_S
        while (state := client.state()).startswith("Prepare"):
            assert time.monotonic() < until
        assert state == ("CompleteCommit" if committed else "CompleteAbort")
        found = fetched(client.connection, topic, range(MORE), committed=True)
        assert {each.error_code for each in found} == {0}
        assert all(each.last_stable_offset == each.high_watermark >= 2 for each in found)
        assert {len(each.aborted_transactions) for each in found} == ({0} if committed else {1})
        client.close()
        broker.kill9()
    broker.restart()


def test_a_limit_that_is_too_low_is_reported(tmp_path: Path) -> None:
    broker = BrokerProcess(tmp_path, open_files_max=100)
    broker.launch()
    assert broker.wait(DEADLINE_S) == 1
    assert broker.said() == (
        "tidemark: the limit of open files is 100, and a broker needs at least 128: "
        "raise it with `ulimit -n`\n"
    )
