from __future__ import annotations

import asyncio
import errno
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.broker.log.builders import TOPIC_ID, a_batch, a_log, from_producer
from tidemark.cleanup.cleaning import GROUP_SEGMENTS_MAX, Cleaning, CompactionFailed, Job
from tidemark.cleanup.compaction import Compaction, dirtiest, plan, run_child
from tidemark.cleanup.log_retention import SEGMENTS_AT_ONCE
from tidemark.log.errors import OutOfDescriptors
from tidemark.log.load import begin_swap, end_swap, finish_swap, rename_swapped
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.settings import LogSettings
from tidemark.log.storage import FileStorage, Storage, StoredFile
from tidemark.settings.broker import BrokerSettings
from tidemark.workers import SystemWorkers
from tidemark_protocol.batch import (
    TRANSACTIONAL,
    BatchHeader,
    ControlType,
    LogRecord,
    build_batch,
    build_control_batch,
    records,
)
from tidemark_protocol.checkpoints import decode_offsets
from tidemark_protocol.compression import Codec
from tidemark_protocol.contents import finish
from tidemark_testing.clock import VirtualClock
from tidemark_testing.storage import FaultyStorage, MemoryStorage

DAY_MS = 86_400_000
Value = bytes | None


def a_compacted_topic(storage: Storage | None = None, **chosen: Any) -> tuple[LogManager, PartitionLog]:
    """orders-0 with cleanup.policy=compact. A put that rolls writes a segment of its own."""
    topic = LogSettings(cleanup_policy=frozenset({"compact"}), min_cleanable_dirty_ratio=0.0, **chosen)
    disk = storage if storage is not None else MemoryStorage()
    manager = LogManager(disk, BrokerSettings(), VirtualClock(), lambda name: topic)
    manager.open()
    return manager, manager.create("orders", 0, TOPIC_ID)


def put(
    log: PartitionLog, *pairs: tuple[bytes | None, Value], timestamp_ms: int = 1_000, **fields: Any
) -> int:
    found = [LogRecord(n, timestamp_ms, key, value) for n, (key, value) in enumerate(pairs)]
    return log.append(build_batch(found, **fields), leader_epoch=0, now_ms=0, from_client=False).base_offset


def close_segment(log: PartitionLog) -> None:
    log.roll(0)
    log.mark_synced(log.sync())


def clean(manager: LogManager, now_ms: int = 10_000) -> bool:
    """Run one pass over all logs. Return True if there was something to clean."""
    compaction = Compaction(manager)
    chosen = dirtiest(compaction.plans(now_ms))
    if chosen is None:
        return False
    outcome = compaction.work(chosen)
    assert asyncio.run(compaction.finish(chosen, outcome))
    compaction.settle(chosen)
    return True


def content(log: PartitionLog) -> list[tuple[int, bytes | None, Value]]:
    return [
        (record.offset, record.key, record.value)
        for stored in log.batches()
        if not stored.header.is_control
        for record in records(stored.buf, stored.start, stored.header)
    ]


def batch_headers(log: PartitionLog) -> list[BatchHeader]:
    return [stored.header for stored in log.batches()]


def test_the_last_value_of_each_key_stays_with_its_offset() -> None:
    manager, log = a_compacted_topic()
    put(log, (b"a", b"1"), (b"b", b"1"), (b"a", b"2"))
    put(log, (b"c", b"1"), (b"b", b"2"))
    close_segment(log)
    assert clean(manager)
    assert content(log) == [(2, b"a", b"2"), (3, b"c", b"1"), (4, b"b", b"2")]
    assert log.log_end_offset == 5


def test_the_active_segment_is_left_alone_and_supersedes_nothing() -> None:
    manager, log = a_compacted_topic()
    put(log, (b"a", b"1"))
    close_segment(log)
    put(log, (b"a", b"2"))
    assert clean(manager)
    assert content(log) == [(0, b"a", b"1"), (1, b"a", b"2")]


def test_unsynced_data_is_not_cleaned() -> None:
    manager, log = a_compacted_topic()
    put(log, (b"a", b"1"), (b"a", b"2"))
    log.roll(0)
    assert not clean(manager)
    log.mark_synced(log.sync())
    assert clean(manager)


def test_the_next_pass_reads_from_where_the_last_one_ended() -> None:
    manager, log = a_compacted_topic()
    put(log, (b"a", b"1"))
    close_segment(log)
    clean(manager)
    assert manager.cleaner_offsets == {("orders", 0): 1}
    assert decode_offsets(manager.storage.read("cleaner-offset-checkpoint")) == {("orders", 0): 1}
    assert not clean(manager)
    put(log, (b"a", b"2"))
    close_segment(log)
    assert clean(manager)
    assert content(log) == [(1, b"a", b"2")]


def test_small_adjacent_segments_are_merged() -> None:
    manager, log = a_compacted_topic()
    for n in range(4):
        put(log, (b"%d" % n, b"x"))
        close_segment(log)
    clean(manager)
    assert [segment.base_offset for segment in log.segments] == [0, 4]
    assert [name for name, _ in manager.storage.list("orders-0") if name.endswith(".log")] == [
        "00000000000000000000.log",
        "00000000000000000004.log",
    ]
    snapshots = [name for name, _ in manager.storage.list("orders-0") if name.endswith(".snapshot")]
    assert snapshots == ["00000000000000000004.snapshot"]
    assert log.read(2, 1, up_to=4, at_least_one_batch=True)
    found = finish(log.offset_for_timestamp(1_000, up_to=4))
    assert found is not None
    assert found.offset == 0


def test_a_record_without_a_key_is_deleted() -> None:
    manager, log = a_compacted_topic()
    put(log, (None, b"1"), (b"a", b"1"))
    close_segment(log)
    clean(manager)
    assert content(log) == [(1, b"a", b"1")]


def test_a_tombstone_gets_a_horizon_and_is_deleted_after_it() -> None:
    manager, log = a_compacted_topic(delete_retention_ms=DAY_MS)
    put(log, (b"a", b"1"))
    put(log, (b"a", None), (b"b", b"1"), timestamp_ms=2_000)
    close_segment(log)
    clean(manager, now_ms=10_000)
    assert content(log) == [(1, b"a", None), (2, b"b", b"1")]
    (header,) = batch_headers(log)
    assert header.delete_horizon_ms == 10_000 + DAY_MS
    for now_ms, left in ((9_999 + DAY_MS, 3), (10_000 + DAY_MS, 2)):
        put(log, (b"c", b"%d" % now_ms))
        close_segment(log)
        clean(manager, now_ms=now_ms)
        assert len(content(log)) == left
    assert [key for _, key, _ in content(log)] == [b"b", b"c"]


def test_timestamps_are_kept_after_a_horizon_too() -> None:
    manager, log = a_compacted_topic()
    put(log, (b"a", None), (b"b", b"1"), timestamp_ms=2_000)
    close_segment(log)
    clean(manager)
    (stored,) = log.batches()
    assert [record.timestamp for record in records(stored.buf, stored.start, stored.header)] == [2_000, 2_000]
    assert stored.header.max_timestamp == 2_000


@pytest.mark.parametrize("codec", list(Codec))
def test_a_rewritten_batch_keeps_its_codec(codec: Codec) -> None:
    manager, log = a_compacted_topic()
    put(log, (b"a", b"x" * 500), (b"a", b"y" * 500), (b"b", b"z"), compression=codec)
    close_segment(log)
    clean(manager)
    assert content(log) == [(1, b"a", b"y" * 500), (2, b"b", b"z")]
    (header,) = batch_headers(log)
    assert (header.compression, header.base_offset, header.last_offset) == (codec, 0, 2)


def test_the_last_batch_of_a_producer_is_kept_without_records() -> None:
    manager, log = a_compacted_topic()
    for sequence in range(2):
        put(log, (b"a", b"1"), producer_id=7, producer_epoch=0, base_sequence=sequence)
    put(log, (b"a", b"2"))
    close_segment(log)
    clean(manager)
    assert content(log) == [(2, b"a", b"2")]
    empty, _ = batch_headers(log)
    assert (empty.producer_id, empty.base_sequence, empty.base_offset, empty.count) == (7, 1, 1, 0)


def test_the_rules_for_producers_hold_after_compaction_and_a_kill() -> None:
    storage = MemoryStorage()
    manager, log = a_compacted_topic(storage)
    put(log, (b"a", b"1"), producer_id=7, producer_epoch=0, base_sequence=0)
    put(log, (b"a", b"2"))
    close_segment(log)
    clean(manager)
    again = a_log(storage, clean=False)
    assert again.producers.states[7].last_sequence == 0


def a_transaction(log: PartitionLog, producer_id: int, kind: int | None, *pairs: tuple[bytes, Value]) -> None:
    put(log, *pairs, producer_id=producer_id, producer_epoch=0, base_sequence=0, attributes=TRANSACTIONAL)
    if kind is not None:
        marker = build_control_batch(kind, b"\0\0\0\0\0\0", 1_000, producer_id=producer_id, producer_epoch=0)
        log.append(marker, leader_epoch=0, now_ms=0)


def test_records_of_an_aborted_transaction_are_deleted_and_supersede_nothing() -> None:
    manager, log = a_compacted_topic()
    put(log, (b"a", b"kept"))
    a_transaction(log, 7, ControlType.ABORT, (b"a", b"aborted"))
    a_transaction(log, 8, ControlType.COMMIT, (b"b", b"committed"))
    close_segment(log)
    clean(manager)
    assert content(log) == [(0, b"a", b"kept"), (3, b"b", b"committed")]


def test_a_marker_in_a_later_segment_decides() -> None:
    manager, log = a_compacted_topic()
    put(log, (b"a", b"kept"))
    a_transaction(log, 7, None, (b"a", b"aborted"))
    close_segment(log)
    marker = build_control_batch(ControlType.ABORT, b"\0\0\0\0\0\0", 1_000, producer_id=7, producer_epoch=0)
    log.append(marker, leader_epoch=0, now_ms=0)
    log.mark_synced(log.sync())
    clean(manager)
    assert content(log) == [(0, b"a", b"kept")]


def test_an_open_transaction_stops_the_cleaner_where_it_began() -> None:
    manager, log = a_compacted_topic()
    put(log, (b"a", b"1"), (b"a", b"2"))
    close_segment(log)
    a_transaction(log, 7, None, (b"a", b"open"))
    close_segment(log)
    put(log, (b"a", b"3"))
    close_segment(log)
    clean(manager)
    assert content(log) == [(1, b"a", b"2"), (2, b"a", b"open"), (3, b"a", b"3")]


def test_a_marker_is_deleted_two_passes_after_the_last_data_of_its_transaction() -> None:
    manager, log = a_compacted_topic(delete_retention_ms=1_000)
    a_transaction(log, 7, ControlType.COMMIT, (b"a", b"1"))
    a_transaction(log, 7, ControlType.COMMIT, (b"c", b"1"))
    put(log, (b"a", b"2"))
    close_segment(log)
    markers = []
    for now_ms in (10_000, 10_001, 11_000, 11_001):
        clean(manager, now_ms=now_ms)
        markers.append([header.base_offset for header in batch_headers(log) if header.is_control])
        put(log, (b"d", b"%d" % now_ms))
        close_segment(log)
    assert markers == [[1, 3], [1, 3], [1, 3], [3]]


def test_long_keys_are_distinguished() -> None:
    manager, log = a_compacted_topic()
    put(log, (b"k" * 100 + b"1", b"1"), (b"k" * 100 + b"2", b"2"), (b"k" * 100 + b"1", b"3"))
    close_segment(log)
    clean(manager)
    assert [value for _, _, value in content(log)] == [b"2", b"3"]


@pytest.mark.parametrize("left", [0, 30])
def test_a_file_that_was_cut_beneath_the_broker_fails_the_pass(left: int) -> None:
    storage = MemoryStorage()
    _, log = a_compacted_topic(storage)
    put(log, (b"a", b"1"))
    end = log.size_bytes
    put(log, (b"a", b"2"))
    close_segment(log)
    chosen = plan(log, 0, 0)
    assert chosen is not None
    storage.open("orders-0/00000000000000000000.log").truncate(end + left)
    with pytest.raises(CompactionFailed, match=f"corrupt at byte {end}"):
        Cleaning(storage, chosen.job).run()


def test_keys_above_the_maximum_wait_for_the_next_pass() -> None:
    storage = MemoryStorage()
    _, log = a_compacted_topic(storage)
    for n in range(3):
        put(log, (b"%d" % n, b"1"), (b"%d" % n, b"2"))
    put(log, (b"0", b"3"))
    close_segment(log)
    chosen = plan(log, 0, 0)
    assert chosen is not None
    outcome = Cleaning(storage, replace(chosen.job, keys_max=3)).run()
    assert (outcome.cleaned_to, outcome.records_kept) == (4, 5)


def test_a_log_is_cleaned_when_enough_of_it_is_dirty_or_it_has_waited_too_long() -> None:
    manager, log = a_compacted_topic(max_compaction_lag_ms=1_000)
    put(log, (b"a", b"x" * 1000), timestamp_ms=5_000)
    close_segment(log)
    clean(manager)
    put(log, (b"b", b"x"), timestamp_ms=5_000)
    close_segment(log)
    log.settings = replace(log.settings, min_cleanable_dirty_ratio=0.5)
    assert plan(log, 1, now_ms=6_000) is None
    assert plan(log, 1, now_ms=6_001) is not None


def test_records_younger_than_the_minimum_lag_are_not_cleaned() -> None:
    _, log = a_compacted_topic(min_compaction_lag_ms=1_000)
    for at in (1_000, 2_000):
        put(log, (b"a", b"%d" % at), timestamp_ms=at)
        close_segment(log)
    assert plan(log, 0, now_ms=1_999) is None
    chosen = plan(log, 0, now_ms=2_000)
    assert chosen is not None
    assert (chosen.job.sources[-1][0], chosen.job.end) == (0, 1)


def test_an_unchanged_segment_is_not_rewritten() -> None:
    storage = MemoryStorage()
    manager, log = a_compacted_topic(storage, segment_bytes=200)
    put(log, (b"a", b"x" * 80))
    put(log, (b"b", b"x" * 80))
    put(log, (b"c", b"x" * 80))
    log.mark_synced(log.sync())
    compaction = Compaction(manager)
    chosen = dirtiest(compaction.plans(0))
    assert chosen is not None
    assert compaction.work(chosen).groups == []


def test_a_log_that_changed_meanwhile_is_not_replaced() -> None:
    storage = MemoryStorage()
    manager, log = a_compacted_topic(storage, segment_bytes=200)
    for _ in range(3):
        put(log, (b"a", b"x" * 80))
    log.mark_synced(log.sync())
    compaction = Compaction(manager)
    chosen = dirtiest(compaction.plans(0))
    assert chosen is not None
    outcome = compaction.work(chosen)
    log.delete_segments(1, 0)
    assert not asyncio.run(compaction.finish(chosen, outcome))
    assert [name for name, _ in storage.list("orders-0") if "cleaned" in name or "swap" in name] == []
    assert content(log) == [(1, b"a", b"x" * 80), (2, b"a", b"x" * 80)]


class WithoutDescriptors(MemoryStorage):
    descriptors_left = True

    def about_to(self, operation: str) -> None:
        if operation == "open" and not self.descriptors_left:
            raise OutOfDescriptors(OSError(errno.EMFILE, "too many open files"))


def with_many_segments(storage: Storage, **chosen: Any) -> tuple[LogManager, PartitionLog]:
    """Return a log whose closed segments make three groups."""
    manager, log = a_compacted_topic(storage, **chosen)
    for number in range(2 * GROUP_SEGMENTS_MAX + 10):
        put(log, (b"%d" % (number % 100), b"%d" % number), timestamp_ms=number)
        log.roll(0)
    log.mark_synced(log.sync())
    return manager, log


def test_many_segments_are_replaced_in_groups_between_which_other_work_runs() -> None:
    manager, log = with_many_segments(MemoryStorage())
    before = {key: (offset, value) for offset, key, value in content(log)}
    compaction = Compaction(manager)
    chosen = dirtiest(compaction.plans(0))
    assert chosen is not None
    outcome = compaction.work(chosen)
    assert [len(group) for group in outcome.groups] == [GROUP_SEGMENTS_MAX, GROUP_SEGMENTS_MAX, 10]

    async def story() -> list[int]:
        finishing = asyncio.ensure_future(compaction.finish(chosen, outcome))
        counts = [len(log.segments)]
        while not finishing.done():
            await asyncio.sleep(0)
            counts.append(len(log.segments))
            assert {key: (offset, value) for offset, key, value in content(log)} == before
        assert await finishing
        return counts

    counts = asyncio.run(story())
    assert max(before - after for before, after in pairwise(counts)) < GROUP_SEGMENTS_MAX
    assert counts[-1] == 4
    assert len(content(log)) == 100


def test_segments_that_are_deleted_between_two_groups_do_not_come_back() -> None:
    storage = MemoryStorage()
    manager, log = with_many_segments(storage)
    compaction = Compaction(manager)
    chosen = dirtiest(compaction.plans(0))
    assert chosen is not None
    outcome = compaction.work(chosen)

    async def story() -> bool:
        finishing = asyncio.ensure_future(compaction.finish(chosen, outcome))
        await asyncio.sleep(0)
        log.delete_segments(5, 0)  # the new segment of the first group, and four of the second one
        return await finishing

    assert not asyncio.run(story())
    assert [name for name, _ in storage.list("orders-0") if "cleaned" in name or "swap" in name] == []
    kept = content(log)
    assert kept[0][0] == GROUP_SEGMENTS_MAX + 4
    again, _ = a_compacted_topic(storage)
    found = again.get("orders", 0)
    assert found is not None
    assert content(found) == kept


def test_files_are_replaced_although_no_descriptor_is_left() -> None:
    storage = WithoutDescriptors()
    manager, log = with_many_segments(storage)
    before = {key: (offset, value) for offset, key, value in content(log)}
    compaction = Compaction(manager)
    chosen = dirtiest(compaction.plans(0))
    assert chosen is not None
    outcome = compaction.work(chosen)
    assert len(outcome.groups) > 1
    storage.descriptors_left = False
    assert asyncio.run(compaction.finish(chosen, outcome))
    storage.descriptors_left = True
    assert {key: (offset, value) for offset, key, value in content(log)} == before


def test_a_stop_between_two_groups_is_completed_by_the_next_start() -> None:
    storage = MemoryStorage()
    manager, log = with_many_segments(storage)
    before = {key: (offset, value) for offset, key, value in content(log)}
    compaction = Compaction(manager)
    chosen = dirtiest(compaction.plans(0))
    assert chosen is not None
    outcome = compaction.work(chosen)

    async def story() -> None:
        finishing = asyncio.ensure_future(compaction.finish(chosen, outcome))
        await asyncio.sleep(0)
        finishing.cancel()

    asyncio.run(story())
    manager.close()
    again, _ = a_compacted_topic(storage)
    found = again.get("orders", 0)
    assert found is not None
    assert len(found.segments) == 4
    assert {key: (offset, value) for offset, key, value in content(found)} == before


@pytest.mark.parametrize("lag_ms", [2**63 - 1, 1_000_000])
def test_a_plan_opens_few_segments_at_a_time(lag_ms: int) -> None:
    storage = CountingStorage()
    manager, log = with_many_segments(storage, max_compaction_lag_ms=lag_ms)
    topic = log.settings
    manager.close()
    again = LogManager(storage, BrokerSettings(), VirtualClock(), lambda name: topic, open_files_max=1)
    again.open()
    assert again.get("orders", 0) is not None
    storage.opened = 0
    plans = []
    for found in Compaction(again).plans(0):
        assert storage.opened <= SEGMENTS_AT_ONCE + 1
        storage.opened = 0
        plans += [found] if found is not None else []
    assert len(plans) == 1


class CountingStorage(MemoryStorage):
    """Counts the files that are opened."""

    opened = 0

    def open(self, path: str, *, create: bool = False) -> StoredFile:
        self.opened += 1
        return super().open(path, create=create)


def test_a_corrupt_segment_fails_the_pass_and_nothing_else() -> None:
    storage = MemoryStorage()
    manager, log = a_compacted_topic(storage)
    put(log, (b"a", b"1"), (b"a", b"2"))
    close_segment(log)
    path = "orders-0/00000000000000000000.log"
    data = bytearray(storage.read(path))
    data[-1] ^= 1
    storage.write(path, bytes(data))
    compaction = Compaction(manager)
    chosen = dirtiest(compaction.plans(0))
    assert chosen is not None
    with pytest.raises(CompactionFailed, match="is corrupt at byte 0"):
        compaction.work(chosen)


def test_a_decompressed_record_above_the_limit_makes_the_log_uncleanable() -> None:
    """As in Kafka 4.4.0: `Invalid record size: 310 exceeds the configured maximum record size of 100.`"""
    for compression, size in ((Codec.NONE, 300), (Codec.GZIP, 20)):
        manager, log = a_compacted_topic(max_decompressed_message_bytes=100)
        put(log, (b"a", b"v" * size), (b"b", b"1"), (b"b", b"2"), compression=compression)
        close_segment(log)
        clean(manager)
        assert content(log) == [(0, b"a", b"v" * size), (2, b"b", b"2")]

    manager, log = a_compacted_topic(max_decompressed_message_bytes=100)
    put(log, (b"a", b"v" * 300), (b"b", b"1"), (b"b", b"2"), compression=Codec.GZIP)
    close_segment(log)
    reasons: list[str] = []
    compaction = Compaction(manager, lambda log, reason: reasons.append(reason))
    chosen = dirtiest(compaction.plans(0))
    assert chosen is not None
    with pytest.raises(CompactionFailed) as failed:
        compaction.work(chosen)
    compaction.failed(chosen, failed.value)
    (reason,) = reasons
    assert "batch at offset 0: a decompressed record of " in reason
    assert reason.endswith("100 are allowed (max.decompressed.message.bytes)")
    assert dirtiest(compaction.plans(0)) is None
    assert len(content(log)) == 3


def test_the_work_is_done_by_another_process(tmp_path: Path) -> None:
    manager, log = a_compacted_topic(FileStorage(tmp_path))
    put(log, (b"a", b"1"), (b"a", b"2"), producer_id=7, producer_epoch=0, base_sequence=0)
    close_segment(log)
    clean(manager)
    assert content(log) == [(1, b"a", b"2")]
    assert sorted(path.name for path in (tmp_path / "orders-0").glob("*0.*")) == [
        "00000000000000000000.index",
        "00000000000000000000.log",
        "00000000000000000000.timeindex",
    ]


def test_a_child_that_fails_reports_the_reason(tmp_path: Path) -> None:
    job = Job("nowhere-0", [(0, 10)], [], 0, 1, 0, 0, 100, 100)
    with pytest.raises(CompactionFailed, match="nowhere-0"):
        run_child(str(tmp_path), job, SystemWorkers())


@pytest.mark.parametrize("step", range(4))
@pytest.mark.parametrize("seed", range(15))
def test_a_crash_anywhere_in_a_swap_loses_and_revives_nothing(seed: int, step: int) -> None:
    storage = FaultyStorage(seed)
    manager, log = a_compacted_topic(storage, delete_retention_ms=0, segment_bytes=300)
    for n in range(8):
        put(log, (b"%d" % (n % 3), b"%d" % n if n != 6 else None))
        close_segment(log)
    manager.checkpoint()
    expected = {key: value for _, key, value in content(log)}
    compaction = Compaction(manager)
    chosen = dirtiest(compaction.plans(10))
    assert chosen is not None
    outcome = Cleaning(storage, chosen.job).run()
    assert outcome.groups
    if step >= 1:
        begin_swap(storage, "orders-0", outcome.groups)
    if step >= 2:
        rename_swapped(storage, "orders-0", outcome.groups[0])
    if step >= 3:
        for group in outcome.groups[1:]:
            rename_swapped(storage, "orders-0", group)
        end_swap(storage, "orders-0")
    storage.crash()
    again, log = a_compacted_topic(storage, segment_bytes=300)
    found = content(log)
    assert {key: value for _, key, value in found} == expected
    assert [offset for offset, _, _ in found] == sorted({offset for offset, _, _ in found})
    if step:
        assert len(found) == 3
    again.close()


def test_a_swap_that_kafka_left_in_the_middle_is_finished() -> None:
    storage = MemoryStorage()
    log = a_log(storage, segment_bytes=200)
    for n in range(4):
        log.append(a_batch(b"x" * 60, keys=(b"%d" % n,)), leader_epoch=0, now_ms=0)
    log.close()
    directory = "orders-0/"
    kept = storage.read(f"{directory}{0:020d}.log") + storage.read(f"{directory}{2:020d}.log")
    storage.write(f"{directory}{0:020d}.log.swap", kept)
    finish_swap(storage, "orders-0")
    again = a_log(storage, recovery_point=4)
    assert [segment.base_offset for segment in again.segments] == [0, 3]
    assert [offset for offset, _, _ in content(again)] == [0, 2, 3]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_compaction_keeps_the_latest_value_of_each_key_of_any_log(
    data: st.DataObject,
) -> None:
    manager, log = a_compacted_topic(
        delete_retention_ms=50, segment_bytes=data.draw(st.sampled_from([200, 10_000]))
    )
    latest: dict[bytes, Value] = {}
    now_ms = 1_000
    for _ in range(data.draw(st.integers(1, 12))):
        pairs = data.draw(
            st.lists(
                st.tuples(st.sampled_from([b"a", b"b", b"c", b"d"]), st.sampled_from([b"1", b"2", None])),
                min_size=1,
                max_size=4,
            )
        )
        kind = data.draw(st.sampled_from([None, ControlType.COMMIT, ControlType.ABORT]))
        if kind is None:
            put(log, *pairs)
        else:
            a_transaction(log, 7, kind, *pairs)
        if kind != ControlType.ABORT:
            latest.update(pairs)
        if data.draw(st.booleans()):
            close_segment(log)
            now_ms += data.draw(st.integers(0, 60))
            clean(manager, now_ms)
    close_segment(log)
    end = log.log_end_offset
    clean(manager, now_ms)
    found = content(log)
    visible = {key: value for _, key, value in found}
    assert {key: value for key, value in visible.items() if value is not None} == {
        key: value for key, value in latest.items() if value is not None
    }
    assert len({key for _, key, _ in found}) == len(found)
    assert log.log_end_offset == end
    assert all(header.last_offset < end for header in batch_headers(log))


def test_an_idempotent_producer_gets_the_same_responses_after_compaction() -> None:
    manager, log = a_compacted_topic()
    log.append(from_producer(7, 0), leader_epoch=0, now_ms=0)
    close_segment(log)
    clean(manager)
    assert log.append(from_producer(7, 0), leader_epoch=0, now_ms=0).duplicate


@pytest.mark.parametrize("seed", range(10))
def test_a_power_cut_does_not_bring_a_finished_swap_back(seed: int) -> None:
    """The list of a finished swap would otherwise swap in incomplete files of the next compaction."""
    storage = FaultyStorage(seed)
    storage.make_directory("orders-0")
    begin_swap(storage, "orders-0", [[0, 5]])
    end_swap(storage, "orders-0")
    storage.crash()
    assert storage.list("orders-0") == []
