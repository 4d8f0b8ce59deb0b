"""ConsumerGroupDescribe: KIP-848 groups with their members, epochs and assignments.

v1  member_type: whether a member of an upgraded group speaks the classic protocol
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import chain, islice
from typing import Any, Final, TypeVar

from tidemark.core.context import Context, Operation, ResourceType
from tidemark.core.decision import RUN_LENGTH, Steps, in_order
from tidemark.groups.consumer.group import ConsumerGroup
from tidemark.groups.consumer.member import Owned, Partitions
from tidemark.groups.group import Group
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
NAMES_OF_AN_ITEM: Final = 2  # a name has fewer bytes than other items of a response
NO_PARTITIONS: Final[Partitions] = {}
D = TypeVar("D", bound=Any)
G = TypeVar("G", bound=Group)
HIDDEN_TOPIC: Final = "The group has described topic(s) that the client is not authorized to describe."


@query(ConsumerGroupDescribeRequest, state=Groups, versions=range(0, 2))
def consumer_group_describe(
    groups: Groups, ctx: Context, request: ConsumerGroupDescribeRequest
) -> Steps[ConsumerGroupDescribeResponse]:
    if not groups.settings.serves_consumer_protocol(ctx.cluster.features):
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    found = yield from described_groups(
        groups, ctx, request, "consumer", ConsumerGroup, DescribedGroup, _describe
    )
    return ConsumerGroupDescribeResponse(groups=found)


def described_groups(
    groups: Groups,
    ctx: Context,
    request: Any,
    kind: str,
    group_type: type[G],
    entry: type[D],
    describe: Callable[[Context, G], Steps[D]],
) -> Steps[list[D]]:
    """Describe the groups of a request, those without permission first, the others by partition.

    request    ConsumerGroupDescribe or ShareGroupDescribe
    kind       of its groups, for messages
    entry      the class of the entries of its response. The first fields are code, message and group id
    describe   returns the entry of a group. Raises KafkaError
    """
    refused: list[D] = []
    described: list[D] = []
    allowed: list[str] = []
    for group_id in request.group_ids:
        if not ctx.allowed(Operation.DESCRIBE, ResourceType.GROUP, group_id):
            refused.append(entry(ErrorCode.GROUP_AUTHORIZATION_FAILED, None, group_id))
        elif not group_id:
            described.append(entry(ErrorCode.INVALID_GROUP_ID, None, group_id))
        else:
            allowed.append(group_id)
        yield 1
    known: dict[str, D] = {}  # a group that is named twice is described once and listed twice
    by_partition = yield from groups.by_partition(allowed)
    for group_id in chain.from_iterable(by_partition):
        found = known.get(group_id)
        if found is None:
            try:
                group = _find(groups, ctx, kind, group_type, group_id)
                found = yield from describe(ctx, group)
                if request.include_authorized_operations:
                    found.authorized_operations = group_operations(ctx, group_id)
            except KafkaError as error:
                found = entry(error.code, error.message, group_id)
            known[group_id] = found
        described.append(found)
        yield 1
    return refused + described


def _find(groups: Groups, ctx: Context, kind: str, group_type: type[G], group_id: str) -> G:
    error = groups.service_error(group_id, ctx.caller.node_id)
    if error is not ErrorCode.NONE:
        raise KafkaError(error)
    group = groups.of_type(group_type, group_id)
    if group is None:
        reason = "not found" if groups.get(group_id) is None else f"is not a {kind} group"
        raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} {reason}.")
    return group


def _describe(ctx: Context, group: ConsumerGroup) -> Steps[DescribedGroup]:
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
                subscribed_topic_regex=each.regex or "",
                member_type=CLASSIC if each.is_classic else CONSUMER,
            ),
            each.topic_names,
            each.assigned,
            each.pending,
            group.targets.get(each.member_id, NO_PARTITIONS),
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
        group.assignor,
        [member for member, *_ in members],
    )
    for member, topic_names, assigned, pending, target in members:
        member.subscribed_topic_names = yield from sorted_names(topic_names)
        member.assignment = _assignment(ctx, _all_owned(assigned, pending))
        member.target_assignment = _assignment(ctx, target)
        assigned_topics = (*member.assignment.topic_partitions, *member.target_assignment.topic_partitions)
        if not all(
            ctx.allowed(Operation.DESCRIBE, ResourceType.TOPIC, each.topic_name) for each in assigned_topics
        ):
            raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED, HIDDEN_TOPIC)
        yield 1 + sum(len(each.partitions) for each in assigned_topics)
    return described


def sorted_names(names: Collection[str]) -> Steps[list[str]]:
    """Sort the names of topics to which a member is subscribed. It may have thousands."""
    merged = yield from in_order([*names])
    ordered: list[str] = []
    while some := [*islice(merged, RUN_LENGTH)]:
        ordered += some
        yield len(some) // NAMES_OF_AN_ITEM
    return ordered


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
