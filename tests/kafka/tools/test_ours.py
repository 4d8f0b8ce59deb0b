"""What our own tools print, held against what Kafka's printed (recorded.json): of ours, and of Kafka."""

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
# What matters in these is done by a tool that we have not.
NEED_KAFKAS_TOOLS: Final = {
    "delete_records",
    "delete_records_then_read",
    "producers_of_a_partition",
    "streams_application_reset",
    "the_new_consumer_protocol",  # ours speaks the classic one, and says so (docs/tools.md)
}
# Kafka's tool ends with 0 and Java's names if no broker answers, ours with 1 and a sentence (docs/tools.md).
DIFFERING: Final = {"groups_at_a_wrong_address"}
NAMES: Final = sorted(set(RECORDED) - NEED_KAFKAS_TOOLS - DIFFERING)


class Running(Protocol):
    """A broker that has been started."""

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
def test_our_tools_print_what_kafkas_print(name: str, our_broker: Running, tmp_path: Path) -> None:
    if CASES[name].differs:
        pytest.skip(f"our broker differs: {CASES[name].differs}")
    printed = outcome(CASES[name], our_broker.bootstrap, OurTools(), tmp_path)
    assert comparable(printed) == RECORDED[name]


@pytest.mark.java
@pytest.mark.slow
@pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Kafka: {kafka_oracle.missing()}")
@pytest.mark.parametrize("name", NAMES)
def test_our_tools_print_of_kafka_what_kafkas_print(name: str, kafka: Running, tmp_path: Path) -> None:
    printed = outcome(CASES[name], kafka.bootstrap, OurTools(), tmp_path)
    assert comparable(printed) == RECORDED[name]
