"""Directories that tidemark writes, with transactions of every outcome, show the same as Kafka's do.

The story is the one that Apache Kafka plays in test_kafka_directories. Kafka's own tool reads both.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import pytest

from tests import kafka_oracle
from tests.broker_process import BrokerProcess
from tests.pipeline import kafka_dump, kafka_story
from tests.pipeline.kafka_story import Committed
from tests.pipeline.test_kafka_directories import current, ends, history
from tests.wire import Connection
from tidemark_tools.main import main as explain_log

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SETTINGS: Final = {
    "tidemark.as": "4.4",
    "group.consumer.max.session.timeout.ms": "1800000",
    "group.consumer.session.timeout.ms": "1800000",
}
COMMITTED: Final = {("transactional", 0, 500), ("simple-5", 5, 12345), ("transactional", 3, 503)}
OPEN: Final = {("transactional", 2, 502), ("transactional", 4, 504)}
ABORTED: Final = {("transactional", 1, 501)}

pytestmark = [pytest.mark.slow, pytest.mark.java]


@dataclass(slots=True, frozen=True)
class Written:
    """A directory after a clean stop, with the broker's responses before it."""

    data_dir: Path
    log_ends: dict[int, int]
    committed: Committed


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Play the story on tidemark, which is killed in the middle of it."""
    place = tmp_path_factory.mktemp("ours")
    broker = BrokerProcess(place, SETTINGS)
    broker.start()
    try:
        with Connection(broker.bootstrap) as connection:
            kafka_story.tell(connection, consumers=True)
        broker.kill9()
        broker.restart()
        with Connection(broker.bootstrap) as connection:
            kafka_story.go_on(connection)
            told = kafka_story.log_ends(connection), kafka_story.committed(connection)
    finally:
        broker.stop()
    stopped = Path(shutil.copytree(broker.data_dir, place / "stopped"))
    return Written(stopped, *told)


def read(spark: SparkSession, data_dir: Path, transactions: Literal["committed", "all", "open"]) -> DataFrame:
    reader = spark.read.format("tidemark").option("table", "offsets").option("transactions", transactions)
    return reader.load(str(data_dir))


def in_transactions(rows: DataFrame) -> set[tuple[str, int, int]]:
    found = rows.where("transactional and committed_offset is not null").collect()
    return {(row.group, row.partition, row.committed_offset) for row in found}


@pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or "")
def test_kafkas_tool_reads_the_same_records_and_ends(written: Written) -> None:
    assert history(written.data_dir) == kafka_dump.offset_rows(written.data_dir)
    written_to = {partition: end for partition, end in written.log_ends.items() if end}
    assert ends(written.data_dir) == written_to  # a log is created with its first record


def test_current_offsets_are_those_that_the_broker_returned(written: Written, spark: SparkSession) -> None:
    assert current(spark, written.data_dir) == written.committed


def test_each_transaction_has_its_outcome(written: Written, spark: SparkSession) -> None:
    data_dir = written.data_dir
    assert in_transactions(read(spark, data_dir, "committed")) == COMMITTED
    assert in_transactions(read(spark, data_dir, "open")) == OPEN
    assert in_transactions(read(spark, data_dir, "all")) == COMMITTED | OPEN | ABORTED


def test_offsets_of_open_transactions_are_pending(written: Written, spark: SparkSession) -> None:
    from tidemark_pipeline.tables.current import pending_offsets
    from tidemark_pipeline.tables.history import offset_history

    committed = offset_history(read(spark, written.data_dir, "committed"))
    pending = pending_offsets(offset_history(read(spark, written.data_dir, "open")), committed)
    assert {(row.group, row.partition) for row in pending.collect()} == {each[:2] for each in OPEN}


def test_explain_log_counts_what_the_broker_returned(
    written: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    """Offsets of open and aborted transactions are neither stored, nor committed, nor rewound."""
    assert explain_log(["explain-log", str(written.data_dir), "--group", "transactional", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    stored = [offset for (group, *_), offset in written.committed.items() if group == "transactional"]
    assert document["now"][0].startswith(f"{len(stored)} committed offset")
    assert document["events"] == []
    said = " ".join([document["verdict"], *document["now"]])
    assert not [offset for _, _, offset in OPEN | ABORTED if str(offset) in said]
