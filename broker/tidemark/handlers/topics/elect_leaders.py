"""ElectLeaders: a partition has one replica, which is its leader, so that no election is needed (KIP-460).

v1  election_type, and an error code for the whole request
"""

from __future__ import annotations

from typing import Final

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Steps, items_of
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.model import NO_LEADER, Partition
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)

PREFERRED: Final = 0
UNCLEAN: Final = 1


@query(ElectLeadersRequest, state=Cluster, versions=range(0, 3))
def elect_leaders(
    cluster: Cluster, ctx: Context, request: ElectLeadersRequest
) -> Steps[ElectLeadersResponse]:
    if not cluster_allowed(ctx, Operation.ALTER):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    topics = request.topic_partitions
    results: list[ReplicaElectionResult] = []
    if topics is not None and not topics:
        return ElectLeadersResponse()
    kind = request.election_type
    if kind not in (PREFERRED, UNCLEAN):
        return _failed(request, ErrorCode.INVALID_REQUEST, f"Unknown election type {kind}")
    if topics is None:
        # As in Kafka, every topic is listed, and its partitions that have their leader are not.
        for known in list(cluster.topics.values()):
            found = [_result(each, kind) for each in known.partitions if each.leader == NO_LEADER]
            results.append(ReplicaElectionResult(known.name, found))
            yield 1 + len(found)
        return ElectLeadersResponse(replica_election_results=results)
    for topic in topics:
        found = []
        for index in topic.partitions:
            found.append(_named(cluster, topic.topic, index, kind))
            yield 1 + items_of(found[-1].error_message)
        results.append(ReplicaElectionResult(topic.topic, found))
        yield 1
    return ElectLeadersResponse(replica_election_results=results)


def _failed(request: ElectLeadersRequest, code: ErrorCode, text: str) -> ElectLeadersResponse:
    """Return the response to a request that fails as a whole. Kafka repeats the error for each partition."""
    results = [
        ReplicaElectionResult(topic.topic, [PartitionResult(index, code, text) for index in topic.partitions])
        for topic in request.topic_partitions or ()
    ]
    return ElectLeadersResponse(error_code=code, replica_election_results=results)


def _named(cluster: Cluster, name: str, index: int, kind: int) -> PartitionResult:
    topic = cluster.topics.get(name)
    if topic is None:
        return PartitionResult(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"No such topic as {name}")
    if not 0 <= index < len(topic.partitions):
        text = f"No such partition as {name}-{index}"
        return PartitionResult(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)
    return _result(topic.partitions[index], kind)


def _result(partition: Partition, kind: int) -> PartitionResult:
    code = _code(partition, kind)
    return PartitionResult(partition.index, code, code.text)


def _code(partition: Partition, kind: int) -> ErrorCode:
    """A partition without a leader is one whose log is not here: no election finds another replica."""
    if partition.leader != NO_LEADER:
        return ErrorCode.ELECTION_NOT_NEEDED
    if kind == PREFERRED:
        return ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    return ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
