"""A directory that Apache Kafka wrote is opened, recovered and read; Kafka's tools read what we write."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import kafka_oracle
from tests.kafkas_directory import GOLDEN, unpacked
from tests.unit.broker.log.builders import TOPIC_ID, a_batch, aborted_transactions
from tidemark.cleanup.compaction import Compaction, dirtiest
from tidemark.clock import SystemClock
from tidemark.log.index import OffsetIndex, TimeIndex
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.producers import Producers
from tidemark.log.settings import LogSettings
from tidemark.log.storage import FileStorage
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.batch import LogRecord, build_batch
from tidemark_protocol.checkpoints import decode_epochs, decode_offsets, encode_epochs, uuid_text
from tidemark_protocol.compression import Codec
from tidemark_protocol.contents import finish

needs_kafka = pytest.mark.skipif(kafka_oracle.missing() is not None, reason=kafka_oracle.missing() or "")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return unpacked(tmp_path)


def opened(directory: Path, **settings: Any) -> LogManager:
    manager = LogManager(
        FileStorage(directory),
        BrokerSettings(producer_id_expiration_ms=10**15),
        SystemClock(),
        lambda topic: LogSettings(**settings),
    )
    manager.open()
    return manager


def dumped() -> Iterator[dict[str, Any]]:
    with gzip.open(GOLDEN / "dump.jsonl.gz", "rt") as lines:
        for line in lines:
            yield json.loads(line)


def truth() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GOLDEN / "topics.json").read_text())
    return found


@pytest.mark.parametrize("clean", [True, False])
def test_batches_have_the_offsets_of_kafkas_dump(directory: Path, clean: bool) -> None:
    if not clean:
        (directory / ".kafka_cleanshutdown").unlink()
        (directory / "recovery-point-offset-checkpoint").unlink()
    manager = opened(directory)
    assert (manager.opened_clean, manager.recovered) == (clean, [])
    expected: dict[int, dict[int, tuple[Any, ...]]] = defaultdict(dict)
    for line in dumped():
        expected[line["partition"]][line["baseOffset"]] = (
            line["lastOffset"], line["count"], line["crc"], line["producerId"],
            line["isTransactional"], line.get("deleteHorizonMs"),
        )  # fmt: skip
    for partition, batches in expected.items():
        log = manager.get("__consumer_offsets", partition)
        assert log is not None
        assert {
            batch.base_offset: (
                batch.last_offset, batch.header.count, batch.header.crc, batch.header.producer_id,
                batch.header.is_transactional, batch.header.delete_horizon_ms,
            )
            for batch in log.batches()
        } == batches  # fmt: skip


@pytest.mark.parametrize("clean", [True, False])
def test_offsets_and_times_are_those_that_kafka_returns(directory: Path, clean: bool) -> None:
    if not clean:
        (directory / ".kafka_cleanshutdown").unlink()
    manager = opened(directory)
    for topic, told in truth()["topics"].items():
        for facts in told["partitions"]:
            log = manager.get(topic, facts["partition"])
            assert log is not None, topic
            assert uuid_text(log.topic_id) == told["id"]
            latest = finish(log.max_timestamp())
            assert (
                log.log_start_offset,
                log.log_end_offset,
                log.last_stable_offset,
                -1 if latest is None else latest.timestamp_ms,
                -1 if latest is None else latest.offset,
            ) == (
                facts["logStartOffset"],
                facts["logEndOffset"],
                facts["lastStableOffset"],
                facts["maxTimestamp"],
                facts["maxTimestampOffset"],
            ), log


def test_kafkas_small_files_are_read_and_written_unchanged(directory: Path) -> None:
    for path in directory.glob("*/leader-epoch-checkpoint"):
        data = path.read_bytes()
        assert encode_epochs(decode_epochs(data)) == data
    assert len(decode_offsets((directory / "recovery-point-offset-checkpoint").read_bytes())) == 73
    for path in directory.glob("*/*.snapshot"):
        if path.stat().st_size > 10:
            producers = Producers()
            producers.load(path.read_bytes())
            assert producers.encode() == path.read_bytes()


def test_rebuilt_indexes_equal_those_of_kafka(directory: Path) -> None:
    before = {
        path: path.read_bytes()
        for path in directory.glob("*/*index")
        if path.suffix != ".txnindex" and not path.parent.name.endswith("-delete")
    }
    (directory / ".kafka_cleanshutdown").unlink()
    (directory / "recovery-point-offset-checkpoint").unlink()
    for path in before:
        path.unlink()
    opened(directory).close()
    for path, data in before.items():
        index = OffsetIndex.decode(data, 10**9) if path.suffix == ".index" else TimeIndex.decode(data)
        assert index.encode() == data
    # A restart in the middle of a segment resets the byte count, so a few of Kafka's entries differ.
    differing = {path.parent.name for path, data in before.items() if path.read_bytes() != data}
    assert len(before) > 170
    assert len(differing) <= 11


def test_aborted_transactions_are_read_from_kafkas_index(directory: Path) -> None:
    manager = opened(directory)
    log = manager.get("__consumer_offsets", 1)
    assert log is not None
    assert aborted_transactions(log, 0, log.log_end_offset)


def test_a_clean_stop_does_not_change_kafkas_directory(directory: Path) -> None:
    opened(directory).close()
    before = {path: path.read_bytes() for path in sorted(directory.rglob("*.log"))}
    manager = opened(directory)
    for place in manager.begun():
        manager.get(*place)
    manager.close()
    assert {path: path.read_bytes() for path in sorted(directory.rglob("*.log"))} == before
    assert opened(directory).opened_clean


def a_varied_log(directory: Path) -> PartitionLog:
    """Several segments, every codec, a producer, an index entry for every other batch."""
    manager = opened(directory, segment_bytes=2_000, index_interval_bytes=200)
    log = manager.create("orders", 0, TOPIC_ID)
    for n in range(60):
        batch = a_batch(
            b"value %d" % n * 9, b"x", timestamp_ms=1_000 + n, keys=(b"k",), compression=list(Codec)[n % 5],
            producer_id=7, producer_epoch=0, base_sequence=2 * n,
        )  # fmt: skip
        log.append(batch, leader_epoch=n // 20, now_ms=1_000 + n)
    log.mark_synced(log.sync())
    manager.close()
    return log


def dump(*arguments: str, files: list[Path]) -> str:
    """Return the output of kafka-dump-log for them."""
    done = subprocess.run(
        kafka_oracle.tool("kafka-dump-log", *arguments, "--files", ",".join(str(path) for path in files)),
        capture_output=True, text=True, check=False, timeout=250,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def check_indexes(files: list[Path]) -> None:
    for suffix in (".index", ".timeindex"):
        chosen = [path for path in files if path.suffix == suffix]
        text = dump("--index-sanity-check", files=chosen)
        assert text.count("passed sanity check") + text.count("is empty.") == len(chosen)
        assert "Found" not in dump(files=chosen)  # "Found timestamp mismatch", "Found out of order", ...


@pytest.mark.slow
@pytest.mark.java
@needs_kafka
def test_kafkas_dump_tool_accepts_our_logs_indexes_and_snapshots(tmp_path: Path) -> None:
    assert len(a_varied_log(tmp_path).segments) > 2
    files = sorted((tmp_path / "orders-0").glob("0*"))
    text = dump(
        "--deep-iteration", "--print-data-log", files=[path for path in files if path.suffix == ".log"]
    )
    assert text.count("isvalid: true") == 60
    assert text.count("payload: x") == 60
    assert "isvalid: false" not in text
    check_indexes(files)
    assert "producerId: 7" in dump(files=[path for path in files if path.suffix == ".snapshot"])


@pytest.mark.slow
@pytest.mark.java
@needs_kafka
def test_kafkas_dump_tool_accepts_what_compaction_leaves(tmp_path: Path) -> None:
    a_varied_log(tmp_path)
    manager = opened(tmp_path, cleanup_policy=frozenset({"compact"}), index_interval_bytes=200)
    log = manager.get("orders", 0)
    assert log is not None
    for n, value in enumerate((None, b"v" * 300, b"w" * 300)):
        record = LogRecord(0, 2_000 + n, b"t%d" % n, value)
        log.append(build_batch([record], compression=Codec.GZIP), leader_epoch=2, now_ms=0)
    log.roll(0)
    log.mark_synced(log.sync())
    compaction = Compaction(manager)
    chosen = dirtiest(compaction.plans(5_000))
    assert chosen is not None
    assert asyncio.run(compaction.finish(chosen, compaction.work(chosen)))
    compaction.settle(chosen)
    manager.close()
    files = sorted((tmp_path / "orders-0").glob("0*"))
    text = dump(
        "--deep-iteration", "--print-data-log", files=[path for path in files if path.suffix == ".log"]
    )
    assert "isvalid: false" not in text
    assert re.findall(r"\| offset: (\d+) ", text) == ["118", "120", "121", "122"]
    assert f"deleteHorizonMs: OptionalLong[{5_000 + 86_400_000}]" in text
    check_indexes(files)
