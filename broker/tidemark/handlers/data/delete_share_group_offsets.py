"""DeleteShareGroupOffsets (KIP-932): deletes what an empty share group has read of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Decision
from tidemark.groups.consumer.assignors.spec import topic_order
from tidemark.groups.share.effects import DeleteShareState, first_error
from tidemark.groups.share.group import ShareGroup, not_a_share_group
from tidemark.handlers.data.partitions import each
from tidemark.handlers.routes import log_api
from tidemark.log.manager import LogManager
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
    """Return the topics of the response. Raises KafkaError.

    Those without permission are first, then those that are deleted, not found, and not deleted.
    """
    group_id = request.group_id
    if not ctx.cluster.serves_share_groups:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    if not ctx.allowed(Operation.DELETE, ResourceType.GROUP, group_id):
        raise KafkaError(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    topics: list[Topic] = []
    requested: list[tuple[str, bytes | None]] = []
    async for topic in each(request.topics, ctx.turns):
        name = topic.topic_name
        if ctx.allowed(Operation.READ, ResourceType.TOPIC, name):
            known = ctx.cluster.topics.get(name)
            requested.append((name, None if known is None else known.topic_id))
        else:
            topics.append(_refuse(name, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
    group = _empty_group(ctx, group_id)
    if not group.has_state_record:  # Kafka does not even look at the topics
        return topics
    record, found = group.offsets_deletion([each_id for _, each_id in requested if each_id is not None])
    effect = DeleteShareState(group_id, found)
    decision: Decision[Any] = Decision(records=(record,), effects=(effect,) if found else ())
    ctx.decisions.apply("Groups", decision)
    results = await effect.results if found else {}
    errors = {topic_id: first_error(results[topic_id]) for topic_id in found}
    deleted = {topic_id: found[topic_id] for topic_id in found if errors[topic_id] is ErrorCode.NONE}
    current = group.store.of_type(ShareGroup, group_id)
    if current is None:  # it was deleted meanwhile
        deleted = {}
    elif deleted:
        ctx.decisions.apply("Groups", current.offsets_deleted(deleted))
    topics += [Topic(deleted[topic_id][0], topic_id) for topic_id in topic_order(dict.fromkeys(deleted, ()))]
    async for name, topic_id in each(requested, ctx.turns):
        if topic_id is None:
            topics.append(_refuse(name, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
        elif topic_id not in found:
            topics.append(_refuse(name, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, NOTHING_TO_DELETE))
    topics += [
        _refuse(found[topic_id][0], error, topic_id=topic_id)
        for topic_id, error in errors.items()
        if error is not ErrorCode.NONE
    ]
    await ctx.decisions.durable()
    return topics


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
