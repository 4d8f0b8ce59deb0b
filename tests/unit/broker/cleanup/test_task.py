"""Scheduled tasks: compaction, deletions of logs, and idle producers."""

from __future__ import annotations

import asyncio
import errno
import gc
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.broker.log.builders import TOPIC_ID, a_batch, all_values, from_producer
from tests.unit.broker.whole import Lines
from tidemark.cleanup.cleaning import Outcome
from tidemark.cleanup.compaction import Plan
from tidemark.cleanup.task import PRODUCER_EXPIRY_INTERVAL_MS, RETRY_MS, Housekeeping
from tidemark.core.decision import TopicsDeleted
from tidemark.log.manager import LogManager
from tidemark.log.partition import PartitionLog
from tidemark.log.settings import LogSettings
from tidemark.log.storage import FileStorage, Storage
from tidemark.settings.broker import BrokerSettings
from tidemark_testing.clock import VirtualClock
from tidemark_testing.storage import MemoryStorage

NEVER_MS = 2**40
COMPACTION_MS = 15_000


async def nothing() -> None:
    return None


def housekeeping(storage: Storage, topics: str) -> tuple[Housekeeping, LogManager, VirtualClock, Lines]:
    """Each topic has a closed segment that can be compacted."""
    settings = LogSettings(cleanup_policy=frozenset({"compact"}), min_cleanable_dirty_ratio=0.0)
    clock, lines = VirtualClock(), Lines()
    logs = LogManager(storage, BrokerSettings(), clock, lambda name: settings)
    logs.open()
    for topic in topics.split():
        log = logs.create(topic, 0, TOPIC_ID)
        log.append(a_batch(b"1", b"2", keys=(b"k", b"k")), leader_epoch=0, now_ms=0)
        log.roll(0)
        log.mark_synced(log.sync())
    keeping = Housekeeping(
        logs,
        clock,
        BrokerSettings(
            offsets_retention_check_interval_ms=NEVER_MS,
            log_retention_check_interval_ms=NEVER_MS,
            log_cleaner_backoff_ms=COMPACTION_MS,
            log_flush_scheduler_interval_ms=NEVER_MS,
            log_flush_offset_checkpoint_interval_ms=NEVER_MS,
            transaction_remove_expired_transaction_cleanup_interval_ms=NEVER_MS,
            delegation_token_expiry_check_interval_ms=NEVER_MS,
        ),
        lines,
        expire_offsets=nothing,
        expire_ids=nothing,
        expire_tokens=nothing,
        snapshot=lambda: None,
        failed=lambda error: None,
    )
    return keeping, logs, clock, lines


def log_of(logs: LogManager, topic: str) -> PartitionLog:
    log = logs.get(topic, 0)
    assert log is not None
    return log


@pytest.mark.parametrize("damaged", [0, 16, -1])  # no batch at all there, no header, another CRC
async def test_a_corrupt_log_is_left_alone_and_the_others_are_compacted(damaged: int) -> None:
    storage = MemoryStorage()
    keeping, logs, _, lines = housekeeping(storage, "a bad z")
    path = "bad-0/00000000000000000000.log"
    file: Any = storage.open(path)
    file._node.content[damaged] ^= 0xFF
    for _ in range(2):
        await keeping.compact()
    assert [all_values(log_of(logs, topic)) for topic in "az"] == [[(1, b"2")]] * 2
    (line,) = lines.of("log cannot be compacted")
    assert (line["topic"], line["partition"]) == ("bad", 0)
    assert "corrupt at byte 0" in line["reason"]
    assert not log_of(logs, "bad").closed


async def test_compaction_keeps_no_plan_of_the_logs_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    # A plan has every segment and every producer of its log.
    keeping, logs, _, _ = housekeeping(MemoryStorage(), "a b c d e f g")
    ours = {log_of(logs, topic) for topic in "abcdefg"}
    work, kept = keeping._compaction.work, []

    def counting(chosen: Plan) -> Outcome:
        kept.append(sum(type(each) is Plan and each.log in ours for each in gc.get_objects()))
        return work(chosen)

    monkeypatch.setattr(keeping._compaction, "work", counting)
    await keeping.compact()
    assert len(kept) == 7
    assert max(kept) <= 3  # the chosen one, the last one, and that of the compaction before


async def test_a_stop_does_not_wait_for_a_compaction(tmp_path: Path) -> None:
    keeping, logs, clock, lines = housekeeping(FileStorage(tmp_path), "orders")
    keeping.start()
    await asyncio.sleep(0)
    clock.advance(COMPACTION_MS)
    async with asyncio.timeout(30):
        while (child := keeping._compaction._child) is None:
            await asyncio.sleep(0.001)
        os.kill(child.pid, signal.SIGSTOP)
        await keeping.stop()
    assert child.returncode == -signal.SIGKILL
    assert lines.lines == []
    assert all_values(log_of(logs, "orders")) == [(0, b"1"), (1, b"2")]


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0)


async def test_idle_producers_are_forgotten_in_each_log() -> None:
    keeping, logs, clock, _ = housekeeping(MemoryStorage(), "a b")
    for topic in "ab":
        batch = from_producer(7, 0, timestamp_ms=clock.log_ms())
        log_of(logs, topic).append(batch, leader_epoch=0, now_ms=clock.log_ms())
    keeping.start()
    await asyncio.sleep(0)
    clock.advance(PRODUCER_EXPIRY_INTERVAL_MS)
    for _ in range(10):
        await asyncio.sleep(0)
    assert all(log.producers.states for log in logs.logs())
    clock.advance(BrokerSettings().producer_id_expiration_ms)
    await until(lambda: not any(log.producers.states for log in logs.logs()))
    await keeping.stop()


async def test_a_deletion_without_a_descriptor_continues_where_it_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    storage = MemoryStorage()
    _, before, _, _ = housekeeping(storage, "")
    for partition in range(3):
        before.create("orders", partition, TOPIC_ID).append(a_batch(), leader_epoch=0, now_ms=0)
    before.close()
    keeping, logs, clock, _ = housekeeping(storage, "")
    keeping.start()
    read, failures = storage.read, iter([False, False, True])  # the topic id of a log is read twice

    def exhausted(path: str) -> bytes:
        if next(failures, False):
            raise OSError(errno.EMFILE, "too many open files", path)
        return read(path)

    monkeypatch.setattr(storage, "read", exhausted)
    keeping.delete(TopicsDeleted(("orders", "never-written"), (TOPIC_ID, TOPIC_ID), (3, 2)))
    await until(lambda: len(logs.begun()) == 2)
    for _ in range(10):
        await asyncio.sleep(0)
    assert (keeping.is_deleting, len(logs.begun())) == (True, 2)
    clock.advance(RETRY_MS)
    await until(lambda: not keeping.is_deleting)
    assert logs.begun() == []
    await keeping.stop()
