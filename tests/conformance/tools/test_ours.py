"""Compare the output of our tools, for tidemark and for Kafka, with that of Kafka's tools (recorded.json)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle
from tests.conformance.tools.ours import KafkaBroker, OurTools, comparable
from tests.conformance.tools.recorded import Brokers, kafka_brokers, our_brokers, read
from tests.conformance.tools.terminal import load, outcome

RECORDED: Final = {name: kept for name, told in read().items() if (kept := comparable(told))}
CASES: Final = load()
# The important part of these cases needs a tool that we do not have.
NEED_KAFKAS_TOOLS: Final = {
    "leaders_elected_on_three_brokers",
    "producers_of_a_partition",
    "reassignments_of_three_brokers",
    "reassignments_to_a_stopped_broker",
    "streams_application_reset",
}
# Kafka's tool exits with 0, or prints a Java exception without the reason. Ours prints a sentence and exits
# with 1 (docs/tools.md).
DIFFERING: Final = {"groups_at_a_wrong_address", "dump_files_that_are_no_segments"}
NAMES: Final = sorted(set(RECORDED) - NEED_KAFKAS_TOOLS - DIFFERING)


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brokers]:
    with our_brokers(tmp_path_factory.mktemp("ours")) as brokers:
        yield brokers


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brokers]:
    with kafka_brokers(tmp_path_factory.mktemp("kafka")) as brokers:
        yield brokers


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_our_tools_print_the_same_as_kafkas_tools(name: str, ours: Brokers, tmp_path: Path) -> None:
    if CASES[name].differs:
        pytest.skip(f"our broker differs: {CASES[name].differs}")
    printed = outcome(CASES[name], ours.of(CASES[name]), OurTools(), tmp_path)
    assert comparable(printed) == RECORDED[name]


@pytest.mark.java
@pytest.mark.slow
@pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Kafka: {kafka_oracle.missing()}")
@pytest.mark.parametrize("name", [name for name in NAMES if CASES[name].brokers == 1])
def test_our_tools_print_the_same_for_a_kafka_broker(name: str, kafka: Brokers, tmp_path: Path) -> None:
    broker = kafka.of(CASES[name])
    with closing(KafkaBroker(broker.bootstrap)) as known:
        printed = outcome(CASES[name], broker, OurTools(known.learn), tmp_path)
    assert comparable(printed) == RECORDED[name]
