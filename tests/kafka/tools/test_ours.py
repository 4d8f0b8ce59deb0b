"""Compare the output of our tools, for tidemark and for Kafka, with that of Kafka's tools (recorded.json)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess, two_free_ports
from tests.kafka.tools.ours import OurTools, comparable
from tests.kafka.tools.recorded import OURS, SETTINGS, read
from tests.kafka.tools.terminal import load, outcome
from tests.kafka_oracle import KafkaNode

RECORDED: Final = {name: kept for name, told in read().items() if (kept := comparable(told))}
CASES: Final = load()
# The important part of these cases needs a tool that we do not have.
NEED_KAFKAS_TOOLS: Final = {
    "producers_of_a_partition",
    "streams_application_reset",
}
# Without a broker, Kafka's tool exits with 0 and prints a Java exception. Ours exits with 1 (docs/tools.md).
DIFFERING: Final = {"groups_at_a_wrong_address"}
NAMES: Final = sorted(set(RECORDED) - NEED_KAFKAS_TOOLS - DIFFERING)


class Running(Protocol):
    """A running broker."""

    @property
    def bootstrap(self) -> str: ...


@pytest.fixture(scope="module")
def our_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    broker = BrokerProcess(tmp_path_factory.mktemp("ours"), OURS)
    broker.start()
    try:
        yield broker
    finally:
        broker.stop()


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    node = KafkaNode(tmp_path_factory.mktemp("kafka"), two_free_ports(), SETTINGS)
    node.start()
    try:
        yield node
    finally:
        node.stop()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_our_tools_print_the_same_as_kafkas_tools(name: str, our_broker: Running, tmp_path: Path) -> None:
    if CASES[name].differs:
        pytest.skip(f"our broker differs: {CASES[name].differs}")
    printed = outcome(CASES[name], our_broker.bootstrap, OurTools(), tmp_path)
    assert comparable(printed) == RECORDED[name]


@pytest.mark.java
@pytest.mark.slow
@pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Kafka: {kafka_oracle.missing()}")
@pytest.mark.parametrize("name", NAMES)
def test_our_tools_print_the_same_for_a_kafka_broker(name: str, kafka: Running, tmp_path: Path) -> None:
    printed = outcome(CASES[name], kafka.bootstrap, OurTools(), tmp_path)
    assert comparable(printed) == RECORDED[name]
