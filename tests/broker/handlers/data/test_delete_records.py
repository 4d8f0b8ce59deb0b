"""DeleteRecords. Codes and low watermarks are those of Kafka 4.3.1 for the same raw frames."""

from __future__ import annotations

import pytest

from tests.broker.data_node import DataNode, a_batch, answer
from tidemark.core.context import Operation
from tidemark.handlers.data.delete_records import delete_records
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopic,
)


def a_node(policy: str = "delete") -> DataNode:
    node = DataNode()
    node.topic("orders", cleanup_policy=policy)
    node.append("orders", a_batch(5, key=b"k"))
    return node


def ask(
    node: DataNode, *wanted: tuple[str, int, int], version: int = 2, denied: tuple[int, ...] = ()
) -> DeleteRecordsResponse:
    """wanted: topic, partition, offset."""
    request = DeleteRecordsRequest(
        [DeleteRecordsTopic(name, [DeleteRecordsPartition(index, offset)]) for name, index, offset in wanted]
    )
    response = answer(delete_records(node.logs, node.context(version, denied=denied), request))
    assert isinstance(response, DeleteRecordsResponse)
    response.ENCODERS[version](bytearray(), response)
    return response


def ask_one(
    node: DataNode, offset: int, topic: str = "orders", index: int = 0, *, denied: tuple[int, ...] = ()
) -> tuple[int, int]:
    """Return error code and low watermark."""
    found = ask(node, (topic, index, offset), denied=denied).topics[0].partitions[0]
    assert found.partition_index == index
    return found.error_code, found.low_watermark


@pytest.mark.parametrize("version", range(3))
def test_the_log_start_rises_to_the_offset(version: int) -> None:
    node = a_node()
    response = ask(node, ("orders", 0, 2), version=version)
    assert response.topics[0].partitions == [DeleteRecordsPartitionResult(0, 2, ErrorCode.NONE)]
    assert node.log("orders").log_start_offset == 2


def test_minus_1_deletes_up_to_the_high_watermark() -> None:
    assert ask_one(a_node(), -1) == (ErrorCode.NONE, 5)


def test_log_start_never_decreases() -> None:
    node = a_node()
    assert ask_one(node, 5) == (ErrorCode.NONE, 5)
    assert ask_one(node, 1) == (ErrorCode.NONE, 5)


@pytest.mark.parametrize("offset", [6, -2])
def test_an_offset_outside_the_log_is_refused(offset: int) -> None:
    assert ask_one(a_node(), offset) == (ErrorCode.OFFSET_OUT_OF_RANGE, -1)


def test_records_of_a_compacted_topic_are_not_deleted_by_offset() -> None:
    assert ask_one(a_node("compact"), 77) == (ErrorCode.POLICY_VIOLATION, -1)
    assert ask_one(a_node("compact,delete"), 1) == (ErrorCode.NONE, 1)


def test_records_of_an_internal_topic_are_not_deleted() -> None:
    node = DataNode()
    node.topic("__consumer_offsets", cleanup_policy="compact")
    assert ask_one(node, 77, "__consumer_offsets") == (ErrorCode.INVALID_TOPIC_EXCEPTION, -1)


def test_partition_that_the_cluster_does_not_have_is_unknown() -> None:
    assert ask_one(a_node(), 1, "nope") == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)
    assert ask_one(a_node(), 1, index=8) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)


def test_a_partition_whose_log_is_not_here_yet_has_no_leader() -> None:
    node = DataNode()
    node.topic("orders", logs=False)
    assert ask_one(node, 1) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, -1)


def test_authorization_is_checked_before_existence() -> None:
    refused = ask_one(a_node(), 1, "nope", denied=(Operation.DELETE,))
    assert refused == (ErrorCode.TOPIC_AUTHORIZATION_FAILED, -1)


def test_the_last_entry_of_a_partition_named_twice_counts() -> None:
    node = a_node()
    response = ask(node, ("orders", 0, 2), ("orders", 0, 9))
    assert response.topics[0].partitions == [
        DeleteRecordsPartitionResult(0, -1, ErrorCode.OFFSET_OUT_OF_RANGE)
    ]
    assert node.log("orders").log_start_offset == 0
