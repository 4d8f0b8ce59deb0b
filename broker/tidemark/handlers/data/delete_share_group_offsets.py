"""DeleteShareGroupOffsets (KIP-932): deletes what an empty share group has read of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision
from tidemark.groups.share.effects import DeleteShareState
from tidemark.groups.share.group import ShareGroup, not_a_share_group
from tidemark.handlers.data.partitions import each
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
from tidemark.metadata.model import SHARE_VERSION
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.delete_share_group_offsets import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsResponse,
    DeleteShareGroupOffsetsResponseTopic,
)
from tidemark_protocol.wire import ZERO_UUID

if TYPE_CHECKING:
    from tidemark.groups.state import Groups

NOTHING_TO_DELETE: Final = "There is no offset information to delete."

Topic = DeleteShareGroupOffsetsResponseTopic


@log_api(DeleteShareGroupOffsetsRequest, versions=range(0, 1))
async def delete_share_group_offsets(
    logs: LogManager, ctx: Context, request: DeleteShareGroupOffsetsRequest
) -> DeleteShareGroupOffsetsResponse:
    try:
        topics = await _deleted(ctx, request)
    except KafkaError as refused:
        return DeleteShareGroupOffsetsResponse(0, refused.code, refused.message or refused.code.text)
    return DeleteShareGroupOffsetsResponse(responses=topics)


async def _deleted(ctx: Context, request: DeleteShareGroupOffsetsRequest) -> list[Topic]:
    """Return the topics of the response. Raises KafkaError."""
    group_id = request.group_id
    if ctx.cluster.features.get(SHARE_VERSION, 0) < 1:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    if not ctx.allowed(Operation.DELETE, ResourceType.GROUP, group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    refused: dict[str, Topic] = {}
    named: dict[bytes, str] = {}
    async for each_topic in each(request.topics, ctx.turns):
        name = each_topic.topic_name
        known = ctx.cluster.topics.get(name)
        if not ctx.allowed(Operation.READ, ResourceType.TOPIC, name):
            refused[name] = _refuse(name, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
        elif known is None:
            refused[name] = _refuse(name, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        else:
            named[known.topic_id] = name
    group = _empty_group(ctx, group_id)
    record, found = group.offsets_deletion(named)
    for topic_id, name in named.items():
        if topic_id not in found:
            refused[name] = _refuse(name, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, NOTHING_TO_DELETE)
    deleted: list[Topic] = []
    if found:
        effects = [DeleteShareState(group_id, {topic_id: topic}) for topic_id, topic in found.items()]
        decision: Decision[Any] = Decision(records=(record,), effects=tuple(effects))
        ctx.decisions.apply("Groups", decision)
        for effect in effects:
            ((topic_id, (name, _)),) = effect.topics.items()
            code = await effect.deleted
            if code is ErrorCode.NONE:
                deleted.append(Topic(name, topic_id))
            else:
                refused[name] = _refuse(name, code, topic_id=topic_id)
        current = group.store.get(group_id)
        if deleted and isinstance(current, ShareGroup):
            ctx.decisions.apply("Groups", current.offsets_deleted([each.topic_id for each in deleted]))
    await ctx.decisions.durable()
    return [*refused.values(), *deleted]


def _empty_group(ctx: Context, group_id: str) -> ShareGroup:
    """Return the group. Raises KafkaError."""
    groups: Groups = ctx.decisions.state("Groups")
    if not group_id:
        raise KafkaError(ErrorCode.INVALID_GROUP_ID)
    group = groups.serving(group_id, ctx.caller.node_id)
    if group is None:
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
    if not isinstance(group, ShareGroup):
        raise not_a_share_group(group_id)
    if group.members:
        raise KafkaError(ErrorCode.NON_EMPTY_GROUP)
    return group


def _refuse(name: str, code: ErrorCode, text: str | None = None, topic_id: bytes = ZERO_UUID) -> Topic:
    return Topic(name, topic_id, code, text or code.text)
