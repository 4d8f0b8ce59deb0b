"""Spark's source and sink for Kafka, in batches and as streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from tests import kafka_oracle, maven, needs
from tests.broker_process import RunningBroker
from tests.clientenv import TOOLS, client_python
from tests.ecosystem.works_with.programs import Program, Topics
from tests.ecosystem.works_with.rows import works_with
from tests.wire import Connection
from tidemark_protocol.messages.list_groups import ListGroupsRequest

HERE: Final = Path(__file__).parent
SPARK: Final = TOOLS["lakes"][0].partition("==")[2]
CONNECTOR: Final = "4.2.0"
# The others are in PySpark.
NEEDED: Final = ("spark-sql-kafka", "spark-token-provider-kafka", "kafka-clients", "commons-pool2")

pytestmark = [pytest.mark.ecosystem, pytest.mark.contract, pytest.mark.java, pytest.mark.timeout(600)]


@works_with(
    "Spark Structured Streaming",
    f"{SPARK}, spark-sql-kafka-0-10 {CONNECTOR}",
    """Batches are written, and read with `startingOffsets`, `endingOffsets`, `startingTimestamp` and
    `includeHeaders`. A stream copies a topic; a second query continues at its checkpoint.""",
    limits="""Spark keeps its offsets in the checkpoint. It commits none, so there is no group to see, to
    expire or to wait for. The connector has no transactions: a restarted query may write records twice.""",
)
def test_spark_reads_writes_and_continues_at_its_checkpoint(broker: RunningBroker, tmp_path: Path) -> None:
    if (no_java := kafka_oracle.missing()) is not None:
        pytest.skip(no_java)
    needs.program("mvn", "maven")
    connector = f"org.apache.spark:spark-sql-kafka-0-10_2.13:{CONNECTOR}"
    downloaded = maven.jars(maven.CACHE / f"spark-sql-kafka-{CONNECTOR}", [connector])
    jars = ",".join(str(jar) for jar in downloaded.glob("*.jar") if jar.name.startswith(NEEDED))
    topics = Topics(broker)
    topics.create("words", "counts")
    arguments = (broker.bootstrap, jars, tmp_path / "checkpoint")
    command = [client_python("lakes"), HERE / "streaming_with_spark.py", *arguments]
    local = {"SPARK_LOCAL_IP": "127.0.0.1"}
    with Program(command, tmp_path / "spark.out", environment=local) as program:
        facts = json.loads(program.finished().splitlines()[-1])
    assert facts == {
        "version": SPARK,
        "headers": [[["origin", "spark"]]] * 2,
        "from offset": ["flow"],
        "until offset": ["ebb"],
        "from timestamp": ["ebb", "flow"],
        "copied": ["EBB", "FLOW", "NEAP"],
    }
    assert topics.read("counts") == facts["copied"]
    with Connection(broker.bootstrap) as connection:
        assert connection.ask("ListGroups", 4, ListGroupsRequest()).groups == []
