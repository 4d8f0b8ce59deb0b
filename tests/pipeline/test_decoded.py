"""Records that were read over the wire, and a stream over the directory of the broker that sends them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.broker_process import BrokerProcess
from tests.clientenv import client_python
from tidemark_pipeline.model import PipelineError
from tidemark_pipeline.schemas import OFFSETS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

OF_PRODUCERS = ("producer_id", "producer_epoch")  # a consumer does not see them


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerProcess]:
    process = BrokerProcess(tmp_path, {"offsets.topic.num.partitions": "3"})
    process.start()
    yield process
    process.stop()


def client(broker: BrokerProcess, *arguments: object) -> list[dict[str, Any]]:
    """Return the output of wire_client.py."""
    script = Path(__file__).with_name("wire_client.py")
    command = [client_python("confluent-kafka"), script, broker.bootstrap, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def from_hex(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)


def frame(spark: SparkSession, read: list[dict[str, Any]]) -> DataFrame:
    rows = [{**row, "key": from_hex(row["key"]), "value": from_hex(row["value"])} for row in read]
    return spark.createDataFrame(
        rows, "key binary, value binary, topic string, partition int, offset bigint, timestamp bigint"
    )


def rows(frame: DataFrame, without: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
    columns = [name for name in OFFSETS.names if name not in without]
    return sorted(tuple(row) for row in frame.select(*columns).collect())


@contextmanager
def streamed(spark: SparkSession, directory: Path, table: str) -> Iterator[Any]:
    stream = spark.readStream.format("tidemark").load(str(directory))
    query = stream.writeStream.format("memory").queryName(table).start()
    try:
        yield query
    finally:
        query.stop()


def test_consumer_stream_and_directory_yield_the_same_rows(
    spark: SparkSession, broker: BrokerProcess
) -> None:
    from tidemark_pipeline.source.decoded import decode_offsets
    from tidemark_pipeline.source.session import read_table

    client(broker, "commit", 4)
    scan = read_table(spark, str(broker.data_dir), "offsets")
    with streamed(spark, broker.data_dir, "from_a_broker") as query:
        query.processAllAvailable()
        assert spark.table("from_a_broker").count() == 12
        client(broker, "commit", 3)
        read = frame(spark, client(broker, "read"))
        query.processAllAvailable()
        stream = rows(spark.table("from_a_broker"))
    assert len(stream) == 21
    assert stream == rows(scan)
    decoded = decode_offsets(read)
    assert dict(decoded.dtypes) == dict(scan.dtypes)
    assert decoded.columns == scan.columns
    assert rows(decoded, without=OF_PRODUCERS) == rows(scan, without=OF_PRODUCERS)
    in_time = read.withColumn("timestamp", read.timestamp.cast("double").__truediv__(1000).cast("timestamp"))
    assert rows(decode_offsets(in_time.repartition(3))) == rows(decoded)


def test_rows_without_the_columns_of_a_record_are_refused(spark: SparkSession) -> None:
    from tidemark_pipeline.source.decoded import decode_offsets

    read = frame(spark, [])
    with pytest.raises(PipelineError, match="a record's offset is missing: there are key, value"):
        decode_offsets(read.drop("offset"))
    with pytest.raises(
        PipelineError, match="the column timestamp is string, which is no timestamp of a record"
    ):
        decode_offsets(read.withColumn("timestamp", read.timestamp.cast("string")))
