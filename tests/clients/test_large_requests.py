"""Large requests, or small ones with large responses, from several clients at once: memory stays bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broker_process import BrokerProcess
from tests.wire import Connection, request
from tidemark_protocol import from_dict

pytestmark = [pytest.mark.contract, pytest.mark.slow, pytest.mark.timeout(120)]

CLIENTS: Final = 3
NAMES: Final = 2_800
NAME: Final = "x" * 31_990 + "\U0001f600"  # one emoji makes each character of the string four bytes long
HELD_MB_MAX: Final = 500


def memory_mb(broker: BrokerProcess, name: str) -> float:
    line = next(x for x in Path(f"/proc/{broker.pid}/status").read_text().splitlines() if name in x)
    return int(line.split()[1]) / 1000


def describe_groups(name: str) -> dict[str, Any]:
    return {"Groups": [f"{number}{name}" for number in range(NAMES)]}


def create_topics(name: str) -> dict[str, Any]:
    """The response quotes each name in an error message."""
    topic = {"NumPartitions": 1, "ReplicationFactor": 1}
    return {"Topics": [topic | {"Name": f"{number}{name}"} for number in range(NAMES)]}


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    running = BrokerProcess(tmp_path, forked=False)
    running.start()
    yield running
    running.stop()


@pytest.mark.parametrize(
    ("api", "version", "body", "is_answered"),
    [("DescribeGroups", 5, describe_groups, True), ("CreateTopics", 7, create_topics, False)],
    ids=["DescribeGroups", "CreateTopics"],
)
def test_the_broker_holds_one_request_of_90_mb_at_a_time(
    api: str, version: int, body: Callable[[str], dict[str, Any]], is_answered: bool, broker: BrokerProcess
) -> None:
    """A response of more than 100 MB is refused before it is complete."""
    frame = request(api, version, body(NAME))

    def send(_: int) -> bool:
        with Connection(broker.bootstrap) as connection:
            try:
                connection.send(frame)
                return len(connection.answer()) > len(frame) // 2
            except ConnectionError:
                return False

    before = memory_mb(broker, "VmRSS")
    with ThreadPoolExecutor(CLIENTS) as clients:
        assert [*clients.map(send, range(CLIENTS))] == [is_answered] * CLIENTS
    assert memory_mb(broker, "VmHWM") - before < HELD_MB_MAX


def test_large_responses_are_built_one_after_the_other(broker: BrokerProcess) -> None:
    """Each of 100,000 offsets needs 20 MB. Their copies alone had 7 MB."""
    with Connection(broker.bootstrap) as connection:
        connection.ask("FindCoordinator", 4, {"CoordinatorKeys": ["g"]})
        for number in range(20):
            topic = {"Name": f"wide-{number}", "NumPartitions": 5000, "ReplicationFactor": 1}
            connection.ask("CreateTopics", 7, {"Topics": [topic]})
            partitions = [{"PartitionIndex": index, "CommittedOffset": 1} for index in range(5000)]
            commit = {"GroupId": "g", "Topics": [{"Name": topic["Name"], "Partitions": partitions}]}
            connection.ask("OffsetCommit", 8, commit)
    before = memory_mb(broker, "VmRSS")
    fetch = from_dict("OffsetFetchRequest", {"Groups": [{"GroupId": "g", "Topics": None}]})
    clients = [Connection(broker.bootstrap) for _ in range(100)]
    for client in clients:
        client.send(request("OffsetFetch", 8, fetch))
    for client in clients[:3]:
        assert len(client.answer()) > 1_000_000
    assert memory_mb(broker, "VmHWM") - before < HELD_MB_MAX // 2
    for client in clients:
        client.socket.close()
    with Connection(broker.bootstrap) as connection:
        assert connection.ask("ApiVersions", 0, from_dict("ApiVersionsRequest", {})).error_code == 0
