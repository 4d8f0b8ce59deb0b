"""AlterShareGroupOffsets (KIP-932): sets where an empty share group begins to read. It creates the group."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision
from tidemark.groups.share.effects import InitializeShareState
from tidemark.groups.share.group import ShareGroup, not_a_share_group
from tidemark.handlers.data.partitions import each
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark_protocol.checkpoints import uuid_text
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.alter_share_group_offsets import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestTopic,
    AlterShareGroupOffsetsResponse,
    AlterShareGroupOffsetsResponsePartition,
    AlterShareGroupOffsetsResponseTopic,
)
from tidemark_protocol.wire import ZERO_UUID

if TYPE_CHECKING:
    from tidemark.groups.state import Groups
    from tidemark.metadata.model import Topic as KnownTopic

Topic = AlterShareGroupOffsetsResponseTopic
Partition = AlterShareGroupOffsetsResponsePartition


@log_api(AlterShareGroupOffsetsRequest, versions=range(0, 1))
async def alter_share_group_offsets(
    logs: LogManager, ctx: Context, request: AlterShareGroupOffsetsRequest
) -> AlterShareGroupOffsetsResponse:
    try:
        topics = await _altered(ctx, request)
    except KafkaError as refused:
        return AlterShareGroupOffsetsResponse(0, refused.code, refused.message or refused.code.text)
    return AlterShareGroupOffsetsResponse(responses=topics)


async def _altered(ctx: Context, request: AlterShareGroupOffsetsRequest) -> list[Topic]:
    """Return the topics of the response, those that are refused first. Raises KafkaError."""
    group_id = request.group_id
    if not ctx.cluster.serves_share_groups:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    refused: dict[str, Topic] = {}
    accepted: dict[str, Topic] = {}
    offsets: dict[bytes, dict[int, int]] = {}
    async for topic in each(request.topics, ctx.turns):
        name, known = topic.topic_name, ctx.cluster.topics.get(topic.topic_name)
        if not ctx.allowed(Operation.READ, ResourceType.TOPIC, name):
            await _refuse(ctx, topic, known, refused, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
        elif known is None:
            await _refuse(ctx, topic, known, refused, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        else:
            await _accept(ctx, topic, known, accepted, offsets.setdefault(known.topic_id, {}))
    group = _empty_group(ctx, group_id)
    for topic_id, of_topic in offsets.items():
        first = min(of_topic, default=0)
        if first < 0:  # Kafka has stored the record by now, in which the partition then stays
            what = f"{group_id} {uuid_text(topic_id)} {first}"
            why = f"Initialize share group parameters has invalid partitionId - {what}"
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, why)
    if accepted:
        named = {topic.topic_id: (name, sorted(offsets[topic.topic_id])) for name, topic in accepted.items()}
        wanted = {topic_id: topic for topic_id, topic in named.items() if topic[1]}
        effect = InitializeShareState(group_id, wanted, group.group_epoch, offsets)
        requested = partial(group.store.change, group_id, ShareGroup.state_requested, wanted)
        decision: Decision[Any] = Decision(
            records=(group.initializing_record(named),),
            after=(requested,),
            effects=(effect,) if wanted else (),
        )
        ctx.decisions.apply("Groups", decision)
        results = await effect.results if wanted else {}
        for response in accepted.values():
            errors = results.get(response.topic_id, {})
            for one in response.partitions:
                error = errors.get(one.partition_index, ErrorCode.NONE)
                if error is not ErrorCode.NONE:
                    one.error_code = error
                    one.error_message = f"Error in initialize state RPC. {error.text}"
    await ctx.decisions.durable()
    return [*refused.values(), *accepted.values()]


async def _refuse(
    ctx: Context,
    topic: AlterShareGroupOffsetsRequestTopic,
    known: KnownTopic | None,
    refused: dict[str, Topic],
    error: ErrorCode,
) -> None:
    """Add the partitions of a topic to the response. A topic without partitions has no place in it."""
    topic_id = ZERO_UUID if known is None else known.topic_id
    async for one in each(topic.partitions, ctx.turns):
        response = refused.setdefault(topic.topic_name, Topic(topic.topic_name, topic_id, []))
        response.partitions.append(Partition(one.partition_index, error, error.text))


async def _accept(
    ctx: Context,
    topic: AlterShareGroupOffsetsRequestTopic,
    known: KnownTopic,
    accepted: dict[str, Topic],
    offsets: dict[int, int],
) -> None:
    """Add the partitions of a topic to the response, and the offsets of those that exist."""
    response = accepted.setdefault(topic.topic_name, Topic(topic.topic_name, known.topic_id, []))
    async for one in each(topic.partitions, ctx.turns):
        part = Partition(one.partition_index)
        if one.partition_index < len(known.partitions):
            offsets[one.partition_index] = one.start_offset
        else:
            error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            part.error_code, part.error_message = error, error.text
        response.partitions.append(part)


def _empty_group(ctx: Context, group_id: str) -> ShareGroup:
    """Return the group, a new one if it is unknown. Raises KafkaError."""
    groups: Groups = ctx.decisions.state("Groups")
    if not group_id:
        raise KafkaError(ErrorCode.INVALID_GROUP_ID)
    group = groups.serving(group_id, ctx.caller.node_id)
    if group is None:
        return ShareGroup(group_id, groups.partition_for(group_id), None, store=groups)
    if not isinstance(group, ShareGroup):
        raise not_a_share_group(group_id)
    if group.members:
        raise KafkaError(ErrorCode.NON_EMPTY_GROUP)
    return group
