"""A log with many producers: when a segment rolls, the next sync writes their snapshot, in its thread."""

from __future__ import annotations

from typing import Final

import pytest

from tests.unit.broker.groups.test_large_groups import calls
from tests.unit.broker.log.builders import a_log, from_producer
from tidemark.log.partition import PRODUCERS_AT_ONCE_MAX, PartitionLog
from tidemark.log.producers import Producers
from tidemark_protocol.batch import TRANSACTIONAL
from tidemark_testing.storage import MemoryStorage

PRODUCERS: Final = PRODUCERS_AT_ONCE_MAX + 1


def a_log_of_many(storage: MemoryStorage) -> PartitionLog:
    log = a_log(storage)
    for producer_id in range(PRODUCERS):
        send(log, producer_id, 0)
    return log


def send(log: PartitionLog, producer_id: int, sequence: int, *, attributes: int = 0) -> None:
    batch = from_producer(producer_id, sequence, attributes=attributes)
    log.append(batch, leader_epoch=0, now_ms=0)


def snapshot(offset: int) -> str:
    return f"orders-0/{offset:020}.snapshot"


def producers_in(storage: MemoryStorage, offset: int) -> Producers:
    producers = Producers()
    producers.load(storage.read(snapshot(offset)))
    return producers


def test_a_roll_does_not_encode_all_producers() -> None:
    log = a_log_of_many(MemoryStorage())
    assert calls(lambda: log.roll(0)) < PRODUCERS


def test_the_snapshot_has_the_producers_of_the_moment_of_the_roll() -> None:
    storage = MemoryStorage()
    log = a_log_of_many(storage)
    at_the_roll = log.producers.encode()
    log.roll(0)
    assert not storage.exists(snapshot(PRODUCERS))
    send(log, 0, 1, attributes=TRANSACTIONAL)
    send(log, PRODUCERS, 0)
    assert [each.last_sequence for each in log.producers.states[0].batches] == [0, 1]
    log.mark_synced(log.sync())
    assert storage.read(snapshot(PRODUCERS)) == at_the_roll
    assert log.producers.open_producers == [0]


def test_only_the_snapshot_of_the_last_roll_is_kept() -> None:
    storage = MemoryStorage()
    log = a_log_of_many(storage)
    for sequence in (1, 2):
        log.roll(0)
        send(log, 0, sequence)
    log.mark_synced(log.sync())
    assert not storage.exists(snapshot(PRODUCERS))
    assert producers_in(storage, PRODUCERS + 1).states[0].last_sequence == 1


@pytest.mark.parametrize("syncs", [False, True])
def test_producers_are_recovered_after_a_crash(syncs: bool) -> None:
    storage = MemoryStorage()
    log = a_log_of_many(storage)
    log.roll(0)
    send(log, 0, 1)
    if syncs:
        log.mark_synced(log.sync())
    again = a_log(storage, clean=False, recovery_point=log.recovery_point)
    assert again.producers.states == log.producers.states


def test_a_snapshot_of_removed_records_is_not_written() -> None:
    storage = MemoryStorage()
    log = a_log_of_many(storage)
    log.roll(0)
    log.truncate_to(PRODUCERS - 1)
    assert len(log.producers.states) == PRODUCERS - 1
    log.mark_synced(log.sync())
    assert not storage.exists(snapshot(PRODUCERS))
    send(log, PRODUCERS - 1, 0)


def test_a_clean_stop_writes_the_snapshot() -> None:
    storage = MemoryStorage()
    log = a_log_of_many(storage)
    log.roll(0)
    log.close()
    assert len(producers_in(storage, PRODUCERS).states) == PRODUCERS
