"""Compaction of logs that Kafka wrote: LZ4, gaps, markers, empty batches, horizons of Kafka's cleaner."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.kafkas_directory import unpacked
from tidemark.cleanup.compaction import Compaction, dirtiest
from tidemark.clock import SystemClock
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.settings import LogSettings
from tidemark.log.storage import FileStorage
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.batch import ControlType, control_type, records

FAR_FUTURE_MS = 10**14


def decided(log: PartitionLog) -> dict[bytes | None, tuple[int, bytes]]:
    """Return what a read_committed consumer knows at the end: the last value of each key."""
    latest: dict[bytes | None, tuple[int, bytes | None]] = {}
    pending: dict[int, list[tuple[bytes | None, tuple[int, bytes | None]]]] = {}
    for stored in log.batches():
        header = stored.header
        found = records(stored.buf, stored.start, header)
        if header.is_control:
            if header.producer_id >= 0 and found:
                written = pending.pop(header.producer_id, [])
                if control_type(found[0].key) == ControlType.COMMIT:
                    for key, entry in sorted(written, key=lambda pair: pair[1][0]):
                        latest[key] = max(latest.get(key, entry), entry, key=lambda pair: pair[0])
            continue
        for record in found:
            entry = (record.offset, record.value)
            if header.is_transactional:
                pending.setdefault(header.producer_id, []).append((record.key, entry))
            else:
                latest[record.key] = entry
    return {key: (offset, value) for key, (offset, value) in latest.items() if value is not None}


@pytest.mark.slow
@pytest.mark.parametrize("partition", range(4))
def test_two_passes_lose_no_last_record_of_a_key(tmp_path: Path, partition: int) -> None:
    unpacked(tmp_path)
    compacted = LogSettings(cleanup_policy=frozenset({"compact"}), min_cleanable_dirty_ratio=0.0)
    settings = BrokerSettings(producer_id_expiration_ms=FAR_FUTURE_MS)
    manager = LogManager(FileStorage(tmp_path / "data"), settings, SystemClock(), lambda topic: compacted)
    manager.open()
    log = manager.get("__consumer_offsets", partition)
    assert log is not None
    before, end, size = decided(log), log.log_end_offset, log.size_bytes
    stable = log.last_stable_offset
    log.roll(0)
    log.mark_synced(log.sync())
    for now_ms in (FAR_FUTURE_MS, 2 * FAR_FUTURE_MS):
        manager.cleaner_offsets.clear()  # clean again what Kafka's cleaner has cleaned
        compaction = Compaction(_Only(manager, log))  # type: ignore[arg-type]
        chosen = dirtiest(compaction.plans(now_ms))
        if stable < log.segments[1].base_offset:
            assert chosen is None  # an open transaction pins the cleaner
            return
        assert chosen is not None
        assert asyncio.run(compaction.finish(chosen, compaction.work(chosen)))
        compaction.settle(chosen)
    assert decided(log) == before
    assert log.size_bytes < size
    assert log.log_end_offset == end
    kept = [record for stored in log.batches() for record in records(stored.buf, stored.start, stored.header)]
    assert all(record.value is not None for record in kept if record.key is not None)
    producers = dict(log.producers.states)
    manager.close()
    again = LogManager(FileStorage(tmp_path / "data"), settings, SystemClock(), lambda topic: compacted)
    again.open()
    log = again.get("__consumer_offsets", partition)
    assert log is not None
    assert decided(log) == before
    assert log.producers.states == producers


class _Only:
    """A LogManager that shows one log."""

    def __init__(self, manager: LogManager, log: PartitionLog) -> None:
        self.storage = manager.storage
        self.workers = manager.workers
        self.cleaner_offsets = manager.cleaner_offsets
        self._log = log

    def begun(self) -> list[tuple[str, int]]:
        return [(self._log.topic, self._log.partition)]

    def size_bytes(self, topic: str, partition: int) -> int:
        return self._log.size_bytes

    def settings_of(self, topic: str) -> LogSettings:
        return self._log.settings

    def find(self, topic: str, partition: int) -> PartitionLog:
        return self._log
