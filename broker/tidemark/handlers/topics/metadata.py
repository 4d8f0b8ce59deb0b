"""Metadata: brokers, topics and partitions.

An unknown topic is created if the request, the settings and the client's rights allow it.

v0     an empty list of topics means all topics; since v1, null does
v4     allow_auto_topic_creation
v8-10  the operations that the client may perform on the cluster (since v11, DescribeCluster returns them)
v8     those on each topic
v10    topic ids in the response; v12 also in the request
v13    an error code for the whole response
v14    the age of each partition (KIP-1327)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tidemark.core.context import Context, Operation, everything_is_allowed
from tidemark.core.decision import PART_RECORDS_MAX, Decision, Record, Steps, counted
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import (
    NOT_REQUESTED,
    cluster_allowed_or_else,
    cluster_operations,
    topic_allowed,
    topic_operations,
    topic_visible,
)
from tidemark.metadata.model import (
    CREATION_UNKNOWN,
    INTERNAL_TOPICS,
    METADATA_TOPIC,
    NO_LEADER,
    OFFSETS_TOPIC,
    SHARE_STATE_TOPIC,
    TRANSACTIONS_TOPIC,
    Partition,
    Topic,
)
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import (
    RECORDS_MAX,
    NewTopic,
    assigned,
    collision_error,
    create_topic_records,
    created_effects,
    name_error,
    new_topic_id,
    offsets_topic_records,
    share_state_topic_records,
    transactions_topic_records,
)
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from tidemark_protocol.wire import ZERO_UUID

AGES_FROM = 14
STEP_PARTITIONS = 500  # of one topic, described in one step: 0.5 ms
IDS_FROM = 12


@command(MetadataRequest, state=Cluster, versions=range(0, 15))
def metadata(cluster: Cluster, ctx: Context, request: MetadataRequest) -> Steps[Decision[MetadataResponse]]:
    requested = request.topics
    if requested is None or (ctx.version == 0 and not requested):
        return (yield from _everything(cluster, ctx, request))
    ids = yield from counted(topic.topic_id for topic in requested if topic.topic_id != ZERO_UUID)
    refused = _refuse_request(ctx, requested, by_id=bool(ids))
    if refused is not None:
        return Decision(refused)
    if ids:
        topics = []
        for topic_id in ids:
            topics.append((yield from _by_id(cluster, ctx, request, topic_id)))
            yield 1
        return Decision(_response(cluster, ctx, request, topics))
    names = yield from counted(topic.name or "" for topic in requested)
    return (yield from _by_names(cluster, ctx, request, names))


def _refuse_request(
    ctx: Context, requested: list[MetadataRequestTopic], *, by_id: bool
) -> MetadataResponse | None:
    """Return a response if the request as a whole is invalid.

    The request has ids two versions before the broker accepts them. From then on, a name may be null if any
    topic has an id.
    """
    if ctx.version < IDS_FROM:
        code = ErrorCode.INVALID_REQUEST
        wrong = by_id or any(topic.name is None for topic in requested)
    else:
        code = ErrorCode.UNKNOWN_SERVER_ERROR
        wrong = not by_id and any(topic.name is None for topic in requested)
    if not wrong:
        return None
    topics = [
        MetadataResponseTopic(error_code=code, name=topic.name or "", topic_id=topic.topic_id)
        for topic in requested
    ]
    return MetadataResponse(topics=topics, error_code=code)


def _response(
    cluster: Cluster, ctx: Context, request: MetadataRequest, topics: list[MetadataResponseTopic]
) -> MetadataResponse:
    return MetadataResponse(
        brokers=[MetadataResponseBroker(*each) for each in cluster.nodes(ctx)],
        cluster_id=cluster.identity.cluster_id,
        controller_id=cluster.controller_id,
        topics=topics,
        cluster_authorized_operations=(
            cluster_operations(ctx) if request.include_cluster_authorized_operations else NOT_REQUESTED
        ),
    )


def _is_shared(cluster: Cluster, ctx: Context) -> bool:
    """Return whether all versions of the response are equal. Ages differ, and version 0 hides replicas."""
    return ctx.version < AGES_FROM and (ctx.version > 0 or len(cluster.living) == len(cluster.node_ids))


@dataclass(slots=True)
class _Everything:
    """The response with all topics to a client that may see everything, until topics or brokers change.

    bodies: encoded, by version
    """

    topics_version: int
    without_topics: MetadataResponse
    operations: bool
    response: MetadataResponse
    bodies: dict[int, bytes]


def _everything(
    cluster: Cluster, ctx: Context, request: MetadataRequest
) -> Steps[Decision[MetadataResponse]]:
    topics_version = cluster.topics_version
    response = _response(cluster, ctx, request, [])
    operations = request.include_topic_authorized_operations
    cacheable = _is_shared(cluster, ctx) and ctx.allowed is everything_is_allowed
    known: _Everything | None = cluster.prepared.get("metadata")
    if (
        cacheable
        and known is not None
        and (known.topics_version, known.without_topics, known.operations)
        == (topics_version, response, operations)
    ):
        return Decision(known.response, bodies=known.bodies)
    topics = yield from _all_topics(cluster, ctx, request)
    if not cacheable or cluster.topics_version != topics_version:
        response.topics = topics
        return Decision(response)
    complete = _response(cluster, ctx, request, topics)
    known = _Everything(topics_version, response, operations, complete, {})
    cluster.prepared["metadata"] = known
    return Decision(complete, bodies=known.bodies)


def _all_topics(
    cluster: Cluster, ctx: Context, request: MetadataRequest
) -> Steps[list[MetadataResponseTopic]]:
    """Return all topics that the client may describe."""
    found: list[MetadataResponseTopic] = []
    sees_all = ctx.allowed is everything_is_allowed
    for topic in list(cluster.topics.values()):
        if sees_all or topic_visible(ctx, topic.name):
            response = yield from _found(cluster, ctx, request, topic)
            found.append(response)
    return found


def _by_id(
    cluster: Cluster, ctx: Context, request: MetadataRequest, topic_id: bytes
) -> Steps[MetadataResponseTopic]:
    topic = cluster.topics_by_id.get(topic_id)
    if topic is None:
        return MetadataResponseTopic(error_code=ErrorCode.UNKNOWN_TOPIC_ID, name=None, topic_id=topic_id)
    if not topic_allowed(ctx, Operation.DESCRIBE, topic.name):
        return MetadataResponseTopic(
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED, name=None, topic_id=topic_id
        )
    return (yield from _found(cluster, ctx, request, topic))


def _by_names(
    cluster: Cluster, ctx: Context, request: MetadataRequest, names: Iterable[str]
) -> Steps[Decision[MetadataResponse]]:
    topics: list[MetadataResponseTopic] = []
    unknown: list[str] = []
    for name in names:
        topic = cluster.topics.get(name)
        if not topic_allowed(ctx, Operation.DESCRIBE, name):
            topics.append(_failed(name, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
        elif topic is not None:
            topics.append((yield from _found(cluster, ctx, request, topic)))
        else:
            code = _missing(cluster, ctx, request, name)
            known = code is not ErrorCode.TOPIC_AUTHORIZATION_FAILED
            topics.append(_failed(name, code, _operations(ctx, request, name) if known else NOT_REQUESTED))
            if code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION and _creates(cluster, request):
                unknown.append(name)
        yield 1
    response = _response(cluster, ctx, request, topics)
    if len(unknown) * (1 + cluster.settings.num_partitions) > RECORDS_MAX:
        unknown.clear()  # Kafka's controller refuses all of them, and its broker ignores that
    at_once = max(1, PART_RECORDS_MAX // (1 + cluster.settings.num_partitions))
    while len(unknown) > at_once:
        yield _all_created(cluster, ctx, unknown[:at_once])
        del unknown[:at_once]
    last = _all_created(cluster, ctx, unknown)
    last.response = response
    return last


def _all_created(cluster: Cluster, ctx: Context, names: list[str]) -> Decision[MetadataResponse]:
    """Create the topics of these names that still do not exist, or none while no broker runs."""
    created = [name for name in names if name not in cluster.topics and not cluster.all_fenced]
    settings = cluster.settings
    partitions = {
        OFFSETS_TOPIC: settings.offsets_topic_num_partitions,
        TRANSACTIONS_TOPIC: settings.transaction_state_log_num_partitions,
        SHARE_STATE_TOPIC: settings.share_coordinator_state_topic_num_partitions,
    }
    return Decision(
        records=tuple(record for name in created for record in _auto_created(cluster, ctx, name)),
        effects=created_effects({name: partitions[name] for name in created if name in partitions}),
    )


def _failed(name: str, code: ErrorCode, operations: int = NOT_REQUESTED) -> MetadataResponseTopic:
    return MetadataResponseTopic(
        error_code=code,
        name=name,
        is_internal=name in INTERNAL_TOPICS,
        topic_authorized_operations=operations,
    )


def _missing(cluster: Cluster, ctx: Context, request: MetadataRequest, name: str) -> ErrorCode:
    """Return why a topic is not in the response. One that is being created is unknown: the client retries."""
    if _creates(cluster, request) and not (
        cluster_allowed_or_else(ctx, Operation.CREATE) or topic_allowed(ctx, Operation.CREATE, name)
    ):
        return ErrorCode.TOPIC_AUTHORIZATION_FAILED
    if name_error(name) is not None:
        return ErrorCode.INVALID_TOPIC_EXCEPTION
    return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def _creates(cluster: Cluster, request: MetadataRequest) -> bool:
    return request.allow_auto_topic_creation and cluster.settings.auto_create_topics_enable


def _auto_created(cluster: Cluster, ctx: Context, name: str) -> tuple[Record, ...]:
    """Return the records of a new topic, or none for an invalid name: Kafka tries, fails and reports nothing.

    Of the internal topics, only those of our coordinators are created.
    """
    if name == OFFSETS_TOPIC:
        return offsets_topic_records(cluster, ctx)
    if name == TRANSACTIONS_TOPIC:
        return transactions_topic_records(cluster, ctx)
    if name == SHARE_STATE_TOPIC:
        return share_state_topic_records(cluster, ctx)
    settings = cluster.settings
    factor = settings.default_replication_factor
    cannot_be = name == METADATA_TOPIC or name in INTERNAL_TOPICS or factor > len(cluster.node_ids)
    if cannot_be or collision_error(cluster, name) is not None:
        return ()
    assignment = assigned(cluster, ctx, settings.num_partitions, factor)
    new = NewTopic(name, new_topic_id(cluster, ctx), assignment)
    return create_topic_records(cluster, new, ctx.wall_ms)


def _found(
    cluster: Cluster, ctx: Context, request: MetadataRequest, topic: Topic
) -> Steps[MetadataResponseTopic]:
    """Describe a topic. The result is cached until the topic changes, unless it depends on time or client."""
    yield len(topic.partitions)
    with_operations = request.include_topic_authorized_operations
    cacheable = _is_shared(cluster, ctx) and not (
        with_operations and ctx.allowed is not everything_is_allowed
    )
    key = ("metadata", with_operations)
    prepared: MetadataResponseTopic | None = topic.prepared.get(key) if cacheable else None
    if prepared is not None:
        return prepared
    topics_version = cluster.topics_version
    living = cluster.living
    now_ms = ctx.wall_ms if ctx.version >= AGES_FROM else None
    known, described = list(topic.partitions), []
    for start in range(0, len(known), STEP_PARTITIONS):
        described += [_partition(each, living, now_ms) for each in known[start : start + STEP_PARTITIONS]]
        if ctx.version == 0:
            described[start:] = [_only_living(each, living) for each in described[start:]]
        if len(described) < len(known):
            yield 0
    response = MetadataResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.internal,
        partitions=described,
        topic_authorized_operations=_operations(ctx, request, topic.name),
    )
    if cacheable and cluster.topics_version == topics_version:
        topic.prepared[key] = response
    return response


def _operations(ctx: Context, request: MetadataRequest, name: str) -> int:
    return topic_operations(ctx, name) if request.include_topic_authorized_operations else NOT_REQUESTED


def _partition(partition: Partition, living: frozenset[int], now_ms: int | None) -> MetadataResponsePartition:
    no_leader = partition.leader == NO_LEADER
    return MetadataResponsePartition(
        error_code=ErrorCode.LEADER_NOT_AVAILABLE if no_leader else ErrorCode.NONE,
        partition_index=partition.index,
        leader_id=partition.leader,
        leader_epoch=partition.leader_epoch,
        replica_nodes=partition.replicas,
        isr_nodes=partition.isr,
        offline_replicas=partition.offline_replicas(living),
        partition_age_ms=age_ms(partition.created_ms, now_ms),
    )


def _only_living(described: MetadataResponsePartition, living: frozenset[int]) -> MetadataResponsePartition:
    """Leave out replicas on stopped nodes, and report that they are missing, as version 0 does."""
    replicas = [each for each in described.replica_nodes if each in living]
    isr = [each for each in described.isr_nodes if each in living]
    is_complete = (len(replicas), len(isr)) == (len(described.replica_nodes), len(described.isr_nodes))
    if not is_complete and described.error_code == ErrorCode.NONE:
        described.error_code = ErrorCode.REPLICA_NOT_AVAILABLE
    described.replica_nodes, described.isr_nodes = replicas, isr
    return described


def age_ms(created_ms: int, now_ms: int | None) -> int:
    """Return the age of a partition: -1 if its creation time is unknown, and never negative otherwise."""
    if created_ms == CREATION_UNKNOWN or now_ms is None:
        return CREATION_UNKNOWN
    return max(0, now_ms - created_ms)
