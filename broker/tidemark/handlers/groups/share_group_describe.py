"""ShareGroupDescribe (KIP-932): share groups with their members, epochs and assignments."""

from __future__ import annotations

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import Steps
from tidemark.groups.share.assignor import NAME
from tidemark.groups.share.group import ShareGroup
from tidemark.groups.state import Groups
from tidemark.handlers.groups.consumer_group_describe import HIDDEN_TOPIC, described_groups, sorted_names
from tidemark.handlers.routes import query
from tidemark_protocol.errors import ErrorCode, KafkaError
from tidemark_protocol.messages.share_group_describe import (
    Assignment,
    DescribedGroup,
    Member,
    ShareGroupDescribeRequest,
    ShareGroupDescribeResponse,
    TopicPartitions,
)


@query(ShareGroupDescribeRequest, state=Groups, versions=range(1, 2))
def share_group_describe(
    groups: Groups, ctx: Context, request: ShareGroupDescribeRequest
) -> Steps[ShareGroupDescribeResponse]:
    if not ctx.cluster.serves_share_groups:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    found = yield from described_groups(groups, ctx, request, "share", ShareGroup, DescribedGroup, _describe)
    return ShareGroupDescribeResponse(groups=found)


def _describe(ctx: Context, group: ShareGroup) -> Steps[DescribedGroup]:
    # All members as of one moment. Replay replaces their assignments and does not change them.
    members = [
        (
            Member(
                each.member_id,
                each.rack_id,
                each.epoch,
                each.client_id,
                each.client_host,
            ),
            each.topic_names,
            each.assigned,
        )
        for each in group.members.values()
    ]
    described = DescribedGroup(
        ErrorCode.NONE,
        None,
        group.group_id,
        group.state_name,
        group.group_epoch,
        group.assignment_epoch,
        NAME,
        [member for member, _, _ in members],
    )
    topics = ctx.cluster.topics_by_id
    for member, topic_names, assigned in members:
        member.subscribed_topic_names = yield from sorted_names(topic_names)
        partitions = [
            TopicPartitions(topic_id, topics[topic_id].name, each)
            for topic_id, each in assigned.items()
            if topic_id in topics
        ]
        member.assignment = Assignment(partitions)
        if not all(
            ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, each.topic_name) for each in partitions
        ):
            raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED, HIDDEN_TOPIC)
        yield 1 + sum(len(each.partitions) for each in partitions)
    return described
