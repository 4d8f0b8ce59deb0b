"""ShareGroupDescribe (KIP-932): share groups with their members, epochs and assignments."""

from __future__ import annotations

from itertools import chain
from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Steps
from tidemark.groups.share.assignor import NAME
from tidemark.groups.share.group import ShareGroup
from tidemark.groups.state import Groups
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import group_operations
from tidemark.metadata.model import SHARE_VERSION
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.share_group_describe import (
    Assignment,
    DescribedGroup,
    Member,
    ShareGroupDescribeRequest,
    ShareGroupDescribeResponse,
    TopicPartitions,
)

HIDDEN_TOPIC: Final = "The group has described topic(s) that the client is not authorized to describe."


@query(ShareGroupDescribeRequest, state=Groups, versions=range(1, 2))
def share_group_describe(
    groups: Groups, ctx: Context, request: ShareGroupDescribeRequest
) -> Steps[ShareGroupDescribeResponse]:
    if ctx.cluster.features.get(SHARE_VERSION, 0) < 1:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    refused: list[DescribedGroup] = []
    described: list[DescribedGroup] = []
    allowed: list[str] = []
    for group_id in request.group_ids:
        if not ctx.allowed(Operation.DESCRIBE, ResourceType.GROUP, group_id):
            refused.append(_refuse(group_id, ErrorCode.GROUP_AUTHORIZATION_FAILED))
        elif not group_id:
            described.append(_refuse(group_id, ErrorCode.INVALID_GROUP_ID))
        else:
            allowed.append(group_id)
        yield 1
    known: dict[str, DescribedGroup] = {}  # a group that is named twice is described once and listed twice
    by_partition = yield from groups.by_partition(allowed)
    for group_id in chain.from_iterable(by_partition):
        response = known.get(group_id)
        if response is None:
            response = known[group_id] = yield from _describe(groups, ctx, group_id)
            if request.include_authorized_operations and response.error_code == ErrorCode.NONE:
                response.authorized_operations = group_operations(ctx, group_id)
        described.append(response)
        yield 1
    return ShareGroupDescribeResponse(groups=refused + described)


def _refuse(group_id: str, code: int, message: str | None = None) -> DescribedGroup:
    return DescribedGroup(code, message, group_id)


def _describe(groups: Groups, ctx: Context, group_id: str) -> Steps[DescribedGroup]:
    error = groups.service_error(group_id, ctx.caller.node_id)
    if error is not ErrorCode.NONE:
        return _refuse(group_id, error)
    group = groups.of_type(ShareGroup, group_id)
    if group is None:
        reason = "not found" if groups.get(group_id) is None else "is not a share group"
        return _refuse(group_id, ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} {reason}.")
    # All members as of one moment. Replay replaces their assignments and does not change them.
    members = [
        (
            Member(
                each.member_id,
                each.rack_id,
                each.epoch,
                each.client_id,
                each.client_host,
                sorted(each.topic_names),
            ),
            each.assigned,
        )
        for each in group.members.values()
    ]
    described = DescribedGroup(
        ErrorCode.NONE,
        None,
        group_id,
        group.state_name,
        group.group_epoch,
        group.assignment_epoch,
        NAME,
        [member for member, _ in members],
    )
    topics = ctx.cluster.topics_by_id
    for member, assigned in members:
        partitions = [
            TopicPartitions(topic_id, topics[topic_id].name, each)
            for topic_id, each in assigned.items()
            if topic_id in topics
        ]
        member.assignment = Assignment(partitions)
        if not all(
            ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, each.topic_name) for each in partitions
        ):
            return _refuse(group_id, ErrorCode.TOPIC_AUTHORIZATION_FAILED, HIDDEN_TOPIC)
        yield 1 + sum(len(each.partitions) for each in partitions)
    return described
