"""OffsetForLeaderEpoch. Codes and offsets are those of Kafka 4.3.1 for the same raw frames."""

from __future__ import annotations

import pytest

from tests.unit.broker.data_node import DataNode, a_batch, answer
from tidemark.core.context import Operation
from tidemark.handlers.data.offset_for_leader_epoch import offset_for_leader_epoch
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)


def a_node() -> DataNode:
    """orders: eight records of leader epoch 0, then two of leader epoch 2."""
    node = DataNode()
    node.topic("orders")
    node.append("orders", a_batch(8))
    node.log("orders").append(a_batch(2), leader_epoch=2, now_ms=0)
    node.cluster.topics["orders"].partitions[0].leader_epoch = 2
    return node


def ask(
    node: DataNode,
    leader_epoch: int,
    current: int = -1,
    topic: str = "orders",
    index: int = 0,
    *,
    version: int = 4,
    denied: tuple[int, ...] = (),
) -> EpochEndOffset:
    partition = OffsetForLeaderPartition(index, current, leader_epoch)
    request = OffsetForLeaderEpochRequest(-1, [OffsetForLeaderTopic(topic, [partition])])
    response = answer(offset_for_leader_epoch(node.logs, node.context(version, denied=denied), request))
    assert isinstance(response, OffsetForLeaderEpochResponse)
    response.ENCODERS[version](bytearray(), response)
    assert response.topics[0].topic == topic
    return response.topics[0].partitions[0]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (2, EpochEndOffset(0, 0, 2, 10)),
        (1, EpochEndOffset(0, 0, 0, 8)),
        (0, EpochEndOffset(0, 0, 0, 8)),
        (3, EpochEndOffset(0, 0, -1, -1)),
        (-1, EpochEndOffset(0, 0, -1, -1)),
        (-5, EpochEndOffset(0, 0, -5, 0)),
    ],
)
def test_an_epoch_ends_where_the_next_one_begins(asked: int, expected: EpochEndOffset) -> None:
    assert ask(a_node(), asked) == expected


@pytest.mark.parametrize(
    ("current", "code"), [(9, ErrorCode.UNKNOWN_LEADER_EPOCH), (1, ErrorCode.FENCED_LEADER_EPOCH), (-5,
    ErrorCode.FENCED_LEADER_EPOCH)],
)  # fmt: skip
def test_the_leader_epoch_of_the_client_is_checked(current: int, code: ErrorCode) -> None:
    assert ask(a_node(), 0, current) == EpochEndOffset(code, 0, -1, -1)


def test_a_partition_whose_log_is_not_here_yet_has_no_leader() -> None:
    node = DataNode()
    node.topic("orders", logs=False)
    assert ask(node, 0) == EpochEndOffset(ErrorCode.NOT_LEADER_OR_FOLLOWER, 0)


def test_authorization_is_checked_before_existence() -> None:
    refused = ask(a_node(), 0, topic="nope", denied=(Operation.DESCRIBE, Operation.CLUSTER_ACTION))
    assert refused == EpochEndOffset(ErrorCode.TOPIC_AUTHORIZATION_FAILED, 0)


@pytest.mark.parametrize("denied", [Operation.DESCRIBE, Operation.CLUSTER_ACTION])
def test_one_of_two_permissions_is_enough(denied: int) -> None:
    assert ask(a_node(), 0, topic="nope", denied=(denied,)).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
