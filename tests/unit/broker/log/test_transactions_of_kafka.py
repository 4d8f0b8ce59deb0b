"""Logs with transactions that Kafka wrote: their indexes, snapshots and last stable offsets."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.golden_transactions import GOLDEN, SETTINGS, opened, unpacked
from tests.unit.broker.log.builders import aborted_transactions
from tidemark.log.index import TransactionIndex
from tidemark.log.load import LogLocation, Start
from tidemark.log.partition import PartitionLog
from tidemark.log.segment import SegmentCache
from tidemark.log.storage import FileStorage

PARTITIONS = ("orders-0", "table-0")


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return unpacked(tmp_path / "golden") / "written"


def files(directory: Path, *suffixes: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.suffix in suffixes}


def copied(source: PartitionLog, root: Path) -> PartitionLog:
    """Append the batches of a log to a new one, one after the other."""
    location = LogLocation(
        FileStorage(root), SegmentCache(100), source.directory, source.topic, source.partition
    )
    copy = PartitionLog(location, source.topic_id, SETTINGS, Start(clean=True))
    for stored in source.batches():
        batch = bytearray(stored.buf[stored.start : stored.end])
        copy.append(batch, leader_epoch=stored.header.leader_epoch, now_ms=0, from_client=False)
    return copy


@pytest.mark.parametrize("partition", PARTITIONS)
def test_appended_batches_make_the_files_that_kafka_wrote(
    written: Path, tmp_path: Path, partition: str
) -> None:
    suffixes = (".log", ".txnindex", ".snapshot")
    expected = files(written / partition, *suffixes)
    copied(opened(written, partition), tmp_path / "copy").close()
    assert files(tmp_path / "copy" / partition, *suffixes) == expected


@pytest.mark.parametrize("partition", PARTITIONS)
def test_recovery_rebuilds_the_files_that_kafka_wrote(written: Path, partition: str) -> None:
    expected = files(written / partition, ".log", ".txnindex", ".snapshot")
    for path in (written / partition).glob("*.txnindex"):
        path.write_bytes(b"x" * 34)
    for path in (written / partition).glob("*.snapshot"):
        path.unlink()
    opened(written, partition, clean=False).close()
    assert files(written / partition, ".log", ".txnindex", ".snapshot") == expected


def test_a_clean_start_rebuilds_a_corrupt_index(written: Path) -> None:
    expected = files(written / "orders-0", ".txnindex")
    path = written / "orders-0" / "00000000000000000038.txnindex"
    path.write_bytes(path.read_bytes()[:-1])
    (written / "orders-0" / "00000000000000000057.txnindex").write_bytes(bytes(34))
    opened(written, "orders-0").close()
    assert files(written / "orders-0", ".txnindex") == expected


def test_truncation_removes_aborted_transactions_and_opens_others_again(written: Path) -> None:
    log = opened(written, "orders-0")
    aborted = aborted_transactions(log, 0, log.log_end_offset)
    marker = aborted[5]
    log.truncate_to(marker.last_offset)
    assert aborted_transactions(log, 0, log.log_end_offset) == aborted[:5]
    assert log.last_stable_offset <= marker.first_offset
    stored = (written / "orders-0").glob("*.txnindex")
    assert sum(len(TransactionIndex(path.read_bytes())) for path in stored) == 5


def test_last_stable_offsets_and_aborted_transactions_are_those_of_kafka(written: Path) -> None:
    logs = {partition: opened(written, partition) for partition in PARTITIONS}
    for requested, responses in json.loads(gzip.decompress((GOLDEN / "fetches.json.gz").read_bytes())):
        ((topic, offset, _),) = requested[-1:]
        _, _, high_watermark, last_stable, log_start, aborted, size = responses[-1]
        log = logs[f"{topic}-0"]
        assert (high_watermark, last_stable) == (log.high_watermark, log.last_stable_offset)
        assert log_start == log.log_start_offset
        if aborted is not None and offset < last_stable:
            up_to = log.aborted_bound(offset, size)
            assert up_to is not None
            found = aborted_transactions(log, offset, up_to)
            assert [[each.producer_id, each.first_offset] for each in found] == aborted
