"""DescribeShareGroupOffsets (KIP-932): where share groups begin to read each partition, and their lag.

v1  lag
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tidemark.core.context import EVERY_NODE, Context, Operation, ResourceType
from tidemark.core.java import map_order, uuid_hash
from tidemark.groups.share.group import ShareGroup
from tidemark.handlers.data.partitions import each, find_log
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.share_coordinator.state import NO_COUNT, SharePartition, ShareStates
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup,
    DescribeShareGroupOffsetsResponsePartition,
    DescribeShareGroupOffsetsResponseTopic,
)
from tidemark_protocol.share_batches import NO_OFFSET

if TYPE_CHECKING:
    from tidemark.groups.state import Groups

NO_LAG: Final = -1
ORDERED_MAX: Final = 1_000  # topics, or partitions of one, that are sorted as Kafka's maps iterate

Group = DescribeShareGroupOffsetsResponseGroup
Topic = DescribeShareGroupOffsetsResponseTopic
Partition = DescribeShareGroupOffsetsResponsePartition


@log_api(DescribeShareGroupOffsetsRequest, versions=range(0, 2))
async def describe_share_group_offsets(
    logs: LogManager, ctx: Context, request: DescribeShareGroupOffsetsRequest
) -> DescribeShareGroupOffsetsResponse:
    whole: dict[str, Group] = {}  # all offsets of a group that is named twice are read once
    groups: list[Group] = []
    async for group in each(request.groups, ctx.turns):
        described = whole.get(group.group_id) if group.topics is None else None
        if described is None:
            try:
                topics = await _topics(logs, ctx, group)
            except KafkaError as refused:
                described = Group(group.group_id, [], refused.code, refused.message)
            else:
                described = Group(group.group_id, topics)
            if group.topics is None:
                whole[group.group_id] = described
        groups.append(described)
    await ctx.decisions.durable()
    return DescribeShareGroupOffsetsResponse(groups=groups)


async def _topics(
    logs: LogManager, ctx: Context, request: DescribeShareGroupOffsetsRequestGroup
) -> list[Topic]:
    """Return the topics of one group. Raises KafkaError, without Kafka's text if the response has none."""
    if not ctx.cluster.serves_share_groups:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    if not ctx.allowed(Operation.DESCRIBE, ResourceType.GROUP, request.group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if request.topics is None:
        return [
            await _topic(logs, ctx, request.group_id, *topic)
            async for topic in each(_in_order(_initialized(ctx, request.group_id)), ctx.turns)
        ]
    found: dict[bytes, tuple[str, list[int]]] = {}
    unknown: list[Topic] = []
    refused: list[Topic] = []
    is_valid = True
    async for topic in each(request.topics, ctx.turns):
        name, known = topic.topic_name, ctx.cluster.topics.get(topic.topic_name)
        if not ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, name):
            code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
            parts = [Partition(one, NO_OFFSET, 0, NO_LAG, code, code.text) for one in topic.partitions]
            refused.append(Topic(name, partitions=parts))
        elif known is None:
            unknown.append(Topic(name, partitions=[Partition(one, NO_OFFSET) for one in topic.partitions]))
        else:
            is_valid = is_valid and bool(topic.partitions) and min(topic.partitions) >= 0
            found.setdefault(known.topic_id, (name, []))[1].extend(topic.partitions)
    if found and not (is_valid and request.group_id):  # Kafka: DefaultStatePersister.validate
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, ErrorCode.UNKNOWN_SERVER_ERROR.text)
    described = [
        await _topic(logs, ctx, request.group_id, *topic) async for topic in each(_in_order(found), ctx.turns)
    ]
    return [*described, *unknown, *refused]


def _initialized(ctx: Context, group_id: str) -> dict[bytes, tuple[str, list[int]]]:
    """Return the topics whose state exists, as far as the caller may describe them. Raises KafkaError."""
    groups: Groups = ctx.decisions.state("Groups")
    error = groups.service_error(group_id, ctx.caller.node_id)
    if error is not ErrorCode.NONE:
        raise KafkaError(error, error.text)
    group, topics = groups.of_type(ShareGroup, group_id), ctx.cluster.topics_by_id
    return {
        topic_id: (topics[topic_id].name, sorted(partitions))
        for topic_id, (_, partitions) in ({} if group is None else group.initialized).items()
        if topic_id in topics and ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, topics[topic_id].name)
    }


def _in_order(topics: Mapping[bytes, tuple[str, list[int]]]) -> list[tuple[bytes, str, list[int]]]:
    """Return topics and partitions, without repetitions, in the order of Kafka's maps."""
    ordered = []
    for topic_id in map_order(topics, uuid_hash) if len(topics) <= ORDERED_MAX else topics:
        name, given = topics[topic_id]
        partitions = [*dict.fromkeys(given)]
        if len(partitions) <= ORDERED_MAX:
            partitions = map_order(partitions, int)
        ordered.append((topic_id, name, partitions))
    return ordered


async def _topic(
    logs: LogManager, ctx: Context, group_id: str, topic_id: bytes, name: str, partitions: list[int]
) -> Topic:
    parts = [
        _partition(logs, ctx, name, SharePartition(group_id, topic_id, index))
        async for index in each(partitions, ctx.turns)
    ]
    return Topic(name, topic_id, parts)


def _partition(logs: LogManager, ctx: Context, topic: str, key: SharePartition) -> Partition:
    """Describe one partition. If its state cannot be read, that is no error, but there is no offset.

    Kafka: GroupCoordinatorService.computeShareGroupLagAndBuildResponse. It repeats a read that fails for
    half a minute, in the case of a partition that does not exist too.
    """
    states: ShareStates = ctx.decisions.state("ShareStates")
    try:
        if states.status:  # else there is no share group yet
            states.check_coordinates(key, EVERY_NODE)
        state = states.summary(key)
    except KafkaError:
        return Partition(key.partition, NO_OFFSET)
    start, complete = state.start_offset, state.delivery_complete_count
    if start == NO_OFFSET or complete == NO_COUNT:
        return Partition(key.partition, start, state.leader_epoch, NO_LAG)
    try:
        end = find_log(logs, topic, key.partition).high_watermark
    except KafkaError as error:
        return Partition(key.partition, error_code=error.code, error_message=error.code.text)
    return Partition(key.partition, start, state.leader_epoch, _long(end - start - complete))


def _long(value: int) -> int:
    """Return the value that Java's arithmetic has: an altered offset may be any."""
    return (value + 2**63) % 2**64 - 2**63
