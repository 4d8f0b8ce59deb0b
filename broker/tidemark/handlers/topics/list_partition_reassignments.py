"""ListPartitionReassignments: the partitions whose replicas move (KIP-455).

kafka-topics --describe requests it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Steps
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.model import Partition, Topic
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)


@query(ListPartitionReassignmentsRequest, state=Cluster, versions=range(0, 1))
def list_partition_reassignments(
    cluster: Cluster,
    ctx: Context,
    request: ListPartitionReassignmentsRequest,
) -> Steps[ListPartitionReassignmentsResponse]:
    """Without a list of topics, the response has all of them."""
    if not cluster_allowed(ctx, Operation.DESCRIBE):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    found: list[OngoingTopicReassignment] = []
    if request.topics is None:
        for topic in list(cluster.topics.values()):
            yield from _add(found, topic, list(topic.partitions))
    else:
        for named in request.topics:
            known = cluster.topics.get(named.name)
            if known is not None:
                indexes = (each for each in named.partition_indexes if 0 <= each < len(known.partitions))
                yield from _add(found, known, [known.partitions[each] for each in indexes])
            yield 1 + len(named.partition_indexes)
    return ListPartitionReassignmentsResponse(error_message=None, topics=found)


def _add(
    found: list[OngoingTopicReassignment], topic: Topic, partitions: Sequence[Partition]
) -> Iterator[int]:
    """Add a topic to the response if one of these partitions has a reassignment."""
    moving = [
        OngoingPartitionReassignment(each.index, each.replicas, each.adding_replicas, each.removing_replicas)
        for each in partitions
        if each.adding_replicas or each.removing_replicas
    ]
    if moving:
        found.append(OngoingTopicReassignment(topic.name, moving))
    yield 1 + len(partitions)
