"""Log APIs with many topics or partitions let other clients run in between."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.unit.broker.data_node import DataNode, a_batch, answer, turns_of
from tidemark.handlers.data.alter_replica_log_dirs import alter_replica_log_dirs
from tidemark.handlers.data.delete_records import delete_records
from tidemark.handlers.data.describe_log_dirs import describe_log_dirs
from tidemark.handlers.data.describe_producers import describe_producers
from tidemark.handlers.data.offset_for_leader_epoch import offset_for_leader_epoch
from tidemark_protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from tidemark_protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from tidemark_protocol.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from tidemark_protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    TopicRequest,
)
from tidemark_protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)

MANY = range(100)
Handler = Callable[..., Coroutine[Any, Any, Any]]
# By API: the handler, its version, a topic of a request, and a request of topics.
APIS: dict[str, tuple[Handler, int, Callable[[str, range], Any], Callable[[Any], Any]]] = {
    "AlterReplicaLogDirs": (
        alter_replica_log_dirs,
        2,
        lambda name, indexes: AlterReplicaLogDirTopic(name, list(indexes)),
        lambda topics: AlterReplicaLogDirsRequest([AlterReplicaLogDir("/other", topics)]),
    ),
    "DeleteRecords": (
        delete_records,
        2,
        lambda name, indexes: DeleteRecordsTopic(name, [DeleteRecordsPartition(i, 0) for i in indexes]),
        DeleteRecordsRequest,
    ),
    "DescribeLogDirs": (
        describe_log_dirs,
        4,
        lambda name, indexes: DescribableLogDirTopic(name, list(indexes)),
        DescribeLogDirsRequest,
    ),
    "DescribeProducers": (
        describe_producers,
        0,
        lambda name, indexes: TopicRequest(name, list(indexes)),
        DescribeProducersRequest,
    ),
    "OffsetForLeaderEpoch": (
        offset_for_leader_epoch,
        4,
        lambda name, indexes: OffsetForLeaderTopic(name, [OffsetForLeaderPartition(i) for i in indexes]),
        lambda topics: OffsetForLeaderEpochRequest(topics=topics),
    ),
}


def turns(api: str, *topics: tuple[str, range]) -> int:
    handler, version, a_topic, a_request = APIS[api]
    node = DataNode(ticking=True)
    node.topic("orders", len(MANY))
    request = a_request([a_topic(name, indexes) for name, indexes in topics])
    return turns_of(handler(node.logs, node.context(version), request))


@pytest.mark.parametrize("api", list(APIS))
def test_many_partitions_leave_turns_to_others(api: str) -> None:
    assert turns(api, ("orders", MANY)) > 20


@pytest.mark.parametrize("api", list(APIS))
@pytest.mark.parametrize("partitions", [0, 1])
def test_many_unknown_topics_leave_turns_to_others(api: str, partitions: int) -> None:
    assert turns(api, *[(f"nope{number}", range(partitions)) for number in MANY]) > 20


def test_all_partitions_of_the_directory_leave_turns_to_others() -> None:
    node = DataNode(ticking=True)
    node.topic("orders", len(MANY))
    assert turns_of(describe_log_dirs(node.logs, node.context(4), DescribeLogDirsRequest(None))) > 20


def test_many_producers_of_a_partition_leave_turns_to_others() -> None:
    node = DataNode(ticking=True)
    node.topic("orders")
    for producer_id in MANY:
        node.append("orders", a_batch(producer_id=producer_id, producer_epoch=0, sequence=0))
    request = DescribeProducersRequest([TopicRequest("orders", [0])])
    assert turns_of(describe_producers(node.logs, node.context(0), request)) > 20


def test_a_partition_that_is_named_again_shares_its_description() -> None:
    """Otherwise a small request about a partition with many producers would need unlimited memory."""
    node = DataNode()
    node.topic("orders")
    node.append("orders", a_batch(producer_id=7, producer_epoch=0, sequence=0))
    request = DescribeProducersRequest([TopicRequest("orders", [0, 0]), TopicRequest("orders", [0])])
    response = answer(describe_producers(node.logs, node.context(0), request))
    assert isinstance(response, DescribeProducersResponse)
    (first, second), (third,) = (topic.partitions for topic in response.topics)
    assert first is second is third
    assert [producer.producer_id for producer in first.active_producers] == [7]
