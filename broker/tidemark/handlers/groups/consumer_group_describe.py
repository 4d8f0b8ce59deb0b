"""ConsumerGroupDescribe: KIP-848 groups with their members, epochs and assignments.

v1  member_type: whether a member of an upgraded group speaks the classic protocol
"""

from __future__ import annotations

from itertools import chain
from typing import Final

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Steps
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.consumer.member import Owned, Partitions
from tidemark.groups.state import Groups
from tidemark.handlers.routes import query
from tidemark.metadata.authorized import group_operations
from tidemark_protocol.errors import ErrorCode, KafkaError
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
NO_PARTITIONS: Final[Partitions] = {}
HIDDEN_TOPIC: Final = "The group has described topic(s) that the client is not authorized to describe."


@query(ConsumerGroupDescribeRequest, state=Groups, versions=range(0, 2))
def consumer_group_describe(
    groups: Groups, ctx: Context, request: ConsumerGroupDescribeRequest
) -> Steps[ConsumerGroupDescribeResponse]:
    if not groups.settings.serves_consumer_protocol(ctx.cluster.features):
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
    return ConsumerGroupDescribeResponse(groups=refused + described)


def _refuse(group_id: str, code: int, message: str | None = None) -> DescribedGroup:
    return DescribedGroup(code, message, group_id)


def _describe(groups: Groups, ctx: Context, group_id: str) -> Steps[DescribedGroup]:
    error = groups.service_error(group_id, ctx.caller.node_id)
    if error is not ErrorCode.NONE:
        return _refuse(group_id, error)
    group = groups.of_type(ConsumerGroup, group_id)
    if group is None:
        reason = "not found" if groups.get(group_id) is None else "is not a consumer group"
        return _refuse(group_id, ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} {reason}.")
    # All members as of one moment. Replay replaces their assignments and does not change them.
    members = [
        (
            Member(
                each.member_id,
                each.instance_id,
                each.rack_id,
                each.epoch,
                each.client_id,
                each.client_host,
                sorted(each.topic_names),
                each.regex or "",
                member_type=CLASSIC if each.is_classic else CONSUMER,
            ),
            each.assigned,
            each.pending,
            group.targets.get(each.member_id, NO_PARTITIONS),
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
        group.assignor,
        [member for member, _, _, _ in members],
    )
    for member, assigned, pending, target in members:
        member.assignment = _assignment(ctx, _all_owned(assigned, pending))
        member.target_assignment = _assignment(ctx, target)
        assigned_topics = (*member.assignment.topic_partitions, *member.target_assignment.topic_partitions)
        if not all(
            ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, each.topic_name) for each in assigned_topics
        ):
            return _refuse(group_id, ErrorCode.TOPIC_AUTHORIZATION_FAILED, HIDDEN_TOPIC)
        yield 1 + sum(len(each.partitions) for each in assigned_topics)
    return described


def _all_owned(assigned: Owned, pending: Owned) -> Partitions:
    """Return what a member may use, and what it has not given up yet."""
    owned: Partitions = {}
    for partitions in (assigned, pending):
        for topic_id, epochs in partitions.items():
            owned.setdefault(topic_id, []).extend(epochs)
    return owned


def _assignment(ctx: Context, owned: Partitions) -> Assignment:
    """Return the assignment with topic names, without topics that were deleted."""
    topics = ctx.cluster.topics_by_id
    return Assignment(
        [
            TopicPartitions(topic_id, topics[topic_id].name, partitions)
            for topic_id, partitions in owned.items()
            if topic_id in topics
        ]
    )
