"""The log of a partition is found, or an error returned."""

from __future__ import annotations

import pytest

from tests.unit.broker.data_node import DataNode
from tidemark.handlers.data.partitions import check_leader_epoch, find_log, find_partition
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
    check_leader_epoch(partition, -1)
    check_leader_epoch(partition, 0)
    with pytest.raises(KafkaError) as refused:
        check_leader_epoch(partition, -2)
    assert refused.value.code == ErrorCode.FENCED_LEADER_EPOCH
