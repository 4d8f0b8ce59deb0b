"""Transactional produces: what the coordinator is asked, and what its answers become. Codes, texts and
messages are those of Kafka 4.3.1 (ReplicaManager.handleProduceAppend).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.broker.data_node import START_MS, DataNode, a_batch
from tidemark.core.context import Now, Operation
from tidemark.core.decision import CloseConnection, Decision, Record
from tidemark.handlers.data.produce import produce
from tidemark.log.settings import LogSettings
from tidemark.metadata.model import TRANSACTIONS_TOPIC
from tidemark.transactions.model import TransactionStatus
from tidemark.transactions.state import Transactions
from tidemark_protocol.batch import ControlType, build_control_batch
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from tidemark_protocol.records.transaction_log import (
    PartitionsSchema,
    TransactionLogKey,
    TransactionLogValue,
)

TRANSACTIONAL = 16
PRODUCER, EPOCH = 7, 3
UNVERIFIED = "Unable to verify the partition has been added to the transaction. Underlying error: "


class CoordinatorNode(DataNode):
    """A broker with the transaction `tx` of producer 7. decided: how often its coordinator was asked.

    counted: of each response of the coordinator, the partitions that it refused, and its duration in ms

    before_durable() is called when a decision is applied and not durable yet.
    """

    def __init__(self, status: TransactionStatus | None = TransactionStatus.EMPTY, *partitions: int) -> None:
        super().__init__()
        self.topic("orders", 2)
        self.topic(TRANSACTIONS_TOPIC)
        self.transactions = Transactions()
        self.transactions.serve(1)
        if status is not None:
            self.set(status, *partitions)
        self.transactions.loaded([0], Now(START_MS, 0))
        self.decided = 0
        self.counted: list[tuple[int, int]] = []
        self.before_durable: Callable[[], None] = lambda: None

    def _log_settings(self, topic: str) -> LogSettings:
        return LogSettings(verifies_transactions=True)

    def set(self, status: TransactionStatus, *partitions: int, epoch: int = EPOCH) -> None:
        value = TransactionLogValue(
            producer_id=PRODUCER,
            producer_epoch=epoch,
            transaction_timeout_ms=60_000,
            transaction_status=status,
            transaction_partitions=[PartitionsSchema("orders", [*partitions])] if partitions else [],
            transaction_last_update_timestamp_ms=START_MS,
            transaction_start_timestamp_ms=START_MS,
        )
        self.transactions.replay(Record(TransactionLogKey("tx"), value))

    def state(self, name: str) -> Transactions:
        assert name == "Transactions"
        self.decided += 1
        return self.transactions

    def now(self) -> Now:
        return Now(START_MS, 0)

    def apply(self, name: str, result: Decision[Any]) -> Any:
        assert name == "Transactions"
        for record in result.records:
            self.transactions.replay(record)
        for change in result.after:
            change()
        return result.response

    async def durable(self) -> None:
        await asyncio.sleep(0)
        self.before_durable()

    def verified(self, failed: int, ms: int) -> None:
        self.counted.append((failed, ms))

    @property
    def partitions(self) -> set[tuple[str, int]]:
        return set(self.transactions.by_id["tx"].partitions)

    def end(self, *, committed: bool = True, epoch: int = EPOCH, partition: int = 0) -> None:
        kind = ControlType.COMMIT if committed else ControlType.ABORT
        marker = build_control_batch(kind, bytes(6), 9, producer_id=PRODUCER, producer_epoch=epoch)
        self.log("orders", partition).append(marker, leader_epoch=0, now_ms=0, from_client=False)


def in_transaction(sequence: int = 0, *, producer_id: int = PRODUCER, epoch: int = EPOCH) -> bytes:
    return a_batch(attributes=TRANSACTIONAL, producer_id=producer_id, producer_epoch=epoch, sequence=sequence)


def ask(
    node: CoordinatorNode, version: int, *batches: bytes, transactional_id: str | None = "tx", acks: int = -1,
    **context: Any,
) -> list[PartitionProduceResponse]:  # fmt: skip
    """Produce batches to partitions 0, 1, ... of the topic."""
    data = [PartitionProduceData(index, batch) for index, batch in enumerate(batches)]
    request = ProduceRequest(transactional_id, acks, 1000, [TopicProduceData("orders", bytes(16), data)])
    ctx = node.context(version, **context)
    ctx.decisions = node

    async def story() -> ProduceResponse:
        task = asyncio.ensure_future(produce(node.logs, ctx, request))
        while not task.done():
            await asyncio.sleep(0)
            node.clock.advance(1)
        response: ProduceResponse = task.result()  # type: ignore[assignment]
        return response

    return sorted(asyncio.run(story()).responses[0].partition_responses, key=lambda each: each.index)


def code(node: CoordinatorNode, version: int, batch: bytes) -> tuple[int, str | None]:
    (response,) = ask(node, version, batch)
    return response.error_code, response.error_message


def test_a_produce_of_v12_adds_its_partitions_to_the_transaction() -> None:
    node = CoordinatorNode()
    assert [each.error_code for each in ask(node, 12, in_transaction(), in_transaction())] == [0, 0]
    assert node.partitions == {("orders", 0), ("orders", 1)}
    assert node.transactions.by_id["tx"].status is TransactionStatus.ONGOING
    assert node.transactions.by_id["tx"].client_version == 2


def test_data_is_appended_once_the_coordinator_has_added_the_partition_durably() -> None:
    node = CoordinatorNode()
    ends: list[int] = []
    node.before_durable = lambda: ends.append(node.log("orders").log_end_offset)
    ask(node, 12, in_transaction())
    assert (ends, node.log("orders").log_end_offset) == ([0], 1)


def test_the_coordinator_is_asked_once_for_each_transaction_and_log() -> None:
    node = CoordinatorNode()
    ask(node, 12, in_transaction(0))
    ask(node, 12, in_transaction(1))
    assert node.decided == 1
    ask(node, 12, in_transaction(2), in_transaction(0))
    assert node.decided == 2
    node.end()
    ask(node, 12, in_transaction(3))
    assert node.decided == 3


@pytest.mark.parametrize("version", [3, 9, 10, 11])
def test_older_versions_only_verify(version: int) -> None:
    node = CoordinatorNode(TransactionStatus.ONGOING, 0)
    assert code(node, version, in_transaction()) == (0, None)
    assert node.decided == 1


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (10, (ErrorCode.INVALID_TXN_STATE, "Partition was not added to the transaction")),
        (11, (ErrorCode.TRANSACTION_ABORTABLE, None)),
    ],
)
def test_a_partition_outside_of_the_transaction_is_refused(
    version: int, expected: tuple[ErrorCode, str | None]
) -> None:
    node = CoordinatorNode(TransactionStatus.ONGOING, 0)
    first, second = ask(node, version, in_transaction(), in_transaction())
    assert first.error_code == 0
    assert (second.error_code, second.error_message) == expected
    assert (second.base_offset, second.log_start_offset) == (-1, -1)
    assert node.log("orders", 1).log_end_offset == 0


def test_each_response_of_the_coordinator_is_counted_with_the_partitions_that_it_refuses() -> None:
    node = CoordinatorNode(TransactionStatus.ONGOING, 0)
    ask(node, 11, in_transaction(), in_transaction())
    assert node.counted == [(1, 1)]
    ask(node, 11, in_transaction(1), transactional_id="tx")  # verified before
    ask(node, 12, a_batch(), transactional_id=None)
    assert len(node.counted) == 1


@pytest.mark.parametrize("version", [9, 11, 12])
def test_a_fenced_producer_is_refused(version: int) -> None:
    node = CoordinatorNode(TransactionStatus.ONGOING, 0)
    assert code(node, version, in_transaction(epoch=EPOCH - 1)) == (ErrorCode.INVALID_PRODUCER_EPOCH, None)
    assert code(node, version, in_transaction(epoch=EPOCH + 1)) == (ErrorCode.INVALID_PRODUCER_EPOCH, None)


@pytest.mark.parametrize("version", [9, 12])
def test_another_producer_id_is_refused(version: int) -> None:
    node = CoordinatorNode(TransactionStatus.ONGOING, 0)
    batch = in_transaction(producer_id=8)
    assert code(node, version, batch) == (ErrorCode.INVALID_PRODUCER_ID_MAPPING, None)


def test_an_unknown_transactional_id_is_refused() -> None:
    node = CoordinatorNode(None)
    assert code(node, 12, in_transaction()) == (ErrorCode.INVALID_PRODUCER_ID_MAPPING, None)


def test_an_older_version_may_repeat_the_request_while_markers_are_written() -> None:
    node = CoordinatorNode(TransactionStatus.PREPARE_COMMIT, 0)
    expected = ErrorCode.NOT_ENOUGH_REPLICAS, UNVERIFIED + "CONCURRENT_TRANSACTIONS"
    assert code(node, 11, in_transaction()) == expected
    assert node.decided == 1


def test_v12_waits_for_the_markers_of_the_last_transaction() -> None:
    node = CoordinatorNode(TransactionStatus.PREPARE_COMMIT, 0)

    def complete() -> None:
        if node.decided == 3:
            node.set(TransactionStatus.COMPLETE_COMMIT)

    node.before_durable = complete
    assert code(node, 12, in_transaction()) == (0, None)
    assert node.decided == 4


def test_v12_gives_up_after_a_tenth_of_a_second() -> None:
    node = CoordinatorNode(TransactionStatus.PREPARE_COMMIT, 0)
    assert code(node, 12, in_transaction()) == (ErrorCode.CONCURRENT_TRANSACTIONS, None)
    assert node.clock.steady_ms() >= 100


def test_without_a_coordinator_the_producer_repeats_its_request() -> None:
    node = CoordinatorNode()
    topic = node.cluster.topics.pop(TRANSACTIONS_TOPIC)
    expected = ErrorCode.NOT_ENOUGH_REPLICAS, UNVERIFIED + "COORDINATOR_NOT_AVAILABLE"
    assert code(node, 12, in_transaction()) == expected
    node.cluster.topics[TRANSACTIONS_TOPIC] = topic
    node.transactions.failed(0)
    assert code(node, 12, in_transaction()) == (ErrorCode.NOT_ENOUGH_REPLICAS, UNVERIFIED + "NOT_COORDINATOR")


def test_a_transaction_that_ends_during_its_verification_gets_no_data() -> None:
    node = CoordinatorNode(TransactionStatus.ONGOING, 0)
    node.before_durable = lambda: node.end(committed=False)
    (response,) = ask(node, 11, in_transaction())
    assert response.error_code == ErrorCode.INVALID_TXN_STATE
    assert node.log("orders").last_stable_offset == 1


def test_an_epoch_that_the_log_knows_as_old_is_refused_without_its_coordinator() -> None:
    node = CoordinatorNode(TransactionStatus.ONGOING, 0)
    node.end(epoch=EPOCH + 1)
    assert code(node, 12, in_transaction()) == (ErrorCode.INVALID_PRODUCER_EPOCH, None)
    assert node.decided == 0


def test_batches_of_two_producers_refuse_the_whole_request() -> None:
    node = CoordinatorNode()
    responses = ask(node, 12, in_transaction(), in_transaction(producer_id=8))
    message = "Transactional records contained more than one producer ID"
    assert [(each.error_code, each.error_message) for each in responses] == [
        (ErrorCode.INVALID_PRODUCER_ID_MAPPING, message)
    ] * 2


def test_plain_batches_beside_transactional_ones_are_not_verified() -> None:
    node = CoordinatorNode()
    assert [each.error_code for each in ask(node, 12, a_batch(), in_transaction())] == [0, 0]
    assert node.partitions == {("orders", 1)}


@pytest.mark.parametrize(
    "context", [{"transactional_id": None}, {"denied": (Operation.WRITE,)}], ids=["no id", "denied"]
)
def test_the_transactional_id_must_be_named_and_allowed(context: dict[str, Any]) -> None:
    node = CoordinatorNode()
    responses = ask(node, 12, a_batch(), in_transaction(), **context)
    assert {each.error_code for each in responses} == {ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED}
    assert {each.error_message for each in responses} == {None}


def test_an_error_closes_the_connection_of_a_producer_without_acks() -> None:
    node = CoordinatorNode(TransactionStatus.ONGOING)
    with pytest.raises(CloseConnection):
        ask(node, 11, in_transaction(), acks=0)


def test_an_empty_transaction_is_verified_only_if_the_setting_says_so() -> None:
    node = CoordinatorNode(TransactionStatus.ONGOING)
    node.log("orders").settings = LogSettings()
    assert code(node, 9, in_transaction()) == (0, None)
    assert node.decided == 0
    node.end()
    assert code(node, 12, in_transaction(1)) == (0, None)
    assert node.partitions == {("orders", 0)}
