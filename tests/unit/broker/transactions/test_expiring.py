"""Timeouts and expirations. Kafka: timedOutTransactions and removeExpiredTransactionalIds."""

from __future__ import annotations

import pytest

from tests.unit.broker.transaction_story import TIMEOUT_MS, TransactionStory
from tidemark.core.apply import PartitionStatus
from tidemark.core.decision import Decision
from tidemark.settings.broker import BrokerSettings

DAY_MS = 86_400_000


def abort_timed_out(story: TransactionStory) -> int:
    count = 0
    for result in story.transactions.timed_out(story.now, story.new_producer_id):
        story.accept(result)
        count += 1
    return count


def expire(story: TransactionStory) -> None:
    for result in story.transactions.expired_ids(story.wall_ms):
        if isinstance(result, Decision):
            story.accept(result)


def opened(level: int = 2) -> TransactionStory:
    story = TransactionStory(level)
    story.init()
    story.add(0, 0)
    return story


@pytest.mark.parametrize("level", [0, 1, 2])
def test_transaction_is_aborted_after_its_timeout_and_its_producer_is_fenced(level: int) -> None:
    story = opened(level)
    story.passes(TIMEOUT_MS)
    assert abort_timed_out(story) == 0
    story.passes(1)
    assert abort_timed_out(story) == 1
    assert story.status == "PrepareAbort"
    (markers,) = story.owed
    assert (markers.producer_epoch, markers.committed) == (1, False)
    assert abort_timed_out(story) == 0
    story.complete()
    assert story.status == "CompleteAbort"
    assert story.newest.client_transaction_version == (2 if level == 2 else 0)


def test_later_partitions_do_not_extend_the_timeout() -> None:
    story = opened()
    story.passes(TIMEOUT_MS)
    story.add(0, 0, {"orders": [1]})
    story.passes(1)
    assert abort_timed_out(story) == 1


def test_timeout_is_steady_time() -> None:
    story = opened()
    story.wall_ms += DAY_MS
    assert abort_timed_out(story) == 0


def test_restart_continues_from_the_stored_start() -> None:
    story = opened()
    story.passes(TIMEOUT_MS - 1000)
    story.restart()
    story.passes(1000)
    assert abort_timed_out(story) == 0
    story.passes(1)
    assert abort_timed_out(story) == 1


def test_ended_transaction_does_not_time_out() -> None:
    story = opened()
    story.end(0, 0)
    story.complete()
    story.passes(DAY_MS)
    assert abort_timed_out(story) == 0


def test_producer_with_the_highest_epoch_gets_a_new_id() -> None:
    story = opened()
    story.transaction().producer_epoch = 32766
    story.passes(TIMEOUT_MS + 1)
    abort_timed_out(story)
    story.complete()
    assert (story.transaction().producer_id, story.transaction().producer_epoch) == (1, 0)


def test_unused_id_expires() -> None:
    story = TransactionStory()
    story.init()
    story.passes(7 * DAY_MS - 1)
    expire(story)
    assert "tx" in story.transactions.by_id
    story.passes(1)
    expire(story)
    assert "tx" not in story.transactions.by_id
    assert story.log[-1][1] is None
    story.restart()
    assert story.transactions.by_id == {}
    assert story.init() == (0, 1, 0)


def test_completed_transaction_counts_from_its_end() -> None:
    story = opened()
    story.passes(1000)
    story.end(0, 0)
    story.complete()
    story.passes(7 * DAY_MS - 1)
    expire(story)
    assert story.status == "CompleteCommit"
    story.passes(1)
    expire(story)
    assert story.transactions.by_id == {}


@pytest.mark.parametrize("prepared", [False, True])
def test_open_transaction_does_not_expire(prepared: bool) -> None:
    story = opened()
    if prepared:
        story.end(0, 0)
    story.passes(8 * DAY_MS)
    expire(story)
    assert "tx" in story.transactions.by_id


def test_id_that_is_used_during_the_pass_is_kept() -> None:
    story = TransactionStory()
    story.init()
    story.passes(7 * DAY_MS)
    steps = story.transactions.expired_ids(story.wall_ms)
    assert next(steps) is None
    story.init()
    assert [*steps] == []


def test_id_of_a_partition_that_failed_is_kept() -> None:
    story = TransactionStory(settings=BrokerSettings(transactional_id_expiration_ms=1))
    story.init()
    story.transactions.status = [PartitionStatus.FAILED] * 3
    story.passes(10)
    assert [*story.transactions.expired_ids(story.wall_ms)] == [None]


def test_each_step_of_a_pass_is_short() -> None:
    story = TransactionStory()
    for number in range(300):
        story.init(transactional_id=f"tx-{number}")
        story.add(number, 0, transactional_id=f"tx-{number}")
    story.passes(TIMEOUT_MS + 1)
    for abort in story.transactions.timed_out(story.now, story.new_producer_id):
        assert len(abort.records) == 1
        story.accept(abort)
    assert len(story.owed) == 300
    story.complete()
    story.passes(7 * DAY_MS)
    for tombstones in story.transactions.expired_ids(story.wall_ms):
        if tombstones is not None:
            assert len(tombstones.records) <= 16
            story.accept(tombstones)
    assert story.transactions.by_id == {}
