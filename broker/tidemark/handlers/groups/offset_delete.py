"""OffsetDelete (KIP-496): a group forgets offsets of topics that it is not subscribed to.

A group's error replaces everything: the answers that topics got before the group was looked at are thrown
away, as in Kafka.
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.removal import Cause
from tidemark.core.result import Result, Steps
from tidemark.groups.forgetting import forgotten, tombstones_fit
from tidemark.groups.group import Group
from tidemark.groups.pending import TopicPartition
from tidemark.groups.state import Groups
from tidemark.groups.topic_responses import merge, split
from tidemark.handlers.routes import command
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

Answers = dict[str, OffsetDeleteResponseTopic]


@command(OffsetDeleteRequest, state=Groups, versions=range(0, 1))
def offset_delete(
    groups: Groups, ctx: Context, request: OffsetDeleteRequest
) -> Steps[Result[OffsetDeleteResponse]]:
    if not ctx.allowed(Operation.DELETE, ResourceType.GROUP, request.group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    asked, refused = yield from _sort_out(ctx, request)
    group = _group(groups, request.group_id)
    stored, pending = groups.offsets.of(request.group_id), groups.offsets.pending(request.group_id)
    answered: list[OffsetDeleteResponseTopic] = []
    places: list[TopicPartition] = []
    for topic in asked:
        if group.is_subscribed(topic.name):
            answered.append(_answer(topic.name, topic.partitions, ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC))
            continue
        named = ((topic.name, partition.partition_index) for partition in topic.partitions)
        places += (place for place in named if place in stored or place in pending)
        answered.append(_answer(topic.name, topic.partitions, ErrorCode.NONE))
    if not tombstones_fit(ctx.cluster, request.group_id, places):
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    last: Result[OffsetDeleteResponse] = yield from forgotten(
        groups, request.group_id, places, Cause.OFFSET_DELETE, ctx.wall_ms
    )
    last.response = OffsetDeleteResponse(topics=_join(refused, answered))
    return last


def _sort_out(
    ctx: Context, request: OffsetDeleteRequest
) -> Steps[tuple[list[OffsetDeleteRequestTopic], Answers]]:
    """The partitions that exist and may be read, and the answers to the rest. A known topic without
    partitions is dropped.
    """
    asked: list[OffsetDeleteRequestTopic] = []
    refused: Answers = {}
    for topic in request.topics:
        yield len(topic.partitions)
        known = ctx.cluster.topics.get(topic.name)
        if not ctx.allowed(Operation.READ, ResourceType.TOPIC, topic.name):
            merge(
                refused,
                topic.name,
                _answer(topic.name, topic.partitions, ErrorCode.TOPIC_AUTHORIZATION_FAILED),
            )
        elif known is None:
            merge(
                refused,
                topic.name,
                _answer(topic.name, topic.partitions, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            )
        else:
            there, missing = split(topic.partitions, len(known.partitions))
            if missing:
                merge(refused, topic.name, _answer(topic.name, missing, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
            if there:
                asked.append(OffsetDeleteRequestTopic(topic.name, there))
    return asked, refused


def _group(groups: Groups, group_id: str) -> Group:
    """The group, if it lets its offsets be deleted: it is empty, or a consumer group, whose subscription is
    known to tell.
    """
    if not group_id:
        raise KafkaError(ErrorCode.INVALID_GROUP_ID)
    groups.check_served(group_id)
    group = groups.get(group_id)
    if group is None:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND)
    error = group.check_offset_delete()
    if error is not ErrorCode.NONE:
        raise KafkaError(error)
    return group


def _answer(
    name: str, partitions: list[OffsetDeleteRequestPartition], error: ErrorCode
) -> OffsetDeleteResponseTopic:
    answers = [OffsetDeleteResponsePartition(partition.partition_index, error) for partition in partitions]
    return OffsetDeleteResponseTopic(name, answers)


def _join(refused: Answers, others: list[OffsetDeleteResponseTopic]) -> list[OffsetDeleteResponseTopic]:
    if not refused:
        return others
    for topic in others:
        merge(refused, topic.name, topic)
    return list(refused.values())
