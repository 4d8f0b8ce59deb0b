"""The source as a stream in Spark: rates, restarts, kills. test_following.py tests its steps."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.dataset as ds
import pytest

from tests.broker_process import environment
from tests.pipeline.growing_log import GrowingLog
from tidemark_pipeline.source.settle import SINK_LOG, settle

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.java]

DEADLINE_S: Final = 240


@pytest.fixture
def registered(spark: SparkSession) -> SparkSession:
    from tidemark_pipeline import register

    register(spark)
    return spark


def stream(spark: SparkSession, directory: Path, **options: object) -> DataFrame:
    reader: Any = spark.readStream.format("tidemark").options(**options)
    loaded: DataFrame = reader.load(str(directory))
    return loaded


def available_now(rows: DataFrame, out: Path) -> list[Any]:
    """Return Spark's progress report of each micro-batch."""
    writer = rows.writeStream.option("checkpointLocation", str(out.with_suffix(".checkpoint")))
    query: Any = writer.trigger(availableNow=True).start(str(out))
    query.awaitTermination(DEADLINE_S)
    assert not query.isActive
    return [told for told in query.recentProgress if told.numInputRows or told.sources[0].endOffset]


def numbers(spark: SparkSession, out: Path) -> list[int]:
    return sorted(row[0] for row in spark.read.parquet(str(out)).select("committed_offset").collect())


def test_available_now_obeys_the_rate_and_continues_from_the_checkpoint(
    registered: SparkSession, tmp_path: Path
) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    log, other = GrowingLog(logs, 0), GrowingLog(logs, 10, count(1000))
    log.commit(25)
    other.commit(3)
    pending = log.commit(4, producer_id=7)
    log.commit(2)
    rows = stream(registered, logs, maxOffsetsPerTrigger=10)
    told = available_now(rows, out)
    assert [batch.numInputRows for batch in told] == [10, 10, 8]
    assert json.loads(told[-1].sources[0].endOffset) == {"0": 25, "10": 3}
    assert numbers(registered, out) == [*range(25), 1000, 1001, 1002]

    log.roll()
    log.end(7, commits=True)
    log.clean()
    available_now(stream(registered, logs), out)
    left = set(log.committed) - log.cleaned
    assert left < set(log.committed), "what was not read yet was cleaned too"
    assert left & set(pending)
    assert numbers(registered, out) == sorted({*range(25), *left, 1000, 1001, 1002})


def test_a_query_that_runs_sees_rolls_markers_and_new_log_partitions(
    registered: SparkSession, tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    log = GrowingLog(logs, 1)
    log.commit(2)
    rows = stream(registered, logs, table="raw").select("log_partition", "log_offset", "control_type")
    query = rows.writeStream.format("memory").queryName("running").start()
    with ended(query):
        query.processAllAvailable()
        log.commit(2, producer_id=7)
        log.roll()
        log.commit(1)
        query.processAllAvailable()
        assert seen(registered) == [(1, 0, None), (1, 1, None)]
        log.end(7, commits=False)
        GrowingLog(logs, 0, count(100)).commit(1)
        query.processAllAvailable()
        assert seen(registered) == [(0, 0, None), (1, 0, None), (1, 1, None), (1, 4, None), (1, 5, "abort")]
        log.directory.rename(logs / "cut")
        GrowingLog(logs, 1)
        with pytest.raises(Exception, match="__consumer_offsets-1 ends at offset 0, but was read further"):
            query.processAllAvailable()


def seen(spark: SparkSession) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in spark.table("running").collect())


@contextmanager
def ended(query: Any) -> Iterator[None]:
    try:
        yield
    finally:
        query.stop()


@pytest.mark.ecosystem
def test_a_query_killed_during_a_batch_neither_loses_nor_repeats_rows(
    registered: SparkSession, tmp_path: Path
) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    shared = count()
    grown = [GrowingLog(logs, number, shared) for number in range(2)]
    for log in grown:
        grow(log)
    for is_due in (a_file_is_begun, a_file_is_whole):
        with running(logs, out) as child:
            wait_until(lambda check=is_due: child.poll() is not None or check(out))  # type: ignore[misc]
            assert child.poll() is None, "the query ended by itself"
        for log in grown:
            grow(log)
        grown[0].clean()
    for log in grown:
        log.end(7, commits=True)
    available_now(stream(registered, logs), out)

    stored = numbers(registered, out)
    assert len(stored) == len(set(stored))
    committed = {number for log in grown for number in log.committed}
    assert set(stored) <= committed
    assert committed - set(stored) <= {number for log in grown for number in log.cleaned}
    assert len(stored) > 1000
    copied, moved = settle(str(out), str(tmp_path / "clean")), settle(str(out))
    assert copied == moved
    assert moved.orphans >= 1, "no kill was in mid-batch"
    for place in (tmp_path / "clean", out):
        assert sorted(ds.dataset(place).to_table()["committed_offset"].to_pylist()) == stored
    assert numbers(registered, out) == stored


def grow(log: GrowingLog) -> None:
    """Append segments with committed and aborted transactions. The last one ends at the next call."""
    log.end(7, commits=True)
    for at in range(20):
        log.commit(30)
        log.commit(5, producer_id=8)
        if at % 5 == 0:
            log.roll()
        log.end(8, commits=at % 2 == 0)
    log.commit(5, producer_id=7)
    log.commit(5)


@contextmanager
def running(logs: Path, out: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a query in a process with its own JVM, and kill both at the end."""
    script = Path(__file__).with_name("streaming_child.py")
    command = [sys.executable, str(script), str(logs), str(out), str(out.with_suffix(".checkpoint"))]
    with out.with_suffix(".said").open("ab") as said:
        child = subprocess.Popen(command, env=environment(), stderr=said, start_new_session=True)
    try:
        yield child
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not is_so():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.001)


def unfinished(out: Path) -> list[Path]:
    """Return files that no micro-batch names. Names are read last, so that no finished file is included."""
    files = list(out.glob("part-*"))
    log = out / SINK_LOG
    named = "".join(path.read_text() for path in log.glob("[0-9]*")) if log.exists() else ""
    return [path for path in files if path.name not in named]


def a_file_is_begun(out: Path) -> bool:
    return bool(unfinished(out)) and (out / SINK_LOG / "1").exists()


def a_file_is_whole(out: Path) -> bool:
    return any(path.read_bytes()[4:].endswith(b"PAR1") for path in unfinished(out))
