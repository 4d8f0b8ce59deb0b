"""WriteTxnMarkers on user logs. Codes are those of Kafka 4.3.1 for the same raw frames."""

from __future__ import annotations

from typing import Final

import pytest

from tests.unit.broker.data_node import DataNode, a_batch, answer
from tests.unit.broker.story import error_response
from tidemark.core.context import Operation
from tidemark.handlers.data.write_txn_markers import write_txn_markers
from tidemark.log.partition import PartitionLog
from tidemark_protocol.batch import TRANSACTIONAL
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)

PRODUCER: Final = 7
Codes = list[tuple[int, str, int, int]]


def a_marker(
    partitions: dict[str, list[int]],
    *,
    producer_id: int = PRODUCER,
    epoch: int = 0,
    committed: bool = True,
    coordinator_epoch: int = 0,
    version: int = 0,
) -> WritableTxnMarker:
    topics = [WritableTxnMarkerTopic(name, indexes) for name, indexes in partitions.items()]
    return WritableTxnMarker(producer_id, epoch, committed, topics, coordinator_epoch, version)


def ask(node: DataNode, *markers: WritableTxnMarker, denied: tuple[int, ...] = ()) -> Codes:
    """Return (producer id, topic, partition, code) in the order of the response."""
    request = WriteTxnMarkersRequest([*markers])
    response: WriteTxnMarkersResponse = answer(
        write_txn_markers(node.logs, node.context(2, denied=denied), request)
    )
    response.ENCODERS[2](bytearray(), response)
    return codes_of(response)


def codes_of(response: WriteTxnMarkersResponse) -> Codes:
    return [
        (marker.producer_id, topic.name, partition.partition_index, partition.error_code)
        for marker in response.markers
        for topic in marker.topics
        for partition in topic.partitions
    ]


def node_with_open_transaction() -> tuple[DataNode, PartitionLog]:
    node = DataNode()
    node.topic("orders", partitions=2)
    data = a_batch(2, attributes=TRANSACTIONAL, producer_id=PRODUCER, producer_epoch=1, sequence=0)
    node.append("orders", data)
    log = node.log("orders")
    assert log.last_stable_offset == 0
    return node, log


@pytest.mark.parametrize("committed", [True, False])
def test_a_marker_ends_the_transaction_in_its_partition(committed: bool) -> None:
    node, log = node_with_open_transaction()
    marker = a_marker({"orders": [0]}, epoch=1, committed=committed, coordinator_epoch=5)
    assert ask(node, marker) == [(PRODUCER, "orders", 0, 0)]
    assert log.last_stable_offset == log.log_end_offset == 3
    assert log.producers.states[PRODUCER].coordinator_epoch == 5


def test_the_marker_of_an_unknown_producer_is_written_all_the_same() -> None:
    node = DataNode()
    node.topic("orders", partitions=2)
    assert ask(node, a_marker({"orders": [1]}, producer_id=900)) == [(900, "orders", 1, 0)]
    assert node.log("orders", 1).log_end_offset == 1


@pytest.mark.parametrize(
    ("epoch", "version", "code"),
    [
        (0, 0, ErrorCode.INVALID_PRODUCER_EPOCH),
        (1, 0, ErrorCode.NONE),
        (1, 1, ErrorCode.NONE),
        (1, 2, ErrorCode.INVALID_PRODUCER_EPOCH),
        (2, 2, ErrorCode.NONE),
        (0, -1, ErrorCode.INVALID_PRODUCER_EPOCH),
        (1, -1, ErrorCode.UNKNOWN_SERVER_ERROR),
    ],
)
def test_the_epoch_is_checked_as_the_level_of_transaction_version_requires(
    epoch: int, version: int, code: int
) -> None:
    node, log = node_with_open_transaction()
    assert ask(node, a_marker({"orders": [0]}, epoch=epoch, version=version)) == [
        (PRODUCER, "orders", 0, code)
    ]
    assert (log.last_stable_offset == 0) == (code != ErrorCode.NONE)


def test_a_coordinator_that_was_replaced_is_fenced() -> None:
    node, _ = node_with_open_transaction()
    assert ask(node, a_marker({"orders": [0]}, epoch=1, coordinator_epoch=5))[0][-1] == ErrorCode.NONE
    older = a_marker({"orders": [0]}, epoch=1, coordinator_epoch=4)
    assert ask(node, older)[0][-1] == ErrorCode.TRANSACTION_COORDINATOR_FENCED


def test_partitions_that_do_not_exist_are_unknown_and_the_others_are_written() -> None:
    node, log = node_with_open_transaction()
    marker = a_marker({"nowhere": [0], "orders": [0, 7, -1]}, epoch=1)
    assert sorted(ask(node, marker)) == [
        (PRODUCER, "nowhere", 0, 3),
        (PRODUCER, "orders", -1, 3),
        (PRODUCER, "orders", 0, 0),
        (PRODUCER, "orders", 7, 3),
    ]
    assert log.log_end_offset == 3


def test_the_markers_of_a_producer_share_one_result() -> None:
    node, _ = node_with_open_transaction()
    first = a_marker({"orders": [0]}, epoch=1)
    second = a_marker({"orders": [1]}, epoch=1, committed=False)
    other = a_marker({"orders": [1]}, producer_id=900)
    request = WriteTxnMarkersRequest([first, second, other, a_marker({}, producer_id=901)])
    response = answer(write_txn_markers(node.logs, node.context(2), request))
    assert sorted(marker.producer_id for marker in response.markers) == [PRODUCER, 900]


def test_an_empty_request_gets_an_empty_response() -> None:
    assert ask(DataNode()) == []


def test_a_marker_without_an_epoch_fails_the_request() -> None:
    node, _ = node_with_open_transaction()
    with pytest.raises(KafkaError) as refused:
        ask(node, a_marker({"orders": [0]}, epoch=-1))
    assert refused.value.code == ErrorCode.UNKNOWN_SERVER_ERROR
    response = error_response(WriteTxnMarkersRequest([a_marker({"orders": [0, 1]})]), -1)
    assert codes_of(response) == [(PRODUCER, "orders", 0, -1), (PRODUCER, "orders", 1, -1)]


@pytest.mark.parametrize("denied", [Operation.CLUSTER_ACTION, Operation.ALTER])
def test_either_of_two_operations_on_the_cluster_is_enough(denied: int) -> None:
    node, _ = node_with_open_transaction()
    assert ask(node, a_marker({"orders": [0]}, epoch=1), denied=(denied,))[0][-1] == ErrorCode.NONE


def test_without_both_operations_the_request_is_refused() -> None:
    node, _ = node_with_open_transaction()
    with pytest.raises(KafkaError) as refused:
        ask(node, a_marker({"orders": [0]}, epoch=1), denied=(Operation.CLUSTER_ACTION, Operation.ALTER))
    assert refused.value.code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
