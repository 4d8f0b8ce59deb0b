"""The expected responses are those of Apache Kafka 4.3.1 (handleDescribeTransactions)."""

from __future__ import annotations

from tests.unit.broker.transaction_story import TIMEOUT_MS, TransactionStory
from tidemark.core.apply import PartitionStatus
from tidemark.core.context import ResourceType
from tidemark.handlers.transactions.describe_transactions import describe_transactions
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    TopicData,
    TransactionState,
)


def described(story: TransactionStory, *ids: str) -> list[TransactionState]:
    states: list[TransactionState] = story.ask(
        describe_transactions, DescribeTransactionsRequest([*ids]), 0
    ).transaction_states
    return states


def test_open_transaction_is_described_with_its_partitions() -> None:
    story = TransactionStory()
    story.init()
    story.add(0, 0, {"orders": [1]})
    assert described(story, "tx") == [
        TransactionState(0, "tx", "Ongoing", TIMEOUT_MS, story.wall_ms, 0, 0, [TopicData("orders", [1])])
    ]


def test_states_have_kafkas_names() -> None:
    story = TransactionStory()
    states = []
    for step in (
        story.init,
        lambda: story.add(0, 0),
        lambda: story.end(0, 0),
        story.complete,
        lambda: story.end(0, 1, committed=False),
        story.complete,
    ):
        step()  # type: ignore[operator]
        (state,) = described(story, "tx")
        states.append((state.transaction_state, state.producer_epoch, len(state.topics)))
    assert states == [
        ("Empty", 0, 0),
        ("Ongoing", 0, 1),
        ("PrepareCommit", 1, 1),
        ("CompleteCommit", 1, 0),
        ("PrepareAbort", 2, 0),
        ("CompleteAbort", 2, 0),
    ]


def test_errors_have_no_other_fields() -> None:
    story = TransactionStory()
    assert described(story, "unknown", "", "unknown") == [
        TransactionState(ErrorCode.TRANSACTIONAL_ID_NOT_FOUND, "unknown"),
        TransactionState(ErrorCode.INVALID_REQUEST, ""),
        TransactionState(ErrorCode.TRANSACTIONAL_ID_NOT_FOUND, "unknown"),
    ]
    story.transactions.status = [PartitionStatus.LOADING] * 3
    assert described(story, "tx") == [TransactionState(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, "tx")]
    story.transactions.status = []
    assert described(story, "tx") == [TransactionState(ErrorCode.NOT_COORDINATOR, "tx")]


def test_rights_hide_ids_and_topics() -> None:
    story = TransactionStory()
    story.init()
    story.add(0, 0, {"orders": [1], "table": [0]})
    story.allowed = lambda operation, kind, name: name != "orders"
    (state,) = described(story, "tx")
    assert state.topics == [TopicData("table", [0])]
    story.allowed = lambda operation, kind, name: kind != ResourceType.TRANSACTIONAL_ID
    assert described(story, "tx", "") == [
        TransactionState(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "tx"),
        TransactionState(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, ""),
    ]
