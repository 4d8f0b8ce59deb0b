"""ConsumerGroupDescribe: KIP-848 groups with their members, epochs and assignments.

v1  member_type: whether a member of an upgraded group speaks the classic protocol
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.result import Steps
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.consumer.model import ConsumerMember
from tidemark.groups.state import Groups
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import group_operations
from tidemark_protocol.errors import ErrorCode
from tidemark_protocol.messages.consumer_group_describe import (
    Assignment,
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
    Member,
    TopicPartitions,
)

CLASSIC: Final = 0
CONSUMER: Final = 1


@query(ConsumerGroupDescribeRequest, state=Groups, versions=range(0, 2))
def consumer_group_describe(
    groups: Groups, ctx: Context, request: ConsumerGroupDescribeRequest
) -> Steps[ConsumerGroupDescribeResponse]:
    described: list[DescribedGroup] = []
    refused: list[DescribedGroup] = []
    known: dict[str, DescribedGroup] = {}  # a group that is named twice is described once and listed twice
    by_partition = yield from groups.by_partition(request.group_ids)
    for group_id in chain.from_iterable(by_partition):
        if not ctx.allowed(Operation.DESCRIBE, ResourceType.GROUP, group_id):
            refused.append(_refuse(group_id, ErrorCode.GROUP_AUTHORIZATION_FAILED))
        elif not group_id:
            refused.append(_refuse(group_id, ErrorCode.INVALID_GROUP_ID))
        else:
            response = known.get(group_id)
            if response is None:
                response = known[group_id] = _describe(groups, ctx, group_id)
                if request.include_authorized_operations and response.error_code == ErrorCode.NONE:
                    response.authorized_operations = group_operations(ctx, group_id)
                yield len(response.members)
            described.append(response)
        yield 1
    return ConsumerGroupDescribeResponse(groups=refused + described)


def error_response(request: ConsumerGroupDescribeRequest, code: int) -> ConsumerGroupDescribeResponse:
    return ConsumerGroupDescribeResponse(groups=[_refuse(name, code) for name in request.group_ids])


def _refuse(group_id: str, code: int, message: str | None = None) -> DescribedGroup:
    return DescribedGroup(code, message, group_id)


def _describe(groups: Groups, ctx: Context, group_id: str) -> DescribedGroup:
    error = groups.service_error(group_id)
    if error is not ErrorCode.NONE:
        return _refuse(group_id, error)
    group = groups.of_type(ConsumerGroup, group_id)
    if group is None:
        reason = "not found" if groups.get(group_id) is None else "is not a consumer group"
        return _refuse(group_id, ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} {reason}.")
    members = [_member(ctx, group, each) for each in group.members.values()]
    if not all(ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, topic) for topic in _topics(members)):
        return _refuse(group_id, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    return DescribedGroup(
        ErrorCode.NONE,
        None,
        group_id,
        group.state_name,
        group.group_epoch,
        group.assignment_epoch,
        group.assignor,
        members,
    )


def _member(ctx: Context, group: ConsumerGroup, member: ConsumerMember) -> Member:
    return Member(
        member.member_id,
        member.instance_id,
        member.rack_id,
        member.epoch,
        member.client_id,
        member.client_host,
        sorted(member.topic_names),
        member.regex or "",
        _assignment(ctx, _all_owned(member)),
        _assignment(ctx, group.targets.get(member.member_id, {})),
        CLASSIC if member.is_classic else CONSUMER,
    )


def _all_owned(member: ConsumerMember) -> Mapping[bytes, list[int]]:
    """Return what the member may use, and what it has not given up yet."""
    owned: dict[bytes, list[int]] = {}
    for partitions in (member.assigned, member.pending):
        for topic_id, epochs in partitions.items():
            owned.setdefault(topic_id, []).extend(epochs)
    return owned


def _assignment(ctx: Context, owned: Mapping[bytes, list[int]]) -> Assignment:
    """Return the assignment with topic names, without topics that were deleted."""
    topics = ctx.cluster.topics_by_id
    return Assignment(
        [
            TopicPartitions(topic_id, topics[topic_id].name, partitions)
            for topic_id, partitions in owned.items()
            if topic_id in topics
        ]
    )


def _topics(members: list[Member]) -> set[str]:
    """Return the names of all topics in a response about these members."""
    return {
        name
        for member in members
        for name in (
            *member.subscribed_topic_names,
            *(each.topic_name for each in member.assignment.topic_partitions),
            *(each.topic_name for each in member.target_assignment.topic_partitions),
        )
    }
