"""OffsetDelete (KIP-496): delete offsets of topics that the group is not subscribed to.

An error of the group replaces the whole response, also what topics got before the group was checked. Kafka
does the same.
"""

from __future__ import annotations

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Cause, Decision, Steps
from tidemark.groups.forgetting import forgotten, tombstones_fit
from tidemark.groups.group import Group
from tidemark.groups.offsets import TopicPartition
from tidemark.groups.state import Groups
from tidemark.handlers.groups.offset_commit import existing, merge
from tidemark.handlers.routes import command
from tidemark.metadata.model import Topic
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

Responses = dict[str, OffsetDeleteResponseTopic]


@command(OffsetDeleteRequest, state=Groups, versions=range(0, 1))
def offset_delete(
    groups: Groups, ctx: Context, request: OffsetDeleteRequest
) -> Steps[Decision[OffsetDeleteResponse]]:
    if not ctx.allowed(Operation.DELETE, ResourceType.GROUP, request.group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    refused: Responses = {}
    requested: list[tuple[OffsetDeleteRequestTopic, Topic, list[OffsetDeleteRequestPartition]]] = []
    for topic in request.topics:
        yield len(topic.partitions)
        requested += existing(ctx, [topic], refused, _refuse)
    group = _group(groups, ctx, request.group_id)
    stored, pending = groups.offsets.of(request.group_id), groups.offsets.pending_keys(request.group_id)
    accepted: list[OffsetDeleteResponseTopic] = []
    keys: list[TopicPartition] = []
    for topic, _, partitions in requested:
        yield 0
        if group.is_subscribed(topic.name):
            accepted.append(_topic(topic.name, partitions, ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC))
            continue
        named = ((topic.name, partition.partition_index) for partition in partitions)
        keys += (key for key in named if key in stored or key in pending)
        accepted.append(_topic(topic.name, partitions, ErrorCode.NONE))
    # Again, after the last pause: a member may have joined meanwhile, and its commits must be kept.
    group = _group(groups, ctx, request.group_id)
    subscribed = set(filter(group.is_subscribed, {name for name, _ in keys}))
    if subscribed:
        keys = [key for key in keys if key[0] not in subscribed]
        for one in (each for topic in accepted if topic.name in subscribed for each in topic.partitions):
            one.error_code = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
    if not tombstones_fit(ctx.cluster, request.group_id, keys):
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    last: Decision[OffsetDeleteResponse] = yield from forgotten(
        groups, request.group_id, keys, Cause.OFFSET_DELETE, ctx.wall_ms
    )
    if refused:
        for response in accepted:
            merge(refused, response.name, response)
        accepted = [*refused.values()]
    last.response = OffsetDeleteResponse(topics=accepted)
    return last


def _refuse(
    refused: Responses,
    topic: OffsetDeleteRequestTopic,
    partitions: list[OffsetDeleteRequestPartition],
    error: ErrorCode,
) -> None:
    merge(refused, topic.name, _topic(topic.name, partitions, error))


def _group(groups: Groups, ctx: Context, group_id: str) -> Group:
    """Return the group, if its offsets may be deleted. Raises KafkaError."""
    if not group_id:
        raise KafkaError(ErrorCode.INVALID_GROUP_ID)
    group = groups.serving(group_id, ctx.caller.node_id)
    if group is None:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND)
    error = group.check_offset_delete()
    if error is not ErrorCode.NONE:
        raise KafkaError(error)
    return group


def _topic(
    name: str, partitions: list[OffsetDeleteRequestPartition], error: ErrorCode
) -> OffsetDeleteResponseTopic:
    partition_responses = [
        OffsetDeleteResponsePartition(partition.partition_index, error) for partition in partitions
    ]
    return OffsetDeleteResponseTopic(name, partition_responses)
