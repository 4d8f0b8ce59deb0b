"""Requests of 90 MB from several clients at once: the broker holds one of them at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broker_process import BrokerProcess
from tests.contract.wire import Connection, request
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


@pytest.mark.parametrize(
    ("api", "version", "body", "is_answered"),
    [("DescribeGroups", 5, describe_groups(NAME), True), ("CreateTopics", 7, create_topics(NAME), False)],
    ids=["DescribeGroups", "CreateTopics"],
)
def test_the_broker_holds_one_of_them_at_a_time(
    api: str, version: int, body: dict[str, Any], is_answered: bool, tmp_path: Path
) -> None:
    """A response of more than 100 MB is refused before it is complete."""
    frame = request(api, version, from_dict(f"{api}Request", body))

    def send(_: int) -> bool:
        with Connection(broker.bootstrap) as connection:
            try:
                connection.send(frame)
                return len(connection.answer()) > len(frame) // 2
            except ConnectionError:
                return False

    broker = BrokerProcess(tmp_path)
    broker.start()
    try:
        before = memory_mb(broker, "VmRSS")
        with ThreadPoolExecutor(CLIENTS) as clients:
            assert [*clients.map(send, range(CLIENTS))] == [is_answered] * CLIENTS
        assert memory_mb(broker, "VmHWM") - before < HELD_MB_MAX
    finally:
        broker.stop()
