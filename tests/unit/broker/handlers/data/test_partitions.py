"""The log of a partition is found, or an error returned."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.broker.data_node import NODE_ID, DataNode
from tidemark.core.context import EVERY_NODE
from tidemark.handlers.data.partitions import check_leader, find_log, find_partition
from tidemark_protocol.errors import ErrorCode, KafkaError


def test_a_partition_is_found_by_topic_and_number() -> None:
    node = DataNode()
    node.topic("orders", partitions=2)
    assert find_partition(node.cluster, "orders", 1).index == 1
    assert find_log(node.logs, "orders", 1) is node.log("orders", 1)


@pytest.mark.parametrize(("topic", "index"), [("nope", 0), ("orders", 2), ("orders", -1)])
def test_partition_that_the_cluster_does_not_have_is_unknown(topic: str, index: int) -> None:
    node = DataNode()
    node.topic("orders", partitions=2)
    with pytest.raises(KafkaError) as refused:
        find_partition(node.cluster, topic, index)
    assert refused.value.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_only_minus_1_matches_any_leader_epoch() -> None:
    node = DataNode()
    node.topic("orders")
    partition = node.cluster.topics["orders"].partitions[0]
    ctx = node.context(0)
    check_leader(ctx, partition, -1)
    check_leader(ctx, partition, 0)
    with pytest.raises(KafkaError) as refused:
        check_leader(ctx, partition, -2)
    assert refused.value.code == ErrorCode.FENCED_LEADER_EPOCH


@pytest.mark.parametrize(
    ("node_id", "epoch", "follower", "code"),
    [
        (NODE_ID, -1, False, None),
        (NODE_ID, 1, False, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (NODE_ID + 1, -1, True, None),
        (NODE_ID + 1, -1, False, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (NODE_ID + 1, 1, False, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (NODE_ID + 2, -1, True, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (NODE_ID + 2, 1, True, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (EVERY_NODE, -1, False, None),
    ],
)
def test_the_node_must_lead_the_partition_or_have_a_replica(
    node_id: int, epoch: int, follower: bool, code: ErrorCode | None
) -> None:
    node = DataNode()
    node.topic("orders")
    partition = node.cluster.topics["orders"].partitions[0]
    partition.replicas = [NODE_ID, NODE_ID + 1]
    ctx = node.context(0)
    ctx.enter(replace(ctx.caller, node_id=node_id))
    if code is None:
        check_leader(ctx, partition, epoch, follower=follower)
        return
    with pytest.raises(KafkaError) as refused:
        check_leader(ctx, partition, epoch, follower=follower)
    assert refused.value.code == code
