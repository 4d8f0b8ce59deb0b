"""Directories that Apache Kafka writes during the test, compared with its own tools and responses.

They have 50 partitions. Kafka is killed while it writes, recovered, and stopped; one release is older.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import pytest

from tests import kafka_oracle
from tests.broker_process import two_free_ports
from tests.kafka_oracle import KafkaNode
from tests.pipeline import kafka_dump, kafka_story
from tests.pipeline.kafka_story import Committed, Flood
from tests.wire import Connection
from tidemark_pipeline.logs.directories import find_logs
from tidemark_pipeline.logs.missing import committed_ends, missing
from tidemark_pipeline.logs.survey import survey_all
from tidemark_pipeline.model import ScanOptions, Survey
from tidemark_pipeline.schemas import OFFSETS
from tidemark_pipeline.source.options import SourceOptions
from tidemark_pipeline.source.scan import plan, read_task
from tidemark_protocol.batch import LOG_OVERHEAD_BYTES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OLDER: Final = "3.9.1"
VALUE_VERSION: Final = OFFSETS.get_field_index("value_version")
# Small files, because preallocated bytes are copied, too.
SETTINGS: Final = {
    "offsets.topic.num.partitions": str(kafka_story.PARTITIONS),
    "offsets.topic.segment.bytes": str(2**20),
    "transaction.state.log.segment.bytes": str(2**20),
    "log.segment.bytes": str(2**20),
    "log.index.size.max.bytes": "4096",
    "log.preallocate": "true",
    # No member may time out on a slow machine, because that would add records.
    "group.consumer.max.session.timeout.ms": "1800000",
    "group.consumer.session.timeout.ms": "1800000",
}

pytestmark = [
    pytest.mark.ecosystem,
    pytest.mark.slow,
    pytest.mark.java,
    pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or ""),
]


@dataclass(slots=True, frozen=True)
class Told:
    """A data directory, and Kafka's responses after a restart on a copy of it."""

    data_dir: Path
    log_ends: dict[int, int]
    committed: Committed


@dataclass(slots=True, frozen=True)
class Killed:
    """Three states of a directory.

    killed      as the kill and a power cut left it
    recovered   after Kafka's recovery, more records and a clean stop
    cut         log partitions with a torn end
    """

    killed: Told
    recovered: Told
    cut: frozenset[int]


@contextmanager
def running(node: KafkaNode) -> Iterator[Connection]:
    """Run the node. Kill it at the end unless it was stopped."""
    node.start()
    try:
        with Connection(node.bootstrap) as kafka:
            yield kafka
    finally:
        node.stop(signal.SIGKILL)


def told_by(node: KafkaNode, data_dir: Path) -> Told:
    """Return the responses of the node once it runs, then stop it."""
    with running(node) as kafka:
        told = Told(data_dir, kafka_story.log_ends(kafka), kafka_story.committed(kafka))
        node.stop()
        return told


def copied(node: KafkaNode, to: Path) -> Path:
    to.mkdir()
    subprocess.run(["cp", "-r", "--sparse=always", str(node.data_dir), str(to)], check=True)
    return to / "data"


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    place = tmp_path_factory.mktemp("killed")
    node = KafkaNode(place / "node", two_free_ports(), SETTINGS)
    with running(node) as kafka:
        kafka_story.tell(kafka, consumers=True)
        floods = [Flood(node.bootstrap, group) for group in kafka_story.FLOODED]
        for flood in floods:
            flood.begin()
        node.stop(signal.SIGKILL)
    for flood in floods:
        flood.close()
    cut = power_cut(node.data_dir)
    as_it_was = copied(node, place / "as-it-was")
    with running(node) as kafka:
        recovered = Told(as_it_was, kafka_story.log_ends(kafka), kafka_story.committed(kafka))
        kafka_story.go_on(kafka)
        node.stop()
    stopped = copied(node, place / "stopped")
    return Killed(recovered, told_by(node, stopped), cut)


def power_cut(data_dir: Path) -> frozenset[int]:
    """Damage the last batch of a few logs, as if a power cut had lost unsynced bytes. Return these logs.

    One loses the pages of its second half, one its end with the end of the file, one most of its header.
    """
    active = (max(folder.glob("*.log")) for folder in sorted(data_dir.glob("__consumer_offsets-*")))
    logs = [log for log in active if len(batches(log)) > 1][:9]
    for number, log in enumerate(logs):
        position, end = batches(log)[-1]
        with log.open("r+b") as file:
            match number % 3:
                case 0:
                    wipe(file, (position + end) // 2, end)
                case 1:
                    file.truncate(end - 1)
                case _:
                    wipe(file, position + 20, end)
    return frozenset(int(log.parent.name.rpartition("-")[2]) for log in logs)


def wipe(file: BinaryIO, begin: int, end: int) -> None:
    file.seek(begin)
    file.write(bytes(end - begin))


def batches(log: Path) -> list[tuple[int, int]]:
    """Return start and end of each batch, up to zeros or to an incomplete batch."""
    data = log.read_bytes()
    found = []
    at = 0
    while length := int.from_bytes(data[at + 8 : at + LOG_OVERHEAD_BYTES], "big"):
        end = at + LOG_OVERHEAD_BYTES + length
        if end > len(data):
            break
        found.append((at, end))
        at = end
    return found


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """Use this release of Kafka for everything."""
    place = tmp_path_factory.mktemp("older")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kafka_oracle, "KAFKA_VERSION", OLDER)
        kafka_oracle.tool_class.cache_clear()
        if lacking := kafka_oracle.missing():
            pytest.skip(lacking)
        node = KafkaNode(place / "node", two_free_ports(), SETTINGS)
        with running(node) as kafka:
            kafka_story.tell(kafka, consumers=False)
            node.stop()
        stopped = copied(node, place / "stopped")
        yield told_by(node, stopped)
    kafka_oracle.tool_class.cache_clear()


def history(data_dir: Path) -> list[kafka_dump.Row]:
    """Return the rows of the source, without Spark."""
    scan = ScanOptions(transactions="all")
    batches = [
        batch for task in plan(SourceOptions((str(data_dir),), scan)) for batch in read_task(task, scan)
    ]
    return sorted(tuple(row.values()) for batch in batches for row in batch.to_pylist())


def current(spark: SparkSession, data_dir: Path) -> Committed:
    from tidemark_pipeline.source.session import read_table
    from tidemark_pipeline.tables.current import current_offsets
    from tidemark_pipeline.tables.history import offset_history

    history = offset_history(read_table(spark, str(data_dir), "offsets"))
    return {
        (row.group, row.topic, row.partition): (
            row.committed_offset,
            -1 if row.leader_epoch is None else row.leader_epoch,
            row.metadata,
        )
        for row in current_offsets(history).collect()
    }


def surveyed(data_dir: Path) -> dict[int, Survey]:
    return survey_all(find_logs([str(data_dir)]).logs.values())


def missing_in(data_dir: Path) -> list[str]:
    found = find_logs([str(data_dir)])
    return list(missing(found, surveyed(data_dir), committed_ends(found)))


def ends(data_dir: Path) -> dict[int, int]:
    return {number: found.next_offset for number, found in surveyed(data_dir).items()}


def test_a_killed_kafka_is_read_up_to_where_its_recovery_cuts(killed: Killed) -> None:
    told = killed.killed
    assert ends(told.data_dir) == told.log_ends
    assert killed.cut <= {number for number, found in surveyed(told.data_dir).items() if found.torn}
    dumped = kafka_dump.offset_rows(killed.recovered.data_dir)
    assert history(told.data_dir) == [row for row in dumped if row[1] < told.log_ends[row[0]]]


def test_current_offsets_of_a_killed_kafka_are_those_after_its_recovery(
    killed: Killed, spark: SparkSession
) -> None:
    assert current(spark, killed.killed.data_dir) == killed.killed.committed


def test_fifty_partitions_agree_with_kafka(killed: Killed, spark: SparkSession) -> None:
    told = killed.recovered
    assert len(told.log_ends) == kafka_story.PARTITIONS
    assert ends(told.data_dir) == told.log_ends
    assert missing_in(told.data_dir) == []
    assert history(told.data_dir) == kafka_dump.offset_rows(told.data_dir)
    assert current(spark, told.data_dir) == told.committed


def test_a_directory_of_an_older_kafka_agrees_with_it(older: Told, spark: SparkSession) -> None:
    assert ends(older.data_dir) == older.log_ends
    assert missing_in(older.data_dir) == []
    rows = history(older.data_dir)
    assert rows == kafka_dump.offset_rows(older.data_dir)
    assert {row[VALUE_VERSION] for row in rows} == {None, 1, 3}  # those that 3.9 writes
    assert current(spark, older.data_dir) == older.committed


def test_no_cause_of_a_removal_by_an_older_kafka_is_wrong(older: Told, spark: SparkSession) -> None:
    """Its coordinator writes no tombstone for a group that never had members.

    So the log does not show how its offsets were removed: the story removed them.
    """
    from tidemark_pipeline.cli.commands import COMMANDS
    from tidemark_pipeline.cli.options import parse
    from tidemark_pipeline.cli.reading import Scan, begin

    reading = begin(parse(["removals", "--log-dir", str(older.data_dir)]), 0)
    rows = COMMANDS["removals"].table(Scan(spark, reading)).collect()
    open_causes = ["offset_delete", "group_delete"]
    assert {(row.group, row.topic): row.possible_causes for row in rows} == {
        ("simple-1", "orders"): open_causes,  # by OffsetDelete
        ("simple-2", "orders"): open_causes,  # by DeleteGroups, as the next
        ("retained", "orders"): open_causes,
        ("doomed-readers", "doomed"): ["topic_delete"],
    }
