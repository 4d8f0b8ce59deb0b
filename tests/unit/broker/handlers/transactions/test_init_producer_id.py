"""The expected responses are those of Apache Kafka 4.3.1 (TransactionCoordinator.handleInitProducerId)."""

from __future__ import annotations

import pytest

from tests.unit.broker.transaction_story import TIMEOUT_MS, TransactionStory
from tidemark.core.apply import PartitionStatus
from tidemark.core.context import Operation, ResourceType
from tidemark.settings.broker import BrokerSettings
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.records.producer_ids_record import ProducerIdsRecord
from tidemark_protocol.records.transaction_log import TransactionLogValue

FENCED = (ErrorCode.PRODUCER_FENCED, -1, -1)
CONCURRENT = (ErrorCode.CONCURRENT_TRANSACTIONS, -1, -1)
INVALID = (ErrorCode.INVALID_REQUEST, -1, -1)


def blocks(story: TransactionStory) -> list[int]:
    log = story.cluster_story.log
    return [record.value.next_producer_id for record in log if isinstance(record.value, ProducerIdsRecord)]


def without_id(story: TransactionStory, *producer: int, version: int = 5) -> tuple[int, int, int]:
    return story.init(*producer, transactional_id=None, timeout_ms=-1, version=version)


def with_epoch(story: TransactionStory, epoch: int) -> None:
    """Let the transactional id have this epoch, as after many bumps."""
    story.transaction().producer_epoch = epoch


# Without a transactional id.


def test_ids_go_up_by_one_and_a_block_of_a_thousand_is_one_record() -> None:
    story = TransactionStory()
    assert [without_id(story) for _ in range(3)] == [(0, 0, 0), (0, 1, 0), (0, 2, 0)]
    assert blocks(story) == [1000]
    assert [without_id(story, version=0)[1] for _ in range(1000)] == [*range(3, 1003)]
    assert blocks(story) == [1000, 2000]


def test_record_of_a_block_names_the_broker_and_its_epoch() -> None:
    story = TransactionStory()
    without_id(story)
    assert story.cluster_story.log[-1].value == ProducerIdsRecord(1, story.cluster.broker_epoch, 1000)


@pytest.mark.parametrize("transactional_id", [None, "", "tx"])
def test_previous_producer_id_and_epoch_must_both_be_set(transactional_id: str | None) -> None:
    story = TransactionStory()
    assert story.init(5, -1, transactional_id=transactional_id) == INVALID
    assert story.init(-1, 1, transactional_id=transactional_id) == INVALID
    assert without_id(story, 5, 1) == (0, 0, 0)


def test_either_right_is_enough_without_a_transactional_id() -> None:
    story = TransactionStory()
    story.allowed = lambda operation, kind, name: operation != Operation.IDEMPOTENT_WRITE
    assert without_id(story)[0] == 0
    story.allowed = lambda operation, kind, name: False
    assert without_id(story) == (ErrorCode.CLUSTER_AUTHORIZATION_FAILED, -1, -1)


def test_transactional_id_needs_the_right_to_write() -> None:
    story = TransactionStory()
    story.allowed = lambda operation, kind, name: kind != ResourceType.TRANSACTIONAL_ID
    assert story.init() == (ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, -1, -1)
    assert story.init(transactional_id="")[0] == ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED


# With a transactional id.


def test_each_call_raises_the_epoch() -> None:
    story = TransactionStory()
    assert [story.init() for _ in range(3)] == [(0, 0, 0), (0, 0, 1), (0, 0, 2)]
    assert story.init(transactional_id="other") == (0, 1, 0)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_record_of_a_new_id_is_kafkas(level: int) -> None:
    story = TransactionStory(level)
    story.init()
    (_, value, version) = story.log[-1]
    assert version == min(level, 1)
    expected = TransactionLogValue(
        producer_id=0,
        previous_producer_id=0 if level else -1,
        producer_epoch=0,
        transaction_timeout_ms=TIMEOUT_MS,
        transaction_partitions=None,
        transaction_last_update_timestamp_ms=story.wall_ms,
        transaction_start_timestamp_ms=-1,
    )
    encoded = bytearray()
    TransactionLogValue.ENCODERS[version](encoded, expected)
    assert value == encoded


def test_empty_id_is_refused_before_its_timeout() -> None:
    assert TransactionStory().init(transactional_id="", timeout_ms=-1) == INVALID


@pytest.mark.parametrize("timeout_ms", [0, -1, 900_001, 2**31 - 1])
def test_timeout_out_of_range_is_refused_and_nothing_is_written(timeout_ms: int) -> None:
    story = TransactionStory()
    assert story.init(timeout_ms=timeout_ms) == (ErrorCode.INVALID_TRANSACTION_TIMEOUT, -1, -1)
    assert (story.log, blocks(story)) == ([], [])


def test_longest_timeout_is_that_of_the_settings() -> None:
    story = TransactionStory(settings=BrokerSettings(transaction_max_timeout_ms=5))
    assert story.init(timeout_ms=6)[0] == ErrorCode.INVALID_TRANSACTION_TIMEOUT
    assert story.init(timeout_ms=5)[0] == 0


def test_partition_that_is_not_served_refuses() -> None:
    story = TransactionStory()
    story.transactions.status = [PartitionStatus.LOADING] * 3
    assert story.init()[0] == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    story.transactions.status = [PartitionStatus.FAILED] * 3
    assert story.init()[0] == ErrorCode.NOT_COORDINATOR
    story.transactions.status = []
    assert story.init()[0] == ErrorCode.NOT_COORDINATOR
    assert story.init(timeout_ms=0)[0] == ErrorCode.INVALID_TRANSACTION_TIMEOUT


# A producer that continues (KIP-360).


def test_retry_of_a_producer_that_continues_gets_the_same_response() -> None:
    story = TransactionStory()
    story.init()
    story.init(0, 0)
    assert [story.init(0, 0), story.init(0, 0)] == [(0, 0, 1), (0, 0, 1)]
    story.restart()  # Kafka's log does not contain the last epoch
    assert story.init(0, 0) == FENCED


@pytest.mark.parametrize("version", [3, 4])
def test_producer_that_was_fenced_cannot_continue(version: int) -> None:
    story = TransactionStory()
    story.init()
    story.init()
    error = ErrorCode.PRODUCER_FENCED if version == 4 else ErrorCode.INVALID_PRODUCER_EPOCH
    for producer in ((0, 0), (0, 2), (9, 1)):
        assert story.init(*producer, version=version) == (error, -1, -1)


# The highest epoch.


def test_exhausted_producer_id_is_replaced() -> None:
    story = TransactionStory()
    story.init()
    with_epoch(story, 32765)
    assert story.init() == (0, 0, 32766)
    assert story.init() == (0, 1, 0)
    assert (story.newest.previous_producer_id, story.newest.next_producer_id) == (0, -1)


def test_exhausted_producer_continues_with_a_new_id_and_may_retry() -> None:
    story = TransactionStory()
    story.init()
    with_epoch(story, 32766)
    assert story.init(0, 32766) == (0, 1, 0)
    assert story.init(0, 32766) == (0, 1, 0)
    assert story.init(0, 32765) == FENCED


def test_retry_with_the_epoch_before_the_highest_fails_as_in_kafka() -> None:
    story = TransactionStory()
    story.init()
    with_epoch(story, 32765)
    story.init(0, 32765)
    assert story.init(0, 32765) == (ErrorCode.UNKNOWN_SERVER_ERROR, -1, -1)


# An open transaction.


@pytest.mark.parametrize("level", [0, 1, 2])
def test_open_transaction_is_aborted_and_the_epoch_moves_by_two(level: int) -> None:
    story = TransactionStory(level)
    story.init()
    story.add(0, 0)
    assert story.init() == CONCURRENT
    assert story.status == "PrepareAbort"
    assert story.init() == CONCURRENT
    (markers,) = story.owed
    assert (markers.producer_id, markers.producer_epoch, markers.committed) == (0, 1, False)
    assert markers.partitions == (("orders", 0),)
    story.complete()
    assert story.status == "CompleteAbort"
    assert story.init() == (0, 0, 2)
    assert (story.status, story.transaction().start_ms) == ("Empty", -1)


@pytest.mark.parametrize(("level", "expected"), [(1, FENCED), (2, (0, 0, 1))])
def test_producer_of_an_aborted_transaction_continues_only_if_the_end_raised_its_epoch(
    level: int, expected: tuple[int, int, int]
) -> None:
    story = TransactionStory(level)
    story.init()
    story.add(0, 0)
    assert story.init(0, 0) == CONCURRENT
    story.complete()
    assert story.init(0, 0) == expected


def test_fenced_producer_with_the_highest_epoch_gets_a_new_id() -> None:
    story = TransactionStory()
    story.init()
    with_epoch(story, 32766)
    story.add(0, 32766)
    assert story.init() == CONCURRENT
    assert (story.owed[0].producer_id, story.owed[0].producer_epoch) == (0, 32767)
    story.complete()
    assert (story.transaction().producer_id, story.transaction().producer_epoch) == (1, 0)
    assert story.init() == (0, 1, 1)


def test_fenced_producer_with_the_highest_epoch_gets_a_new_id_without_the_bump_of_each_end() -> None:
    story = TransactionStory(0)
    story.init()
    with_epoch(story, 32766)
    story.add(0, 32766)
    assert story.init() == CONCURRENT
    story.complete()
    assert (story.transaction().producer_id, story.transaction().producer_epoch) == (0, 32767)
    assert story.init() == (0, 1, 0)
