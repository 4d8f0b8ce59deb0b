"""`tidemark transactions` against Apache Kafka: it prints what Kafka's tool printed there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import kafka_oracle
from tests.broker_process import two_free_ports
from tests.kafka.tools.ours import OurTools, comparable
from tests.kafka.tools.recorded import SETTINGS, read
from tests.kafka.tools.terminal import load, outcome
from tests.kafka_oracle import KafkaNode

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Apache Kafka: {kafka_oracle.missing()}"),
]

RECORDED = read()
CASES = {name: case for name, case in load().items() if name.startswith("transactions_")}


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    node = KafkaNode(tmp_path_factory.mktemp("kafka"), two_free_ports(), SETTINGS)
    node.start()
    yield node.bootstrap
    node.stop()


@pytest.mark.parametrize("name", CASES)
def test_our_tool_prints_the_same_about_kafka(name: str, kafka: str, tmp_path: Path) -> None:
    ours = outcome(CASES[name], kafka, OurTools(), tmp_path)
    assert comparable(ours) == comparable(RECORDED[name])
