"""Quix Streams, Faust and Flink keep their state over kills, and write each result once."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle, maven, needs
from tests.broker_process import RunningBroker
from tests.clientenv import TOOLS, client_python
from tests.clients.copiers import committed
from tests.ecosystem.works_with.programs import Program, Topics
from tests.ecosystem.works_with.rows import works_with

HERE: Final = Path(__file__).parent
QUIX: Final = TOOLS["quix"][0].partition("==")[2]
FAUST: Final = TOOLS["faust"][0].partition("==")[2]
AIOKAFKA: Final = TOOLS["faust"][1].partition("==")[2]
FLINK: Final = "2.2.0"
CONNECTOR: Final = "5.0.0-2.2"
FIRST: Final = ("ebb", "flow", "ebb")
SECOND: Final = ("ebb", "flow")
COUNTS: Final = ["ebb 1", "flow 1", "ebb 2", "ebb 3", "flow 2"]

pytestmark = [pytest.mark.ecosystem, pytest.mark.contract, pytest.mark.timeout(600)]


@works_with(
    "Quix Streams",
    QUIX,
    """A stateful application with `processing_guarantee="exactly-once"` creates its topics and its
    compacted changelog. With an empty state directory it restores its state from the changelog, after
    a kill of the broker, and continues at its committed offset.""",
)
def test_quix_restores_its_state_from_the_changelog(broker: RunningBroker, tmp_path: Path) -> None:
    topics = Topics(broker)
    topics.create("words")
    python = client_python("quix")
    for run, words in enumerate((FIRST, SECOND)):
        topics.write("words", *words)
        arguments = (broker.bootstrap, tmp_path / f"state of {run}", len(words))
        command = [python, HERE / "counting_with_quix.py", *arguments]
        with Program(command, tmp_path / f"quix-{run}.out") as program:
            program.finished()
        broker.kill9()
        broker.restart()
    assert topics.read("counts") == COUNTS
    assert topics.setting("changelog__quix--words--default", "cleanup.policy") == "compact"


@works_with(
    "Faust (faust-streaming)",
    f"{FAUST}, aiokafka {AIOKAFKA}",
    """An agent with a table and `processing_guarantee="exactly_once"` creates its compacted changelog.
    After a kill of the application and of the broker it restores the table and continues at its
    committed offset.""",
)
def test_faust_restores_its_table_from_the_changelog(broker: RunningBroker, tmp_path: Path) -> None:
    topics = Topics(broker)
    topics.create("words", "counts")
    command = [client_python("faust"), HERE / "counting_with_faust.py", broker.bootstrap, tmp_path / "data"]
    with Program(command, tmp_path / "faust.out") as program:
        topics.write("words", *FIRST)
        program.until(lambda: topics.read("counts")[2:], "the first words are counted")
        program.until(lambda: (committed(broker.bootstrap, "faust") or {}).get(0) == 3, "they are committed")
        program.kill9()
        broker.kill9()
        broker.restart()
        topics.write("words", *SECOND)
        program.start()
        program.until(lambda: topics.read("counts")[4:], "the second words are counted")
    assert topics.read("counts") == COUNTS
    assert topics.setting("faust-totals-changelog", "cleanup.policy") == "compact"


@works_with(
    "Apache Flink",
    f"{FLINK}, flink-connector-kafka {CONNECTOR}",
    """KafkaSource and KafkaSink with `EXACTLY_ONCE`, in a local cluster. The job is killed and continues
    from a checkpoint, so that each record is in the target once. Each checkpoint commits the offsets
    of the group.""",
)
def test_flink_copies_exactly_once_from_a_checkpoint(broker: RunningBroker, tmp_path: Path) -> None:
    if (no_java := kafka_oracle.missing()) is not None:
        pytest.skip(no_java)
    needs.program("mvn", "maven")
    flink = [
        f"org.apache.flink:flink-{name}:{FLINK}" for name in ("streaming-java", "clients", "connector-base")
    ]
    connector = f"org.apache.flink:flink-connector-kafka:{CONNECTOR}"
    logger = "org.slf4j:slf4j-nop:1.7.36"
    libraries = maven.jars(maven.CACHE / f"flink-{FLINK}-{CONNECTOR}", [*flink, connector, logger])
    checkpoints = tmp_path / "checkpoints"
    java, *options = kafka_oracle.java(
        str(HERE / "CopyWithFlink.java"), broker.bootstrap, str(checkpoints), heap="512m", libraries=libraries
    )
    command = [java, "--add-opens=java.base/java.util=ALL-UNNAMED", *options]
    topics = Topics(broker)
    topics.create("words", "counts")
    topics.write("words", *FIRST)
    with Program(command, tmp_path / "flink.out") as program:
        program.until(lambda: topics.read("counts")[2:], "the first words are copied")
        program.until(lambda: (committed(broker.bootstrap, "flink") or {}).get(0) == 3, "they are committed")
    newest = max(checkpoints.glob("*/chk-*/_metadata"), key=lambda file: file.stat().st_mtime).parent
    topics.write("words", *SECOND)
    with Program([*command, newest], tmp_path / "flink-again.out") as program:
        program.until(lambda: topics.read("counts")[4:], "the second words are copied")
    assert topics.read("counts") == [word.upper() for word in FIRST + SECOND]
