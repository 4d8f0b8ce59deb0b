"""Compare the output of Kafka's tools for tidemark with their output for Kafka (recorded.json)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle
from tests.conformance.tools.jvm import ToolJvm
from tests.conformance.tools.recorded import our_brokers, read
from tests.conformance.tools.terminal import Printed, load, outcome

DIFFERENCES: Final = Path(__file__).parents[3] / "docs" / "differences.md"
CASES: Final = load()
RECORDED: Final = read()


@pytest.fixture(scope="module")
def print_of_ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], list[Printed]]]:
    """Return a function that runs a case against our broker; two brokers and one JVM serve all cases."""
    folder = tmp_path_factory.mktemp("tools")

    def run(name: str) -> list[Printed]:
        files = folder / name
        files.mkdir()
        return outcome(CASES[name], brokers.of(CASES[name]), jvm, files)

    with our_brokers(folder / "brokers") as brokers, ToolJvm(folder) as jvm:
        yield run


@pytest.mark.java
@pytest.mark.slow
@pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Kafka's tools: {kafka_oracle.missing()}")
@pytest.mark.parametrize("name", CASES)
def test_kafkas_tools_print_the_same_for_tidemark(
    name: str, print_of_ours: Callable[[str], list[Printed]]
) -> None:
    ours = print_of_ours(name)
    if CASES[name].differs:
        assert ours != RECORDED[name], "no longer a difference: take it out of the case and the page"
    else:
        assert ours == RECORDED[name]


@pytest.mark.java
@pytest.mark.slow
@pytest.mark.skipif(kafka_oracle.missing() is not None, reason=f"Kafka's tools: {kafka_oracle.missing()}")
@pytest.mark.parametrize(
    "line",
    [
        "kafka-topics --describe --partitions 3",  # a usage error
        "kafka-console-producer --topic t --bogus",  # an exception
        "kafka-console-consumer --version",
    ],
)
def test_a_tool_prints_the_same_in_a_shared_and_a_separate_jvm(line: str, tmp_path: Path) -> None:
    name, *options = line.split()
    arguments = [*options, "--bootstrap-server", "127.0.0.1:1"]
    alone = kafka_oracle.run_tool(name, *arguments)
    with ToolJvm(tmp_path) as jvm:
        for _ in range(2):
            shared = jvm.run(name, arguments)
            assert (shared.code, shared.out) == (alone.returncode, alone.stdout)
            assert without_trace(shared.err) == without_trace(alone.stderr)


def without_trace(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if not line.startswith("\tat ")]


def test_every_case_is_recorded_and_nothing_else() -> None:
    assert set(RECORDED) == set(CASES), "`make record`"


def test_every_difference_is_in_the_docs() -> None:
    told = set(re.findall(r"^### (.+)$", DIFFERENCES.read_text(), re.MULTILINE))
    assert {case.differs for case in CASES.values() if case.differs} <= told
