"""The expected responses are those of Apache Kafka 4.3.1."""

from __future__ import annotations

import pytest

from tests.unit.broker.data_node import DataNode, a_batch, answer
from tidemark.core.context import Operation
from tidemark.handlers.data.describe_quorum import METADATA, describe_quorum
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequestPartitionData,
    DescribeQuorumRequestTopicData,
)

REQUEST = DescribeQuorumRequest(
    [DescribeQuorumRequestTopicData(METADATA, [DescribeQuorumRequestPartitionData(0)])]
)


def a_node() -> DataNode:
    node = DataNode()
    node.logs.create(METADATA, 0, bytes(15) + b"\1")
    node.append(METADATA, a_batch(3))
    return node


def test_this_node_is_leader_and_only_voter() -> None:
    node = a_node()
    response = answer(describe_quorum(node.logs, node.context(2), REQUEST))
    (partition,) = response.topics[0].partitions
    assert (partition.leader_id, partition.high_watermark) == (1, 3)
    (voter,) = partition.current_voters
    assert (voter.replica_id, voter.log_end_offset) == (1, 3)
    assert voter.last_caught_up_timestamp == node.clock.wall_ms()
    assert partition.observers == []


def test_address_of_the_node_is_the_one_of_the_client() -> None:
    node = a_node()
    context = node.context(2)
    (described,) = answer(describe_quorum(node.logs, context, REQUEST)).nodes
    assert [(each.host, each.port) for each in described.listeners] == [
        (context.caller.host, context.caller.port)
    ]


def test_client_without_describe_on_the_cluster_is_refused() -> None:
    node = a_node()
    with pytest.raises(KafkaError) as refused:
        answer(describe_quorum(node.logs, node.context(2, denied=(Operation.DESCRIBE,)), REQUEST))
    assert refused.value.code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
