"""AlterShareGroupOffsets (KIP-932): sets where an empty share group begins to read. It creates the group."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision
from tidemark.groups.share.effects import InitializeShareState
from tidemark.groups.share.group import ShareGroup, not_a_share_group
from tidemark.handlers.data.partitions import each
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.metadata.model import SHARE_VERSION
from tidemark_protocol.checkpoints import uuid_text
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.alter_share_group_offsets import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsResponse,
    AlterShareGroupOffsetsResponsePartition,
    AlterShareGroupOffsetsResponseTopic,
)

if TYPE_CHECKING:
    from tidemark.groups.state import Groups

STEP_PARTITIONS: Final = 500

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
    """Return the topics of the response. Raises KafkaError."""
    group_id = request.group_id
    if ctx.cluster.features.get(SHARE_VERSION, 0) < 1:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    if not ctx.allowed(Operation.READ, ResourceType.GROUP, group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    topics: list[Topic] = []
    offsets: dict[bytes, dict[int, int]] = {}
    names: dict[bytes, str] = {}
    async for topic in each(request.topics, ctx.turns):
        known = ctx.cluster.topics.get(topic.topic_name)
        response = Topic(topic.topic_name)
        topics.append(response)
        error = ErrorCode.NONE
        if known is not None:
            response.topic_id = known.topic_id
        if not ctx.allowed(Operation.READ, ResourceType.TOPIC, topic.topic_name):
            error = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        elif known is None:
            error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        else:
            offsets[known.topic_id], names[known.topic_id] = {}, topic.topic_name
        async for one in each(topic.partitions, ctx.turns):
            code = error
            if known is not None and code is ErrorCode.NONE:
                if one.partition_index < len(known.partitions):
                    offsets[known.topic_id][one.partition_index] = one.start_offset
                else:
                    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            response.partitions.append(_partition(one.partition_index, code))
    group = _empty_group(ctx, group_id)
    wanted = {topic_id: (names[topic_id], sorted(some)) for topic_id, some in offsets.items() if some}
    for topic_id, (_, partitions) in wanted.items():
        if partitions[0] < 0:
            what = f"{group_id} {uuid_text(topic_id)} {partitions[0]}"
            why = f"Initialize share group parameters has invalid partitionId - {what}"
            raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, why)
    if wanted:
        effect = InitializeShareState(group_id, wanted, group.group_epoch, offsets)
        requested = partial(group.store.change, group_id, ShareGroup.state_requested, wanted)
        decision: Decision[Any] = Decision(
            records=(group.initializing_record(wanted),), after=(requested,), effects=(effect,)
        )
        ctx.decisions.apply("Groups", decision)
        results = await effect.results
        for response in topics:
            failed = results.get(response.topic_id, {})
            for part in response.partitions:
                code = failed.get(part.partition_index, ErrorCode.NONE)
                if code is not ErrorCode.NONE and not part.error_code:
                    part.error_code, part.error_message = code, code.text
    await ctx.decisions.durable()
    return topics


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


def _partition(index: int, code: ErrorCode) -> Partition:
    return Partition(index, code, None if code is ErrorCode.NONE else code.text)
