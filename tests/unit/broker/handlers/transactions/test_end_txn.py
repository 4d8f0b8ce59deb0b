"""The expected responses are those of Apache Kafka 4.3.1 (TransactionCoordinator.endTransaction)."""

from __future__ import annotations

import pytest

from tests.unit.broker.transaction_story import TransactionStory
from tidemark.core.context import ResourceType
from tidemark_protocol.errors import ErrorCode

FENCED = (ErrorCode.PRODUCER_FENCED, -1, -1)
CONCURRENT = (ErrorCode.CONCURRENT_TRANSACTIONS, -1, -1)
UNKNOWN_ID = (ErrorCode.INVALID_PRODUCER_ID_MAPPING, -1, -1)
WRONG_STATE = (ErrorCode.INVALID_TXN_STATE, -1, -1)


def begun(level: int = 2) -> TransactionStory:
    story = TransactionStory(level)
    story.init()
    story.add(0, 0, {"orders": [0, 2]})
    return story


def ended(*, committed: bool = True, version: int = 5) -> TransactionStory:
    story = begun()
    assert story.end(0, 0, committed=committed, version=version)[0] == 0
    story.complete()
    return story


def test_transactional_id_needs_the_right_to_write() -> None:
    story = begun()
    story.allowed = lambda operation, kind, name: kind != ResourceType.TRANSACTIONAL_ID
    assert story.end(0, 0) == (ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, -1, -1)


# Versions 0-4: the producer keeps its epoch.


@pytest.mark.parametrize("committed", [True, False])
def test_end_without_a_bump_keeps_the_epoch(committed: bool) -> None:
    story = begun()
    assert story.end(0, 0, committed=committed, version=4)[0] == 0
    assert (story.newest.producer_epoch, story.newest.client_transaction_version) == (0, 0)
    (markers,) = story.owed
    assert markers.committed is committed
    assert markers.partitions == (("orders", 0), ("orders", 2))
    story.complete()
    assert story.status == ("CompleteCommit" if committed else "CompleteAbort")
    assert story.add(0, 0) == [("orders", 0, 0)]


@pytest.mark.parametrize(("version", "fenced"), [(1, ErrorCode.INVALID_PRODUCER_EPOCH), (2, FENCED[0])])
def test_end_without_a_bump_checks_id_and_epoch_before_the_state(version: int, fenced: int) -> None:
    story = begun()
    story.end(0, 0, version=4)
    assert story.end(9, 0, version=version)[0] == ErrorCode.INVALID_PRODUCER_ID_MAPPING
    assert story.end(0, 1, version=version)[0] == fenced
    assert story.end(0, -1, version=version)[0] == fenced
    assert story.end(0, 0, version=version)[0] == ErrorCode.CONCURRENT_TRANSACTIONS


@pytest.mark.parametrize("committed", [True, False])
def test_repeated_end_without_a_bump_must_have_the_same_result(committed: bool) -> None:
    story = ended(committed=committed, version=4)
    assert story.end(0, 0, committed=committed, version=4)[0] == 0
    assert story.end(0, 0, committed=not committed, version=4)[0] == ErrorCode.INVALID_TXN_STATE
    assert story.owed == []


# Version 5: each end raises the epoch (KIP-890).


@pytest.mark.parametrize("committed", [True, False])
def test_end_raises_the_epoch(committed: bool) -> None:
    story = begun()
    assert story.end(0, 0, committed=committed) == (0, 0, 1)
    (markers,) = story.owed
    assert (markers.producer_epoch, markers.committed) == (1, committed)
    assert (story.newest.producer_epoch, story.newest.client_transaction_version) == (1, 2)
    story.complete()
    assert story.status == ("CompleteCommit" if committed else "CompleteAbort")
    assert story.add(0, 0) == [("orders", 0, ErrorCode.PRODUCER_FENCED)]
    assert story.add(0, 1) == [("orders", 0, 0)]


def test_response_waits_for_the_markers() -> None:
    story = begun()
    story.end(0, 0)
    assert story.released == []
    story.complete()
    assert [(each.error_code, each.producer_epoch) for each in story.released] == [(0, 1)]
    story.end(0, 0)
    story.complete()
    assert len(story.released) == 1, "the response to a retry does not wait"


def test_pending_end_is_reported_before_id_and_epoch() -> None:
    story = begun()
    story.end(0, 0)
    for producer in ((0, 0), (0, 1), (9, 9)):
        assert story.end(*producer) == CONCURRENT


@pytest.mark.parametrize("committed", [True, False])
def test_retry_gets_the_same_response(committed: bool) -> None:
    story = ended(committed=committed)
    assert story.end(0, 0, committed=committed) == (0, 0, 1)
    assert story.end(0, 0, committed=not committed) == WRONG_STATE
    assert story.owed == []
    story.restart()
    assert story.end(0, 0, committed=committed) == (0, 0, 1)


def test_older_and_newer_epochs_are_fenced() -> None:
    story = begun()
    for epoch in (-1, 1, 2):
        assert story.end(0, epoch) == FENCED
    story.end(0, 0)
    story.complete()
    for epoch in (-1, 2):
        assert story.end(0, epoch) == FENCED
    assert story.end(9, 1) == UNKNOWN_ID


@pytest.mark.parametrize("committed", [True, False])
def test_client_may_abort_although_it_added_no_partition(committed: bool) -> None:
    story = ended(committed=committed)
    story.passes(1)
    assert story.end(0, 1, committed=False) == (0, 0, 2)
    assert story.newest.transaction_start_timestamp_ms == story.wall_ms
    (markers,) = story.owed
    assert markers.partitions == ()
    story.complete()
    assert story.status == "CompleteAbort"


def test_exhausted_producer_continues_with_a_new_id_and_may_retry() -> None:
    story = TransactionStory()
    story.init()
    story.transaction().producer_epoch = 32766
    story.add(0, 32766)
    assert story.end(0, 32766) == (0, 1, 0)
    assert (story.owed[0].producer_id, story.owed[0].producer_epoch) == (0, 32767)
    story.restart()
    story.complete()
    assert (story.newest.producer_id, story.newest.previous_producer_id) == (1, 0)
    assert story.end(0, 32766) == (0, 1, 0)
    assert story.end(0, 32765) == UNKNOWN_ID
    assert story.end(0, 32766, committed=False) == WRONG_STATE


def test_restart_between_prepare_and_markers_completes_the_transaction() -> None:
    story = begun()
    story.end(0, 0)
    story.restart()
    assert [markers.partitions for markers in story.owed] == [(("orders", 0), ("orders", 2))]
    story.complete()
    assert story.status == "CompleteCommit"
    story.restart()
    assert (story.owed, story.status) == ([], "CompleteCommit")


def test_complete_transaction_keeps_its_start() -> None:
    story = begun()
    start_ms = story.wall_ms
    story.passes(5)
    story.end(0, 0)
    story.passes(5)
    story.complete()
    assert story.newest.transaction_start_timestamp_ms == start_ms
    assert story.newest.transaction_last_update_timestamp_ms == start_ms + 10
    assert story.newest.transaction_partitions == []
