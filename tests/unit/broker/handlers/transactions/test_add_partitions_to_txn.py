"""The expected responses are those of Apache Kafka 4.3.1 (KafkaApis.handleAddPartitionsToTxnRequest)."""

from __future__ import annotations

import pytest

from tests.unit.broker.transaction_story import TIMEOUT_MS, TransactionStory
from tidemark.core.context import Operation, ResourceType
from tidemark.handlers.transactions.add_partitions_to_txn import add_partitions_to_txn
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)

UNKNOWN, NOT_ATTEMPTED = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.OPERATION_NOT_ATTEMPTED
NOT_ALLOWED = ErrorCode.TOPIC_AUTHORIZATION_FAILED


def started() -> TransactionStory:
    story = TransactionStory()
    story.init()
    return story


def codes(story: TransactionStory, *producer: int, **more: object) -> list[int]:
    return [code for _, _, code in story.add(*producer, **more)]  # type: ignore[arg-type]


def test_first_partition_begins_the_transaction() -> None:
    story = started()
    story.passes(7)
    assert story.add(0, 0) == [("orders", 0, 0)]
    assert story.status == "Ongoing"
    assert story.newest.transaction_start_timestamp_ms == story.wall_ms
    assert story.transactions.timeouts.next() == story.steady_ms + TIMEOUT_MS


def test_more_partitions_keep_the_start() -> None:
    story = started()
    story.add(0, 0)
    start_ms = story.wall_ms
    story.passes(7)
    story.add(0, 0, {"orders": [1], "table": [2]})
    assert story.newest.transaction_start_timestamp_ms == start_ms
    assert story.newest.transaction_last_update_timestamp_ms == start_ms + 7
    assert {*story.transaction().partitions} == {("orders", 0), ("orders", 1), ("table", 2)}


def test_partition_that_was_added_before_writes_nothing() -> None:
    story = started()
    story.add(0, 0)
    stored = len(story.log)
    assert story.add(0, 0) == [("orders", 0, 0)]
    assert len(story.log) == stored


@pytest.mark.parametrize(("version", "client_version"), [(3, 0), (5, 2)])
def test_record_has_the_version_of_the_client(version: int, client_version: int) -> None:
    story = started()
    story.add(0, 0, version=version)
    assert story.newest.client_transaction_version == client_version


def test_response_repeats_the_request() -> None:
    assert started().add(0, 0, {"table": [1, 0, 1], "orders": [2]}) == [
        ("table", 1, 0),
        ("table", 0, 0),
        ("table", 1, 0),
        ("orders", 2, 0),
    ]


@pytest.mark.parametrize("version", [0, 3, 5])
def test_unknown_partition_refuses_all_before_the_transactional_id(version: int) -> None:
    story = started()
    topics = {"orders": [0, 3, -1], "nowhere": [0]}
    for transactional_id in ("tx", "", "unknown"):
        answered = story.add(0, 0, topics, transactional_id=transactional_id, version=version)
        assert sorted(answered) == [
            ("nowhere", 0, UNKNOWN),
            ("orders", -1, UNKNOWN),
            ("orders", 0, NOT_ATTEMPTED),
            ("orders", 3, UNKNOWN),
        ]
    assert story.status == "Empty"


def test_internal_topics_are_refused_to_clients() -> None:
    story = started()
    topics = {"__consumer_offsets": [0], "__transaction_state": [99], "orders": [0]}
    assert sorted(story.add(0, 0, topics)) == [
        ("__consumer_offsets", 0, NOT_ALLOWED),
        ("__transaction_state", 99, NOT_ALLOWED),
        ("orders", 0, NOT_ATTEMPTED),
    ]


@pytest.mark.parametrize("version", range(6))
@pytest.mark.parametrize("epoch", [-1, 1])
def test_another_epoch_is_fenced(version: int, epoch: int) -> None:
    error = ErrorCode.PRODUCER_FENCED if version >= 2 else ErrorCode.INVALID_PRODUCER_EPOCH
    assert codes(started(), 0, epoch, version=version) == [error]


def test_pending_end_is_reported_before_id_and_epoch() -> None:
    story = started()
    story.add(0, 0)
    story.end(0, 0)
    for producer in ((0, 1), (9, 9)):
        assert codes(story, *producer) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    story.complete()
    assert codes(story, 0, 1) == [0]


def test_client_needs_the_rights() -> None:
    story = started()
    story.allowed = lambda operation, kind, name: kind != ResourceType.TRANSACTIONAL_ID
    topics = {"orders": [0], "nowhere": [0]}
    assert codes(story, 0, 0, topics=topics) == [ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED] * 2
    story.allowed = lambda operation, kind, name: name != "table"
    assert sorted(story.add(0, 0, {"orders": [0], "table": [0]})) == [
        ("orders", 0, NOT_ATTEMPTED),
        ("table", 0, NOT_ALLOWED),
    ]


def test_broker_needs_another_right() -> None:
    story = started()
    story.allowed = lambda operation, kind, name: operation == Operation.CLUSTER_ACTION
    assert codes(story, 0, 0, version=5) == [0]
    story.allowed = lambda operation, kind, name: operation != Operation.CLUSTER_ACTION
    one = AddPartitionsToTxnTransaction("tx", 0, 0, False, [AddPartitionsToTxnTopic("orders", [0])])
    response = story.ask(add_partitions_to_txn, AddPartitionsToTxnRequest([one]), 5)
    assert (response.error_code, response.results_by_transaction) == (31, [])


def test_verification_checks_id_and_epoch_before_the_state() -> None:
    story = started()
    story.add(0, 0)
    story.end(0, 0)
    expected = {
        (0, 0): ErrorCode.PRODUCER_FENCED,
        (9, 1): ErrorCode.INVALID_PRODUCER_ID_MAPPING,
        (0, 1): ErrorCode.CONCURRENT_TRANSACTIONS,
    }
    for producer, error in expected.items():
        assert codes(story, *producer, version=5, verify_only=True) == [error]


def test_request_without_transactions_gets_no_results() -> None:
    story = started()
    steps = add_partitions_to_txn(story.transactions, story.context(5), AddPartitionsToTxnRequest())
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value.response == AddPartitionsToTxnResponse()


def test_topics_without_partitions_are_decided_in_steps() -> None:
    topics = [AddPartitionsToTxnTopic(f"topic-{number}", []) for number in range(1000)]
    request = AddPartitionsToTxnRequest([AddPartitionsToTxnTransaction("tx", 0, 0, False, topics)])
    story = started()
    steps = add_partitions_to_txn(story.transactions, story.context(5), request)
    assert sum(1 for _ in steps) > 1000  # type: ignore[arg-type]
