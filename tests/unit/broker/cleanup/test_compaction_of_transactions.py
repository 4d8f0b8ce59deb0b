"""Compaction of a log with transactions: two passes leave the files that Kafka's cleaner left."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.golden_transactions import unpacked
from tidemark.cleanup.compaction import Compaction, dirtiest
from tidemark.clock import SystemClock
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.settings import LogSettings
from tidemark.log.storage import FileStorage
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.batch import headers

FAR_FUTURE_MS = 10**14
SETTINGS = LogSettings(
    segment_bytes=1500,
    index_interval_bytes=200,
    cleanup_policy=frozenset({"compact"}),
    min_cleanable_dirty_ratio=0.001,
    delete_retention_ms=0,
)


def compacted(logs: LogManager, now_ms: int) -> None:
    compaction = Compaction(logs)
    chosen = dirtiest(compaction.plans(now_ms))
    assert chosen is not None
    assert asyncio.run(compaction.finish(chosen, compaction.work(chosen)))
    compaction.settle(chosen)


def opened(root: Path) -> tuple[LogManager, PartitionLog]:
    settings = BrokerSettings(producer_id_expiration_ms=FAR_FUTURE_MS)
    logs = LogManager(FileStorage(root), settings, SystemClock(), lambda topic: SETTINGS)
    logs.open()
    log = logs.get("table", 0)
    assert log is not None
    log.mark_synced(log.sync())
    return logs, log


def files(directory: Path) -> dict[str, bytes]:
    suffixes = (".log", ".txnindex", ".index", ".timeindex")
    found = {path.name: path.read_bytes() for path in directory.iterdir() if path.suffix in suffixes}
    return {name: data for name, data in found.items() if data}


def horizon_ms(data: bytes) -> int:
    return max(header.delete_horizon_ms or 0 for _, header in headers(data))


def test_two_passes_leave_the_files_of_kafka(tmp_path: Path) -> None:
    states = unpacked(tmp_path / "golden")
    expected = {name: files(states / name / "table-0") for name in ("cleaned", "cleaned-again")}
    logs, log = opened(states / "written")
    compacted(logs, 0)
    log.write_end()
    assert files(states / "written" / "table-0") == expected["cleaned"]

    # Kafka's second pass had a few more records after the first one.
    cleaned_again = expected["cleaned-again"]
    new = b"".join(data for name, data in sorted(cleaned_again.items()) if name.endswith(".log"))
    for position, header in headers(new):
        if header.base_offset >= 97:
            log.log_end_offset = header.base_offset  # those before it were cleaned
            if header.base_offset == 113:
                log.roll(0)
            batch = bytearray(new[position : position + header.size])
            log.append(batch, leader_epoch=header.leader_epoch, now_ms=0)
    log.mark_synced(log.sync())
    compacted(logs, horizon_ms(cleaned_again[f"{0:020d}.log"]))
    first = f"{0:020d}"
    kept = {
        name: data for name, data in files(states / "written" / "table-0").items() if name.startswith(first)
    }
    assert kept == {name: data for name, data in cleaned_again.items() if name.startswith(first)}
