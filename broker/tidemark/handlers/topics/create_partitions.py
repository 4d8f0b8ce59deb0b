"""CreatePartitions: adds partitions to topics. A topic cannot shrink."""

from __future__ import annotations

from tidemark.core.context import Context, Operation
from tidemark.core.decision import PART_RECORDS_MAX, Decision, Record, Steps, counted
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import topic_allowed
from tidemark.metadata.model import COORDINATOR_TOPICS, Topic
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import (
    RECORDS_MAX,
    NewPartitions,
    assigned,
    check_assignment,
    check_time_is_left,
    grow,
    partition_records,
)
from tidemark.settings.release import Change
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)

PART_TOPICS = 64  # decided in one step


@command(CreatePartitionsRequest, state=Cluster, versions=range(0, 4))
def create_partitions(
    cluster: Cluster, ctx: Context, request: CreatePartitionsRequest
) -> Steps[Decision[CreatePartitionsResponse]]:
    counts = yield from counted(topic.name for topic in request.topics)
    check_time_is_left(request.timeout_ms)
    if cluster.settings.release.has(Change.LIMIT_OF_NEW_PARTITIONS):
        single = [each for each in request.topics if counts[each.name] == 1]
        if _total(cluster, ctx, single) > RECORDS_MAX:
            text = "Excessively large number of additional partitions per request."
            refused = [CreatePartitionsTopicResult(name, ErrorCode.POLICY_VIOLATION, text) for name in counts]
            return Decision(CreatePartitionsResponse(results=refused))
    results: list[CreatePartitionsTopicResult] = []
    left = RECORDS_MAX
    part: tuple[Record, ...] = ()
    for topic in {topic.name: topic for topic in request.topics}.values():
        try:
            if counts[topic.name] > 1:
                raise KafkaError(ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
            new = _decide(cluster, ctx, topic, left)
        except KafkaError as error:
            results.append(CreatePartitionsTopicResult(topic.name, error.code, error.message))
        else:
            results.append(CreatePartitionsTopicResult(topic.name))
            left -= len(new.assignment)
            if request.validate_only:
                pass
            elif len(new.assignment) <= PART_RECORDS_MAX:
                part += partition_records(cluster, new, ctx.wall_ms)
            else:
                yield Decision(records=part)
                part = ()
                yield from grow(cluster, new, ctx.wall_ms)
        if len(part) >= PART_RECORDS_MAX or len(results) % PART_TOPICS == 0:
            yield Decision(records=part)
            part = ()
    return Decision(CreatePartitionsResponse(results=results), part)


def _total(cluster: Cluster, ctx: Context, requested: list[CreatePartitionsTopic]) -> int:
    """Return how many partitions the topics that may be changed would get together."""
    total = 0
    for each in requested:
        topic = cluster.topics.get(each.name)
        if topic is not None and topic_allowed(ctx, Operation.ALTER, each.name):
            total += max(0, each.count - len(topic.partitions))
    return total


def _decide(
    cluster: Cluster, ctx: Context, requested: CreatePartitionsTopic, records_max: int
) -> NewPartitions:
    if not topic_allowed(ctx, Operation.ALTER, requested.name):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    topic = cluster.topics.get(requested.name)
    if topic is None:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if requested.name in COORDINATOR_TOPICS:
        # Kafka does it, and then looks for most groups and transactional ids in the wrong partition.
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"The partitions of {requested.name} cannot be changed.")
    added = _added(topic, requested.count)
    if requested.assignments is not None and len(requested.assignments) != added:
        text = (
            f"Attempted to add {added} additional partition(s), "
            f"but only {len(requested.assignments)} assignment(s) were specified."
        )
        raise KafkaError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, text)
    if added > records_max:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    if requested.assignments is None:
        assignment = assigned(cluster, ctx, added, len(topic.partitions[0].replicas))
    else:
        assignment = [chosen.broker_ids for chosen in requested.assignments]
        factor = len(topic.partitions[0].replicas)
        for index, replicas in enumerate(assignment, len(topic.partitions)):
            check_assignment(cluster, index, replicas, factor)
    return NewPartitions(topic.topic_id, assignment, first=len(topic.partitions))


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
