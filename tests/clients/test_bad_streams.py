"""Hostile topology descriptions (KIP-1331): huge ones, and those with more elements than a request may have.

tests/conformance/cases/streams_descriptions.py compares the responses to odd ones with Kafka's.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import pytest

from tests.broker_process import BrokerProcess
from tests.clients.test_repeated_restores import resident_mb
from tests.conformance.build_streams import PROCESSOR, Fields, describe_topology, description, node
from tests.faults.fuzz.probe import Probe
from tests.wire import Connection, request, response
from tidemark_protocol.errors import ErrorCode

pytestmark = [pytest.mark.contract, pytest.mark.slow, pytest.mark.timeout(300)]

MANY: Final = 90_000  # a request may have 100,000 elements of arrays
TOO_MANY: Final = 110_000
NAME_MAX: Final = 2**15 - 1  # the longest string of the protocol
UPDATE: Final = "StreamsGroupTopologyDescriptionUpdate"
STALL_MS: Final = 100.0
REPEATED: Final = 4
GROWN_MB_MAX: Final = 24
DEADLINE_S: Final = 20


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    running = BrokerProcess(tmp_path_factory.mktemp("broker"), forked=False)
    running.start()
    send(running, "none")  # the first one lets the broker import what it needs
    yield running
    running.stop()


def of_nodes(count: int, **fields: Any) -> Fields:
    """Return a description with this many nodes, all in one subtopology."""
    return description({"0": [node("n", PROCESSOR, **fields)] * count})


LARGE: Final = {
    "nodes": of_nodes(MANY),
    "subtopologies": description({str(number): [] for number in range(MANY)}),
    "successors": of_nodes(1, successors=["n"] * MANY),
    "stores-of-many-nodes": of_nodes(MANY // 10, stores=["s"] * 9),
    "global-stores": description({}, *[(node("g", 0), node("p", 0))] * MANY),
    "long-names": description({"0": [node("n" * NAME_MAX, PROCESSOR, sink="t" * NAME_MAX)] * 500}),
}
TOO_LARGE: Final = {
    "too-many-nodes": of_nodes(TOO_MANY),
    "too-many-successors": of_nodes(2, successors=["n"] * (TOO_MANY // 2)),
}
SHAPES: Final = {"none": description({}), **LARGE, **TOO_LARGE}


@cache
def frame(shape: str) -> bytes:
    return request(*describe_topology("group", "m1", 0, SHAPES[shape]))


def send(broker: BrokerProcess, shape: str) -> int:
    """Return the error code of the response. Raises ConnectionError if the broker closes the connection."""
    with Connection(broker.bootstrap) as connection:
        connection.send(frame(shape))
        code: int = response(UPDATE, 0, connection.answer()).error_code
        return code


@pytest.mark.parametrize("shape", LARGE)
def test_large_description_is_refused_and_delays_no_other_client(broker: BrokerProcess, shape: str) -> None:
    probe = Probe(broker.bootstrap, broker.pid)
    frame(shape)
    try:
        probe.begin()
        assert send(broker, shape) == ErrorCode.UNSUPPORTED_VERSION
        stall = probe.end()
    finally:
        probe.stop()
    assert stall.ms < STALL_MS, stall


@pytest.mark.parametrize("shape", TOO_LARGE)
def test_description_beyond_the_bounds_closes_the_connection(broker: BrokerProcess, shape: str) -> None:
    with pytest.raises(ConnectionError):
        send(broker, shape)


def test_broker_keeps_nothing_of_descriptions(broker: BrokerProcess) -> None:
    before = resident_mb(broker)
    for shape in [*LARGE] * REPEATED:
        send(broker, shape)
    deadline = time.monotonic() + DEADLINE_S
    while resident_mb(broker) - before > GROWN_MB_MAX:  # it gives memory back a moment later
        assert time.monotonic() < deadline, (before, resident_mb(broker))
        time.sleep(0.1)
