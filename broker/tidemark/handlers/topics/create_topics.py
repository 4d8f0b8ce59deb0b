"""CreateTopics: creates topics.

The order of the checks is Kafka's: the request as a whole, then for each topic its name, existence, settings,
and the rest.

v4  -1 partitions or replicas mean the broker's default (also accepted in v2-3, as in Kafka)
v5  the response has partitions, replicas and all settings
v7  the response has the topic id
"""

from __future__ import annotations

from itertools import chain

from tidemark.core.context import Context, Operation
from tidemark.core.decision import PART_RECORDS_MAX, Decision, Steps, counted, items_of
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed_or_else, topic_allowed
from tidemark.metadata.configs import Source
from tidemark.metadata.model import COORDINATOR_TOPICS, METADATA_TOPIC
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import (
    RECORDS_MAX,
    NewPartitions,
    NewTopic,
    assigned,
    check_assignment,
    check_time_is_left,
    collision_error,
    create_topic_records,
    created_effects,
    grow,
    name_error,
    new_topic_id,
)
from tidemark.settings.setting import InvalidSetting
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)

DEFAULT = -1
PART_TOPICS = 16  # decided in one step: up to 0.3 ms each


@command(CreateTopicsRequest, state=Cluster, versions=range(2, 8))
def create_topics(
    cluster: Cluster, ctx: Context, request: CreateTopicsRequest
) -> Steps[Decision[CreateTopicsResponse]]:
    counts = yield from counted(topic.name for topic in request.topics)
    check_time_is_left(request.timeout_ms)
    results: list[CreatableTopicResult] = []
    candidates: list[CreatableTopic] = []
    for topic in {topic.name: topic for topic in request.topics}.values():
        refused = _refused_at_once(ctx, topic.name, counts[topic.name])
        if refused is None:
            candidates.append(topic)
        else:
            results.append(_failed(topic.name, refused))
            yield items_of(refused.message)
        yield 0
    if sum(_partitions_requested(cluster, topic) for topic in candidates) > RECORDS_MAX:
        refused_all = yield from _too_many(candidates, "Excessively large number of partitions per request.")
        return Decision(CreateTopicsResponse(topics=results + refused_all))
    if (yield from _records_requested(cluster, ctx, candidates)) > RECORDS_MAX:
        refused_all = yield from _too_many(
            request.topics, "Unable to perform excessively large batch operation."
        )
        return Decision(CreateTopicsResponse(topics=refused_all))
    made: list[NewTopic] = []
    items = 0  # counted after the write: during a pause, another request may create a topic
    for number, topic in enumerate(candidates, 1):
        try:
            new = _decide(cluster, ctx, topic)
        except KafkaError as error:
            results.append(_failed(topic.name, error))
            items += items_of(error.message)
        else:
            results.append(_created(cluster, ctx, new))
            if len(new.assignment) <= PART_RECORDS_MAX or new.name in COORDINATOR_TOPICS:
                made.append(new)
            elif not request.validate_only:
                yield _written(
                    cluster,
                    ctx,
                    [*made, NewTopic(new.name, new.topic_id, new.assignment[:PART_RECORDS_MAX], new.configs)],
                )
                made.clear()
                rest = NewPartitions(new.topic_id, new.assignment[PART_RECORDS_MAX:], PART_RECORDS_MAX)
                yield from grow(cluster, rest, ctx.wall_ms)
        if number % PART_TOPICS == 0:
            yield Decision() if request.validate_only else _written(cluster, ctx, made)
            made.clear()
            yield items
            items = 0
    last: Decision[CreateTopicsResponse] = (
        Decision() if request.validate_only else _written(cluster, ctx, made)
    )
    last.response = CreateTopicsResponse(topics=results)
    return last


def _records_requested(cluster: Cluster, ctx: Context, candidates: list[CreatableTopic]) -> Steps[int]:
    """Return how many records the request can write. If these are too many, return how many it does write."""
    for topic in candidates:
        yield from counted(config.name for config in topic.configs)  # hashed here, in steps
    at_most = sum(1 + len(topic.configs) + _partitions_requested(cluster, topic) for topic in candidates)
    if at_most <= RECORDS_MAX:
        return at_most
    count = 0
    for topic in candidates:
        try:
            new = _decide(cluster, ctx, topic)
        except KafkaError:
            pass
        else:
            count += 1 + len(new.configs) + len(new.assignment)
        yield 0
    return count


def _written(cluster: Cluster, ctx: Context, made: list[NewTopic]) -> Decision[CreateTopicsResponse]:
    records = (create_topic_records(cluster, new, ctx.wall_ms) for new in made)
    return Decision(
        records=tuple(chain.from_iterable(records)),
        effects=created_effects({new.name: len(new.assignment) for new in made}),
    )


def _refused_at_once(ctx: Context, name: str, times: int) -> KafkaError | None:
    """Return the topics that Kafka's broker refuses before its controller sees them."""
    if times > 1:
        return KafkaError(ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
    if name == METADATA_TOPIC:
        return KafkaError(
            ErrorCode.INVALID_REQUEST, f"Creation of internal topic {METADATA_TOPIC} is prohibited."
        )
    if not (cluster_allowed_or_else(ctx, Operation.CREATE) or topic_allowed(ctx, Operation.CREATE, name)):
        return KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED, "Authorization failed.")
    return None


def _partitions_requested(cluster: Cluster, topic: CreatableTopic) -> int:
    if topic.assignments:
        return len(topic.assignments)
    return (
        cluster.settings.num_partitions if topic.num_partitions == DEFAULT else max(0, topic.num_partitions)
    )


def _too_many(topics: list[CreatableTopic], why: str) -> Steps[list[CreatableTopicResult]]:
    refused: list[CreatableTopicResult] = []
    for topic in topics:
        refused.append(_failed(topic.name, KafkaError(ErrorCode.POLICY_VIOLATION, why)))
        yield 0
    return refused


def _decide(cluster: Cluster, ctx: Context, topic: CreatableTopic) -> NewTopic:
    """Return the topic to create. Raises KafkaError with Kafka's code and text if it is refused."""
    if topic.name in cluster.topics:
        raise KafkaError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{topic.name}' already exists.")
    wrong_name = name_error(topic.name) or collision_error(cluster, topic.name)
    if wrong_name is not None:
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, wrong_name)
    configs = _configs(cluster, topic)
    assignment = _assignment(cluster, ctx, topic)
    return NewTopic(topic.name, new_topic_id(cluster, ctx), assignment, configs)


def _configs(cluster: Cluster, topic: CreatableTopic) -> dict[str, str]:
    """Return the topic's own settings. If one is given twice, the last value counts."""
    configs: dict[str, str] = {}
    without = [config.name for config in topic.configs if config.value is None]
    if without:
        names = ",".join(without)
        raise KafkaError(ErrorCode.INVALID_CONFIG, f"Null value not supported for topic configs: {names}")
    for config in topic.configs:
        assert config.value is not None
        configs[config.name] = config.value
    try:
        cluster.configs.check_topic(configs)
    except InvalidSetting as error:
        raise KafkaError(ErrorCode.INVALID_CONFIG, str(error)) from None
    return configs


def _assignment(cluster: Cluster, ctx: Context, topic: CreatableTopic) -> list[list[int]]:
    if topic.assignments:
        return _manual_assignment(cluster, topic)
    replicas, partitions = topic.replication_factor, topic.num_partitions
    if replicas == 0 or replicas < DEFAULT:
        text = "Replication factor must be larger than 0, or -1 to use the default value."
        raise KafkaError(ErrorCode.INVALID_REPLICATION_FACTOR, text)
    if partitions == 0 or partitions < DEFAULT:
        text = "Number of partitions was set to an invalid non-positive value."
        raise KafkaError(ErrorCode.INVALID_PARTITIONS, text)
    if replicas == DEFAULT:
        replicas = cluster.settings.default_replication_factor
    return assigned(
        cluster, ctx, cluster.settings.num_partitions if partitions == DEFAULT else partitions, replicas
    )


def _manual_assignment(cluster: Cluster, topic: CreatableTopic) -> list[list[int]]:
    for what, given in (
        ("replication factor", topic.replication_factor),
        ("numPartitions", topic.num_partitions),
    ):
        if given != DEFAULT:
            text = f"A manual partition assignment was specified, but {what} was not set to -1."
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)
    chosen: dict[int, list[int]] = {}
    for requested in topic.assignments:
        if requested.partition_index in chosen:
            text = f"Found multiple manual partition assignments for partition {requested.partition_index}"
            raise KafkaError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, text)
        factor = len(next(iter(chosen.values()), requested.broker_ids))
        check_assignment(cluster, requested.partition_index, requested.broker_ids, factor)
        chosen[requested.partition_index] = requested.broker_ids
    if sorted(chosen) != list(range(len(chosen))):
        text = "partitions should be a consecutive 0-based integer sequence"
        raise KafkaError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, text)
    return [chosen[index] for index in range(len(chosen))]


def _failed(name: str, error: KafkaError) -> CreatableTopicResult:
    return CreatableTopicResult(name=name, error_code=error.code, error_message=error.message, configs=[])


def _created(cluster: Cluster, ctx: Context, new: NewTopic) -> CreatableTopicResult:
    """Describe a new topic. A client that may not see settings does not see the counts either."""
    result = CreatableTopicResult(name=new.name, topic_id=new.topic_id, error_message=None, configs=[])
    if not topic_allowed(ctx, Operation.DESCRIBE_CONFIGS, new.name):
        result.topic_config_error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        return result
    result.num_partitions = len(new.assignment)
    result.replication_factor = len(new.assignment[0])
    result.configs = [_config(cluster, new, name) for name in sorted(cluster.configs.topic)]
    return result


def _config(cluster: Cluster, new: NewTopic, name: str) -> CreatableTopicConfigs:
    """Return a setting of a new topic. A value of its own is returned as it was sent, including blanks."""
    if name in new.configs:
        return CreatableTopicConfigs(name=name, value=new.configs[name], config_source=Source.DYNAMIC_TOPIC)
    given = cluster.configs.inherited(name)
    return CreatableTopicConfigs(name=name, value=given.value, config_source=given.source)
