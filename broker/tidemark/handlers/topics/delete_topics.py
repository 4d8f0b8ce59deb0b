"""DeleteTopics, by name or id. An effect makes groups remove their offsets of the topics.

v6  topics by id (KIP-516)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from tidemark.core.context import Context, Operation
from tidemark.core.decision import Decision, Record, Steps, TopicsDeleted, counted
from tidemark.handlers.routes import command
from tidemark.metadata.authorized import cluster_allowed_or_else, topic_allowed
from tidemark.metadata.model import COORDINATOR_TOPICS, Topic
from tidemark.metadata.state import Cluster
from tidemark.metadata.topics import check_time_is_left
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from tidemark_protocol.records.remove_topic_record import RemoveTopicRecord
from tidemark_protocol.wire import ZERO_UUID

# Topics, or partitions of several topics, that are deleted in one step.
PART_TOPICS: Final = 64
PART_PARTITIONS: Final = 2_000
DISABLED_FROM: Final = 3  # older clients do not know TOPIC_DELETION_DISABLED


@command(DeleteTopicsRequest, state=Cluster, versions=range(1, 7))
def delete_topics(
    cluster: Cluster, ctx: Context, request: DeleteTopicsRequest
) -> Steps[Decision[DeleteTopicsResponse]]:
    if not cluster.settings.delete_topic_enable:
        code = (
            ErrorCode.TOPIC_DELETION_DISABLED if ctx.version >= DISABLED_FROM else ErrorCode.INVALID_REQUEST
        )
        raise KafkaError(code)
    check_time_is_left(request.timeout_ms)
    responses: list[DeletableTopicResult] = []
    requested: list[DeleteTopicState] = []
    for each in _requested(request):
        if each.name is None and each.topic_id == ZERO_UUID:
            responses.append(_invalid(each, "Neither topic name nor id were specified."))
        elif each.name is not None and each.topic_id != ZERO_UUID:
            responses.append(_invalid(each, "You may not specify both topic name and topic id."))
        else:
            requested.append(each)
        yield 0
    ids = yield from counted(one.topic_id for one in requested if one.name is None)
    names = yield from counted(one.name for one in requested if one.name is not None)
    part: list[Topic] = []
    partitions = 0
    for number, one in enumerate(_valid_entries(cluster, requested, ids, names, responses), 1):
        if one is not None:
            try:
                topic = _decide(cluster, ctx, one)
            except KafkaError as error:
                responses.append(_failed(one, error.code, str(error)))
            else:
                part.append(topic)
                partitions += len(topic.partitions)
                responses.append(DeletableTopicResult(topic.name, topic.topic_id))
        if number % PART_TOPICS == 0 or partitions >= PART_PARTITIONS:
            yield _deleted(part)
            part.clear()
            partitions = 0
    last: Decision[DeleteTopicsResponse] = _deleted(part)
    last.response = DeleteTopicsResponse(responses=responses)
    return last


def _deleted(topics: list[Topic]) -> Decision[DeleteTopicsResponse]:
    if not topics:
        return Decision()
    ids = tuple(topic.topic_id for topic in topics)
    names, partitions = zip(*((topic.name, len(topic.partitions)) for topic in topics), strict=True)
    return Decision(
        records=tuple(Record(None, RemoveTopicRecord(topic_id)) for topic_id in ids),
        effects=(TopicsDeleted(names, ids, partitions),),
    )


def _requested(request: DeleteTopicsRequest) -> Iterable[DeleteTopicState]:
    """Return names and ids. Older versions have names only."""
    return request.topics or map(DeleteTopicState, request.topic_names)


def _valid_entries(
    cluster: Cluster,
    requested: list[DeleteTopicState],
    ids: Counter[bytes],
    names: Counter[str],
    responses: list[DeletableTopicResult],
) -> Iterator[DeleteTopicState | None]:
    """Yield each topic once, by name or by id, and None for each entry that is refused here.

    ids, names: how often the request has them.
    """
    for one in {(one.name, one.topic_id): one for one in requested}.values():
        known = cluster.topics.get(one.name) if one.name is not None else None
        refused = None
        if one.name is None and ids[one.topic_id] > 1:
            refused = _invalid(one, "Duplicate topic id.")
        elif one.name is not None and names[one.name] > 1:
            refused = _invalid(one, "Duplicate topic name.")
        elif known is not None and known.topic_id in ids:
            both = DeleteTopicState(one.name, known.topic_id)
            refused = _invalid(both, "The provided topic name maps to an ID that was already supplied.")
        if refused is not None:
            responses.append(refused)
        named_too = refused is None and one.name is None and _named_too(cluster, one.topic_id, names)
        yield None if refused is not None or named_too else one


def _named_too(cluster: Cluster, topic_id: bytes, names: Counter[str]) -> bool:
    topic = cluster.topics_by_id.get(topic_id)
    return topic is not None and topic.name in names


def _decide(cluster: Cluster, ctx: Context, one: DeleteTopicState) -> Topic:
    """Return the topic to delete. A client that may not describe it does not learn whether it exists."""
    topic = cluster.topics_by_id.get(one.topic_id) if one.name is None else cluster.topics.get(one.name)
    if one.name is None and topic is None:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_ID)
    name = topic.name if topic is not None else one.name or ""
    free = cluster_allowed_or_else(ctx, Operation.DELETE)
    if not free and not topic_allowed(ctx, Operation.DESCRIBE, name):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    if topic is None:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if not free and not topic_allowed(ctx, Operation.DELETE, name):
        one.name = name
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    if name in COORDINATOR_TOPICS:
        # Kafka deletes it, and every group or transactional id with it, which no client intends. Our state
        # machines have no other log.
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"Deletion of internal topic {name} is prohibited.")
    return topic


def _invalid(one: DeleteTopicState, text: str) -> DeletableTopicResult:
    return _failed(one, ErrorCode.INVALID_REQUEST, text)


def _failed(one: DeleteTopicState, code: ErrorCode, text: str) -> DeletableTopicResult:
    return DeletableTopicResult(one.name, one.topic_id, code, text)
