"""CreatePartitions: a topic grows to a number of partitions. It never shrinks."""

from __future__ import annotations

from collections import Counter

from tidemark.coordinator.cluster.authorized import topic_allowed
from tidemark.coordinator.cluster.model import OFFSETS_TOPIC, Topic
from tidemark.coordinator.cluster.state import Cluster
from tidemark.coordinator.cluster.topics import (
    RECORDS_MAX,
    NewPartitions,
    check_assignments,
    check_time_is_left,
    partition_records,
)
from tidemark.coordinator.result import Context, ErrorCode, Operation, Record, Result
from tidemark.handlers.routes import command
from tidemark_protocol.errors import KafkaError
from tidemark_protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)


@command(CreatePartitionsRequest, state=Cluster, versions=range(0, 4))
def create_partitions(
    cluster: Cluster, ctx: Context, request: CreatePartitionsRequest
) -> Result[CreatePartitionsResponse]:
    check_time_is_left(request.timeout_ms)
    results: list[CreatePartitionsTopicResult] = []
    records: list[Record] = []
    counts = Counter(topic.name for topic in request.topics)
    for topic in {topic.name: topic for topic in request.topics}.values():
        try:
            if counts[topic.name] > 1:
                raise KafkaError(ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
            added = _decide(cluster, ctx, topic, RECORDS_MAX - len(records))
        except KafkaError as error:
            results.append(CreatePartitionsTopicResult(topic.name, error.code, error.message))
        else:
            records.extend(added)
            results.append(CreatePartitionsTopicResult(topic.name))
    return Result(CreatePartitionsResponse(results=results), () if request.validate_only else tuple(records))


def error_response(request: CreatePartitionsRequest, code: int) -> CreatePartitionsResponse:
    names = dict.fromkeys(topic.name for topic in request.topics)
    return CreatePartitionsResponse(results=[CreatePartitionsTopicResult(name, code) for name in names])


def _decide(
    cluster: Cluster, ctx: Context, asked: CreatePartitionsTopic, records_max: int
) -> tuple[Record, ...]:
    if not topic_allowed(ctx, Operation.ALTER, asked.name):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    topic = cluster.topics.get(asked.name)
    if topic is None:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if asked.name == OFFSETS_TOPIC:
        # Kafka does it, and from then on looks for most groups in the wrong partition.
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"The partitions of {OFFSETS_TOPIC} cannot be changed.")
    added = _added(topic, asked.count)
    if asked.assignments is not None and len(asked.assignments) != added:
        text = (
            f"Attempted to add {added} additional partition(s), "
            f"but only {len(asked.assignments)} assignment(s) were specified."
        )
        raise KafkaError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, text)
    if added > records_max:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    assignment = [[cluster.identity.node_id]] * added
    if asked.assignments is not None:
        assignment = [chosen.broker_ids for chosen in asked.assignments]
        check_assignments(cluster, assignment)
    new = NewPartitions(topic.topic_id, assignment, first=len(topic.partitions))
    return partition_records(cluster.identity, new, ctx.wall_ms)


def _added(topic: Topic, count: int) -> int:
    present = len(topic.partitions)
    if count == present:
        raise KafkaError(ErrorCode.INVALID_PARTITIONS, f"Topic already has {present} partition(s).")
    if count < present:
        text = (
            f"The topic {topic.name} currently has {present} partition(s); {count} would not be an increase."
        )
        raise KafkaError(ErrorCode.INVALID_PARTITIONS, text)
    return count - present
