"""ElectLeaders: the first replica of a partition becomes its leader, or any that serves clients (KIP-460).

v1  election_type, and an error code for the whole request
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Decision, Record, Steps, items_of
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed
from tidemark.metadata.model import Partition, Topic
from tidemark.metadata.replicas import preferred, unclean
from tidemark.metadata.state import Cluster
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)
from tidemark_protocol.records.partition_change_record import PartitionChangeRecord

Election = Callable[[Cluster, Topic, Partition], PartitionChangeRecord]
PREFERRED: Final = 0
UNCLEAN: Final = 1
ELECTIONS: Final[dict[int, Election]] = {PREFERRED: preferred, UNCLEAN: unclean}


@command(ElectLeadersRequest, state=Cluster, versions=range(0, 3))
def elect_leaders(
    cluster: Cluster, ctx: Context, request: ElectLeadersRequest
) -> Steps[Decision[ElectLeadersResponse]]:
    if not cluster_allowed(ctx, Operation.ALTER):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    topics = request.topic_partitions
    results: list[ReplicaElectionResult] = []
    if topics is not None and not topics:
        return Decision(ElectLeadersResponse())
    elect = ELECTIONS.get(request.election_type)
    if elect is None:
        text = f"Unknown election type {request.election_type}"
        return Decision(_failed(request, ErrorCode.INVALID_REQUEST, text))
    if topics is None:
        # As in Kafka, every topic is listed, and its partitions that need no election are not.
        for known in list(cluster.topics.values()):
            found: list[PartitionResult] = []
            for partition in list(known.partitions):
                result, records = _elected(cluster, known, partition, elect)
                if result.error_code != ErrorCode.ELECTION_NOT_NEEDED:
                    found.append(result)
                if records:
                    yield Decision(records=records)
            results.append(ReplicaElectionResult(known.name, found))
            yield 1 + len(found)
        return Decision(ElectLeadersResponse(replica_election_results=results))
    for named in topics:
        found = []
        for index in named.partitions:
            result, records = _named(cluster, named.topic, index, elect)
            found.append(result)
            if records:
                yield Decision(records=records)
            yield 1 + items_of(result.error_message)
        results.append(ReplicaElectionResult(named.topic, found))
        yield 1
    return Decision(ElectLeadersResponse(replica_election_results=results))


def _failed(request: ElectLeadersRequest, code: ErrorCode, text: str) -> ElectLeadersResponse:
    """Return the response to a request that fails as a whole. Kafka repeats the error for each partition."""
    results = [
        ReplicaElectionResult(topic.topic, [PartitionResult(index, code, text) for index in topic.partitions])
        for topic in request.topic_partitions or ()
    ]
    return ElectLeadersResponse(error_code=code, replica_election_results=results)


def _named(
    cluster: Cluster, name: str, index: int, elect: Election
) -> tuple[PartitionResult, tuple[Record, ...]]:
    topic = cluster.topics.get(name)
    if topic is None:
        return PartitionResult(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"No such topic as {name}"), ()
    if not 0 <= index < len(topic.partitions):
        text = f"No such partition as {name}-{index}"
        return PartitionResult(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text), ()
    return _elected(cluster, topic, topic.partitions[index], elect)


def _elected(
    cluster: Cluster, topic: Topic, partition: Partition, elect: Election
) -> tuple[PartitionResult, tuple[Record, ...]]:
    try:
        change = elect(cluster, topic, partition)
        if topic.topic_id not in cluster.topics_by_id:  # it was deleted since the request came
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    except KafkaError as refused:
        return PartitionResult(partition.index, refused.code, refused.code.text), ()
    return PartitionResult(partition.index, ErrorCode.NONE, None), (Record(None, change),)
